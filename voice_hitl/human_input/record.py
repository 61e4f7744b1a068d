"""What a store keeps of a request, as JSON and back.

Only data: no handlers, no sockets, no media. What a person answered a sensitive question is masked.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, cast

from pydantic import TypeAdapter, ValidationError

from voice_hitl.asker import SaidLine
from voice_hitl.enums import ChannelType, DoorName, PendingInputStatus, RequestEnd, Via
from voice_hitl.errors import InvalidQuestion, NotStorable
from voice_hitl.questions.json_value import json_fault
from voice_hitl.questions.model import Approval
from voice_hitl.questions.plain_text import as_unicode
from voice_hitl.questions.wire import question_from_wire, to_wire
from voice_hitl.requests.pending import MASKED, PendingInput

SCHEMA_VERSION: Final = 1
"""The version of a body. There was none before it, so there is nothing to migrate yet."""

LONGEST_LINE: Final = 1_000
"""Characters of a line of the transcript that are kept."""

STATUS: Final[Mapping[RequestEnd, PendingInputStatus]] = {
    RequestEnd.ANSWERED: PendingInputStatus.RESOLVED,
    RequestEnd.REFUSED: PendingInputStatus.REJECTED,
    RequestEnd.BLOCKED: PendingInputStatus.REJECTED,
    RequestEnd.WITHDRAWN: PendingInputStatus.REJECTED,
    RequestEnd.TIMED_OUT: PendingInputStatus.TIMED_OUT,
    RequestEnd.UNANSWERED: PendingInputStatus.TIMED_OUT,
}


@dataclass(frozen=True, slots=True)
class Run:
    """How the tool of an approval ended: the text of its result, or what it failed with."""

    result: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """A request as it is kept.

    Args:
        pending: The request.
        kept: Whether it may be answered after its call; else it ends with it.
        keep_until: When that is over (UTC).
        participant: Who was on the leg of its session: the `"caller"` of its audience.
        runs: Whether its approval is that of a host's tool, which runs then.
        edited: The arguments that whoever approved gave instead.
        key: The idempotency key of the answer that settled it.
        run: How its tool ended.
        transcript: What was said last before it was asked; the caller's words are masked where it is sensitive.
    """

    pending: PendingInput
    kept: bool
    keep_until: datetime
    participant: str = ""
    runs: bool = False
    edited: Mapping[str, object] | None = None
    key: str | None = None
    run: Run | None = None
    transcript: tuple[SaidLine, ...] = ()

    def ended(
        self,
        end: RequestEnd,
        *,
        result: str | None = None,
        reason: str | None = None,
        by: str | None = None,
        via: Via | None = None,
    ) -> "Record":
        """The record of the same request, ended so."""
        pending = replace(
            self.pending,
            status=STATUS[end],
            end=end,
            result=result,
            reject_reason=reason,
            answered_by=by,
            answered_via=via,
        )
        return replace(self, pending=pending)


def body_of(record: Record) -> str:
    """Write a record as JSON.

    Raises:
        NotStorable: There is something in it that is not JSON; the text says what.
    """
    pending = record.pending
    question = pending.question
    sensitive = question is not None and question.sensitive
    declined = sensitive and pending.end is RequestEnd.REFUSED
    body: dict[str, object] = {
        "schema_version": SCHEMA_VERSION,
        "tool_name": pending.tool_name,
        "arguments": pending.arguments,
        "question": to_wire(question) if question is not None else None,
        "room_id": pending.room_id,
        "tool_call_id": pending.tool_call_id,
        "channel_id": pending.channel_id,
        "channel_type": pending.channel_type,
        "door": pending.door,
        "session_id": pending.session_id,
        "participant": record.participant,
        "actor_id": pending.actor_id,
        "actor_confidence": pending.actor_confidence,
        "audience": pending.audience,
        "detached": pending.detached,
        "created_at": pending.created_at.isoformat(),
        "expires_at": _iso(pending.expires_at),
        "answered_so_far": pending.answers_to_show or None,
        "kept": record.kept,
        "keep_until": record.keep_until.isoformat(),
        "runs": record.runs,
        "end": pending.end,
        "result": MASKED if sensitive and pending.result is not None else _text(pending.result),
        "reject_reason": MASKED if declined and pending.reject_reason else _text(pending.reject_reason),
        "answered_by": pending.answered_by,
        "answered_via": pending.answered_via,
        "edited": record.edited if not sensitive else None,
        "key": record.key,
        "run": _run_body(record.run, sensitive=sensitive),
        "transcript": _transcript_body(record.transcript, sensitive=sensitive) or None,
    }
    body = {name: value for name, value in body.items() if value is not None and value is not False and value != ""}
    if fault := json_fault(body):
        raise NotStorable(f"the request of {pending.tool_name} cannot be saved: there is {fault} in it")
    return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def record_of(request_id: str, body: str) -> Record:
    """Read a record back.

    Raises:
        ValueError: It is damaged, or of a version that this one does not know; the text says which.
    """
    try:
        raw: object = json.loads(body)
    except (ValueError, RecursionError):
        raise ValueError("it is damaged: no JSON") from None
    version = cast("Mapping[str, object]", raw).get("schema_version") if isinstance(raw, dict) else None
    if version != SCHEMA_VERSION:
        raise ValueError(f"its schema_version is {version!r}: this version of voice_hitl reads {SCHEMA_VERSION}")
    try:
        kept = _BODY.validate_python(raw)
        question = question_from_wire(kept.question) if kept.question is not None else None
    except ValidationError as error:
        where = ", ".join(sorted({str(each["loc"][0]) for each in error.errors() if each["loc"]}))
        raise ValueError(f"it is damaged: {where}") from None
    except InvalidQuestion as error:
        raise ValueError(f"its question is damaged: {error}") from None
    pending = PendingInput(
        pending_id=request_id,
        tool_name=kept.tool_name,
        arguments=kept.arguments,
        room_id=kept.room_id,
        tool_call_id=kept.tool_call_id,
        channel_id=kept.channel_id,
        channel_type=kept.channel_type,
        door=kept.door,
        session_id=kept.session_id,
        actor_id=kept.actor_id,
        actor_confidence=kept.actor_confidence,
        question=question,
        audience=kept.audience,
        detached=kept.detached,
        created_at=kept.created_at,
        expires_at=kept.expires_at,
        answered_so_far=kept.answered_so_far,
        status=STATUS[kept.end] if kept.end is not None else PendingInputStatus.PENDING,
        end=kept.end,
        result=kept.result,
        reject_reason=kept.reject_reason,
        answered_by=kept.answered_by,
        answered_via=kept.answered_via,
    )
    if kept.runs and not isinstance(question, Approval):
        raise ValueError("it is damaged: what runs a tool is no approval")
    return Record(
        pending,
        kept.kept,
        kept.keep_until,
        kept.participant,
        kept.runs,
        kept.edited,
        kept.key,
        kept.run,
        kept.transcript,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Body:
    tool_name: str
    created_at: datetime
    keep_until: datetime
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])
    question: Mapping[str, object] | None = None
    room_id: str = ""
    tool_call_id: str = ""
    channel_id: str = ""
    channel_type: ChannelType = ChannelType.AI
    door: DoorName | None = None
    session_id: str = ""
    participant: str = ""
    actor_id: str | None = None
    actor_confidence: float | None = None
    audience: tuple[str, ...] = ()
    detached: bool = False
    expires_at: datetime | None = None
    answered_so_far: Mapping[str, object] = field(default_factory=dict[str, object])
    kept: bool = False
    runs: bool = False
    end: RequestEnd | None = None
    result: str | None = None
    reject_reason: str | None = None
    answered_by: str | None = None
    answered_via: Via | None = None
    edited: Mapping[str, object] | None = None
    key: str | None = None
    run: Run | None = None
    transcript: tuple[SaidLine, ...] = ()


_BODY: Final = TypeAdapter(_Body)


def _run_body(run: Run | None, *, sensitive: bool) -> dict[str, object] | None:
    if run is None:
        return None
    members = {
        "result": MASKED if sensitive and run.result is not None else _text(run.result),
        "error": _text(run.error),
    }
    return {name: value for name, value in members.items() if value is not None}


def _text(words: str | None) -> str | None:
    # They may be a handler's or a hook's: how a request ended is kept whatever they are.
    return as_unicode(words) if words is not None else None


def _transcript_body(lines: Sequence[SaidLine], *, sensitive: bool) -> list[dict[str, object]]:
    return [
        {"role": line.role, "text": MASKED if sensitive and line.role == "user" else line.text[:LONGEST_LINE]}
        for line in lines
    ]


def _iso(time: datetime | None) -> str | None:
    return time.isoformat() if time is not None else None
