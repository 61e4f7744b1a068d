"""Dutch: what a caller may say, and what it means."""

import pytest

from voice_hitl.questions.model import Choice, Confirm, Form, Number, Option
from voice_hitl.speech.interpret import Command, Match, NoMatch, Reading, interpret
from voice_hitl.speech.reading import CommandName

LANGUAGE = "nl"
TABLE = Confirm(prompt="Een tafel voor twee om zeven uur boeken. Zal ik het zo doen?")
BOXES = tuple(Option(label=label) for label in ("Rode doos", "Blauwe doos", "Groene krat"))
ONE = Choice(prompt="?", options=BOXES)
SEVERAL = Choice(prompt="?", options=BOXES, multi=True)


def read(utterance: str) -> Reading:
    return interpret(TABLE, utterance, language=LANGUAGE)


@pytest.mark.parametrize(
    "utterance",
    [
        "ja",
        "Ja, graag.",
        "jazeker",
        "oké",
        "natuurlijk",
        "doe maar",
        "dat lijkt me prima",
        "Ja, dat klopt, dank u.",
        "perfect",
        "akkoord",
        "ja, boek de tafel voor twee om zeven uur",
        "geen probleem, ga je gang",
        "ik vind het niet erg",
        "ik heb er niets op tegen",
        "waarom niet",
        "dat is goed",
        "in orde",
    ],
)
def test_assent_is_a_yes(utterance: str) -> None:
    assert read(utterance) == Match(True)


@pytest.mark.parametrize(
    "utterance",
    [
        "nee",
        "nee, dank u",
        "nu niet",
        "liever niet",
        "ja, maar liever niet",
        "annuleer",
        "stop",
        "vergeet het",
        "dat klopt niet",
        "misschien later",
        "ja... nee, niet doen",
        "absoluut niet",
    ],
)
def test_refusal_is_a_no(utterance: str) -> None:
    reading = read(utterance)
    assert isinstance(reading, Match)
    assert reading.value is False


@pytest.mark.parametrize(
    "utterance",
    [
        "ja of nee",
        "gisteren",
        "stop de muziek",
        "vergadering annuleren",
        "misschien",
        "weet ik niet",
        "bedankt",
        "ja?",
        "ja, maar om acht uur",
        "ja, om acht uur",
        "ja, voor drie",
        "ja, als het vrij is",
        "eigenlijk om negen uur",
        "wat kost het?",
    ],
)
def test_what_is_neither_is_not_read(utterance: str) -> None:
    assert read(utterance) == NoMatch()


@pytest.mark.parametrize(("utterance", "remainder"), [("nee, om acht uur", "om acht uur")])
def test_a_no_keeps_what_is_wanted_instead(utterance: str, remainder: str) -> None:
    assert read(utterance) == Match(False, remainder)


@pytest.mark.parametrize(("utterance", "remainder"), [("prima, wat is het adres?", "wat is het adres?")])
def test_a_yes_keeps_what_is_asked_back(utterance: str, remainder: str) -> None:
    assert read(utterance) == Match(True, remainder)


def test_a_detail_that_was_left_open_goes_with_the_yes() -> None:
    reading = interpret(Confirm(prompt="Zal ik reserveren?"), "ja, op vijf maart", language=LANGUAGE)
    assert isinstance(reading, Match)
    assert reading.value is True
    assert reading.remainder


@pytest.mark.parametrize(
    ("utterance", "name"),
    [
        ("wat zegt u?", "repeat"),
        ("kunt u dat herhalen", "repeat"),
        ("nog een keer alstublieft", "repeat"),
        ("wacht even", "wait"),
        ("een moment alstublieft", "wait"),
        ("wat zijn mijn opties", "options"),
        ("ik wil een medewerker spreken", "operator"),
        ("sla de vraag over", "never_mind"),
    ],
)
def test_commands_steer_the_dialogue(utterance: str, name: CommandName) -> None:
    assert read(utterance) == Command(name)


@pytest.mark.parametrize(
    ("utterance", "place"),
    [("de rode", 0), ("de tweede", 1), ("nummer drie", 2), ("de laatste", 2), ("blauwe doos alstublieft", 1)],
)
def test_an_option_is_chosen_by_a_word_of_it_or_by_its_place(utterance: str, place: int) -> None:
    assert interpret(ONE, utterance, language=LANGUAGE) == Match(BOXES[place].label)


def test_several_options_are_chosen_together() -> None:
    labels = [box.label for box in BOXES]
    assert interpret(SEVERAL, "de eerste en de derde", language=LANGUAGE) == Match([labels[0], labels[2]])
    assert interpret(SEVERAL, "allemaal", language=LANGUAGE) == Match(labels)
    assert interpret(ONE, "geen van allen", language=LANGUAGE) == Command("never_mind")
    assert interpret(ONE, "de rode of de blauwe", language=LANGUAGE) == NoMatch(tuple(labels[:2]))


@pytest.mark.parametrize(("utterance", "digits"), [("vier twee zeven", "427"), ("nul nul zeven", "007")])
def test_digits_are_read_one_by_one(utterance: str, digits: str) -> None:
    assert interpret(Number(prompt="?", digits=3), utterance, language=LANGUAGE) == Match(digits)


@pytest.mark.parametrize(("utterance", "value"), [("eenentwintig", 21), ("drie komma vijf", 3.5), ("min drie", -3)])
def test_numbers_are_read_as_they_are_counted(utterance: str, value: float) -> None:
    assert interpret(Number(prompt="?"), utterance, language=LANGUAGE) == Match(value)


def test_leaving_it_to_us_answers_a_form_whole() -> None:
    reading = interpret(Form(questions=(ONE,)), "maakt me niet uit, de goedkoopste", language=LANGUAGE)
    assert reading == Match({"answers": {}, "response": "maakt me niet uit, de goedkoopste"})
