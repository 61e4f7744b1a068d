"""`Settlement`: what became of an answer. Late is not wrong, so every ending is a value."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar


class SettlementKind(StrEnum):
    """What became of an answer."""

    ACCEPTED = "accepted"
    """It settled the request: it is what the model reads."""
    DUPLICATE = "duplicate"
    """A person or a hook had settled it first."""
    LATE = "late"
    """It had timed out, been given up by every asker, or been withdrawn."""
    UNKNOWN = "unknown"
    """There is no such request, or no longer."""
    NOT_ALLOWED = "not_allowed"
    """Whoever answered is not in the request's audience."""
    INVALID = "invalid"
    """It does not answer the question. The request stays open."""


@dataclass(frozen=True, slots=True)
class Settlement:
    """What became of an answer: compare with `Settlement.ACCEPTED` and its siblings; `why` says more."""

    kind: SettlementKind
    why: str = ""

    ACCEPTED: ClassVar["Settlement"]
    DUPLICATE: ClassVar["Settlement"]
    LATE: ClassVar["Settlement"]
    UNKNOWN: ClassVar["Settlement"]
    NOT_ALLOWED: ClassVar["Settlement"]

    @classmethod
    def INVALID(cls, why: str) -> "Settlement":  # noqa: N802 - reads as its siblings do
        """It does not answer the question, because of `why`."""
        return cls(SettlementKind.INVALID, why)


Settlement.ACCEPTED = Settlement(SettlementKind.ACCEPTED)
Settlement.DUPLICATE = Settlement(SettlementKind.DUPLICATE)
Settlement.LATE = Settlement(SettlementKind.LATE)
Settlement.UNKNOWN = Settlement(SettlementKind.UNKNOWN)
Settlement.NOT_ALLOWED = Settlement(SettlementKind.NOT_ALLOWED)
