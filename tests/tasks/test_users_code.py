import asyncio
import contextvars
import gc
import logging
import threading
import time
from collections.abc import Awaitable, Callable
from functools import partial

import anyio
import pytest

from tests.tasks.conftest import Swallower
from voice_hitl.tasks import (
    BoundExceeded,
    current_time,
    is_async_callable,
    run_users_code,
)

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


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


async def test_a_hosts_task_factory_which_may_be_eager_has_no_part_in_it(task_factory: list[str]) -> None:
    async def handler() -> str:
        await anyio.sleep(1)
        return "found"

    assert await run_users_code(handler, label="handler") == "found"
    assert "handler" not in task_factory


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


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize("raised", [SystemExit(1), GeneratorExit()])
async def test_what_would_end_the_process_is_an_error_of_the_code_alone(raised: BaseException, *, waits: bool) -> None:
    async def handler() -> None:
        if waits:
            await anyio.sleep(1)
        raise raised

    def in_a_thread() -> None:
        raise raised

    for code in (handler, in_a_thread):
        with pytest.raises(RuntimeError, match=f"handler raised {type(raised).__name__}"):
            await run_users_code(code, label="handler")


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
