"""Spanish: what a caller may say, and what it means."""

import pytest

from voice_hitl.questions.model import Choice, Confirm, Form, Number, Option
from voice_hitl.speech.interpret import Command, Match, NoMatch, Reading, interpret
from voice_hitl.speech.reading import CommandName

LANGUAGE = "es"
TABLE = Confirm(prompt="Reservar una mesa para dos a las siete. ¿Quiere que lo haga?")
BOXES = tuple(Option(label=label) for label in ("Caja roja", "Caja azul", "Cajón verde"))
ONE = Choice(prompt="?", options=BOXES)
SEVERAL = Choice(prompt="?", options=BOXES, multi=True)


def read(utterance: str) -> Reading:
    return interpret(TABLE, utterance, language=LANGUAGE)


@pytest.mark.parametrize(
    "utterance",
    [
        "sí",
        "si",
        "Sí, por favor.",
        "vale",
        "claro que sí",
        "adelante",
        "me parece bien",
        "Sí, así es, gracias.",
        "perfecto",
        "con mucho gusto",
        "sí, reserve la mesa para dos a las siete",
        "no hay problema, adelante",
        "no me importa",
        "no tengo inconveniente",
        "por qué no",
        "es correcto",
        "está bien",
    ],
)
def test_assent_is_a_yes(utterance: str) -> None:
    assert read(utterance) == Match(True)


@pytest.mark.parametrize(
    "utterance",
    [
        "no",
        "no, gracias",
        "ahora no",
        "mejor no",
        "sí, pero mejor no",
        "cancela",
        "olvídelo",
        "no es correcto",
        "quizás más tarde",
        "sí... no, no lo haga",
        "para nada",
    ],
)
def test_refusal_is_a_no(utterance: str) -> None:
    reading = read(utterance)
    assert isinstance(reading, Match)
    assert reading.value is False


@pytest.mark.parametrize(
    "utterance",
    [
        "sí o no",
        "ayer",
        "para la música",
        "cancelar la reunión",
        "quizás",
        "no sé",
        "gracias",
        "¿sí?",
        "sí, pero a las ocho",
        "sí, a las ocho",
        "sí, para tres",
        "sí, si está libre",
        "en realidad a las nueve",
        "¿cuánto cuesta?",
    ],
)
def test_what_is_neither_is_not_read(utterance: str) -> None:
    assert read(utterance) == NoMatch()


@pytest.mark.parametrize(("utterance", "remainder"), [("no, a las ocho", "a las ocho")])
def test_a_no_keeps_what_is_wanted_instead(utterance: str, remainder: str) -> None:
    assert read(utterance) == Match(False, remainder)


@pytest.mark.parametrize(("utterance", "remainder"), [("está bien, ¿cuál es la dirección?", "cuál es la dirección?")])
def test_a_yes_keeps_what_is_asked_back(utterance: str, remainder: str) -> None:
    assert read(utterance) == Match(True, remainder)


def test_a_detail_that_was_left_open_goes_with_the_yes() -> None:
    reading = interpret(Confirm(prompt="¿Quiere reservar?"), "sí, el cinco de marzo", language=LANGUAGE)
    assert isinstance(reading, Match)
    assert reading.value is True
    assert reading.remainder


@pytest.mark.parametrize(
    ("utterance", "name"),
    [
        ("¿cómo dice?", "repeat"),
        ("repita por favor", "repeat"),
        ("otra vez", "repeat"),
        ("espere un momento", "wait"),
        ("un segundo por favor", "wait"),
        ("qué opciones tengo", "options"),
        ("quiero hablar con un agente", "operator"),
        ("da igual", "never_mind"),
    ],
)
def test_commands_steer_the_dialogue(utterance: str, name: CommandName) -> None:
    assert read(utterance) == Command(name)


@pytest.mark.parametrize(
    ("utterance", "place"),
    [("la roja", 0), ("la segunda", 1), ("número tres", 2), ("la última", 2), ("caja azul por favor", 1)],
)
def test_an_option_is_chosen_by_a_word_of_it_or_by_its_place(utterance: str, place: int) -> None:
    assert interpret(ONE, utterance, language=LANGUAGE) == Match(BOXES[place].label)


def test_several_options_are_chosen_together() -> None:
    labels = [box.label for box in BOXES]
    assert interpret(SEVERAL, "la primera y la tercera", language=LANGUAGE) == Match([labels[0], labels[2]])
    assert interpret(SEVERAL, "todas", language=LANGUAGE) == Match(labels)
    assert interpret(ONE, "ninguna", language=LANGUAGE) == Command("never_mind")
    assert interpret(ONE, "la roja o la azul", language=LANGUAGE) == NoMatch(tuple(labels[:2]))


@pytest.mark.parametrize(("utterance", "digits"), [("cuatro dos siete", "427"), ("cero cero siete", "007")])
def test_digits_are_read_one_by_one(utterance: str, digits: str) -> None:
    assert interpret(Number(prompt="?", digits=3), utterance, language=LANGUAGE) == Match(digits)


@pytest.mark.parametrize(("utterance", "value"), [("veintiuno", 21), ("tres coma cinco", 3.5), ("menos tres", -3)])
def test_numbers_are_read_as_they_are_counted(utterance: str, value: float) -> None:
    assert interpret(Number(prompt="?"), utterance, language=LANGUAGE) == Match(value)


def test_leaving_it_to_us_answers_a_form_whole() -> None:
    reading = interpret(Form(questions=(ONE,)), "me da igual, lo más barato", language=LANGUAGE)
    assert reading == Match({"answers": {}, "response": "me da igual, lo más barato"})
