"""Slow work in a thread of its own."""

import threading
from functools import partial

import anyio
import pytest

from voice_hitl.tasks import Latch
from voice_hitl_local.worker import Worker

pytestmark = pytest.mark.anyio


async def test_work_is_done_in_one_other_thread_in_the_order_it_came() -> None:
    worker = Worker("test")
    done: list[int] = []

    def work(number: int) -> int:
        done.append(number)
        return threading.get_ident()

    pending = [worker.submit(partial(work, number)) for number in range(5)]
    threads = {await one.get() for one in pending}
    assert done == [0, 1, 2, 3, 4]
    assert len(threads) == 1
    assert threads != {threading.get_ident()}


async def test_what_the_work_raised_is_raised_where_it_is_waited_for() -> None:
    with pytest.raises(ZeroDivisionError):
        await Worker("test").submit(lambda: 1 // 0).get()


async def test_dropped_work_that_has_not_begun_is_not_done() -> None:
    worker = Worker("test")
    begun, go_on = Latch(), threading.Event()
    done: list[str] = []

    def first() -> None:
        begun.set()
        go_on.wait(5)

    running = worker.submit(first)
    await begun.wait()
    dropped = worker.submit(lambda: done.append("dropped"))
    dropped.drop()
    running.drop()
    go_on.set()
    await worker.submit(lambda: done.append("last")).get()
    assert done == ["last"]


async def test_the_loop_goes_on_while_it_waits() -> None:
    worker, go_on = Worker("test"), threading.Event()
    pending = worker.submit(lambda: go_on.wait(5))
    async with anyio.create_task_group() as group:
        group.start_soon(pending.get)
        go_on.set()
    assert await pending.get()
