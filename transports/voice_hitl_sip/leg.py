"""One SIP call: G.711 over RTP, RFC 4733 and INFO digits."""

import logging

from aiosipua import IncomingCall, SdpMessage
from aiosipua.rtp_bridge import CallSession

from voice_hitl.phone import LINE_RATE, PhoneAudio
from voice_hitl.provider import Receiver
from voice_hitl.transport import After, HangUpReason, Heard, LegCapabilities, LegEvent, LegInfo

log = logging.getLogger(__name__)

SAMPLES = LINE_RATE // 50


class SipLeg:
    """A call leg over SIP and RTP. Outgoing media follow the address the caller's really come from (symmetric RTP)."""

    round_trip_ms: float | None = None

    def __init__(self, info: LegInfo, call: IncomingCall, media: CallSession, *, rate: int) -> None:
        self._info = info
        self._call = call
        self._media = media
        self._timestamp = 0
        self._audio = PhoneAudio(rate, send=self._send, owner=f"SIP call {info.call_id}")
        media.on_audio = self._heard
        media.on_dtmf = self._audio.pressed

    @property
    def info(self) -> LegInfo:
        """Where the call comes from."""
        return self._info

    @property
    def capabilities(self) -> LegCapabilities:
        """Keys, and echo: a telephone has no canceller that we may count on."""
        return LegCapabilities(digits=True, echo_cancelled=False)

    @property
    def over(self) -> bool:
        """Whether the call has ended."""
        return self._audio.over

    def events(self) -> Receiver[LegEvent]:
        """The one stream of events."""
        return self._audio.events()

    def answer(self, sdp: SdpMessage) -> None:
        """Say yes to the call (the media run already)."""
        self._call.accept(sdp)

    def pressed(self, digit: str, duration_ms: int) -> None:
        """A digit came in an INFO request."""
        self._audio.pressed(digit, duration_ms)

    def _heard(self, pcm: bytes, _timestamp: int) -> None:
        self._audio.heard(pcm)

    def send_audio(self, pcm: bytes, item: str) -> None:
        """Queue one frame of `item`."""
        self._audio.play(pcm, item)

    def clear(self) -> Heard:
        """Drop everything not yet played."""
        return self._audio.clear()

    async def send_message(self, text: str) -> None:
        """A telephone shows no messages."""

    def _send(self, pcm: bytes) -> None:
        self._timestamp += SAMPLES
        self._media.send_audio_pcm(pcm, self._timestamp)

    async def hang_up(self, *, after: After = "now") -> None:
        """End the call with a BYE, at once or when what is queued was heard."""
        if after == "playout":
            await self._audio.played_out()
        await self._leave("us")

    async def transfer(self, target: str) -> None:
        """A SIP leg does not transfer yet: `ValueError`."""
        raise ValueError(f"a SIP leg cannot be transferred to {target!r}: let the PBX do it")

    async def aclose(self) -> None:
        """Let the leg go."""
        await self._leave("us")

    async def _leave(self, reason: HangUpReason) -> None:
        if not self.over:
            self._call.hangup()
        await self.ended(reason)

    async def ended(self, reason: HangUpReason) -> None:
        """The call is over, whoever ended it: the media stop."""
        self._audio.end(reason)
        await self._media.close()
        await self._audio.tasks.close()
