import base64
import json
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.realtime.realtime_client_event import RealtimeClientEvent
from pydantic import TypeAdapter

from voice_hitl.provider import ProviderConfig
from voice_hitl.tools.definition import AITool
from voice_hitl_openai import commands
from voice_hitl_openai.settings import Settings, default_turn_detection

_REFERENCE = TypeAdapter[object](RealtimeClientEvent)


def read(command: str) -> dict[str, object]:
    return cast("dict[str, object]", json.loads(command))


@pytest.mark.parametrize(
    "command",
    [
        commands.append_audio(b"\0\1" * 480),
        commands.update_session(
            "update-1",
            Settings().session_of(
                ProviderConfig(instructions="Be kind.", tools=[AITool("ask_human", "Asks.")]), default_turn_detection()
            ),
        ),
        commands.create_item(commands.message_item("item-1", "system", "A person is asked.")),
        commands.create_item(commands.message_item("item-1", "user", "Hello.")),
        commands.create_item(commands.message_item("item-1", "assistant", "Hello.")),
        commands.create_item(commands.call_item("item-1", "call_1", "ask_human", "{}")),
        commands.create_item(commands.output_item("item-1", "call_1", "yes")),
        commands.delete_item("delete-1", "item_1"),
        commands.truncate_item("truncate-1", "item_1", 0, 1_500),
        commands.create_response("respond-1"),
        commands.create_saying("say-1", "Shall I go ahead?"),
        commands.cancel_response("cancel-1", "resp_1"),
    ],
)
def test_every_command_is_an_event_of_the_reference(command: str) -> None:
    _REFERENCE.validate_json(command)


@given(st.binary(max_size=2_000))
def test_audio_is_sent_as_it_is(pcm: bytes) -> None:
    event = read(commands.append_audio(pcm))
    assert event["type"] == "input_audio_buffer.append"
    assert base64.b64decode(str(event["audio"])) == pcm


def test_going_on_carries_no_instructions() -> None:
    event = read(commands.create_response("respond-1"))
    assert event["response"] == {"metadata": {"voice_hitl": "respond-1"}}


def test_words_to_be_said_go_out_of_band_with_no_tools_and_nothing_else_to_read() -> None:
    response = cast("dict[str, object]", read(commands.create_saying("say-1", "Shall I go ahead?"))["response"])
    assert response["conversation"] == "none"
    assert response["tools"] == []
    assert response["tool_choice"] == "none"
    words = {"type": "input_text", "text": "Shall I go ahead?"}
    assert response["input"] == [{"type": "message", "role": "user", "content": [words]}]


@given(st.text(st.characters(codec=None), max_size=200))
def test_no_text_breaks_a_command(text: str) -> None:
    command = commands.create_item(commands.output_item("item-1", "call_1", text))
    assert read(command.encode().decode())["item"] == commands.output_item("item-1", "call_1", text)
