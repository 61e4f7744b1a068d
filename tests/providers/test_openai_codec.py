import base64
import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.realtime.realtime_server_event import RealtimeServerEvent
from pydantic import BaseModel

from voice_hitl.provider import AudioOut, ProviderDigit, SpeechStarted, SpeechStopped, Transcript, TranscriptFailed
from voice_hitl_openai.codec import decode
from voice_hitl_openai.fields import MOST_ID_CHARS, MOST_TEXT_CHARS
from voice_hitl_openai.messages import (
    Item,
    ItemAdded,
    Meaningless,
    OutputItemAdded,
    OutputItemDone,
    Refusal,
    ResponseCreated,
    ResponseDone,
    SessionEcho,
    SpokenDelta,
    Unknown,
    Unreadable,
)
from voice_hitl_openai.reading import MOST_ARGUMENT_CHARS


def wire(kind: str, **fields: object) -> str:
    return json.dumps({"type": kind, "event_id": "event_1", **fields})


AUDIO = {"response_id": "resp_1", "item_id": "item_1", "output_index": 0, "content_index": 0}


def test_audio_comes_out_as_pcm_of_its_item_and_response() -> None:
    delta = base64.b64encode(b"\1\2\3\4").decode()
    message = decode(wire("response.output_audio.delta", **AUDIO, delta=delta))
    assert message == AudioOut(b"\1\2\3\4", "item_1", 0, "resp_1")


def test_half_a_sample_is_let_go() -> None:
    delta = base64.b64encode(b"\1\2\3").decode()
    message = decode(wire("response.output_audio.delta", **AUDIO, delta=delta))
    assert isinstance(message, AudioOut)
    assert message.pcm == b"\1\2"


@pytest.mark.parametrize("delta", ["not base64!", "AAA", 7, None])
def test_audio_that_is_not_base64_is_unreadable(delta: object) -> None:
    assert isinstance(decode(wire("response.output_audio.delta", **AUDIO, delta=delta)), Unreadable)


def test_words_of_the_model_come_out_as_what_is_new() -> None:
    message = decode(wire("response.output_audio_transcript.delta", **AUDIO, delta="One "))
    assert message == SpokenDelta("resp_1", "item_1", "One ")


def test_a_transcript_of_the_caller_is_final_when_it_is_completed() -> None:
    kind = "conversation.item.input_audio_transcription"
    where = {"item_id": "item_1", "content_index": 0}
    usage = {"type": "duration", "seconds": 1}
    assert decode(wire(f"{kind}.delta", **where, delta="ye")) == Transcript("user", "ye", False, "item_1")
    completed = wire(f"{kind}.completed", **where, transcript="yes", usage=usage)
    assert decode(completed) == Transcript("user", "yes", True, "item_1")


def test_confidence_is_the_mean_of_what_the_service_tells() -> None:
    logprobs = [{"token": "yes", "logprob": -0.1}, {"token": ".", "logprob": -0.3}]
    kind = "conversation.item.input_audio_transcription.completed"
    message = decode(wire(kind, item_id="item_1", content_index=0, transcript="yes.", logprobs=logprobs))
    assert isinstance(message, Transcript)
    assert message.confidence == pytest.approx(0.8187, abs=1e-4)


def test_a_transcript_that_failed_names_its_item() -> None:
    kind = "conversation.item.input_audio_transcription.failed"
    message = decode(wire(kind, item_id="item_1", content_index=0, error={"type": "x", "message": "no"}))
    assert message == TranscriptFailed("item_1")


def test_speech_starts_and_stops_with_the_item_it_will_be() -> None:
    started = decode(wire("input_audio_buffer.speech_started", audio_start_ms=100, item_id="item_1"))
    stopped = decode(wire("input_audio_buffer.speech_stopped", audio_end_ms=900, item_id="item_1"))
    assert (started, stopped) == (SpeechStarted("item_1"), SpeechStopped("item_1"))


@pytest.mark.parametrize(("event", "digit"), [("5", "5"), ("#", "#"), ("d", "D")])
def test_a_key_that_the_service_heard_is_a_digit(event: str, digit: str) -> None:
    assert decode(wire("input_audio_buffer.dtmf_event_received", event=event, received_at=1)) == ProviderDigit(digit)


@pytest.mark.parametrize("event", ["", "12", "E", None, 5])
def test_what_is_no_key_is_unreadable(event: object) -> None:
    assert isinstance(decode(wire("input_audio_buffer.dtmf_event_received", event=event, received_at=1)), Unreadable)


def test_a_function_call_comes_with_its_text_as_it_stands() -> None:
    call = {
        "id": "item_2",
        "object": "realtime.item",
        "type": "function_call",
        "status": "completed",
        "name": "ask_human",
        "call_id": "call_1",
        "arguments": '{"question":"Do',
    }
    item = Item("item_2", "function_call", "", "completed", "", "call_1", "ask_human", '{"question":"Do')
    done = decode(wire("response.output_item.done", response_id="resp_1", output_index=0, item=call))
    added = decode(wire("response.output_item.added", response_id="resp_1", output_index=0, item=call))
    assert (done, added) == (OutputItemDone("resp_1", item), OutputItemAdded("resp_1", item))


def test_a_call_without_an_id_is_still_a_call() -> None:
    call = {"id": "item_2", "type": "function_call", "status": "completed", "name": "x", "arguments": "{}"}
    done = decode(wire("response.output_item.done", response_id="resp_1", output_index=0, item=call))
    assert isinstance(done, OutputItemDone)
    assert done.item.call_id == ""


def test_a_message_says_its_transcript_or_its_text() -> None:
    parts = [{"type": "output_audio", "transcript": "One "}, {"type": "output_text", "text": "moment."}, 7]
    item = {"id": "item_1", "type": "message", "role": "assistant", "status": "incomplete", "content": parts}
    added = decode(wire("conversation.item.added", previous_item_id=None, item=item))
    assert added == ItemAdded(Item("item_1", "message", "assistant", "incomplete", "One moment."))


def test_a_response_hands_our_tag_back() -> None:
    theirs = decode(wire("response.created", response={"id": "resp_1", "status": "in_progress", "metadata": None}))
    ours = decode(wire("response.created", response={"id": "resp_2", "metadata": {"voice_hitl": "respond-1"}}))
    untagged = decode(wire("response.created", response={"id": "resp_3"}))
    assert theirs == ResponseCreated("resp_1", "", tags=True)
    assert ours == ResponseCreated("resp_2", "respond-1", tags=True)
    assert untagged == ResponseCreated("resp_3", "", tags=False)


def test_a_response_ends_with_its_status_and_what_failed() -> None:
    details = {"type": "failed", "error": {"type": "server_error", "code": "rate_limited", "message": "slower"}}
    failed = decode(wire("response.done", response={"id": "resp_1", "status": "failed", "status_details": details}))
    done = decode(wire("response.done", response={"id": "resp_1", "status": "completed", "status_details": None}))
    odd = decode(wire("response.done", response={"id": "resp_1", "status": "evaporated"}))
    assert failed == ResponseDone("resp_1", "failed", "rate_limited", "slower")
    assert done == ResponseDone("resp_1", "completed")
    assert odd == ResponseDone("resp_1", "failed")


def test_the_session_shows_when_it_ends_and_what_it_does_by_itself() -> None:
    detection = {"type": "server_vad", "create_response": True}
    session: dict[str, object] = {"type": "realtime", "expires_at": 1_800_000_000}
    session["audio"] = {"input": {"turn_detection": detection}}
    assert decode(wire("session.created", session=session)) == SessionEcho(True, 1_800_000_000.0, detection)
    session["audio"] = {"input": {"turn_detection": None}}
    assert decode(wire("session.updated", session=session)) == SessionEcho(False, 1_800_000_000.0, None)
    assert decode(wire("session.updated", session={"type": "realtime"})) == SessionEcho(False, None, None, echoed=False)


@pytest.mark.parametrize("expires_at", ["soon", True, float("nan"), float("inf"), 10**400, None])
def test_an_end_that_is_no_time_is_no_end(expires_at: object) -> None:
    message = decode(wire("session.created", session={"expires_at": expires_at}))
    assert isinstance(message, SessionEcho)
    assert message.expires_at is None


def test_an_error_has_a_code_whatever_it_lacks() -> None:
    full = {"type": "invalid_request_error", "code": "x", "message": "why", "param": None, "event_id": "update-1"}
    assert decode(wire("error", error=full)) == Refusal("x", "why", "update-1")
    assert decode(wire("error", error={"type": "server_error", "message": "why"})) == Refusal("server_error", "why")
    assert decode(wire("error", error={})) == Refusal("error", "")


def test_texts_are_bounded() -> None:
    kind = "conversation.item.input_audio_transcription.completed"
    heard = decode(wire(kind, item_id="item_1", transcript="x" * (MOST_TEXT_CHARS + 1)))
    assert isinstance(heard, Transcript)
    assert len(heard.text) == MOST_TEXT_CHARS
    call = {"id": "i", "type": "function_call", "arguments": "x" * (MOST_ARGUMENT_CHARS + 1)}
    done = decode(wire("response.output_item.done", response_id="r", item=call))
    assert isinstance(done, OutputItemDone)
    assert len(done.item.arguments) == MOST_ARGUMENT_CHARS


def test_an_id_beyond_all_measure_is_unreadable() -> None:
    kind = "conversation.item.input_audio_transcription.failed"
    assert isinstance(decode(wire(kind, item_id="x" * (MOST_ID_CHARS + 1))), Unreadable)


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"null", b"[]", b"7", b'"type"', b"{}", b'{"type": 7}', b"\xff\xfe\x00", b"[" * 100_000, b'{"type":'],
)
def test_what_is_no_event_is_unreadable(raw: bytes) -> None:
    assert isinstance(decode(raw), Unreadable)


def test_a_type_that_nobody_told_us_of_is_unknown() -> None:
    assert decode(wire("response.hologram.delta")) == Unknown("response.hologram.delta")


def _types_of_the_reference() -> list[str]:
    models: tuple[type[BaseModel], ...] = get_args(get_args(RealtimeServerEvent)[0])
    return sorted(get_args(model.model_fields["type"].annotation)[0] for model in models)


@pytest.mark.parametrize("kind", [kind for kind in _types_of_the_reference() if "mcp" not in kind])
def test_every_type_of_the_reference_is_known(kind: str) -> None:
    assert not isinstance(decode(wire(kind)), Unknown)


@pytest.mark.parametrize(
    "kind", ["rate_limits.updated", "response.function_call_arguments.done", "response.output_audio_transcript.done"]
)
def test_what_says_nothing_we_need_is_let_go(kind: str) -> None:
    assert isinstance(decode(wire(kind)), Meaningless)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)
keys = st.sampled_from([
    "item_id", "response_id", "delta", "item", "response", "session", "error", "transcript", "logprobs", "event", "id",
    "audio", "content", "metadata", "content_index",
])  # fmt: skip


@given(st.sampled_from(_types_of_the_reference()), st.dictionaries(keys, values | st.dictionaries(keys, values)))
def test_whatever_a_message_holds_decoding_never_raises(kind: str, fields: dict[str, object]) -> None:
    decode(json.dumps({**fields, "type": kind}))


@given(st.binary(max_size=200))
def test_whatever_bytes_come_decoding_never_raises(raw: bytes) -> None:
    decode(raw)
