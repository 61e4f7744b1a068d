"""SIP calls on a UDP port: answering them, and placing them."""

import logging
import socket
from collections.abc import Callable, Mapping

import anyio
from aiosipua import DialogState, IncomingCall, SipRequest, parse_uri
from aiosipua.sdp import SdpMessage, parse_sdp

from voice_hitl.errors import CallNotAnswered, InvalidOffer
from voice_hitl.tasks import Job, Tasks
from voice_hitl.transport import CallRejected, Incoming, LegInfo, OnIncoming
from voice_hitl_sip.call import SipCall
from voice_hitl_sip.description import DIGITS
from voice_hitl_sip.info import read_info
from voice_hitl_sip.invitation import Answered, Refused
from voice_hitl_sip.leg import SipLeg
from voice_hitl_sip.media import Media
from voice_hitl_sip.placing import Placed, invite_of
from voice_hitl_sip.ports import Ports, free_port
from voice_hitl_sip.signalling import AGENT, Signalling
from voice_hitl_sip.udp import Address

log = logging.getLogger(__name__)

SIP_PORT = 5060
ANSWER_WITHIN_S = 45.0
"""How long a telephone is left ringing: about nine rings."""

NOT_FOUND, NO_ANSWER, NOT_ACCEPTABLE, UNAVAILABLE = 404, 480, 488, 503


class SipTransport:
    """Phone calls over SIP (UDP) with G.711.

    Args:
        host: The address to listen on, which is in the SDP too.
        port: The SIP port. 0: any free one (`port` then says which).
        rtp_ports: The first and the last port for media; each call takes two.
        advertised_ip: What to say in our messages and in the SDP instead of `host`, behind a NAT.
    """

    name = "sip"

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = SIP_PORT,
        *,
        rtp_ports: tuple[int, int] = (20_000, 24_998),
        advertised_ip: str | None = None,
    ) -> None:
        self.host = host
        self.port = port
        self._advertised_ip = advertised_ip
        self._ports = Ports(host, *rtp_ports)
        self._on_incoming: OnIncoming | None = None
        self._signalling: Signalling | None = None
        self._tasks = Tasks("SIP")
        self._offered: dict[str, Job] = {}
        self._calls: dict[str, SipCall] = {}

    def listen(self, on_incoming: OnIncoming | None) -> None:
        """Offer every incoming call to `on_incoming`; None: to nobody. A call nobody takes is refused (503)."""
        self._on_incoming = on_incoming

    async def start(self) -> None:
        """Open the port; `OSError` where it is taken."""
        if self.port == 0:
            self.port = free_port(self.host)
        signalling = Signalling(
            self.host,
            self.port,
            advertised_ip=self._advertised_ip,
            on_invite=self._invited,
            on_change=self._described_anew,
            on_info=self._informed,
            on_cancel=self._cancelled,
            on_end=self._ended,
        )
        await signalling.start()
        self._signalling = signalling

    @property
    def _started(self) -> Signalling:
        if self._signalling is None:
            raise RuntimeError("the SIP port is not open: start() it first")
        return self._signalling

    # --- calls come in -----------------------------------------------------------------------------------------------

    def _invited(self, call: IncomingCall) -> None:
        job = self._tasks.spawn(self._offer(call), f"SIP call {call.call_id}")
        self._offered[call.call_id] = job

    async def _offer(self, call: IncomingCall) -> None:
        offered: SipCall | None = None
        try:
            if self._on_incoming is None:
                raise CallRejected(UNAVAILABLE)
            if call.sdp_offer is None or call.sdp_offer.rtp_address is None:
                raise CallRejected(NOT_ACCEPTABLE)
            call.ringing()
            info = LegInfo(
                call_id=call.call_id, from_=call.caller, to=call.callee, headers=dict(call.x_headers), codec="G.711"
            )
            offered = SipCall(info, call)
            await self._on_incoming(offered)
        except CallRejected as rejected:
            self._refuse(call, offered, rejected.code)
        except InvalidOffer as invalid:
            log.info("SIP call %s cannot be answered: %s", call.call_id, invalid)
            self._refuse(call, offered, NOT_ACCEPTABLE)
        finally:
            self._offered.pop(call.call_id, None)

    def _refuse(self, call: IncomingCall, offered: SipCall | None, code: int) -> None:
        """Refuse a call, unless it was answered: then its leg is let go by who took it."""
        if offered is None or offered.leg is None:
            self._started.reject(call, code)

    def _cancelled(self, call_id: str) -> None:
        job = self._offered.get(call_id)
        if job is not None:
            job.cancel()

    def _informed(self, call_id: str, request: SipRequest) -> None:
        call = self._calls.get(call_id)
        digit = read_info(request.get_header("content-type") or "", request.text)
        if call is not None and call.leg is not None and digit is not None:
            call.leg.pressed(*digit)

    def _ended(self, call: IncomingCall) -> None:
        ours = self._calls.get(call.call_id)
        if ours is not None:
            self._forget(ours)
            self._tasks.spawn(ours.ended(), f"end of SIP call {call.call_id}")

    def _forget(self, call: SipCall) -> None:
        self._calls.pop(call.info.call_id, None)
        self._started.forget(call.call)

    # --- calls change ------------------------------------------------------------------------------------------------

    def _described_anew(self, call: IncomingCall) -> None:
        self._tasks.spawn(self._change(call), f"change of SIP call {call.call_id}")

    async def _change(self, call: IncomingCall) -> None:
        """Hold, another address, another codec: the media follow, and the leg stays."""
        ours = self._calls.get(call.call_id)
        if ours is None or ours.media is None:
            self._started.refuse_change(call, 481, "Call/Transaction Does Not Exist")
            return
        try:
            if call.invite.body and call.sdp_offer is not None:
                await ours.media.change(call.sdp_offer)
        except InvalidOffer as invalid:
            log.info("SIP call %s goes on as it was: %s", call.call_id, invalid)
            self._started.refuse_change(call, NOT_ACCEPTABLE, "Not Acceptable Here")
            return
        if ours.leg is not None:
            ours.leg.media_changed()
        self._started.accept(call, ours.media.description)

    # --- calls go out ------------------------------------------------------------------------------------------------

    async def dial(
        self,
        to: str,
        *,
        from_: str | None = None,
        answer_within_s: float = ANSWER_WITHIN_S,
        headers: Mapping[str, str] | None = None,
        on_ringing: Callable[[], None] | None = None,
    ) -> SipCall:
        """Call somebody; returns once the call is taken, to be accepted like one that came in. Cancelling it cancels.

        Args:
            to: Whom, such as `sip:ops@10.0.0.7:5060`. A host name is looked up as an address, without SRV.
            from_: Who we say that we are, such as `sip:+4930123456@trunk.example`; by default `voice_hitl` on our port.
            answer_within_s: How long it may ring.
            headers: Further headers of the INVITE.
            on_ringing: Is told, once, that it rings. What is played meanwhile (early media) is not heard.

        Raises:
            CallNotAnswered: It was not: busy, declined, nobody there, no such number.
            InvalidOffer: They took it with a codec that we did not offer.
            ValueError: `to` is no `sip:` address, or a header is none.
        """
        signalling = self._started
        address = await _address_of(to)
        media = Media(self._ports, self.host, self._advertised_ip)
        placed: Placed | None = None
        try:
            sender = from_ or f"sip:{AGENT}@{signalling.local[0]}:{signalling.local[1]}"
            invite = invite_of(to, sender, signalling.local, media.description, agent=AGENT, headers=headers or {})
            placed = signalling.placing.invite(invite, address, on_ringing)
            answered, call = await _taken(placed, answer_within_s)
            info = LegInfo(call_id=call.call_id, direction="outgoing", from_=sender, to=to, codec="G.711")
            dialled = self._calls[call.call_id] = SipCall(info, call, media)
            await media.begin(_their_description(answered), digits=DIGITS)
        except BaseException:
            if placed is not None:
                signalling.placing.cancel(placed)
                if placed.call is not None:
                    self._calls.pop(placed.call.call_id, None)
                    signalling.forget(placed.call)
            with anyio.CancelScope(shield=True):
                await media.close()
            raise
        dialled.over = call.dialog.state is DialogState.TERMINATED
        return dialled

    # --- the port ----------------------------------------------------------------------------------------------------

    async def accept(self, connection: Incoming, *, rate: int) -> SipLeg:
        """Answer a call, or take up one that was dialled.

        Raises:
            InvalidOffer: It is no SIP call, has a leg already, has ended, or has no codec that we speak.
        """
        if not isinstance(connection, SipCall) or connection.leg is not None or connection.over:
            raise InvalidOffer("this is no SIP call that waits to be answered")
        if connection.media is None:
            return await self._answer(connection, rate)
        return self._leg(connection, connection.media, rate)

    async def _answer(self, incoming: SipCall, rate: int) -> SipLeg:
        offer = incoming.call.sdp_offer
        if offer is None:
            raise InvalidOffer("the call offers no media")
        media = Media(self._ports, self.host, self._advertised_ip)
        try:
            await media.begin(offer)
        except BaseException:
            with anyio.CancelScope(shield=True):
                await media.close()
            raise
        incoming.media = media
        leg = self._leg(incoming, media, rate)
        self._calls[incoming.info.call_id] = incoming
        self._started.accept(incoming.call, media.description)
        return leg

    def _leg(self, call: SipCall, media: Media, rate: int) -> SipLeg:
        leg = call.leg = SipLeg(call.info, media, rate=rate, say_bye=lambda: self._say_bye(call))
        return leg

    def _say_bye(self, call: SipCall) -> None:
        self._calls.pop(call.info.call_id, None)
        self._started.hang_up(call.call)

    async def aclose(self) -> None:
        """Hang up every leg, close the port, take no more."""
        signalling = self._signalling
        if signalling is None:
            return
        for call in list(self._calls.values()):
            if call.leg is not None:
                await call.leg.hang_up()
            else:
                self._say_bye(call)
                await call.ended()
        await self._tasks.close(patience_s=0.5)
        await signalling.stop()
        self._signalling = None


async def _taken(placed: Placed, within_s: float) -> tuple[Answered, IncomingCall]:
    with anyio.move_on_after(within_s):
        outcome = await placed.outcome()
        if isinstance(outcome, Answered) and placed.call is not None:
            return outcome, placed.call
        if isinstance(outcome, Refused):
            raise CallNotAnswered(outcome.code, outcome.reason)
    raise CallNotAnswered(NO_ANSWER, f"nobody answered within {within_s:g} s")


def _their_description(answered: Answered) -> SdpMessage:
    response = answered.response
    if not response.body or response.content_type != "application/sdp":
        raise InvalidOffer("the call was taken without a description of its audio")
    return parse_sdp(response.text)


async def _address_of(to: str) -> Address:
    uri = parse_uri(to)
    if not to.lower().startswith("sip:") or not uri.host:
        raise ValueError(f"a SIP call goes to an address such as sip:ops@10.0.0.7, not to {to!r}")
    try:
        found = await anyio.getaddrinfo(uri.host, uri.port or SIP_PORT, type=socket.SOCK_DGRAM, family=socket.AF_INET)
    except OSError as error:
        raise CallNotAnswered(NOT_FOUND, f"{uri.host} has no address: {error}") from error
    host, port = found[0][4][:2]
    return host, port
