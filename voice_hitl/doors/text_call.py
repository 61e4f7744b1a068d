"""A text turn's call: its outcome becomes the call's result in the conversation, which the next round carries."""

from collections.abc import Callable

from voice_hitl.calls.call import ToolCall
from voice_hitl.enums import DoorName


class TextCallDoor:
    """Delivers into the conversation.

    Args:
        keep: Takes a call's id and the text of its one result.
    """

    name = DoorName.TEXT_CALL

    def __init__(self, keep: Callable[[str, str], None]) -> None:
        self._keep = keep

    async def deliver(self, call: ToolCall, text: str, *, failed: bool) -> str:
        """Keep the result; the text says whether it failed."""
        self._keep(call.call_id, text)
        return "output"
