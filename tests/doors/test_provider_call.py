import pytest

from voice_hitl.calls.call import ToolCall
from voice_hitl.doors.provider_call import ProviderCallDoor
from voice_hitl.enums import DoorName

pytestmark = pytest.mark.anyio


async def test_it_delivers_by_sending_the_one_output_of_the_call_and_says_how() -> None:
    sent: list[tuple[str, str, str, bool]] = []

    async def send(call: ToolCall, text: str, failed: bool) -> str:
        sent.append((call.call_id, call.name, text, failed))
        return "text"

    door = ProviderCallDoor(send)
    assert door.name is DoorName.PROVIDER_CALL
    assert await door.deliver(ToolCall("c1", "look_up", "{}", "r1", 0), "soup", failed=True) == "text"
    assert sent == [("c1", "look_up", "soup", True)]
