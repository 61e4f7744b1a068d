"""Who was speaking, as evidence: what of a room says whose turn raised a call, and how sure that is."""

from dataclasses import dataclass
from typing import Final

from voice_hitl.tools.context import NOBODY, Actor

RECENT_S: Final = 10.0
"""How long after somebody spoke the model may still be calling because of it, in seconds."""

TOGETHER_S: Final = 2.0
"""Whoever else spoke so shortly before the last one may be meant as well, in seconds."""

ALONE: Final = 0.9
"""How sure it is when one lane had speech, and the backend does not say that it was somebody else."""

AMONG_OTHERS: Final = 0.5
"""How sure it is when others spoke about the same time, or the backend says that it was somebody else."""

SAID_BY_BACKEND: Final = 0.6
"""How sure it is when only the backend says who spoke."""


@dataclass(slots=True)
class _Speech:
    began: float
    ended: float | None = None


class WhoSpoke:
    """What the lanes and the backend say of who spoke. It is evidence, and never says that somebody is somebody."""

    def __init__(self) -> None:
        self._speech: dict[str, _Speech] = {}
        self._active: tuple[str, float] | None = None

    def speaks(self, participant: str, at: float, *, on: bool) -> None:
        """Speech began, or ended, on a participant's lane."""
        if on:
            self._speech[participant] = _Speech(at)
        elif participant in self._speech:
            self._speech[participant].ended = at

    def is_active(self, participant: str | None, at: float) -> None:
        """The backend says who speaks; None: nobody, and whoever was last stays so."""
        if participant is not None:
            self._active = participant, at

    def left(self, participant: str) -> None:
        """A participant is not in the room any more."""
        self._speech.pop(participant, None)
        if self._active is not None and self._active[0] == participant:
            self._active = None

    def actor(self, now: float) -> Actor:
        """Whose turn it was most likely; `NOBODY` where nothing recent says so."""
        active = self._active[0] if self._active is not None and now - self._active[1] <= RECENT_S else None
        recent = {each: speech for each, speech in self._speech.items() if now - _until(speech, now) <= RECENT_S}
        if not recent:
            return Actor(active, SAID_BY_BACKEND) if active is not None else NOBODY
        last = max(recent, key=lambda each: (_until(recent[each], now), recent[each].began))
        together = _until(recent[last], now) - TOGETHER_S
        others = any(_until(speech, now) > together for each, speech in recent.items() if each != last)
        return Actor(last, AMONG_OTHERS if others or active not in (None, last) else ALONE)


def _until(speech: _Speech, now: float) -> float:
    return now if speech.ended is None else speech.ended
