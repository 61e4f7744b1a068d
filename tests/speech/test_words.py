"""An utterance as words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.speech.words import fold, split


@pytest.mark.parametrize(
    ("word", "folded"),
    [("Don't", "dont"), ("L’été", "lete"), ("weiß", "weiss"), ("SÍ", "si"), ("naïve", "naive"), ("日本", "日本")],
)
def test_folding_takes_away_case_accents_and_apostrophes(word: str, folded: str) -> None:
    assert fold(word) == folded


def test_digits_and_letters_are_words_of_their_own() -> None:
    assert split("March 5th at 7:30pm, $1,500").folded == ("march", "5", "th", "at", "7:30", "pm", "1,500")


def test_an_apostrophe_ends_a_word_where_the_language_elides() -> None:
    assert split("d'accord, c’est ça", elides=True).folded == ("d", "accord", "c", "est", "ca")
    assert split("d'accord").folded == ("daccord",)


def test_gaps_tell_a_pause_from_the_end_of_a_sentence() -> None:
    assert split("yes, please. It's twenty-one / ok").gaps == ("", ",", ".", "", "", "")


def test_question_marks_belong_to_the_word_before_them() -> None:
    assert split("Yes? No. What?").asked == {0, 2}
    assert split("? Yes").asked == frozenset()


def test_what_was_said_is_given_back_as_it_was_said() -> None:
    words = split("No, make it FIFTY, please!")
    assert words.since(1) == "make it FIFTY, please!"
    assert words.between(0, 1) == "No"
    assert words.since(5) is None


def test_what_was_said_is_given_back_with_its_accents() -> None:
    # The accent may stand by itself in what a recogniser writes; the text is composed before it is cut.
    words = split("Sí, a las ocho")
    assert words.raw[0] == "sí"
    assert words.since(1) == "a las ocho"


@given(st.text())
def test_any_text_is_cut_into_words_that_stand_in_it(text: str) -> None:
    words = split(text)
    assert len(words.folded) == len(words.raw) == len(words.gaps) == len(words.spaces) - 1
    for index, spoken in enumerate(words.spoken):
        start = words.start(index)
        assert words.text[start : start + len(spoken)].lower() == spoken.lower()
