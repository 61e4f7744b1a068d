"""A text is spoken sentence by sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl_local.sentences import sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Hello, this is the front desk. How can I help you?",
            ["Hello, this is the front desk.", "How can I help you?"],
        ),
        (
            "Your table is booked at 7.30 p.m. under the name Lee.",
            ["Your table is booked at 7.30 p.m. under the name Lee."],
        ),
        ("Dr. Lee will see you. 4 people!", ["Dr. Lee will see you.", "4 people!"]),
        ('He said "no." She said yes', ['He said "no."', "She said yes"]),
        ("  Transfer\n500 dollars ", ["Transfer 500 dollars"]),
        ("... Well. !", ["Well. !"]),
        ("", []),
        ("?!", []),
    ],
)
def test_a_sentence_ends_at_its_mark_and_not_at_an_abbreviation(text: str, expected: list[str]) -> None:
    assert list(sentences(text)) == expected


@given(text=st.text(alphabet="aB1. !?\n", max_size=60))
def test_no_word_is_lost_and_none_is_said_twice(text: str) -> None:
    assert "".join(" ".join(sentences(text)).split()).replace(".", "").replace("!", "").replace("?", "") == "".join(
        character for character in text if character.isalnum()
    )
