"""A call that the model said instead of issuing it: its outcome goes back as text, never as a function's output."""

from collections.abc import Awaitable, Callable

from voice_hitl.calls.call import ToolCall
from voice_hitl.calls.recovery import fenced
from voice_hitl.enums import DoorName


class SpokenCallDoor:
    """Delivers by injecting the outcome, in a fence that nothing inside can close.

    Args:
        inject: Adds a silent line to what the model knows.
    """

    name = DoorName.SPOKEN_CALL

    def __init__(self, inject: Callable[[str], Awaitable[None]]) -> None:
        self._inject = inject

    async def deliver(self, call: ToolCall, text: str, *, failed: bool) -> str:
        """Tell the model; whoever watches the call asks it to go on."""
        await self._inject(fenced(call.name, text))
        return "text"
