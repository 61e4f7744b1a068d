import asyncio
import contextvars
import gc
import logging
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from voice_hitl.errors import ConnectionEnded
from voice_hitl.tasks import (
    BoundExceeded,
    Job,
    Latch,
    Mailbox,
    Tasks,
    Timer,
    call_on,
    current_job,
    current_time,
    end_jobs,
    is_async_callable,
    on_loop,
    run_users_code,
    this_loop,
)

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


class Swallower:
    """Users' code that swallows every cancellation until it is told to stop."""

    def __init__(self) -> None:
        self.cancellations = 0
        self.stop = asyncio.Event()

    async def __call__(self) -> None:
        while not self.stop.is_set():
            try:
                await self.stop.wait()
            except asyncio.CancelledError:
                self.cancellations += 1


@pytest.fixture
async def swallower() -> AsyncIterator[Swallower]:
    swallower = Swallower()
    yield swallower
    swallower.stop.set()
    await anyio.sleep(0.1)


# --- Mailbox ---------------------------------------------------------------------------------------------------------


async def test_a_reader_gets_the_items_in_order() -> None:
    mailbox: Mailbox[int] = Mailbox()
    mailbox.put(1)
    mailbox.put(2)
    assert len(mailbox) == 2
    assert [await mailbox.get(), await mailbox.get()] == [1, 2]


async def test_a_waiting_reader_wakes() -> None:
    mailbox: Mailbox[str] = Mailbox()
    got: list[str] = []

    async def read() -> None:
        got.append(await mailbox.get())

    async with anyio.create_task_group() as group:
        group.start_soon(read)
        await anyio.sleep(1)
        mailbox.put("late")
    assert got == ["late"]


async def test_a_closed_mailbox_is_read_to_its_end() -> None:
    mailbox: Mailbox[int] = Mailbox()
    mailbox.put(1)
    mailbox.close()
    mailbox.put(2)
    assert await mailbox.get() == 1
    with pytest.raises(ConnectionEnded):
        await mailbox.get()


async def test_closing_wakes_the_reader() -> None:
    mailbox: Mailbox[int] = Mailbox()
    async with anyio.create_task_group() as group:

        async def read() -> None:
            assert [item async for item in mailbox] == [1]

        group.start_soon(read)
        await anyio.sleep(1)
        mailbox.put(1)
        await anyio.sleep(1)
        mailbox.close()


async def test_over_its_limit_the_oldest_that_may_be_dropped_is_dropped_and_counted() -> None:
    mailbox: Mailbox[str] = Mailbox(limit=2, droppable=lambda item: item.startswith("audio"))
    for item in ("call", "audio 1", "digit", "audio 2", "audio 3", "hang-up", "audio 4"):
        mailbox.put(item)
    mailbox.close()
    assert [item async for item in mailbox] == ["call", "digit", "audio 3", "hang-up", "audio 4"]
    assert mailbox.dropped == 2


async def test_what_was_read_makes_room() -> None:
    mailbox: Mailbox[int] = Mailbox(limit=1, droppable=lambda _item: True)
    for number in range(3):
        mailbox.put(number)
        assert await mailbox.get() == number
    assert mailbox.dropped == 0


async def test_without_a_limit_nothing_is_dropped() -> None:
    mailbox: Mailbox[int] = Mailbox(droppable=lambda _item: True)
    for number in range(100):
        mailbox.put(number)
    assert (len(mailbox), mailbox.dropped) == (100, 0)


async def test_a_mailbox_has_one_reader() -> None:
    mailbox: Mailbox[int] = Mailbox()
    async with anyio.create_task_group() as group:
        group.start_soon(mailbox.get)
        await anyio.sleep(1)
        with pytest.raises(RuntimeError, match="one reader"):
            await mailbox.get()
        mailbox.put(1)


async def test_a_cancelled_reader_loses_nothing() -> None:
    mailbox: Mailbox[int] = Mailbox()
    reader = asyncio.create_task(mailbox.get())
    await anyio.sleep(1)
    mailbox.put(1)
    reader.cancel()
    await asyncio.wait({reader})
    assert reader.cancelled()
    assert await mailbox.get() == 1


# --- Latch -----------------------------------------------------------------------------------------------------------


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


# --- Timer and the loop ----------------------------------------------------------------------------------------------


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


# --- Tasks and Job ---------------------------------------------------------------------------------------------------


async def test_background_work_outlives_its_caller() -> None:
    tasks, done = Tasks("test"), list[str]()

    async def work() -> None:
        await anyio.sleep(5)
        done.append("work")

    job = tasks.spawn(work(), "work")
    assert (job.label, job.done, len(tasks)) == ("work", False, 1)
    await job.wait()
    await job.wait()
    await anyio.lowlevel.checkpoint()
    assert (done, job.done, len(tasks)) == (["work"], True, 0)


async def test_a_failure_is_logged_with_its_label_and_reaches_nobody(caplog: pytest.LogCaptureFixture) -> None:
    tasks = Tasks("session s1")

    async def fail() -> None:
        raise ValueError("broken")

    await tasks.spawn(fail(), "the card").wait()
    await anyio.lowlevel.checkpoint()
    assert "session s1: the card failed" in caplog.text
    assert "ValueError: broken" in caplog.text


async def test_work_runs_in_the_context_it_is_given() -> None:
    variable = contextvars.ContextVar("variable", default="default")
    context = contextvars.copy_context()
    context.run(variable.set, "given")
    seen: list[str] = []

    async def work() -> None:
        seen.append(variable.get())

    await Tasks("test").spawn(work(), "work", context=context).wait()
    await Tasks("test").spawn(work(), "work").wait()
    assert seen == ["given", "default"]


async def test_after_close_nothing_starts() -> None:
    tasks = Tasks("the session")
    assert not tasks.closed
    assert await tasks.close() == []
    assert tasks.closed
    with pytest.raises(RuntimeError, match="the session is closed: work cannot start"):
        tasks.spawn(anyio.sleep(1), "work")


async def test_close_ends_what_runs() -> None:
    tasks, ended = Tasks("test"), list[str]()

    async def work() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            with anyio.move_on_after(1, shield=True):
                await anyio.sleep(0.5)
                ended.append("cleaned up")

    tasks.spawn(work(), "work")
    await anyio.sleep(1)
    assert await tasks.close() == []
    assert ended == ["cleaned up"]


async def test_what_swallows_its_cancellation_is_cancelled_once_and_abandoned(
    swallower: Swallower, caplog: pytest.LogCaptureFixture
) -> None:
    tasks = Tasks("session s1")
    job = tasks.spawn(swallower(), "the handler")
    await anyio.sleep(1)
    job.cancel()
    began = current_time()
    labels = [*await tasks.close(), *await tasks.close()]
    assert labels == ["the handler"] * 2
    assert current_time() - began == 2
    assert swallower.cancellations == 1
    assert "session s1: the handler did not end within 1 s" in caplog.text


async def test_what_is_abandoned_is_not_collected_in_the_middle_of_its_work(swallower: Swallower) -> None:
    tasks = Tasks("test")
    job = tasks.spawn(swallower(), "work")
    await anyio.lowlevel.checkpoint()
    await tasks.close(grace_s=0.1)
    del tasks
    gc.collect()
    assert not job.done
    swallower.stop.set()
    await job.wait()


async def test_close_cancels_what_runs_on_another_loop_and_does_not_wait_for_it() -> None:
    tasks = Tasks("owner")
    running = threading.Event()
    ended: list[str] = []

    async def there() -> None:
        async def work() -> None:
            asyncio.get_running_loop().call_soon(running.set)
            try:
                await anyio.sleep_forever()
            finally:
                ended.append("cancelled")

        await tasks.spawn(work(), "work").wait()

    thread = threading.Thread(target=anyio.run, args=(there,))
    thread.start()
    await anyio.to_thread.run_sync(running.wait)
    assert await tasks.close() == []
    await anyio.to_thread.run_sync(thread.join)
    assert ended == ["cancelled"]


async def test_work_may_close_its_own_owner() -> None:
    tasks, log = Tasks("test"), list[str]()

    async def other() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            log.append("other ended")

    async def work() -> None:
        await anyio.sleep(1)
        await tasks.close()
        await anyio.sleep(1)
        log.append("work ended")

    tasks.spawn(other(), "other")
    await tasks.spawn(work(), "work").wait()
    assert log == ["other ended", "work ended"]


async def test_users_code_may_close_what_it_runs_in() -> None:
    tasks, log = Tasks("test"), list[str]()

    async def handler() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(tasks.close)
        log.append("the handler went on")

    async def work() -> None:
        await run_users_code(handler, label="handler")
        log.append("so did the work")

    await tasks.spawn(work(), "work").wait()
    assert log == ["the handler went on", "so did the work"]


async def test_a_job_that_another_started_is_not_the_other() -> None:
    tasks, seen = Tasks("test"), list[bool]()

    async def inner(outer: Callable[[], Job]) -> None:
        seen.append(outer().is_current)

    async def outer() -> None:
        seen.append(jobs[0].is_current)
        jobs.append(tasks.spawn(inner(lambda: jobs[0]), "inner"))
        await jobs[1].wait()

    jobs: list[Job] = []
    jobs.append(tasks.spawn(outer(), "outer"))
    await jobs[0].wait()
    assert seen == [True, False]
    assert not jobs[0].is_current


async def test_the_current_job_is_known_inside_it_and_inside_the_users_code_it_waits_for() -> None:
    jobs, seen = list[Job](), list[Job | None]()

    async def handler() -> None:
        seen.append(current_job())

    async def work() -> None:
        seen.append(current_job())
        await run_users_code(handler, label="handler")

    jobs.append(Tasks("test").spawn(work(), "work"))
    await jobs[0].wait()
    assert seen == [jobs[0], jobs[0]]
    assert current_job() is None


async def test_waiting_for_oneself_returns_at_once() -> None:
    jobs: list[Job] = []

    async def work() -> None:
        await jobs[0].wait()

    jobs.append(Tasks("test").spawn(work(), "work"))
    await jobs[0].wait()


async def test_close_goes_on_when_its_caller_is_cancelled() -> None:
    tasks, ended = Tasks("test"), list[str]()

    async def work() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            with anyio.move_on_after(1, shield=True):
                await anyio.sleep(0.5)
                ended.append("cleaned up")

    tasks.spawn(work(), "work")
    await anyio.lowlevel.checkpoint()
    with anyio.CancelScope() as scope:
        scope.cancel()
        await tasks.close()
    assert ended == ["cleaned up"]


# --- end_jobs --------------------------------------------------------------------------------------------------------


async def test_jobs_that_are_ending_are_let_end() -> None:
    tasks, ended = Tasks("test"), list[str]()

    async def work() -> None:
        await anyio.sleep(0.5)
        ended.append("in peace")

    await end_jobs([tasks.spawn(work(), "work")])
    await end_jobs([])
    assert ended == ["in peace"]


async def test_jobs_that_do_not_end_are_cancelled_then_abandoned(
    swallower: Swallower, caplog: pytest.LogCaptureFixture
) -> None:
    tasks = Tasks("test")
    obedient, stubborn = tasks.spawn(anyio.sleep_forever(), "obedient"), tasks.spawn(swallower(), "stubborn")
    began = current_time()
    await end_jobs([obedient, stubborn], patience_s=3, grace_s=2)
    assert current_time() - began == 5
    assert (obedient.done, stubborn.done, swallower.cancellations) == (True, False, 1)
    assert "stubborn swallowed its cancellation" in caplog.text
    assert "obedient" not in caplog.text


async def test_a_job_that_was_cancelled_already_is_not_cancelled_again(swallower: Swallower) -> None:
    job = Tasks("test").spawn(swallower(), "stubborn")
    await anyio.lowlevel.checkpoint()
    job.cancel()
    job.cancel()
    await end_jobs([job])
    assert swallower.cancellations == 1


# --- run_users_code --------------------------------------------------------------------------------------------------


async def test_it_returns_what_the_code_returns() -> None:
    async def handler() -> str:
        await anyio.sleep(1)
        return "found"

    assert await run_users_code(handler, label="handler") == "found"


async def test_sync_code_runs_in_a_worker_thread_in_the_callers_context() -> None:
    variable = contextvars.ContextVar("variable", default="")
    variable.set("set")

    def handler() -> tuple[str, bool]:
        return variable.get(), threading.current_thread() is threading.main_thread()

    assert await run_users_code(handler, label="handler") == ("set", False)


async def test_sync_code_that_returns_an_awaitable_is_awaited() -> None:
    async def handler(name: str) -> str:
        return f"found {name}"

    assert await run_users_code(lambda: handler("it"), label="handler") == "found it"


async def test_what_the_code_raises_is_raised() -> None:
    async def handler() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await run_users_code(handler, label="handler")


async def test_code_that_cancels_itself_is_an_error_and_no_cancellation() -> None:
    async def handler() -> None:
        raise asyncio.CancelledError

    with pytest.raises(RuntimeError, match="handler cancelled itself"):
        await run_users_code(handler, label="handler")


async def test_at_its_bound_the_code_is_cancelled_and_may_clean_up() -> None:
    log: list[str] = []

    async def handler() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            log.append("cleaned up")

    began = current_time()
    with pytest.raises(BoundExceeded, match="handler took longer than 10 s"):
        await run_users_code(handler, label="handler", bound_s=10)
    assert (current_time() - began, log) == (10, ["cleaned up"])


async def test_in_time_the_bound_does_nothing() -> None:
    async def handler() -> str:
        await anyio.sleep(9)
        return "found"

    assert await run_users_code(handler, label="handler", bound_s=10) == "found"
    await anyio.sleep(10)


async def test_code_that_swallows_its_cancellation_is_abandoned_at_its_bound(
    swallower: Swallower, caplog: pytest.LogCaptureFixture
) -> None:
    began = current_time()
    with pytest.raises(BoundExceeded):
        await run_users_code(swallower, label="handler", bound_s=10)
    assert (current_time() - began, swallower.cancellations) == (11, 1)
    assert "handler swallowed its cancellation and was abandoned after 1 s" in caplog.text


async def test_code_that_swallows_its_cancellation_keeps_no_group_open(swallower: Swallower) -> None:
    began = current_time()
    async with anyio.create_task_group() as group:
        group.start_soon(partial(run_users_code, swallower, label="handler"))
        await anyio.sleep(1)
        group.cancel_scope.cancel()
    assert (current_time() - began, swallower.cancellations) == (2, 1)


async def test_what_abandoned_code_fails_with_later_is_not_an_unseen_error(
    swallower: Swallower, caplog: pytest.LogCaptureFixture
) -> None:
    async def handler() -> None:
        await swallower()
        raise ValueError("nobody cares")

    with pytest.raises(BoundExceeded):
        await run_users_code(handler, label="handler", bound_s=1)
    swallower.stop.set()
    await anyio.sleep(1)
    gc.collect()
    assert "nobody cares" not in caplog.text


async def test_a_cancelled_caller_gets_no_result_that_came_in_the_same_tick() -> None:
    release = asyncio.Event()
    results: list[str] = []

    async def handler() -> str:
        await release.wait()
        return "found"

    async def caller() -> None:
        results.append(await run_users_code(handler, label="handler"))

    async with anyio.create_task_group() as group:
        group.start_soon(caller)
        await anyio.sleep(1)
        release.set()
        group.cancel_scope.cancel()
    assert results == []


async def test_a_hanging_thread_is_abandoned_at_the_bound_and_named(caplog: pytest.LogCaptureFixture) -> None:
    release = threading.Event()
    began = time.monotonic()
    # The clock stands still while the thread works, until the loop's patience with it is over.
    with pytest.raises(BoundExceeded):
        await run_users_code(release.wait, label="handler", bound_s=1)
    release.set()
    assert time.monotonic() - began < 10
    assert "handler cannot be stopped in its worker thread" in caplog.text


async def test_hanging_threads_leave_room_for_others(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    release = threading.Event()
    with anyio.move_on_after(0.01):
        async with anyio.create_task_group() as group:
            for number in range(60):
                group.start_soon(partial(run_users_code, release.wait, label=f"handler {number}"))
    assert await run_users_code(lambda: "found", label="handler") == "found"
    release.set()


class CallableObject:
    async def __call__(self) -> None: ...


async def handle(_name: str) -> None: ...


@pytest.mark.parametrize(
    ("call", "is_async"),
    [
        (handle, True),
        (partial(handle, "x"), True),
        (partial(partial(handle), "x"), True),
        (CallableObject(), True),
        (CallableObject().__call__, True),
        (print, False),
        (partial(print, "x"), False),
        (lambda: handle("x"), False),
        (CallableObject, False),
    ],
)
def test_what_gives_a_coroutine_is_recognised(call: Callable[..., Awaitable[None] | None], *, is_async: bool) -> None:
    assert is_async_callable(call) is is_async
