"""The messages between the page in a call and its session: JSON texts, version 1, at most 64 KiB each.

What the page sends is parsed into one typed union (`parse`), strictly: an unknown field is refused, so that a
misspelled `key` does not silently cost the idempotency it asked for. What goes to the page is a frozen dataclass
each, and becomes text in `encode`. Nothing here keeps state or reads a clock.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Annotated, ClassVar, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError
from pydantic_core import from_json

from voice_hitl.enums import RequestEnd, Via
from voice_hitl.errors import VoiceHitlError
from voice_hitl.provider import Role
from voice_hitl.transport import HangUpReason

VERSION = 1
MAX_BYTES = 65_536
"""The longest message in bytes of UTF-8, either way (also the default `max-message-size` of a data channel)."""

Wire = Mapping[str, object]
"""A question or an answer in its published JSON form."""

Code = Literal["late", "duplicate", "not_allowed", "invalid", "unknown", "too_large", "malformed"]
"""Why a message was refused."""

CardStatus = Literal["inProgress", "executing", "complete"]
"""A card while its call's arguments still stream, while it can be answered, and read-only."""

CallState = Literal["connecting", "live", "ended"]

Id = Annotated[str, Field(min_length=1, max_length=128)]


class MalformedMessage(VoiceHitlError, ValueError):  # noqa: N818 - named by its cause
    """A text that is no message of the page. `code` and `why` are for the page; `id` is the message's, if it had one.

    `why` names fields and rules, never a value: what a page sends may be confidential.
    """

    def __init__(self, code: Code, why: str, id: str | None = None) -> None:
        super().__init__(why)
        self.code: Code = code
        self.why = why
        self.id = id


class TooLarge(VoiceHitlError, ValueError):  # noqa: N818 - named by its cause
    """A message to the page would be longer than `MAX_BYTES`."""


# --- from the page ---------------------------------------------------------------------------------------------------


class _FromPage(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    v: Literal[1]
    id: Id | None = None
    """The page's own number for the message; the `ok` or `refused` that answers it carries it back."""


class RequestAnswer(_FromPage):
    """An answer, in the wire form that `respond` reads. The same `key` again is the same answer sent again."""

    type: Literal["request.answer"]
    pending_id: Id
    answer: Mapping[str, JsonValue] = Field(repr=False)
    key: Id | None = None


class RequestDecline(_FromPage):
    """The person will not answer."""

    type: Literal["request.decline"]
    pending_id: Id
    reason: Annotated[str, Field(max_length=8192)] | None = None
    key: Id | None = None


class KeyPressed(_FromPage):
    """One press of an on-screen keypad."""

    type: Literal["digit"]
    digit: Annotated[str, Field(pattern=r"^[0-9*#A-D]$")]


class ToolRegister(_FromPage):
    """The page offers a tool of its own to the model. The same name again replaces it."""

    type: Literal["tool.register"]
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    description: Annotated[str, Field(max_length=8192)] = ""
    parameters: Mapping[str, JsonValue] | None = None
    """JSON Schema of its arguments, an object; None: it takes none."""


class ToolUnregister(_FromPage):
    """The page offers this tool no longer."""

    type: Literal["tool.unregister"]
    name: Annotated[str, Field(min_length=1, max_length=64)]


class ToolRespond(_FromPage):
    """The result of a call of one of the page's tools: any JSON. The first wins."""

    type: Literal["tool.respond"]
    pending_id: Id
    result: JsonValue = Field(repr=False)
    key: Id | None = None


class ToolAbort(_FromPage):
    """The page gives such a call up."""

    type: Literal["tool.abort"]
    pending_id: Id
    reason: Annotated[str, Field(max_length=8192)] | None = None
    key: Id | None = None


ToolMessage = ToolRegister | ToolUnregister | ToolRespond | ToolAbort
"""What a page says of its own tools."""

PageMessage = RequestAnswer | RequestDecline | KeyPressed | ToolMessage

_page_message: TypeAdapter[PageMessage] = TypeAdapter(Annotated[PageMessage, Field(discriminator="type")])


def parse(text: str) -> PageMessage:
    """Read a message of the page; `MalformedMessage` says what is wrong with it, and its `id` where it has one."""
    message = _object(text)
    id = message.get("id")
    id = id if isinstance(id, str) and 0 < len(id) <= 128 else None
    version, kind = message.get("v"), message.get("type")
    if version is None or kind is None:
        raise MalformedMessage("malformed", 'a message has a version "v" and a "type"', id)
    if type(version) is not int or version != VERSION:
        raise MalformedMessage("unknown", f"this session speaks version {VERSION} of the messages", id)
    try:
        return _page_message.validate_python(message)
    except ValidationError as error:
        # Not chained: the error holds the values.
        raise _malformed(error, id) from None


def _object(text: str) -> dict[str, object]:
    try:
        size = len(text) if len(text) > MAX_BYTES else len(text.encode())
    except UnicodeEncodeError:
        raise MalformedMessage("malformed", "the message is not Unicode text") from None
    if size > MAX_BYTES:
        raise MalformedMessage("too_large", f"a message has at most {MAX_BYTES} bytes")
    try:
        # Stricter than json.loads: no NaN, no lone surrogates, no depth that exhausts the stack.
        message: object = from_json(text, allow_inf_nan=False)
    except ValueError:
        raise MalformedMessage("malformed", "the message is not JSON") from None
    if not isinstance(message, dict):
        raise MalformedMessage("malformed", "a message is a JSON object")
    return cast("dict[str, object]", message)


def _malformed(error: ValidationError, id: str | None) -> MalformedMessage:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"][1:])
    match first["type"]:
        case "union_tag_invalid":
            return MalformedMessage("unknown", "this session knows no message of that type", id)
        case "extra_forbidden":  # the field's name is the page's word: not repeated
            return MalformedMessage("malformed", "the message has a field that its type does not have", id)
        case _:
            return MalformedMessage("malformed", f"{where}: {first['msg']}" if where else first["msg"], id)


# --- to the page -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a request ended. `answer` is left out where the question is sensitive."""

    end: RequestEnd
    by: str | None = None
    via: Via | None = None
    answer: Wire | None = field(default=None, repr=False)
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStateChanged:
    """Where the call stands; `reason` is how it ended."""

    type: ClassVar[str] = "call.state"
    state: CallState
    reason: HangUpReason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptLine:
    """What was said. Not final: only what is new, to be appended to `item`. Final: the whole text of the item."""

    type: ClassVar[str] = "transcript"
    role: Role
    text: str = field(repr=False)
    final: bool
    item: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOpened:
    """A card opens, or stands open on a page that connects again.

    `status: inProgress` has only `call` and `tool`: the call's arguments are still streaming. The same `call` with a
    `pending_id` and a question makes that card live. Times are UTC; `server_time` lets a page count down to
    `expires_at` whatever its own clock says.
    """

    type: ClassVar[str] = "request.opened"
    call: str
    tool: str
    status: CardStatus
    server_time: datetime
    pending_id: str | None = None
    kind: str | None = None
    """What is asked for: `question`, `approval`, `choice`, `input`. How to show it is the question's own `kind`."""
    question: Wire | None = field(default=None, repr=False)
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestChanged:
    """The clock of an open request started, or another asker asks it too."""

    type: ClassVar[str] = "request.changed"
    pending_id: str
    status: CardStatus
    server_time: datetime
    expires_at: datetime | None = None
    asked_by: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestSettled:
    """A card is over. Without a `pending_id`: the `call` was given up before it asked anything."""

    type: ClassVar[str] = "request.settled"
    call: str
    outcome: Outcome
    server_time: datetime
    pending_id: str | None = None
    status: CardStatus = "complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRegistered:
    """A tool of the page is taken: the model is told of it next."""

    type: ClassVar[str] = "tool.registered"
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStatus:
    """Where a call of one of the page's tools stands; `pending_id` is what its result names.

    `status: inProgress` has only `call` and `tool`: the arguments are still streaming. `executing` has them, and waits
    for the page's result until `expires_at`. `complete` has how it ended.
    """

    type: ClassVar[str] = "tool.status"
    call: str
    tool: str
    status: CardStatus
    server_time: datetime
    pending_id: str | None = None
    arguments: Wire | None = field(default=None, repr=False)
    expires_at: datetime | None = None
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """A message of the page did what it asked for. `server_time` is when, on the session's clock."""

    type: ClassVar[str] = "ok"
    id: str | None
    server_time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A message of the page did nothing; late or duplicate, `outcome` says how the request had ended."""

    type: ClassVar[str] = "refused"
    id: str | None
    code: Code
    why: str
    server_time: datetime
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class Extension:
    """A message of an application to its own page: any other type, any JSON fields."""

    type: str
    body: Mapping[str, object] = field(repr=False)


_Request = RequestOpened | RequestChanged | RequestSettled
_Fixed = CallStateChanged | TranscriptLine | _Request | ToolRegistered | ToolStatus | Accepted | Refused
ToPage = _Fixed | Extension


def encode(message: ToPage) -> str:
    """Write a message to the page as text; `TooLarge` above 64 KiB. Fields that are None are left out."""
    body = message.body if isinstance(message, Extension) else _members(message)
    text = json.dumps({"v": VERSION, "type": message.type, **body}, ensure_ascii=False, separators=(",", ":"))
    try:
        size = len(text.encode())
    except UnicodeEncodeError:  # half a surrogate pair, in a model's words: escaped it can be sent
        text = json.dumps(json.loads(text), separators=(",", ":"))
        size = len(text)
    if size > MAX_BYTES:
        raise TooLarge(f"a {message.type} message of {size} bytes is longer than {MAX_BYTES}")
    return text


def _members(message: _Fixed | Outcome) -> dict[str, object]:
    """Return a dataclass's fields as JSON, those of an `Outcome` inside what has ended beside its own."""
    found: dict[str, object] = {}
    for member in fields(message):
        value: object = getattr(message, member.name)
        if value is None:
            continue
        if isinstance(value, Outcome):
            outcome = _members(value)
            found |= outcome if isinstance(message, RequestSettled | ToolStatus) else {"outcome": outcome}
        elif isinstance(value, datetime):
            found[member.name] = instant(value)
        else:
            found[member.name] = value
    return found


def instant(at: datetime) -> str:
    """Write a time as the page reads it: RFC 3339, UTC, to the millisecond."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
