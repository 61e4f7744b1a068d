import base64
import json
from collections.abc import Sequence
from typing import cast

import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

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
    SpeechStarted,
    SpeechStopped,
    ToolCalled,
    ToolCallStarted,
    Transcript,
    TranscriptFailed,
    UserItem,
)
from voice_hitl_openai.codec import decode
from voice_hitl_openai.conversation import Conversation
from voice_hitl_openai.settings import Settings, default_turn_detection, held_turn_detection

SECOND = b"\1\0" * 24_000


class Talk:
    """A conversation, and the service on the other side of it as the reference describes it."""

    def __init__(self, *, config: ProviderConfig | None = None, clock_offset: float = 0.0, opened: bool = True) -> None:
        self.it = Conversation(Settings(), stem="t", clock_offset=clock_offset)
        self.it.open(config or ProviderConfig())
        if opened:
            self.shows(default_turn_detection())
            self.sent()
            self.told()

    def hears(self, kind: str, **fields: object) -> None:
        self.it.receive(decode(json.dumps({"type": kind, "event_id": "event_1", **fields})))

    def sent(self) -> list[dict[str, object]]:
        return [cast("dict[str, object]", json.loads(command)) for command in self.it.take_commands()]

    def told(self) -> list[ProviderEvent]:
        return self.it.take_events()

    def shows(self, turn_detection: object, expires_at: float | None = None) -> None:
        session = {"expires_at": expires_at, "audio": {"input": {"turn_detection": turn_detection}}}
        self.hears("session.updated", session=session)

    def starts(self, response_id: str, tag: str | None = None) -> None:
        metadata = {"voice_hitl": tag} if tag else None
        self.hears("response.created", response={"id": response_id, "metadata": metadata})

    def ends(self, response_id: str, status: str = "completed", **details: object) -> None:
        self.hears("response.done", response={"id": response_id, "status": status, "status_details": details})

    def begins_item(self, response_id: str, item_id: str) -> None:
        item = {"id": item_id, "type": "message", "role": "assistant", "status": "in_progress"}
        self.hears("response.output_item.added", response_id=response_id, item=item)

    def speaks(self, response_id: str, item_id: str, pcm: bytes = SECOND) -> None:
        delta = base64.b64encode(pcm).decode()
        self.hears("response.output_audio.delta", response_id=response_id, item_id=item_id, delta=delta)

    def ends_item(self, response_id: str, item_id: str, text: str = "Hello.", status: str = "completed") -> None:
        content = [{"type": "output_audio", "transcript": text}]
        item = {"id": item_id, "type": "message", "role": "assistant", "status": status, "content": content}
        self.hears("response.output_item.done", response_id=response_id, item=item)

    def says(self, response_id: str, item_id: str, pcm: bytes = SECOND) -> None:
        self.begins_item(response_id, item_id)
        self.speaks(response_id, item_id, pcm)
        self.ends_item(response_id, item_id)

    def calls(self, response_id: str, call_id: str, arguments: str = "{}", status: str = "completed") -> None:
        call = {"id": f"item_{call_id}", "type": "function_call", "status": status, "name": "ask_human"}
        item = {**call, "call_id": call_id, "arguments": arguments}
        self.hears("response.output_item.done", response_id=response_id, item=item)

    def adds(self, item_id: str, role: str = "user") -> None:
        self.hears("conversation.item.added", item={"id": item_id, "type": "message", "role": role})

    def takes(self, commands: Sequence[dict[str, object]]) -> None:
        for command in commands:
            if command["type"] == "conversation.item.create":
                self.hears("conversation.item.added", item=command["item"])

    def refuses(self, code: str, event_id: object = None, message: str = "") -> None:
        self.hears(
            "error", error={"type": "invalid_request_error", "code": code, "message": message, "event_id": event_id}
        )


@pytest.fixture
def talk() -> Talk:
    return Talk()


def kinds(commands: Sequence[dict[str, object]]) -> list[object]:
    return [command["type"] for command in commands]


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


# --- interruption ----------------------------------------------------------------------------------------------------


def test_interrupting_cancels_by_id_and_drops_what_still_comes(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.it.interrupt(None, "", 0)
    talk.it.interrupt(None, "", 0)
    talk.told()
    [cancel] = talk.sent()
    assert (cancel["type"], cancel["response_id"]) == ("response.cancel", "resp_1")
    talk.speaks("resp_1", "item_1")
    assert talk.told() == []
    talk.ends("resp_1", "cancelled")
    assert talk.told() == [ResponseEnded("resp_1", "cancelled")]


def test_only_the_response_that_was_named_is_interrupted(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.it.interrupt("resp_2", "", 0)
    assert talk.sent() == []


def test_what_was_not_heard_is_truncated(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.begins_item("resp_1", "item_1")
    talk.speaks("resp_1", "item_1")
    talk.it.interrupt("resp_1", "item_1", 400.9)
    cancel, truncate = talk.sent()
    assert cancel["type"] == "response.cancel"
    assert truncate["type"] == "conversation.item.truncate"
    assert (truncate["item_id"], truncate["content_index"], truncate["audio_end_ms"]) == ("item_1", 0, 400)


def test_truncation_is_never_beyond_what_was_sent(talk: Talk) -> None:
    """reports.md 26: interrupted after 57 s of wall time with 9.25 s of audio sent."""
    talk.starts("resp_1")
    talk.begins_item("resp_1", "item_1")
    talk.speaks("resp_1", "item_1", b"\1\0" * 222_000)
    talk.it.interrupt("resp_1", "item_1", 57_340)
    assert [command.get("audio_end_ms") for command in talk.sent()] == [None, 9_250]


def test_an_item_that_was_heard_whole_is_not_truncated(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.says("resp_1", "item_1")
    talk.ends("resp_1")
    talk.it.interrupt("resp_1", "item_1", 57_340)
    assert talk.sent() == []


def test_an_item_that_was_not_heard_at_all_is_deleted(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.begins_item("resp_1", "item_1")
    talk.speaks("resp_1", "item_1")
    talk.it.interrupt("resp_1", "item_1", 0.4)
    talk.it.interrupt("resp_1", "item_1", 0.4)
    assert kinds(talk.sent()) == ["response.cancel", "conversation.item.delete"]


def test_what_its_response_said_after_it_goes_with_it(talk: Talk) -> None:
    talk.starts("resp_1")
    for item_id in ("item_1", "item_2", "item_3"):
        talk.says("resp_1", item_id)
    talk.calls("resp_1", "call_1")
    talk.ends("resp_1")
    talk.it.interrupt("resp_1", "item_2", 100)
    commands = talk.sent()
    assert kinds(commands) == ["conversation.item.truncate", "conversation.item.delete"]
    assert [command["item_id"] for command in commands] == ["item_2", "item_3"]


def test_an_item_is_truncated_further_but_never_back(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.says("resp_1", "item_1")
    for played_ms in (600, 800, 200):
        talk.it.interrupt(None, "item_1", played_ms)
    cuts = [command["audio_end_ms"] for command in talk.sent() if "audio_end_ms" in command]
    assert cuts == [600, 200]


def test_an_item_that_nobody_knows_is_left_alone(talk: Talk) -> None:
    talk.it.interrupt(None, "item_9", 0)
    assert talk.sent() == []


def test_words_said_out_of_band_are_no_history_to_truncate(talk: Talk) -> None:
    talk.it.say("Shall I go ahead?")
    [say] = talk.sent()
    talk.starts("resp_1", str(say["event_id"]))
    talk.begins_item("resp_1", "item_1")
    talk.speaks("resp_1", "item_1")
    talk.it.interrupt(None, "item_1", 200)
    assert kinds(talk.sent()) == ["response.cancel"]


def test_a_response_interrupted_before_it_has_a_name_is_cancelled_when_it_has(talk: Talk) -> None:
    talk.it.respond()
    [create] = talk.sent()
    talk.it.interrupt(None, "", 0)
    assert talk.sent() == []
    talk.starts("resp_1", str(create["event_id"]))
    assert kinds(talk.sent()) == ["response.cancel"]
    talk.it.respond()
    assert talk.sent() == []
    talk.ends("resp_1", "cancelled")
    assert kinds(talk.sent()) == ["response.create"]


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


# --- the whole -------------------------------------------------------------------------------------------------------


class Service(RuleBasedStateMachine):
    """A service that keeps its own rules, with a client that wants things at any moment."""

    def __init__(self) -> None:
        super().__init__()
        self.talk = Talk()
        self.arriving: list[dict[str, object]] = []
        self.active: str | None = None
        self.numbers = 0
        self.outputs_given = 0
        self.outputs_taken = 0
        self.read = 0
        self.excused = 0
        self.asked = 0
        self.granted = 0

    def _collect(self) -> None:
        self.arriving += self.talk.sent()

    @rule()
    def the_output_of_a_call_comes(self) -> None:
        self.outputs_given += 1
        self.asked += 1
        self.talk.it.give_output(f"call_{self.outputs_given}", "yes")
        self.talk.it.respond()
        self._collect()

    @rule()
    def the_caller_barges_in(self) -> None:
        # Who interrupts what has not begun has to ask again.
        if "response.create" in kinds(self.arriving):
            self.excused = self.outputs_given
        self.talk.it.interrupt(None, "", 0)
        self._collect()

    @rule()
    def the_caller_says_something(self) -> None:
        self.numbers += 1
        self.talk.adds(f"item_{self.numbers}")
        if self.active is None:
            self._begin(None)

    @precondition(lambda self: bool(self.arriving))
    @rule()
    def the_service_takes_what_arrived(self) -> None:
        command = self.arriving.pop(0)
        match command["type"]:
            case "conversation.item.create":
                self.outputs_taken += 1
                self.talk.takes([command])
            case "response.create" if self.active is None:
                self.granted += 1
                self._begin(str(command["event_id"]))
            case "response.create":
                self.talk.refuses("conversation_already_has_active_response", command["event_id"])
            case "response.cancel" if self.active == command["response_id"]:
                self._end("cancelled")
            case "response.cancel":
                self.talk.refuses("response_cancel_not_active", command["event_id"])
            case kind:
                raise AssertionError(f"{kind} was sent")
        self._collect()

    @precondition(lambda self: self.active is not None)
    @rule()
    def the_response_ends(self) -> None:
        self._end("completed")

    def _begin(self, tag: str | None) -> None:
        self.numbers += 1
        self.active = f"resp_{self.numbers}"
        self.read = self.outputs_taken
        self.talk.starts(self.active, tag)
        self._collect()

    def _end(self, status: str) -> None:
        self.talk.ends(str(self.active), status)
        self.active = None
        self._collect()

    @rule()
    def once_nothing_happens_any_more_the_model_has_read_every_output(self) -> None:
        while self.arriving or self.active is not None:
            if self.arriving:
                self.the_service_takes_what_arrived()
            else:
                self.the_response_ends()
        assert max(self.read, self.excused) == self.outputs_given

    @invariant()
    def it_is_never_asked_more_often_than_wanted(self) -> None:
        assert self.granted <= self.asked

    @invariant()
    def nothing_is_an_error(self) -> None:
        assert not [event for event in self.talk.told() if isinstance(event, ProviderFailed)]


TestService = Service.TestCase
TestService.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
