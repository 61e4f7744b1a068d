"""`HumanInputHandler`: the life of a request, and who waits for it."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import anyio
import anyio.lowlevel
import pytest

from tests.human_input.asked import ARGUMENTS, BOOK, ask
from tests.human_input.told import Told, Waits
from voice_hitl.enums import ChannelType, DoorName, PendingInputStatus, RequestEnd
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.pending import PendingInput
from voice_hitl.requests.settlement import Settlement
from voice_hitl.tasks import Tasks, Timer, current_time
from voice_hitl.tools.context import ToolCallContext, tool_call_context

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


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
