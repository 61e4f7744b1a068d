"""What is answered is for nobody else: none of it is said aloud, and the model gets none."""

from tests.speech.dialogue.call import CODE, TRANSFER, Call
from voice_hitl.questions.model import Choice, Option
from voice_hitl.speech.effects import Aside, Filled, Sentence
from voice_hitl.speech.manner import Manner

SECRET = Manner(confidential=True)


def test_a_confidential_answer_is_taken_without_a_word_of_it() -> None:
    call = Call(CODE, SECRET)
    call.play()
    call.say("four two seven")
    assert call.value == "427"
    call = Call(TRANSFER, SECRET)
    call.play()
    call.say("no, make it fifty")
    (filled,) = call.all(Filled)
    assert (filled.value, filled.reason) == (False, None)


def test_a_confidential_answer_in_doubt_is_asked_for_again() -> None:
    call = Call(CODE, SECRET)
    call.play()
    call.say("four two seven", confidence=0.1)
    assert call.playing == (Sentence("Again 1 after no_match.", decisive=True),)
    call = Call(Choice(prompt="Which?", options=(Option(label="small bag"), Option(label="small box"))), SECRET)
    call.play()
    call.say("small")
    assert call.playing == (Sentence("Again 1 after no_match.", decisive=True),)


def test_nothing_beside_a_confidential_question_goes_to_the_model() -> None:
    call = Call(CODE, SECRET)
    call.play()
    call.say("what is that good for?")
    assert call.all(Aside) == []
    assert call.playing == (Sentence("Again 1 after no_match.", decisive=True),)
