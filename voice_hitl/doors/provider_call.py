"""The provider's own function call: its outcome goes back as the call's output."""

from collections.abc import Awaitable, Callable

from voice_hitl.calls.call import ToolCall
from voice_hitl.enums import DoorName

SendResult = Callable[[ToolCall, str, bool], Awaitable[str]]
"""`(call, text, failed)`; says how it was sent: `"output"` or `"text"`."""


class ProviderCallDoor:
    """Delivers by `send_tool_result` on whatever connection the session has when the outcome is there."""

    name = DoorName.PROVIDER_CALL

    def __init__(self, send: SendResult) -> None:
        self._send = send

    def deliver(self, call: ToolCall, text: str, *, failed: bool) -> Awaitable[str]:
        """Send the one output of the call."""
        return self._send(call, text, failed)
