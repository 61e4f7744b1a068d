"""Where a person begins to ask something back."""

import pytest

from voice_hitl.speech.lexicon import lexicon_for
from voice_hitl.speech.marks import marks_of
from voice_hitl.speech.openings import openings
from voice_hitl.speech.words import split


def begins(text: str) -> set[str]:
    lexicon = lexicon_for("en")
    words = split(text)
    marks = marks_of(words, lexicon)
    return {words.folded[marks[position].start] for position in openings(marks, words, lexicon)}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("yes, what does it cost", "what"),
        ("yes. tell me the price", "tell"),
        ("yes, grab me their whirligig number", "grab"),
        ("Yes. Total price?", "total"),
    ],
)
def test_a_question_begins_with_its_word_its_verb_or_its_sentence(text: str, word: str) -> None:
    assert word in begins(text)


@pytest.mark.parametrize(
    "text",
    [
        "yes, can you make it two?",
        "okay?",
        "no?",
        "send it to the address",
        "send two to every address",
        "price",
        "Send. Address",
    ],
)
def test_a_deed_an_answer_and_a_destination_are_no_question(text: str) -> None:
    assert begins(text) == set()
