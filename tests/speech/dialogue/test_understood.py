"""What the rules leave open, somebody else may understand: never as a yes."""

import pytest

from tests.speech.dialogue.call import RISKY, SIZE, TRANSFER, Call
from voice_hitl.questions.model import Question
from voice_hitl.speech.effects import Aside, Filled, Sentence, ToOperator, Unclear, Utterance
from voice_hitl.speech.manner import Manner
from voice_hitl.speech.reading import Command, Match, NoMatch

MODEL = Manner(asks_what_is_meant=True)


def unclear(call: Call) -> Utterance:
    (asked,) = call.all(Unclear)
    return asked.utterance


def test_what_is_left_open_is_asked_about_and_then_read_back() -> None:
    call = Call(SIZE, MODEL)
    call.play()
    call.say("whichever fits an elephant")
    call.wait(1)
    call.do(call.dialogue.understood(unclear(call), Match("Large"), call.now))
    assert call.playing == (Sentence("Large. Is that right?", decisive=True),)


@pytest.mark.parametrize("question", [TRANSFER, RISKY])
def test_a_yes_is_never_taken_from_somebody_else_and_a_no_is(question: Question) -> None:
    call = Call(question, MODEL)
    call.play()
    call.say("the geese fly south")
    call.do(call.dialogue.understood(unclear(call), Match(True), call.now))
    assert call.all(Filled) == []
    assert call.playing == (Sentence("Again 1 after no_match.", decisive=True),)
    call.play()
    call.effects.clear()
    call.say("the geese fly north")
    call.do(call.dialogue.understood(unclear(call), Match(False), call.now))
    assert call.value is False


def test_what_nobody_understands_is_what_the_rules_make_of_it() -> None:
    call = Call(TRANSFER, MODEL)
    call.play()
    call.say("what does it cost?")
    assert call.all(Aside) == []
    call.do(call.dialogue.understood(unclear(call), NoMatch(), call.now))
    assert call.all(Aside)


def test_what_is_not_understood_in_time_is_asked_again() -> None:
    call = Call(TRANSFER, MODEL)
    call.play()
    call.say("the geese fly south")
    call.wait(6)
    assert call.playing == (Sentence("Again 1 after no_match.", decisive=True),)
    assert call.dialogue.understood(unclear(call), Match(False), call.now) == []


def test_somebody_may_understand_that_they_want_an_operator() -> None:
    call = Call(TRANSFER, MODEL)
    call.play()
    call.say("is your boss around?")
    call.do(call.dialogue.understood(unclear(call), Command("operator"), call.now))
    assert call.all(ToOperator)


def test_what_an_utterance_meant_counts_only_while_nothing_was_said_after_it() -> None:
    call = Call(TRANSFER, MODEL)
    call.play()
    call.say("the geese fly south")
    first = unclear(call)
    call.say("yes")
    assert call.dialogue.understood(first, Match(False), call.now) == []
    call.wait(2)
    assert call.value is True
    call = Call(TRANSFER, MODEL)
    call.play()
    call.say("the geese fly south")
    call.do(call.dialogue.speech_began(call.now + 0.1))
    assert call.dialogue.understood(unclear(call), Match(False), call.now + 0.2) == []


def test_what_an_utterance_meant_leaves_the_wait_for_the_next_transcript_alone() -> None:
    call = Call(TRANSFER, MODEL)
    call.play()
    heard = Utterance("the geese fly south", call.now, call.now + 0.4, more_due=True)
    call.do(call.dialogue.utterance(heard, call.now + 0.5))
    call.do(call.dialogue.understood(unclear(call), Match(False), call.now + 0.6))
    assert call.value is False
