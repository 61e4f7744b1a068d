"""Answering SIP calls on a UDP port."""

import logging
import socket
from collections.abc import Callable
from dataclasses import dataclass

from aiosipua import IncomingCall, SipRequest, SipResponse, SipUAS
from aiosipua.rtp_bridge import CallSession
from aiosipua.sdp import SdpMessage

from voice_hitl.errors import InvalidOffer
from voice_hitl.tasks import Job, Tasks
from voice_hitl.transport import CallRejected, Incoming, LegInfo, OnIncoming
from voice_hitl_sip.info import read_info
from voice_hitl_sip.leg import SipLeg
from voice_hitl_sip.udp import UdpMessages

log = logging.getLogger(__name__)

PCMU, PCMA = 0, 8
DTMF_PAYLOAD = 101
"""The payload type of telephone-event where the offer has none (RFC 4733 leaves it to the offer)."""

Received = Callable[[SipRequest | SipResponse, tuple[str, int]], None]


@dataclass(slots=True, eq=False)
class SipCall:
    """A call that wants to come in: it rings."""

    info: LegInfo
    call: IncomingCall
    leg: SipLeg | None = None


class SipTransport:
    """Phone calls over SIP (UDP) with G.711.

    Args:
        host: The address to listen on, which is in the SDP too.
        port: The SIP port. 0: any free one (`port` then says which).
        rtp_ports: The first and the last port for media; each call takes two.
        advertised_ip: What to say in the SDP instead of `host`, behind a NAT.
    """

    name = "sip"

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 5060,
        *,
        rtp_ports: tuple[int, int] = (20_000, 24_998),
        advertised_ip: str | None = None,
    ) -> None:
        self.host = host
        self.port = port
        self._advertised_ip = advertised_ip
        self._free_ports = list(range(rtp_ports[0] + rtp_ports[0] % 2, rtp_ports[1], 2))
        self._on_incoming: OnIncoming | None = None
        self._uas: SipUAS | None = None
        self._tasks = Tasks("SIP")
        self._offered: dict[str, Job] = {}
        self._calls: dict[str, SipCall] = {}

    def listen(self, on_incoming: OnIncoming | None) -> None:
        """Offer every incoming call to `on_incoming`; None: to nobody. A call nobody takes is refused (503)."""
        self._on_incoming = on_incoming

    async def start(self) -> None:
        """Open the port; `OSError` where it is taken."""
        if self.port == 0:
            self.port = _free_port(self.host)
        transport = UdpMessages(self.host, self.port)
        uas = self._uas = SipUAS(transport, user_agent="voice_hitl")
        uas.on_invite = self._invited
        uas.on_reinvite = self._reinvited
        uas.on_bye = self._bye
        uas.on_cancel = self._cancelled
        await uas.start()
        transport.on_message = self._with_info(transport.on_message)

    # --- requests ----------------------------------------------------------------------------------------------------

    def _with_info(self, received: Received | None) -> Received:
        """INFO is ours: the user agent knows no digits in it."""

        def dispatch(message: SipRequest | SipResponse, address: tuple[str, int]) -> None:
            if isinstance(message, SipRequest) and message.method == "INFO":
                self._info(message)
            elif received is not None:
                received(message, address)

        return dispatch

    def _info(self, request: SipRequest) -> None:
        call = self._calls.get(request.call_id or "")
        uas = self._uas
        if uas is None:
            return
        known = call is not None and call.leg is not None
        response = SipResponse(status_code=200 if known else 481, reason_phrase="OK" if known else "No Such Call")
        for header in ("Via", "From", "To", "Call-ID", "CSeq"):
            for value in request.headers.get(header.lower()):
                response.headers.append(header, value)
        uas.transport.send_reply(response)
        body = request.body or ""
        text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
        digit = read_info(request.get_header("content-type") or "", text)
        if call is not None and call.leg is not None and digit is not None:
            call.leg.pressed(*digit)

    def _invited(self, call: IncomingCall) -> None:
        job = self._tasks.spawn(self._offer(call), f"SIP call {call.call_id}")
        self._offered[call.call_id] = job

    async def _offer(self, call: IncomingCall) -> None:
        try:
            if self._on_incoming is None:
                raise CallRejected(503)
            if call.sdp_offer is None or call.sdp_offer.rtp_address is None:
                raise CallRejected(488)
            call.ringing()
            info = LegInfo(
                call_id=call.call_id, from_=call.caller, to=call.callee, headers=dict(call.x_headers), codec="G.711"
            )
            await self._on_incoming(SipCall(info, call))
        except CallRejected as rejected:
            call.reject(rejected.code)
        finally:
            self._offered.pop(call.call_id, None)

    def _reinvited(self, call: IncomingCall) -> None:
        """Hold and the like: the media go where the new offer says, answered as before."""
        ours = self._calls.get(call.call_id)
        if ours is None or ours.leg is None or call.sdp_answer is None:
            call.reject(481)
            return
        call.accept(call.sdp_answer)

    def _bye(self, call: IncomingCall, _request: SipRequest) -> None:
        ours = self._calls.pop(call.call_id, None)
        if ours is not None and ours.leg is not None:
            self._tasks.spawn(ours.leg.ended("caller"), f"end of SIP call {call.call_id}")

    def _cancelled(self, request: SipRequest, _address: tuple[str, int]) -> None:
        job = self._offered.get(request.call_id or "")
        if job is not None:
            job.cancel()

    # --- the port ----------------------------------------------------------------------------------------------------

    async def accept(self, connection: Incoming, *, rate: int) -> SipLeg:
        """Answer a call; `InvalidOffer` for one that is not SIP, was answered, or has no codec that we speak."""
        if not isinstance(connection, SipCall) or connection.leg is not None:
            raise InvalidOffer("this is no SIP call that waits to be answered")
        offer = connection.call.sdp_offer
        if offer is None:
            raise InvalidOffer("the call offers no media")
        port = self._take_port()
        try:
            media = CallSession(
                self.host,
                port,
                offer,
                advertised_ip=self._advertised_ip,
                supported_codecs=[PCMU, PCMA],
                dtmf_payload_type=_dtmf_payload(offer),
                playout=True,
                symmetric_rtp=True,
            )
        except ValueError as error:
            self._free_ports.append(port)
            raise InvalidOffer(f"the call offers nothing that we speak: {error}") from error
        await media.start()
        leg = connection.leg = SipLeg(connection.info, connection.call, media, rate=rate)
        self._calls[connection.info.call_id] = connection
        leg.answer(media.sdp_answer)
        return leg

    def _take_port(self) -> int:
        for port in list(self._free_ports):
            self._free_ports.remove(port)
            self._free_ports.append(port)
            if _is_free(self.host, port):
                return port
        raise InvalidOffer("every media port is taken: widen rtp_ports")

    async def aclose(self) -> None:
        """Hang up every leg, close the port, take no more."""
        for call in list(self._calls.values()):
            if call.leg is not None:
                await call.leg.hang_up()
        self._calls.clear()
        await self._tasks.close(patience_s=0.5)
        if self._uas is not None:
            await self._uas.stop()
            self._uas = None


def _dtmf_payload(offer: SdpMessage) -> int:
    """The offer's payload type for telephone-event: a caller that offers 96 reads nothing sent as 101."""
    audio = offer.audio
    for codec in audio.codecs if audio is not None else ():
        if codec.encoding_name.casefold() == "telephone-event":
            return codec.payload_type
    return DTMF_PAYLOAD


def _is_free(host: str, port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def _free_port(host: str) -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])
