"""The closed vocabularies: every word that travels between parts, once."""

from enum import StrEnum
from typing import Final, Literal, get_args

Risk = Literal["normal", "high"]
"""How much a wrong yes would cost. `high` is asked twice by voice."""

RISKS: Final[tuple[Risk, ...]] = get_args(Risk)


class ChannelType(StrEnum):
    """What kind of channel a request came through."""

    REALTIME_VOICE = "realtime_voice"
    CONFERENCE = "conference"
    AI = "ai"


class DoorName(StrEnum):
    """Which way a tool call came in."""

    PROVIDER_CALL = "provider_call"
    SPOKEN_CALL = "spoken_call"
    DELEGATION = "delegation"
    CONFERENCE_CALL = "conference_call"
    TEXT_CALL = "text_call"


class PendingInputStatus(StrEnum):
    """Where a request to a person stands. Terminal once left `PENDING`."""

    PENDING = "pending"
    RESOLVED = "resolved"
    REJECTED = "rejected"
    TIMED_OUT = "timed_out"


class RequestEnd(StrEnum):
    """How a request to a person ended (`PendingInput.end`)."""

    ANSWERED = "answered"
    REFUSED = "refused"
    """A person declined."""
    BLOCKED = "blocked"
    """A hook denied it."""
    TIMED_OUT = "timed_out"
    UNANSWERED = "unanswered"
    """Every asker gave up."""
    WITHDRAWN = "withdrawn"
    """The library gave it up: close, release, its waiting call cut."""


class Via(StrEnum):
    """How an answer reached us (`Answer.via`)."""

    VOICE = "voice"
    KEY = "key"
    CARD = "card"
    CONSOLE = "console"
    API = "api"


class OutcomeKind(StrEnum):
    """How a tool call ended."""

    SERVED = "served"
    BLOCKED = "blocked"
    UNSERVED = "unserved"
    REFUSED = "refused"
    FAILED = "failed"
    CANCELLED = "cancelled"


class HookExecution(StrEnum):
    """`SYNC` hooks run one after another and may decide; `ASYNC` hooks observe, off the path."""

    SYNC = "sync"
    ASYNC = "async"


class HookTrigger(StrEnum):
    """When a hook runs, and what it is given. The first, the second and `ON_TOOL_CALL` may decide; the others watch."""

    BEFORE_TOOL_USE = "before_tool_use"
    """`ToolCallEvent`: a call is about to run. A block refuses it; `arguments` in the metadata rewrites them."""
    ON_USER_INPUT_REQUIRED = "on_user_input_required"
    """`PendingInputEvent`: a person is asked. A block denies the request."""
    ON_USER_INPUT_SETTLED = "on_user_input_settled"
    """`PendingInputEvent`: a request has ended, once for each."""
    ON_ASKED = "on_asked"
    """`AskedEvent`: the question was put to somebody."""
    ON_HEARD = "on_heard"
    """`HeardEvent`: something was read as an answer, or not."""
    ON_TOOL_CALL = "on_tool_call"
    """`ToolCallEvent`: a call has its outcome. SYNC judges it: a block withholds the result, `result` in the metadata
    takes its place, also of a call that nobody served. ASYNC is told the end, once a call."""
    ON_SESSION_STARTED = "on_session_started"
    ON_SESSION_ENDED = "on_session_ended"
    """`SessionEvent`, as at its start."""
    ON_TRANSCRIPTION = "on_transcription"
    """`TranscriptionEvent`: a line of the caller or of the model is final."""
    ON_SPEECH_STARTED = "on_speech_started"
    ON_SPEECH_ENDED = "on_speech_ended"
    """`SpeechEvent`, as at its start."""
    ON_BARGE_IN = "on_barge_in"
    """`BargeInEvent`: the caller spoke into the model's words."""
    ON_DIGIT = "on_digit"
    """`DigitEvent`: a key was pressed that no question took."""
    ON_PARTICIPANT_JOINED = "on_participant_joined"
    ON_PARTICIPANT_LEFT = "on_participant_left"
    """`ParticipantEvent`, as when somebody joins."""
    ON_ERROR = "on_error"
    """`ErrorEvent`: something failed that did not end the call."""
