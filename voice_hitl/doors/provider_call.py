"""The provider's own function call: its outcome goes back as the call's output."""

from collections.abc import Awaitable, Callable

from voice_hitl.calls.call import ToolCall
from voice_hitl.enums import DoorName

SendResult = Callable[[ToolCall, str, bool], Awaitable[str]]
"""`(call, text, failed)`; says how it was sent: `"output"` or `"text"`."""


class ProviderCallDoor:
    """Delivers by `send_tool_result` on whatever connection the session has when the outcome is there.

    Args:
        send: Sends the one output of a call.
        name: What the door is called: a conference's model is a provider like any other, and its calls go back alike.
    """

    def __init__(self, send: SendResult, *, name: DoorName = DoorName.PROVIDER_CALL) -> None:
        self._send = send
        self._name = name

    @property
    def name(self) -> DoorName:
        """Which door it is."""
        return self._name

    async def deliver(self, call: ToolCall, text: str, *, failed: bool) -> str:
        """Send the one output of the call."""
        return await self._send(call, text, failed)
