"""`Conversation`: a session is opened, spoken in, called from and changed."""

from typing import cast

import pytest

from tests.providers.talk import Talk, kinds
from voice_hitl.provider import (
    AudioOut,
    Connected,
    GoingAway,
    ProviderConfig,
    ProviderDigit,
    ProviderEvent,
    ProviderFailed,
    ResponseEnded,
    ResponseStarted,
    Resumed,
    ToolCalled,
    ToolCallStarted,
    Transcript,
    TranscriptFailed,
    UserItem,
)
from voice_hitl_openai.settings import default_turn_detection, held_turn_detection

# --- opening ---------------------------------------------------------------------------------------------------------


def test_a_session_is_asked_for_whole_with_transcription_on() -> None:
    talk = Talk(config=ProviderConfig(instructions="Be kind.", voice="cedar", language="fr-CA"), opened=False)
    [update] = talk.sent()
    session = cast("dict[str, object]", update["session"])
    audio = cast("dict[str, dict[str, object]]", session["audio"])
    assert session["instructions"] == "Be kind."
    assert audio["input"]["transcription"] == {"model": "gpt-transcribe", "language": "fr"}
    assert audio["input"]["turn_detection"] == default_turn_detection()
    assert audio["output"]["voice"] == "cedar"


def test_it_is_connected_when_the_session_is_shown_and_knows_when_it_ends() -> None:
    talk = Talk(clock_offset=-1_000.0, opened=False)
    talk.hears("session.created", session={"expires_at": 1_600})
    assert talk.told() == []
    talk.shows(default_turn_detection(), expires_at=4_600)
    assert talk.told() == [Connected(3_600.0)]
    talk.shows(default_turn_detection())
    assert talk.told() == []


def test_a_session_can_be_held_from_the_start() -> None:
    talk = Talk(config=ProviderConfig(metadata={"held": True}), opened=False)
    [update] = talk.sent()
    audio = cast("dict[str, dict[str, dict[str, object]]]", cast("dict[str, object]", update["session"])["audio"])
    assert audio["input"]["turn_detection"]["create_response"] is False
    talk.shows(audio["input"]["turn_detection"])
    assert talk.it.held
    talk.it.hold(on=False)
    [back] = talk.sent()
    assert back["session"] == {"type": "realtime", "audio": {"input": {"turn_detection": default_turn_detection()}}}


def test_a_session_that_carries_an_old_one_on_says_which_calls_it_kept() -> None:
    history = [
        {"role": "system", "text": "A person is asked."},
        {"role": "user", "text": "Refund it."},
        {"role": "assistant", "text": "One moment."},
        {"role": "tool", "text": "no such role"},
        {"role": "user", "text": " "},
        "not an entry",
    ]
    owed = [
        {"call_id": "call_1", "name": "ask_human", "arguments": {"question": "May I?"}},
        {"call_id": "call_2", "name": "ask_human", "arguments": "{}"},
        {"call_id": 7},
    ]
    talk = Talk(config=ProviderConfig(metadata={"history": history, "owed_calls": owed}), opened=False)
    _, *items = talk.sent()
    made = [cast("dict[str, object]", command["item"]) for command in items]
    assert [item["type"] for item in made] == ["message"] * 3 + ["function_call"] * 2
    assert made[2]["content"] == [{"type": "output_text", "text": "One moment."}]
    assert made[3]["arguments"] == '{"question": "May I?"}'
    talk.shows(default_turn_detection())
    assert talk.told() == [Connected(None)]
    talk.takes(items[:4])
    assert talk.told() == []
    talk.refuses("invalid_value", made[4]["id"])
    failed, resumed = talk.told()
    assert isinstance(failed, ProviderFailed)
    assert resumed == Resumed(("call_1",))
    talk.it.give_output("call_1", "yes")
    assert kinds(talk.sent()) == ["conversation.item.create"]


@pytest.mark.parametrize("carried", [{"history": []}, {"history": "text"}, {"owed_calls": ()}, {"owed_calls": 7}])
def test_a_session_that_carries_nothing_on_says_that_it_does(carried: dict[str, object]) -> None:
    talk = Talk(config=ProviderConfig(metadata=carried), opened=False)
    talk.shows(default_turn_detection())
    assert talk.told() == [Connected(None), Resumed(())]


# --- the model's voice -----------------------------------------------------------------------------------------------


def test_what_the_model_says_comes_as_words_then_audio_then_the_whole(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.begins_item("resp_1", "item_1")
    talk.hears("response.output_audio_transcript.delta", response_id="resp_1", item_id="item_1", delta="Hel")
    talk.speaks("resp_1", "item_1", b"\1\0")
    talk.ends_item("resp_1", "item_1")
    talk.ends("resp_1")
    assert talk.told() == [
        ResponseStarted("resp_1", ours=False),
        Transcript("assistant", "Hel", final=False, item_id="item_1"),
        AudioOut(b"\1\0", "item_1", 0, "resp_1"),
        Transcript("assistant", "Hello.", final=True, item_id="item_1"),
        ResponseEnded("resp_1", "completed"),
    ]


def test_the_words_of_an_item_that_was_cut_are_never_final(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.ends_item("resp_1", "item_1", status="incomplete")
    talk.ends("resp_1", "cancelled")
    assert talk.told() == [ResponseStarted("resp_1"), ResponseEnded("resp_1", "cancelled")]


def test_nothing_is_heard_of_a_response_after_its_end(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.ends("resp_1")
    talk.told()
    talk.speaks("resp_1", "item_1")
    talk.starts("resp_1")
    talk.ends("resp_1")
    assert talk.told() == []


def test_audio_of_a_response_that_never_began_is_heard_unless_the_model_is_held(talk: Talk) -> None:
    talk.speaks("resp_9", "item_9", b"\1\0")
    assert talk.told() == [AudioOut(b"\1\0", "item_9", 0, "resp_9")]
    talk.it.hold(on=True)
    talk.shows(held_turn_detection(None))
    talk.speaks("resp_9", "item_9", b"\1\0")
    assert talk.told() == []


def test_audio_for_a_deleted_item_is_dropped(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.begins_item("resp_1", "item_1")
    talk.told()
    talk.it.forget("item_1")
    talk.speaks("resp_1", "item_1")
    talk.ends_item("resp_1", "item_1")
    assert talk.told() == []


def test_responses_that_never_end_are_not_remembered_for_ever(talk: Talk) -> None:
    for number in range(200):
        talk.starts(f"resp_{number}")
        for item in range(100):
            talk.begins_item(f"resp_{number}", f"item_{item}")
    talk.it.interrupt(None, "", 0)
    assert len(talk.sent()) == 64


# --- calls -----------------------------------------------------------------------------------------------------------


def test_a_call_counts_when_its_item_is_done_and_completed(talk: Talk) -> None:
    talk.starts("resp_1")
    item = {"id": "item_1", "type": "function_call", "call_id": "call_1", "name": "ask_human", "arguments": ""}
    talk.hears("response.output_item.added", response_id="resp_1", item=item)
    talk.hears("response.function_call_arguments.done", call_id="call_1", arguments="{}")
    assert talk.told()[1:] == [ToolCallStarted("call_1", "ask_human")]
    talk.calls("resp_1", "call_0", '{"question":"Do', status="incomplete")
    assert talk.told() == []
    talk.calls("resp_1", "call_1", '{"question":"Do')
    assert talk.told() == [ToolCalled("call_1", "ask_human", '{"question":"Do', "resp_1")]


def test_a_call_has_one_output_also_while_its_response_goes_on(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.calls("resp_1", "call_1")
    talk.it.give_output("call_1", "yes")
    talk.it.give_output("call_1", "yes again")
    [create] = talk.sent()
    item = cast("dict[str, object]", create["item"])
    assert (item["type"], item["call_id"], item["output"]) == ("function_call_output", "call_1", "yes")


def test_an_id_that_is_used_again_is_a_new_call_with_its_own_output(talk: Talk) -> None:
    for turn in ("resp_1", "resp_2"):
        talk.starts(turn)
        talk.calls(turn, "0")
        talk.it.give_output("0", "yes")
        assert kinds(talk.sent()) == ["conversation.item.create"]
        talk.ends(turn)


# --- reconfiguration, the caller, errors -----------------------------------------------------------------------------


def test_the_voice_changes_only_as_long_as_it_was_not_heard(talk: Talk) -> None:
    config = ProviderConfig(instructions="Be brief.", voice="cedar")
    talk.it.reconfigure(config)
    talk.speaks("resp_1", "item_1")
    talk.it.reconfigure(config)
    before, after = [cast("dict[str, object]", command["session"]) for command in talk.sent()]
    assert before["audio"] == {"output": {"voice": "cedar"}}
    assert after == {"type": "realtime", "instructions": "Be brief.", "tools": []}


def test_a_turn_of_the_callers_is_told_once(talk: Talk) -> None:
    talk.adds("item_1")
    talk.hears("conversation.item.created", item={"id": "item_1", "type": "message", "role": "user"})
    talk.adds("item_2", role="assistant")
    assert talk.told() == [UserItem("item_1")]


def test_what_the_caller_said_is_told_until_it_is_forgotten(talk: Talk) -> None:
    kind = "conversation.item.input_audio_transcription"
    talk.hears(f"{kind}.completed", item_id="item_1", transcript="yes")
    talk.hears(f"{kind}.failed", item_id="item_2")
    talk.it.forget("item_1")
    talk.hears(f"{kind}.completed", item_id="item_1", transcript="yes")
    talk.hears("input_audio_buffer.dtmf_event_received", event="1")
    heard = Transcript("user", "yes", final=True, item_id="item_1")
    assert talk.told() == [heard, TranscriptFailed("item_2"), ProviderDigit("1")]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("response_cancel_not_active", ""),
        ("invalid_request_error", "Cancellation failed: no active response found"),
        ("invalid_request_error", "There is No Active Response to cancel"),
        ("invalid_value", "Audio content of 9250ms is already shorter than 57340ms"),
        ("item_delete_invalid_item_id", ""),
        ("item_truncate_invalid_item_id", ""),
        ("input_audio_buffer_commit_empty", ""),
    ],
)
def test_what_only_came_too_late_is_no_error(talk: Talk, code: str, message: str) -> None:
    talk.refuses(code, message=message)
    assert talk.told() == []


def test_whatever_is_said_of_an_undoing_is_no_error(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.it.interrupt(None, "", 0)
    talk.told()
    [cancel] = talk.sent()
    talk.refuses("whatever", cancel["event_id"])
    assert talk.told() == []


@pytest.mark.parametrize(("code", "fatal"), [("invalid_api_key", True), ("server_error", False), ("", False)])
def test_errors_are_told_apart(talk: Talk, code: str, *, fatal: bool) -> None:
    talk.refuses(code, message="why")
    assert talk.told() == [ProviderFailed(fatal, code or "invalid_request_error", "why")]


def test_a_request_that_is_refused_is_told(talk: Talk) -> None:
    talk.it.respond()
    [create] = talk.sent()
    talk.refuses("rate_limit_exceeded", create["event_id"], "slower")
    assert talk.told() == [ProviderFailed(False, "rate_limit_exceeded", "slower")]
    talk.it.respond()
    assert kinds(talk.sent()) == ["response.create"]


def test_a_response_that_failed_says_why(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.ends("resp_1", "failed", error={"code": "insufficient_quota", "message": "pay"})
    talk.starts("resp_2")
    talk.ends("resp_2", "failed")
    assert [event for event in talk.told() if isinstance(event, ProviderFailed)] == [
        ProviderFailed(False, "insufficient_quota", "pay"),
        ProviderFailed(False, "response_failed", ""),
    ]


def test_the_time_limit_is_a_going_away_told_once(talk: Talk) -> None:
    """reports.md 30: the session is to be replaced, not lost."""
    talk.refuses("session_expired", message="Your session hit the maximum duration of 60 minutes.")
    talk.it.lose(1001, "Your session hit the maximum duration of 60 minutes.")
    assert talk.told() == [GoingAway(0.0)]


@pytest.mark.parametrize(
    ("code", "reason", "event"),
    [
        (1001, "", GoingAway(0.0)),
        (1006, "", ProviderFailed(False, "connection_lost", "closed with code 1006")),
        (1011, "internal error", ProviderFailed(False, "connection_lost", "internal error")),
        (
            3000,
            "invalid_request_error.invalid_api_key",
            ProviderFailed(True, "invalid_api_key", "invalid_request_error.invalid_api_key"),
        ),
    ],
)
def test_a_connection_that_is_lost_is_fatal_only_when_a_new_one_would_not_help(
    talk: Talk, code: int, reason: str, event: ProviderEvent
) -> None:
    talk.it.lose(code, reason)
    assert talk.told() == [event]
