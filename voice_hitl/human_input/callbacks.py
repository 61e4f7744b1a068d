"""Who is told of a request: the channel it belongs to, or whoever holds the handler."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol, cast

from voice_hitl.hooks import TIMEOUT_S, HookResult
from voice_hitl.requests.pending import PendingInput, PendingInputEvent
from voice_hitl.requests.scopes import Scope
from voice_hitl.tasks import run_users_code


class RequestCallbacks(Protocol):
    """What a channel registers with a handler, to be told of its requests."""

    @property
    def listens(self) -> bool:
        """Whether anybody would hear of a new request."""
        ...

    @property
    def hears_ends(self) -> bool:
        """Whether anybody would hear of the end of one."""
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

    def late(self, event: PendingInputEvent, words: str) -> bool:
        """An answer came after the request's call had ended. Whether a conversation that goes on is told of it."""
        ...


OnInputRequired = Callable[[PendingInputEvent], Awaitable[HookResult | None]]
OnInputSettled = Callable[[PendingInputEvent], Awaitable[None]]


class HandlerWideCallbacks:
    """The callbacks given to the handler itself: for requests that no registered channel is told of.

    They are the application's own code, and have as long as a hook has.
    """

    def __init__(self, required: OnInputRequired | None, settled: OnInputSettled | None) -> None:
        self._required = required
        self._settled = settled

    @property
    def listens(self) -> bool:
        """Whether a callback for new requests was given."""
        return self._required is not None

    @property
    def hears_ends(self) -> bool:
        """Whether a callback for settled ones was given."""
        return self._settled is not None

    async def required(self, event: PendingInputEvent) -> str | None:
        """Ask the application's callback; its block is a denial."""
        if self._required is None:
            return None
        call = partial(self._required, event)
        result = cast("object", await run_users_code(call, label="on_input_required", bound_s=TIMEOUT_S))
        if result is not None and not isinstance(result, HookResult):
            raise TypeError(f"on_input_required returns HookResult or None, not {type(result).__name__}")
        return result.reason if result is not None and result.blocked else None

    async def settled(self, event: PendingInputEvent) -> None:
        """Tell the application's callback."""
        if self._settled is not None:
            await run_users_code(partial(self._settled, event), label="on_input_settled", bound_s=TIMEOUT_S)

    def failed(self, request: PendingInput, source: str, message: str) -> None:
        """Nobody to tell beyond the log, where it already is."""

    def late(self, event: PendingInputEvent, words: str) -> bool:
        """Tell nobody: there is no conversation here."""
        return False


class Routes:
    """Which callbacks hear of a request, by its channel. Never those of another channel."""

    def __init__(self, handler_wide: RequestCallbacks) -> None:
        self._handler_wide = handler_wide
        self._channels: dict[str, RequestCallbacks] = {}

    def register(self, channel_id: str, callbacks: RequestCallbacks) -> None:
        """Tell `callbacks` of this channel's requests; whoever was registered under its id hears of no new ones."""
        self._channels[channel_id] = callbacks

    def close(self, scope: Scope) -> None:
        """Forget the channels that a closed scope is the whole of."""
        if scope == Scope():
            self._channels.clear()
        elif scope == Scope(channel_id=scope.channel_id):
            self._channels.pop(scope.channel_id or "", None)

    def of(self, channel_id: str) -> RequestCallbacks:
        """The channel's own; without an id those of the only channel there is; otherwise the handler-wide ones."""
        if not channel_id and len(self._channels) == 1:
            return next(iter(self._channels.values()))
        return self._channels.get(channel_id, self._handler_wide)
