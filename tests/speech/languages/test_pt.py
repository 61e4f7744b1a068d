"""Portuguese: what a caller may say, and what it means."""

import pytest

from voice_hitl.questions.model import Choice, Confirm, Form, Number, Option
from voice_hitl.speech.interpret import Command, Match, NoMatch, Reading, interpret
from voice_hitl.speech.reading import CommandName

LANGUAGE = "pt"
TABLE = Confirm(prompt="Reservar uma mesa para dois às sete. Quer que eu faça isso agora?")
BOXES = tuple(Option(label=label) for label in ("Caixa vermelha", "Caixa azul", "Engradado verde"))
ONE = Choice(prompt="?", options=BOXES)
SEVERAL = Choice(prompt="?", options=BOXES, multi=True)


def read(utterance: str) -> Reading:
    return interpret(TABLE, utterance, language=LANGUAGE)


@pytest.mark.parametrize(
    "utterance",
    [
        "sim",
        "Sim, por favor.",
        "claro",
        "tá bom",
        "com certeza",
        "pode fazer",
        "está ótimo",
        "Sim, é isso mesmo, obrigado.",
        "perfeito",
        "isso mesmo",
        "sim, reserve a mesa para dois às sete",
        "sem problema, pode fazer",
        "não me importo",
        "não tenho nada contra",
        "por que não",
        "está correto",
        "pois não",
    ],
)
def test_assent_is_a_yes(utterance: str) -> None:
    assert read(utterance) == Match(True)


@pytest.mark.parametrize(
    "utterance",
    [
        "não",
        "não, obrigada",
        "agora não",
        "melhor não",
        "sim, mas é melhor não",
        "cancela",
        "esquece",
        "não está certo",
        "talvez mais tarde",
        "sim... não, não faça isso",
        "de jeito nenhum",
    ],
)
def test_refusal_is_a_no(utterance: str) -> None:
    reading = read(utterance)
    assert isinstance(reading, Match)
    assert reading.value is False


@pytest.mark.parametrize(
    "utterance",
    [
        "sim ou não",
        "ontem",
        "para a música",
        "cancelar a reunião",
        "talvez",
        "não sei",
        "obrigado",
        "sim?",
        "sim, mas às oito",
        "sim, às oito",
        "sim, para três",
        "sim, se estiver livre",
        "na verdade às nove",
        "quanto custa?",
    ],
)
def test_what_is_neither_is_not_read(utterance: str) -> None:
    assert read(utterance) == NoMatch()


@pytest.mark.parametrize(("utterance", "remainder"), [("não, às oito", "às oito")])
def test_a_no_keeps_what_is_wanted_instead(utterance: str, remainder: str) -> None:
    assert read(utterance) == Match(False, remainder)


@pytest.mark.parametrize(("utterance", "remainder"), [("está ótimo, qual é o endereço?", "qual é o endereço?")])
def test_a_yes_keeps_what_is_asked_back(utterance: str, remainder: str) -> None:
    assert read(utterance) == Match(True, remainder)


def test_a_detail_that_was_left_open_goes_with_the_yes() -> None:
    reading = interpret(Confirm(prompt="Quer reservar?"), "sim, no dia cinco de março", language=LANGUAGE)
    assert isinstance(reading, Match)
    assert reading.value is True
    assert reading.remainder


@pytest.mark.parametrize(
    ("utterance", "name"),
    [
        ("como disse?", "repeat"),
        ("repete por favor", "repeat"),
        ("mais uma vez", "repeat"),
        ("espera um momento", "wait"),
        ("só um minuto por favor", "wait"),
        ("quais são as opções", "options"),
        ("quero falar com um atendente", "operator"),
        ("não importa", "never_mind"),
    ],
)
def test_commands_steer_the_dialogue(utterance: str, name: CommandName) -> None:
    assert read(utterance) == Command(name)


@pytest.mark.parametrize(
    ("utterance", "place"),
    [("a vermelha", 0), ("a segunda", 1), ("número três", 2), ("a última", 2), ("caixa azul por favor", 1)],
)
def test_an_option_is_chosen_by_a_word_of_it_or_by_its_place(utterance: str, place: int) -> None:
    assert interpret(ONE, utterance, language=LANGUAGE) == Match(BOXES[place].label)


def test_several_options_are_chosen_together() -> None:
    labels = [box.label for box in BOXES]
    assert interpret(SEVERAL, "a primeira e a terceira", language=LANGUAGE) == Match([labels[0], labels[2]])
    assert interpret(SEVERAL, "todas", language=LANGUAGE) == Match(labels)
    assert interpret(ONE, "nenhuma", language=LANGUAGE) == Command("never_mind")
    assert interpret(ONE, "a vermelha ou a azul", language=LANGUAGE) == NoMatch(tuple(labels[:2]))


@pytest.mark.parametrize(("utterance", "digits"), [("quatro dois sete", "427"), ("zero zero sete", "007")])
def test_digits_are_read_one_by_one(utterance: str, digits: str) -> None:
    assert interpret(Number(prompt="?", digits=3), utterance, language=LANGUAGE) == Match(digits)


@pytest.mark.parametrize(("utterance", "value"), [("vinte e um", 21), ("três vírgula cinco", 3.5), ("menos três", -3)])
def test_numbers_are_read_as_they_are_counted(utterance: str, value: float) -> None:
    assert interpret(Number(prompt="?"), utterance, language=LANGUAGE) == Match(value)


def test_leaving_it_to_us_answers_a_form_whole() -> None:
    reading = interpret(Form(questions=(ONE,)), "tanto faz, o mais barato", language=LANGUAGE)
    assert reading == Match({"answers": {}, "response": "tanto faz, o mais barato"})
