"""Numbers as they are said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.speech.languages import pack_for
from voice_hitl.speech.numbers import Spoken, numbers_in
from voice_hitl.speech.words import split


def numbers(text: str, language: str = "en") -> list[Spoken]:
    pack = pack_for(language)
    return list(numbers_in(split(text, elides=pack.elides), pack).values())


def values(text: str, language: str = "en") -> list[tuple[float, ...]]:
    return [number.values for number in numbers(text, language)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("twenty-one", [(21,)]),
        ("four hundred and twenty", [(420,)]),
        ("three point one four", [(3.14,)]),
        ("four two seven", [(4,), (2,), (7,)]),
        ("seven, thirty", [(7,), (30,)]),
        ("two rooms and three days", [(2,), (3,)]),
        ("at 7:30", [(7, 30)]),
        ("1,500", [(1500,)]),
        ("1,500.25", [(1500.25,)]),
        ("1.500", [(1.5,)]),
        ("1,5", [(1.5,)]),
        ("5.3.2026", [(5, 3, 2026)]),
        ("7:30.5", [(7, 30, 5)]),
        ("yesterday", []),
    ],
)
def test_numbers_are_read_in_words_and_in_digits(text: str, expected: list[tuple[float, ...]]) -> None:
    assert values(text) == expected


def test_the_decimal_separator_is_the_language_s() -> None:
    assert values("1.500", "de") == [(1500,)]
    assert values("1,5", "de") == [(1.5,)]
    assert values("drei Komma fünf", "de") == [(3.5,)]


def test_ordinals_are_places_in_an_order() -> None:
    assert numbers("the fifth") == [Spoken((5,), "5", True, 1, 2)]
    assert numbers("the 5th") == [Spoken((5,), "5", True, 1, 3)]
    assert numbers("5 th") == [Spoken((5,), "5", False, 0, 1)]
    assert numbers("the 5") == [Spoken((5,), "5", False, 1, 2)]


def test_leading_zeros_are_kept() -> None:
    assert numbers("zero zero seven")[0].digits == "007"
    assert numbers("007")[0].digits == "007"


def test_a_language_without_a_pack_has_its_digits() -> None:
    assert values("xyzzy seven 42", "xx") == [(42,)]


@pytest.mark.parametrize("text", ["²", "½", "③", "٣", "9" * 400, "1:2:3:4", "1,2,3", "1.2.3,4"])
def test_odd_digits_are_read_or_left(text: str) -> None:
    values(text)
    values(text, "de")


SAID = ["one", "two", "twenty", "hundred", "thousand", "point", "and", "million", "zero", "first", "3", ",", "."]


@given(st.lists(st.sampled_from(SAID)))
def test_number_words_in_any_order_are_read_or_left(words: list[str]) -> None:
    values(" ".join(words))
