"""A dialogue on a call of its own: prompts that are played, a caller who speaks, one clock."""

from collections.abc import Sequence
from typing import Literal, TypeVar

from voice_hitl.questions.model import Approval, Choice, Confirm, Form, Number, Option, Question
from voice_hitl.speech.dialogue import Dialogue
from voice_hitl.speech.effects import Effect, Filled, Say, Sentence, Stop, Utterance
from voice_hitl.speech.keypad import Keypad
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
