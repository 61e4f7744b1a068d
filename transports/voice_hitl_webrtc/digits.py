"""Keys pressed on the far end's keypad, read from its audio stream (telephone-event, RFC 4733): pure."""

from collections import deque
from dataclasses import dataclass

KEYS = "0123456789*#ABCD"
"""By event code (RFC 4733 3.2); what is above is no key."""

LONGEST_SEGMENT = 0xFFFF
"""A longer press goes on in a new segment, whose timestamp is this much later (RFC 4733 2.5.1.3)."""

SILENT_AFTER_S = 0.2
"""A press of which nothing more came for so long is over: its end packets are lost (they come every 50 ms)."""

REMEMBERED = 16


@dataclass(frozen=True, slots=True)
class Press:
    """One key, pressed once."""

    key: str
    duration_ms: int


@dataclass(slots=True)
class _Held:
    source: int
    began: int
    code: int
    segment: int
    duration: int
    seen_at: float


class DigitReader:
    """One press is one digit, however many packets tell of it: they are told apart by source and timestamp.

    Args:
        clock_rate: units of the RTP timestamp in a second (48000 beside Opus).
    """

    def __init__(self, clock_rate: int) -> None:
        self._clock_rate = clock_rate
        self._held: _Held | None = None
        self._done: deque[tuple[int, int]] = deque(maxlen=REMEMBERED)

    def push(self, source: int, timestamp: int, payload: bytes, now: float) -> list[Press]:
        """An event packet came; return the presses that are known to be over now."""
        if len(payload) < 4 or payload[0] >= len(KEYS) or (source, timestamp) in self._done:
            return []
        code, ends = payload[0], bool(payload[1] & 0x80)
        duration = int.from_bytes(payload[2:4], "big")
        held, presses = self._held, []
        if held is None or not self._continues(held, source, timestamp, code):
            presses = self._release()
            held = self._held = _Held(source, timestamp, code, timestamp, duration, now)
        elif timestamp != held.segment:
            self._done.append((source, held.segment))
            held.segment = timestamp
        held.duration = max(held.duration, (timestamp - held.began) % (1 << 32) + duration)
        held.seen_at = now
        return presses + self._release() if ends else presses

    def tick(self, now: float) -> list[Press]:
        """Time goes on: a press whose end was lost is over."""
        if self._held is not None and now - self._held.seen_at >= SILENT_AFTER_S:
            return self._release()
        return []

    @staticmethod
    def _continues(held: _Held, source: int, timestamp: int, code: int) -> bool:
        same_source_and_key = (held.source, held.code) == (source, code)
        return same_source_and_key and (timestamp - held.segment) % (1 << 32) in {0, LONGEST_SEGMENT}

    def _release(self) -> list[Press]:
        held, self._held = self._held, None
        if held is None:
            return []
        self._done.append((held.source, held.segment))
        return [Press(KEYS[held.code], round(held.duration * 1000 / self._clock_rate))]
