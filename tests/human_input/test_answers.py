"""`HumanInputHandler`: what is said of an answer, a refusal, and a look."""

import logging

import anyio
import pytest

from tests.human_input.asked import ARGUMENTS, BOOK, REFUND, ask
from tests.human_input.told import Told
from voice_hitl.enums import RequestEnd, Via
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Number, Question, Text
from voice_hitl.requests.pending import MASKED
from voice_hitl.requests.settlement import Settlement, SettlementKind

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


# --- resolve and reject ----------------------------------------------------------------------------------------------


async def test_resolve_is_true_exactly_when_it_settled(handler: HumanInputHandler) -> None:
    pending = await handler.create("AskUser", ARGUMENTS, audience=["supervisors"])
    assert handler.resolve(pending.pending_id, "")
    assert not handler.resolve(pending.pending_id, "again")
    assert not handler.resolve("nobody", "x")
    assert (pending.result, pending.answered_by, pending.answered_via) == ("", None, Via.API)


async def test_resolve_reads_and_checks_the_answer_of_a_question(
    handler: HumanInputHandler, caplog: pytest.LogCaptureFixture
) -> None:
    pending = await ask(handler, Number(prompt="How many?", maximum=8))
    with caplog.at_level(logging.WARNING):
        assert not handler.resolve(pending.pending_id, "a dozen")
        assert not handler.resolve(pending.pending_id, "12")
    assert pending.end is None
    assert ["no number" in caplog.messages[0], "at most 8" in caplog.messages[1]] == [True, True]
    assert handler.resolve(pending.pending_id, " 4 ")
    assert pending.result == "4"


async def test_resolve_takes_a_decline_for_a_refusal(handler: HumanInputHandler) -> None:
    pending = await ask(handler, BOOK)
    assert handler.resolve(pending.pending_id, '{"action": "decline", "reason": "ask me later"}')
    assert (pending.end, pending.reject_reason) == (RequestEnd.REFUSED, "ask me later")


async def test_resolve_gives_no_approval(handler: HumanInputHandler, caplog: pytest.LogCaptureFixture) -> None:
    pending = await ask(handler, REFUND)
    with caplog.at_level(logging.WARNING):
        assert not handler.resolve(pending.pending_id, '{"action": "approve"}')
    assert pending.end is None
    assert "it is an approval" in caplog.text


async def test_reject_is_true_exactly_when_it_settled(handler: HumanInputHandler) -> None:
    pending = await ask(handler, REFUND)
    assert handler.reject(pending.pending_id, "too much")
    assert not handler.reject(pending.pending_id, "again")
    assert not handler.reject("nobody")
    assert (pending.end, pending.reject_reason) == (RequestEnd.REFUSED, "too much")
    assert pending.answered_via is Via.API


# --- answer ----------------------------------------------------------------------------------------------------------


async def test_an_answer_that_settles_is_accepted(handler: HumanInputHandler) -> None:
    pending = await ask(handler)
    assert await handler.answer(pending.pending_id, Answer("Monday", by="ada", via=Via.VOICE)) == Settlement.ACCEPTED
    assert (pending.result, pending.answered_by, pending.answered_via) == ("Monday", "ada", Via.VOICE)


async def test_an_answer_after_a_persons_is_a_duplicate(handler: HumanInputHandler) -> None:
    answered, refused = await ask(handler), await ask(handler)
    await handler.answer(answered.pending_id, Answer("Monday"))
    await handler.answer(refused.pending_id, Answer(decline=True))
    for pending in (answered, refused):
        assert await handler.answer(pending.pending_id, Answer("Tuesday")) == Settlement.DUPLICATE


async def test_an_answer_after_a_hooks_denial_is_a_duplicate(handler: HumanInputHandler, told: Told) -> None:
    told.denies = "no"
    pending = await ask(handler)
    await anyio.sleep(1)
    assert await handler.answer(pending.pending_id, Answer("Monday")) == Settlement.DUPLICATE


async def test_an_answer_to_what_timed_out_or_was_given_up_is_late(handler: HumanInputHandler) -> None:
    timed_out, withdrawn, closed = await ask(handler, timeout=5), await ask(handler), await ask(handler)
    await anyio.sleep(6)
    handler.release(withdrawn.pending_id)
    await handler.close(session_id="s1")
    for pending in (timed_out, withdrawn, closed):
        assert await handler.answer(pending.pending_id, Answer("Monday")) == Settlement.LATE


async def test_an_answer_to_nothing_is_unknown() -> None:
    handler = HumanInputHandler(retention=0)
    pending = await ask(handler)
    handler.release(pending.pending_id)
    assert await handler.answer(pending.pending_id, Answer("Monday")) == Settlement.UNKNOWN
    assert await handler.answer("nobody", Answer("Monday")) == Settlement.UNKNOWN


async def test_only_the_audience_may_answer(handler: HumanInputHandler) -> None:
    pending = await handler.create("AskUser", ARGUMENTS, audience=["ada", "caller"])
    for stranger in (None, "lee", "caller"):
        assert await handler.answer(pending.pending_id, Answer("Monday", by=stranger)) == Settlement.NOT_ALLOWED
    assert pending.end is None
    assert await handler.answer(pending.pending_id, Answer("Monday", by="ada")) == Settlement.ACCEPTED


@pytest.mark.parametrize(
    ("question", "answer", "why"),
    [
        (None, Answer(5), "the answer is text"),
        (None, Answer(), "the answer is text"),
        (None, Answer(decision="approve"), "answers no question"),
        (None, Answer("x", edited_arguments={}), "answers no question"),
        (BOOK, Answer("maybe"), "true or false"),
        (BOOK, Answer(decision="approve"), "answers no question"),
        (BOOK, Answer(True, decline=True), "both"),
        (REFUND, Answer(True), "not permission"),
    ],
)
async def test_an_answer_of_another_kind_is_invalid_and_the_request_stays_open(
    handler: HumanInputHandler, question: Question | None, answer: Answer, why: str
) -> None:
    pending = await ask(handler, question)
    settlement = await handler.answer(pending.pending_id, answer)
    assert settlement.kind is SettlementKind.INVALID
    assert why in settlement.why
    assert pending.end is None
    assert handler.reject(pending.pending_id)


@pytest.mark.parametrize(
    ("question", "answer", "text"),
    [
        (BOOK, Answer(False, via=Via.KEY), '{"confirmed": false, "via": "key"}'),
        (Text(prompt="Name?"), Answer(" Ada "), "Ada"),
        (Number(prompt="How many?"), Answer("4.0"), "4"),
        (REFUND, Answer(decision="approve", reason="fine"), '{"action": "approve", "reason": "fine"}'),
    ],
)
async def test_without_a_tool_an_answer_is_read_as_its_kind_is_by_default(
    handler: HumanInputHandler, question: Question, answer: Answer, text: str
) -> None:
    pending = await ask(handler, question)
    assert await handler.answer(pending.pending_id, answer) == Settlement.ACCEPTED
    assert await handler.wait(pending.pending_id) == text


@pytest.mark.parametrize("answer", [Answer(decline=True, reason="no"), Answer(decision="reject", reason="no")])
async def test_a_decline_and_a_rejected_approval_are_refusals(handler: HumanInputHandler, answer: Answer) -> None:
    pending = await ask(handler, REFUND)
    assert await handler.answer(pending.pending_id, answer) == Settlement.ACCEPTED
    assert (pending.end, pending.reject_reason) == (RequestEnd.REFUSED, "no")


async def test_a_decline_fits_a_request_without_a_question(handler: HumanInputHandler) -> None:
    pending = await ask(handler)
    assert await handler.answer(pending.pending_id, Answer(decline=True)) == Settlement.ACCEPTED
    assert (pending.end, pending.reject_reason) == (RequestEnd.REFUSED, "")


@pytest.mark.parametrize(
    "words", ['{"error": "no"}', '{"type": "response.create"}', "Traceback (most recent call last)"]
)
async def test_an_answers_words_are_data(handler: HumanInputHandler, words: str) -> None:
    pending = await ask(handler)
    assert handler.resolve(pending.pending_id, words)
    assert await handler.wait(pending.pending_id) == words


# --- looking ---------------------------------------------------------------------------------------------------------


async def test_pending_is_a_snapshot_of_copies_of_what_is_open(handler: HumanInputHandler) -> None:
    settled = await ask(handler)
    handler.resolve(settled.pending_id, "Monday")
    pending = await ask(handler)
    snapshot = handler.pending
    assert snapshot == {pending.pending_id: pending}
    copy = snapshot[pending.pending_id]
    assert copy is not pending
    assert copy.arguments is not pending.arguments
    handler.resolve(pending.pending_id, "Tuesday")
    assert copy.end is None
    assert handler.pending == {}


async def test_what_is_open_in_a_session_is_seen_live(handler: HumanInputHandler) -> None:
    pending, other = await ask(handler), await handler.create("AskUser", {}, session_id="s2")
    assert handler.open_in("s1") == [pending]
    assert handler.open_in("s1")[0] is pending
    assert handler.open_in("s2") == [other]


# --- sensitive answers -----------------------------------------------------------------------------------------------


async def test_what_was_answered_a_sensitive_question_is_masked_in_copies_and_logs(
    handler: HumanInputHandler, told: Told, caplog: pytest.LogCaptureFixture
) -> None:
    pin = Number(prompt="Your PIN?", digits=4, sensitive=True)
    pending = await ask(handler, pin)
    with caplog.at_level(logging.DEBUG):
        assert not handler.resolve(pending.pending_id, "98765")
        assert (await handler.answer(pending.pending_id, Answer("98765"))).kind is SettlementKind.INVALID
        assert handler.resolve(pending.pending_id, "9876")
        await handler.close(session_id="s1")
    assert [event.result for event in told.settled_events] == [MASKED]
    assert await handler.wait(pending.pending_id) == '{"collected": true}'
    assert "9876" not in caplog.text
    assert "9876" not in repr(told.settled_events)


async def test_why_a_person_declined_a_sensitive_question_is_masked_and_why_a_hook_did_is_not(
    handler: HumanInputHandler, told: Told
) -> None:
    pin = Number(prompt="Your PIN?", digits=4, sensitive=True)
    refused, silent = await ask(handler, pin), await ask(handler, pin)
    await anyio.sleep(0.1)
    await handler.answer(refused.pending_id, Answer(decline=True, reason="not my 9876"))
    await handler.answer(silent.pending_id, Answer(decline=True))
    told.denies = "not on this line"
    await ask(handler, pin)
    await anyio.sleep(0.1)
    assert [event.reject_reason for event in told.settled_events] == [MASKED, "", "not on this line"]
