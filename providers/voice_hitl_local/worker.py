"""A thread for slow work, which the event loop waits for without being held up."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

from voice_hitl.tasks import Latch

T = TypeVar("T")


class Pending(Generic[T]):
    """The result of some work that is being done, or will be."""

    def __init__(self, future: "Future[T]") -> None:
        self._future = future
        self._done = Latch()
        future.add_done_callback(lambda _future: self._done.set())

    async def get(self) -> T:
        """Wait for the result; what the work raised is raised here."""
        await self._done.wait()
        return self._future.result()

    def drop(self) -> None:
        """Nobody wants the result any more: work that has not begun is not done."""
        self._future.cancel()


class Worker:
    """One thread, started with the first work, doing one piece after another in the order they came."""

    def __init__(self, name: str) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    def submit(self, work: Callable[[], T]) -> Pending[T]:
        """Have `work` done when what came before it is. Any thread may call this, the worker's own too."""
        return Pending(self._pool.submit(work))
