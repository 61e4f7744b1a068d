import asyncio
import threading

import anyio
import anyio.to_thread
import pytest

from voice_hitl.tasks import (
    Latch,
    Timer,
    call_on,
    current_time,
    on_loop,
    this_loop,
)

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


async def test_a_latch_that_is_set_does_not_hold() -> None:
    latch = Latch()
    assert not latch.is_set
    latch.set()
    latch.set()
    assert latch.is_set
    await latch.wait()


async def test_all_who_wait_for_a_latch_wake_in_this_tick() -> None:
    latch = Latch()
    woken: list[float] = []

    async def wait() -> None:
        await latch.wait()
        woken.append(current_time())

    async with anyio.create_task_group() as group:
        group.start_soon(wait)
        group.start_soon(wait)
        await anyio.sleep(5)
        latch.set()
    assert woken == [current_time()] * 2


async def test_a_cancelled_wait_is_forgotten() -> None:
    latch = Latch()
    with anyio.move_on_after(1):
        await latch.wait()
    latch.set()
    await latch.wait()


async def test_a_wait_cancelled_in_the_tick_of_the_signal_is_harmless() -> None:
    latch = Latch()
    async with anyio.create_task_group() as group:
        group.start_soon(latch.wait)
        await anyio.sleep(1)
        group.cancel_scope.cancel()
        latch.set()
    assert latch.is_set


async def test_a_thread_may_set_a_latch() -> None:
    latch = Latch()
    async with anyio.create_task_group() as group:
        group.start_soon(latch.wait)
        await anyio.sleep(1)
        await anyio.to_thread.run_sync(latch.set)


async def test_a_latch_wakes_the_tasks_of_other_loops() -> None:
    latch = Latch()
    waiting = threading.Event()

    async def wait() -> None:
        asyncio.get_running_loop().call_soon(waiting.set)
        await latch.wait()

    thread = threading.Thread(target=anyio.run, args=(wait,))
    thread.start()
    await anyio.to_thread.run_sync(waiting.wait)
    latch.set()
    await anyio.to_thread.run_sync(thread.join)


def test_a_latch_does_not_mind_a_loop_that_has_gone() -> None:
    latch = Latch()
    loop = asyncio.new_event_loop()
    task = loop.create_task(latch.wait())
    loop.run_until_complete(asyncio.sleep(0))
    task.cancel()
    loop.close()
    latch.set()
    assert latch.is_set


async def test_a_timer_calls_once_in_time() -> None:
    fired: list[float] = []
    began = current_time()
    timer = Timer(2, lambda: fired.append(current_time() - began))
    await anyio.sleep(10)
    timer.cancel()
    assert fired == [2]


async def test_a_cancelled_timer_does_not_call() -> None:
    fired: list[str] = []
    here = Timer(2, lambda: fired.append("here"))
    there = Timer(2, lambda: fired.append("there"))
    here.cancel()
    await anyio.to_thread.run_sync(there.cancel)
    await anyio.sleep(10)
    assert fired == []


def test_a_timer_may_be_cancelled_when_its_loop_has_gone() -> None:
    timers: list[Timer] = []

    async def main() -> None:
        timers.append(Timer(60, lambda: None))

    thread = threading.Thread(target=anyio.run, args=(main,))
    thread.start()
    thread.join()
    timers[0].cancel()


async def test_a_call_on_this_loop_happens_at_once_and_from_a_thread_soon() -> None:
    called: list[int] = []
    loop = this_loop()
    call_on(loop, lambda: called.append(threading.get_ident()))
    assert called == [threading.get_ident()]
    await anyio.to_thread.run_sync(call_on, loop, lambda: called.append(threading.get_ident()))
    assert called == [threading.get_ident()] * 2


def test_a_call_on_a_loop_that_has_gone_is_let_go() -> None:
    loop = asyncio.new_event_loop()
    loop.close()
    call_on(loop, lambda: pytest.fail("called"))


async def test_a_thread_knows_whether_it_runs_a_loop() -> None:
    assert on_loop()
    assert not await anyio.to_thread.run_sync(on_loop)
