"""The calls that we place, until they are answered: invitations on the event loop's clock."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import anyio
from aiosipua import CSeq, IncomingCall, SipRequest, SipResponse, Via, serialize_sdp
from aiosipua.headers import stringify_cseq, stringify_via
from aiosipua.sdp import SdpMessage
from aiosipua.utils import format_addr, generate_branch, generate_call_id, generate_tag

from voice_hitl.tasks import Timer, current_time
from voice_hitl_sip.invitation import Answered, Invitation, Refused
from voice_hitl_sip.udp import Address, UdpMessages, branch_of


@dataclass(slots=True, eq=False)
class Placed:
    """A call that we place."""

    invite: SipRequest
    invitation: Invitation
    address: Address
    on_ringing: Callable[[], None] | None
    call: IncomingCall | None = None
    """The call, from the moment that it was taken."""
    decided: anyio.Event = field(default_factory=anyio.Event)
    timer: Timer | None = None

    async def outcome(self) -> Answered | Refused:
        """Wait for what becomes of it."""
        await self.decided.wait()
        outcome = self.invitation.outcome
        if outcome is None:
            raise AssertionError("it is decided by its outcome")
        return outcome


class Placing:
    """The calls of one port that we place.

    Args:
        messages: Where they go out.
        local: Where we say that we are.
        bye: Sends a BYE until it is answered.
        take_up: Keeps the dialog of a call that was taken: the next message may be in it already.
    """

    def __init__(
        self,
        messages: UdpMessages,
        local: Address,
        *,
        bye: Callable[[SipRequest, Address], None],
        take_up: Callable[[SipRequest, Answered, Address], IncomingCall],
    ) -> None:
        self._messages = messages
        self._local = local
        self._bye = bye
        self._take_up = take_up
        self._placed: dict[str, Placed] = {}

    def invite(self, invite: SipRequest, address: Address, on_ringing: Callable[[], None] | None) -> Placed:
        """Send it; what becomes of it is told by `Placed.outcome`."""
        placed = Placed(invite, Invitation(invite, self._local, current_time()), address, on_ringing)
        self._placed[branch_of(invite)] = placed
        self._then(placed, [invite])
        return placed

    def cancel(self, placed: Placed) -> None:
        """Nobody waits for it any more: it is cancelled, and ended should it be answered all the same."""
        self._then(placed, placed.invitation.cancel(current_time()))

    def receive(self, response: SipResponse, address: Address) -> None:
        """A response to one of them, or to none."""
        placed = self._placed.get(branch_of(response))
        if placed is None:
            return
        rang = placed.invitation.ringing
        send = placed.invitation.receive(response, current_time())
        outcome = placed.invitation.outcome
        if placed.call is None and isinstance(outcome, Answered):
            placed.call = self._take_up(placed.invite, outcome, address)
        self._then(placed, send)
        if placed.on_ringing is not None and placed.invitation.ringing and not rang:
            placed.on_ringing()

    def close(self) -> None:
        """Cancel what still rings; wait for nothing."""
        for placed in list(self._placed.values()):
            if placed.invitation.outcome is None:
                self.cancel(placed)
            if placed.timer is not None:
                placed.timer.cancel()
        self._placed.clear()

    def _tick(self, placed: Placed) -> None:
        self._then(placed, placed.invitation.tick(current_time()))

    def _then(self, placed: Placed, requests: list[SipRequest]) -> None:
        for request in requests:
            if request.method == "BYE":
                self._bye(request, placed.address)
            else:
                self._messages.send(request, placed.address)
        if placed.invitation.outcome is not None:
            placed.decided.set()
        if placed.timer is not None:
            placed.timer.cancel()
            placed.timer = None
        if placed.invitation.over:
            self._placed.pop(branch_of(placed.invite), None)
            return
        deadline = placed.invitation.deadline()
        if deadline is not None:
            placed.timer = Timer(max(0.0, deadline - current_time()), lambda: self._tick(placed))


def invite_of(
    to: str, from_: str, local: Address, offer: SdpMessage, *, agent: str, headers: Mapping[str, str]
) -> SipRequest:
    """A new INVITE; `ValueError` for a header that could not be one."""
    host, port = local
    invite = SipRequest(method="INVITE", uri=to)
    via = Via(host=host, port=port, params={"branch": generate_branch(), "rport": None})
    invite.set_header("Via", stringify_via(via))
    invite.set_header("From", f"<{from_}>;tag={generate_tag()}")
    invite.set_header("To", f"<{to}>")
    invite.set_header("Call-ID", generate_call_id(host))
    invite.set_header("CSeq", stringify_cseq(CSeq(seq=1, method="INVITE")))
    invite.set_header("Max-Forwards", "70")
    invite.set_header("Contact", f"<sip:{format_addr(host, port)}>")
    invite.set_header("Allow", "INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, UPDATE")
    invite.set_header("User-Agent", agent)
    for name, value in headers.items():
        invite.set_header(name, value)
    invite.text = serialize_sdp(offer)
    invite.set_header("Content-Type", "application/sdp")
    return invite
