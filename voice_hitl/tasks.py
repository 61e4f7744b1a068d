"""Background work owned by an object with a `close()`, and the few primitives that need the event loop itself.

The only module that touches asyncio: everything else is pure, or uses anyio. It exists because users' code (handlers,
hooks, backends, askers) must not run in a session's task group: a handler that swallows cancellation would keep the
group open and, cancelled again and again, starve the loop. Here it runs as a plain task: cancelled once, awaited for a
grace, then abandoned and reported.
"""

import asyncio
import inspect
import logging
import threading
import types
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Coroutine, Generator, Iterable
from contextlib import suppress
from contextvars import Context, ContextVar, copy_context
from functools import partial
from types import FunctionType
from typing import Generic, TypeVar, cast, overload

import anyio
import anyio.to_thread

from voice_hitl.errors import ConnectionEnded

log = logging.getLogger(__name__)

T = TypeVar("T")

Loop = asyncio.AbstractEventLoop
"""An event loop, named here so that nobody else needs asyncio to say so."""

GRACE_S = 1.0
"""How long users' code may take to end once it was cancelled, before it is abandoned and named in the log."""


def _never(_item: object) -> bool:
    return False


class Mailbox(Generic[T]):
    """A queue with one reader: `put` never waits, `get` waits, `close` lets the reader finish what is there.

    `limit` bounds the items for which `droppable` says yes (audio); beyond it the oldest such item is dropped and
    counted in `dropped`. What is not droppable (a tool call, a hang-up) is never lost. Costs about 2 microseconds a
    hop. `put` and `close` belong to the reader's event loop.
    """

    def __init__(self, *, limit: int = 0, droppable: Callable[[T], bool] = _never) -> None:
        self._items: deque[T] = deque()
        self._limit = limit
        self._droppable = droppable
        self._held = 0
        self._waiter: asyncio.Future[None] | None = None
        self.closed = False
        self.dropped = 0

    def put(self, item: T) -> None:
        """Add an item; after `close` it is let go."""
        if self.closed:
            return
        if self._droppable(item):
            if self._limit and self._held >= self._limit:
                self._drop_oldest()
            self._held += 1
        self._items.append(item)
        self._wake()

    def close(self) -> None:
        """Nothing more comes: the reader gets what is left, then `ConnectionEnded`."""
        self.closed = True
        self._wake()

    async def get(self) -> T:
        """Return the next item; `ConnectionEnded` once closed and empty. One reader at a time."""
        while not self._items:
            if self.closed:
                raise ConnectionEnded("the stream is closed")
            if self._waiter is not None and not self._waiter.done():
                raise RuntimeError("a mailbox has one reader: it is being read already")
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        item = self._items.popleft()
        if self._held and self._droppable(item):
            self._held -= 1
        return item

    def __aiter__(self) -> "Mailbox[T]":
        return self

    async def __anext__(self) -> T:
        try:
            return await self.get()
        except ConnectionEnded:
            raise StopAsyncIteration from None

    def __len__(self) -> int:
        return len(self._items)

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _drop_oldest(self) -> None:
        for index, item in enumerate(self._items):
            if self._droppable(item):
                del self._items[index]
                self._held -= 1
                self.dropped += 1
                return


class Latch:
    """A one-shot signal that any thread may set and that tasks of any event loop may wait for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._set = False
        self._waiters: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []

    @property
    def is_set(self) -> bool:
        """Whether the signal was given."""
        return self._set

    def set(self) -> None:
        """Give the signal; waiters of this thread's loop wake in this tick, others as soon as their loop runs."""
        with self._lock:
            self._set = True
            waiters, self._waiters = self._waiters, []
        try:
            here: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:
            here = None
        for loop, future in waiters:
            if loop is here:
                _resolve(future)
            else:
                _soon(loop, partial(_resolve, future))

    async def wait(self) -> None:
        """Wait for the signal; returns at once when it was given."""
        if self._set:
            return
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        entry = (loop, future)
        with self._lock:
            if self._set:
                return
            self._waiters.append(entry)
        try:
            await future
        finally:
            with self._lock:
                if entry in self._waiters:
                    self._waiters.remove(entry)


def _resolve(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)


class Timer:
    """Calls a function once at a time of the event loop's clock, unless cancelled first. Any thread may cancel."""

    def __init__(self, delay_s: float, call: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._handle = self._loop.call_later(delay_s, call)

    def cancel(self) -> None:
        """Do not call; harmless once called."""
        if threading.get_ident() == self._thread:
            self._handle.cancel()
        else:
            _soon(self._loop, self._handle.cancel)


def current_time() -> float:
    """The running loop's monotonic clock, in seconds (virtual in tests)."""
    return asyncio.get_running_loop().time()


def on_loop() -> bool:
    """Whether the calling thread is running an event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def call_on(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    """Run `call` on `loop`: at once when this is its thread, else as soon as it runs."""
    try:
        here = asyncio.get_running_loop() is loop
    except RuntimeError:
        here = False
    if here:
        call()
    else:
        _soon(loop, call)


def _soon(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    """Run `call` as soon as another thread's loop runs; never, where that has closed, perhaps just now."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(call)


def this_loop() -> asyncio.AbstractEventLoop:
    """The running event loop, to hand to `call_on` later."""
    return asyncio.get_running_loop()


class Job:
    """One piece of background work: cancel it once, wait for it, ask whether it is done."""

    def __init__(self, task: "asyncio.Task[None]", label: str) -> None:
        self.task = task
        self.label = label
        self._asked_to_end = False

    @property
    def done(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self.task.done()

    @property
    def is_current(self) -> bool:
        """Whether the caller runs inside this very job, or inside users' code that it waits for."""
        return _CURRENT.get() is self

    def cancel(self) -> None:
        """Ask it to end, once: what swallows a cancellation is not cancelled again, but abandoned by `Tasks.close`."""
        if not self._asked_to_end:
            self._asked_to_end = True
            self.task.cancel()

    async def wait(self) -> None:
        """Wait until it has ended; its own failure is not raised here. From inside it there is nothing to wait for."""
        if not self.task.done() and not self.is_current:
            await asyncio.wait({self.task})


# A context variable and not the current task: users' code runs in a task of its own, in a copy of its job's context.
_CURRENT: ContextVar[Job | None] = ContextVar("voice_hitl_current_job", default=None)


def current_job() -> Job | None:
    """The job inside which the caller runs, itself or as users' code that it waits for; None outside one."""
    return _CURRENT.get()


_ABANDONED: set["asyncio.Task[object]"] = set()
"""What nobody waits for any more; the event loop alone would let it be collected in the middle of its work."""


def _abandon(task: "asyncio.Task[T]") -> None:
    abandoned = cast("asyncio.Task[object]", task)
    _ABANDONED.add(abandoned)
    abandoned.add_done_callback(_ABANDONED.discard)


async def end_jobs(jobs: Iterable[Job], *, patience_s: float = GRACE_S, grace_s: float = GRACE_S) -> None:
    """Let work end: wait `patience_s`, then cancel what is left, wait `grace_s`, name what was abandoned.

    The caller's own job among them is passed over.
    """
    left = [job for job in jobs if not job.done and not job.is_current]
    with anyio.CancelScope(shield=True):
        await _wait_for(left, patience_s)
        for job in left:
            job.cancel()
        await _wait_for((job for job in left if not job.done), grace_s)
    for job in left:
        if not job.done:
            _abandon(job.task)
            log.warning("%s swallowed its cancellation and was abandoned", job.label)


async def _wait_for(jobs: Iterable[Job], timeout_s: float) -> None:
    tasks = {job.task for job in jobs}
    if tasks:
        await asyncio.wait(tasks, timeout=timeout_s)


class Tasks:
    """Background work that outlives its caller, owned by an object with a `close()`.

    An exception of a task is logged with its label and never reaches anybody else's task.
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._jobs: dict[asyncio.Task[None], Job] = {}
        self._closed = False

    def __len__(self) -> int:
        return len(self._jobs)

    @property
    def closed(self) -> bool:
        """Whether nothing can start any more."""
        return self._closed

    def spawn(self, work: Coroutine[object, object, None], label: str, *, context: Context | None = None) -> Job:
        """Run `work` in the background; `RuntimeError` after `close`."""
        if self._closed:
            work.close()
            raise RuntimeError(f"{self._owner} is closed: {label} cannot start")
        context = copy_context() if context is None else context.copy()
        task = asyncio.get_running_loop().create_task(work, name=label, context=context)
        job = Job(task, label)
        context.run(_CURRENT.set, job)
        self._jobs[task] = job
        task.add_done_callback(self._ended)
        return job

    def _ended(self, task: "asyncio.Task[None]") -> None:
        job = self._jobs.pop(task, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            label = job.label if job else task.get_name()
            log.error("%s: %s failed", self._owner, label, exc_info=error)

    async def close(self, *, patience_s: float = 0.0, grace_s: float = GRACE_S, but: Collection[Job] = ()) -> list[str]:
        """Cancel all once, wait `grace_s` at most, abandon what is left; return the labels of the abandoned.

        `patience_s`: let them end by themselves for so long first. `but`: jobs that are left alone.

        Called from inside one of its own tasks, or from users' code that one waits for, that task is left alone.
        Closing again waits again, and cancels nothing a second time. What runs on another event loop is cancelled there
        and not waited for.
        """
        self._closed = True
        here = asyncio.get_running_loop()
        jobs = [job for job in list(self._jobs.values()) if not job.is_current and job not in but]
        own = [job for job in jobs if job.task.get_loop() is here]
        with anyio.CancelScope(shield=True):
            await _wait_for(own if patience_s > 0 else (), patience_s)
        for job in jobs:
            call_on(job.task.get_loop(), job.cancel)
        with anyio.CancelScope(shield=True):
            await _wait_for(own, grace_s)
        left = sorted((job for job in own if not job.done), key=lambda job: job.label)
        for job in left:
            _abandon(job.task)
            log.warning(
                "%s: %s did not end within %g s of its cancellation and was abandoned", self._owner, job.label, grace_s
            )
        return [job.label for job in left]


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
        RuntimeError: It cancelled itself.
        Exception: Whatever the code raises.
    """
    loop = asyncio.get_running_loop()
    code = _UsersCode(_called(call, label), loop, label)
    if code.step():
        return code.result()

    def expire() -> None:
        if not code.ended.done():
            code.ended.set_result(False)

    timer = loop.call_later(bound_s, expire) if bound_s is not None else None
    try:
        in_time = await code.ended
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

    def __init__(self, work: Coroutine[object, None, T], loop: asyncio.AbstractEventLoop, label: str) -> None:
        self._work = work
        self._loop = loop
        self._label = label
        self._yielded: object = None
        self._over = False
        self._begun = False
        self._context = copy_context()
        self.ended: asyncio.Future[bool] = loop.create_future()
        self._task: asyncio.Task[T | None] = loop.create_task(self._rest(), name=label, context=self._context)
        self._value: T | None = None
        self._error: BaseException | None = None

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
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - raised again by `result`
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
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - raised again by `result`
            self._error = error
        finally:
            self._over = True
            # Telling from inside, in the last step, saves the waiter the round that a done callback takes.
            if not self.ended.done():
                self.ended.set_result(True)
        return None

    def result(self) -> T:
        """What it returned, or raise what it raised."""
        if isinstance(self._error, asyncio.CancelledError):
            raise RuntimeError(f"{self._label} cancelled itself")
        if self._error is not None:
            raise self._error
        return cast("T", self._value)

    async def end(self, grace_s: float) -> None:
        """Cancel it once, wait for it, abandon it."""
        with anyio.CancelScope(shield=True):
            if not self._begun:
                # Its task has still to begin, or the cancellation would never reach the code itself.
                await asyncio.sleep(0)
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=grace_s)
        if not self._task.done():
            _abandon(self._task)
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


async def _called(call: Callable[[], Awaitable[T] | T], label: str) -> T:
    if is_async_callable(call):
        return await cast("Callable[[], Awaitable[T]]", call)()
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
