"""One call's RTP: on one port of ours, through every change of its description."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from aiosipua.rtp_bridge import CallSession
from aiosipua.sdp import SdpMessage
from aiosipua.sdp_negotiate import SdpNegotiationError

from voice_hitl.errors import InvalidOffer
from voice_hitl.phone import LINE_RATE
from voice_hitl.tasks import Beat
from voice_hitl_sip.description import (
    PCMA,
    PCMU,
    Flow,
    address_of,
    digits_payload,
    flow_of,
    offered,
    our_offer,
    state_direction,
)
from voice_hitl_sip.ports import Ports
from voice_hitl_sip.seam import take_over_playout

SAMPLES = LINE_RATE // 50
SILENCE = {PCMU: b"\xff" * SAMPLES, PCMA: b"\xd5" * SAMPLES}
KEYS = frozenset("0123456789*#ABCD")


@dataclass(frozen=True, slots=True)
class _Spoken:
    """What goes over the line."""

    codec: int
    digits: int


class Media:
    """The RTP of one call.

    Args:
        ports: Where our port is taken from, and given back to at the end.
        host: The address to bind.
        advertised_ip: What to say in the SDP instead.
    """

    def __init__(self, ports: Ports, host: str, advertised_ip: str | None) -> None:
        self._ports = ports
        self._host = host
        self._advertised_ip = advertised_ip
        self._port = ports.take()
        self._session_id = str(int(time.time()))
        self._version = 0
        self._rtp: CallSession | None = None
        self._playout: Beat | None = None
        self._spoken: _Spoken | None = None
        self._timestamp = 0
        self._closed = False
        self.description = our_offer(advertised_ip or host, self._port, session_id=self._session_id)
        """Our side of the call, as it was said last."""
        self.flow = Flow(hears=True, speaks=True)
        self.on_audio: Callable[[bytes], None] = _ignore
        self.on_digit: Callable[[str, int], None] = _ignore_digit

    async def begin(self, theirs: SdpMessage, *, digits: int | None = None) -> None:
        """Agree with their description and start; `InvalidOffer` where it has nothing that we speak.

        `digits`: the payload type of telephone-event, where not theirs counts but ours did (in an offer).
        """
        payload = digits_payload(theirs) if digits is None else digits
        await self._start(self._agree(theirs, self._port, (PCMU, PCMA), payload), payload)
        self.flow = flow_of(theirs)

    async def change(self, offer: SdpMessage) -> SdpMessage:
        """They describe the call anew (a re-INVITE): agree, and return what to answer.

        Raises:
            InvalidOffer: It has nothing that we speak; everything stays as it was.
        """
        now, payload = self._spoken, digits_payload(offer)
        if self._rtp is not None and now is not None and now.codec in offered(offer) and now.digits == payload:
            self._say(self._agree(offer, self._port, (now.codec,), payload))
            if flow_of(offer).hears:
                self._rtp.update_remote(address_of(offer))
        else:
            await self._start_anew(offer, payload)
        self.flow = flow_of(offer)
        return self.description

    async def _start_anew(self, offer: SdpMessage, digits: int) -> None:
        """In another codec, on a port of its own (RFC 3264, 8.3.1): the old one may be busy yet."""
        old_port, old_rtp, port = self._port, self._rtp, self._ports.take()
        try:
            await self._start(self._agree(offer, port, (PCMU, PCMA), digits), digits)
        except BaseException:
            self._ports.give_back(port)
            raise
        self._port = port
        if old_rtp is not None:
            await old_rtp.close()
        self._ports.give_back(old_port)

    def send(self, pcm: bytes) -> None:
        """Send 20 ms of our voice (mono int16, 8 kHz)."""
        self._timestamp += SAMPLES
        if self._rtp is not None:
            self._rtp.send_audio_pcm(pcm, self._timestamp)

    def silence(self) -> None:
        """20 ms pass in which we say nothing: a telephone line carries that too, unless they do not listen."""
        self._timestamp += SAMPLES
        if self._rtp is not None and self.flow.hears:
            self._rtp.send_audio(SILENCE[self._rtp.chosen_payload_type], self._timestamp)

    async def close(self) -> None:
        """Stop; closing twice is harmless."""
        if self._closed:
            return
        self._closed = True
        if self._playout is not None:
            self._playout.leave()
        if self._rtp is not None:
            await self._rtp.close()
        self._ports.give_back(self._port)

    # --- agreeing ----------------------------------------------------------------------------------------------------

    def _agree(self, theirs: SdpMessage, port: int, codecs: tuple[int, ...], digits: int) -> CallSession:
        address_of(theirs)
        state_direction(theirs)
        try:
            return CallSession(
                self._host,
                port,
                theirs,
                advertised_ip=self._advertised_ip,
                supported_codecs=list(codecs),
                dtmf_payload_type=digits,
                session_id=self._session_id,
                playout=True,
                symmetric_rtp=True,
            )
        except (SdpNegotiationError, ValueError) as error:
            raise InvalidOffer(f"the call offers nothing that we speak: {error}") from error

    async def _start(self, rtp: CallSession, digits: int) -> None:
        rtp.on_audio = self._heard
        rtp.on_dtmf = self._pressed
        try:
            await rtp.start()
        except OSError as error:
            raise InvalidOffer(f"the media port cannot be opened: {error}") from error
        play = await take_over_playout(rtp)
        if self._closed:
            await rtp.close()
            raise InvalidOffer("the call is over")
        if self._playout is not None:
            self._playout.leave()
        self._playout = Beat(lambda _now: play(), "the playout of a SIP call")
        self._rtp = rtp
        self._spoken = _Spoken(rtp.chosen_payload_type, digits)
        self._say(rtp)

    def _say(self, rtp: CallSession) -> None:
        """RFC 3264, 8: the origin stays, its version grows by one with every change."""
        self.description = rtp.sdp_answer
        self.description.origin.session_version = str(int(self._session_id) + self._version)
        self._version += 1

    def _heard(self, pcm: bytes, _timestamp: int) -> None:
        self.on_audio(pcm)

    def _pressed(self, digit: str, duration: int) -> None:
        """RFC 4733, 2.3.4: the duration is in samples. The events above 15 are no keys."""
        if digit in KEYS:
            self.on_digit(digit, duration * 1000 // LINE_RATE)


def _ignore(_pcm: bytes) -> None:
    """Nobody listens yet."""


def _ignore_digit(_digit: str, _duration_ms: int) -> None:
    """Nobody listens yet."""
