"""What hooks see: one frozen dataclass a trigger (for requests: `PendingInputEvent`, in `requests/pending.py`)."""

from dataclasses import dataclass, field

from voice_hitl.enums import ChannelType, DoorName, OutcomeKind, Via
from voice_hitl.questions.model import Question
from voice_hitl.requests.pending import PendingInputEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallEvent:
    """A tool call: before it runs (`BEFORE_TOOL_USE`), when it is judged and when it is reported (`ON_TOOL_CALL`).

    `result` is the text the model reads (or would have read), `outcome` how the call ended, None before it has. The
    flags follow from it. `delivered` is True once the outcome was sent, `delivered_as` says how: as the call's
    `"output"`, or as `"text"`. `proposed_arguments` is what was shown to whoever had to approve the call; `arguments`
    is then what they let run.
    """

    channel_id: str
    channel_type: ChannelType
    room_id: str
    session_id: str
    tool_name: str
    arguments: dict[str, object] = field(hash=False)
    tool_call_id: str
    door: DoorName
    actor_id: str | None = None
    result: str | None = None
    outcome: OutcomeKind | None = None
    error_detail: str | None = None
    delivered: bool = False
    delivered_as: str | None = None
    duration_ms: float = 0.0
    raw_arguments: str | None = None
    """What came, where it could not be read."""
    proposed_arguments: dict[str, object] | None = field(default=None, hash=False)

    @property
    def is_error(self) -> bool:
        """Whether it has ended in any way but served."""
        return self.outcome is not None and self.outcome is not OutcomeKind.SERVED

    @property
    def refused(self) -> bool:
        """Whether nothing ran because somebody or something said no."""
        return self.outcome is OutcomeKind.REFUSED

    @property
    def cancelled(self) -> bool:
        """Whether it was given up: nothing is sent."""
        return self.outcome is OutcomeKind.CANCELLED


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEvent:
    """A session began (`ON_SESSION_STARTED`) or is over (`ON_SESSION_ENDED`, with why)."""

    channel_id: str
    channel_type: ChannelType
    room_id: str
    session_id: str
    participant_id: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptionEvent:
    """Something was said and is final (`ON_TRANSCRIPTION`). `role` is `user` or `assistant`."""

    channel_id: str
    channel_type: ChannelType
    room_id: str
    session_id: str
    participant_id: str | None
    role: str
    text: str
    item_id: str
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechEvent:
    """The caller began or stopped speaking (`ON_SPEECH_STARTED`, `ON_SPEECH_ENDED`), at monotonic seconds."""

    channel_id: str
    channel_type: ChannelType
    room_id: str
    session_id: str
    participant_id: str | None
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BargeInEvent:
    """The caller spoke into the model's words, which were stopped (`ON_BARGE_IN`).

    `participant_id` is who, in a conference whose participants are heard each by themselves.
    """

    channel_id: str
    channel_type: ChannelType
    room_id: str
    session_id: str
    item_id: str
    played_ms: float
    participant_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DigitEvent:
    """A key was pressed that no open request took (`ON_DIGIT`), at monotonic seconds."""

    channel_id: str
    channel_type: ChannelType
    room_id: str
    session_id: str
    participant_id: str | None
    digit: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedEvent:
    """A prompt was put to somebody (`ON_ASKED`)."""

    channel_id: str
    channel_type: ChannelType
    room_id: str
    session_id: str
    pending_id: str
    question: Question | None = field(hash=False)
    asked_by: str
    """The asker: `voice`, `card`, `console`, ..."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardEvent:
    """An utterance or a key press was read as an answer, or not (`ON_HEARD`).

    `reading` is the kind and what it means (`Match True`, `NoMatch`, `Command repeat`), `why` the rule it rests on.
    """

    channel_id: str
    channel_type: ChannelType
    room_id: str
    session_id: str
    pending_id: str
    text: str
    reading: str
    why: str
    via: Via


@dataclass(frozen=True, slots=True, kw_only=True)
class ParticipantEvent:
    """Somebody came into, or left, the room of a conference, or rejoined a call."""

    channel_id: str
    channel_type: ChannelType
    room_id: str
    session_id: str
    participant_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorEvent:
    """Something failed that did not end the call (`ON_ERROR`). `source` names what: a hook, an asker, the provider."""

    channel_id: str
    channel_type: ChannelType
    room_id: str
    session_id: str
    source: str
    message: str


HookEvent = (
    ToolCallEvent
    | PendingInputEvent
    | SessionEvent
    | TranscriptionEvent
    | SpeechEvent
    | BargeInEvent
    | DigitEvent
    | AskedEvent
    | HeardEvent
    | ParticipantEvent
    | ErrorEvent
)
