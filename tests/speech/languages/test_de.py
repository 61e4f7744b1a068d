"""German: what a caller may say, and what it means."""

import pytest

from voice_hitl.questions.model import Choice, Confirm, Form, Number, Option
from voice_hitl.speech.interpret import Command, Match, NoMatch, Reading, interpret
from voice_hitl.speech.reading import CommandName

LANGUAGE = "de"
TABLE = Confirm(prompt="Einen Tisch für zwei um sieben buchen. Soll ich das so machen?")
BOXES = tuple(Option(label=label) for label in ("Rote Kiste", "Blaue Kiste", "Grüner Karton"))
ONE = Choice(prompt="?", options=BOXES)
SEVERAL = Choice(prompt="?", options=BOXES, multi=True)


def read(utterance: str) -> Reading:
    return interpret(TABLE, utterance, language=LANGUAGE)


@pytest.mark.parametrize(
    "utterance",
    [
        "ja",
        "Ja, bitte.",
        "jawohl",
        "okay",
        "gerne",
        "einverstanden",
        "das passt mir gut",
        "Ja, das stimmt so, danke.",
        "perfekt",
        "machen Sie das",
        "ja, buchen Sie den Tisch für zwei um sieben",
        "kein Problem, machen Sie das",
        "ich habe nichts dagegen",
        "das macht mir nichts aus",
        "warum nicht",
        "na klar",
        "das ist richtig so",
        "in Ordnung",
    ],
)
def test_assent_is_a_yes(utterance: str) -> None:
    assert read(utterance) == Match(True)


@pytest.mark.parametrize(
    "utterance",
    [
        "nein",
        "nee",
        "nein danke",
        "jetzt nicht",
        "lieber nicht",
        "ja, aber lieber nicht",
        "abbrechen",
        "stopp",
        "vergiss es",
        "das stimmt nicht",
        "vielleicht später",
        "ja... nein, bitte nicht",
        "auf keinen Fall",
    ],
)
def test_refusal_is_a_no(utterance: str) -> None:
    reading = read(utterance)
    assert isinstance(reading, Match)
    assert reading.value is False


@pytest.mark.parametrize(
    "utterance",
    [
        "ja oder nein",
        "gestern",
        "stopp die Musik",
        "die Musik stoppen",
        "vielleicht",
        "ich weiß nicht",
        "danke",
        "ja?",
        "ja, aber um acht",
        "ja, um acht",
        "ja, für drei",
        "ja, wenn es frei ist",
        "eigentlich um neun",
        "was kostet das?",
    ],
)
def test_what_is_neither_is_not_read(utterance: str) -> None:
    assert read(utterance) == NoMatch()


@pytest.mark.parametrize(("utterance", "remainder"), [("nein, lieber um acht", "lieber um acht")])
def test_a_no_keeps_what_is_wanted_instead(utterance: str, remainder: str) -> None:
    assert read(utterance) == Match(False, remainder)


@pytest.mark.parametrize(("utterance", "remainder"), [("passt, wie ist die Adresse?", "wie ist die Adresse?")])
def test_a_yes_keeps_what_is_asked_back(utterance: str, remainder: str) -> None:
    assert read(utterance) == Match(True, remainder)


def test_a_detail_that_was_left_open_goes_with_the_yes() -> None:
    reading = interpret(Confirm(prompt="Soll ich reservieren?"), "ja, am fünften März", language=LANGUAGE)
    assert isinstance(reading, Match)
    assert reading.value is True
    assert reading.remainder


@pytest.mark.parametrize(
    ("utterance", "name"),
    [
        ("wie bitte?", "repeat"),
        ("können Sie das bitte wiederholen", "repeat"),
        ("noch einmal bitte", "repeat"),
        ("einen Moment bitte", "wait"),
        ("warte mal", "wait"),
        ("welche Optionen habe ich", "options"),
        ("ich möchte mit einem Mitarbeiter sprechen", "operator"),
        ("das hat sich erledigt", "never_mind"),
    ],
)
def test_commands_steer_the_dialogue(utterance: str, name: CommandName) -> None:
    assert read(utterance) == Command(name)


@pytest.mark.parametrize(
    ("utterance", "place"),
    [("die rote", 0), ("die zweite", 1), ("Nummer drei", 2), ("die letzte", 2), ("blaue Kiste bitte", 1)],
)
def test_an_option_is_chosen_by_a_word_of_it_or_by_its_place(utterance: str, place: int) -> None:
    assert interpret(ONE, utterance, language=LANGUAGE) == Match(BOXES[place].label)


def test_several_options_are_chosen_together() -> None:
    labels = [box.label for box in BOXES]
    assert interpret(SEVERAL, "die erste und die dritte", language=LANGUAGE) == Match([labels[0], labels[2]])
    assert interpret(SEVERAL, "alle", language=LANGUAGE) == Match(labels)
    assert interpret(ONE, "keine davon", language=LANGUAGE) == Command("never_mind")
    assert interpret(ONE, "rot oder blau", language=LANGUAGE) == NoMatch(tuple(labels[:2]))


@pytest.mark.parametrize(("utterance", "digits"), [("vier zwei sieben", "427"), ("null null sieben", "007")])
def test_digits_are_read_one_by_one(utterance: str, digits: str) -> None:
    assert interpret(Number(prompt="?", digits=3), utterance, language=LANGUAGE) == Match(digits)


@pytest.mark.parametrize(("utterance", "value"), [("einundzwanzig", 21), ("drei Komma fünf", 3.5), ("minus drei", -3)])
def test_numbers_are_read_as_they_are_counted(utterance: str, value: float) -> None:
    assert interpret(Number(prompt="?"), utterance, language=LANGUAGE) == Match(value)


def test_leaving_it_to_us_answers_a_form_whole() -> None:
    reading = interpret(Form(questions=(ONE,)), "mir ist das egal, das günstigste", language=LANGUAGE)
    assert reading == Match({"answers": {}, "response": "mir ist das egal, das günstigste"})
