"""`Tasks` and `Job`: background work with an owner, cancelled once, awaited for a grace, then abandoned and named."""

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine, Generator, Iterable
from contextlib import contextmanager
from contextvars import Context, ContextVar, copy_context
from functools import partial
from typing import TypeVar, cast
from weakref import ref

import anyio

from voice_hitl.tasks.loop import call_on

log = logging.getLogger(__name__)

T = TypeVar("T")

GRACE_S = 1.0
"""How long users' code may take to end once it was cancelled, before it is abandoned and named in the log."""


class Job:
    """One piece of background work: cancel it once, wait for it, ask whether it is done."""

    __slots__ = ("__weakref__", "_asked_to_end", "label", "task", "waits_for_ends")

    def __init__(self, task: "asyncio.Task[None]", label: str) -> None:
        self.task = task
        self.label = label
        self.waits_for_ends = 0
        """How many things it waits for to end, now: whoever ends them does not wait for it in turn."""
        self._asked_to_end = False

    @property
    def done(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self.task.done()

    @property
    def is_current(self) -> bool:
        """Whether the caller runs inside this very job, or inside users' code that it waits for."""
        return current_job() is self

    def cancel(self) -> None:
        """Ask it to end, once: what swallows a cancellation is not cancelled again, but abandoned by `Tasks.close`."""
        if not self._asked_to_end:
            self._asked_to_end = True
            self.task.cancel()

    async def wait(self) -> None:
        """Wait until it has ended; its own failure is not raised here. From inside it there is nothing to wait for."""
        if self.task.done() or self.is_current:
            return
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        told = partial(_tell, ended)
        self.task.add_done_callback(told)
        try:
            await ended
        finally:
            self.task.remove_done_callback(told)


def _tell(ended: "asyncio.Future[None]", _task: object) -> None:
    if not ended.done():
        ended.set_result(None)


# A context variable and not the current task: users' code runs in a task of its own, in a copy of its job's context.
# It refers weakly: a task has its context, which would have the job, which has the task, and only the garbage collector
# would ever free one of them.
_CURRENT: "ContextVar[ref[Job] | None]" = ContextVar("voice_hitl_current_job", default=None)


def current_job() -> Job | None:
    """The job inside which the caller runs, itself or as users' code that it waits for; None outside one."""
    job = _CURRENT.get()
    return job() if job is not None else None


@contextmanager
def waiting_for_an_end() -> Generator[None]:
    """Within, the caller waits for something to end: the job that it runs in, if any, is not waited for by that."""
    job = current_job()
    if job is None:
        yield
        return
    job.waits_for_ends += 1
    try:
        yield
    finally:
        job.waits_for_ends -= 1


_ABANDONED: set["asyncio.Task[object]"] = set()
"""What nobody waits for any more; the event loop alone would let it be collected in the middle of its work."""


def abandon(task: "asyncio.Task[T]") -> None:
    """Wait for it no more, and keep it until it has ended."""
    abandoned = cast("asyncio.Task[object]", task)
    _ABANDONED.add(abandoned)
    abandoned.add_done_callback(_ABANDONED.discard)


async def end_jobs(jobs: Iterable[Job], *, patience_s: float = GRACE_S, grace_s: float = GRACE_S) -> None:
    """Let work end: wait `patience_s`, then cancel what is left, wait `grace_s`, name what was abandoned.

    The caller's own job among them is passed over, and what itself waits for an end (`waiting_for_an_end`).
    """
    left = [job for job in jobs if not job.done and not job.is_current and not job.waits_for_ends]
    with anyio.CancelScope(shield=True):
        await _wait_for(left, patience_s)
        for job in left:
            job.cancel()
        await _wait_for((job for job in left if not job.done), grace_s)
    for job in left:
        if not job.done:
            abandon(job.task)
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
        self._due: list[tuple[Context, Callable[[], object]]] = []

    def __len__(self) -> int:
        return len(self._jobs)

    @property
    def closed(self) -> bool:
        """Whether nothing can start any more."""
        return self._closed

    def spawn(self, work: Coroutine[object, object, None], label: str, *, context: Context | None = None) -> Job:
        """Run `work` in the background, from the next tick on; `RuntimeError` after `close`."""
        if self._closed:
            work.close()
            raise RuntimeError(f"{self._owner} is closed: {label} cannot start")
        context = copy_context() if context is None else context.copy()
        # Not `create_task`: a host's task factory may be eager, and whoever spawns goes on first.
        task = asyncio.Task(work, loop=asyncio.get_running_loop(), name=label, context=context)
        job = Job(task, label)
        context.run(_CURRENT.set, ref(job))
        self._jobs[task] = job
        task.add_done_callback(self._ended)
        return job

    def soon(self, start: Callable[[], object]) -> None:
        """Have `start` called in the next tick, or by `close` if that comes first: it spawns what is in nobody's way.

        It is called in the context of whoever asks for it. `RuntimeError` after `close`.
        """
        if self._closed:
            raise RuntimeError(f"{self._owner} is closed: nothing can start")
        if not self._due:
            asyncio.get_running_loop().call_soon(self._start_due)
        self._due.append((copy_context(), start))

    def _start_due(self) -> None:
        due, self._due = self._due, []
        for context, start in due:
            context.run(start)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        job = self._jobs.pop(task, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            label = job.label if job else task.get_name()
            log.error("%s: %s failed", self._owner, label, exc_info=error)

    async def close(self, *, patience_s: float = 0.0, grace_s: float = GRACE_S, but: Collection[Job] = ()) -> list[str]:
        """Cancel all once, wait `grace_s` at most, abandon what is left; return the labels of the abandoned.

        `patience_s`: let them end by themselves for so long first. `but`: jobs that are left alone.

        Called from inside one of its own tasks, or from users' code that one waits for, that task is left alone; so is
        what itself waits for an end (`waiting_for_an_end`). Closing again waits again, and cancels nothing a second
        time. What runs on another event loop is cancelled there and not waited for.
        """
        self._start_due()
        self._closed = True
        here = asyncio.get_running_loop()
        jobs = [
            job for job in list(self._jobs.values()) if not job.is_current and not job.waits_for_ends and job not in but
        ]
        own = [job for job in jobs if job.task.get_loop() is here]
        with anyio.CancelScope(shield=True):
            await _wait_for(own if patience_s > 0 else (), patience_s)
        for job in jobs:
            call_on(job.task.get_loop(), job.cancel)
        with anyio.CancelScope(shield=True):
            await _wait_for(own, grace_s)
        left = sorted((job for job in own if not job.done), key=lambda job: job.label)
        for job in left:
            abandon(job.task)
            log.warning(
                "%s: %s did not end within %g s of its cancellation and was abandoned", self._owner, job.label, grace_s
            )
        return [job.label for job in left]
