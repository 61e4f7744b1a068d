import threading
import time
from functools import partial

import anyio
import anyio.to_thread
import pytest

from voice_hitl.testing.virtual_time import VIRTUAL_TIME, VirtualTimeLoop

IMPATIENT = {"loop_factory": partial(VirtualTimeLoop, patience_s=0.05)}


@pytest.mark.usefixtures("virtual_time")
async def test_five_minutes_pass_in_no_time() -> None:
    began, really_began = anyio.current_time(), time.monotonic()
    with anyio.move_on_after(300) as scope:
        await anyio.sleep_forever()
    assert scope.cancelled_caught
    assert anyio.current_time() - began == 300
    assert time.monotonic() - really_began < 2


@pytest.mark.usefixtures("virtual_time")
async def test_timers_fire_in_the_order_of_their_times() -> None:
    fired: list[tuple[str, float]] = []

    async def after(delay_s: float, name: str) -> None:
        await anyio.sleep(delay_s)
        fired.append((name, anyio.current_time()))

    began = anyio.current_time()
    async with anyio.create_task_group() as group:
        group.start_soon(after, 60, "late")
        group.start_soon(after, 0.02, "soon")
        group.start_soon(after, 1, "next")
    assert [(name, round(at - began, 9)) for name, at in fired] == [("soon", 0.02), ("next", 1), ("late", 60)]


@pytest.mark.usefixtures("virtual_time")
async def test_the_clock_stands_still_while_a_worker_thread_works() -> None:
    async def work() -> None:
        await anyio.to_thread.run_sync(time.sleep, 0.05)
        finished.append(anyio.current_time())

    finished: list[float] = []
    began = anyio.current_time()
    async with anyio.create_task_group() as group:
        group.start_soon(work)
        await anyio.sleep(10)
    assert finished == [began]


@pytest.mark.usefixtures("virtual_time")
async def test_an_abandoned_worker_thread_does_not_hold_the_clock() -> None:
    release = threading.Event()
    began, really_began = anyio.current_time(), time.monotonic()
    with anyio.move_on_after(0):
        await anyio.to_thread.run_sync(release.wait, abandon_on_cancel=True)
    await anyio.sleep(3600)
    release.set()
    assert anyio.current_time() - began == 3600
    assert time.monotonic() - really_began < 1


def test_a_hung_worker_thread_holds_the_clock_only_for_its_patience() -> None:
    async def main() -> None:
        release = threading.Event()

        async def hang() -> None:
            await anyio.to_thread.run_sync(release.wait, abandon_on_cancel=True)

        with anyio.move_on_after(10):
            async with anyio.create_task_group() as group:
                group.start_soon(hang)
                for _ in range(100):
                    await anyio.sleep(1)
        release.set()
        assert anyio.current_time() == 10

    really_began = time.monotonic()
    anyio.run(main, backend_options=IMPATIENT)
    assert time.monotonic() - really_began < 1


def test_a_thread_that_hung_and_ended_is_not_held_against_the_next() -> None:
    async def main() -> None:
        release = threading.Event()
        with anyio.move_on_after(1):
            await anyio.to_thread.run_sync(release.wait, abandon_on_cancel=True)
        release.set()
        began = anyio.current_time()
        await anyio.to_thread.run_sync(time.sleep, 0.02)
        assert anyio.current_time() == began

    anyio.run(main, backend_options=IMPATIENT)


def test_a_deadlock_fails_and_says_who_waits_where() -> None:
    async def main() -> None:
        await anyio.Event().wait()

    with pytest.raises(RuntimeError, match=r"would hang for ever[\s\S]*test_virtual_time\.py:"):
        anyio.run(main, backend_options=IMPATIENT)


def test_a_thread_of_the_tests_own_may_end_what_looks_like_a_deadlock() -> None:
    async def main() -> None:
        token, event = anyio.lowlevel.current_token(), anyio.Event()
        thread = threading.Timer(0.02, partial(anyio.from_thread.run_sync, event.set, token=token))
        thread.start()
        await event.wait()
        thread.join()

    anyio.run(main, backend_options={"loop_factory": VirtualTimeLoop})


def test_tasks_that_spin_without_the_clock_moving_fail_the_test() -> None:
    async def main() -> None:
        while True:
            await anyio.lowlevel.checkpoint()

    with pytest.raises(RuntimeError, match="something is spinning"):
        anyio.run(main, backend_options=VIRTUAL_TIME[1])
