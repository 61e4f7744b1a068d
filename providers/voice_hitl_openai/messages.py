"""What the Realtime API says, as data: those of its messages that mean something to a call, validated and bounded."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from voice_hitl.provider import AudioOut, ProviderDigit, SpeechStarted, SpeechStopped, Transcript, TranscriptFailed

ResponseStatus = Literal["completed", "cancelled", "failed", "incomplete"]


@dataclass(frozen=True, slots=True)
class SessionEcho:
    """`session.created` and `session.updated`: the session as the service has it."""

    created: bool
    expires_at: float | None = None
    """When the service ends it, in seconds since 1970."""
    turn_detection: Mapping[str, object] | None = None
    """What it does by itself when the caller speaks; None is "nothing"."""
    echoed: bool = True
    """Whether the message said anything about `turn_detection` at all."""


@dataclass(frozen=True, slots=True)
class Item:
    """An entry of the history: a message, a function call or its output."""

    item_id: str
    kind: str
    role: str = ""
    status: str = ""
    text: str = ""
    """What a message says, its audio as its transcript."""
    call_id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class ItemAdded:
    """An item is in the history of the conversation (never one of a response out of band)."""

    item: Item


@dataclass(frozen=True, slots=True)
class OutputItemAdded:
    """A response begins an item."""

    response_id: str
    item: Item


@dataclass(frozen=True, slots=True)
class OutputItemDone:
    """A response has ended an item: completed, or cut (`incomplete`)."""

    response_id: str
    item: Item


@dataclass(frozen=True, slots=True)
class SpokenDelta:
    """The next words of the model, ahead of their audio."""

    response_id: str
    item_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ResponseCreated:
    """A response begins. `tag` is what our `response.create` carried, where it was ours."""

    response_id: str
    tag: str = ""
    tags: bool = True
    """Whether the service hands tags back at all (a compatible one may not know `metadata`)."""


@dataclass(frozen=True, slots=True)
class ResponseDone:
    """A response is over."""

    response_id: str
    status: ResponseStatus
    code: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class PlaybackStopped:
    """All of a response was heard, in a call whose media the service holds."""

    response_id: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """An `error`: the service refuses what we sent (`event_id` names it), or has failed by itself."""

    code: str
    message: str
    event_id: str = ""


@dataclass(frozen=True, slots=True)
class Meaningless:
    """A message of the reference that says nothing we need."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A type that the reference, as we know it, does not have."""

    type: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Not JSON, or without what its type must have."""

    why: str


Message = (
    SessionEcho
    | ItemAdded
    | OutputItemAdded
    | OutputItemDone
    | SpokenDelta
    | ResponseCreated
    | ResponseDone
    | PlaybackStopped
    | Refusal
    | Meaningless
    | Unknown
    | Unreadable
    | AudioOut
    | Transcript
    | TranscriptFailed
    | SpeechStarted
    | SpeechStopped
    | ProviderDigit
)
"""What `codec.decode` gives. The port's own events are among them where one wire message is one event."""
