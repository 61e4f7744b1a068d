"""The messages between the page and the session, as texts."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue, TypeAdapter

from voice_hitl.enums import RequestEnd, Via
from voice_hitl.messages import (
    MAX_BYTES,
    Accepted,
    CallStateChanged,
    Extension,
    KeyPressed,
    MalformedMessage,
    Outcome,
    Refused,
    RequestAnswer,
    RequestChanged,
    RequestDecline,
    RequestOpened,
    RequestSettled,
    ToolAbort,
    TooLarge,
    ToolRegister,
    ToolRegistered,
    ToolRespond,
    ToolStatus,
    ToolUnregister,
    ToPage,
    TranscriptLine,
    encode,
    parse,
)

AT = datetime(2026, 3, 1, 12, 0, 0, 250_000, tzinfo=UTC)


def text(**members: object) -> str:
    return json.dumps({"v": 1, **members})


def decoded(message: ToPage) -> dict[str, object]:
    return TypeAdapter(dict[str, object]).validate_json(encode(message))


def malformed(raw: str) -> MalformedMessage:
    with pytest.raises(MalformedMessage) as caught:
        parse(raw)
    return caught.value


def test_every_message_of_the_page_is_read() -> None:
    wire: dict[str, JsonValue] = {"action": "answer", "value": True}
    answer = parse(text(type="request.answer", id="1", pending_id="p", answer=wire, key="k"))
    assert answer == RequestAnswer(v=1, type="request.answer", id="1", pending_id="p", answer=wire, key="k")
    decline = parse(text(type="request.decline", pending_id="p", reason="not now"))
    assert decline == RequestDecline(v=1, type="request.decline", pending_id="p", reason="not now")
    assert parse(text(type="digit", digit="#")) == KeyPressed(v=1, type="digit", digit="#")
    tool = parse(text(type="tool.register", id="9", name="pick_time", parameters={"type": "object"}))
    assert tool == ToolRegister(v=1, type="tool.register", id="9", name="pick_time", parameters={"type": "object"})
    result: JsonValue = {"cancelled": True}
    respond = parse(text(type="tool.respond", pending_id="p", result=result))
    assert respond == ToolRespond(v=1, type="tool.respond", pending_id="p", result=result)
    nothing = parse(text(type="tool.respond", pending_id="p", result=None, key="k"))
    assert nothing == ToolRespond(v=1, type="tool.respond", pending_id="p", result=None, key="k")
    abort = parse(text(type="tool.abort", pending_id="p", reason="closed"))
    assert abort == ToolAbort(v=1, type="tool.abort", pending_id="p", reason="closed")
    gone = parse(text(type="tool.unregister", name="pick_time"))
    assert gone == ToolUnregister(v=1, type="tool.unregister", name="pick_time")


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("", "malformed"),
        ("hello", "malformed"),
        ("[1]", "malformed"),
        ("null", "malformed"),
        ('{"v":1,"type":"digit","digit":NaN}', "malformed"),
        ("[" * 60_000, "malformed"),
        ('{"v":1,"type":"digit","digit":"\\ud800"}', "malformed"),
        ('{"type":"digit","digit":"\ud800"}', "malformed"),
        ('{"type":"digit","digit":"1"}', "malformed"),
        ('{"v":1}', "malformed"),
        ('{"v":2,"type":"digit","digit":"1"}', "unknown"),
        ('{"v":true,"type":"digit","digit":"1"}', "unknown"),
        ('{"v":"1","type":"digit","digit":"1"}', "unknown"),
        ('{"v":1,"type":"dance"}', "unknown"),
        ('{"v":1,"type":7}', "unknown"),
        ('{"v":1,"type":"digit","digit":"12"}', "malformed"),
        ('{"v":1,"type":"digit","digit":1}', "malformed"),
        ('{"v":1,"type":"digit","digit":"1","kee":"k"}', "malformed"),
        ('{"v":1,"type":"request.answer","answer":{}}', "malformed"),
        ('{"v":1,"type":"request.answer","pending_id":"p","answer":[]}', "malformed"),
        ('{"v":1,"type":"tool.register","name":"no spaces"}', "malformed"),
        ('{"v":1,"type":"tool.register","name":"*"}', "malformed"),
        ('{"v":1,"type":"tool.register","name":"a","parameters":[]}', "malformed"),
        ('{"v":1,"type":"tool.respond","pending_id":"p"}', "malformed"),
        (text(type="tool.register", name="a", description="x" * 8193), "malformed"),
        (text(type="digit", digit="1", id="x" * MAX_BYTES), "too_large"),
        ("é" * (MAX_BYTES // 2 + 1), "too_large"),
    ],
)
def test_what_is_no_message_is_refused_with_a_code(raw: str, code: str) -> None:
    assert malformed(raw).code == code


def test_a_refusal_carries_the_id_of_what_it_refuses() -> None:
    assert malformed('{"v":1,"type":"dance","id":"7"}').id == "7"
    assert malformed('{"v":1,"type":"digit","id":"8","digit":"x"}').id == "8"
    assert malformed('{"v":1,"type":"digit","id":9,"digit":"1"}').id is None
    assert malformed(text(type="dance", id="x" * 129)).id is None


def test_a_refusal_names_the_field_and_never_what_was_in_it() -> None:
    wrong = malformed(text(type="request.answer", pending_id="p", answer="4271"))
    assert "answer" in wrong.why
    assert "4271" not in wrong.why
    assert wrong.__cause__ is None
    assert "4271" not in malformed(text(type="digit", digit="1", **{"4271": 1})).why
    assert "4271" not in repr(parse(text(type="request.answer", pending_id="p", answer={"value": "4271"})))


@given(st.text(max_size=200) | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps))
def test_any_text_is_read_or_refused(raw: str) -> None:
    try:
        parse(raw)
    except MalformedMessage as refused:
        said = refused.why
    else:
        said = "it is a message"
    assert said


def test_an_opened_request_says_when_it_ends_on_whose_clock() -> None:
    opened = RequestOpened(
        pending_id="p",
        call="c",
        tool="ConfirmAction",
        kind="question",
        question={"kind": "confirm", "prompt": "Book it?"},
        expires_at=AT + timedelta(seconds=60),
        server_time=AT.astimezone(timezone(timedelta(hours=2))),
        status="executing",
    )
    assert decoded(opened) == {
        "v": 1,
        "type": "request.opened",
        "pending_id": "p",
        "call": "c",
        "tool": "ConfirmAction",
        "kind": "question",
        "question": {"kind": "confirm", "prompt": "Book it?"},
        "expires_at": "2026-03-01T12:01:00.250Z",
        "server_time": "2026-03-01T12:00:00.250Z",
        "status": "executing",
    }


def test_a_call_whose_arguments_still_stream_has_no_question_yet() -> None:
    opened = decoded(RequestOpened(call="c", tool="ConfirmAction", status="inProgress", server_time=AT))
    assert set(opened) == {"v", "type", "call", "tool", "status", "server_time"}


def test_a_settled_request_carries_its_outcome_beside_its_id() -> None:
    outcome = Outcome(end=RequestEnd.ANSWERED, by="lee", via=Via.VOICE, answer={"action": "answer", "value": True})
    settled = decoded(RequestSettled(pending_id="p", call="c", outcome=outcome, server_time=AT))
    assert settled == {
        "v": 1,
        "type": "request.settled",
        "pending_id": "p",
        "call": "c",
        "end": "answered",
        "by": "lee",
        "via": "voice",
        "answer": {"action": "answer", "value": True},
        "server_time": "2026-03-01T12:00:00.250Z",
        "status": "complete",
    }


def test_a_call_of_the_pages_tool_has_its_arguments_and_then_how_it_ended() -> None:
    status = ToolStatus(call="c", tool="pick", pending_id="p", status="executing", arguments={}, server_time=AT)
    assert decoded(status) == {
        "v": 1,
        "type": "tool.status",
        "call": "c",
        "tool": "pick",
        "pending_id": "p",
        "status": "executing",
        "arguments": {},
        "server_time": "2026-03-01T12:00:00.250Z",
    }
    outcome = Outcome(end=RequestEnd.REFUSED, reason="closed")
    over = decoded(ToolStatus(call="c", tool="pick", status="complete", outcome=outcome, server_time=AT))
    assert (over["end"], over["reason"]) == ("refused", "closed")


def test_a_late_answer_is_refused_with_the_outcome() -> None:
    refused = Refused(id="4", code="late", why="late", server_time=AT, outcome=Outcome(end=RequestEnd.TIMED_OUT))
    assert decoded(refused)["outcome"] == {"end": "timed_out"}


def test_the_rest_of_what_goes_to_the_page() -> None:
    assert decoded(CallStateChanged(state="ended", reason="lost"))["reason"] == "lost"
    assert "reason" not in decoded(CallStateChanged(state="live"))
    line = TranscriptLine(role="user", text="hello", final=True, item="i")
    assert decoded(line) == {"v": 1, "type": "transcript", "role": "user", "text": "hello", "final": True, "item": "i"}
    changed = RequestChanged(pending_id="p", status="executing", server_time=AT, asked_by=("voice", "card"))
    assert decoded(changed)["asked_by"] == ["voice", "card"]
    assert decoded(ToolRegistered(name="pick_time")) == {"v": 1, "type": "tool.registered", "name": "pick_time"}
    assert decoded(Accepted(id="1", server_time=AT))["type"] == "ok"
    assert decoded(Extension("tool.result", {"text": "done"})) == {"v": 1, "type": "tool.result", "text": "done"}


def test_half_a_surrogate_pair_in_a_models_words_is_sent_all_the_same() -> None:
    sent = encode(TranscriptLine(role="assistant", text="oh \ud83d", final=False, item="i"))
    assert json.loads(sent)["text"] == "oh \ud83d"
    assert sent.isascii()


def test_a_message_longer_than_the_page_may_get_is_an_error() -> None:
    with pytest.raises(TooLarge, match="transcript"):
        encode(TranscriptLine(role="assistant", text="é" * MAX_BYTES, final=True, item="i"))


def test_values_stay_out_of_what_is_logged() -> None:
    assert "4271" not in repr(Outcome(end=RequestEnd.ANSWERED, answer={"value": "4271"}))
    assert "4271" not in repr(TranscriptLine(role="user", text="4271", final=True, item="i"))
