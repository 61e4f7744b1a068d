"""What a channel's hooks are told of the requests that came through it."""

from collections.abc import Callable

from voice_hitl.enums import ChannelType, HookTrigger
from voice_hitl.events import ErrorEvent
from voice_hitl.hooks import HookContext, Hooks
from voice_hitl.requests.pending import PendingInput, PendingInputEvent
from voice_hitl.tasks import Tasks

FAILED_CLOSED = "The request could not be announced, so it was not asked."
"""What the model reads when a hook that fails closed failed."""


class RequestHooks:
    """A channel's callbacks at its human-input handler (`RequestCallbacks`).

    Args:
        channel_type: The channel's.
        hooks: Its hooks, as they are now.
        context: Where hooks run, for a session's id and a room's.
        watching: Runs the hooks that only watch, for a session's id: a session ends when they have.
        late: Tells the conversation that a request came from of a late answer; says whether it goes on.
    """

    def __init__(
        self,
        *,
        channel_type: ChannelType,
        hooks: Callable[[], Hooks],
        context: Callable[[str, str], HookContext],
        watching: Callable[[str], Tasks],
        late: Callable[[PendingInputEvent, str], bool] = lambda _event, _words: False,
    ) -> None:
        self._channel_type = channel_type
        self._hooks = hooks
        self._context = context
        self._watching = watching
        self._late = late

    @property
    def listens(self) -> bool:
        """Whether any hook would hear of a request."""
        return self._hooks().listens(HookTrigger.ON_USER_INPUT_REQUIRED, self._channel_type)

    @property
    def hears_ends(self) -> bool:
        """Whether any hook would hear of the end of one."""
        return self._hooks().listens(HookTrigger.ON_USER_INPUT_SETTLED, self._channel_type)

    async def required(self, event: PendingInputEvent) -> str | None:
        """Run `ON_USER_INPUT_REQUIRED`; the reason of a denial, or None."""
        hooks, context = self._hooks(), self._context(event.session_id, event.room_id)
        hooks.observe(HookTrigger.ON_USER_INPUT_REQUIRED, event, context, self._watching(event.session_id))
        decision = await hooks.decide(HookTrigger.ON_USER_INPUT_REQUIRED, event, context)
        if not decision.blocked:
            return None
        return decision.reason if decision.failure is None else FAILED_CLOSED

    async def settled(self, event: PendingInputEvent) -> None:
        """Run `ON_USER_INPUT_SETTLED`."""
        hooks, context = self._hooks(), self._context(event.session_id, event.room_id)
        hooks.observe(HookTrigger.ON_USER_INPUT_SETTLED, event, context, self._watching(event.session_id))
        await hooks.decide(HookTrigger.ON_USER_INPUT_SETTLED, event, context)

    def failed(self, request: PendingInput, source: str, message: str) -> None:
        """Tell `ON_ERROR`."""
        event = ErrorEvent(
            channel_id=request.channel_id,
            channel_type=self._channel_type,
            room_id=request.room_id,
            session_id=request.session_id,
            source=source,
            message=message,
        )
        context = self._context(request.session_id, request.room_id)
        self._hooks().tell(HookTrigger.ON_ERROR, event, context, self._watching(event.session_id))

    def late(self, event: PendingInputEvent, words: str) -> bool:
        """Tell the conversation of a late answer, where it goes on."""
        return self._late(event, words)
