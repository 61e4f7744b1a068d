"""Somebody who is told of requests, and a wait as a value, for the tests of the human-input handler."""

from dataclasses import dataclass, field

import anyio

from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.requests.pending import PendingInput, PendingInputEvent


@dataclass(eq=False)
class Told:
    """Callbacks that note what they are told. `required_takes_s`: how long the hooks are busy; `denies`: what they say.

    `error` is what they die of.
    """

    required_takes_s: float = 0
    settled_takes_s: float = 0
    denies: str | None = None
    error: Exception | None = None
    listens: bool = True
    hears_ends: bool = True
    required_events: list[PendingInputEvent] = field(default_factory=list[PendingInputEvent])
    settled_events: list[PendingInputEvent] = field(default_factory=list[PendingInputEvent])
    failures: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])

    async def required(self, event: PendingInputEvent) -> str | None:
        self.required_events.append(event)
        await anyio.sleep(self.required_takes_s)
        if self.error is not None:
            raise self.error
        return self.denies

    async def settled(self, event: PendingInputEvent) -> None:
        self.settled_events.append(event)
        await anyio.sleep(self.settled_takes_s)
        if self.error is not None:
            raise self.error

    def failed(self, request: PendingInput, source: str, message: str) -> None:
        self.failures.append((request.pending_id, source, message))

    @property
    def ends(self) -> list[str | None]:
        """How the requests ended of whose ends it was told, in order."""
        return [event.end for event in self.settled_events]


@dataclass
class Waits:
    """Waiters, and what they came to: the text, or the class and words of the error."""

    handler: HumanInputHandler
    came_to: list[str] = field(default_factory=list[str])

    async def __call__(self, pending_id: str, timeout: float | None = None) -> str:
        try:
            end = await self.handler.wait(pending_id, timeout=timeout)
        except (RuntimeError, TimeoutError) as error:
            end = f"{type(error).__name__}: {error}"
        except anyio.get_cancelled_exc_class():
            self.came_to.append("cancelled")
            raise
        self.came_to.append(end)
        return end
