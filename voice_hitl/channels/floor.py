"""The floor: who speaks in a session now, the model or an asker. One holder at a time, the others queue."""

from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from voice_hitl.tasks import Latch

QUEUE = 16
"""How many askers may wait for the floor; one more fails at once."""


class FloorFull(Exception):  # noqa: N818 - named by its cause
    """Too many wait for the floor already."""


class Floor:
    """Who speaks: the model, unless an asker has taken the floor.

    Args:
        on_return: Is told when the model has the floor again.
    """

    def __init__(self, on_return: Callable[[], None] = lambda: None) -> None:
        self._on_return = on_return
        self._holder: str | None = None
        self._waiting: deque[tuple[str, Latch]] = deque()

    @property
    def holder(self) -> str | None:
        """The request that holds the floor; None: the model has it."""
        return self._holder

    @asynccontextmanager
    async def taken_by(self, pending_id: str) -> AsyncGenerator[None]:
        """Hold the floor for a request, in order of arrival; `FloorFull` at once where too many wait.

        Leaving it hands the floor to the next in the queue, in the same tick, or back to the model.
        """
        if self._holder is None:
            self._holder = pending_id
        elif len(self._waiting) >= QUEUE:
            raise FloorFull(f"{QUEUE} questions are waiting to be asked aloud already")
        else:
            turn = (pending_id, Latch())
            self._waiting.append(turn)
            try:
                await turn[1].wait()
            except BaseException:
                self._leave(turn)
                raise
        try:
            yield
        finally:
            self._pass_on()

    def _leave(self, turn: tuple[str, Latch]) -> None:
        if turn in self._waiting:
            self._waiting.remove(turn)
        else:
            self._pass_on()

    def _pass_on(self) -> None:
        if self._waiting:
            self._holder, latch = self._waiting.popleft()
            latch.set()
        else:
            self._holder = None
            self._on_return()
