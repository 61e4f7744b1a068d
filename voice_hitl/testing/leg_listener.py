"""The near end of a leg as a test reads it: every event, kept, and waited for."""

from collections.abc import Callable
from typing import Final, TypeVar

import anyio

from voice_hitl.errors import ConnectionEnded
from voice_hitl.testing.tones import duration_ms, voiced
from voice_hitl.transport import AudioIn, Leg, LegEvent, Played

WITHIN_S: Final = 30.0
LOOK_EVERY_S: Final = 0.01

E = TypeVar("E", bound=LegEvent)


class LegListener:
    """Takes a leg's events until they end, and keeps them."""

    def __init__(self, leg: Leg) -> None:
        self.events: list[LegEvent] = []
        self.ended = anyio.Event()
        self._leg = leg

    async def listen(self) -> None:
        """Take what comes, to the end of the stream."""
        while True:
            try:
                self.events.append(await self._leg.events().get())
            except ConnectionEnded:
                self.ended.set()
                return

    def of(self, kind: type[E]) -> list[E]:
        """The events of one kind until now."""
        return [event for event in self.events if isinstance(event, kind)]

    async def until(self, is_so: Callable[[], bool], what: str, *, within_s: float = WITHIN_S) -> None:
        """Wait until it is so, of this end or of anything else; `AssertionError` when it is not in time."""
        with anyio.move_on_after(within_s):
            while not is_so():  # noqa: ASYNC110 - it may be so at the far end, which tells nobody
                await anyio.sleep(LOOK_EVERY_S)
        if not is_so():
            seen = [event for event in self.events if not isinstance(event, AudioIn)]
            raise AssertionError(f"{what} did not come within {within_s:g} s; there was {seen}")

    async def voice(self, ms: int) -> bytes:
        """Wait for so much voice of the far end; return the voice (silence left out)."""

        def heard() -> bytes:
            return voiced(b"".join(frame.pcm for frame in self.of(AudioIn)))

        await self.until(lambda: duration_ms(heard()) >= ms, f"{ms} ms of the far end's voice")
        return heard()

    async def played(self, item: str) -> None:
        """Wait until nothing is queued behind the end of this item."""
        await self.until(
            lambda: any(played.last and played.item == item for played in self.of(Played)), f"the end of {item!r}"
        )
