"""What comes from the caller's leg and from the model, as calls on a session's parts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from voice_hitl.calls.book import Book
from voice_hitl.channels.call_page import CallPage
from voice_hitl.channels.delegations import Delegations
from voice_hitl.channels.open_calls import OpenCalls
from voice_hitl.channels.outputs import Outputs
from voice_hitl.channels.room_page import RoomPage
from voice_hitl.channels.session_requests import SessionRequests
from voice_hitl.channels.spoken_calls import SpokenCalls
from voice_hitl.channels.told import Told
from voice_hitl.channels.voices import Voices
from voice_hitl.doors.pipeline import Pipeline
from voice_hitl.provider import (
    AudioOut,
    Connected,
    Delegated,
    GoingAway,
    PlaybackEnded,
    ProviderDigit,
    ProviderEvent,
    ProviderFailed,
    ResponseEnded,
    ResponseStarted,
    Resumed,
    SpeechStarted,
    SpeechStopped,
    ToolCalled,
    ToolCallStarted,
    ToolCancelled,
    Transcript,
    TranscriptFailed,
    UserItem,
)
from voice_hitl.tasks import Tasks
from voice_hitl.transport import (
    AudioIn,
    Digit,
    HungUp,
    LegEvent,
    LegLost,
    Message,
    PersonJoined,
    PersonLeft,
    PersonSpeaks,
    Played,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEvents:
    """Tells each part of a session what concerns it.

    Args:
        participant_id: Who is on the leg.
        language: What is spoken in it, as it is now.
        people: The pages of those who share the leg, where several do.
        tasks: Runs what an event begins.
        provider_failed: Is told that the model's provider reported a failure.
    """

    participant_id: str
    language: Callable[[], str]
    book: Book
    calls: OpenCalls
    delegations: Delegations
    outputs: Outputs
    page: CallPage
    people: RoomPage | None
    pipeline: Pipeline
    requests: SessionRequests
    spoken_calls: SpokenCalls
    tasks: Tasks
    told: Told
    voices: Voices
    provider_failed: Callable[[ProviderFailed], None]

    def on_leg(self, event: LegEvent) -> None:
        """Something came from the caller's leg."""
        match event:
            case AudioIn():
                self.voices.caller_said(event)
            case Played():
                self.voices.played(event)
            case Message(text, _, by):
                self.tasks.spawn(self.page.handle(text, by=by or self.participant_id), "message of the page")
            case Digit(digit, _, _, by):
                self.voices.pressed(digit, by)
            case PersonSpeaks():
                self.voices.person_speaks(event)
            case PersonJoined(by):
                if self.people is not None:
                    self.people.joined(by)
            case PersonLeft(by):
                # In its turn behind what they sent last.
                self.tasks.spawn(self._left(by), f"{by} left")
            case LegLost() | HungUp():
                pass  # the caller's leg sees to it
            case _:
                assert_never(event)

    def on_model(self, event: ProviderEvent) -> None:  # noqa: C901, PLR0912 - one flat dispatch of a closed union
        """Something came from the model."""
        match event:
            case AudioOut():
                self.spoken_calls.said(event)
            case Transcript(role="assistant"):
                self.spoken_calls.heard(event)
            case Transcript():
                self.transcript(event)
            case TranscriptFailed(item_id):
                self.voices.not_transcribed(item_id)
            case ResponseStarted():
                self.voices.response_started(event)
                self.spoken_calls.response_started(event.response_id)
            case ResponseEnded(response_id, status):
                self.voices.response_ended(response_id, cancelled=status == "cancelled")
                self.spoken_calls.response_ended(response_id)
            case ToolCallStarted(call_id, name):
                if self.book.find(call_id) is None:
                    self.calls.begun(call_id, name)
            case ToolCalled(call_id, name, arguments, response_id):
                was_said = self.spoken_calls.twin(call_id, name, arguments, response_id)
                call = None if was_said else self.pipeline.arrive(call_id, name, arguments, response_id)
                self.calls.called(call, call_id)
            case ToolCancelled(call_ids):
                self.pipeline.cancel(call_ids)
            case SpeechStarted(item_id):
                self.voices.caller_speaks(item_id)
            case SpeechStopped(item_id):
                self.voices.caller_ceases(item_id)
            case ProviderDigit(digit):
                self.voices.pressed(digit)
            case ProviderFailed():
                self.provider_failed(event)
            case Resumed(calls_kept):
                self.book.reconnected(calls_kept)
                self.outputs.kept(calls_kept)
            case PlaybackEnded(item_id):
                self.voices.playback_ended(item_id)
            case Connected() | GoingAway() | UserItem():
                pass
            case Delegated():
                self.delegations.delegated(event)
            case _:
                assert_never(event)

    def transcript(self, event: Transcript) -> None:
        """What somebody said, as far as it is known to be speech."""
        if event.role == "assistant" and self.voices.was_unheard(event):
            return
        self.page.transcript(event.role, event.text, final=event.final, item=event.item_id)
        if event.final and event.text:
            self.outputs.said(event.role, event.text)
            self.told.transcribed(event)
            self.delegations.heard(event)
            if event.role == "user":
                # Else it is an asker's, or nobody's in particular.
                if self.voices.line.held is None and self.people is None:
                    self.requests.heard(event.text, self.language())
                self.voices.transcribed(event)
            else:
                self.voices.model_transcribed(event)
        elif event.final and event.role == "user":
            self.voices.not_transcribed(event.item_id)

    def replaced(self, *, resumes: bool) -> None:
        """Another connection to the model stands; `resumes`: it goes on with what the last one knew."""
        if not resumes:
            self.book.reconnected()
        self.voices.replaced()
        self.calls.replaced()
        self.spoken_calls.replaced()
        self.delegations.replaced()

    async def _left(self, participant: str) -> None:
        if self.people is not None:
            self.people.left(participant)
        self.requests.withdraw_from(participant)
