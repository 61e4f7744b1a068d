"""`PageCalls`: the calls of a page's own tools. Each is a request, held, bounded and settled as a person's is."""

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Final

from voice_hitl.asker import CALLER
from voice_hitl.channels.verdicts import Refusal, Verdict, Verdicts, key_of, shown_reason, too_late, verdict_of
from voice_hitl.enums import ChannelType, RequestEnd, Via
from voice_hitl.errors import HumanInputRejectedError, ToolFailedError, ToolRefusedError
from voice_hitl.human_input.new_request import NewRequest
from voice_hitl.human_input.outcome import told_to_the_model
from voice_hitl.human_input.tool_handler import Caller, HumanInputToolHandler
from voice_hitl.messages import Outcome, ToolAbort, TooLarge, ToolRespond, ToolStatus, ToPage
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.pending import PendingInput

REMEMBERED: Final = 128
"""How many calls that ended a page can be told of when its result comes late."""


class PageCalls:
    """The calls of one page's tools.

    Args:
        human: Holds them, and says how long they may take.
        send: Sends a message to the page; `TooLarge`: it cannot be sent.
        now: The time, UTC.
    """

    def __init__(
        self, human: HumanInputToolHandler, *, send: Callable[[ToPage], None], now: Callable[[], datetime]
    ) -> None:
        self._human = human
        self._send = send
        self._now = now
        self._open: dict[str, PendingInput] = {}
        self._ended: OrderedDict[str, ToolStatus] = OrderedDict()
        self._verdicts = Verdicts(REMEMBERED)

    # --- the model's side --------------------------------------------------------------------------------------------

    def open(
        self, caller: Caller, name: str, arguments: Mapping[str, object], *, channel_type: ChannelType
    ) -> PendingInput:
        """Put a call to the page: from here it can give the result.

        Raises:
            ToolFailedError: The arguments do not fit a message.
        """
        pending = caller.request(name, arguments, channel_type=channel_type, audience=(CALLER,))
        handler = self._human.handler
        handler.open(NewRequest(pending, self._human.timeout, session=caller.session, max_chars=caller.max_chars))
        try:
            self._send(_executing(pending, self._now()))
        except TooLarge as error:
            handler.release(pending.pending_id)
            raise ToolFailedError(f"The call does not fit a message to the page: {error}.") from None
        self._open[pending.pending_id] = pending
        return pending

    async def outcome(self, pending: PendingInput) -> str:
        """Wait for the page; return what the model reads: a text as it is, any other result as JSON.

        Raises:
            ToolFailedError: The page gave the call up, or gave no result in time.
            ToolRefusedError: A hook blocked it.
            RuntimeError: The call was given up.
        """
        try:
            return await self._human.handler.outcome(pending)
        except HumanInputRejectedError as refused:
            if pending.end is RequestEnd.BLOCKED:
                raise ToolRefusedError(told_to_the_model(pending, refused, self._human.timeout)) from None
            why = str(refused) or "no reason was given"
            raise ToolFailedError(f"The caller's page gave {pending.tool_name!r} up: {why}") from None
        except TimeoutError as in_vain:
            raise ToolFailedError(told_to_the_model(pending, in_vain, self._human.timeout)) from None
        finally:
            if self._open.pop(pending.pending_id, None) is not None:
                self._end(pending)

    # --- the page's side ---------------------------------------------------------------------------------------------

    async def respond(self, message: ToolRespond, by: str) -> Verdict:
        """Take a result."""
        result = message.result
        text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
        answer = Answer(text, by=by, via=Via.CARD)
        return await self._verdicts.once(key_of(message), lambda: self._answer(message.pending_id, answer))

    async def abort(self, message: ToolAbort, by: str) -> Verdict:
        """The page gives a call up."""
        answer = Answer(by=by, via=Via.CARD, decline=True, reason=message.reason)
        return await self._verdicts.once(key_of(message), lambda: self._answer(message.pending_id, answer))

    def give_up(self, name: str, why: str) -> None:
        """End the open calls of a tool: the page has taken it away."""
        for request in self._open.values():
            if request.tool_name == name:
                # Where its lease has run out somebody else may end it, and its time does.
                with suppress(RuntimeError):
                    self._human.handler.reject(request.pending_id, why)

    def connected(self) -> None:
        """The page connects again: it gets what has ended meanwhile, and what is open."""
        for ended in self._ended.values():
            self._send(ended)
        for request in self._open.values():
            # It was sent once; its clock may have started since, and a message that just fitted then be too long now.
            with suppress(TooLarge):
                self._send(_executing(request, self._now()))

    async def _answer(self, pending_id: str, answer: Answer) -> Verdict:
        ended = self._ended.get(pending_id)
        if ended is not None and ended.outcome is not None:
            return too_late(ended.outcome)
        request = self._open.get(pending_id)
        if request is None:
            return Refusal("unknown", "no such call was put to this page")
        settlement = await self._human.handler.answer(pending_id, answer)
        return verdict_of(settlement, _outcome(request))

    def _end(self, request: PendingInput) -> None:
        ended = ToolStatus(
            call=request.tool_call_id,
            tool=request.tool_name,
            pending_id=request.pending_id,
            status="complete",
            outcome=_outcome(request),
            server_time=self._now(),
        )
        self._ended[request.pending_id] = ended
        if len(self._ended) > REMEMBERED:
            self._ended.popitem(last=False)
        self._send(ended)


def _executing(request: PendingInput, now: datetime) -> ToolStatus:
    return ToolStatus(
        call=request.tool_call_id,
        tool=request.tool_name,
        pending_id=request.pending_id,
        status="executing",
        arguments=request.arguments,
        expires_at=request.expires_at,
        server_time=now,
    )


def _outcome(request: PendingInput) -> Outcome:
    return Outcome(
        end=request.end or RequestEnd.WITHDRAWN,
        by=request.answered_by,
        via=request.answered_via,
        reason=shown_reason(request),
    )
