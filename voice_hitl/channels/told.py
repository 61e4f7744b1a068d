"""What a session's hooks are told, apart from its tool calls and requests."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from voice_hitl.enums import ChannelType, HookTrigger, Via
from voice_hitl.events import (
    AskedEvent,
    BargeInEvent,
    DigitEvent,
    ErrorEvent,
    HeardEvent,
    HookEvent,
    ParticipantEvent,
    SessionEvent,
    SpeechEvent,
    TranscriptionEvent,
)
from voice_hitl.hooks import HookContext, Hooks
from voice_hitl.provider import Transcript
from voice_hitl.tasks import Tasks


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Tells the hooks of one session. `watching` runs them, off the path; the session lets it end before it is closed.

    `hooks` is asked each time, because a channel may be bound to a kit while it has sessions.
    """

    hooks: Callable[[], Hooks]
    context: HookContext
    channel_id: str
    channel_type: ChannelType
    room_id: str
    session_id: str
    participant_id: str
    watching: Tasks

    def started(self) -> None:
        """The session stands."""
        self._tell(HookTrigger.ON_SESSION_STARTED, self._session_event())

    def ended(self, reason: str) -> None:
        """The session is over."""
        self._tell(HookTrigger.ON_SESSION_ENDED, self._session_event(reason))

    def rejoined(self) -> None:
        """The caller is back on a new leg."""
        event = ParticipantEvent(
            channel_id=self.channel_id,
            channel_type=self.channel_type,
            room_id=self.room_id,
            session_id=self.session_id,
            participant_id=self.participant_id,
        )
        self._tell(HookTrigger.ON_PARTICIPANT_JOINED, event)

    def transcribed(self, line: Transcript) -> None:
        """Something was said and is final."""
        if not self._listens(HookTrigger.ON_TRANSCRIPTION):
            return
        event = TranscriptionEvent(
            channel_id=self.channel_id,
            channel_type=self.channel_type,
            room_id=self.room_id,
            session_id=self.session_id,
            participant_id=(self.participant_id or None) if line.role == "user" else None,
            role=line.role,
            text=line.text,
            item_id=line.item_id,
            confidence=line.confidence,
        )
        self._tell(HookTrigger.ON_TRANSCRIPTION, event)

    def speech_started(self, at: float, by: str = "") -> None:
        """The caller, or this one of several, begins to speak."""
        self._speech(HookTrigger.ON_SPEECH_STARTED, at, by)

    def speech_ended(self, at: float, by: str = "") -> None:
        """The caller, or this one of several, stops."""
        self._speech(HookTrigger.ON_SPEECH_ENDED, at, by)

    def barge_in(self, item_id: str, played_ms: float, by: str = "") -> None:
        """The caller, or this one of several, spoke into the model's words."""
        event = BargeInEvent(
            channel_id=self.channel_id,
            channel_type=self.channel_type,
            room_id=self.room_id,
            session_id=self.session_id,
            item_id=item_id,
            played_ms=played_ms,
            participant_id=by or self.participant_id or None,
        )
        self._tell(HookTrigger.ON_BARGE_IN, event)

    def digit(self, digit: str, at: float, by: str = "") -> None:
        """A key was pressed that no open request took."""
        event = DigitEvent(
            channel_id=self.channel_id,
            channel_type=self.channel_type,
            room_id=self.room_id,
            session_id=self.session_id,
            participant_id=by or self.participant_id or None,
            digit=digit,
            at=at,
        )
        self._tell(HookTrigger.ON_DIGIT, event)

    def asked(self, pending_id: str, asked_by: str) -> None:
        """A prompt was put to the caller."""
        if not self._listens(HookTrigger.ON_ASKED):
            return
        event = AskedEvent(
            channel_id=self.channel_id,
            channel_type=self.channel_type,
            room_id=self.room_id,
            session_id=self.session_id,
            pending_id=pending_id,
            question=None,
            asked_by=asked_by,
        )
        self._tell(HookTrigger.ON_ASKED, event)

    def heard(self, pending_id: str, reading: Mapping[str, str], via: Via) -> None:
        """Something was read as an answer, or not."""
        if not self._listens(HookTrigger.ON_HEARD):
            return
        event = HeardEvent(
            channel_id=self.channel_id,
            channel_type=self.channel_type,
            room_id=self.room_id,
            session_id=self.session_id,
            pending_id=pending_id,
            text=reading.get("text", ""),
            reading=" ".join(filter(None, (reading.get("reading"), reading.get("value")))),
            why=reading.get("why", ""),
            via=via,
        )
        self._tell(HookTrigger.ON_HEARD, event)

    def failed(self, source: str, message: str) -> None:
        """Something failed that may or may not end the call."""
        event = ErrorEvent(
            channel_id=self.channel_id,
            channel_type=self.channel_type,
            room_id=self.room_id,
            session_id=self.session_id,
            source=source,
            message=message,
        )
        self._tell(HookTrigger.ON_ERROR, event)

    def _session_event(self, reason: str = "") -> SessionEvent:
        return SessionEvent(
            channel_id=self.channel_id,
            channel_type=self.channel_type,
            room_id=self.room_id,
            session_id=self.session_id,
            participant_id=self.participant_id,
            reason=reason,
        )

    def _speech(self, trigger: HookTrigger, at: float, by: str) -> None:
        if not self._listens(trigger):
            return
        event = SpeechEvent(
            channel_id=self.channel_id,
            channel_type=self.channel_type,
            room_id=self.room_id,
            session_id=self.session_id,
            participant_id=by or self.participant_id or None,
            at=at,
        )
        self._tell(trigger, event)

    def _listens(self, trigger: HookTrigger) -> bool:
        return self.hooks().listens(trigger, self.channel_type)

    def _tell(self, trigger: HookTrigger, event: HookEvent) -> None:
        self.hooks().tell(trigger, event, self.context, self.watching)
