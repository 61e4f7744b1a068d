"""What the stretches of an utterance do."""

import pytest

from voice_hitl.speech.lexicon import Tag, lexicon_for
from voice_hitl.speech.marks import marks_of
from voice_hitl.speech.words import split


def tags(text: str, language: str = "en") -> list[tuple[str, Tag]]:
    lexicon = lexicon_for(language)
    words = split(text, elides=lexicon.pack.elides)
    return [(" ".join(words.folded[m.start : m.end]), m.tag) for m in marks_of(words, lexicon)]


def kinds(text: str, language: str = "en") -> list[tuple[str, ...]]:
    lexicon = lexicon_for(language)
    words = split(text, elides=lexicon.pack.elides)
    return [mark.kinds for mark in marks_of(words, lexicon) if mark.values]


def test_the_longest_phrase_wins() -> None:
    assert tags("no problem") == [("no problem", Tag.YES)]
    assert tags("no thanks") == [("no thanks", Tag.NO)]
    assert tags("no whirligig") == [("no", Tag.NO), ("whirligig", Tag.OTHER)]


def test_no_phrase_goes_on_over_the_end_of_a_sentence() -> None:
    assert tags("Yes. No.") == [("yes", Tag.YES), ("no", Tag.NO)]
    assert tags("Yes, no.") == [("yes no", Tag.UNSURE)]
    assert tags("Sounds. Good") == [("sounds", Tag.PLAIN), ("good", Tag.AGREE)]
    assert tags("Whirligig. Good")[0] == ("whirligig", Tag.OTHER)
    assert tags("Kind. Of")[0][0] == "kind"


def test_some_phrases_count_only_where_a_clause_begins() -> None:
    assert tags("don't")[0][1] is Tag.NO
    assert tags("I don't")[1][1] is Tag.NEGATION
    assert tags("yes is it far")[1] == ("is it", Tag.ASK)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the 5th", [("day",)]),
        ("March 5", [("day",)]),
        ("5 of March", [("day",)]),
        ("5 March", [("day",)]),
        ("the 5th 30", [("day",), ("number", "time")]),
        ("5 of them", [("number",)]),
        ("5 of the group", [("number",)]),
        ("5 of the afternoon", [("number", "time")]),
        ("at seven", [("time",)]),
        ("seven pm", [("time",)]),
        ("7:30", [("time",)]),
        ("two people", [("number",)]),
        ("two", [("number", "time")]),
    ],
)
def test_a_number_is_about_what_stands_beside_it(text: str, expected: list[tuple[str, ...]]) -> None:
    assert kinds(text) == expected


def test_an_accent_tells_a_question_from_a_relative() -> None:
    assert tags("qué", "es") == [("que", Tag.ASK)]
    assert tags("que", "es") == [("que", Tag.PLAIN)]


def test_a_word_for_yes_and_for_if_is_a_yes_where_a_pause_follows() -> None:
    assert tags("si", "es") == [("si", Tag.YES)]
    assert tags("si, mesa", "es")[0] == ("si", Tag.YES)
    assert tags("si mesa", "es")[0] == ("si", Tag.CONDITION)
    assert tags("sí mesa", "es")[0] == ("si", Tag.YES)
