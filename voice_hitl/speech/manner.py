"""How a dialogue is held: its settings, and the ports to its words and to its keypad."""

from dataclasses import dataclass
from typing import Literal, Protocol

from voice_hitl.questions.model import Question
from voice_hitl.speech.effects import Sentence
from voice_hitl.speech.reading import Reading

Why = Literal["no_input", "no_match"]
"""Why a question is asked again."""

ReadBack = Literal["auto", "always", "never"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a dialogue is held."""

    language: str = "en"
    tries: int = 3
    no_input_s: float = 6.0
    read_back: ReadBack = "auto"
    barge_in: bool = True
    echo_cancelled: bool = True
    """Whether our own voice does not come back; where it may, only keys count while we speak."""
    confidential: bool = False
    """Whether what is answered is for nobody else: it is never said aloud, and the model gets none of it."""
    unsure_voice: bool = False
    """Whether our voice may say something else than it is given: what is risky then takes a yes by key alone."""
    asks_what_is_meant: bool = False
    """Whether somebody can be asked what an utterance means that the rules leave open."""


class Phrases(Protocol):
    """The words a dialogue is held in: one language's templates."""

    def asked(self, question: Question) -> tuple[Sentence, ...] | None:
        """The prompt; None: this question cannot be asked aloud."""
        ...

    def asked_again(self, question: Question, attempt: int, why: Why) -> tuple[Sentence, ...]:
        """A reprompt: shorter and more explicit at each attempt (from 1). What a yes would say yes to is in each."""
        ...

    def between(self, labels: tuple[str, ...]) -> tuple[Sentence, ...]:
        """Which of these was meant?"""
        ...

    def options(self, question: Question) -> tuple[Sentence, ...]:
        """What may be answered, keys included."""
        ...

    def read_back(self, question: Question, value: object) -> tuple[Sentence, ...]:
        """Is that right?"""
        ...

    def second_yes(self, question: Question) -> tuple[Sentence, ...]:
        """The question in its shortest form, for a second yes."""
        ...


class Keys(Protocol):
    """Digits to meaning, for the question that is asked."""

    def press(self, key: str, now: float) -> Reading | None:
        """A key: what it completes, or None while more may come."""
        ...

    def tick(self, now: float) -> Reading | None:
        """Time has passed: what is complete by it."""
        ...

    def deadline(self) -> float | None:
        """When to come back."""
        ...


class KeysFor(Protocol):
    """Makes the keypad's reader of a question."""

    def __call__(self, question: Question) -> Keys:
        """A reader for this question."""
        ...
