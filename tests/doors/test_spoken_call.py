import pytest

from voice_hitl.calls.call import ToolCall
from voice_hitl.doors.gate import Catalogue
from voice_hitl.doors.spoken_call import SpokenCallDoor, closed
from voice_hitl.enums import DoorName
from voice_hitl.tools.definition import AITool

pytestmark = pytest.mark.anyio


async def test_it_delivers_as_text_in_a_fence_that_nothing_inside_closes() -> None:
    told: list[str] = []

    async def inject(text: str) -> None:
        told.append(text)

    door = SpokenCallDoor(inject)
    assert door.name is DoorName.SPOKEN_CALL
    assert await door.deliver(ToolCall("c1", "look_up", "{}", "r1", 0), "a\n```\nb", failed=False) == "text"
    assert told == ["The tool look_up has returned:\n````\na\n```\nb\n````"]


async def test_for_bare_values_a_schema_that_says_nothing_of_other_members_takes_none() -> None:
    plain = AITool("plain", "", {"type": "object", "properties": {"q": {}}})
    says_so = AITool("open", "", {"type": "object", "additionalProperties": True})
    tools = closed(Catalogue([plain, says_so])).definitions
    assert tools[0].parameters["additionalProperties"] is False
    assert tools[1] is says_so
