"""`Answer`: what came back from a person, and by which way."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from voice_hitl.enums import Via


def _no_evidence() -> Mapping[str, object]:
    return {}


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a question, not yet checked against it.

    Args:
        value: The answer itself, in the shape its question's kind has (see `check`).
        by: Who answered: a participant id, an operator's user name; None where nobody knows.
        via: By which way it came.
        at: When it was given (UTC), where the way tells.
        confidence: 0 to 1, where it was recognised.
        evidence: What it rests on: a transcript and its times, what was asked and how much of it was heard.
        decision: For an approval: `"approve"` or `"reject"`.
        edited_arguments: For an approval that allows edits: the arguments to run with instead, whole.
        reason: Why it was declined or rejected.
        decline: The person will not answer. Fits every kind.
        roles: In which roles they answer, as whoever hands the answer over has made sure: they count in an audience.
    """

    value: object = None
    by: str | None = field(default=None, kw_only=True)
    via: Via = field(default=Via.API, kw_only=True)
    at: datetime | None = field(default=None, kw_only=True)
    confidence: float | None = field(default=None, kw_only=True)
    evidence: Mapping[str, object] = field(default_factory=_no_evidence, kw_only=True)
    decision: Literal["approve", "reject"] | None = field(default=None, kw_only=True)
    edited_arguments: Mapping[str, object] | None = field(default=None, kw_only=True)
    reason: str | None = field(default=None, kw_only=True)
    decline: bool = field(default=False, kw_only=True)
    roles: tuple[str, ...] = field(default=(), kw_only=True)
