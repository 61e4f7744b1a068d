"""`Player`: what a leg has to play, played frame by frame on the loop's clock."""

from collections import deque
from collections.abc import Callable

from voice_hitl.audio.frame import FRAME_MS
from voice_hitl.tasks import Latch, Timer, current_time
from voice_hitl.transport import Heard, Played

TELL_EVERY_MS = 100
"""How much of an item may be heard before the next `Played` (the port's rule)."""


class Player:
    """Plays 20 ms frames, one after another, without an audio device.

    Args:
        on_heard: Called with the item and the frame whenever a frame was heard whole.
        on_played: Called with how much of an item was heard: every 100 ms, at its end, and when nothing is left.
    """

    def __init__(self, *, on_heard: Callable[[str, bytes], None], on_played: Callable[[Played], None]) -> None:
        self._on_heard = on_heard
        self._on_played = on_played
        self._queue: deque[tuple[str, bytes]] = deque()
        self._timer: Timer | None = None
        self._due = 0.0
        self._item = ""
        self._ms = 0.0
        self._told_ms = 0.0
        self._dry: list[Latch] = []

    def add(self, frame: bytes, item: str) -> None:
        """Queue a frame of `item`; it starts at once when nothing is playing."""
        self._queue.append((item, frame))
        if self._timer is None:
            self._start(current_time())

    def clear(self) -> Heard:
        """Drop all that was not heard yet; say what was."""
        if not self._queue:
            return Heard()
        elapsed_ms = FRAME_MS - (self._due - current_time()) * 1000
        self._begin(self._queue[0][0])
        self._ms = round(self._ms + min(max(elapsed_ms, 0.0), FRAME_MS), 3)
        items = list(dict.fromkeys(item for item, _ in self._queue))
        self.stop()
        if self._ms == 0:
            return Heard(dropped=tuple(items))
        return Heard(items[0], self._ms, tuple(items[1:]))

    def stop(self) -> None:
        """Play nothing more of what is queued."""
        self._queue.clear()
        self._run_dry()

    async def dry(self) -> None:
        """Wait until nothing is left to play."""
        if self._queue:
            latch = Latch()
            self._dry.append(latch)
            await latch.wait()

    def _start(self, at: float) -> None:
        self._due = at + FRAME_MS / 1000
        self._timer = Timer(max(0.0, self._due - current_time()), self._frame_ends)

    def _frame_ends(self) -> None:
        item, frame = self._queue.popleft()
        self._begin(item)
        self._ms += FRAME_MS
        self._on_heard(item, frame)
        last = not self._queue
        if last or self._queue[0][0] != item or self._ms - self._told_ms >= TELL_EVERY_MS:
            self._told_ms = self._ms
            self._on_played(Played(item, self._ms, current_time(), last))
        if last:
            self._run_dry()
        else:
            self._start(self._due)

    def _begin(self, item: str) -> None:
        if item != self._item:
            self._item, self._ms, self._told_ms = item, 0.0, 0.0

    def _run_dry(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for latch in self._dry:
            latch.set()
        self._dry.clear()
