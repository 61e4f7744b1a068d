"""Waits for something to become so, looked at whenever something happened: no polling, and no time passes."""

from collections.abc import Callable

import anyio

from voice_hitl.tasks import Latch


class Waits:
    """The waits of one far end. Whoever changes what is waited for calls `look`."""

    def __init__(self) -> None:
        self._waits: list[tuple[Callable[[], bool], Latch]] = []

    async def until(self, is_so: Callable[[], bool], within_s: float) -> bool:
        """Wait until it is so, so many seconds of the loop's clock at most; whether it is."""
        latch = Latch()
        self._waits.append((is_so, latch))
        self.look()
        with anyio.move_on_after(within_s):
            await latch.wait()
        return latch.is_set

    def look(self) -> None:
        """Something happened: those whose wait is over go on."""
        for wait in [wait for wait in self._waits if wait[0]()]:
            self._waits.remove(wait)
            wait[1].set()
