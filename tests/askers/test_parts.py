"""What is heard of the sentences that are being said."""

from voice_hitl.askers.parts import MISSPOKEN, Parts
from voice_hitl.line import PartBegan, PartCut, PartHeard, PartWorded
from voice_hitl.questions.model import Confirm
from voice_hitl.speech.effects import Effect, Filled, GaveUp, Say, Utterance
from voice_hitl.speech.keypad import Keypad
from voice_hitl.speech.manner import Manner
from voice_hitl.speech.prompts import Prompts
from voice_hitl.speech.spoken import SpokenQuestion, spoken_question

TRANSFER = Confirm(prompt="Transfer 500 dollars to Ann Lee?")


class Saying:
    """A question that is asked in one sentence, by a voice that may say something else."""

    def __init__(self, question: Confirm = TRANSFER, *, checked: bool = True) -> None:
        asked = spoken_question(question, Manner(unsure_voice=checked), Prompts(), Keypad)
        assert asked is not None
        self.question: SpokenQuestion = asked
        self.parts = Parts(asked, "en", checked=checked)
        self.first = 1
        self.last: list[Effect] = []
        self.do(asked.start())

    def do(self, effects: list[Effect]) -> list[Effect]:
        for effect in effects:
            if isinstance(effect, Say):
                self.parts.say(effect.sentences, self.first)
        self.last = effects
        return effects

    def hear(self, *, from_: float = 10.0) -> None:
        self.do(self.parts.on(PartBegan(self.first, from_)))
        self.do(self.parts.on(PartHeard(self.first, from_, from_ + 2)))

    def worded(self, text: str = TRANSFER.prompt) -> list[Effect]:
        return self.do(self.parts.on(PartWorded(self.first, text)))

    def yes(self, at: float) -> bool:
        """Whether a yes that is said then is taken."""
        self.question.utterance(Utterance("yes", at, at + 0.4), at + 0.8)
        return any(isinstance(effect, Filled) for effect in self.question.tick(at + 2))


def test_a_question_counts_once_it_was_heard_and_its_words_are_known() -> None:
    early, late = Saying(), Saying()
    early.worded()
    early.hear()
    late.hear()
    assert not late.yes(12.5)
    late = Saying()
    late.hear()
    late.worded()
    assert early.yes(12.5)
    assert late.yes(12.5)
    unchecked = Saying(checked=False)
    unchecked.hear()
    unchecked.worded("anything")
    assert unchecked.yes(12.5)


def test_what_was_said_in_other_words_was_not_asked_and_is_said_again() -> None:
    saying = Saying()
    saying.hear()
    assert [type(effect) for effect in saying.worded("Transfer 5 dollars to Ann Lee?")] == [Say]
    assert not saying.yes(12.5)
    saying.first = 2
    saying.do(saying.question.misspoken())
    saying.hear(from_=20.0)
    saying.worded()
    assert saying.yes(22.5)


def test_a_voice_that_never_says_what_it_is_given_is_given_up() -> None:
    saying = Saying()
    for _ in range(MISSPOKEN):
        assert saying.worded("")
    assert saying.worded("") == saying.last
    assert isinstance(saying.last[-1], GaveUp)


def test_what_was_cut_before_its_words_are_known_was_not_heard() -> None:
    for worded in (False, True):
        saying = Saying()
        saying.parts.on(PartBegan(1, 10.0))
        if worded:
            saying.worded()
        saying.parts.on(PartCut(1, 10.0, 11.9, 0.1))
        assert saying.yes(12.5) is worded


def test_a_yes_to_what_is_risky_is_taken_by_key_alone() -> None:
    saying = Saying(Confirm(prompt=TRANSFER.prompt, risk="high"))
    saying.hear()
    saying.worded()
    assert not saying.yes(12.5)
    assert any(isinstance(effect, Filled) for effect in saying.question.key("1", 14.0))


def test_what_is_told_of_parts_that_are_no_more_said_changes_nothing() -> None:
    saying = Saying()
    saying.parts.say((), 5)
    for event in (PartBegan(1, 1.0), PartHeard(1, 1.0, 2.0), PartCut(1, 1.0, 2.0), PartWorded(1, "x")):
        assert saying.parts.on(event) == []
    assert saying.parts.on(PartWorded(7, "x")) == []
