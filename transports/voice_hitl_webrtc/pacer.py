"""The 20 ms clock of a leg."""

import asyncio

from voice_hitl.audio.frame import FRAME_MS

PERIOD_S = FRAME_MS / 1000

CATCH_UP_S = 0.2
"""After a stall this much is made good in a burst, which the far end's buffer absorbs; the rest of it is skipped."""


class Pacer:
    """Ticks every 20 ms of the loop's clock, without drift."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._origin: float | None = None
        self._next = 0
        self.now = self._loop.time()
        """When the last tick came, by the loop's clock."""
        self.skipped = 0
        """Ticks that never came because the process stood still for longer than `CATCH_UP_S`."""

    async def tick(self) -> int:
        """Wait for the next tick; return its number, which is its distance from the first one in frames."""
        now = self._loop.time()
        if self._origin is None:
            self._origin = now
        late = now - (self._origin + self._next * PERIOD_S)
        if late > CATCH_UP_S:
            lost = int(late / PERIOD_S)
            self._next += lost
            self.skipped += lost
        elif late < 0:
            await asyncio.sleep(-late)
        self.now = self._loop.time()
        tick = self._next
        self._next += 1
        return tick
