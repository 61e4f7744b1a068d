"""What keys mean."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.questions.model import Approval, Choice, Confirm, Form, Number, Option, Question, Text
from voice_hitl.speech.keypad import PAUSE_S, Keypad, can_be_keyed
from voice_hitl.speech.reading import Command, Match, NoMatch, Reading

CONFIRM = Confirm(prompt="Shall I?")
APPROVAL = Approval(tool="refund", arguments={}, digest="d")


def boxes(count: int, *, multi: bool = False) -> Choice:
    return Choice(prompt="?", options=tuple(Option(label=f"box {n}") for n in range(1, count + 1)), multi=multi)


def press(question: Question, keys: str) -> Reading | None:
    """The reading after the last of these keys, each pressed a second after the one before."""
    keypad = Keypad(question)
    reading: Reading | None = None
    for at, key in enumerate(keys):
        reading = keypad.press(key, float(at))
    return reading


@pytest.mark.parametrize("question", [CONFIRM, APPROVAL])
def test_one_is_yes_and_two_is_no(question: Question) -> None:
    assert press(question, "1") == Match(True)
    assert press(question, "2") == Match(False)
    assert press(question, "3") == NoMatch()


def test_other_keys_may_be_yes_and_no() -> None:
    keypad = Keypad(CONFIRM, yes="9", no="#")
    assert keypad.press("9", 0) == Match(True)
    assert keypad.press("#", 0) == Match(False)
    assert keypad.press("1", 0) == NoMatch()


@pytest.mark.parametrize("question", [CONFIRM, boxes(3), Text(prompt="?"), Form(questions=(boxes(2),))])
def test_a_star_repeats_and_a_zero_asks_for_an_operator(question: Question) -> None:
    assert press(question, "*") == Command("repeat")
    assert press(question, "0") == Command("operator")


def test_keys_do_not_answer_a_text() -> None:
    assert press(Text(prompt="?"), "5") == NoMatch()
    assert press(Text(prompt="?"), "#") == NoMatch()
    assert press(Text(prompt="?"), "A") == NoMatch()


def test_an_option_is_chosen_by_its_number_at_once() -> None:
    assert press(boxes(3), "2") == Match("box 2")
    assert press(boxes(3), "4") == NoMatch()
    assert press(Choice(prompt="?", options=(Option(label="Red", id="r"),)), "1") == Match("r")


def test_of_more_than_nine_options_a_digit_waits_while_it_may_go_on() -> None:
    assert press(boxes(12), "4") == Match("box 4")
    assert press(boxes(12), "1") is None
    assert press(boxes(12), "12") == Match("box 12")
    assert press(boxes(12), "1#") == Match("box 1")
    assert press(boxes(12), "10") == Match("box 10")
    assert press(boxes(12), "19") == NoMatch()


def test_several_options_end_with_a_hash() -> None:
    assert press(boxes(4, multi=True), "31") is None
    assert press(boxes(4, multi=True), "31#") == Match(["box 1", "box 3"])
    assert press(boxes(4, multi=True), "15#") == NoMatch()
    assert press(boxes(4, multi=True), "0") == Command("operator")


def test_several_of_more_than_nine_options_are_two_keys_each() -> None:
    assert press(boxes(12, multi=True), "0112#") == Match(["box 1", "box 12"])
    assert press(boxes(12, multi=True), "0#") == Command("operator")


def test_a_number_ends_with_a_hash_or_after_a_pause() -> None:
    assert press(Number(prompt="?"), "42#") == Match(42)
    keypad = Keypad(Number(prompt="?"))
    assert keypad.deadline() is None
    assert keypad.tick(9) is None
    assert keypad.press("4", 10) is None
    assert keypad.deadline() == 10 + PAUSE_S
    assert keypad.tick(12.4) is None
    assert keypad.tick(12.5) == Match(4)
    assert keypad.deadline() is None


def test_a_star_clears_what_was_keyed() -> None:
    assert press(Number(prompt="?"), "42*") is None
    assert press(Number(prompt="?"), "42*7#") == Match(7)


def test_a_zero_is_a_digit_of_a_number() -> None:
    assert press(Number(prompt="?"), "0#") == Match(0)
    assert press(Number(prompt="?", digits=3), "007") == Match("007")


def test_a_code_is_complete_with_its_last_digit() -> None:
    assert press(Number(prompt="?", digits=4), "4279") == Match("4279")
    assert press(Number(prompt="?", digits=4), "427#") == NoMatch()


def test_a_number_out_of_bounds_is_not_taken() -> None:
    question = Number(prompt="?", minimum=10, maximum=20)
    assert press(question, "9#") == NoMatch()
    assert press(question, "21#") == NoMatch()
    assert press(question, "15#") == Match(15)


def test_a_hash_with_nothing_keyed_is_no_answer() -> None:
    assert press(Number(prompt="?"), "#") == NoMatch()


def test_a_storm_of_digits_is_dropped() -> None:
    assert press(Number(prompt="?"), "1" * 64) is None
    assert press(Number(prompt="?"), "1" * 65) == NoMatch()


@given(
    st.sampled_from(
        [CONFIRM, APPROVAL, boxes(3), boxes(12), boxes(12, multi=True), Number(prompt="?"), Text(prompt="?")]
    ),
    st.text("0123456789*#Ax", max_size=80),
)
def test_no_key_ever_raises(question: Question, keys: str) -> None:
    press(question, keys)


@pytest.mark.parametrize("question", [CONFIRM, APPROVAL, Number(prompt="?"), boxes(3), Form(questions=(boxes(2),))])
def test_all_but_words_of_ones_own_can_be_keyed(question: Question) -> None:
    assert can_be_keyed(question)
    assert not can_be_keyed(Text(prompt="?"))
