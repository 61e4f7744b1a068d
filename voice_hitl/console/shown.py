"""What the console's API sends and takes, as pydantic models: the one source of the OpenAPI document too.

Every time is UTC. A request is shown the same to everybody who is shown it at all.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    SerializerFunctionWrapHandler,
    WrapSerializer,
)

from voice_hitl.enums import ChannelType, RequestEnd, Via
from voice_hitl.messages import Code, instant
from voice_hitl.questions.chosen import MAX_WORDS
from voice_hitl.questions.wire import RequestKind


def _at(value: datetime, _plain: SerializerFunctionWrapHandler) -> str:
    return instant(value)


def _is_unicode(text: str) -> str:
    text.encode()  # half a surrogate pair is no text: it could not be sent on
    return text


Instant = Annotated[datetime, WrapSerializer(_at, return_type=str)]
Words = Annotated[str, AfterValidator(_is_unicode)]
RequestId = Annotated[str, Field(pattern=r"^[a-zA-Z0-9_-]+$", max_length=128)]


class Shown(BaseModel):
    """What is sent: frozen, and nothing in it that is not told here."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Line(Shown):
    """Something that was said in the call. `...` is what was said to a confidential question."""

    role: str
    text: str
    at: Instant


class Taking(Shown):
    """Somebody is handling the request. It is let go 60 seconds after the last sign of life."""

    by: str
    since: Instant


class OutcomeShown(Shown):
    """How a request ended: who, how, when. What was said is left out where the question is confidential."""

    end: RequestEnd
    at: Instant
    by: str | None = None
    via: Via | None = None
    said: str | None = None
    """What the model reads of the answer."""
    reason: str | None = None


class RequestShown(Shown):
    """One request, open or settled."""

    id: RequestId
    kind: RequestKind
    """What is asked for, and so which actions answer it."""
    tool: str
    question: dict[str, JsonValue]
    """Its published JSON: `kind` says which form it has."""
    channel: str
    """Who asks: the agent."""
    channel_type: ChannelType
    room: str
    session: str
    """The call it is asked in."""
    caller: str
    """Who is on the line; empty: nobody, it is no call."""
    actor: str | None = None
    """Whose turn raised it, where that is known."""
    language: str = ""
    asked_of: list[str]
    """The roles it is put to."""
    created_at: Instant
    expires_at: Instant | None = None
    """How long it may take. None: it has no deadline."""
    answered_so_far: dict[str, JsonValue] = {}
    """Of a form: what somebody else was asked before and answered, by question; `...` where it is confidential."""
    transcript: list[Line] = []
    taken: Taking | None = None
    outcome: OutcomeShown | None = None
    """None: it is open."""


class Requests(Shown):
    """What is open."""

    requests: list[RequestShown]
    last_event: str
    """Give it to `GET /events` as `Last-Event-ID`, and nothing is missed in between."""


class History(Shown):
    """What has settled, the newest first."""

    requests: list[RequestShown]
    more: bool
    """Whether there is more before the last one: ask again with `before` its id."""


class Me(Shown):
    """Who is signed in."""

    user: str
    roles: list[str]
    watching: dict[str, int]
    """How many consoles are open now, by role."""
    server_time: Instant


class Accepted(Shown):
    """The answer was taken."""

    accepted: Literal[True] = True


class Taken(Shown):
    """The request is marked as yours, for 60 seconds from now: take it again to stay."""

    by: str


class Problem(Shown):
    """Why nothing was done."""

    error: Literal[Code, "unauthorized", "taken", "not_taken", "too_often", "foreign", "unavailable"]
    why: str
    outcome: OutcomeShown | None = None
    """Late or a duplicate: how the request had ended."""
    taken: Taking | None = None


class Event(Shown):
    """The data of an event: the request as it now is. `Last-Event-ID` says where to go on."""

    request: RequestShown


class Reject(BaseModel):
    """A refusal: an approval is rejected, anything else declined."""

    model_config = ConfigDict(extra="forbid", strict=True)

    reason: Annotated[Words, Field(max_length=MAX_WORDS)] | None = None


class SignIn(BaseModel):
    """A token, exchanged for a session; it is worth nothing after that."""

    model_config = ConfigDict(extra="forbid", strict=True)

    token: Annotated[str, Field(min_length=1, max_length=16_384, repr=False)]


class Filters(BaseModel):
    """Which requests."""

    model_config = ConfigDict(extra="forbid")

    channel: str | None = None
    room: str | None = None
    kind: RequestKind | None = None

    def fits(self, shown: RequestShown) -> bool:
        """Whether a request is one of them."""
        asked: Mapping[str, str | None] = {"channel": self.channel, "room": self.room, "kind": self.kind}
        return all(value is None or getattr(shown, name) == value for name, value in asked.items())


class HistoryFilters(Filters):
    """Which settled requests."""

    limit: Annotated[int, Field(ge=1, le=200)] = 50
    before: RequestId | None = None
