"""What goes into a dialogue and what comes out of it, as data: sentences, utterances, effects."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from voice_hitl.questions.model import Question
from voice_hitl.speech.reading import Reading

ByVoiceOrKey = Literal["voice", "key"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence to be spoken. `decisive`: it holds an argument without which nobody can say yes."""

    text: str
    decisive: bool = False


@dataclass(frozen=True, slots=True)
class Utterance:
    """What was heard: the words and when they were said (seconds of the leg's clock, the round trip taken off)."""

    text: str
    began: float
    ended: float
    confidence: float | None = None
    item_id: str = ""
    more_due: bool = False
    """Whether the caller has said more already, and its transcript is still to come."""
    is_ours: bool = False
    """Whether its sound is our own voice, come back: whatever was made of its words, nobody said them."""


@dataclass(frozen=True, slots=True)
class Say:
    """Speak these sentences, one after another, in place of whatever is being spoken."""

    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Stop:
    """Stop speaking, in this tick."""


@dataclass(frozen=True, slots=True)
class Filled:
    """The question is answered.

    Args:
        value: In the shape of the question's kind.
        via: By which way it came.
        decline: The person will not answer.
        reason: What they said beyond the answer, or why they declined.
        evidence: What it rests on.
        whole: It answers the whole form that the question stands in.
    """

    value: object = None
    via: ByVoiceOrKey = "voice"
    decline: bool = False
    reason: str | None = None
    evidence: Mapping[str, object] = field(default_factory=dict[str, object])
    whole: bool = False


@dataclass(frozen=True, slots=True)
class AnsweredSoFar:
    """Another question of a form is answered, and the next one is asked: all the answers by now, by prompt."""

    answers: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Aside:
    """Not an answer: it goes to the model, which gets the floor for one response. Then the question is asked again."""

    utterance: Utterance


@dataclass(frozen=True, slots=True)
class PassOn:
    """Said before the question began, or beside it: it is the model's, and stays in its history."""

    utterance: Utterance


@dataclass(frozen=True, slots=True)
class Consumed:
    """Taken for the question, or dropped as our own echo: it leaves the model's history."""

    item_id: str


@dataclass(frozen=True, slots=True)
class WasRead:
    """How something heard was read, and why: for hooks and evidence."""

    text: str
    reading: Reading
    why: str
    via: ByVoiceOrKey = "voice"


@dataclass(frozen=True, slots=True)
class Unclear:
    """The rules leave it open what this means as an answer to `question`: somebody else may say (`understood`)."""

    question: Question
    utterance: Utterance


@dataclass(frozen=True, slots=True)
class ToOperator:
    """The person wants somebody else: this dialogue is over."""

    tries: int
    via: ByVoiceOrKey


@dataclass(frozen=True, slots=True)
class GaveUp:
    """So many tries, and no answer."""

    tries: int


Effect = Say | Stop | Filled | AnsweredSoFar | Aside | PassOn | Consumed | WasRead | Unclear | ToOperator | GaveUp
