"""Keys that we press ourselves, as telephone-event packets beside our audio (RFC 4733): pure, ticked every 20 ms."""

from collections import deque
from dataclasses import dataclass

from voice_hitl_webrtc.digits import KEYS

HOLD_TICKS = 5
"""A key is held for 100 ms: what a telephone network takes for a press without doubt (ITU-T Q.24 asks for 40)."""

END_TICKS = 3
"""The end of a press is sent three times, as it may be lost (RFC 4733 2.5.1.4)."""

PAUSE_TICKS = 4
"""Between two presses, from the first end packet on."""

VOLUME = 10
"""In dBm0 below zero."""

_END = 0x80


@dataclass(frozen=True, slots=True)
class EventPacket:
    """One packet about a press."""

    payload: bytes
    first: bool
    """Whether it is the first one of its press: it carries the marker bit."""
    age_ticks: int
    """How many ticks ago the press began: all packets of a press have the timestamp of its beginning."""


class Keying:
    """A queue of keys, pressed one after another.

    Args:
        tick_units: units of the event's RTP clock in a tick of 20 ms (960 at 48000).
    """

    def __init__(self, tick_units: int = 960) -> None:
        self.tick_units = tick_units
        self._keys: deque[int] = deque()
        self._tick = 0

    @property
    def idle(self) -> bool:
        """Whether every key was pressed and let go."""
        return not self._keys

    def press(self, keys: str) -> None:
        """Queue keys; `ValueError` for one that no telephone has."""
        codes = [KEYS.find(key.upper()) for key in keys]
        if not keys or -1 in codes or any(len(key) != 1 for key in keys):
            raise ValueError(f"{keys!r} is to be keys of a telephone ({KEYS})")
        self._keys.extend(codes)

    def tick(self) -> EventPacket | None:
        """20 ms have passed: the packet to send now, if any."""
        if not self._keys:
            return None
        code, tick = self._keys[0], self._tick
        self._tick += 1
        if self._tick >= HOLD_TICKS + max(END_TICKS, PAUSE_TICKS):
            self._keys.popleft()
            self._tick = 0
        if tick >= HOLD_TICKS + END_TICKS:
            return None
        held = min(tick + 1, HOLD_TICKS) * self.tick_units
        flags = VOLUME | (_END if tick >= HOLD_TICKS else 0)
        return EventPacket(bytes([code, flags]) + held.to_bytes(2, "big"), tick == 0, tick)
