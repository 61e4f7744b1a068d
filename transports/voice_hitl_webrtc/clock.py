"""The 20 ms clock of one direction of a leg."""

import asyncio
from collections.abc import Callable

from voice_hitl.audio.frame import FRAME_MS

PERIOD_S = FRAME_MS / 1000

CATCH_UP_S = 0.2
"""After a stall this much is made good in a burst, which the far end's buffer absorbs; a longer one is skipped."""


class Clock:
    """Calls every 20 ms of the loop's clock, without drift.

    Each has its own phase, so that the frames of many legs do not come to be encoded all at the same moment.

    Args:
        call: Is called with the moment that was due: a whole number of periods after the first one.
    """

    def __init__(self, call: Callable[[float], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._call = call
        self._due = 0.0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def runs(self) -> bool:
        """Whether it was started."""
        return self._timer is not None

    def start(self, at: float) -> None:
        """Call for the first time then, by the loop's clock."""
        self._due = at
        self._timer = self._loop.call_at(at, self._tick)

    def stop(self) -> None:
        """Call no more; stopping twice is harmless."""
        if self._timer is not None:
            self._timer.cancel()

    def _tick(self) -> None:
        due = self._due
        late = self._loop.time() - due
        skipped = int(late / PERIOD_S) if late > CATCH_UP_S else 0
        self._due = due + (1 + skipped) * PERIOD_S
        self._timer = self._loop.call_at(self._due, self._tick)
        self._call(due)
