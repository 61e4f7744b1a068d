"""What a network does to the packets of a call: loses, delays and reorders them. Pure: chance and time come in."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One kind of network."""

    name: str
    loss: float = 0.0
    """The share of the packets that is lost (0 to 1)."""
    burst: float = 1.0
    """How many packets a loss takes on average, one after another (Gilbert's model); 1: each by its own chance."""
    jitter_ms: float = 0.0
    """Each packet is late by 0 to so much, in order all the same."""
    reordered: float = 0.0
    """The share of the packets that comes 30 ms late, behind the one after it."""
    drift_ppm: float = 0.0
    """How much slower the sender's clock is, in millionths: what it takes for 20 ms is a little longer."""


CONDITIONS = (
    Condition(name="at rest"),
    *(Condition(name=f"{loss:.0%} lost", loss=loss) for loss in (0.01, 0.03, 0.05, 0.10)),
    *(Condition(name=f"{loss:.0%} lost, in bursts of 3", loss=loss, burst=3) for loss in (0.01, 0.03, 0.05, 0.10)),
    *(Condition(name=f"jitter to {ms:.0f} ms", jitter_ms=ms) for ms in (20.0, 40.0, 60.0)),
    Condition(name="5% reordered", reordered=0.05),
    Condition(name="drift of 200 ppm", drift_ppm=200),
    Condition(name="5% lost, jitter to 40 ms", loss=0.05, jitter_ms=40),
)

LATE_S = 0.030


class Network:
    """One direction of one call.

    Args:
        condition: What it does.
        chance: Where its chance comes from, so that two calls can have the same one.
    """

    def __init__(self, condition: Condition, chance: Random) -> None:
        self.sent = 0
        self._condition = condition
        self._chance = chance
        self._is_losing = False
        self._began: float | None = None
        self._arrives = 0.0

    def delay_s(self, now: float) -> float | None:
        """How much later than now a packet that was sent now arrives; None: never."""
        condition = self._condition
        self.sent += 1
        self._began = now if self._began is None else self._began
        if self._loses():
            return None
        if condition.reordered and self._chance.random() < condition.reordered:
            return LATE_S
        late = self._chance.random() * condition.jitter_ms / 1000
        drifted = (now - self._began) * condition.drift_ppm / 1e6
        self._arrives = max(self._arrives, now + late + drifted)
        return self._arrives - now

    def _loses(self) -> bool:
        condition = self._condition
        if condition.burst == 1:
            return self._chance.random() < condition.loss
        ends = 1 / condition.burst
        begins = condition.loss * ends / (1 - condition.loss)
        self._is_losing = self._chance.random() < (1 - ends if self._is_losing else begins)
        return self._is_losing


Fate = Callable[[float], float | None]
"""Of a packet that was sent at that time: how much later it arrives, or None."""


def perfect(_now: float) -> float | None:
    """A network that does nothing to a packet."""
    return 0.0
