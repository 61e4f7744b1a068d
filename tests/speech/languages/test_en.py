"""English: what a caller may say, and what it means."""

import pytest

from voice_hitl.questions.model import Choice, Confirm, Form, Number, Option
from voice_hitl.speech.interpret import Command, Match, NoMatch, Reading, interpret
from voice_hitl.speech.reading import CommandName

LANGUAGE = "en"
TABLE = Confirm(prompt="Book a table for two at seven. Shall I go ahead?")
BOXES = tuple(Option(label=label) for label in ("Red box", "Blue box", "Green crate"))
ONE = Choice(prompt="?", options=BOXES)
SEVERAL = Choice(prompt="?", options=BOXES, multi=True)


def read(utterance: str) -> Reading:
    return interpret(TABLE, utterance, language=LANGUAGE)


@pytest.mark.parametrize(
    "utterance",
    [
        "yes",
        "Yeah, sure.",
        "yep",
        "okay",
        "all right",
        "go ahead",
        "Sounds good to me.",
        "that works for me",
        "Yes, that's correct, thank you.",
        "perfect",
        "please do",
        "yes, book it for two at seven",
        "yes, for two",
        "no problem, go ahead",
        "I don't mind",
        "why not",
        "absolutely",
        "That is exactly right.",
        "yes please, that would be great",
        "that's fine by me",
        "that time works",
    ],
)
def test_assent_is_a_yes(utterance: str) -> None:
    assert read(utterance) == Match(True)


@pytest.mark.parametrize(
    "utterance",
    [
        "no",
        "Nope.",
        "no thank you",
        "not now",
        "I'd rather not",
        "don't do it",
        "cancel that",
        "stop",
        "forget it",
        "not right now, thanks",
        "that's not right",
        "No, that's okay.",
        "I'm good",
        "maybe later",
        "yes... no, don't",
        "sure, but I'd rather not",
    ],
)
def test_refusal_is_a_no(utterance: str) -> None:
    reading = read(utterance)
    assert isinstance(reading, Match)
    assert reading.value is False


@pytest.mark.parametrize(
    "utterance",
    [
        "yes or no",
        "yesterday",
        "cancel meeting",
        "stop the music",
        "maybe",
        "I don't know",
        "thank you",
        "uh-huh",
        "yes?",
        "okay, but at eight",
        "yes, at eight",
        "yes, for three",
        "yes, title it Leave for home",
        "actually do English subtitles",
        "cast it in the living room instead",
        "yes, when I get home",
        "yes if it's free",
        "yes, what about eight",
        "what does it cost?",
    ],
)
def test_what_is_neither_is_not_read(utterance: str) -> None:
    assert read(utterance) == NoMatch()


@pytest.mark.parametrize(
    ("utterance", "remainder"), [("no, make it eight", "make it eight"), ("no, at eight please", "at eight please")]
)
def test_a_no_keeps_what_is_wanted_instead(utterance: str, remainder: str) -> None:
    assert read(utterance) == Match(False, remainder)


@pytest.mark.parametrize(
    ("utterance", "remainder"),
    [
        ("that works, what's their address?", "what's their address?"),
        ("yes. can you tell me the price", "tell me the price"),
    ],
)
def test_a_yes_keeps_what_is_asked_back(utterance: str, remainder: str) -> None:
    assert read(utterance) == Match(True, remainder)


def test_a_detail_that_was_left_open_goes_with_the_yes() -> None:
    reading = interpret(Confirm(prompt="Shall I book a table?"), "yes, on the 5th of March", language=LANGUAGE)
    assert isinstance(reading, Match)
    assert reading.value is True
    assert reading.remainder


@pytest.mark.parametrize(
    ("utterance", "name"),
    [
        ("say that again please", "repeat"),
        ("pardon?", "repeat"),
        ("could you repeat that", "repeat"),
        ("hold on a second", "wait"),
        ("wait", "wait"),
        ("what are my options", "options"),
        ("I'd like to talk to a human", "operator"),
        ("operator please", "operator"),
        ("never mind", "never_mind"),
    ],
)
def test_commands_steer_the_dialogue(utterance: str, name: CommandName) -> None:
    assert read(utterance) == Command(name)


@pytest.mark.parametrize(
    ("utterance", "place"),
    [("the red one", 0), ("the second", 1), ("number three", 2), ("the last one", 2), ("blue box please", 1)],
)
def test_an_option_is_chosen_by_a_word_of_it_or_by_its_place(utterance: str, place: int) -> None:
    assert interpret(ONE, utterance, language=LANGUAGE) == Match(BOXES[place].label)


def test_several_options_are_chosen_together() -> None:
    labels = [box.label for box in BOXES]
    assert interpret(SEVERAL, "the first and the third", language=LANGUAGE) == Match([labels[0], labels[2]])
    assert interpret(SEVERAL, "all of them", language=LANGUAGE) == Match(labels)
    assert interpret(ONE, "none of them", language=LANGUAGE) == Command("never_mind")
    assert interpret(ONE, "red or blue", language=LANGUAGE) == NoMatch(tuple(labels[:2]))


@pytest.mark.parametrize(("utterance", "digits"), [("four two seven", "427"), ("double five oh", "550")])
def test_digits_are_read_one_by_one(utterance: str, digits: str) -> None:
    assert interpret(Number(prompt="?", digits=3), utterance, language=LANGUAGE) == Match(digits)


@pytest.mark.parametrize(
    ("utterance", "value"),
    [("twenty-one", 21), ("three point five", 3.5), ("two and a half", 2.5), ("minus three", -3)],
)
def test_numbers_are_read_as_they_are_counted(utterance: str, value: float) -> None:
    assert interpret(Number(prompt="?"), utterance, language=LANGUAGE) == Match(value)


def test_leaving_it_to_us_answers_a_form_whole() -> None:
    reading = interpret(Form(questions=(ONE,)), "just do whatever is cheapest", language=LANGUAGE)
    assert reading == Match({"answers": {}, "response": "just do whatever is cheapest"})
