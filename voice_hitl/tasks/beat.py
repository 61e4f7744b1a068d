"""`Beat`: one timer of the event loop for everybody who has something to do every 20 ms."""

import asyncio
import logging
from collections.abc import Callable

log = logging.getLogger(__name__)

BEAT_S = 0.020

CATCH_UP_S = 0.2
"""After a stall the beats of this time are made good one right after another; older ones are skipped."""


class Beat:
    """A place in the loop's beat, from now until `leave`.

    A hundred calls with timers and tasks of their own cost a core more than what those do. Here it is one timer: all
    are called in the order in which they joined, the first time at once where nobody else has a place yet.

    Args:
        call: Is called with the moment that the beat was due, by the loop's clock. What it raises is logged, and ends
            its place.
        label: What to call it in the log.
    """

    def __init__(self, call: Callable[[float], None], label: str) -> None:
        self.call = call
        self.label = label
        loop = asyncio.get_running_loop()
        if loop not in _EVERYBODY:
            _EVERYBODY[loop] = _Everybody(loop)
        self._everybody = _EVERYBODY[loop]
        self._everybody.join(self)

    def leave(self) -> None:
        """Be called no more, not even in a beat that has begun; leaving twice is harmless."""
        self._everybody.leave(self)


class _Everybody:
    """Who has a place in one loop's beat."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._places: dict[Beat, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0

    def join(self, place: Beat) -> None:
        self._places[place] = None
        if self._timer is None:
            self._due = self._loop.time()
            self._timer = self._loop.call_at(self._due, self._beat)

    def leave(self, place: Beat) -> None:
        self._places.pop(place, None)
        if not self._places and self._timer is not None:
            self._timer.cancel()
            self._timer = None
            del _EVERYBODY[self._loop]

    def _beat(self) -> None:
        due = self._due
        skipped = int(max(0.0, self._loop.time() - due - CATCH_UP_S) / BEAT_S)
        self._due = due + (1 + skipped) * BEAT_S
        self._timer = self._loop.call_at(self._due, self._beat)
        for place in tuple(self._places):
            if place in self._places:
                try:
                    place.call(due)
                except Exception:  # one call's failure is not another one's
                    log.exception("%s failed", place.label)
                    self.leave(place)


_EVERYBODY: dict[asyncio.AbstractEventLoop, _Everybody] = {}
"""By loop, where anybody has a place."""
