"""What settles a question, and what does not: a yes, a no, a label, a number, and how sure they are."""

import pytest

from tests.speech.dialogue.call import RISKY, SIZE, TRANSFER, Call
from voice_hitl.questions.model import Approval
from voice_hitl.speech.effects import Consumed, Filled, GaveUp, Say, Sentence
from voice_hitl.speech.manner import Manner


def test_a_yes_settles_once_its_window_has_passed() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("yes please")
    assert call.all(Filled) == []
    call.wait(0.3)
    assert call.value is True
    assert call.dialogue.over


def test_a_no_settles_at_once() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("no")
    assert call.value is False


def test_a_no_counts_from_the_first_word_of_the_question() -> None:
    call = Call(TRANSFER)
    call.play(sentences=1)
    call.say("no", after=-1.0)
    assert call.value is False


@pytest.mark.parametrize("words", ["Okay, wait, don't run that.", "Sure, but what does that command do exactly?"])
def test_a_doubtful_yes_is_no_yes(words: str) -> None:
    call = Call(TRANSFER)
    call.play()
    call.say(words)
    call.wait(2)
    assert not any(filled.value is True for filled in call.all(Filled))


def test_a_high_risk_needs_a_second_yes() -> None:
    call = Call(RISKY)
    call.play()
    call.say("yes")
    call.wait(1)
    assert call.all(Filled) == []
    assert call.playing == (Sentence("Really?", decisive=True),)
    call.play()
    call.say("yes")
    call.wait(1)
    assert call.value is True


def test_a_no_to_the_second_question_is_a_no() -> None:
    call = Call(RISKY)
    call.play()
    call.say("yes")
    call.wait(1)
    call.play()
    call.say("no")
    assert call.value is False


def test_a_risk_that_a_voice_may_have_asked_for_in_other_words_takes_no_spoken_yes() -> None:
    call = Call(RISKY, Manner(unsure_voice=True))
    for _ in range(2):
        call.play()
        call.say("yes")
        call.wait(1.5)
    assert call.all(Filled) == []
    assert Sentence("Really?", decisive=True) not in call.playing
    call.play()
    call.do(call.dialogue.key("1", call.now))
    assert call.value is True


def test_low_confidence_turns_a_yes_into_a_no_match() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("yes", confidence=0.2)
    call.wait(1)
    assert call.all(Filled) == []
    assert len(call.all(Say)) == 2


@pytest.mark.parametrize(("confidence", "value"), [(0.65, None), (0.8, True)])
def test_a_yes_with_more_behind_it_must_be_heard_more_clearly(confidence: float, value: bool | None) -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("yes, and what does it cost?", confidence=confidence)
    call.wait(1)
    assert [filled.value for filled in call.all(Filled)] == ([] if value is None else [value])


def test_a_monologue_of_500_words_is_no_answer() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("well you know " * 166 + "yes", lasting=120)
    call.wait(2)
    assert call.all(Filled) == []


def test_a_choice_is_taken_by_its_label() -> None:
    call = Call(SIZE)
    call.play()
    call.say("the large one")
    assert call.value == "Large"


def test_two_labels_are_asked_between() -> None:
    call = Call(SIZE)
    call.play()
    call.say("small or large")
    assert call.playing[0].text == "Small or Large?"


def test_a_question_that_cannot_be_said_is_given_up_at_once() -> None:
    call = Call(Approval(tool="refund", arguments={}, digest="d"))
    assert call.all(GaveUp) == [GaveUp(0)]


def test_what_was_for_the_asker_leaves_the_models_history() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("no")
    assert call.all(Consumed) == [Consumed("item-no")]


def test_the_answer_carries_its_evidence() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("yes please")
    call.wait(1)
    (filled,) = call.all(Filled)
    assert filled.evidence["transcript"] == "yes please"
    assert filled.evidence["heard_whole"] is True
    assert "yes" in str(filled.evidence["rule"])


def test_the_confidence_is_evidence_and_a_change_is_a_reason() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("no, make it fifty", confidence=0.9)
    (filled,) = call.all(Filled)
    assert filled.reason == filled.evidence["remainder"] == "make it fifty"
    assert filled.evidence["confidence"] == 0.9


def test_the_same_words_twice_change_nothing_once_it_is_over() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("yes")
    call.wait(1)
    before = len(call.effects)
    call.say("yes")
    call.say("don't")
    call.do(call.dialogue.key("2", call.now))
    call.do(call.dialogue.unheard(call.now))
    call.do(call.dialogue.after_aside())
    call.do(call.dialogue.tick(call.now))
    assert call.dialogue.deadline() is None
    assert len(call.effects) == before
