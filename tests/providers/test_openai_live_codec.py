"""From the Live wire to data: what is hostile comes out as unreadable, and nothing raises."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.provider import ProviderDigit
from voice_hitl_openai.live_codec import decode_live
from voice_hitl_openai.live_messages import (
    BackendCalls,
    BackendEnded,
    BackendStarted,
    HandedOver,
    LiveMessage,
    SessionClosed,
    Started,
    Voice,
    Words,
)
from voice_hitl_openai.messages import Meaningless, Refusal, Unknown, Unreadable

CALL = {"type": "function_call", "call_id": "c1", "name": "look_up", "arguments": "{}", "status": "completed"}


def nested(**event: object) -> dict[str, object]:
    return {"type": "response.event", "delegation_id": "d1", "event": event}


@pytest.mark.parametrize(
    ("message", "meant"),
    [
        ({"type": "session.started", "session": {"expires_at": 5}}, Started(5.0)),
        ({"type": "session.output_audio.delta", "delta": base64.b64encode(b"\1\2\3").decode()}, Voice(b"\1\2")),
        ({"type": "session.input_transcript.delta", "delta": "yes "}, Words("user", "yes ")),
        ({"type": "session.output_transcript.delta", "delta": "Hi"}, Words("assistant", "Hi")),
        (
            {"type": "session.delegation.created", "delegation": {"id": "d1", "target": "client"}},
            HandedOver("d1", "client"),
        ),
        (nested(type="response.created", response={"id": "r1"}), BackendStarted("d1", "r1")),
        (nested(type="response.failed", response={"id": "r1"}), BackendEnded("d1", "r1", "failed")),
        (nested(type="response.output_item.added", item=CALL), BackendCalls("d1", "c1", "look_up", None)),
        (nested(type="response.output_item.done", item=CALL), BackendCalls("d1", "c1", "look_up", "{}")),
        (nested(type="response.output_item.done", item={**CALL, "status": "incomplete"}), Meaningless()),
        (nested(type="response.output_text.delta", delta="x"), Meaningless()),
        ({"type": "transport.dtmf.received", "event": "5"}, ProviderDigit("5")),
        ({"type": "session.closed", "reason": "expired"}, SessionClosed("expired")),
        (
            {"type": "error", "error": {"code": "invalid_value", "message": "no", "client_event_id": "e1"}},
            Refusal("invalid_value", "no", "e1"),
        ),
        ({"type": "session.usage.updated"}, Meaningless()),
        ({"type": "session.sings"}, Unknown("session.sings")),
    ],
)
def test_a_message_means_this(message: dict[str, object], meant: LiveMessage) -> None:
    assert decode_live(json.dumps(message)) == meant


@pytest.mark.parametrize(
    "raw",
    [
        "{",
        "[]",
        "{}",
        '{"type": "session.started"}',
        '{"type": "session.output_audio.delta", "delta": "?"}',
        '{"type": "session.output_audio.delta"}',
        '{"type": "session.delegation.created", "delegation": {"id": ""}}',
        '{"type": "response.event", "event": {"type": "response.created", "response": {}}}',
        '{"type": "transport.dtmf.received"}',
        '{"type": "error", "error": "no"}',
    ],
)
def test_what_lacks_what_its_type_must_have_is_unreadable(raw: str) -> None:
    assert isinstance(decode_live(raw), Unreadable)


TYPES = ["session.started", "response.event", "session.delegation.created", "error", "session.closed", "x"]


@given(
    st.dictionaries(
        st.sampled_from(["type", "session", "event", "delegation", "delta", "error", "item"]),
        st.sampled_from(TYPES) | st.recursive(st.none() | st.integers() | st.text(), st.lists),
    )
)
def test_nothing_raises(message: dict[str, object]) -> None:
    decode_live(json.dumps(message))
