"""What a call's line did to the audio and the keys, and whether that is good enough."""

from dataclasses import dataclass
from typing import Final, Protocol

import anyio

from voice_hitl.audio.playout import Counts
from voice_hitl.tasks import current_time
from voice_hitl.transport import Leg

STANDSTILL_MS: Final = 40.0
"""The playout buffer bridges less than this."""

LOOK_EVERY_S: Final = 0.01


class Standstill:
    """Sees for how long the process did not get to its work."""

    def __init__(self) -> None:
        self.longest_ms = 0.0

    async def watch(self) -> None:
        """Look, until cancelled."""
        due = current_time() + LOOK_EVERY_S
        while True:
            await anyio.sleep_until(due)
            now = current_time()
            self.longest_ms = max(self.longest_ms, (now - due) * 1000)
            due = now + LOOK_EVERY_S


class CallingLeg(Leg, Protocol):
    """A leg that placed its call: it can press keys, and counts what came."""

    @property
    def counts(self) -> Counts:
        """What became of the far end's packets."""
        ...

    async def press(self, keys: str) -> None:
        """Press keys; returns when the last was let go."""
        ...


@dataclass(frozen=True, slots=True)
class Bar:
    """What is promised up to a share of lost packets."""

    loss: float
    heard: float
    """The least share of the frames that are played or recovered."""
    stall_ms: float | None
    """The longest that may be concealed at a stretch."""


BARS: Final = (Bar(0.01, 0.995, 40.0), Bar(0.05, 0.98, None))
"""From the mildest on; beyond the last nothing is promised but the keys."""


@dataclass(frozen=True, slots=True)
class LineQuality:
    """What was heard of the agent over a line that loses packets, and what it got of our keys."""

    loss: float
    """The share of the packets that the line was to lose, each way."""
    delivered: int
    """Frames that were played as they came."""
    recovered: int
    """Frames that were lost, and recovered from the packet behind them."""
    concealed: int
    """Frames that were made up."""
    stall_ms: float
    """The longest that was made up at a stretch."""
    stood_still_ms: float = 0.0
    """The longest that this machine kept the call's own process waiting, which no line is to blame for."""
    keyed: str = ""
    arrived: str = ""

    @property
    def heard(self) -> float:
        """The share of the frames that was played or recovered."""
        frames = self.delivered + self.recovered + self.concealed
        return (self.delivered + self.recovered) / frames if frames else 0.0

    @property
    def excuse(self) -> str:
        """What of it is not the line's, if anything."""
        if self.stood_still_ms <= STANDSTILL_MS:
            return ""
        return f"this machine kept the call waiting for up to {self.stood_still_ms:.0f} ms, which is in these figures"

    @property
    def misses(self) -> list[str]:
        """What is not good enough, a sentence each."""
        bar = next((bar for bar in BARS if self.loss <= bar.loss), None)
        missed: list[str] = []
        if bar is not None and self.heard < bar.heard:
            missed.append(f"{self.heard:.1%} of the frames were played or recovered, and {bar.heard:.1%} is the least")
        if bar is not None and bar.stall_ms is not None and self.stall_ms > bar.stall_ms:
            missed.append(f"the longest stall was {self.stall_ms:.0f} ms, and {bar.stall_ms:.0f} ms is the most")
        if self.arrived != self.keyed:
            missed.append(f"the keys {self.keyed} arrived as {self.arrived or 'nothing'}")
        return missed
