"""A number: digit by digit, or as it is counted."""

import pytest

from voice_hitl.questions.check import check
from voice_hitl.questions.model import Number
from voice_hitl.speech.interpret import Command, Match, NoMatch, interpret

ANY = Number(prompt="How many?")
CODE = Number(prompt="Your code?", digits=4)


@pytest.mark.parametrize(
    ("utterance", "value"),
    [
        ("four two seven", 427),
        ("forty two", 42),
        ("it's five, please", 5),
        ("three hundred and twenty", 320),
        ("three point five", 3.5),
        ("two and a half", 2.5),
        ("minus three", -3),
        ("4.5", 4.5),
        ("1,000", 1000),
        ("nineteen eighty four", 1984),
        ("double five", 55),
        ("five. no, six", 6),
        ("the third", 3),
    ],
)
def test_a_number_is_read_as_it_is_said(utterance: str, value: float) -> None:
    reading = interpret(ANY, utterance)
    assert reading == Match(value)
    assert isinstance(reading, Match)
    assert check(ANY, reading.value) == value


@pytest.mark.parametrize(
    "utterance",
    [
        "five or six",
        "maybe five",
        "not five",
        "at 7:30",
        "several",
        "",
        "two kids and three dogs",
    ],
)
def test_a_doubtful_number_is_no_number(utterance: str) -> None:
    assert interpret(ANY, utterance) == NoMatch()


def test_a_number_in_a_story_is_no_number() -> None:
    assert interpret(ANY, "when Henry moved house his landlord kept five") == NoMatch()


@pytest.mark.parametrize(
    ("utterance", "digits"),
    [
        ("four two seven nine", "4279"),
        ("double five oh three", "5503"),
        ("oh double oh three", "0003"),
        ("forty two seventy nine", "4279"),
        ("4279", "4279"),
        ("zero zero four two", "0042"),
        ("four two seven five, no, four two seven nine", "4279"),
        ("my code is four two seven nine", "4279"),
    ],
)
def test_a_code_is_read_digit_by_digit(utterance: str, digits: str) -> None:
    reading = interpret(CODE, utterance)
    assert reading == Match(digits)
    assert isinstance(reading, Match)
    assert check(CODE, reading.value) == digits


@pytest.mark.parametrize("utterance", ["four two seven", "four two and seven nine", "4.279", "the third", "hello"])
def test_a_code_with_too_few_digits_or_words_between_is_no_code(utterance: str) -> None:
    assert interpret(CODE, utterance) == NoMatch()


def test_a_number_out_of_bounds_is_not_taken() -> None:
    question = Number(prompt="?", minimum=1, maximum=9)
    assert interpret(question, "zero").rule == "less than 1"
    assert interpret(question, "ten").rule == "more than 9"
    assert interpret(question, "nine") == Match(9)
    assert interpret(Number(prompt="?", digits=2, maximum=50), "five one").rule == "more than 50"


def test_a_command_is_no_number() -> None:
    assert interpret(ANY, "say again") == Command("repeat")


def test_a_language_without_a_pack_has_its_digits() -> None:
    assert interpret(CODE, "4279", language="xx") == Match("4279")
