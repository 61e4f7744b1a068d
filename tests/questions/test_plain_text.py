"""Text as people see it."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.questions.plain_text import WHITE_SPACE, as_unicode, is_blank, is_unicode, plain_text, strip


@pytest.mark.parametrize("space", WHITE_SPACE)
def test_every_unicode_white_space_is_stripped_from_both_ends(space: str) -> None:
    assert strip(f"{space}two  words{space}{space}") == "two  words"


@pytest.mark.parametrize("character", ["\u001c", "\u001f", "\u200b", "\ufeff", "\u180e"])
def test_what_is_no_white_space_is_not_stripped(character: str) -> None:
    assert strip(f"{character}x") == f"{character}x"


def test_the_white_space_is_the_25_characters_of_the_unicode_property() -> None:
    separators = {chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) in {"Zs", "Zl", "Zp"}}
    assert set(WHITE_SPACE) == separators | set("\t\n\v\f\r\x85")
    assert len(WHITE_SPACE) == 25


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "\u200b",
        "\ufeff",
        "\u001c",
        "\u00ad",
        "\u2060\u2800",
        "\u3164",
        "\ufe0f",
        "\U000e0100",
        "\x00",
        "\u202e\u2069",
    ],
)
def test_text_with_nothing_to_see_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["x", " x ", "\u200bx", "0", "\u0301", "時", "\U0001f4e6", "\U0001fae8", "\ue000"])
def test_text_with_something_to_see_is_not_blank(text: str) -> None:
    assert not is_blank(text)


def test_lengths_are_code_points_after_stripping() -> None:
    assert plain_text(" \U0001f4e6\U0001f4e6 ", maximum=2) == "\U0001f4e6\U0001f4e6"
    with pytest.raises(ValueError, match="is 3 characters long: at most 2 are allowed"):
        plain_text("e\u0301x", maximum=2)


@pytest.mark.parametrize("value", [None, 3, True, ["x"], {"text": "x"}, b"x"])
def test_only_text_is_text(value: object) -> None:
    with pytest.raises(ValueError, match="must be text"):
        plain_text(value, maximum=10)


def test_blank_text_is_refused() -> None:
    with pytest.raises(ValueError, match="is blank"):
        plain_text(" \u200b ", maximum=10)


def test_half_of_a_surrogate_pair_is_refused() -> None:
    assert not is_unicode("\udc00")
    with pytest.raises(ValueError, match="surrogate"):
        plain_text("x\udc00", maximum=10)


@given(st.text())
def test_plain_text_is_stable_and_leaves_the_inside_alone(text: str) -> None:
    try:
        once = plain_text(text, maximum=100)
    except ValueError:
        return
    assert once in text
    assert plain_text(once, maximum=100) == once
    assert not is_blank(once)
    assert is_unicode(once)


@pytest.mark.parametrize(("text", "written"), [("plain", "plain"), ("café", "café"), ("caf\udce9", "caf?")])
def test_half_of_a_surrogate_pair_is_written_as_a_question_mark(text: str, written: str) -> None:
    assert as_unicode(text) == written
