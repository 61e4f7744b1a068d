"""Answers that come when the call that asked has gone on without them, and the conversation has not.

They settle nothing: whoever gives one is told that it is late. But the model may be glad to hear of it.
"""

from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from voice_hitl.enums import RequestEnd
from voice_hitl.errors import InvalidAnswer
from voice_hitl.human_input.callbacks import RequestCallbacks
from voice_hitl.human_input.live import LiveRequest
from voice_hitl.human_input.new_request import NewRequest
from voice_hitl.human_input.taking import Taken, may_answer, take_answer
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Approval
from voice_hitl.requests.pending import PendingInput, PendingInputEvent
from voice_hitl.tasks import Loop, call_on

REMEMBERED: Final = 128
"""Of how many requests that nobody answered in time the first late answer is still told."""

_UNANSWERED: Final = frozenset({RequestEnd.TIMED_OUT, RequestEnd.UNANSWERED, RequestEnd.WITHDRAWN})


@dataclass(frozen=True, slots=True)
class _Missed:
    new: NewRequest
    caller: str | None
    loop: Loop
    callbacks: RequestCallbacks


class LateAnswers:
    """Tells the channel of a request the first answer that comes after its end, once."""

    def __init__(self) -> None:
        self._missed: OrderedDict[str, _Missed] = OrderedDict()

    def ended(self, live: LiveRequest) -> None:
        """A request has settled; of one that nobody answered the answer may still come."""
        new, pending = live.new, live.pending
        if pending.end not in _UNANSWERED or not pending.session_id:
            return
        # Without its session: that is not kept for the sake of an answer that may never come.
        alone = replace(new, askers=(), session=None)
        self._missed[pending.pending_id] = _Missed(alone, new.caller, live.loop, live.callbacks)
        if len(self._missed) > REMEMBERED:
            self._missed.popitem(last=False)

    def come(self, pending_id: str, answer: Answer) -> None:
        """An answer came too late. What is no answer, or a stranger's, is told to nobody."""
        missed = self._missed.get(pending_id)
        if missed is None or not may_answer(missed.new.pending.audience, answer.by, missed.caller, answer.roles):
            return
        try:
            taken = take_answer(missed.new, answer)
        except InvalidAnswer:
            return
        if self._missed.pop(pending_id, None) is None:
            return  # another loop's was first
        if not missed.loop.is_closed():
            call_on(missed.loop, partial(_tell, missed, told_late(missed.new.pending, taken)))


def _tell(missed: _Missed, words: str) -> None:
    missed.callbacks.late(PendingInputEvent.of(missed.new.pending), words)


def told_late(pending: PendingInput, taken: Taken) -> str:
    """What the model reads of an answer that came after its call had ended."""
    call = f"your earlier call of the tool {pending.tool_name}"
    if taken.end is RequestEnd.REFUSED:
        reason = f" ({taken.reason})" if taken.reason and not pending.sensitive else ""
        return f"A person has now declined {call}, after it had ended{reason}. Nothing was executed."
    if isinstance(pending.question, Approval):
        return (
            f"A person has now approved {call}, after it had ended: nothing was executed. Call it again if the caller "
            "still wants it."
        )
    return f"A person has now answered {call}, after it had ended. Their answer:\n{taken.text}"


def told_after_the_call(pending: PendingInput, *, ran: bool) -> str:
    """What the model reads of a kept request: how it ended after its call.

    Args:
        pending: The request, with its `result`, or with the `reject_reason` of one that was declined or failed.
        ran: Whether its approved tool ran.
    """
    if ran and pending.result is None:
        call = f"Your earlier call of the tool {pending.tool_name}"
        return f"{call} was approved after it had ended, and was run then. It failed: {pending.reject_reason}"
    if ran:
        call = f"Your earlier call of the tool {pending.tool_name}"
        return f"{call} was approved after it had ended, and was run then. Its result:\n{pending.result}"
    end = pending.end or RequestEnd.ANSWERED
    return told_late(pending, Taken(end, pending.result, pending.reject_reason))
