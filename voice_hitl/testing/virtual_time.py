"""An event loop for tests whose clock jumps: five minutes of waiting take no time, and come out the same every run.

When nothing is ready, the loop does not sleep until the next timer: it moves its clock there. With anyio's pytest
plugin, in a `conftest.py`::

    from voice_hitl.testing.virtual_time import VIRTUAL_TIME

    @pytest.fixture
    def anyio_backend():
        return VIRTUAL_TIME

or outside pytest, `anyio.run(main, backend_options=VIRTUAL_TIME[1])`. It is for code that touches no network: a socket
gets no time to answer in. Worker threads (`anyio.to_thread`, under its default limiter) do: the clock stands still
while one works.
"""

import asyncio
import selectors
from collections.abc import Callable
from pathlib import Path
from types import CoroutineType
from typing import Final

import anyio.to_thread

PATIENCE_S = 2.0
"""Real seconds for which the clock waits on a worker thread before it goes on without it."""

MOST_TURNS = 200_000
"""Turns of the loop at one instant of its clock after which something must be spinning."""


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock starts at 0 and jumps to the next timer when nothing is ready.

    What would hang for ever on a real loop fails here, saying which task waits where: everything waiting with no timer
    set (a deadlock), and tasks that keep each other ready without the clock ever moving (a swallowed cancellation).

    Args:
        patience_s: Real seconds that a worker thread may work before it is taken for hung and the clock moves on, and
            that a deadlock may last before it is called one (a thread of the test's own may still end it).

    Raises:
        RuntimeError: Out of the running loop, on a deadlock or a spin.
    """

    def __init__(self, *, patience_s: float = PATIENCE_S) -> None:
        self._limiter: anyio.CapacityLimiter | None = None
        self._clock = _Clock(patience_s, busy=self._busy_threads, stuck=self._stuck)
        super().__init__(self._clock)

    def time(self) -> float:
        """Seconds since the loop was made, on its own clock."""
        return self._clock.now

    def run_forever(self) -> None:
        """Run until stopped."""
        if self._limiter is None:
            self.create_task(self._meet_limiter())
        super().run_forever()

    async def _meet_limiter(self) -> None:
        # anyio gives its limiter to tasks only, and the selector, which asks it who works, runs in none.
        self._limiter = anyio.to_thread.current_default_thread_limiter()

    def _busy_threads(self) -> int:
        return int(self._limiter.borrowed_tokens) if self._limiter else 0

    def _stuck(self, why: str) -> RuntimeError:
        waiting = "".join(f"\n  {_where(task)}" for task in asyncio.all_tasks(self))
        return RuntimeError(f"{why} (at {self.time():g} s of virtual time). The tasks:{waiting}")


VIRTUAL_TIME: Final = ("asyncio", {"loop_factory": VirtualTimeLoop})
"""What a fixture `anyio_backend` returns to run its tests in virtual time."""


class _Clock(selectors.DefaultSelector):
    """The loop's selector: the one place where a loop waits, and so the place where time can be skipped."""

    def __init__(self, patience_s: float, *, busy: Callable[[], int], stuck: Callable[[str], RuntimeError]) -> None:
        super().__init__()
        self.now = 0.0
        self._patience_s = patience_s
        self._busy = busy
        self._stuck = stuck
        self._hung = 0
        self._turns = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is ready; where the loop would sleep, move the clock instead."""
        ready = super().select(0)
        if ready or (timeout is not None and timeout <= 0):
            self._count_turn()
            return ready
        self._hung = min(self._hung, self._busy())
        if self._busy() > self._hung:
            ready = super().select(self._patience_s)
            if not ready:
                self._hung = self._busy()
        elif timeout is None:
            ready = super().select(self._patience_s)
            if not ready:
                raise self._stuck("everything waits and no timer is set: this would hang for ever")
        else:
            self.now += timeout
            self._turns = 0
        return ready

    def _count_turn(self) -> None:
        self._turns += 1
        if self._turns > MOST_TURNS:
            self._turns = 0
            raise self._stuck(f"the loop turned {MOST_TURNS} times and its clock never moved: something is spinning")


def _where(task: "asyncio.Task[object]") -> str:
    places: list[str] = []
    awaited: object = task.get_coro()
    while isinstance(awaited, CoroutineType) and awaited.cr_frame:
        places.append(f"{Path(awaited.cr_frame.f_code.co_filename).name}:{awaited.cr_frame.f_lineno}")
        awaited = awaited.cr_await
    return f"{task.get_name()} waits at {' > '.join(places)}"
