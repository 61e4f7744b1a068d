"""What can be asked, as data: `Confirm`, `Choice`, `Number`, `Text`, `Form`, `Approval`."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from voice_hitl.enums import Risk


def _no_details() -> Mapping[str, object]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One thing that can be chosen. `id` is what a choice by id answers with; without it the label is."""

    label: str
    description: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirm:
    """Yes or no. `action` and `details` are what would be done: a spoken question reads the decisive ones back."""

    prompt: str
    action: str | None = None
    details: Mapping[str, object] = field(default_factory=_no_details)
    risk: Risk = "normal"
    sensitive: bool = False
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One of some options, or several with `multi`. `header` is a short title for a card (a form's question has one).

    `free_text`: whether something that is no option is an answer too (true for the questions of a form).
    """

    prompt: str
    options: tuple[Option, ...]
    multi: bool = False
    header: str | None = None
    free_text: bool = False
    sensitive: bool = False
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number within bounds; `digits`: exactly so many digits, kept as text (a code, leading zeros count)."""

    prompt: str
    minimum: float | None = None
    maximum: float | None = None
    digits: int | None = None
    sensitive: bool = False
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Words, as said or written."""

    prompt: str
    max_length: int = 8192
    sensitive: bool = False
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """Several questions asked as one request, answered together."""

    questions: tuple[Choice, ...]
    sensitive: bool = False
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """May this tool run with these arguments? `digest` binds the answer to exactly them."""

    tool: str
    arguments: Mapping[str, object]
    digest: str
    allow_edits: bool = False
    risk: Risk = "normal"
    title: str | None = None
    speak: str | None = None
    sensitive: bool = False
    language: str | None = None


Question = Confirm | Choice | Number | Text | Form | Approval
