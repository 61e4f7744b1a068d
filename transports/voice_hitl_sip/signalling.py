"""SIP on one UDP port: aiosipua's user agent, and around it what it leaves to others.

The agent answers requests and keeps dialogs. Here is what a lossy network asks for besides (RFC 3261, 17): a request of
ours is sent again until it is answered, a final response until it is acknowledged, one that comes twice is one. And the
calls that we place: the agent keeps their dialogs from the moment that they are taken.
"""

import logging
from collections.abc import Callable

import anyio
from aiosipua import DialogState, IncomingCall, SipRequest, SipResponse, SipUAS
from aiosipua.dialog import dialog_matches, remote_cseq_valid
from aiosipua.sdp import SdpMessage
from aiosipua.transport import MessageCallback

from voice_hitl.tasks import Tasks
from voice_hitl_sip.invitation import LIMIT_S, T1_S, T2_S, Answered
from voice_hitl_sip.placing import Placing
from voice_hitl_sip.udp import Address, UdpMessages, branch_of

log = logging.getLogger(__name__)

AGENT = "voice_hitl"
NO_SUCH_CALL = "Call/Transaction Does Not Exist"


class Signalling:
    """The messages of one port.

    Args:
        host: The address to bind.
        port: The port.
        advertised_ip: What to say in our messages instead of `host`.
        on_invite: A call comes in.
        on_change: A call's audio is described anew.
        on_digit: An INFO came in a call.
        on_cancel: A call that rings is given up by its caller, under this id.
        on_end: A call was ended by the far end.
    """

    def __init__(
        self,
        host: str,
        port: int,
        *,
        advertised_ip: str | None,
        on_invite: Callable[[IncomingCall], None],
        on_change: Callable[[IncomingCall], None],
        on_info: Callable[[str, SipRequest], None],
        on_cancel: Callable[[str], None],
        on_end: Callable[[IncomingCall], None],
    ) -> None:
        self.local: Address = (advertised_ip or host, port)
        """Where we say that we are."""
        self._on_info = on_info
        self._on_cancel = on_cancel
        self._messages = UdpMessages(host, port)
        self._tasks = Tasks(f"SIP port {port}")
        self.placing = Placing(self._messages, self.local, bye=self._request, take_up=self._take_up)
        agent = self._agent = SipUAS(self._messages, user_agent=AGENT, advertised_addr=self.local)
        agent.on_invite = on_invite
        agent.on_reinvite = on_change
        agent.on_bye = lambda call, _bye: on_end(call)
        agent.on_ack_timeout = on_end
        agent.on_cancel = self._cancelled
        self._to_agent: MessageCallback | None = None
        self._requests: dict[str, anyio.Event] = {}
        self._invites: dict[str, str] = {}
        self._unacknowledged: dict[str, anyio.Event] = {}
        self._last_info: dict[str, int] = {}

    async def start(self) -> None:
        """Open the port; `OSError` where it is taken."""
        await self._agent.start()
        self._to_agent, self._messages.on_message = self._messages.on_message, self._received

    async def stop(self) -> None:
        """Say, for a moment, what is still to be said; close the port."""
        self.placing.close()
        await self._tasks.close(patience_s=0.5)
        await self._agent.stop()

    # --- what comes in -----------------------------------------------------------------------------------------------

    def _received(self, message: SipRequest | SipResponse, address: Address) -> None:
        if isinstance(message, SipResponse):
            answered = self._requests.get(branch_of(message))
            if answered is not None:
                answered.set()
            else:
                self.placing.receive(message, address)
        elif not self._is_done(message) and self._to_agent is not None:
            self._to_agent(message, address)

    def _is_done(self, request: SipRequest) -> bool:
        """Do what is ours to do; whether nothing is left for the agent."""
        call_id = request.call_id or ""
        match request.method:
            case "INFO":
                self._info(call_id, request)
                return True
            case "INVITE":
                return self._is_again(call_id, branch_of(request))
            case "CANCEL":
                return self._is_too_late(call_id, request)
            case "ACK":
                waiting = self._unacknowledged.get(call_id)
                if waiting is not None:
                    waiting.set()
            case _:
                pass
        return False

    def _is_again(self, call_id: str, branch: str) -> bool:
        """An INVITE that was heard already is no other call: it is answered as it was (17.2.1)."""
        if branch and self._invites.get(call_id) == branch:
            self._messages.reply_again(branch)
            return True
        self._invites[call_id] = branch
        return False

    def _is_too_late(self, call_id: str, cancel: SipRequest) -> bool:
        """A CANCEL that crossed our yes changes nothing (9.2): the caller says BYE. The agent would forget the call."""
        call = self._agent.get_call(call_id)
        if call is None or call.dialog.state != DialogState.CONFIRMED:
            return False
        self._messages.send_reply(call.dialog.create_response(cancel, 200, "OK"))
        return True

    def _cancelled(self, cancel: SipRequest, _address: Address) -> None:
        call_id = cancel.call_id or ""
        self._repeat_refusal(call_id, branch_of(cancel))
        self._on_cancel(call_id)

    def _info(self, call_id: str, request: SipRequest) -> None:
        call, cseq = self._agent.get_call(call_id), request.cseq
        if call is None or cseq is None or not dialog_matches(call.dialog, request):
            self._messages.send_reply(refusal(request, 481, NO_SUCH_CALL))
            return
        again = self._last_info.get(call_id) == cseq.seq
        is_new = not again and remote_cseq_valid(call.dialog, request)
        code, reason = (200, "OK") if again or is_new else (500, "Server Internal Error")
        self._messages.send_reply(call.dialog.create_response(request, code, reason))
        if is_new:
            self._last_info[call_id] = cseq.seq
            self._on_info(call_id, request)

    # --- what we say -------------------------------------------------------------------------------------------------

    def accept(self, call: IncomingCall, description: SdpMessage) -> None:
        """Say yes to a call, or to a change of it. The agent says it again until it is acknowledged."""
        self._unacknowledged[call.call_id] = anyio.Event()
        call.accept(description)

    def reject(self, call: IncomingCall, code: int) -> None:
        """Refuse a call that rings."""
        call.reject(code)
        self._repeat_refusal(call.call_id, branch_of(call.invite))

    def refuse_change(self, call: IncomingCall, code: int, reason: str) -> None:
        """Refuse to change a call, which goes on as it was (14.2)."""
        self._messages.send_reply(call.dialog.create_response(call.invite, code, reason))

    def _take_up(self, invite: SipRequest, answered: Answered, address: Address) -> IncomingCall:
        """Keep the dialog of a call that we placed, as the agent keeps those of calls that came in."""
        call = IncomingCall(
            dialog=answered.dialog,
            invite=invite,
            transport=self._messages,
            source_addr=address,
            user_agent=AGENT,
            advertised_addr=self.local,
            retransmit_2xx=True,
        )
        self._known[call.call_id] = call
        return call

    def hang_up(self, call: IncomingCall) -> None:
        """Say BYE: once they know that we took the call (15), and until they have heard it."""
        waiting = self._unacknowledged.get(call.call_id)
        if waiting is None or waiting.is_set():
            self._bye(call)
        else:
            self._tasks.spawn(self._bye_when_acknowledged(call, waiting), f"BYE of SIP call {call.call_id}")

    async def _bye_when_acknowledged(self, call: IncomingCall, acknowledged: anyio.Event) -> None:
        try:
            with anyio.move_on_after(LIMIT_S):
                await acknowledged.wait()
        finally:
            self._bye(call)

    def _bye(self, call: IncomingCall) -> None:
        bye = call.hangup()
        self._forget(call.call_id)
        if bye is not None and not self._tasks.closed:
            self._repeat_request(bye, call.source_addr)

    def _request(self, request: SipRequest, address: Address) -> None:
        self._messages.send(request, address)
        if not self._tasks.closed:
            self._repeat_request(request, address)

    def _repeat_request(self, request: SipRequest, address: Address) -> None:
        branch, answered = branch_of(request), anyio.Event()
        self._requests[branch] = answered

        async def again() -> None:
            try:
                await _again_until(answered, lambda: self._messages.send(request, address))
            finally:
                del self._requests[branch]

        self._tasks.spawn(again(), f"{request.method} of SIP call {request.call_id}")

    def _repeat_refusal(self, call_id: str, branch: str) -> None:
        """A refusal is said again until it is acknowledged (17.2.1)."""
        acknowledged = self._unacknowledged[call_id] = anyio.Event()

        async def again() -> None:
            try:
                await _again_until(acknowledged, lambda: self._messages.reply_again(branch))
            finally:
                self._forget(call_id)

        self._tasks.spawn(again(), f"refusal of SIP call {call_id}")

    # --- what is kept ------------------------------------------------------------------------------------------------

    def forget(self, call: IncomingCall) -> None:
        """The call is over: what comes under its id belongs to none."""
        self._forget(call.call_id)

    def _forget(self, call_id: str) -> None:
        self._known.pop(call_id, None)
        self._invites.pop(call_id, None)
        self._unacknowledged.pop(call_id, None)
        self._last_info.pop(call_id, None)

    @property
    def _known(self) -> dict[str, IncomingCall]:
        # There is no public way to give the agent a dialog, nor to have it forget one (aiosipua 0.7).
        return self._agent._calls  # pyright: ignore[reportPrivateUsage] - as the line above says


async def _again_until(heard: anyio.Event, say: Callable[[], None]) -> None:
    """Say it again after T1, twice T1, ... T2, T2, until it was heard, or for 64 T1."""
    pause = T1_S
    with anyio.move_on_after(LIMIT_S):
        while not heard.is_set():
            with anyio.move_on_after(pause):
                await heard.wait()
                return
            say()
            pause = min(pause * 2, T2_S)


def refusal(request: SipRequest, code: int, reason: str) -> SipResponse:
    """A response outside any dialog."""
    response = SipResponse(status_code=code, reason_phrase=reason)
    for header in ("Via", "From", "To", "Call-ID", "CSeq"):
        for value in request.headers.get(header):
            response.headers.append(header, value)
    return response
