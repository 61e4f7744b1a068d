"""What is still to come of the caller: the end of their words, a transcript, more after a yes, a word after silence."""

from dataclasses import dataclass
from typing import Final, Literal

from voice_hitl.speech.effects import Utterance
from voice_hitl.speech.reading import Match

TRANSCRIPT_S: Final = 5.0
"""How long a transcript may take before the utterance counts as one that could not be made out."""


@dataclass(frozen=True, slots=True)
class YesHeard:
    """A yes that waits for its settle window to pass: "yes" and "but make it eight" come as two utterances."""

    utterance: Utterance
    reading: Match
    settles_at: float


@dataclass(slots=True)
class Listening:
    """How the caller stands to a question. Times are seconds of the leg's clock."""

    speaks: bool = False
    """Whether they speak now."""
    beside: bool = False
    """Whether they speak with the model: of what is said meanwhile nothing is to come."""
    transcript_by: float | None = None
    """Until when something that they said may still be told; None: all of it was."""
    silent_until: float | None = None
    """How long they may be silent; None: nobody waits for a word of theirs."""
    yes: YesHeard | None = None

    def begins(self) -> None:
        """They begin to speak."""
        self.speaks = True
        self.silent_until = None

    def ceases(self, at: float) -> None:
        """They stop: a transcript is due."""
        self.speaks = False
        self.await_transcript(at)

    def await_transcript(self, since: float) -> None:
        """Something that they said is still to be told."""
        self.transcript_by = since + TRANSCRIPT_S

    def step_aside(self) -> None:
        """They speak with the model from here on."""
        self.beside = True
        self.silent_until = None

    def come_back(self) -> None:
        """They do not any more; what was said meanwhile was not for us."""
        self.beside = self.speaks = False
        self.transcript_by = None

    def take_yes(self) -> YesHeard | None:
        """The yes that waits, which waits no longer."""
        yes, self.yes = self.yes, None
        return yes

    def settled_by(self, at: float) -> YesHeard | None:
        """The yes that speech which begins then is no part of, if there is one."""
        settled = self.yes is not None and self.transcript_by is None and at >= self.yes.settles_at
        return self.yes if settled else None

    @property
    def _knows_all(self) -> bool:
        """Whether all that was said so far is known, and nobody speaks."""
        return not (self.speaks or self.beside or self.transcript_by is not None)

    def deadline(self) -> float | None:
        """When something is `due`; None: only once something happens."""
        times = [self.transcript_by] if not self.beside else []
        if self._knows_all:
            times += [self.silent_until, self.yes.settles_at if self.yes is not None else None]
        return min((at for at in times if at is not None), default=None)

    def due(self, now: float) -> YesHeard | Literal["transcript", "silence"] | None:
        """What nothing more came to by now: a yes; or what did not come: a transcript, or any word (`silence`)."""
        if self.transcript_by is not None and now >= self.transcript_by:
            return "transcript"
        if not self._knows_all:
            return None
        if self.yes is not None and now >= self.yes.settles_at:
            return self.yes
        return "silence" if self.silent_until is not None and now >= self.silent_until else None
