"""One Live session from our side, pure: turns out of pieces, delegations after their words, outputs to their own."""

import json
from collections.abc import Mapping
from typing import cast

import numpy as np
import pytest

from voice_hitl.provider import (
    AudioOut,
    Connected,
    Delegated,
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
)
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
from voice_hitl_openai.live_session import WORDS_AFTER_S, WORDS_WITHIN_S, LiveSession
from voice_hitl_openai.live_settings import LiveSettings
from voice_hitl_openai.live_turns import PAUSE_S
from voice_hitl_openai.messages import Refusal

LOUD = np.full(480, 5_000, np.int16).tobytes()
CLIENT = LiveSettings(model="gpt-live-1.1")
RESPONSES = LiveSettings(model="gpt-live-1.1", delegation="responses", backend={"model": "gpt-5.5"})


class Line:
    """A session and its clock."""

    def __init__(self, settings: LiveSettings = CLIENT, *, attached: bool = False, **metadata: object) -> None:
        self.session = LiveSession(settings, stem="e", clock_offset=100.0, attached=attached)
        self.now = 0.0
        self.session.open(ProviderConfig(instructions="Be brief.", metadata=metadata))
        if not attached:
            self.session.receive(Started(1_000.0), self.now)
        self.opening = self.sent()
        self.opened = self.session.take_events()

    def hears(self, *messages: LiveMessage) -> list[ProviderEvent]:
        for message in messages:
            self.session.receive(message, self.now)
        return self.session.take_events()

    def after(self, seconds: float) -> list[ProviderEvent]:
        """So much time passes, as the session's deadlines have it."""
        until = self.now + seconds
        while True:
            deadline = self.session.deadline()
            if deadline is None or deadline > until:
                break
            self.now = max(self.now, deadline)
            self.session.tick(self.now)
        self.now = until
        return self.session.take_events()

    def sent(self) -> list[Mapping[str, object]]:
        return [cast("Mapping[str, object]", json.loads(command)) for command in self.session.take_commands()]

    def appended(self) -> list[tuple[object, object, object]]:
        return [
            (str(each["type"]).split(".")[1], each["content"], each["delegation_id"])
            for each in self.sent()
            if "content" in each
        ]


def user(text: str, *, final: bool, item: str = "heard_1") -> Transcript:
    return Transcript("user", text, final=final, item_id=item)


def test_it_starts_and_stands_until_its_end_on_the_loops_clock() -> None:
    line = Line()
    assert [command["type"] for command in line.opening] == ["session.start"]
    assert line.opened == [Connected(1_100.0)]


def test_one_that_carries_another_on_begins_with_what_was_said_and_knows_no_call() -> None:
    line = Line(history=[{"role": "user", "text": "Hi."}], owed_calls=[])
    session = cast("Mapping[str, object]", line.opening[0]["session"])
    assert json.dumps(session["input"]).count("Hi.") == 1
    assert line.opened == [Connected(1_100.0), Resumed(())]


def test_a_sideband_starts_nothing_and_ends_nothing() -> None:
    line = Line(attached=True)
    assert (line.opening, line.opened) == ([], [Connected(None)])
    line.session.close()
    assert line.sent() == []


def test_words_are_one_item_until_there_was_a_pause_in_them() -> None:
    line = Line()
    assert line.hears(Words("user", "A table ")) == [user("A table ", final=False)]
    line.after(PAUSE_S - 0.1)
    line.hears(Words("user", "for four."))
    assert line.after(PAUSE_S - 0.1) == []
    assert line.after(0.2) == [user("A table for four.", final=True)]
    assert line.hears(Words("user", "Please.")) == [user("Please.", final=False, item="heard_2")]


def test_both_may_speak_at_once_and_the_voice_is_the_item_of_its_words() -> None:
    line = Line()
    events = line.hears(Voice(LOUD), Words("assistant", "One "), Words("user", "yes"), Voice(LOUD))
    assert [event.item_id for event in events if isinstance(event, AudioOut | Transcript)] == [
        "said_1",
        "said_1",
        "heard_2",
        "said_1",
    ]
    finals = [event for event in line.after(5) if isinstance(event, Transcript)]
    assert {(event.role, event.text, event.final) for event in finals} == {
        ("assistant", "One", True),
        ("user", "yes", True),
    }


def test_silence_is_not_played() -> None:
    assert Line().hears(Voice(bytes(960)), Voice(np.full(480, 20, np.int16).tobytes()), Voice(b"")) == []


def test_a_delegation_is_told_after_the_words_that_say_what_to_do() -> None:
    line = Line()
    line.hears(Words("user", "A table "), Words("assistant", "Sure"))
    assert line.hears(HandedOver("d1", "client")) == []
    line.after(WORDS_AFTER_S - 0.1)
    line.hears(Words("user", "for four."))
    assert line.after(WORDS_AFTER_S - 0.1) == []
    assert line.after(0.2) == [
        user("A table for four.", final=True),
        Transcript("assistant", "Sure", final=True, item_id="said_2"),
        Delegated("d1", "client"),
    ]


def test_it_does_not_wait_for_ever_for_a_caller_who_talks_on() -> None:
    line, told = Line(), 0.0
    line.hears(HandedOver("d1", "client"))
    while not any(isinstance(event, Delegated) for event in line.after(0.1)):
        line.hears(Words("user", "and "))
        told = line.now
    assert told == pytest.approx(WORDS_WITHIN_S, abs=0.2)


def test_what_is_handed_to_somebody_else_is_told_at_once() -> None:
    assert Line(RESPONSES).hears(HandedOver("d1", "responses")) == [Delegated("d1", "responses")]


def test_outputs_go_to_their_delegation_spoken_or_known_in_pieces_that_fit() -> None:
    line = Line()
    line.hears(HandedOver("d1", "client"))
    line.session.give_delegation("d1", "It is sunny.", spoken=True)
    line.session.give_delegation("d1", "from noon", spoken=False)
    line.session.give_delegation("d1", "", spoken=False)
    line.session.give_delegation("d0", "of the connection before", spoken=True)
    assert line.appended() == [
        ("commentary", "It is sunny.", "d1"),
        ("thinking", "from noon", "d1"),
        ("commentary", "of the connection before", None),
    ]
    line.session.give_delegation("d1", "word " * 400, spoken=True)
    pieces = line.appended()
    assert len(pieces) > 3
    assert all(len(str(content).encode()) <= 500 for _, content, _ in pieces)


def test_a_line_is_an_instruction_and_one_that_does_not_hold_any_more_is_said_not_to() -> None:
    line = Line()
    waits = line.session.tell("The tool waits.", "system", silent=True)
    line.session.tell("what's the fee?", "user", silent=True)
    line.session.tell("Good day.", "assistant", silent=False)
    line.session.say("Hold on.")
    told = line.appended()
    assert told[0] == ("instructions", "The tool waits.", None)
    assert told[1][0] == "instructions"
    assert "did not hear it: what's the fee?" in str(told[1][1])
    assert told[2] == ("commentary", "You said: Good day.", None)
    assert told[3] == ("commentary", "Hold on.", None)
    line.session.forget(waits)
    line.session.forget(waits)
    line.session.forget("heard_1")
    assert line.appended() == [("instructions", 'This does not hold any more: "The tool waits."', None)]


def test_the_services_backend_issues_calls_and_goes_on_once_when_all_have_their_output() -> None:
    line = Line(RESPONSES)
    assert line.hears(
        BackendStarted("d1", "r1"),
        BackendCalls("d1", "c1", "look_up", None),
        BackendCalls("d1", "c1", "look_up", '{"q": 1}'),
        BackendCalls("d1", "c2", "ConfirmAction", "{}"),
        BackendEnded("d1", "r1", "completed"),
    ) == [
        ResponseStarted("r1"),
        ToolCallStarted("c1", "look_up"),
        ToolCalled("c1", "look_up", '{"q": 1}', "r1"),
        ToolCalled("c2", "ConfirmAction", "{}", "r1"),
        ResponseEnded("r1", "completed"),
    ]
    line.session.respond()
    assert line.session.give_output("c1", "found")
    line.session.respond()
    assert not line.session.give_output("c1", "again")
    assert [each["type"] for each in line.sent()] == ["response.item.create"]
    assert line.session.give_output("c2", "yes")
    line.session.respond()
    line.session.respond()
    assert [each["type"] for each in line.sent()] == ["response.item.create", "response.create"]


def test_a_key_is_told() -> None:
    assert Line(attached=True).hears(ProviderDigit("5")) == [ProviderDigit("5")]


@pytest.mark.parametrize("reason", ["content", "remote_hangup"])
def test_an_end_that_another_session_would_not_help_is_fatal(reason: str) -> None:
    line = Line()
    (event,) = line.hears(SessionClosed(reason))
    assert isinstance(event, ProviderFailed)
    assert (event.fatal, event.code, line.session.over) == (True, reason, True)


@pytest.mark.parametrize("reason", ["expired", "connection_lost", "close_requested"])
def test_any_other_end_only_ends_the_connection(reason: str) -> None:
    line = Line()
    assert line.hears(SessionClosed(reason)) == []
    assert line.session.over


def test_a_refusal_is_told_and_one_before_it_stands_is_why_it_is_not_to_be_had() -> None:
    refusal = Refusal("invalid_value", "no")
    (event,) = Line().hears(refusal)
    assert event == ProviderFailed(fatal=False, code="invalid_value", message="no")
    session = LiveSession(CLIENT, stem="e", clock_offset=0.0)
    session.receive(refusal, 0.0)
    session.receive(SessionClosed("content"), 0.0)
    session.lose("1006")
    assert (session.started, session.refusal, session.take_events()) == (False, refusal, [])


def test_one_that_is_lost_before_it_stands_says_why() -> None:
    session = LiveSession(CLIENT, stem="e", clock_offset=0.0)
    session.lose("1011 internal error")
    assert session.refusal == Refusal("connection_lost", "1011 internal error")
