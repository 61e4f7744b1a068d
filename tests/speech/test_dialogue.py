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
    Utterance,
    WasRead,
)
from voice_hitl.speech.manner import Manner
from voice_hitl.speech.reading import Match, Reading

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

    def __init__(self, question: Question, manner: Manner | None = None) -> None:
        self.now = 100.0
        self.dialogue = Dialogue(question, Words(), one_key, manner)
        self.effects: list[Effect] = []
        self.playing: tuple[Sentence, ...] = ()
        self.do(self.dialogue.start(self.now))

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
    call.do(call.dialogue.after_aside(call.now))
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
    assert call.all(ToOperator)


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
