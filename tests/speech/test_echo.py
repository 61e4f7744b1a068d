"""Our own voice coming back is dropped, whole or in pieces; a person who says our words is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.speech.echo import Echo, OwnWords, timed

ASKED = "Transfer five hundred dollars to Ann Lee. Say confirm or stop, please."


def asked() -> Echo:
    """A question that was played from 10 to 14 s."""
    echo = Echo()
    echo.played(ASKED, 10.0, 14.0)
    return echo


@pytest.mark.parametrize("lag", [0.05, 0.2, 0.5, 0.8])
def test_the_whole_prompt_is_ours(lag: float) -> None:
    own = asked().sift(ASKED, 10.0 + lag, 14.0 + lag)
    assert own.text == ""
    assert len(own.echoed) == 12


def test_a_piece_of_three_words_is_ours() -> None:
    assert asked().sift("say confirm or", 12.6, 13.4).text == ""


def test_the_callers_own_words_around_a_piece_are_left() -> None:
    own = asked().sift("hundred dollars to Ann no", 10.9, 12.6)
    assert own.text == "no"
    assert own.began > 11.5
    assert own.echoed == ("hundred", "dollars", "to", "ann")


def test_a_single_word_is_ours_only_while_it_plays_or_right_after() -> None:
    words = {word.word: word for word in timed(ASKED, 10.0, 14.0)}
    stop = words["stop"]
    assert asked().sift("stop", stop.began + 0.1, stop.ended + 0.2).text == ""
    assert asked().sift("stop", 14.2, 14.5).text == "stop"


@given(st.floats(14.151, 60.0), st.sampled_from(["confirm", "stop", "say confirm or stop please", ASKED]))
def test_what_begins_later_than_150_ms_after_our_last_word_is_never_ours(began: float, said: str) -> None:
    assert asked().sift(said, began, began + 1) == OwnWords(said, began, ())


@given(st.text(max_size=60), st.floats(0, 100), st.floats(0, 10))
def test_what_we_never_said_is_never_ours(said: str, began: float, lasted: float) -> None:
    assert Echo().sift(said, began, began + lasted) == OwnWords(said, began, ())


def test_two_words_of_ours_in_a_persons_sentence_stay_theirs() -> None:
    words = {word.word: word for word in timed(ASKED, 10.0, 14.0)}
    began = words["ann"].began + 0.4
    assert asked().sift("Ann Lee is fine", began, began + 1.2).text == "Ann Lee is fine"


def test_words_that_were_played_longer_ago_than_an_echo_takes_are_a_persons() -> None:
    assert asked().sift("five hundred dollars", 12.4, 13.4).echoed == ()


def test_a_word_that_begins_200_ms_after_our_last_one_is_a_persons() -> None:
    assert asked().sift("please", 14.2, 14.5).text == "please"


def test_words_in_another_order_are_a_persons() -> None:
    assert asked().sift("Lee Ann to dollars", 11.0, 12.0).echoed == ()


def test_a_sentence_that_is_still_being_played_comes_back_too() -> None:
    echo = Echo()
    echo.playing("Transfer five hundred dollars to Ann Lee.", 10.0)
    assert echo.sift("transfer five hundred", 10.2, 11.6).text == ""
    assert echo.sift("Ann Lee", 10.2, 11.0).text == "Ann Lee"


def test_only_the_words_that_were_played_before_the_cut_come_back() -> None:
    echo = Echo()
    echo.played("A sentence that tells the pace of this voice.", 5.0, 8.0)
    echo.playing("Transfer five hundred dollars to Ann Lee and nobody else.", 10.0)
    echo.cut("Transfer five hundred dollars to Ann Lee and nobody else.", 10.0, 11.5)
    assert echo.sift("transfer five hundred", 10.2, 11.6).text == ""
    assert echo.sift("and nobody else", 11.6, 12.2).text == "and nobody else"


def test_words_have_times_by_their_length() -> None:
    first, second = timed("ab abcd", 0.0, 7.0)
    assert (first.began, first.ended, second.began, second.ended) == (0.0, 2.0, 3.0, 7.0)
    assert timed("...", 0.0, 1.0) == []
