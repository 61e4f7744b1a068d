"""What the service's model says and hears, as a test writes it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field


class Pause:
    """A place where the model stops until the test lets it go on (`session.release(pause)`)."""

    def __init__(self) -> None:
        self.released = False


@dataclass(frozen=True, slots=True)
class Say:
    """The model says this.

    Args:
        text: Its words, which are also its transcript.
        pause: Where given, it stops in the middle: half of the audio is sent.
    """

    text: str
    pause: Pause | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Call:
    """The model calls a function.

    Args:
        name: The function.
        arguments: Its arguments; a text is sent as it stands, whole JSON or not.
        call_id: The id of the call; None has one made.
        pause: Where given, it stops in the middle of the arguments.
    """

    name: str
    arguments: Mapping[str, object] | str = field(default_factory=dict[str, object])
    call_id: str | None = field(default=None, kw_only=True)
    pause: Pause | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Fail:
    """The response fails here, and the session goes on."""

    code: str = "server_error"
    message: str = "The server had an error while processing your request."


@dataclass(frozen=True, slots=True)
class RunOut:
    """The response ends here, incomplete: it has no tokens left."""


Step = Say | Call | Fail | RunOut | Pause
"""What a response is made of, one after another. Calls beside each other are parallel calls."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What the model answers to."""

    number: int
    """Which turn of the session it is, from 0."""
    heard: str | None
    """What the caller said since the last turn; None where nothing was said, or nothing was understood."""
    outputs: Mapping[str, str]
    """The outputs of calls, by their ids, that came since the last turn."""
    history: Sequence[Mapping[str, object]]
    """The items of the conversation, oldest first, as the protocol has them."""
    session: Mapping[str, object]
    """The session: `instructions`, `tools` and so on."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """Something that the caller said, as audio."""

    number: int
    """Which of the session's it is, from 0."""
    pcm: bytes
    """Mono int16 at 24 kHz, with the silence around it."""

    @property
    def duration_ms(self) -> float:
        """How long it is, in milliseconds."""
        return len(self.pcm) / 48


def _answer(turn: Turn) -> Sequence[Step]:
    return [Say(f"You said: {turn.heard}" if turn.heard else "I am listening.")]


def _read_aloud(text: str) -> str:
    return text


def _unscripted(_utterance: Utterance) -> str | None:
    return "hello"


@dataclass(slots=True)
class Script:
    """How the model behaves."""

    turn: Callable[[Turn], Sequence[Step]] = _answer
    """What it answers."""
    saying: Callable[[str], str] = _read_aloud
    """What it says when it is given words to say out of band."""
    utterance: Callable[[Utterance], str | None] = _unscripted
    """What it makes of audio; None: it cannot be transcribed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """How fast the service is."""

    speed: float | None = 20.0
    """How many times faster than heard audio is sent; None: all at once."""
    latency_s: float = 0.0
    """From the end of a turn to the first event of the response."""
    transcription_s: float = 0.0
    """From the end of a turn to its transcript."""
    session_limit_s: float = 3600.0
    """How long a session may last."""
