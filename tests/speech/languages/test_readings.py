"""What a caller may say in each language, and what it means: one rule a test, over the sayings of every language."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

from tests.speech.languages.sayings.dutch import DUTCH
from tests.speech.languages.sayings.english import ENGLISH
from tests.speech.languages.sayings.french import FRENCH
from tests.speech.languages.sayings.german import GERMAN
from tests.speech.languages.sayings.italian import ITALIAN
from tests.speech.languages.sayings.portuguese import PORTUGUESE
from tests.speech.languages.sayings.sayings import Sayings
from tests.speech.languages.sayings.spanish import SPANISH
from voice_hitl.questions.model import Choice, Confirm, Form, Number, Option
from voice_hitl.speech.interpret import Command, Match, NoMatch, Reading, interpret
from voice_hitl.speech.languages import PACKS
from voice_hitl.speech.reading import CommandName

LANGUAGES = (ENGLISH, FRENCH, GERMAN, SPANISH, ITALIAN, PORTUGUESE, DUTCH)
T = TypeVar("T")

each_language = pytest.mark.parametrize("sayings", LANGUAGES, ids=lambda sayings: sayings.language)


def each(of: Callable[[Sayings], Iterable[T]]) -> pytest.MarkDecorator:
    """One test for each of these sayings, of every language."""
    cases = [
        pytest.param(sayings, saying, id=f"{sayings.language}-{saying}")
        for sayings in LANGUAGES
        for saying in of(sayings)
    ]
    return pytest.mark.parametrize(("sayings", "saying"), cases)


def read(sayings: Sayings, utterance: str) -> Reading:
    return interpret(Confirm(prompt=sayings.question), utterance, language=sayings.language)


def choose(sayings: Sayings, utterance: str, *, multi: bool = False) -> Reading:
    options = tuple(Option(label=label) for label in sayings.options)
    return interpret(Choice(prompt="?", options=options, multi=multi), utterance, language=sayings.language)


def test_every_pack_has_its_sayings() -> None:
    assert {sayings.language for sayings in LANGUAGES} == set(PACKS)


@each(lambda sayings: sayings.assent)
def test_assent_is_a_yes(sayings: Sayings, saying: str) -> None:
    assert read(sayings, saying) == Match(True)


@each(lambda sayings: sayings.refusal)
def test_refusal_is_a_no(sayings: Sayings, saying: str) -> None:
    reading = read(sayings, saying)
    assert isinstance(reading, Match)
    assert reading.value is False


@each(lambda sayings: sayings.neither)
def test_what_is_neither_is_not_read(sayings: Sayings, saying: str) -> None:
    assert read(sayings, saying) == NoMatch()


@each(lambda sayings: sayings.no_and_a_change)
def test_a_no_keeps_what_is_wanted_instead(sayings: Sayings, saying: tuple[str, str]) -> None:
    utterance, remainder = saying
    assert read(sayings, utterance) == Match(False, remainder)


@each(lambda sayings: sayings.yes_and_a_question)
def test_a_yes_keeps_what_is_asked_back(sayings: Sayings, saying: tuple[str, str]) -> None:
    utterance, remainder = saying
    assert read(sayings, utterance) == Match(True, remainder)


@each_language
def test_a_detail_that_was_left_open_goes_with_the_yes(sayings: Sayings) -> None:
    question = Confirm(prompt=sayings.open_question)
    reading = interpret(question, sayings.yes_and_a_detail, language=sayings.language)
    assert isinstance(reading, Match)
    assert reading.value is True
    assert reading.remainder


@each(lambda sayings: sayings.commands)
def test_commands_steer_the_dialogue(sayings: Sayings, saying: tuple[str, CommandName]) -> None:
    utterance, name = saying
    assert read(sayings, utterance) == Command(name)


@each(lambda sayings: sayings.choices)
def test_an_option_is_chosen_by_a_word_of_it_or_by_its_place(sayings: Sayings, saying: tuple[str, int]) -> None:
    utterance, place = saying
    assert choose(sayings, utterance) == Match(sayings.options[place])


@each_language
def test_several_options_are_chosen_together(sayings: Sayings) -> None:
    first, second, third = sayings.options
    assert choose(sayings, sayings.first_and_third, multi=True) == Match([first, third])
    assert choose(sayings, sayings.every, multi=True) == Match([first, second, third])


@each_language
def test_none_of_the_options_is_a_decline_and_two_for_one_are_named(sayings: Sayings) -> None:
    assert choose(sayings, sayings.none) == Command("never_mind")
    assert choose(sayings, sayings.first_or_second) == NoMatch(sayings.options[:2])


@each(lambda sayings: sayings.digits)
def test_digits_are_read_one_by_one(sayings: Sayings, saying: tuple[str, str]) -> None:
    utterance, digits = saying
    assert interpret(Number(prompt="?", digits=3), utterance, language=sayings.language) == Match(digits)


@each(lambda sayings: sayings.numbers)
def test_numbers_are_read_as_they_are_counted(sayings: Sayings, saying: tuple[str, float]) -> None:
    utterance, value = saying
    assert interpret(Number(prompt="?"), utterance, language=sayings.language) == Match(value)


@each_language
def test_leaving_it_to_us_answers_a_form_whole(sayings: Sayings) -> None:
    options = tuple(Option(label=label) for label in sayings.options)
    form = Form(questions=(Choice(prompt="?", options=options),))
    reading = interpret(form, sayings.whatever, language=sayings.language)
    assert reading == Match({"answers": {}, "response": sayings.whatever})
