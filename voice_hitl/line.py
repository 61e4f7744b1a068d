"""The port to a session's line: what an asker may do with a live call while it holds the floor.

Times are seconds of the leg's clock, on which what was played and what was heard can be compared. Where several are on
the line, `by` says whose voice, words or key it was; else it is empty.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol

from voice_hitl.enums import Via
from voice_hitl.provider import Receiver

Verbatim = Literal["exact", "likely", "none"]

After = Literal["sentence", "now"]
"""When the floor is taken: once the model's words have been heard, or at once (they are stopped)."""


@dataclass(frozen=True, slots=True)
class CallerBegan:
    """The caller began to speak, by our own voice activity; the round trip is taken off."""

    at: float
    by: str = ""


@dataclass(frozen=True, slots=True)
class CallerEnded:
    """The caller stopped."""

    at: float
    by: str = ""


@dataclass(frozen=True, slots=True)
class CallerSaid:
    """The final transcript of what the caller said between two times."""

    text: str
    began: float
    ended: float
    confidence: float | None
    item_id: str
    more_due: bool = False
    """Whether the caller has taken another turn already, and its transcript is still to come."""
    by: str = ""
    is_ours: bool = False
    """Whether its sound is our own voice, come back."""


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """The caller said something that could not be transcribed."""

    at: float
    by: str = ""


@dataclass(frozen=True, slots=True)
class CallerVoice:
    """What the caller said between two times (mono int16 at the line's rate), where the model does not hear it."""

    pcm: bytes = field(repr=False)
    began: float
    ended: float
    by: str = ""
    is_ours: bool = False
    """Whether it is our own voice, come back."""


@dataclass(frozen=True, slots=True)
class KeyPressed:
    """The caller pressed a key."""

    digit: str
    at: float
    by: str = ""


@dataclass(frozen=True, slots=True)
class PartBegan:
    """The first sound of a part was heard."""

    part: int
    at: float


@dataclass(frozen=True, slots=True)
class PartHeard:
    """A part was heard whole, from `began` to `at`."""

    part: int
    began: float
    at: float


@dataclass(frozen=True, slots=True)
class PartWorded:
    """The words in which the model's own voice said a part; empty where nobody knows them."""

    part: int
    text: str


@dataclass(frozen=True, slots=True)
class PartCut:
    """The voice was stopped in this part, after `began`."""

    part: int
    began: float
    at: float
    left: float | None = None
    """Seconds of it that were not heard; None where not all of it had been made."""


LineEvent = (
    CallerBegan
    | CallerEnded
    | CallerSaid
    | CallerVoice
    | NotUnderstood
    | KeyPressed
    | PartBegan
    | PartHeard
    | PartWorded
    | PartCut
)


class HeldLine(Protocol):
    """The line while an asker holds the floor. Parts are numbered by the asker; a part is one sentence."""

    @property
    def rate(self) -> int:
        """Samples a second of the audio that `play` takes."""
        ...

    @property
    def now(self) -> float:
        """The time by which everything that the caller did has been told: a round trip, and an onset, ago."""
        ...

    def events(self) -> Receiver[LineEvent]:
        """What happens on the line."""
        ...

    def play(self, pcm: bytes, part: int) -> None:
        """Queue some of a part's voice (mono int16), of any length."""
        ...

    def end_part(self, part: int) -> None:
        """Nothing more comes of this part."""
        ...

    async def say(self, text: str, part: int) -> None:
        """Have the model's own voice say a part, word for word."""
        ...

    def stop(self) -> None:
        """Stop the voice, in this tick."""
        ...

    def leave_with(self, text: str) -> None:
        """Have the model's own voice say this when the floor goes back, before it goes on."""
        ...

    def leave_playing(self, pcm: bytes) -> None:
        """Play this (mono int16 at `rate`) when the floor goes back, before the model goes on."""
        ...

    async def forget(self, item_id: str) -> None:
        """Take something the caller said out of the model's history: it was for the asker."""
        ...

    async def aside(self) -> None:
        """Give the model the floor for one response, to what the caller said last; return when it was heard."""
        ...

    def tell_asked(self, pending_id: str, asked_by: str) -> None:
        """A prompt was put to the caller: `ON_ASKED`."""
        ...

    def tell_heard(self, pending_id: str, reading: Mapping[str, str], via: Via) -> None:
        """Something was read (`text`, `reading`, `why`): `ON_HEARD`, and the page where it wants to know."""
        ...


class Line(Protocol):
    """A session's line, as an asker sees it before it holds the floor."""

    @property
    def carries_audio(self) -> bool:
        """Whether audio passes through here."""
        ...

    @property
    def is_shared(self) -> bool:
        """Whether several people are on it (the room of a conference)."""
        ...

    @property
    def has_lanes(self) -> bool:
        """Whether each of them is heard by themselves: what is heard of the mix answers nothing."""
        ...

    @property
    def carries_digits(self) -> bool:
        """Whether keys come in."""
        ...

    @property
    def echo_cancelled(self) -> bool:
        """Whether the far end removes our own voice."""
        ...

    @property
    def verbatim(self) -> Verbatim:
        """Whether the model's own voice says exactly what it is given, or likely does (`PartWorded` tells), or not."""
        ...

    @property
    def can_be_held(self) -> bool:
        """Whether the model can be kept from answering by itself."""
        ...

    @property
    def can_interject(self) -> bool:
        """Whether the model's own voice may be had while it waits for a call."""
        ...

    async def quiet_for(self, seconds: float) -> None:
        """Return once nobody, neither the model nor the caller nor an asker, has been heard for so long."""
        ...

    async def interject(self, voice: bytes | str) -> None:
        """Say something while nobody holds the floor: mono int16 at `rate`, or words for the model's own voice.

        It ends like the model's own words, when anyone speaks. Where somebody speaks already it is not said.
        """
        ...

    async def play_music(self, pcm: bytes) -> None:
        """Play this (mono int16 at `rate`), over and over; return in the tick in which anybody speaks.

        It is nobody's voice: `quiet_for` takes no notice of it. Cancelled, it ends at once.
        """
        ...

    @property
    def rate(self) -> int:
        """Samples a second of the audio that `interject` and `play_music` take."""
        ...

    def taken_by(
        self, pending_id: str, *, after: After, deaf: bool = False, audience: Sequence[str] = ()
    ) -> AbstractAsyncContextManager[HeldLine]:
        """Take the floor for a request, in order of arrival; `FloorFull` where too many wait.

        `deaf`: the model hears nothing of the caller meanwhile; what they say comes as `CallerVoice` instead. Where
        several share the line, those alone are heard on it who are in the `audience`; empty: all of them.
        """
        ...
