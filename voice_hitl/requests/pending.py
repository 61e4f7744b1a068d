"""`PendingInput`: one request to a person; `PendingInputEvent`: its frozen copy for hooks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, cast

from voice_hitl.enums import ChannelType, DoorName, PendingInputStatus, RequestEnd, Via
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Question

MASKED: Final = "..."
"""What stands in the copies of a sensitive request for what a person said, whatever its length."""

# Told by their exact class: asking an abstract one costs ten times as much, for every argument of every call.
_ATOMS: Final = frozenset({str, int, float, bool, type(None)})


@dataclass(slots=True, kw_only=True)
class PendingInput:
    """One request to a person, live: for reading. Only the ledger writes `status` and what settles with it.

    `actor_id` names whose turn raised the request and authenticates nobody. Times are UTC; `expires_at` is None until
    the question was first put to somebody.
    """

    pending_id: str
    tool_name: str
    arguments: Mapping[str, object]
    room_id: str = ""
    tool_call_id: str = ""
    channel_id: str = ""
    channel_type: ChannelType = ChannelType.AI
    door: DoorName | None = None
    session_id: str = ""
    actor_id: str | None = None
    actor_confidence: float | None = None
    question: Question | None = None
    audience: tuple[str, ...] = ()
    """Who may answer: `"caller"`, participant ids, console roles. Empty: anyone."""
    detached: bool = False
    created_at: datetime
    expires_at: datetime | None = None
    answered_so_far: Mapping[str, object] = field(default_factory=dict[str, object])
    """Of a form asked question by question: what was answered, by the question's prompt. It settles nothing."""
    status: PendingInputStatus = PendingInputStatus.PENDING
    end: RequestEnd | None = None
    result: str | None = None
    """The text the model reads, once answered."""
    reject_reason: str | None = None
    answered_by: str | None = None
    answered_via: Via | None = None
    answer: Answer | None = None
    """The answer itself, once answered; None where it is sensitive."""

    @property
    def sensitive(self) -> bool:
        """Whether what a person answers is for the application alone."""
        return self.question is not None and self.question.sensitive

    @property
    def answers_to_show(self) -> dict[str, object]:
        """What was answered so far, for everybody: of a sensitive form only that it was."""
        return dict.fromkeys(self.answered_so_far, MASKED) if self.sensitive else copy_json(self.answered_so_far)


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingInputEvent:
    """A `PendingInput` as it stood when the event was made: for hooks, and for `pending` snapshots."""

    pending_id: str
    tool_name: str
    arguments: Mapping[str, object] = field(hash=False)
    room_id: str
    tool_call_id: str
    channel_id: str
    channel_type: ChannelType
    door: DoorName | None
    session_id: str
    actor_id: str | None
    actor_confidence: float | None
    question: Question | None = field(hash=False)
    audience: tuple[str, ...]
    detached: bool
    created_at: datetime
    expires_at: datetime | None
    status: PendingInputStatus
    end: RequestEnd | None
    result: str | None
    reject_reason: str | None
    answered_by: str | None
    answered_via: Via | None
    answered_so_far: Mapping[str, object] = field(default_factory=dict[str, object], hash=False)

    @classmethod
    def of(cls, pending: PendingInput) -> "PendingInputEvent":
        """Copy `pending` as it stands now; its arguments too, deeply. What was answered a sensitive question is masked.

        So is a person's reason to decline it; a hook's is the application's own word.
        """
        result, reason = pending.result, pending.reject_reason
        if pending.sensitive:
            result = MASKED if result is not None else None
            reason = MASKED if reason and pending.end is RequestEnd.REFUSED else reason
        return cls(
            pending_id=pending.pending_id,
            tool_name=pending.tool_name,
            arguments=copy_json(pending.arguments),
            room_id=pending.room_id,
            tool_call_id=pending.tool_call_id,
            channel_id=pending.channel_id,
            channel_type=pending.channel_type,
            door=pending.door,
            session_id=pending.session_id,
            actor_id=pending.actor_id,
            actor_confidence=pending.actor_confidence,
            question=pending.question,
            audience=pending.audience,
            detached=pending.detached,
            created_at=pending.created_at,
            expires_at=pending.expires_at,
            status=pending.status,
            end=pending.end,
            result=result,
            reject_reason=reason,
            answered_by=pending.answered_by,
            answered_via=pending.answered_via,
            answered_so_far=pending.answers_to_show,
        )


def copy_json(value: Mapping[str, object]) -> dict[str, object]:
    """A deep copy of JSON-like data: what one side edits, the other never sees."""
    return {key: item if type(item) in _ATOMS else _copied(item) for key, item in value.items()}


def _copied(value: object) -> object:
    if isinstance(value, (dict, Mapping)):  # dict first: asking an ABC costs more than the copy
        return copy_json(cast("Mapping[str, object]", value))
    if isinstance(value, list | tuple):
        return [_copied(item) for item in cast("Sequence[object]", value)]
    return value
