import pytest

from voice_hitl.calls.call import ToolCall
from voice_hitl.doors.text_call import TextCallDoor
from voice_hitl.enums import DoorName

pytestmark = pytest.mark.anyio


async def test_it_delivers_the_one_result_into_the_conversation() -> None:
    results: dict[str, str] = {}
    door = TextCallDoor(results.__setitem__)
    assert door.name is DoorName.TEXT_CALL
    assert await door.deliver(ToolCall("c1", "look_up", "{}", "r1", 0), "soup", failed=True) == "output"
    assert results == {"c1": "soup"}
