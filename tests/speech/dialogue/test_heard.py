"""What counts as heard: when it was said, against what was played by then, and whose voice it was."""

import pytest

from tests.speech.dialogue.call import TRANSFER, Call
from voice_hitl.speech.effects import Consumed, Filled, PassOn, Say, Stop, Utterance, WasRead
from voice_hitl.speech.manner import Manner


def test_a_yes_before_the_decisive_end_is_not_an_answer() -> None:
    call = Call(TRANSFER)
    call.dialogue.playing(0, call.now)
    call.say("uh-huh", after=0.5)
    call.say("yes", after=0.1)
    call.wait(2)
    assert call.all(Filled) == []


def test_a_yes_that_begins_just_before_the_decisive_end_counts() -> None:
    call = Call(TRANSFER)
    call.dialogue.playing(0, call.now)
    call.do(call.dialogue.speech_began(call.now + 1.8))
    call.dialogue.cut(0, call.now, call.now + 1.95, 0.05)
    call.do(call.dialogue.speech_ended(call.now + 2.2))
    call.do(call.dialogue.utterance(Utterance("yes", call.now + 1.8, call.now + 2.2), call.now + 2.5))
    call.now += 2.5
    call.wait(1)
    assert call.value is True


@pytest.mark.parametrize(("before_s", "counts"), [(0.25, True), (0.35, False)])
def test_a_yes_overlaps_the_decisive_sentence_by_300_ms_at_most(before_s: float, *, counts: bool) -> None:
    call = Call(TRANSFER, Manner(barge_in=False))
    call.play(sentences=1)
    call.say("yes", after=-before_s)
    call.wait(1)
    assert [filled.value for filled in call.all(Filled)] == ([True] if counts else [])


def test_what_begins_150_ms_after_our_voice_counts_where_it_may_come_back() -> None:
    for after, settles in ((0.1, False), (0.2, True)):
        call = Call(TRANSFER, Manner(echo_cancelled=False))
        call.play()
        call.say("no", after=after)
        assert bool(call.all(Filled)) is settles


def test_a_yes_to_the_question_counts_while_it_is_about_to_be_asked_again() -> None:
    call = Call(TRANSFER)
    call.play()
    call.wait(6)
    call.say("yes", after=0.1)
    call.wait(1)
    assert call.value is True


def test_an_uh_huh_into_a_reprompt_is_not_an_answer() -> None:
    call = Call(TRANSFER)
    call.play()
    call.wait(6)
    call.dialogue.playing(0, call.now)
    call.say("uh-huh", after=0.3)
    call.wait(1)
    assert call.all(Filled) == []


def test_a_yes_to_the_options_does_not_count_before_the_question_was_heard() -> None:
    call = Call(TRANSFER)
    call.dialogue.playing(0, call.now)
    call.say("what are my options", after=0.4)
    assert [sentence.text for sentence in call.playing] == [
        "You may say yes or no.",
        "Transfer 500 dollars to Ann Lee.",
        "Shall I go ahead?",
    ]
    call.play(sentences=1)
    call.say("yes", after=0.1)
    call.wait(1)
    assert call.all(Filled) == []


def test_the_options_alone_are_enough_once_the_question_was_heard() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("what are my options")
    assert [sentence.text for sentence in call.playing] == ["You may say yes or no."]
    call.play()
    call.say("yes")
    call.wait(1)
    assert call.value is True


def test_what_was_said_before_the_question_is_passed_on_and_the_question_is_asked() -> None:
    call = Call(TRANSFER)
    call.say("yes", after=0.1)
    assert [passed.utterance.text for passed in call.all(PassOn)] == ["yes"]
    call.wait(1)
    assert call.all(Filled) == []
    assert call.all(Say)


def test_our_own_prompt_coming_back_is_dropped() -> None:
    call = Call(TRANSFER)
    call.dialogue.playing(0, call.now)
    began = call.now
    call.dialogue.played(0, began, began + 2)
    call.do(call.dialogue.speech_began(began + 0.2))
    call.do(call.dialogue.speech_ended(began + 2.2))
    call.now = began + 2.4
    call.do(call.dialogue.utterance(Utterance("transfer 500 dollars to Ann Lee", began + 0.2, began + 2.2), call.now))
    reads = call.all(WasRead)
    assert reads[-1].why == "our own voice"
    assert call.all(Filled) == []


@pytest.mark.parametrize("misheard", ["yes", "no", "yes, but make it eight", "the geese fly south"])
def test_what_sounds_as_we_did_is_nobodys_whatever_words_were_made_of_it(misheard: str) -> None:
    call = Call(TRANSFER)
    call.play()
    call.do(call.dialogue.speech_began(call.now))
    call.do(call.dialogue.speech_ended(call.now + 0.4))
    call.now += 0.8
    heard = Utterance(misheard, call.now - 0.8, call.now - 0.4, item_id="echo", is_ours=True)
    call.do(call.dialogue.utterance(heard, call.now))
    assert call.all(WasRead)[-1].why == "our own voice"
    assert call.all(Consumed) == [Consumed("echo")]
    call.wait(1)
    assert call.all(Filled) == []
    call.say("yes")
    call.wait(1)
    assert [filled.value for filled in call.all(Filled)] == [True]


def test_where_our_voice_may_come_back_only_keys_count_while_we_speak() -> None:
    call = Call(TRANSFER, Manner(echo_cancelled=False))
    call.dialogue.playing(0, call.now)
    began = call.now
    call.say("no", after=0.5)
    assert call.all(Stop) == []
    assert call.all(Filled) == []
    assert call.all(WasRead)[-1].why.startswith("said while we spoke")
    call.dialogue.played(0, began, call.now)
    call.dialogue.played(1, call.now, call.now + 1)
    call.now += 1
    call.say("no", after=0.1)
    assert call.all(Filled) == []
    call.say("no", after=0.5)
    assert call.value is False


def test_without_barge_in_the_voice_goes_on_and_a_no_still_counts() -> None:
    call = Call(TRANSFER, Manner(barge_in=False))
    call.dialogue.playing(0, call.now)
    call.say("mhm", after=0.2)
    assert call.all(Stop) == []
    assert len(call.all(Say)) == 1
    call.say("no", after=0.2)
    assert call.value is False
    assert call.all(Stop)


def test_a_late_final_answers_the_question_that_was_heard() -> None:
    call = Call(TRANSFER)
    call.play()
    began = call.now + 0.2
    call.do(call.dialogue.speech_began(began))
    call.do(call.dialogue.speech_ended(began + 0.5))
    call.wait(6)
    assert len(call.all(Say)) == 2
    call.do(call.dialogue.utterance(Utterance("no", began, began + 0.5), call.now))
    assert call.value is False


def test_reports_of_other_prompts_are_let_go() -> None:
    call = Call(TRANSFER)
    call.dialogue.playing(9, call.now)
    call.dialogue.played(9, call.now, call.now)
    call.dialogue.cut(9, call.now, call.now)
    assert call.dialogue.deadline() is None


def test_what_was_said_in_other_words_was_not_asked_and_is_said_again() -> None:
    call = Call(TRANSFER)
    asked = call.playing
    call.play()
    call.do(call.dialogue.misspoken())
    assert call.playing == asked
    assert call.all(Filled) == []
    call.play()
    call.say("no")
    assert call.value is False
    assert call.dialogue.misspoken() == []
