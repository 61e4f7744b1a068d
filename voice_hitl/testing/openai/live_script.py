"""What the Live service's model, and its own backend, do, as a test writes it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from voice_hitl.testing.openai.script import Call, Say


@dataclass(frozen=True, slots=True)
class HandOver:
    """The model delegates what it was asked."""

    delegation_id: str | None = None
    """Its id; None has one made."""


LiveStep = Say | HandOver
"""What the model does in answer to the caller, one after another."""


@dataclass(frozen=True, slots=True)
class LiveTurn:
    """What the model answers to."""

    number: int
    """Which turn of the session it is, from 0."""
    heard: str
    """What the caller said."""
    known: Sequence[str]
    """What it was told silently so far (`thinking`, `instructions`)."""


@dataclass(frozen=True, slots=True)
class BackendTurn:
    """What the service's own backend goes on from."""

    delegation_id: str
    number: int
    """Which response of its delegation it is, from 0."""
    outputs: Mapping[str, str]
    """The outputs that it was given since the response before, by call id."""


def _answer(turn: LiveTurn) -> Sequence[LiveStep]:
    return [Say(f"You said: {turn.heard}")]


def _tell(text: str) -> str:
    return text


def _done(_turn: BackendTurn) -> Sequence[Call | Say]:
    return [Say("It is done.")]


@dataclass(slots=True)
class LiveScript:
    """How the model behaves."""

    turn: Callable[[LiveTurn], Sequence[LiveStep]] = _answer
    """What it does when the caller has said something."""
    commentary: Callable[[str], str] = _tell
    """What it says when it is given something to tell; empty: nothing."""
    backend: Callable[[BackendTurn], Sequence[Call | Say]] = _done
    """What the service's own backend does, where that works on what is handed over."""
