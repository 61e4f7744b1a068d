"""`run_users_code`: a handler, hook, backend or asker, apart from our own tasks."""

import asyncio
import inspect
import logging
import types
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextvars import copy_context
from functools import partial
from types import CoroutineType, FunctionType
from typing import Generic, TypeVar, cast, overload

import anyio
import anyio.to_thread

from voice_hitl.tasks.jobs import GRACE_S, abandon

log = logging.getLogger(__name__)

T = TypeVar("T")


class BoundExceeded(Exception):  # noqa: N818 - named by its cause; never leaves the library
    """Users' code took longer than its bound; a `TimeoutError` may be its own."""


@overload
async def run_users_code(
    call: Callable[[], Awaitable[T]], *, label: str, bound_s: float | None = None, grace_s: float = GRACE_S
) -> T: ...
@overload
async def run_users_code(
    call: Callable[[], Awaitable[T] | T], *, label: str, bound_s: float | None = None, grace_s: float = GRACE_S
) -> T: ...
async def run_users_code(
    call: Callable[[], Awaitable[T] | T],
    *,
    label: str,
    bound_s: float | None = None,
    grace_s: float = GRACE_S,
) -> T:
    """Run a handler, hook, backend or asker apart from our own tasks; return what it returns.

    A coroutine function runs as a plain task of the current context; any other callable in a worker thread. When the
    caller is cancelled, or at the bound, the code is cancelled once and awaited `grace_s`; then it is abandoned and
    named in the log. A thread cannot be cancelled: it is abandoned at once.

    Raises:
        BoundExceeded: It took longer than `bound_s` (seconds).
        RuntimeError: It cancelled itself, or raised what is no `Exception`, such as `SystemExit`.
        Exception: Whatever the code raises.
    """
    loop = asyncio.get_running_loop()
    code = _UsersCode(_work_of(call, label), loop, label)
    if code.step():
        return code.result()
    ended: asyncio.Future[bool] = loop.create_future()
    code.ended = ended

    def expire() -> None:
        if not ended.done():
            ended.set_result(False)

    timer = loop.call_later(bound_s, expire) if bound_s is not None else None
    try:
        in_time = await ended
    except asyncio.CancelledError:
        await code.end(grace_s)
        raise
    finally:
        if timer is not None:
            timer.cancel()
    if in_time:
        return code.result()
    await code.end(grace_s)
    raise BoundExceeded(f"{label} took longer than {bound_s:g} s")


class _UsersCode(Generic[T]):
    """A coroutine of users' code, in a task of its own, whose first step is taken at once.

    Most of it never waits: then it is over here and now, without a round through the loop (Python 3.12's eager tasks,
    which 3.11 has not). `asyncio.current_task` is its own task from the first step on, as scopes and timeouts need.
    """

    __slots__ = (
        "_begun",
        "_context",
        "_error",
        "_label",
        "_loop",
        "_over",
        "_task",
        "_value",
        "_work",
        "_yielded",
        "ended",
    )

    def __init__(self, work: Coroutine[object, None, T], loop: asyncio.AbstractEventLoop, label: str) -> None:
        self._work = work
        self._loop = loop
        self._label = label
        self._yielded: object = None
        self._over = False
        self._begun = False
        self._context = copy_context()
        # Not `create_task`: a host's task factory may be eager, and the first step is ours to take.
        self._task: asyncio.Task[T | None] = asyncio.Task(self._rest(), loop=loop, name=label, context=self._context)
        self._value: T | None = None
        self._error: BaseException | None = None
        self.ended: asyncio.Future[bool] | None = None
        """Set by whoever waits, once the first step has not ended it."""

    def step(self) -> bool:
        """Take the first step; whether the code was over by it."""
        caller = cast("asyncio.Task[object]", asyncio.current_task(self._loop))
        # Documented for who implements tasks ("Extending asyncio"): which task is the current one.
        asyncio._leave_task(self._loop, caller)
        asyncio._enter_task(self._loop, self._task)
        try:
            self._yielded = self._context.run(self._work.send, None)
        except StopIteration as stop:
            self._over, self._value = True, stop.value
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - told by `result`: not even SystemExit ends the other calls
            self._over, self._error = True, error
        finally:
            asyncio._leave_task(self._loop, self._task)
            asyncio._enter_task(self._loop, caller)
        return self._over

    async def _rest(self) -> T | None:
        """What is left after the first step, from the task's own beginning."""
        self._begun = True
        if self._over:
            return None
        try:
            self._value = await _continued(self._work, self._yielded)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - as above
            self._error = error
        finally:
            self._over = True
            # Telling from inside, in the last step, saves the waiter the round that a done callback takes.
            if self.ended is not None and not self.ended.done():
                self.ended.set_result(True)
        return None

    def result(self) -> T:
        """What it returned, or raise what it raised."""
        match self._error:
            case None:
                return cast("T", self._value)
            case Exception():
                raise self._error
            case asyncio.CancelledError():
                raise RuntimeError(f"{self._label} cancelled itself")
            case _:
                raise RuntimeError(f"{self._label} raised {type(self._error).__name__}") from self._error

    async def end(self, grace_s: float) -> None:
        """Cancel it once, wait for it, abandon it."""
        with anyio.CancelScope(shield=True):
            if not self._begun:
                # Its task has still to begin, or the cancellation would never reach the code itself.
                await asyncio.sleep(0)
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=grace_s)
        if not self._task.done():
            abandon(self._task)
            log.warning("%s swallowed its cancellation and was abandoned after %g s", self._label, grace_s)


@types.coroutine
def _continued(work: Coroutine[object, None, T], yielded: object) -> Generator[object, None, T]:
    """Go on with a coroutine that has taken its first step and waits for what it yielded."""
    while True:
        try:
            try:
                yield yielded
            except BaseException as error:  # noqa: BLE001 - whatever reaches the task reaches the code
                yielded = work.throw(error)
            else:
                yielded = work.send(None)
        except StopIteration as stop:
            return cast("T", stop.value)


def _work_of(call: Callable[[], Awaitable[T] | T], label: str) -> Coroutine[object, None, T]:
    """The code as one coroutine, wherever it runs. Nearly every handler is a coroutine function: it gives one."""
    if is_async_callable(call):
        work = call()
        if type(work) is CoroutineType:
            return cast("Coroutine[object, None, T]", work)
        return _awaited(cast("Awaitable[T]", work))
    return _in_a_thread(call, label)


async def _awaited(work: Awaitable[T]) -> T:
    return await work


async def _in_a_thread(call: Callable[[], Awaitable[T] | T], label: str) -> T:
    try:
        result: Awaitable[T] | T = await anyio.to_thread.run_sync(call, abandon_on_cancel=True)
    except asyncio.CancelledError:
        log.warning("%s cannot be stopped in its worker thread and was abandoned", label)
        raise
    if isinstance(result, Awaitable):
        return await cast("Awaitable[T]", result)
    return result


def is_async_callable(call: Callable[..., object]) -> bool:
    """Whether calling it gives a coroutine: a coroutine function, a partial of one, an object with async `__call__`."""
    while isinstance(call, partial):
        call = call.func
    # What nearly every one is, found without what `inspect` does for the others.
    if isinstance(call, FunctionType) and call.__code__.co_flags & inspect.CO_COROUTINE:
        return True
    return inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(type(call).__call__)
