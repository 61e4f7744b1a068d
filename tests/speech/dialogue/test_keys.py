"""Keys, while a question is asked."""

import pytest

from tests.speech.dialogue.call import CODE, RISKY, TRANSFER, Call
from voice_hitl.questions.model import Number
from voice_hitl.speech.effects import Filled, Say, Stop, ToOperator, WasRead


def test_a_key_settles_at_once_even_while_we_speak() -> None:
    call = Call(TRANSFER)
    call.dialogue.playing(0, call.now)
    call.do(call.dialogue.key("1", call.now + 0.2))
    assert call.value is True
    assert call.all(Stop)
    (filled,) = call.all(Filled)
    assert filled.via == "key"


def test_a_key_before_the_first_word_is_not_an_answer() -> None:
    call = Call(TRANSFER)
    call.do(call.dialogue.key("1", call.now))
    assert call.all(Filled) == []
    assert call.all(WasRead)[-1].why == "keyed before the question began"


def test_a_storm_of_keys_costs_one_try() -> None:
    call = Call(TRANSFER, real_keys=True)
    call.play()
    for _ in range(50):
        call.do(call.dialogue.key("7", call.now))
    assert len(call.all(Say)) == 2
    assert not call.dialogue.over


def test_a_code_is_keyed_and_is_not_read_back() -> None:
    call = Call(Number(prompt="How many?"), real_keys=True)
    call.dialogue.playing(0, call.now)
    for digit in "42":
        call.do(call.dialogue.key(digit, call.now))
    assert call.all(Stop)
    call.wait(3)
    assert call.value == 42


def test_keys_that_were_cleared_leave_the_question_open() -> None:
    call = Call(Number(prompt="How many?"), real_keys=True)
    call.play()
    call.do(call.dialogue.key("4", call.now))
    call.do(call.dialogue.key("*", call.now))
    call.wait(7)
    assert len(call.all(Say)) == 2


@pytest.mark.parametrize(("key", "value"), [("1", "427"), ("2", None)])
def test_a_read_back_is_answered_by_key(key: str, value: object) -> None:
    call = Call(CODE)
    call.play()
    call.say("four two seven")
    call.do(call.dialogue.key("1", call.now))
    assert call.all(Filled) == []
    call.play()
    call.do(call.dialogue.key(key, call.now))
    assert [filled.value for filled in call.all(Filled)] == ([value] if value else [])
    assert call.dialogue.over is (value is not None)


def test_a_second_yes_may_be_keyed_and_so_may_a_no() -> None:
    for key, value in (("1", True), ("2", False)):
        call = Call(RISKY)
        call.play()
        call.say("yes")
        call.wait(1)
        call.do(call.dialogue.key(key, call.now))
        (filled,) = call.all(Filled)
        assert (filled.value, filled.via) == (value, "key")


def test_keys_steer_too() -> None:
    call = Call(TRANSFER, real_keys=True)
    call.play()
    call.do(call.dialogue.key("*", call.now))
    assert len(call.all(Say)) == 2
    call.play()
    call.do(call.dialogue.key("0", call.now))
    assert call.all(ToOperator) == [ToOperator(1, "key")]
    assert call.dialogue.over
