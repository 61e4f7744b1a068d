"""`HumanInputHandler`: what each operation does, whoever calls it and when."""

import logging
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import anyio
import anyio.lowlevel
import pytest

from tests.human_input.told import Told, Waits
from voice_hitl.enums import ChannelType, DoorName, PendingInputStatus, RequestEnd, Via
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Approval, Confirm, Number, Question, Text
from voice_hitl.requests.pending import MASKED, PendingInput
from voice_hitl.requests.settlement import Settlement, SettlementKind
from voice_hitl.tasks import Tasks, Timer, current_time
from voice_hitl.tools.context import ToolCallContext, tool_call_context

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

ARGUMENTS: Mapping[str, object] = {"question": "Which day?"}
BOOK = Confirm(prompt="Book it?")
REFUND = Approval(tool="refund", arguments={"amount": 5}, digest="d")


async def ask(
    handler: HumanInputHandler,
    question: Question | None = None,
    *,
    timeout: float | None = None,
    detached: bool = False,
) -> PendingInput:
    create = handler.create_detached if detached else handler.create
    return await create("AskUser", ARGUMENTS, channel_id="voice", session_id="s1", question=question, timeout=timeout)


# --- the life of a request -------------------------------------------------------------------------------------------


async def test_a_request_is_answerable_from_the_instant_it_is_created(handler: HumanInputHandler) -> None:
    pending = await handler.create("AskUser", ARGUMENTS)
    assert (pending.status, pending.end, pending.result) == (PendingInputStatus.PENDING, None, None)
    assert handler.resolve(pending.pending_id, "Monday")
    assert (pending.status, pending.end, pending.result) == (PendingInputStatus.RESOLVED, RequestEnd.ANSWERED, "Monday")
    assert await handler.wait(pending.pending_id) == "Monday"


@pytest.mark.parametrize(
    ("end", "status", "waited"),
    [
        ("answered", "resolved", "Monday"),
        ("refused", "rejected", "HumanInputRejectedError: not today"),
        ("blocked", "rejected", "HumanInputRejectedError: closed on Mondays"),
        ("timed_out", "timed_out", "TimeoutError: nobody answered in time"),
        ("withdrawn", "rejected", "RuntimeError: the request was given up before anybody answered"),
    ],
)
async def test_how_a_request_ended_is_written_waited_for_and_announced(
    told: Told, waits: Waits, end: str, status: str, waited: str
) -> None:
    handler = waits.handler
    told.denies, told.required_takes_s = ("closed on Mondays" if end == "blocked" else None), 0.5
    pending = await ask(handler, timeout=60)
    async with anyio.create_task_group() as group:
        group.start_soon(waits, pending.pending_id)
        await anyio.sleep(0.1)
        match end:
            case "answered":
                handler.resolve(pending.pending_id, "Monday")
            case "refused":
                handler.reject(pending.pending_id, "not today")
            case "withdrawn":
                handler.release(pending.pending_id)
            case _:
                pass
    await anyio.sleep(1)
    assert (pending.end, pending.status, waits.came_to) == (end, status, [waited])
    assert told.ends == [end]


async def test_a_request_that_has_ended_never_changes_again(handler: HumanInputHandler, told: Told) -> None:
    pending = await ask(handler, timeout=5)
    assert handler.resolve(pending.pending_id, "Monday")
    settled = replace(pending)
    assert not handler.resolve(pending.pending_id, "Tuesday")
    assert not handler.reject(pending.pending_id)
    assert await handler.answer(pending.pending_id, Answer("Friday")) == Settlement.DUPLICATE
    await anyio.sleep(10)
    await handler.close(session_id="s1")
    assert pending == settled
    assert told.ends == [RequestEnd.ANSWERED]


async def test_ids_are_unguessable_and_safe_in_a_url(handler: HumanInputHandler) -> None:
    ids = {(await handler.create("AskUser", {})).pending_id for _ in range(100)}
    assert len(ids) == 100
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{20,}", pending_id) for pending_id in ids)


async def test_a_request_has_a_copy_of_its_arguments(handler: HumanInputHandler) -> None:
    days = ["Monday"]
    pending = await handler.create("AskUser", {"days": days})
    days.append("Tuesday")
    assert pending.arguments == {"days": ["Monday"]}


async def test_a_request_keeps_what_it_was_created_with(handler: HumanInputHandler) -> None:
    before = datetime.now(UTC)
    pending = await handler.create(
        "AskUser",
        ARGUMENTS,
        room_id="desk",
        tool_call_id="c1",
        channel_id="voice",
        channel_type=ChannelType.CONFERENCE,
        door=DoorName.CONFERENCE_CALL,
        session_id="s1",
        actor_id="ada",
        actor_confidence=0.8,
        question=BOOK,
        audience=["caller", "lee"],
        timeout=60,
    )
    assert before <= pending.created_at <= datetime.now(UTC)
    assert pending == PendingInput(
        pending_id=pending.pending_id,
        tool_name="AskUser",
        arguments=ARGUMENTS,
        room_id="desk",
        tool_call_id="c1",
        channel_id="voice",
        channel_type=ChannelType.CONFERENCE,
        door=DoorName.CONFERENCE_CALL,
        session_id="s1",
        actor_id="ada",
        actor_confidence=0.8,
        question=BOOK,
        audience=("caller", "lee"),
        created_at=pending.created_at,
        expires_at=pending.created_at + timedelta(seconds=60),
    )


async def test_the_actor_is_whose_turn_raised_the_request_unless_the_caller_says(handler: HumanInputHandler) -> None:
    assert (await handler.create("AskUser", {})).actor_id is None
    with tool_call_context(ToolCallContext(actor_id="ada")):
        assert (await handler.create("AskUser", {})).actor_id == "ada"
        assert (await handler.create_detached("AskUser", {})).actor_id == "ada"
        assert (await handler.create("AskUser", {}, actor_id=None)).actor_id is None
        assert (await handler.create("AskUser", {}, actor_id="lee")).actor_id == "lee"


async def test_an_audience_is_several_not_one_text(handler: HumanInputHandler) -> None:
    with pytest.raises(ValueError, match=r"\('caller',\)"):
        await handler.create("AskUser", {}, audience="caller")


# --- wait ------------------------------------------------------------------------------------------------------------


async def test_a_settled_request_is_replayed_at_once_as_often_as_one_likes(
    handler: HumanInputHandler, waits: Waits
) -> None:
    answered, refused = await ask(handler), await ask(handler)
    handler.resolve(answered.pending_id, "Monday")
    handler.reject(refused.pending_id, "no")
    for _ in range(3):
        assert await waits(answered.pending_id) == "Monday"
        assert await waits(refused.pending_id) == "HumanInputRejectedError: no"


async def test_an_unknown_or_evicted_id_is_a_value_error(waits: Waits) -> None:
    waits.handler = handler = HumanInputHandler(retention=0)
    with pytest.raises(ValueError, match="unknown"):
        await handler.wait("nobody")
    pending = await ask(handler)
    handler.resolve(pending.pending_id, "Monday")
    assert await waits(pending.pending_id) == "Monday"
    with pytest.raises(ValueError, match="no longer kept"):
        await handler.wait(pending.pending_id)


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), 1e12])
async def test_what_is_no_time_to_wait_is_refused_where_it_is_given(handler: HumanInputHandler, timeout: float) -> None:
    with pytest.raises(ValueError, match="more than 0 seconds"):
        await handler.create("AskUser", {}, timeout=timeout)
    with pytest.raises(ValueError, match="more than 0 seconds"):
        await handler.create_detached("AskUser", {}, timeout=timeout)
    assert handler.pending == {}
    pending = await handler.create("AskUser", {})
    with pytest.raises(ValueError, match="more than 0 seconds"):
        await handler.wait(pending.pending_id, timeout=timeout)
    assert pending.end is None


async def test_several_waiters_read_the_same_outcome(handler: HumanInputHandler, waits: Waits) -> None:
    pending = await ask(handler)
    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(waits, pending.pending_id)
        await anyio.sleep(1)
        handler.resolve(pending.pending_id, "Monday")
    assert waits.came_to == ["Monday"] * 3


async def test_cancelling_one_waiter_leaves_the_others(handler: HumanInputHandler, waits: Waits) -> None:
    pending = await ask(handler)
    async with anyio.create_task_group() as group:
        group.start_soon(waits, pending.pending_id)
        await anyio.sleep(1)
        with anyio.move_on_after(1):
            await waits(pending.pending_id)
        assert pending.end is None
        handler.resolve(pending.pending_id, "Monday")
    assert waits.came_to == ["cancelled", "Monday"]


async def test_cancelling_the_last_waiter_withdraws(handler: HumanInputHandler, told: Told, waits: Waits) -> None:
    pending = await ask(handler)
    with anyio.move_on_after(1):
        await waits(pending.pending_id)
    assert pending.end is RequestEnd.WITHDRAWN
    assert not handler.resolve(pending.pending_id, "too late")
    assert await handler.answer(pending.pending_id, Answer("too late")) == Settlement.LATE
    await anyio.sleep(1)
    assert told.ends == [RequestEnd.WITHDRAWN]


async def test_cancelling_the_last_waiter_of_a_detached_request_leaves_it_open(
    handler: HumanInputHandler, waits: Waits
) -> None:
    pending = await ask(handler, detached=True)
    with anyio.move_on_after(1):
        await waits(pending.pending_id)
    assert pending.end is None
    assert handler.resolve(pending.pending_id, "Monday")


async def test_a_waiter_cancelled_as_the_answer_comes_does_not_take_it_back(
    handler: HumanInputHandler, waits: Waits
) -> None:
    pending = await ask(handler)

    async def wait() -> None:
        await waits(pending.pending_id)

    waiter = Tasks("test").spawn(wait(), "waiter")
    await anyio.sleep(1)
    assert handler.resolve(pending.pending_id, "Monday")
    waiter.cancel()
    await waiter.wait()
    assert (waits.came_to, pending.end) == (["cancelled"], RequestEnd.ANSWERED)
    assert await waits(pending.pending_id) == "Monday"


async def test_a_detached_request_is_the_same_but_nobody_needs_to_wait(handler: HumanInputHandler, told: Told) -> None:
    pending = await ask(handler, detached=True, timeout=60)
    assert pending.detached
    assert [event.detached for event in told.required_events] == []
    await anyio.sleep(0.1)
    assert [event.detached for event in told.required_events] == [True]
    assert handler.release(pending.pending_id)
    assert pending.end is RequestEnd.WITHDRAWN


# --- the clock -------------------------------------------------------------------------------------------------------


async def test_the_deadline_fires_whether_or_not_anyone_waits(handler: HumanInputHandler, told: Told) -> None:
    pending, detached = await ask(handler, timeout=60), await ask(handler, timeout=60, detached=True)
    await anyio.sleep(59.9)
    assert (pending.end, detached.end) == (None, None)
    await anyio.sleep(0.2)
    assert (pending.end, detached.end) == (RequestEnd.TIMED_OUT, RequestEnd.TIMED_OUT)
    assert told.ends == [RequestEnd.TIMED_OUT] * 2


async def test_without_a_timeout_a_request_is_open_until_it_is_settled(
    handler: HumanInputHandler, waits: Waits
) -> None:
    pending = await ask(handler)
    assert pending.expires_at is None
    async with anyio.create_task_group() as group:
        group.start_soon(waits, pending.pending_id)
        await anyio.sleep(80_000)
        handler.resolve(pending.pending_id, "at last")
    assert waits.came_to == ["at last"]


async def test_a_waits_own_timeout_settles_a_request_that_has_no_deadline(
    handler: HumanInputHandler, waits: Waits
) -> None:
    pending = await ask(handler)
    began = current_time()
    assert await waits(pending.pending_id, 5) == "TimeoutError: nobody answered within 5 s"
    assert (pending.end, current_time() - began) == (RequestEnd.TIMED_OUT, 5)
    assert await waits(pending.pending_id) == "TimeoutError: nobody answered in time"


async def test_a_wait_is_300_seconds_unless_it_says_otherwise(handler: HumanInputHandler) -> None:
    pending = await ask(handler)
    began = current_time()
    with pytest.raises(TimeoutError):
        await handler.wait(pending.pending_id)
    assert current_time() - began == 300


async def test_a_waits_own_timeout_leaves_a_request_that_has_a_later_deadline(
    handler: HumanInputHandler, waits: Waits
) -> None:
    pending = await ask(handler, timeout=60)
    assert "within 5 s" in await waits(pending.pending_id, 5)
    assert pending.end is None
    assert handler.resolve(pending.pending_id, "Monday")
    assert await waits(pending.pending_id) == "Monday"


async def test_a_waits_own_timeout_leaves_a_request_that_others_wait_for(
    handler: HumanInputHandler, waits: Waits
) -> None:
    pending = await ask(handler)
    async with anyio.create_task_group() as group:
        group.start_soon(waits, pending.pending_id)
        group.start_soon(waits, pending.pending_id, 5)
        await anyio.sleep(6)
        assert (pending.end, len(waits.came_to)) == (None, 1)
        handler.resolve(pending.pending_id, "Monday")
    assert waits.came_to == ["TimeoutError: nobody answered within 5 s", "Monday"]


async def test_a_waits_own_timeout_leaves_a_detached_request(handler: HumanInputHandler, waits: Waits) -> None:
    pending = await ask(handler, detached=True)
    assert "TimeoutError" in await waits(pending.pending_id, 5)
    assert pending.end is None


async def test_the_last_of_several_waits_that_run_out_settles(handler: HumanInputHandler, waits: Waits) -> None:
    pending = await ask(handler)
    async with anyio.create_task_group() as group:
        group.start_soon(waits, pending.pending_id, 5)
        group.start_soon(waits, pending.pending_id, 5)
        group.start_soon(waits, pending.pending_id, 4)
    assert pending.end is RequestEnd.TIMED_OUT
    assert len(waits.came_to) == 3


async def test_a_wait_as_long_as_the_deadline_ends_with_the_request(handler: HumanInputHandler, waits: Waits) -> None:
    pending = await ask(handler, timeout=60)
    assert "TimeoutError" in await waits(pending.pending_id, 60)
    assert pending.end is RequestEnd.TIMED_OUT


@pytest.mark.parametrize("answer_comes_first", [True, False])
@pytest.mark.parametrize("deadline_of", ["the request", "the wait"])
async def test_an_answer_in_the_instant_of_the_deadline_is_read_exactly_if_it_was_taken(
    waits: Waits, *, deadline_of: str, answer_comes_first: bool
) -> None:
    handler, taken, requests = waits.handler, list[bool](), list[PendingInput]()

    def answer() -> None:
        taken.append(handler.resolve(requests[0].pending_id, "Monday"))

    async with anyio.create_task_group() as group:
        if answer_comes_first:
            Timer(5, answer)
        requests.append(await ask(handler, timeout=5 if deadline_of == "the request" else None))
        group.start_soon(waits, requests[0].pending_id, 5 if deadline_of == "the wait" else None)
        await anyio.lowlevel.checkpoint()
        if not answer_comes_first:
            Timer(5, answer)
    assert taken == [answer_comes_first or deadline_of == "the wait"]
    assert requests[0].end is (RequestEnd.ANSWERED if taken[0] else RequestEnd.TIMED_OUT)
    assert waits.came_to == ["Monday" if taken[0] else "TimeoutError: nobody answered in time"]


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


# --- release and retention -------------------------------------------------------------------------------------------


async def test_releasing_an_open_request_wakes_every_waiter(handler: HumanInputHandler, waits: Waits) -> None:
    pending = await ask(handler)
    async with anyio.create_task_group() as group:
        group.start_soon(waits, pending.pending_id)
        group.start_soon(waits, pending.pending_id)
        await anyio.sleep(1)
        assert handler.release(pending.pending_id)
    assert waits.came_to == ["RuntimeError: the request was given up before anybody answered"] * 2
    assert pending.end is RequestEnd.WITHDRAWN


async def test_release_says_whether_there_was_one_to_drop(handler: HumanInputHandler) -> None:
    pending = await ask(handler)
    handler.resolve(pending.pending_id, "Monday")
    assert handler.release(pending.pending_id)
    assert not handler.release(pending.pending_id)
    assert not handler.release("nobody")


async def test_a_settled_request_stays_readable_to_its_first_waiter_whatever_the_retention() -> None:
    handler = HumanInputHandler(retention=0)
    requests = [await ask(handler) for _ in range(300)]
    for number, pending in enumerate(requests):
        handler.resolve(pending.pending_id, str(number))
    assert [await handler.wait(pending.pending_id) for pending in requests] == [str(n) for n in range(300)]


async def test_without_retention_several_waiters_still_read_the_outcome(waits: Waits) -> None:
    waits.handler = handler = HumanInputHandler(retention=0)
    pending, detached = await ask(handler), await ask(handler, detached=True)
    async with anyio.create_task_group() as group:
        for request in (pending, pending, detached, detached):
            group.start_soon(waits, request.pending_id)
        await anyio.sleep(1)
        handler.resolve(pending.pending_id, "Monday")
        handler.resolve(detached.pending_id, "Tuesday")
    assert sorted(waits.came_to) == ["Monday", "Monday", "Tuesday", "Tuesday"]


async def test_the_last_128_outcomes_that_were_read_can_be_read_again(handler: HumanInputHandler) -> None:
    requests = [await ask(handler) for _ in range(130)]
    for pending in requests:
        handler.resolve(pending.pending_id, "Monday")
        await handler.wait(pending.pending_id)
    for pending in requests[2:]:
        assert await handler.wait(pending.pending_id) == "Monday"
    with pytest.raises(ValueError, match="no longer kept"):
        await handler.wait(requests[0].pending_id)


def test_a_negative_retention_is_refused() -> None:
    with pytest.raises(ValueError, match="retention"):
        HumanInputHandler(retention=-1)


# --- scopes ----------------------------------------------------------------------------------------------------------


async def test_closing_withdraws_what_is_open_in_that_scope_and_nothing_else(handler: HumanInputHandler) -> None:
    channels = [("voice", "r1", "s1"), ("voice", "r2", "s2"), ("desk", "r1", "s3")]
    requests = [
        await create("AskUser", {}, channel_id=channel, room_id=room, session_id=session)
        for channel, room, session in channels
        for create in (handler.create, handler.create_detached)
    ]

    def still_open() -> list[str]:
        return [pending.session_id for pending in requests if pending.end is None]

    await handler.close(channel_id="voice", room_id="r2")
    assert still_open() == ["s1", "s1", "s3", "s3"]
    await handler.close(session_id="s3")
    assert still_open() == ["s1", "s1"]
    await handler.close(room_id="r9")
    await handler.close(channel_id="voice")
    assert {pending.end for pending in requests} == {RequestEnd.WITHDRAWN}
    assert handler.pending == {}


async def test_a_closed_session_takes_no_more_requests_for_good(handler: HumanInputHandler) -> None:
    await handler.close(session_id="s1")
    for create in (handler.create, handler.create_detached):
        with pytest.raises(RuntimeError, match="'s1' has ended"):
            await create("AskUser", {}, session_id="s1")
    assert handler.pending == {}
    await handler.create("AskUser", {}, session_id="s2")


async def test_a_closed_channel_takes_requests_again_once_it_is_registered(handler: HumanInputHandler) -> None:
    handler.register_channel("voice", Told())
    await handler.close(channel_id="voice")
    with pytest.raises(RuntimeError, match="channel 'voice' is closed"):
        await handler.create("AskUser", {}, channel_id="voice")
    handler.register_channel("voice", Told())
    await handler.create("AskUser", {}, channel_id="voice")


async def test_a_closed_room_takes_requests_again_once_it_is_attached(handler: HumanInputHandler) -> None:
    await handler.close(channel_id="conference", room_id="r1")
    await handler.create("AskUser", {}, channel_id="conference", room_id="r2")
    with pytest.raises(RuntimeError, match="room 'r1' is closed"):
        await handler.create("AskUser", {}, channel_id="conference", room_id="r1")
    handler.attach_room("r1", channel_id="conference")
    await handler.create("AskUser", {}, channel_id="conference", room_id="r1")


async def test_closing_without_a_scope_closes_everything_for_good(handler: HumanInputHandler, told: Told) -> None:
    pending = await ask(handler)
    await handler.close()
    assert (pending.end, told.ends) == (RequestEnd.WITHDRAWN, [RequestEnd.WITHDRAWN])
    handler.register_channel("voice", told)
    with pytest.raises(RuntimeError, match="handler is closed"):
        await ask(handler)
    await handler.close()


async def test_closing_announces_each_before_its_callback_is_forgotten(handler: HumanInputHandler, told: Told) -> None:
    told.settled_takes_s = 0.9
    waited, detached = await ask(handler), await ask(handler, detached=True)
    began = current_time()
    await handler.close(channel_id="voice")
    assert {event.pending_id for event in told.settled_events} == {waited.pending_id, detached.pending_id}
    assert current_time() - began == pytest.approx(0.9)


async def test_closing_waits_for_what_was_settled_just_before(handler: HumanInputHandler, told: Told) -> None:
    told.settled_takes_s = 0.5
    pending = await ask(handler)
    await anyio.sleep(0.1)
    handler.resolve(pending.pending_id, "Monday")
    began = current_time()
    await handler.close(session_id="s1")
    assert told.ends == [RequestEnd.ANSWERED]
    assert current_time() - began == pytest.approx(0.5)


async def test_closing_cuts_what_takes_longer_than_a_second(handler: HumanInputHandler, told: Told) -> None:
    told.required_takes_s, told.settled_takes_s = 60, 60
    await ask(handler)
    await anyio.lowlevel.checkpoint()
    began = current_time()
    await handler.close(session_id="s1")
    assert current_time() - began <= 2
    assert told.ends == [RequestEnd.WITHDRAWN]


async def test_closing_twice_and_from_two_tasks_works(handler: HumanInputHandler, told: Told) -> None:
    await ask(handler)
    async with anyio.create_task_group() as group:
        group.start_soon(handler.close)
        group.start_soon(handler.close)
    await handler.close()
    await handler.close(session_id="s1")
    assert told.ends == [RequestEnd.WITHDRAWN]


async def test_a_stale_registration_closes_nothing(handler: HumanInputHandler) -> None:
    stale, current = handler.register_channel("voice", Told()), handler.register_channel("voice", Told())
    other = handler.register_channel("desk", Told())
    pending = await ask(handler)
    await handler.close(channel_id="voice", registration=stale)
    await handler.close(registration=stale)
    await handler.close(channel_id="voice", registration=other)
    await handler.close(registration=12345)
    assert pending.end is None
    await handler.close(registration=current)
    assert pending.end is RequestEnd.WITHDRAWN


async def test_a_channel_that_closes_slowly_does_not_silence_the_one_that_took_its_id(
    handler: HumanInputHandler,
) -> None:
    old, new = Told(settled_takes_s=0.5), Told()
    registration = handler.register_channel("voice", old)
    await ask(handler)
    async with anyio.create_task_group() as group:

        async def close() -> None:
            await handler.close(channel_id="voice", registration=registration)

        group.start_soon(close)
        await anyio.sleep(0.1)
        handler.register_channel("voice", new)
    pending = await ask(handler)
    await anyio.sleep(0.1)
    handler.resolve(pending.pending_id, "Monday")
    await handler.close(session_id="s1")
    assert (old.ends, new.ends) == ([RequestEnd.WITHDRAWN], [RequestEnd.ANSWERED])


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
