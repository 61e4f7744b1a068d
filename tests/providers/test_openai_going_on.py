"""`Conversation`: when the model is asked to go on, and what is said beside it."""

from typing import cast

import pytest

from tests.providers.talk import Talk, kinds
from voice_hitl.provider import (
    AudioOut,
    ProviderFailed,
    ResponseEnded,
    ResponseStarted,
    SpeechStarted,
    SpeechStopped,
    ToolCalled,
    UserItem,
)
from voice_hitl_openai.settings import default_turn_detection, held_turn_detection

# --- going on --------------------------------------------------------------------------------------------------------


def test_the_model_is_asked_to_go_on_at_once_when_nothing_is_active(talk: Talk) -> None:
    talk.it.respond()
    [create] = talk.sent()
    assert create["type"] == "response.create"
    talk.starts("resp_1", str(create["event_id"]))
    assert talk.told() == [ResponseStarted("resp_1", ours=True)]


def test_asking_twice_for_the_same_is_asking_once(talk: Talk) -> None:
    talk.it.respond()
    talk.it.respond()
    [create] = talk.sent()
    talk.starts("resp_1", str(create["event_id"]))
    talk.it.respond()
    talk.ends("resp_1")
    assert talk.sent() == []


def test_a_result_before_the_response_has_ended_is_answered_after_it(talk: Talk) -> None:
    """reports.md 25."""
    talk.starts("resp_1")
    talk.calls("resp_1", "call_1")
    talk.it.give_output("call_1", "yes")
    talk.it.respond()
    commands = talk.sent()
    assert kinds(commands) == ["conversation.item.create"]
    talk.takes(commands)
    assert talk.sent() == []
    talk.ends("resp_1")
    [create] = talk.sent()
    assert "instructions" not in cast("dict[str, object]", create["response"])


def test_an_active_response_is_no_error_and_there_is_one_more_afterwards(talk: Talk) -> None:
    """reports.md 24: the service began by itself while our request was on its way, before the output was there."""
    talk.calls("resp_0", "call_1")
    talk.starts("resp_1")
    talk.ends("resp_1")
    talk.told()
    talk.it.give_output("call_1", "yes")
    talk.it.respond()
    output, create = talk.sent()
    talk.adds("item_9")
    talk.starts("resp_2")
    talk.takes([output])
    talk.refuses("conversation_already_has_active_response", create["event_id"])
    assert talk.told() == [UserItem("item_9"), ResponseStarted("resp_2")]
    assert talk.sent() == []
    talk.ends("resp_2")
    assert kinds(talk.sent()) == ["response.create"]


@pytest.mark.parametrize("named", [True, False])
def test_a_response_that_the_service_began_with_the_output_there_pays_the_debt(talk: Talk, *, named: bool) -> None:
    talk.it.give_output("call_1", "yes")
    talk.it.respond()
    output, create = talk.sent()
    talk.takes([output])
    talk.starts("resp_2")
    text = "Conversation already has an active response in progress: resp_2."
    talk.refuses("", create["event_id"] if named else None, text)
    talk.ends("resp_2")
    assert talk.sent() == []


def test_a_response_that_failed_pays_nothing(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.it.give_output("call_1", "yes")
    talk.it.respond()
    talk.takes(talk.sent())
    talk.ends("resp_1")
    [create] = talk.sent()
    talk.starts("resp_2")
    talk.refuses("conversation_already_has_active_response", create["event_id"])
    talk.ends("resp_2", "failed")
    assert talk.sent() == []


def test_the_model_waits_until_the_caller_is_silent(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.it.give_output("call_1", "yes")
    talk.it.respond()
    talk.takes(talk.sent())
    talk.hears("input_audio_buffer.speech_started", item_id="item_1")
    talk.ends("resp_1", "cancelled")
    assert talk.sent() == []
    talk.hears("input_audio_buffer.speech_stopped", item_id="item_1")
    assert kinds(talk.sent()) == ["response.create"]
    assert [type(event) for event in talk.told()][1:] == [SpeechStarted, ResponseEnded, SpeechStopped]


def test_what_is_owed_when_the_floor_is_taken_is_paid_when_it_is_given_back(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.it.give_output("call_1", "yes")
    talk.it.respond()
    talk.takes(talk.sent())
    talk.it.hold(on=True)
    talk.shows(held_turn_detection(None))
    talk.sent()
    talk.ends("resp_1")
    assert talk.sent() == []
    talk.it.hold(on=False)
    assert kinds(talk.sent()) == ["session.update", "response.create"]


def test_a_service_without_tags_answers_in_order() -> None:
    talk = Talk()
    talk.it.respond()
    talk.sent()
    talk.hears("response.created", response={"id": "resp_1"})
    talk.hears("response.created", response={"id": "resp_2"})
    assert talk.told() == [ResponseStarted("resp_1", ours=True), ResponseStarted("resp_2", ours=False)]


def test_what_was_injected_to_be_answered_has_an_id_of_its_own(talk: Talk) -> None:
    first, second = talk.it.inject("A person is asked.", "system"), talk.it.inject("Hello.", "user")
    assert first != second
    assert len(first) <= 32
    commands = talk.sent()
    talk.takes(commands)
    assert talk.told() == []
    talk.it.forget(first)
    talk.it.forget(first)
    assert [command["item_id"] for command in talk.sent()] == [first]


# --- words of ours ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("said", "otherwise"), [("Shall I go ahead?", False), ("Shall I go ahead? I will.", True)])
def test_words_said_otherwise_are_told(talk: Talk, said: str, *, otherwise: bool) -> None:
    talk.it.say("Shall I go ahead?")
    [say] = talk.sent()
    talk.starts("resp_1", str(say["event_id"]))
    talk.ends_item("resp_1", "item_1", said)
    failures = [event for event in talk.told() if isinstance(event, ProviderFailed)]
    assert [(failure.fatal, failure.code) for failure in failures] == [(False, "said_otherwise")] * otherwise


def test_words_of_ours_are_said_beside_an_active_response(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.it.say("Hold on.")
    [say] = talk.sent()
    talk.starts("resp_2", str(say["event_id"]))
    talk.ends("resp_2")
    talk.it.respond()
    assert talk.sent() == []


def test_words_that_are_refused_are_told(talk: Talk) -> None:
    talk.it.say("Hold on.")
    [say] = talk.sent()
    talk.refuses("conversation_already_has_active_response", say["event_id"])
    [failed] = talk.told()
    assert isinstance(failed, ProviderFailed)
    assert not failed.fatal


# --- the floor -------------------------------------------------------------------------------------------------------


def test_it_is_held_when_the_service_shows_it_not_before(talk: Talk) -> None:
    update = talk.it.hold(on=True)
    assert update is not None
    assert talk.it.hold(on=True) is update
    [sent] = talk.sent()
    detection = held_turn_detection(default_turn_detection())
    assert sent["session"] == {"type": "realtime", "audio": {"input": {"turn_detection": detection}}}
    assert detection == {
        "type": "server_vad",
        "threshold": 0.5,
        "prefix_padding_ms": 300,
        "silence_duration_ms": 500,
        "idle_timeout_ms": None,
        "create_response": False,
        "interrupt_response": False,
    }
    # An echo of an older change comes first.
    talk.shows(default_turn_detection())
    assert (update.state, talk.it.held) == ("asked", False)
    talk.shows(detection)
    assert (update.state, talk.it.held) == ("confirmed", True)
    assert talk.it.hold(on=True) is None


def test_what_is_given_back_is_what_was_last_shown_before(talk: Talk) -> None:
    shown = {"type": "semantic_vad", "eagerness": "low", "create_response": True, "interrupt_response": True}
    talk.shows(shown)
    talk.it.hold(on=True)
    talk.sent()
    talk.shows(held_turn_detection(None))
    update = talk.it.hold(on=False)
    [sent] = talk.sent()
    assert sent["session"] == {"type": "realtime", "audio": {"input": {"turn_detection": shown}}}
    assert talk.it.held
    talk.shows(shown)
    assert update is not None
    assert (update.state, talk.it.held) == ("confirmed", False)


def test_a_session_that_never_answered_by_itself_gets_nothing_back_but_that(talk: Talk) -> None:
    talk.shows(None)
    talk.it.hold(on=True)
    talk.shows(held_turn_detection(None))
    talk.sent()
    talk.it.hold(on=False)
    [sent] = talk.sent()
    assert sent["session"] == {"type": "realtime", "audio": {"input": {"turn_detection": None}}}
    talk.shows(None)
    assert not talk.it.held


def test_a_service_that_shows_nothing_is_believed(talk: Talk) -> None:
    talk.it.hold(on=True)
    talk.hears("session.updated", session={"type": "realtime"})
    assert talk.it.held


def test_a_hold_that_is_refused_holds_nothing_and_can_be_asked_for_again(talk: Talk) -> None:
    update = talk.it.hold(on=True)
    [sent] = talk.sent()
    talk.refuses("invalid_value", sent["event_id"], "no")
    assert update is not None
    assert update.state == "refused"
    assert not talk.it.held
    assert isinstance(talk.told()[0], ProviderFailed)
    assert talk.it.hold(on=True) is not update


def test_a_response_nobody_of_ours_asked_for_while_it_is_held_is_undone(talk: Talk) -> None:
    talk.it.hold(on=True)
    talk.shows(held_turn_detection(None))
    talk.sent()
    talk.starts("resp_1")
    [cancel] = talk.sent()
    assert (cancel["type"], cancel["response_id"]) == ("response.cancel", "resp_1")
    talk.says("resp_1", "item_1")
    talk.calls("resp_1", "call_0", status="incomplete")
    talk.calls("resp_1", "call_1")
    talk.ends("resp_1", "cancelled")
    # The call is told, to be refused with its one output: the response is known to be nobody's.
    assert talk.told() == [
        ResponseStarted("resp_1", ours=False),
        ToolCalled("call_1", "ask_human", "{}", "resp_1"),
        ResponseEnded("resp_1", "cancelled"),
    ]
    commands = talk.sent()
    assert [(command["type"], command["item_id"]) for command in commands] == [
        ("conversation.item.delete", "item_1"),
        ("conversation.item.delete", "item_call_0"),
    ]


def test_a_response_of_ours_is_heard_while_the_model_is_held(talk: Talk) -> None:
    talk.it.hold(on=True)
    talk.shows(held_turn_detection(None))
    talk.it.say("Shall I?")
    _, say = talk.sent()
    talk.starts("resp_1", str(say["event_id"]))
    talk.speaks("resp_1", "item_1", b"\1\0")
    assert talk.told() == [ResponseStarted("resp_1", ours=True), AudioOut(b"\1\0", "item_1", 0, "resp_1")]
