"""What is queued to be heard at the far end, and how much of each item was: pure, ticked every 20 ms by the leg."""

from collections import deque
from dataclasses import dataclass

from voice_hitl.audio.frame import FRAME_MS, duration_ms, frame_bytes
from voice_hitl.frozen import frozen
from voice_hitl.transport import Heard, Played

REPORT_EVERY_MS = 100
"""`Played` comes at least this often while an item is heard."""

REMEMBERED_ITEMS = 64
"""Items whose position is kept after they fell silent, in case more of them comes (a prompt may come in between)."""

MAX_QUEUED_MS = 10 * 60 * 1000
"""More than this is never waiting to be heard: what comes on top is let go."""


@frozen()
class Tick:
    """What one tick gives: the frame to hand to the network (None: silence) and what was heard until now."""

    pcm: bytes | None
    played: tuple[Played, ...] = ()


@dataclass(slots=True)
class _Sounding:
    """The frame that was handed out at the last tick and is being heard now."""

    item: str
    ms: float


class Playback:
    """A queue of frames with their items, taken 20 ms at a time.

    A frame counts as heard at the tick after the one that handed it out. What the network and the far end's own
    buffer add to that is not known here: the far end hears it about half a round trip and one jitter buffer later.
    """

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._frame_bytes = frame_bytes(rate)
        self._queue: deque[tuple[str, bytes]] = deque()
        self._heard: dict[str, float] = {}
        self._sounding: _Sounding | None = None
        self._unreported_ms = 0.0

    @property
    def idle(self) -> bool:
        """Whether nothing is queued and nothing is being heard."""
        return not self._queue and self._sounding is None

    @property
    def queued_ms(self) -> float:
        """How much waits to be handed out, in milliseconds."""
        return len(self._queue) * FRAME_MS

    def push(self, pcm: bytes, item: str) -> bool:
        """Queue audio of `item` (mono int16; cut into frames, a short last one is heard as it is); False: too full."""
        if self.queued_ms >= MAX_QUEUED_MS:
            return False
        for start in range(0, len(pcm), self._frame_bytes):
            self._queue.append((item, pcm[start : start + self._frame_bytes]))
        return True

    def tick(self, now: float) -> Tick:
        """Account for what was heard in the last 20 ms and give the next frame."""
        if self._sounding is None and not self._queue:
            return Tick(None)
        before = self._account()
        if not self._queue:
            self._unreported_ms = 0.0
            return Tick(None, (Played(before, self._heard[before], now, last=True),) if before is not None else ())
        item, pcm = self._queue.popleft()
        played: tuple[Played, ...] = ()
        if before is not None and (item != before or self._unreported_ms >= REPORT_EVERY_MS):
            played = (Played(before, self._heard[before], now),)
            self._unreported_ms = 0.0
        self._sounding = _Sounding(item, duration_ms(pcm, self._rate))
        return Tick(pcm.ljust(self._frame_bytes, b"\0"), played)

    def clear(self) -> Heard:
        """Drop everything that was not handed out. The frame being heard now cannot be called back: it counts."""
        queued = dict.fromkeys(item for item, _ in self._queue)
        self._queue.clear()
        item = self._account()
        self._unreported_ms = 0.0
        dropped = tuple(name for name in queued if name not in self._heard)
        if item is None:
            item = next((name for name in queued if name in self._heard), None)
        return Heard(item, self._heard[item], dropped) if item is not None else Heard(dropped=dropped)

    def _account(self) -> str | None:
        """Count the frame that was being heard; return its item."""
        if self._sounding is None:
            return None
        item, ms = self._sounding.item, self._sounding.ms
        self._sounding = None
        self._heard[item] = self._heard.pop(item, 0.0) + ms
        self._unreported_ms += ms
        if len(self._heard) > REMEMBERED_ITEMS:
            del self._heard[next(iter(self._heard))]
        return item
