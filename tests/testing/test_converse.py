"""A dialogue in text, with the reason for every reading."""

import pytest

from voice_hitl.questions.model import Approval, Confirm, Number, Text
from voice_hitl.testing.converse import Silence, converse, key

TABLE = Confirm(prompt="Book a table for four at seven?")


def test_a_no_with_a_change_is_told_with_its_reason() -> None:
    talk = converse(TABLE, ["no, at eight"])
    assert talk.filled is not None
    assert talk.filled.value is False
    assert talk.filled.reason == "at eight"
    assert talk.lines[1] == "caller: no, at eight"
    assert talk.lines[2].startswith("  read as Match: no")
    assert talk.lines[-1] == "answered: False"


def test_a_key_answers_and_later_turns_are_not_needed() -> None:
    talk = converse(TABLE, [key("1"), "no"])
    assert talk.filled is not None
    assert talk.filled.value is True
    assert "caller: no" not in talk.lines


def test_a_read_back_takes_a_second_turn() -> None:
    talk = converse(Number(prompt="What is the code?", digits=3), ["four two seven", "no, four two nine", "yes"])
    assert talk.filled is not None
    assert talk.filled.value == "429"


def test_an_aside_and_silence_and_an_operator() -> None:
    talk = converse(TABLE, ["what does it cost?", Silence(7), "an operator, please"])
    assert talk.asides == ["what does it cost?"]
    assert talk.to_operator
    assert talk.over
    assert sum(line.startswith("agent: ") for line in talk.lines) == 3


def test_silence_is_given_up() -> None:
    assert converse(TABLE, [Silence(60)]).gave_up
    assert converse(Text(prompt="What is your name?"), ["never mind"]).lines[-1] == "declined"


def test_what_cannot_be_said_is_an_error() -> None:
    with pytest.raises(ValueError, match="cannot be asked aloud"):
        converse(Approval(tool="pay", arguments={"to": {"iban": ["DE"]}}, digest="d"), ["yes"])
