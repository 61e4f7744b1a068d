"""`converse`: a question held as a dialogue in text, in no time at all, with the reason for every reading."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from voice_hitl.questions.model import Question
from voice_hitl.speech.effects import Aside, Effect, Filled, GaveUp, Say, ToOperator, Utterance, WasRead
from voice_hitl.speech.keypad import Keypad
from voice_hitl.speech.manner import Manner
from voice_hitl.speech.prompts import Prompts
from voice_hitl.speech.spoken import SpokenQuestion, spoken_question

SECONDS_A_CHARACTER = 0.065
PAUSE_S = 0.5
"""How long the caller thinks, and a transcript takes."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key that the caller presses."""

    digit: str


@dataclass(frozen=True, slots=True)
class Silence:
    """So many seconds in which the caller says nothing."""

    seconds: float


Turn = str | Key | Silence
"""What the caller does: says something, presses a key, is silent."""


def key(digit: str) -> Key:
    """The caller presses this key."""
    return Key(digit)


@dataclass(slots=True)
class Talk:
    """What came of a conversation.

    `lines` tells all of it: what was asked, what was said, how it was read and why.
    """

    lines: list[str] = field(default_factory=list[str])
    filled: Filled | None = None
    """The answer, once the question is answered or declined."""
    gave_up: bool = False
    to_operator: bool = False
    asides: list[str] = field(default_factory=list[str])
    """What went to the model instead."""

    @property
    def over(self) -> bool:
        """Whether the dialogue has ended."""
        return self.filled is not None or self.gave_up or self.to_operator


class Conversing:
    """A dialogue on a clock of its own: each turn of the caller's is heard whole, after what was asked.

    Args:
        question: What is asked.
        manner: How it is held.
        tell: Is told each line as it comes.

    Raises:
        ValueError: The question cannot be asked aloud.
    """

    def __init__(
        self, question: Question, manner: Manner | None = None, *, tell: Callable[[str], None] = lambda _line: None
    ) -> None:
        manner = manner or Manner()
        dialogue = spoken_question(question, manner, Prompts(manner.language), Keypad)
        if dialogue is None:
            raise ValueError("this question cannot be asked aloud: it is too long, or has values that cannot be said")
        self._dialogue: SpokenQuestion = dialogue
        self._tell = tell
        self._now = 0.0
        self.talk = Talk()
        self._take(dialogue.start())

    def turn(self, turn: Turn) -> None:
        """The caller does something; then time passes until the dialogue waits for them again."""
        match turn:
            case Key(digit):
                self._line(f"caller presses {digit}")
                self._take(self._dialogue.key(digit, self._now))
            case Silence(seconds):
                self._line(f"caller is silent for {seconds:g} s")
                self._pass(seconds)
            case str():
                self._say(turn)
        self._pass(1.1)

    def _say(self, text: str) -> None:
        self._line(f"caller: {text}")
        began = self._now + PAUSE_S
        ended = began + SECONDS_A_CHARACTER * len(text)
        self._take(self._dialogue.speech_began(began))
        self._take(self._dialogue.speech_ended(ended))
        self._now = ended + PAUSE_S
        self._take(self._dialogue.utterance(Utterance(text, began, ended), self._now))

    def _pass(self, seconds: float) -> None:
        until = self._now + seconds
        while (due := self._dialogue.deadline()) is not None and due <= until:
            self._now = max(self._now, due)
            self._take(self._dialogue.tick(self._now))
            until = max(until, self._now)
        self._now = until

    def _take(self, effects: Sequence[Effect]) -> None:
        for effect in effects:
            match effect:
                case Say(sentences):
                    self._line("agent: " + " ".join(sentence.text for sentence in sentences))
                    for index, sentence in enumerate(sentences):
                        self._dialogue.playing(index, self._now)
                        began, self._now = self._now, self._now + SECONDS_A_CHARACTER * len(sentence.text)
                        self._dialogue.played(index, began, self._now)
                case WasRead(_, reading, why):
                    self._line(f"  read as {type(reading).__name__}: {why}")
                case Aside(utterance):
                    self.talk.asides.append(utterance.text)
                    self._line("  goes to the model; then the question is asked again")
                    self._take(self._dialogue.after_aside())
                case Filled():
                    self.talk.filled = effect
                    self._line("declined" if effect.decline else f"answered: {effect.value!r}")
                case GaveUp():
                    self.talk.gave_up = True
                    self._line(f"gave up after {effect.tries} tries")
                case ToOperator():
                    self.talk.to_operator = True
                    self._line("handed to somebody else")
                case _:
                    pass

    def _line(self, text: str) -> None:
        self.talk.lines.append(text)
        self._tell(text)


def converse(question: Question, turns: Sequence[Turn], manner: Manner | None = None) -> Talk:
    """Hold the dialogue of a question with a caller who does this, turn by turn, and return what came of it.

    ::

        talk = converse(Confirm(prompt="Book a table at seven?"), ["no, at eight"])
        assert talk.filled and talk.filled.value is False

    Raises:
        ValueError: The question cannot be asked aloud.
    """
    conversing = Conversing(question, manner)
    for turn in turns:
        if conversing.talk.over:
            break
        conversing.turn(turn)
    return conversing.talk
