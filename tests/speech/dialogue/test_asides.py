"""What is no answer goes to the model, and the question comes again."""

from tests.speech.dialogue.call import CODE, RISKY, TRANSFER, Call, Words
from voice_hitl.speech.effects import Aside, Filled, PassOn, Say, Stop, ToOperator
from voice_hitl.speech.manner import Manner


def test_what_is_about_something_else_goes_to_the_model_and_the_question_stays_open() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("stop the music")
    assert [aside.utterance.text for aside in call.all(Aside)] == ["stop the music"]
    assert not call.dialogue.over
    call.do(call.dialogue.after_aside())
    assert len(call.all(Say)) == 2


def test_what_is_said_during_an_aside_is_the_models_and_a_key_still_answers() -> None:
    call = Call(TRANSFER, real_keys=True)
    call.play()
    call.say("what's the fee?")
    assert call.all(Aside)
    call.say("yes")
    assert [passed.utterance.text for passed in call.all(PassOn)] == ["yes"]
    call.do(call.dialogue.unheard(call.now))
    call.wait(100)
    assert len(call.all(Say)) == 1
    call.do(call.dialogue.key("7", call.now))
    assert len(call.all(Say)) == 1
    call.do(call.dialogue.key("0", call.now))
    assert call.all(ToOperator)


def test_an_aside_into_the_question_stops_it_and_it_is_asked_again() -> None:
    call = Call(TRANSFER, Manner(barge_in=False))
    call.dialogue.playing(0, call.now)
    call.say("stop the music", after=0.3)
    assert call.all(Stop)
    call.do(call.dialogue.after_aside())
    assert len(call.all(Say)) == 2
    call.do(call.dialogue.after_aside())
    assert len(call.all(Say)) == 2


def test_after_an_aside_in_a_read_back_it_is_read_back_again() -> None:
    call = Call(CODE)
    call.play()
    call.say("four two seven")
    call.play()
    call.say("what is that good for?")
    assert call.all(Aside)
    call.do(call.dialogue.after_aside())
    assert call.playing[0].text == "427. Is that right?"


def test_after_an_aside_a_high_risk_needs_two_yeses_again() -> None:
    call = Call(RISKY)
    call.play()
    call.say("yes")
    call.wait(1)
    call.play()
    call.say("yes, and what's the fee?")
    assert call.all(Aside)
    call.do(call.dialogue.after_aside())
    call.play()
    call.say("yes")
    call.wait(1.5)
    assert call.all(Filled) == []
    call.play()
    call.say("yes")
    call.wait(1.5)
    assert call.value is True


def test_a_key_that_says_no_to_a_read_back_waits_for_the_end_of_an_aside() -> None:
    call = Call(CODE)
    call.play()
    call.say("four two seven")
    call.play()
    call.say("what is that good for?")
    call.do(call.dialogue.key("2", call.now))
    assert not call.dialogue.over
    call.do(call.dialogue.key("1", call.now))
    assert call.value == "427"


def test_after_an_aside_nobody_is_told_that_they_were_not_heard() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("stop the music")
    call.do(call.dialogue.after_aside())
    assert call.playing == Words().asked_again(TRANSFER, 2, "no_input")
