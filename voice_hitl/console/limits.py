"""`Limit`: how often somebody may do something. Pure: times come in, as monotonic seconds."""

from collections import OrderedDict
from typing import Final

MOST_KNOWN: Final = 10_000
"""How many are remembered; who was quiet for longest is forgotten first."""


class Limit:
    """A bucket for each: `burst` at once, and `per_second` after that.

    Args:
        burst: How many at once.
        per_second: How many more each second.
    """

    def __init__(self, *, burst: float, per_second: float) -> None:
        self._burst = burst
        self._per_second = per_second
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait_for(self, who: str, now: float) -> float:
        """Count one more of `who`; 0: go on. Otherwise it is one too many, and so many seconds have to pass."""
        left = self._left_for(who, now)
        wait_s = self._wait_s(left)
        self._left[who] = (left if wait_s else left - 1, now)
        self._left.move_to_end(who)
        if len(self._left) > MOST_KNOWN:
            self._left.popitem(last=False)
        return wait_s

    def would_wait(self, who: str, now: float) -> float:
        """The same, without counting one."""
        return self._wait_s(self._left_for(who, now))

    def _left_for(self, who: str, now: float) -> float:
        left, at = self._left.get(who, (self._burst, now))
        return min(self._burst, left + (now - at) * self._per_second)

    def _wait_s(self, left: float) -> float:
        return max(0.0, (1 - left) / self._per_second)
