"""French: what a caller may say, and what it means."""

import pytest

from voice_hitl.questions.model import Choice, Confirm, Form, Number, Option
from voice_hitl.speech.interpret import Command, Match, NoMatch, Reading, interpret
from voice_hitl.speech.reading import CommandName

LANGUAGE = "fr"
TABLE = Confirm(prompt="Réserver une table pour deux à sept heures. Est-ce que je le fais ?")
BOXES = tuple(Option(label=label) for label in ("Boîte rouge", "Boîte bleue", "Caisse verte"))
ONE = Choice(prompt="?", options=BOXES)
SEVERAL = Choice(prompt="?", options=BOXES, multi=True)


def read(utterance: str) -> Reading:
    return interpret(TABLE, utterance, language=LANGUAGE)


@pytest.mark.parametrize(
    "utterance",
    [
        "oui",
        "Oui, s'il vous plaît.",
        "ouais",
        "d'accord",
        "bien sûr",
        "allez-y",
        "ça me va",
        "Oui, c'est bien ça, merci.",
        "parfait",
        "volontiers",
        "oui, réservez la table pour deux à sept heures",
        "pas de problème, allez-y",
        "ça ne me dérange pas",
        "je n'y vois pas d'inconvénient",
        "pourquoi pas",
        "c'est correct",
        "très bien merci",
    ],
)
def test_assent_is_a_yes(utterance: str) -> None:
    assert read(utterance) == Match(True)


@pytest.mark.parametrize(
    "utterance",
    [
        "non",
        "non merci",
        "pas maintenant",
        "plutôt pas",
        "oui, mais plutôt pas",
        "annulez",
        "stop",
        "laissez tomber",
        "ce n'est pas correct",
        "peut-être plus tard",
        "oui... non, pas du tout",
        "surtout pas",
    ],
)
def test_refusal_is_a_no(utterance: str) -> None:
    reading = read(utterance)
    assert isinstance(reading, Match)
    assert reading.value is False


@pytest.mark.parametrize(
    "utterance",
    [
        "oui ou non",
        "hier",
        "arrête la musique",
        "annuler la réunion",
        "peut-être",
        "je ne sais pas",
        "merci",
        "oui ?",
        "oui, mais à huit heures",
        "oui, à huit heures",
        "oui, pour trois",
        "oui, si c'est libre",
        "en fait à neuf heures",
        "quel est le prix ?",
    ],
)
def test_what_is_neither_is_not_read(utterance: str) -> None:
    assert read(utterance) == NoMatch()


@pytest.mark.parametrize(("utterance", "remainder"), [("non, à huit heures", "à huit heures")])
def test_a_no_keeps_what_is_wanted_instead(utterance: str, remainder: str) -> None:
    assert read(utterance) == Match(False, remainder)


@pytest.mark.parametrize(
    ("utterance", "remainder"), [("c'est parfait, quelle est l'adresse ?", "quelle est l'adresse ?")]
)
def test_a_yes_keeps_what_is_asked_back(utterance: str, remainder: str) -> None:
    assert read(utterance) == Match(True, remainder)


def test_a_detail_that_was_left_open_goes_with_the_yes() -> None:
    reading = interpret(Confirm(prompt="Est-ce que je réserve ?"), "oui, le cinq mars", language=LANGUAGE)
    assert isinstance(reading, Match)
    assert reading.value is True
    assert reading.remainder


@pytest.mark.parametrize(
    ("utterance", "name"),
    [
        ("pardon ?", "repeat"),
        ("pouvez-vous répéter s'il vous plaît", "repeat"),
        ("encore une fois", "repeat"),
        ("attendez un instant", "wait"),
        ("un moment s'il vous plaît", "wait"),
        ("quelles sont mes options", "options"),
        ("je voudrais parler à un conseiller", "operator"),
        ("tant pis", "never_mind"),
    ],
)
def test_commands_steer_the_dialogue(utterance: str, name: CommandName) -> None:
    assert read(utterance) == Command(name)


@pytest.mark.parametrize(
    ("utterance", "place"),
    [("la rouge", 0), ("la deuxième", 1), ("numéro trois", 2), ("la dernière", 2), ("boîte bleue s'il vous plaît", 1)],
)
def test_an_option_is_chosen_by_a_word_of_it_or_by_its_place(utterance: str, place: int) -> None:
    assert interpret(ONE, utterance, language=LANGUAGE) == Match(BOXES[place].label)


def test_several_options_are_chosen_together() -> None:
    labels = [box.label for box in BOXES]
    assert interpret(SEVERAL, "la première et la troisième", language=LANGUAGE) == Match([labels[0], labels[2]])
    assert interpret(SEVERAL, "toutes", language=LANGUAGE) == Match(labels)
    assert interpret(ONE, "aucune", language=LANGUAGE) == Command("never_mind")
    assert interpret(ONE, "la rouge ou la bleue", language=LANGUAGE) == NoMatch(tuple(labels[:2]))


@pytest.mark.parametrize(("utterance", "digits"), [("quatre deux sept", "427"), ("zéro zéro sept", "007")])
def test_digits_are_read_one_by_one(utterance: str, digits: str) -> None:
    assert interpret(Number(prompt="?", digits=3), utterance, language=LANGUAGE) == Match(digits)


@pytest.mark.parametrize(
    ("utterance", "value"), [("vingt et un", 21), ("trois virgule cinq", 3.5), ("moins trois", -3)]
)
def test_numbers_are_read_as_they_are_counted(utterance: str, value: float) -> None:
    assert interpret(Number(prompt="?"), utterance, language=LANGUAGE) == Match(value)


def test_leaving_it_to_us_answers_a_form_whole() -> None:
    reading = interpret(Form(questions=(ONE,)), "peu importe, le moins cher", language=LANGUAGE)
    assert reading == Match({"answers": {}, "response": "peu importe, le moins cher"})
