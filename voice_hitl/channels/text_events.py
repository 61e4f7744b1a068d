"""What a text turn says while it runs: `TextEvent`."""

from dataclasses import dataclass
from typing import Literal

from voice_hitl.enums import OutcomeKind

TurnEnd = Literal["stop", "length", "filtered", "rounds", "cancelled", "failed"]
"""It is complete; too long; its provider would not have it; it called tools for too many rounds; it was cancelled; the
model could not be had."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next words of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class TextCall:
    """The model called a tool."""

    call_id: str
    name: str


@dataclass(frozen=True, slots=True)
class TextCallEnded:
    """That call is over; `text` is what the model reads."""

    call_id: str
    name: str
    outcome: OutcomeKind
    text: str


@dataclass(frozen=True, slots=True)
class TextEnded:
    """The turn is over; the last event of it. `error` says what failed, in words for the application."""

    reason: TurnEnd
    error: str = ""


TextEvent = TextDelta | TextCall | TextCallEnded | TextEnded
