"""`HumanInputHandler`: what is let go, and what a closed scope still takes."""

import anyio
import anyio.lowlevel
import pytest

from tests.human_input.asked import ask
from tests.human_input.told import Told, Waits
from voice_hitl.enums import RequestEnd
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.tasks import current_time

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


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
