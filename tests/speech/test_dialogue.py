"""The dialogue of one question: what happens and when goes in, effects come out."""

from collections.abc import Sequence
from typing import Literal, TypeVar

import pytest

from voice_hitl.questions.model import Approval, Choice, Confirm, Form, Number, Option, Question, Text
from voice_hitl.speech.dialogue import Dialogue
from voice_hitl.speech.effects import (
    Aside,
    Consumed,
    Effect,
    Filled,
    GaveUp,
    PassOn,
    Say,
    Sentence,
    Stop,
    ToOperator,
    Unclear,
    Utterance,
    WasRead,
)
from voice_hitl.speech.keypad import Keypad
from voice_hitl.speech.manner import Manner
from voice_hitl.speech.played_prompt import PlayedPrompt
from voice_hitl.speech.reading import Command, Match, NoMatch, Reading

T = TypeVar("T")

TRANSFER = Confirm(prompt="Transfer 500 dollars to Ann Lee?", action="Transfer 500 dollars to Ann Lee")
RISKY = Confirm(prompt="Transfer 500 dollars to Ann Lee?", action="Transfer 500 dollars to Ann Lee", risk="high")
SIZE = Choice(prompt="Which size?", options=(Option(label="Small"), Option(label="Large")))
CODE = Number(prompt="What is the code?", digits=3)


class Words:
    """Templates as plain as they can be."""

    def asked(self, question: Question) -> tuple[Sentence, ...] | None:
        if isinstance(question, Approval):
            return None
        assert not isinstance(question, Form)
        prompt = question.prompt if not isinstance(question, Confirm) else f"{question.action}."
        return (Sentence(prompt, decisive=True), Sentence("Shall I go ahead?"))

    def asked_again(
        self, question: Question, attempt: int, why: Literal["no_input", "no_match"]
    ) -> tuple[Sentence, ...]:
        return (Sentence(f"Again {attempt} after {why}.", decisive=True),)

    def between(self, labels: tuple[str, ...]) -> tuple[Sentence, ...]:
        return (Sentence(f"{' or '.join(labels)}?", decisive=True),)

    def options(self, question: Question) -> tuple[Sentence, ...]:
        return (Sentence("You may say yes or no.", decisive=True),)

    def read_back(self, question: Question, value: object) -> tuple[Sentence, ...]:
        return (Sentence(f"{value}. Is that right?", decisive=True),)

    def second_yes(self, question: Question) -> tuple[Sentence, ...]:
        return (Sentence("Really?", decisive=True),)


class OneKey:
    """1 is yes, 2 is no."""

    def press(self, key: str, now: float) -> Reading | None:
        return {"1": Match(True, rule="key 1"), "2": Match(False, rule="key 2")}.get(key)

    def tick(self, now: float) -> Reading | None:
        return None

    def deadline(self) -> float | None:
        return None


def one_key(question: Question) -> OneKey:
    return OneKey()


class Call:
    """A dialogue whose prompts are played, and whose caller speaks, on one clock."""

    def __init__(self, question: Question, manner: Manner | None = None, *, real_keys: bool = False) -> None:
        self.now = 100.0
        self.dialogue = Dialogue(question, Words(), Keypad if real_keys else one_key, manner)
        self.effects: list[Effect] = []
        self.playing: tuple[Sentence, ...] = ()
        self.do(self.dialogue.start())

    def do(self, effects: Sequence[Effect]) -> None:
        self.effects += effects
        for effect in effects:
            if isinstance(effect, Say):
                self.playing = effect.sentences

    def play(self, *, sentences: int | None = None) -> None:
        """Play the prompt, two seconds a sentence."""
        for index in range(len(self.playing) if sentences is None else sentences):
            self.dialogue.playing(index, self.now)
            began, self.now = self.now, self.now + 2
            self.dialogue.played(index, began, self.now)

    def say(self, text: str, *, after: float = 0.5, lasting: float = 0.6, confidence: float | None = None) -> None:
        """The caller speaks, `after` seconds from now; the transcript comes half a second later."""
        began = self.now + after
        self.do(self.dialogue.speech_began(began))
        ended = began + lasting
        self.do(self.dialogue.speech_ended(ended))
        self.now = ended + 0.5
        self.do(self.dialogue.utterance(Utterance(text, began, ended, confidence, f"item-{text}"), self.now))

    def mumble(self, *, after: float = 0.5, lasting: float = 0.3) -> None:
        """The caller makes a noise that nobody can transcribe."""
        began = self.now + after
        self.do(self.dialogue.speech_began(began))
        self.cut_at(began)
        self.do(self.dialogue.speech_ended(began + lasting))
        self.now = began + lasting + 0.5
        self.do(self.dialogue.unheard(self.now))

    def cut_at(self, at: float, *, left: float | None = None) -> None:
        """The voice, where it was stopped in its first sentence."""
        if self.effects and isinstance(self.effects[-1], Stop):
            self.dialogue.cut(0, self.now, at, left)

    def wait(self, seconds: float) -> None:
        """Time passes, and every deadline in it."""
        until = self.now + seconds
        while (deadline := self.dialogue.deadline()) is not None and deadline <= until:
            self.now = max(self.now, deadline)
            self.do(self.dialogue.tick(self.now))
        self.now = until

    def all(self, kind: type[T]) -> list[T]:
        return [effect for effect in self.effects if isinstance(effect, kind)]

    @property
    def value(self) -> object:
        (filled,) = self.all(Filled)
        return filled.value


def test_a_yes_settles_once_its_window_has_passed() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("yes please")
    assert call.all(Filled) == []
    call.wait(0.3)
    assert call.value is True
    assert call.dialogue.over


def test_yes_and_then_but_is_read_as_one_and_is_no_yes() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("yes")
    call.now -= 0.4
    call.say("but make it six hundred", after=0.1)
    call.wait(3)
    assert call.all(Filled) == []


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


def test_a_yes_before_the_decisive_end_is_not_an_answer() -> None:
    call = Call(TRANSFER)
    call.dialogue.playing(0, call.now)
    call.say("uh-huh", after=0.5)
    call.say("yes", after=0.1)
    call.wait(2)
    assert call.all(Filled) == []


@pytest.mark.parametrize("words", ["Okay, wait, don't run that.", "Sure, but what does that command do exactly?"])
def test_a_doubtful_yes_is_no_yes(words: str) -> None:
    call = Call(TRANSFER)
    call.play()
    call.say(words)
    call.wait(2)
    assert not any(filled.value is True for filled in call.all(Filled))


def test_what_is_about_something_else_goes_to_the_model_and_the_question_stays_open() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("stop the music")
    assert [aside.utterance.text for aside in call.all(Aside)] == ["stop the music"]
    assert not call.dialogue.over
    call.do(call.dialogue.after_aside())
    assert len(call.all(Say)) == 2


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


def test_a_key_settles_at_once_even_while_we_speak() -> None:
    call = Call(TRANSFER)
    call.dialogue.playing(0, call.now)
    call.do(call.dialogue.key("1", call.now + 0.2))
    assert call.value is True
    assert call.all(Stop)
    (filled,) = call.all(Filled)
    assert filled.via == "key"


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


def test_a_choice_is_taken_by_its_label() -> None:
    call = Call(SIZE)
    call.play()
    call.say("the large one")
    assert call.value == "Large"


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


def test_low_confidence_turns_a_yes_into_a_no_match() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("yes", confidence=0.2)
    call.wait(1)
    assert call.all(Filled) == []
    assert len(call.all(Say)) == 2


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


# --- the settle window -----------------------------------------------------------------------------------------------


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


# --- what counts as heard --------------------------------------------------------------------------------------------


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


def test_a_din_that_keeps_cutting_the_question_uses_its_tries_up() -> None:
    call = Call(TRANSFER)
    for _ in range(30):
        if not call.dialogue.over:
            call.dialogue.playing(0, call.now)
            call.mumble()
    assert call.all(GaveUp) == [GaveUp(3)]


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


def test_a_monologue_of_500_words_is_no_answer() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("well you know " * 166 + "yes", lasting=120)
    call.wait(2)
    assert call.all(Filled) == []


# --- keys ------------------------------------------------------------------------------------------------------------


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


# --- asides ----------------------------------------------------------------------------------------------------------


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


# --- read-back, tries, refusal ---------------------------------------------------------------------------------------


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


def test_two_labels_are_asked_between() -> None:
    call = Call(SIZE)
    call.play()
    call.say("small or large")
    assert call.playing[0].text == "Small or Large?"


def test_an_answer_that_was_not_taken_is_asked_for_again() -> None:
    call = Call(SIZE)
    call.play()
    call.say("large")
    call.do(call.dialogue.refused())
    assert not call.dialogue.over
    assert call.playing[0].text == "Again 1 after no_match."


def test_the_confidence_is_evidence_and_a_change_is_a_reason() -> None:
    call = Call(TRANSFER)
    call.play()
    call.say("no, make it fifty", confidence=0.9)
    (filled,) = call.all(Filled)
    assert filled.reason == filled.evidence["remainder"] == "make it fifty"
    assert filled.evidence["confidence"] == 0.9


def test_reports_of_other_prompts_are_let_go() -> None:
    call = Call(TRANSFER)
    call.dialogue.playing(9, call.now)
    call.dialogue.played(9, call.now, call.now)
    call.dialogue.cut(9, call.now, call.now)
    assert call.dialogue.deadline() is None


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


def test_prompts_without_a_decisive_sentence_are_decided_at_their_end() -> None:
    prompt = PlayedPrompt((Sentence("One."), Sentence("Two.")))
    prompt.heard(0, 1.0, 2.0)
    assert prompt.decisive_end is None
    prompt.heard(1, 2.0, 3.0)
    assert prompt.decisive_end == 3.0
    assert not prompt.may_echo(0.5)
    assert prompt.may_echo(3.1)


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


# --- what the rules leave open ---------------------------------------------------------------------------------------

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


# --- what was said in other words ------------------------------------------------------------------------------------


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


# --- what is for nobody else -----------------------------------------------------------------------------------------

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
