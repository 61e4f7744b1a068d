"""How an end is shown to operators: what was said and why, and neither of a confidential question."""

import pytest

from voice_hitl import Answer, HumanInputHandler, Number, RequestEnd, Text
from voice_hitl.console.rows import LONGEST_SAID, outcome_of
from voice_hitl.human_input.new_request import NewRequest, new_pending
from voice_hitl.questions.model import Question
from voice_hitl.requests.pending import PendingInput

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

WHY = Text(prompt="Why?")
PIN = Number(prompt="PIN?", digits=4, sensitive=True)


async def ended(question: Question, answer: Answer | None) -> PendingInput:
    """A request that was answered so, or was withdrawn."""
    handler = HumanInputHandler()
    pending = new_pending("ask", {}, question=question)
    handler.open(NewRequest(pending, 60))
    if answer is None:
        handler.release(pending.pending_id)
    else:
        await handler.answer(pending.pending_id, answer)
    await handler.close()
    return pending


async def test_an_answer_is_shown_with_who_gave_it_and_a_long_one_is_cut() -> None:
    outcome = outcome_of(await ended(WHY, Answer("too dear! " * (LONGEST_SAID // 9), by="ann")), WHY)
    assert (outcome.end, outcome.by, outcome.reason) == (RequestEnd.ANSWERED, "ann", None)
    assert outcome.said is not None
    assert ("too dear" in outcome.said, len(outcome.said)) == (True, LONGEST_SAID)


async def test_a_refusal_is_shown_with_its_reason_and_says_nothing_else() -> None:
    outcome = outcome_of(await ended(WHY, Answer(decline=True, reason="too dear")), WHY)
    assert (outcome.end, outcome.said, outcome.reason) == (RequestEnd.REFUSED, None, "too dear")


@pytest.mark.parametrize("answer", [Answer("1234"), Answer(decline=True, reason="it is 1234")])
async def test_of_a_confidential_question_neither_answer_nor_reason_is_shown(answer: Answer) -> None:
    pending = await ended(PIN, answer)
    assert pending.end in (RequestEnd.ANSWERED, RequestEnd.REFUSED)
    outcome = outcome_of(pending, PIN)
    assert (outcome.said, outcome.reason) == (None, None)


async def test_what_was_taken_from_the_operators_is_withdrawn_from_them() -> None:
    assert outcome_of(await ended(WHY, None), WHY).end is RequestEnd.WITHDRAWN
    assert outcome_of(new_pending("ask", {}, question=WHY), WHY).end is RequestEnd.WITHDRAWN
