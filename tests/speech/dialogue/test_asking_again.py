"""Silence, noise and commands: when the question is asked again, waits, goes on, or is given up."""

from tests.speech.dialogue.call import SIZE, TRANSFER, Call, Words
from voice_hitl.speech.dialogue import RESUMES
from voice_hitl.speech.effects import Filled, GaveUp, Say, Sentence, Stop, ToOperator
from voice_hitl.speech.manner import Manner


def test_silence_is_asked_again_and_then_given_up() -> None:
    call = Call(TRANSFER, Manner(tries=3, no_input_s=6))
    for _ in range(3):
        call.play()
        call.wait(6)
    assert call.all(GaveUp) == [GaveUp(3)]
    assert call.all(Filled) == []


def test_what_cannot_be_made_out_is_a_no_match_never_silence() -> None:
    call = Call(TRANSFER)
    call.play()
    call.do(call.dialogue.speech_began(call.now))
    call.do(call.dialogue.speech_ended(call.now + 0.5))
    call.wait(6)
    assert call.playing == (Sentence("Again 1 after no_match.", decisive=True),)


def test_an_empty_transcript_is_a_no_match() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("  ")
    assert call.playing[0].text == "Again 1 after no_match."


def test_two_failed_transcripts_in_a_row_name_the_keys_first() -> None:
    call = Call(TRANSFER)
    for _ in range(3):
        call.dialogue.playing(0, call.now)
        call.mumble()
    assert call.playing[0].text == "Again 2 after no_match."


def test_a_cough_lets_the_question_go_on_where_it_was_cut() -> None:
    call = Call(TRANSFER)
    call.dialogue.playing(0, call.now)
    call.do(call.dialogue.speech_began(call.now + 0.5))
    assert call.all(Stop)
    call.dialogue.cut(0, call.now, call.now + 0.5)
    call.do(call.dialogue.speech_ended(call.now + 0.8))
    call.do(call.dialogue.unheard(call.now + 1.5))
    assert call.playing[0].decisive
    assert len(call.all(Say)) == 2


def test_a_din_that_keeps_cutting_the_question_uses_its_tries_up() -> None:
    call = Call(TRANSFER)
    for _ in range(30):
        if not call.dialogue.over:
            call.dialogue.playing(0, call.now)
            call.mumble()
    assert call.all(GaveUp) == [GaveUp(3)]
    assert len(call.all(Say)) == 3 * (1 + RESUMES)


def test_a_prompt_that_ends_while_the_caller_speaks_waits_for_them() -> None:
    call = Call(TRANSFER, Manner(barge_in=False))
    call.dialogue.playing(0, call.now)
    call.do(call.dialogue.speech_began(call.now + 3.9))
    call.play()
    call.wait(20)
    assert len(call.all(Say)) == 1


def test_a_deadline_that_comes_early_does_nothing() -> None:
    call = Call(TRANSFER)
    call.play()
    call.do(call.dialogue.tick(call.now))
    call.do(call.dialogue.speech_began(call.now))
    call.do(call.dialogue.tick(call.now))
    assert len(call.all(Say)) == 1


def test_an_answer_that_was_not_taken_is_asked_for_again() -> None:
    call = Call(SIZE)
    call.play()
    call.say("large")
    call.do(call.dialogue.refused())
    assert not call.dialogue.over
    assert call.playing[0].text == "Again 1 after no_match."


def test_hold_on_waits_a_minute() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("hold on")
    call.wait(50)
    assert len(call.all(Say)) == 1
    call.wait(11)
    assert len(call.all(Say)) == 2


def test_repeat_says_it_again() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("can you repeat that")
    assert len(call.all(Say)) == 2
    assert call.playing == Words().asked(TRANSFER)


def test_an_operator_is_asked_for() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("let me speak to an operator")
    assert call.all(ToOperator) == [ToOperator(1, "voice")]


def test_never_mind_declines() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("never mind")
    assert [(filled.decline, filled.reason) for filled in call.all(Filled)] == [(True, "never mind")]
