"""A conference's call: its outcome goes back as any other's, and the model is told who of those in the room decided."""

import json
import logging
from collections.abc import Awaitable, Callable

from voice_hitl.calls.call import ToolCall
from voice_hitl.doors.pipeline import Door
from voice_hitl.enums import DoorName
from voice_hitl.errors import ConnectionEnded, ProviderError

log = logging.getLogger(__name__)


class ConferenceCallDoor:
    """Delivers as another door does, right after the name of who answered: a result is an answer's words, and no more.

    Args:
        door: Delivers the outcome itself.
        inject: Adds a silent line to what the model knows.
        name: Which door it is.
    """

    def __init__(
        self, door: Door, inject: Callable[[str], Awaitable[None]], *, name: DoorName = DoorName.CONFERENCE_CALL
    ) -> None:
        self._door = door
        self._inject = inject
        self._name = name

    @property
    def name(self) -> DoorName:
        """Which door it is."""
        return self._name

    async def deliver(self, call: ToolCall, text: str, *, failed: bool) -> str:
        """Say who answered, where somebody did, and send the outcome: that one, even where the other cannot be said."""
        if call.answered_by is not None:
            try:
                await self._inject(who_answered(call))
            except (ConnectionEnded, ProviderError) as error:
                log.info("the model could not be told who answered call %s: %s", call.call_id, error)
        return await self._door.deliver(call, text, failed=failed)


def who_answered(call: ToolCall) -> str:
    """The line that names who answered. The name is theirs to choose: it is quoted, as data."""
    return f"The call of the tool {call.name} ({call.call_id}) was answered by {json.dumps(call.answered_by)}."
