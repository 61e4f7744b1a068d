import asyncio
import contextvars
import gc
import threading
from collections.abc import Callable
from functools import partial

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from tests.tasks.conftest import Swallower
from voice_hitl.tasks import (
    Job,
    Latch,
    Tasks,
    current_job,
    current_time,
    end_jobs,
    run_users_code,
    waiting_for_an_end,
)

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


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


async def test_whoever_spawns_goes_on_first_whatever_the_hosts_task_factory(task_factory: list[str]) -> None:
    tasks, order = Tasks("test"), list[str]()

    async def work() -> None:
        order.append("work")

    job = tasks.spawn(work(), "work")
    order.append("whoever spawns")
    await job.wait()
    assert order == ["whoever spawns", "work"]
    assert "work" not in task_factory


async def test_a_failure_is_logged_with_its_label_and_reaches_nobody(caplog: pytest.LogCaptureFixture) -> None:
    tasks = Tasks("session s1")

    async def fail() -> None:
        raise ValueError("broken")

    await tasks.spawn(fail(), "the card").wait()
    await anyio.lowlevel.checkpoint()
    assert "session s1: the card failed" in caplog.text
    assert "ValueError: broken" in caplog.text


async def test_what_is_in_nobodys_way_is_started_in_the_next_tick_in_its_order() -> None:
    tasks, started = Tasks("test"), list[int]()
    for number in range(3):
        tasks.soon(partial(started.append, number))
    assert started == []
    await anyio.lowlevel.checkpoint()
    assert started == [0, 1, 2]


async def test_what_is_started_soon_is_in_the_context_of_whoever_asked_and_not_of_who_asked_first() -> None:
    tasks, variable, seen = Tasks("test"), contextvars.ContextVar[str]("variable"), list[str]()

    async def work() -> None:
        seen.append(variable.get())

    def ask(whose: str) -> None:
        variable.set(whose)
        tasks.soon(lambda: tasks.spawn(work(), "work"))

    for whose in ("ann's", "bob's"):
        contextvars.copy_context().run(ask, whose)
    await anyio.lowlevel.checkpoint()
    for whose in ("cid's", "dan's"):
        contextvars.copy_context().run(ask, whose)
    await tasks.close(patience_s=1)
    assert seen == ["ann's", "bob's", "cid's", "dan's"]


async def test_what_is_due_is_started_by_whoever_closes_and_nothing_after() -> None:
    tasks, ended = Tasks("test"), list[str]()

    async def work() -> None:
        ended.append("work")

    tasks.soon(lambda: tasks.spawn(work(), "work"))
    await tasks.close(patience_s=1)
    assert ended == ["work"]
    with pytest.raises(RuntimeError, match="test is closed"):
        tasks.soon(lambda: None)
    await anyio.lowlevel.checkpoint()


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


async def test_what_itself_waits_for_an_end_is_waited_for_by_nobody() -> None:
    tasks, closed, ended = Tasks("test"), Latch(), list[str]()

    async def work() -> None:
        with waiting_for_an_end():
            await closed.wait()
        ended.append("work")

    job = tasks.spawn(work(), "work")
    await anyio.lowlevel.checkpoint()
    began = current_time()
    await end_jobs([job])
    assert await tasks.close(patience_s=1) == []
    assert current_time() == began
    closed.set()
    with waiting_for_an_end():  # nobody's job
        await job.wait()
    assert ended == ["work"]
