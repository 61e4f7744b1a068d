"""Sessions that are being set up: a channel that closes meanwhile cuts them off, and waits until they are gone."""

from collections.abc import Generator
from contextlib import contextmanager

import anyio

from voice_hitl.tasks import Latch


class SetUps:
    """What is being set up for one owner, until it is a session.

    Args:
        owner: What `RuntimeError` says is closed.
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._running: dict[anyio.CancelScope, Latch] = {}
        self.closed = False
        """Whether nothing more is set up."""

    @contextmanager
    def one(self) -> Generator[None]:
        """Something is being set up here; `RuntimeError` when its owner is closed, or closes meanwhile."""
        self.check_open()
        done = Latch()
        with anyio.CancelScope() as scope:
            self._running[scope] = done
            try:
                yield
            finally:
                del self._running[scope]
                done.set()
        if scope.cancelled_caught:
            self.check_open()

    def check_open(self) -> None:
        """`RuntimeError` when the owner is closed."""
        if self.closed:
            raise RuntimeError(f"{self._owner} is closed")

    async def cut(self) -> None:
        """Set nothing more up, and return when what was under way has ended."""
        self.closed = True
        for scope, done in list(self._running.items()):
            scope.cancel()
            await done.wait()
