"""What the Live API says, as data: those of its messages that mean something to a call, validated and bounded."""

from dataclasses import dataclass

from voice_hitl.provider import ProviderDigit, Role
from voice_hitl_openai.messages import Meaningless, Refusal, ResponseStatus, Unknown, Unreadable


@dataclass(frozen=True, slots=True)
class Started:
    """The session stands; the service ends it at `expires_at` (seconds since 1970)."""

    expires_at: float | None


@dataclass(frozen=True, slots=True)
class Voice:
    """Some of the model's voice: mono int16 at 24 kHz. It comes as it is spoken, not ahead."""

    pcm: bytes


@dataclass(frozen=True, slots=True)
class Words:
    """The next words of the caller's, or of the model's. Nothing says where a turn ends."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class HandedOver:
    """The model delegates. What to do stands in what was said."""

    delegation_id: str
    target: str


@dataclass(frozen=True, slots=True)
class BackendStarted:
    """The service's own backend begins to respond."""

    delegation_id: str
    response_id: str


@dataclass(frozen=True, slots=True)
class BackendEnded:
    """That response is over."""

    delegation_id: str
    response_id: str
    status: ResponseStatus


@dataclass(frozen=True, slots=True)
class BackendCalls:
    """The backend issues a call: it begins to (`arguments` None), or it has."""

    delegation_id: str
    call_id: str
    name: str
    arguments: str | None


@dataclass(frozen=True, slots=True)
class SessionClosed:
    """The session is over."""

    reason: str


LiveMessage = (
    Started
    | Voice
    | Words
    | HandedOver
    | BackendStarted
    | BackendEnded
    | BackendCalls
    | ProviderDigit
    | SessionClosed
    | Refusal
    | Meaningless
    | Unknown
    | Unreadable
)
