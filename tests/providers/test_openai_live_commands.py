"""From what is wanted to the Live wire: every command is one of the reference's, and no append is too long."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.live.client_event import ClientEvent
from pydantic import TypeAdapter

from voice_hitl.provider import ProviderConfig
from voice_hitl.tools.definition import AITool
from voice_hitl_openai import live_commands as commands
from voice_hitl_openai.history import OwedCall, Said
from voice_hitl_openai.live_settings import MOST_REPLAYED, MOST_REPLAYED_BYTES, LiveSettings, replayed_items

_REFERENCE = TypeAdapter[object](ClientEvent)
LOOK_UP = AITool("look_up", "Look up.", {"type": "object", "properties": {"q": {"type": "string"}}})
CONFIG = ProviderConfig(instructions="Be brief.", tools=(LOOK_UP,), voice="cedar")


@pytest.mark.parametrize(
    "command",
    [
        commands.start("e", LiveSettings(model="gpt-live-1.1").session_of(CONFIG, [Said("user", "Hi.")])),
        commands.start(
            "e", LiveSettings(model="m", delegation="responses", backend={"model": "gpt-5.5"}).session_of(CONFIG, [])
        ),
        commands.append("commentary", "e", "Hello.", "d1"),
        commands.append("thinking", "e", "Hello.", None),
        commands.append("instructions", "e", "Hello.", None),
        commands.append_live_audio(bytes(960)),
        commands.give_output("e", "c1", "found"),
        commands.create_backend_response("e"),
        commands.close("e"),
    ],
)
def test_every_command_is_one_of_the_references(command: str) -> None:
    _REFERENCE.validate_json(command)


def test_the_backend_has_the_tools_and_the_model_that_talks_has_none() -> None:
    ours = LiveSettings(model="m").session_of(CONFIG, [])
    theirs = LiveSettings(model="m", delegation="responses", backend={"model": "gpt-5.5"}).session_of(CONFIG, [])
    assert ours["delegation"] == {"type": "client"}
    assert "tools" not in ours
    assert json.dumps(theirs["delegation"]).count("look_up") == 1
    assert ours["audio"] == {"format": {"type": "audio/pcm", "rate": 24_000}, "output": {"voice": "cedar"}}


def test_what_was_said_before_is_replayed_as_far_as_it_fits_the_newest_of_it() -> None:
    items = replayed_items([Said("user", "x" * 5_000), Said("system", "Known."), Said("assistant", "y" * 4_000)])
    assert [item["role"] for item in items] == ["developer", "assistant"]
    assert len(replayed_items([Said("user", "a")] * 500)) == MOST_REPLAYED
    assert replayed_items([OwedCall("c1", "look_up", "{}"), Said("user", " ")]) == []
    assert MOST_REPLAYED_BYTES < 8_192


@given(st.text(max_size=4_000))
def test_no_piece_is_too_long_and_nothing_is_lost(text: str) -> None:
    pieces = commands.pieces(text)
    assert all(0 < len(piece.encode()) <= commands.MOST_BYTES for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


def test_a_text_is_cut_at_the_ends_of_its_sentences() -> None:
    sentence = "This is one of a good many sentences, all of them alike. "
    pieces = commands.pieces(sentence * 30)
    assert all(piece.endswith("alike.") for piece in pieces)
    assert commands.pieces("Short.") == ["Short."]
    assert commands.pieces(" ") == []
