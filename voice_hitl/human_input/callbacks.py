"""Who is told of a request: the channel it belongs to, or whoever holds the handler."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from voice_hitl.hooks import HookResult
from voice_hitl.requests.pending import PendingInput, PendingInputEvent


class RequestCallbacks(Protocol):
    """What a channel registers with a handler, to be told of its requests."""

    @property
    def listens(self) -> bool:
        """Whether anybody would hear of a new request."""
        ...

    async def required(self, event: PendingInputEvent) -> str | None:
        """A request was created. The reason of a denial, or None."""
        ...

    async def settled(self, event: PendingInputEvent) -> None:
        """A request ended. Comes exactly once for every request created."""
        ...

    def failed(self, request: PendingInput, source: str, message: str) -> None:
        """Something went wrong beside the request, which goes on."""
        ...


OnInputRequired = Callable[[PendingInputEvent], Awaitable[HookResult | None]]
OnInputSettled = Callable[[PendingInputEvent], Awaitable[None]]


class HandlerWideCallbacks:
    """The callbacks given to the handler itself: for requests that no registered channel is told of."""

    def __init__(self, required: OnInputRequired | None, settled: OnInputSettled | None) -> None:
        self._required = required
        self._settled = settled

    @property
    def listens(self) -> bool:
        """Whether either callback was given."""
        return self._required is not None or self._settled is not None

    async def required(self, event: PendingInputEvent) -> str | None:
        """Ask the application's callback; its block is a denial."""
        result = await self._required(event) if self._required is not None else None
        return result.reason if result is not None and result.blocked else None

    async def settled(self, event: PendingInputEvent) -> None:
        """Tell the application's callback."""
        if self._settled is not None:
            await self._settled(event)

    def failed(self, request: PendingInput, source: str, message: str) -> None:
        """Nobody to tell beyond the log, where it already is."""
