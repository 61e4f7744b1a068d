"""Italian: what a caller may say, and what it means."""

import pytest

from voice_hitl.questions.model import Choice, Confirm, Form, Number, Option
from voice_hitl.speech.interpret import Command, Match, NoMatch, Reading, interpret
from voice_hitl.speech.reading import CommandName

LANGUAGE = "it"
TABLE = Confirm(prompt="Prenotare un tavolo per due alle sette. Vuole che lo faccia io?")
BOXES = tuple(Option(label=label) for label in ("Scatola rossa", "Scatola blu", "Cassa verde"))
ONE = Choice(prompt="?", options=BOXES)
SEVERAL = Choice(prompt="?", options=BOXES, multi=True)


def read(utterance: str) -> Reading:
    return interpret(TABLE, utterance, language=LANGUAGE)


@pytest.mark.parametrize(
    "utterance",
    [
        "sì",
        "si",
        "Sì, grazie.",
        "d'accordo",
        "certo",
        "vada avanti",
        "per me va bene",
        "Sì, è giusto, grazie.",
        "perfetto",
        "volentieri",
        "sì, prenoti il tavolo per due alle sette",
        "nessun problema, vada avanti",
        "non mi dispiace",
        "non ho nulla in contrario",
        "perché no",
        "esatto",
        "va benissimo così",
    ],
)
def test_assent_is_a_yes(utterance: str) -> None:
    assert read(utterance) == Match(True)


@pytest.mark.parametrize(
    "utterance",
    [
        "no",
        "no, grazie",
        "non ora",
        "meglio di no",
        "sì, ma meglio di no",
        "annulla",
        "basta",
        "lasci perdere",
        "non è corretto",
        "forse più tardi",
        "sì... no, non lo faccia",
        "assolutamente no",
    ],
)
def test_refusal_is_a_no(utterance: str) -> None:
    reading = read(utterance)
    assert isinstance(reading, Match)
    assert reading.value is False


@pytest.mark.parametrize(
    "utterance",
    [
        "sì o no",
        "ieri",
        "ferma la musica",
        "annulla la riunione",
        "forse",
        "non lo so",
        "grazie",
        "sì?",
        "sì, ma alle otto",
        "sì, alle otto",
        "sì, per tre",
        "sì, se è libero",
        "in realtà alle nove",
        "quanto costa?",
    ],
)
def test_what_is_neither_is_not_read(utterance: str) -> None:
    assert read(utterance) == NoMatch()


@pytest.mark.parametrize(("utterance", "remainder"), [("no, alle otto", "alle otto")])
def test_a_no_keeps_what_is_wanted_instead(utterance: str, remainder: str) -> None:
    assert read(utterance) == Match(False, remainder)


@pytest.mark.parametrize(("utterance", "remainder"), [("va bene, qual è l'indirizzo?", "qual è l'indirizzo?")])
def test_a_yes_keeps_what_is_asked_back(utterance: str, remainder: str) -> None:
    assert read(utterance) == Match(True, remainder)


def test_a_detail_that_was_left_open_goes_with_the_yes() -> None:
    reading = interpret(Confirm(prompt="Vuole prenotare?"), "sì, il cinque marzo", language=LANGUAGE)
    assert isinstance(reading, Match)
    assert reading.value is True
    assert reading.remainder


@pytest.mark.parametrize(
    ("utterance", "name"),
    [
        ("come ha detto?", "repeat"),
        ("può ripetere per favore", "repeat"),
        ("di nuovo", "repeat"),
        ("aspetti un attimo", "wait"),
        ("un momento per favore", "wait"),
        ("quali sono le opzioni", "options"),
        ("vorrei parlare con un operatore", "operator"),
        ("non importa", "never_mind"),
    ],
)
def test_commands_steer_the_dialogue(utterance: str, name: CommandName) -> None:
    assert read(utterance) == Command(name)


@pytest.mark.parametrize(
    ("utterance", "place"),
    [("la rossa", 0), ("la seconda", 1), ("numero tre", 2), ("l'ultima", 2), ("scatola blu per favore", 1)],
)
def test_an_option_is_chosen_by_a_word_of_it_or_by_its_place(utterance: str, place: int) -> None:
    assert interpret(ONE, utterance, language=LANGUAGE) == Match(BOXES[place].label)


def test_several_options_are_chosen_together() -> None:
    labels = [box.label for box in BOXES]
    assert interpret(SEVERAL, "la prima e la terza", language=LANGUAGE) == Match([labels[0], labels[2]])
    assert interpret(SEVERAL, "tutte", language=LANGUAGE) == Match(labels)
    assert interpret(ONE, "nessuna", language=LANGUAGE) == Command("never_mind")
    assert interpret(ONE, "la rossa o la blu", language=LANGUAGE) == NoMatch(tuple(labels[:2]))


@pytest.mark.parametrize(("utterance", "digits"), [("quattro due sette", "427"), ("zero zero sette", "007")])
def test_digits_are_read_one_by_one(utterance: str, digits: str) -> None:
    assert interpret(Number(prompt="?", digits=3), utterance, language=LANGUAGE) == Match(digits)


@pytest.mark.parametrize(("utterance", "value"), [("ventuno", 21), ("tre virgola cinque", 3.5), ("meno tre", -3)])
def test_numbers_are_read_as_they_are_counted(utterance: str, value: float) -> None:
    assert interpret(Number(prompt="?"), utterance, language=LANGUAGE) == Match(value)


def test_leaving_it_to_us_answers_a_form_whole() -> None:
    reading = interpret(Form(questions=(ONE,)), "per me è uguale, il più economico", language=LANGUAGE)
    assert reading == Match({"answers": {}, "response": "per me è uguale, il più economico"})
