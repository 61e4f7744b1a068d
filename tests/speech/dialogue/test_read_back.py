"""What was understood is read back, and corrected there."""

from typing import Literal

import pytest

from tests.speech.dialogue.call import CODE, SIZE, Call
from voice_hitl.questions.model import Text
from voice_hitl.speech.effects import Consumed, Filled, Say
from voice_hitl.speech.manner import Manner


def test_a_number_is_read_back_and_corrected_in_the_read_back() -> None:
    call = Call(CODE)
    call.play()
    call.say("four two seven")
    assert call.playing[0].text == "427. Is that right?"
    call.play()
    call.say("no, four two nine")
    assert call.playing[0].text == "429. Is that right?"
    call.play()
    call.say("yes")
    call.wait(1)
    assert call.value == "429"


def test_free_text_is_read_back() -> None:
    call = Call(Text(prompt="What is the name?"))
    call.play()
    call.say("Ann Lee")
    call.play()
    call.say("yes")
    call.wait(1)
    assert call.value == "Ann Lee"


def test_a_read_back_that_is_not_understood_is_read_back_again() -> None:
    call = Call(CODE)
    call.play()
    call.say("four two seven")
    call.play()
    call.wait(6)
    assert call.playing[0].text == "427. Is that right?"


def test_a_no_to_a_read_back_asks_again() -> None:
    call = Call(CODE)
    call.play()
    call.say("four two seven")
    call.play()
    call.say("no")
    assert call.playing[0].text == "Again 1 after no_match."
    assert call.all(Filled) == []


def test_what_was_said_before_a_read_back_is_no_answer_to_it() -> None:
    call = Call(CODE)
    call.play()
    call.say("four two seven")
    call.say("yes", after=0.0)
    assert isinstance(call.effects[-2] if isinstance(call.effects[-1], Say) else call.effects[-1], Consumed)
    call.wait(2)
    assert call.all(Filled) == []


@pytest.mark.parametrize("said", ["no, Anna Lee", "no. Anna Lee"])
def test_a_text_is_corrected_in_its_read_back(said: str) -> None:
    call = Call(Text(prompt="What is the name?"))
    call.play()
    call.say("Ann Lee")
    call.play()
    call.say(said)
    assert call.playing[0].text == "Anna Lee. Is that right?"


@pytest.mark.parametrize("said", ["four two nine", "no, four two nine", "wrong, four two nine"])
def test_a_number_corrects_the_one_that_was_read_back(said: str) -> None:
    call = Call(CODE)
    call.play()
    call.say("four two seven")
    call.play()
    call.say(said)
    assert call.playing[0].text == "429. Is that right?"


@pytest.mark.parametrize(("manner", "asks"), [("always", 2), ("never", 1), ("auto", 1)])
def test_whether_a_choice_is_read_back(manner: Literal["always", "never", "auto"], asks: int) -> None:
    call = Call(SIZE, Manner(read_back=manner))
    call.play()
    call.say("large")
    assert len(call.all(Say)) == asks


def test_a_choice_heard_with_little_confidence_is_read_back() -> None:
    call = Call(SIZE)
    call.play()
    call.say("large", confidence=0.1)
    assert call.playing[0].text == "Large. Is that right?"
