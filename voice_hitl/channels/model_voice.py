"""Waiting for the model to speak, or to be quiet."""

from collections.abc import Callable

from voice_hitl.tasks import Latch


class ModelVoice:
    """Whether the model speaks, for whoever waits for it.

    Args:
        speaks: Whether it responds, or its words are still being heard.
    """

    def __init__(self, speaks: Callable[[], bool]) -> None:
        self._speaks = speaks
        self._waiting: list[Latch] = []

    async def until(self, *, speaks: bool) -> None:
        """Wait until it speaks, or until it does not."""
        while self._speaks() is not speaks:
            await self.change()

    async def change(self) -> None:
        """Wait until it may have begun or ceased to speak."""
        latch = Latch()
        self._waiting.append(latch)
        await latch.wait()

    def changed(self) -> None:
        """It may have begun or ceased to speak."""
        waiting, self._waiting = self._waiting, []
        for latch in waiting:
            latch.set()
