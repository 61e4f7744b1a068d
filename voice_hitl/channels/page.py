"""`SessionPage`: the page in a call, as its session sees it. Shows requests as cards, takes what the page sends.

Everything to the page is fire and forget: a page that has gone gets what it missed when it connects again
(`connected`). Everything from the page is an untrusted text, and each gets one verdict: done, or refused with a reason.
"""

import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar, assert_never

from voice_hitl.asker import Asking
from voice_hitl.channels.page_tools import PageTools
from voice_hitl.channels.verdicts import (
    DONE,
    LATE,
    Refusal,
    Verdict,
    Verdicts,
    invalid,
    key_of,
    outcome_of,
    too_late,
    verdict_of,
)
from voice_hitl.enums import RequestEnd, Via
from voice_hitl.errors import InvalidAnswer, StoreUnavailable
from voice_hitl.messages import (
    Accepted,
    CallState,
    CallStateChanged,
    Extension,
    KeyPressed,
    MalformedMessage,
    Outcome,
    Refused,
    RequestAnswer,
    RequestChanged,
    RequestDecline,
    RequestOpened,
    RequestSettled,
    ToolAbort,
    TooLarge,
    ToolMessage,
    ToolRegister,
    ToolRespond,
    ToolStatus,
    ToolUnregister,
    ToPage,
    TranscriptLine,
    Wire,
    encode,
    parse,
)
from voice_hitl.provider import Role
from voice_hitl.questions.wire import request_kind, respond, to_wire
from voice_hitl.transport import HangUpReason

log = logging.getLogger(__name__)

REMEMBERED: Final = 128
"""How many settled requests a page can be told about when its answer comes late."""

LONGEST_LINE: Final = 10_000
"""Characters of one transcript message: whatever they are, they fit a message."""


@dataclass(frozen=True, slots=True)
class _Over:
    settled: RequestSettled
    asking: Asking


class SessionPage:
    """The page in the call. Belongs to one session, whichever leg carries it now.

    Args:
        send: Sends a text to the page; never waits, never raises.
        now: The time, UTC.
        reachable: Whether the leg carries messages.
        on_digit: Is told each key of an on-screen keypad.

    `tools` are the page's own, where its session takes any.
    """

    tools: PageTools | None = None

    def __init__(
        self,
        send: Callable[[str], None],
        *,
        now: Callable[[], datetime],
        reachable: Callable[[], bool] = lambda: True,
        on_digit: Callable[[str], None] = lambda _digit: None,
    ) -> None:
        self._send_text = send
        self._now = now
        self._reachable = reachable
        self._on_digit = on_digit
        self._call = CallStateChanged(state="connecting")
        self._cards: dict[str, Asking] = {}
        self._preparing: dict[str, str] = {}
        self._settled: OrderedDict[str, _Over] = OrderedDict()
        self._verdicts = Verdicts(REMEMBERED)
        self._complained: set[str] = set()

    @property
    def reachable(self) -> bool:
        """Whether the leg carries messages at all."""
        return self._reachable()

    # --- to the page -------------------------------------------------------------------------------------------------

    def connected(self) -> None:
        """A page connects, or connects again: it gets the state of the call, what was settled, and every open card."""
        self.send(self._call)
        for over in self._settled.values():
            self.send(over.settled)
        for call_id, tool_name in self._preparing.items():
            self.send(self._in_progress(call_id, tool_name))
        if self.tools is not None:
            self.tools.rejoined()
        for pending_id, asking in self._cards.items():
            self._show(self._opened(asking, pending_id))
            if len(asking.asked_by) > 1:
                self.send(self._changed(asking, pending_id))

    def send(self, message: ToPage) -> None:
        """Send a message; `TooLarge` above 64 KiB."""
        self._send_text(encode(message))

    def call_state(self, state: CallState, reason: HangUpReason | None = None) -> None:
        """Say where the call stands."""
        self._call = CallStateChanged(state=state, reason=reason)
        self.send(self._call)

    def transcript(self, role: Role, text: str, *, final: bool, item: str) -> None:
        """Show what was said: what is new of `item`, or the whole of it once it is final."""
        self.send(TranscriptLine(role=role, text=text[:LONGEST_LINE], final=final, item=item))

    def tell(self, type: str, body: Mapping[str, object]) -> None:
        """Send an application's own message to its own page: any type that is not the library's, JSON fields.

        Raises:
            TooLarge: It is longer than 64 KiB.
        """
        self.send(Extension(type, body))

    def preparing(self, call_id: str, tool_name: str) -> None:
        """A call to a person's tool, or to one of the page's own, begins: its arguments still stream."""
        self._preparing[call_id] = tool_name
        self.send(self._in_progress(call_id, tool_name))

    def prepared(self, call_id: str) -> None:
        """The call is over: a card of it that never asked anything goes. Harmless once its request was opened."""
        tool_name = self._preparing.pop(call_id, None)
        if tool_name is None:
            return
        outcome, now = Outcome(end=RequestEnd.WITHDRAWN), self._now()
        if self._is_its_own(tool_name):
            over = ToolStatus(call=call_id, tool=tool_name, status="complete", outcome=outcome, server_time=now)
            self.send(over)
        else:
            self.send(RequestSettled(call=call_id, outcome=outcome, server_time=now))

    def prepared_tool(self, call_id: str) -> None:
        """A call to one of the page's own tools is put to it: it is told so as a status of that call."""
        self._preparing.pop(call_id, None)

    def open(self, asking: Asking) -> bool:
        """Show the request as a card. False: its question does not fit a message, so nobody can see it."""
        pending_id = asking.request.pending_id
        if not self._show(self._opened(asking, pending_id)):
            return False
        self._preparing.pop(asking.request.tool_call_id, None)
        self._cards[pending_id] = asking
        return True

    def _show(self, opened: RequestOpened) -> bool:
        """Send a card; again it may be a little longer than it was: its clock has started."""
        try:
            self.send(opened)
        except TooLarge as error:
            log.warning("the question of request %s cannot be shown as a card: %s", opened.pending_id, error)
            return False
        return True

    def changed(self, asking: Asking) -> None:
        """Say that the request's clock started, or who asks it now (`voice`, `card`, `console`, ...)."""
        pending_id = self._card(asking)
        if pending_id is not None:
            self.send(self._changed(asking, pending_id))

    def settle(self, asking: Asking) -> None:
        """Close the card and show how the request ended. A second time does nothing."""
        pending_id = self._card(asking)
        if pending_id is None:
            return
        del self._cards[pending_id]
        settled = RequestSettled(
            pending_id=pending_id,
            call=asking.request.tool_call_id,
            outcome=outcome_of(asking),
            server_time=self._now(),
        )
        _remember(self._settled, pending_id, _Over(settled, asking), REMEMBERED)
        self.send(settled)

    def _card(self, asking: Asking) -> str | None:
        # Not by the request's id: identical requests share an asking, and its first one may settle before the others.
        return next((pending_id for pending_id, shown in self._cards.items() if shown is asking), None)

    # --- from the page -----------------------------------------------------------------------------------------------

    async def handle(self, text: str, *, by: str) -> None:
        """Do what a message of the page asks for, on behalf of participant `by`, and answer it.

        What is no message is refused, and logged once per kind of mistake: a page that keeps sending it fills no log.
        """
        try:
            message = parse(text)
        except MalformedMessage as error:
            if error.code not in self._complained:
                self._complained.add(error.code)
                log.warning("a message of the page was refused (%s): %s", error.code, error.why)
            self._reply(error.id, Refusal(error.code, error.why))
            return
        match message:
            case RequestAnswer():
                verdict = await self._verdicts.once(key_of(message), lambda: self._answer(message, message.answer, by))
            case RequestDecline():
                wire = {"action": "decline", "reason": message.reason}
                verdict = await self._verdicts.once(key_of(message), lambda: self._answer(message, wire, by))
            case KeyPressed():
                self._on_digit(message.digit)
                verdict = DONE
            case ToolRegister() | ToolUnregister() | ToolRespond() | ToolAbort():
                verdict = await self._of_its_tools(message, by)
            case _:
                assert_never(message)
        self._reply(message.id, verdict)

    async def _of_its_tools(self, message: ToolMessage, by: str) -> Verdict:
        if self.tools is None:
            return Refusal("not_allowed", "this call takes no tools from its page")
        return await self.tools.handle(message, by=by)

    async def _answer(self, message: RequestAnswer | RequestDecline, wire: Wire, by: str) -> Verdict:
        over = self._settled.get(message.pending_id)
        if over is not None:
            if over.settled.outcome.end in LATE:
                await self._give_late(over.asking, wire, by)
            return too_late(over.settled.outcome)
        asking = self._cards.get(message.pending_id)
        if asking is None:
            return Refusal("unknown", "no such request was put to this page")
        try:
            answer = respond(asking.question, wire, by=by, via=Via.CARD)
        except InvalidAnswer as error:
            return invalid(str(error), sensitive=asking.question.sensitive)
        settlement = await asking.answer(answer)
        return verdict_of(settlement, outcome_of(asking), sensitive=asking.question.sensitive)

    async def _give_late(self, asking: Asking, wire: Wire, by: str) -> None:
        """It settles nothing any more; the conversation may be told of it all the same."""
        try:
            answer = respond(asking.question, wire, by=by, via=Via.CARD)
        except InvalidAnswer:
            return
        with suppress(StoreUnavailable):  # then nobody knows of the request any more
            await asking.answer(answer)

    def _reply(self, id: str | None, verdict: Verdict) -> None:
        if isinstance(verdict, Refusal):
            at, outcome = self._now(), verdict.outcome
            self.send(Refused(id=id, code=verdict.code, why=verdict.why, outcome=outcome, server_time=at))
        elif id is not None:
            self.send(Accepted(id=id, server_time=self._now()))

    # --- messages ----------------------------------------------------------------------------------------------------

    def _is_its_own(self, tool_name: str) -> bool:
        return self.tools is not None and self.tools.serves(tool_name)

    def _in_progress(self, call_id: str, tool_name: str) -> RequestOpened | ToolStatus:
        if self._is_its_own(tool_name):
            return ToolStatus(call=call_id, tool=tool_name, status="inProgress", server_time=self._now())
        return RequestOpened(call=call_id, tool=tool_name, status="inProgress", server_time=self._now())

    def _opened(self, asking: Asking, pending_id: str) -> RequestOpened:
        request = asking.request
        return RequestOpened(
            pending_id=pending_id,
            call=request.tool_call_id,
            tool=request.tool_name,
            kind=request_kind(asking.question),
            question=to_wire(asking.question),
            expires_at=request.expires_at,
            server_time=self._now(),
            status="executing",
        )

    def _changed(self, asking: Asking, pending_id: str) -> RequestChanged:
        return RequestChanged(
            pending_id=pending_id,
            status="executing",
            server_time=self._now(),
            expires_at=asking.request.expires_at,
            asked_by=asking.asked_by or None,
        )


T = TypeVar("T")


def _remember(memory: OrderedDict[str, T], key: str, value: T, most: int) -> None:
    memory[key] = value
    while len(memory) > most:
        memory.popitem(last=False)
