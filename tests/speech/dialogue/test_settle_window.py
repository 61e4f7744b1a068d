"""A yes waits for more: what is said within its window is read with it."""

from tests.speech.dialogue.call import RISKY, TRANSFER, Call
from voice_hitl.speech.effects import Filled, Say, Utterance


def test_yes_and_then_but_is_read_as_one_and_is_no_yes() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("yes")
    call.now -= 0.4
    call.say("but make it six hundred", after=0.1)
    call.wait(3)
    assert call.all(Filled) == []


def test_a_yes_does_not_settle_while_a_transcript_is_due() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("yes", after=0.2)
    ended = call.now - 0.5
    call.do(call.dialogue.speech_began(ended + 0.6))
    call.do(call.dialogue.speech_ended(ended + 1.4))
    call.now = ended + 1.5
    call.wait(2)
    assert call.all(Filled) == []
    call.do(call.dialogue.utterance(Utterance("but make it eight", ended + 0.6, ended + 1.4), call.now))
    call.wait(3)
    assert call.all(Filled) == []


def test_a_yes_does_not_settle_while_another_turn_is_being_transcribed() -> None:
    call = Call(TRANSFER)
    call.play()
    call.do(call.dialogue.utterance(Utterance("yes", call.now, call.now + 0.4, more_due=True), call.now + 0.5))
    call.wait(4)
    assert call.all(Filled) == []
    call.do(call.dialogue.utterance(Utterance("wait", call.now - 3, call.now - 2), call.now))
    call.wait(30)
    assert not any(filled.value is True for filled in call.all(Filled))


def test_what_was_said_with_the_yes_and_never_transcribed_makes_it_none() -> None:
    call = Call(TRANSFER)
    call.play()
    call.do(call.dialogue.utterance(Utterance("yes", call.now, call.now + 0.4, more_due=True), call.now + 0.5))
    call.wait(6)
    assert call.all(Filled) == []
    assert call.playing[0].text == "Again 1 after no_match."


def test_speech_that_begins_after_the_window_is_not_joined() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("yes")
    call.do(call.dialogue.speech_began(call.now + 0.3))
    assert call.value is True


def test_a_high_risk_waits_longer() -> None:
    call = Call(RISKY)
    call.play()
    call.say("yes")
    call.wait(0.3)
    assert len(call.all(Say)) == 1
    call.wait(0.3)
    assert len(call.all(Say)) == 2


def test_the_less_sure_of_two_joined_utterances_counts() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("yes", confidence=0.9)
    call.say("please", after=-0.3, confidence=0.2)
    call.wait(3)
    assert call.all(Filled) == []
