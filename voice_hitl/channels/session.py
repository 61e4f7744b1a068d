"""`VoiceSession`: one live call. It owns the task group and turns events into calls on its parts; nothing else."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import assert_never

import anyio
from anyio.abc import TaskGroup

from voice_hitl.calls.book import Book
from voice_hitl.calls.call import ToolCall
from voice_hitl.calls.going_on import GoingOn
from voice_hitl.channels.floor import Floor
from voice_hitl.channels.link import Link
from voice_hitl.channels.page import SessionPage
from voice_hitl.channels.playback import Playback
from voice_hitl.channels.told import Told
from voice_hitl.channels.voice_line import VoiceLine
from voice_hitl.channels.waiting import WaitingNotes
from voice_hitl.doors.pipeline import Pipeline
from voice_hitl.enums import Via
from voice_hitl.errors import ConnectionEnded
from voice_hitl.provider import (
    AudioOut,
    Connected,
    Delegated,
    GoingAway,
    PlaybackEnded,
    Provider,
    ProviderConfig,
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
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tasks import Job, Latch, Mailbox, Tasks, current_time, end_jobs
from voice_hitl.transport import (
    AudioIn,
    Digit,
    HangUpReason,
    HungUp,
    Leg,
    LegEvent,
    LegInfo,
    LegLost,
    Message,
    Played,
)

log = logging.getLogger(__name__)

MESSAGES_QUEUED = 256
"""How many messages to the page may wait for a leg that is slow to take them; the oldest go first."""

OBSERVERS_END_S = 1.0
"""How long the hooks that watch may take to end once the session has, before they are cancelled."""

MakePipeline = Callable[["VoiceSession"], Pipeline]
CloseRequests = Callable[[str], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSetup:
    """What a session is made of; its channel puts it together."""

    session_id: str
    room_id: str
    participant_id: str
    language: str
    provider: Provider
    config: ProviderConfig
    leg: Leg
    rejoin_s: float
    pipeline: MakePipeline
    open_requests: Callable[[str], list[PendingInput]]
    close_requests: CloseRequests
    asks_a_person: Callable[[str], bool]
    told: Callable[["VoiceSession"], Told]
    metadata: dict[str, object] = field(default_factory=dict[str, object])


class VoiceSession:
    """One live call: a leg, a link to the model, and what lies between. `RealtimeVoiceChannel` starts and ends it.

    `closed` is set once everything of it has ended.
    """

    def __init__(self, setup: SessionSetup) -> None:
        self._setup = setup
        self._leg = setup.leg
        self.closed = Latch()
        self.end_reason: HangUpReason | None = None
        self.tasks = Tasks(f"session {setup.session_id}")
        self.watching = Tasks(f"hooks of session {setup.session_id}")
        self.book = Book()
        self.floor = Floor()
        self.link = Link(setup.provider, setup.config, quiet=self._is_quiet)
        self.going_on = GoingOn()
        self._playback = Playback(setup.provider.capabilities.rate)
        self.line = VoiceLine(self, self.link, self.floor, setup.provider.capabilities)
        self._outbox: Mailbox[str] = Mailbox(limit=MESSAGES_QUEUED, droppable=lambda _text: True)
        self.page = SessionPage(
            self._outbox.put,
            now=lambda: datetime.now(UTC),
            reachable=lambda: self._leg.capabilities.messages,
            on_digit=self._digit,
        )
        self._told = setup.told(self)
        self.pipeline = setup.pipeline(self)
        self._notes = WaitingNotes(self.link, self.tasks)
        self._group: TaskGroup | None = None
        self._leg_scope = anyio.CancelScope()
        self._leg_is_lost = False
        self._ending: Job | None = None
        self._ended_by: ToolCall | None = None
        self._active_response: str | None = None

    # --- what an application sees ------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """Its id, unguessable."""
        return self._setup.session_id

    @property
    def room_id(self) -> str:
        """Its room."""
        return self._setup.room_id

    @property
    def participant_id(self) -> str:
        """Who is on the leg."""
        return self._setup.participant_id

    @property
    def language(self) -> str:
        """The language spoken in it."""
        return self._setup.language

    @property
    def metadata(self) -> dict[str, object]:
        """What the application gave it at its start."""
        return self._setup.metadata

    @property
    def info(self) -> LegInfo:
        """Where the call comes from."""
        return self._leg.info

    @property
    def open_requests(self) -> list[PendingInput]:
        """What people are being asked in this call now, oldest first."""
        return self._setup.open_requests(self.id)

    @property
    def leg_is_lost(self) -> bool:
        """Whether the far end has vanished and may still rejoin."""
        return self._leg_is_lost and self._ending is None

    async def inject(self, text: str, *, silent: bool = True) -> None:
        """Add a system line to what the model knows; not silent: and let it respond."""
        connection = await self.link.ready()
        await connection.inject(text, role="system", silent=silent)

    async def say(self, text: str) -> None:
        """Have these words spoken, out of band."""
        connection = await self.link.ready()
        await connection.say(text)

    # --- its life ----------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """The session's own task: pumps until it is ended. The link is open, the leg accepted."""
        async with anyio.create_task_group() as group:
            self._group = group
            self.page.call_state("live")
            self._told.started()
            group.start_soon(self._pump_provider)
            group.start_soon(self._pump_leg)
            group.start_soon(self._pump_outbox)
        await self.closed.wait()

    def rejoin(self, leg: Leg) -> None:
        """The same participant is back on a new leg: the call goes on, open cards open again."""
        old, self._leg = self._leg, leg
        self._leg_is_lost = False
        self._leg_scope.cancel()
        self._leg_scope = anyio.CancelScope()
        self._playback = Playback(self._setup.provider.capabilities.rate)
        self.tasks.spawn(old.aclose(), "closing the lost leg")
        if self._group is not None:
            self._group.start_soon(self._pump_leg)
        self.page.connected()
        self._told.rejoined()

    async def end(self, reason: HangUpReason) -> None:
        """End everything of it, and return when it has ended. From inside one of its own calls: everything but that."""
        self._begin_ending(reason)
        await self.closed.wait()

    def _begin_ending(self, reason: HangUpReason) -> None:
        if self._ending is None:
            self.end_reason = reason
            self._ended_by = self.pipeline.current_call()
            self._ending = Tasks(f"ending of session {self.id}").spawn(self._end(reason), "ending")

    async def _end(self, reason: HangUpReason) -> None:
        """Settle what is open, let users' code end, then let go of the leg and the model."""
        jobs = self.pipeline.end(but=self._ended_by)
        try:
            await self._setup.close_requests(self.id)
            await end_jobs(jobs, patience_s=0.0)
            self.page.call_state("ended", reason)
            self._told.ended(reason)
            if self._group is not None:
                self._group.cancel_scope.cancel()
            await self._last_messages()
            await self._leg.hang_up()
            await self._leg.aclose()
            await self.link.aclose()
        finally:
            self._outbox.close()
            await self.tasks.close(but=self.pipeline.jobs)
            await self.watching.close(patience_s=OBSERVERS_END_S)
            self.closed.set()

    async def _last_messages(self) -> None:
        """What is still to be told to the page goes out first, if the leg takes it at once."""
        while len(self._outbox):
            await self._leg.send_message(await self._outbox.get())

    # --- pumps -------------------------------------------------------------------------------------------------------

    async def _pump_provider(self) -> None:
        try:
            while True:
                event = await self.link.next()
                if event is None:
                    self._replaced()
                else:
                    await self._on_provider(event)
        except ConnectionEnded:
            failure = self.link.fatal
            if failure is not None:
                self._told.failed("provider", f"{failure.code}: {failure.message}")
            self._begin_ending("us" if failure is None else "lost")

    async def _pump_leg(self) -> None:
        leg = self._leg
        with self._leg_scope:
            try:
                while True:
                    await self._on_leg(await leg.events().get())
            except ConnectionEnded:
                if leg is self._leg and not self._leg_is_lost:
                    self._leg_lost()

    async def _pump_outbox(self) -> None:
        async for text in self._outbox:
            await self._leg.send_message(text)

    # --- the leg -----------------------------------------------------------------------------------------------------

    async def _on_leg(self, event: LegEvent) -> None:
        match event:
            case AudioIn(pcm):
                connection = self.link.connection
                if connection is not None:
                    connection.send_audio(pcm)
                if self.line.held is not None:
                    self.line.held.heard_frame(pcm, event.at)
            case Played():
                await self._played(event)
            case Message(text):
                self.tasks.spawn(self.page.handle(text, by=self.participant_id), "message of the page")
            case Digit(digit):
                self._digit(digit)
            case LegLost():
                self._leg_lost()
            case HungUp(reason):
                if reason == "lost":
                    self._leg_lost()
                else:
                    self._begin_ending(reason)
            case _:
                assert_never(event)

    def _leg_lost(self) -> None:
        if self._leg_is_lost or self._ending is not None:
            return
        self._leg_is_lost = True
        self._playback.speaking = False
        if self._setup.rejoin_s > 0:
            self.tasks.spawn(self._await_rejoin(self._leg), "waiting for the caller to rejoin")
        else:
            self._begin_ending("lost")

    async def _await_rejoin(self, lost: Leg) -> None:
        await anyio.sleep(self._setup.rejoin_s)
        if self._leg is lost:
            self._begin_ending("lost")

    async def _played(self, event: Played) -> None:
        if self.line.held is not None and self.line.held.played(event):
            return
        if self._playback.heard(event):
            self.line.voice_changed()
            await self._go_on()

    def _digit(self, digit: str) -> None:
        if self.line.held is not None:
            self.line.held.pressed(digit)
            return
        self._told.digit(digit, current_time())

    # --- the model ---------------------------------------------------------------------------------------------------

    async def _on_provider(self, event: ProviderEvent) -> None:  # noqa: C901, PLR0912 - one flat dispatch of a closed union
        match event:
            case AudioOut():
                self._model_said(event)
            case Transcript():
                self._transcript(event)
            case ResponseStarted():
                await self._response_started(event)
            case ResponseEnded(response_id, status):
                await self._response_ended(response_id, cut=status == "cancelled")
            case ToolCallStarted(call_id, name):
                if self._setup.asks_a_person(name):
                    self.page.preparing(call_id, name)
            case ToolCalled():
                self._called(event)
            case ToolCancelled(call_ids):
                self.pipeline.cancel(call_ids)
                await self._go_on()
            case SpeechStarted():
                await self._caller_speaks()
            case SpeechStopped():
                self.going_on.caller_speaks = False
                self._told.speech_ended(current_time())
                await self._go_on()
            case ProviderDigit(digit):
                self._digit(digit)
            case ProviderFailed():
                self._provider_failed(event)
            case TranscriptFailed():
                if self.line.held is not None:
                    self.line.held.not_transcribed()
            case Connected() | Resumed() | GoingAway() | UserItem() | PlaybackEnded():
                pass
            case Delegated():
                log.warning("the model delegated, and session %s has no reasoning backend", self.id)
            case _:
                assert_never(event)

    def _called(self, event: ToolCalled) -> None:
        call = self.pipeline.arrive(event.call_id, event.name, event.arguments, event.response_id)
        if call is not None:
            self.going_on.called(call.call_id, call.response_id)
            self.link.owe(call)

    def _transcript(self, event: Transcript) -> None:
        self.page.transcript(event.role, event.text, final=event.final, item=event.item_id)
        if event.final:
            self.link.said(event.role, event.text)
            self._told.transcribed(event)
            if event.role == "user" and self.line.held is not None:
                self.line.held.transcribed(event)

    def _model_said(self, audio: AudioOut) -> None:
        if self._leg_is_lost or (self.line.held is not None and self.line.held.model_said(audio)):
            return
        self._playback.play(audio, self._leg)
        self.line.voice_changed()

    async def _response_started(self, event: ResponseStarted) -> None:
        self._active_response = event.response_id
        self.going_on.response_started(event.response_id)
        self.line.voice_changed()
        held = self.line.held
        if held is not None and not held.response_started(event.response_id, ours=event.ours):
            # Nobody of ours asked for it while an asker has the floor: it is cancelled, its calls are not run.
            self.book.interrupted(event.response_id)
            connection = self.link.connection
            if connection is not None:
                await connection.interrupt(event.response_id)

    async def _response_ended(self, response_id: str, *, cut: bool) -> None:
        if cut:
            self.book.interrupted(response_id)
        if self._active_response == response_id:
            self._active_response = None
        self._playback.finish(self._leg)
        if self.line.held is not None:
            self.line.held.response_ended(response_id)
        self.line.voice_changed()
        self.going_on.response_ended(response_id)
        await self._go_on()

    async def _caller_speaks(self) -> None:
        """Barge-in: the voice stops in this tick; what was not heard leaves the model's memory. No wait is touched."""
        self.going_on.caller_speaks = True
        self._told.speech_started(current_time())
        if self.line.held is None:
            await self._barge_in()

    async def _barge_in(self) -> None:
        cut = self._playback.cut(self._leg)
        self.line.voice_changed()
        response_id = cut.response_id if cut is not None else self._active_response
        if cut is None and response_id is None:
            return
        if response_id == self._active_response and response_id is not None:
            self.book.interrupted(response_id)
        connection = self.link.connection
        if connection is None:
            return
        item_id, played_ms = (cut.item_id, cut.played_ms) if cut is not None else ("", 0.0)
        await connection.interrupt(response_id, item_id=item_id if played_ms else "", played_ms=played_ms)
        for unheard in cut.unheard if cut is not None else ():
            await connection.forget(unheard)
        if cut is not None:
            self._told.barge_in(cut.item_id, cut.played_ms)

    def _provider_failed(self, event: ProviderFailed) -> None:
        self._told.failed("provider", f"{event.code}: {event.message}")
        if event.fatal:
            self._begin_ending("lost")

    def _replaced(self) -> None:
        """A new connection stands: its responses are its own, the calls and requests are still open."""
        self._active_response = None
        self.going_on.forget_connection()
        self._notes.again()

    def _is_quiet(self) -> bool:
        return not (self.going_on.responding or self._playback.speaking or self.going_on.caller_speaks)

    async def _go_on(self) -> None:
        connection = self.link.connection
        if connection is None or self._setup.provider.capabilities.replies_to_results:
            return
        if self.going_on.take_due():
            await connection.respond()

    # --- its line (LineSession) --------------------------------------------------------------------------------------

    @property
    def leg(self) -> Leg:
        """The leg that carries the call now."""
        return self._leg

    @property
    def model_speaks(self) -> bool:
        """Whether the model responds, or its words are still being heard."""
        return self.going_on.responding or self._playback.speaking

    async def interrupt(self) -> None:
        """Stop the model's words: an asker takes the floor."""
        await self._barge_in()

    async def floor_changed(self, *, taken: bool) -> None:
        """An asker has the floor now, or the model again."""
        self.going_on.floor_taken = taken
        await self._go_on()

    def tell_asked(self, pending_id: str, asked_by: str) -> None:
        """Tell `ON_ASKED`."""
        self._told.asked(pending_id, asked_by)

    def tell_heard(self, pending_id: str, reading: Mapping[str, str], via: Via) -> None:
        """Tell `ON_HEARD`, and the page where it wants to know."""
        self._told.heard(pending_id, reading, via)

    # --- its calls (CallWatcher) -------------------------------------------------------------------------------------

    def asking(self, call: ToolCall, request: PendingInput) -> None:
        """A call waits for a person from here: the model is told, honestly, that nothing has been done."""
        self.going_on.asking(call.call_id, call.response_id)
        self._notes.add(call)
        self.tasks.spawn(self._go_on(), "going on")

    async def delivered(self, call: ToolCall) -> None:
        """An outcome is on its way to the model."""
        self.link.settle(call)
        if call.delivered_as == "text":
            self.going_on.owe()
        self.going_on.delivered(call.call_id, call.response_id)
        await self._go_on()

    def reported(self, call: ToolCall) -> None:
        """A call is over."""
        self.link.settle(call)
        self._notes.remove(call)
        self.page.prepared(call.call_id)
        self.going_on.dropped(call.call_id, call.response_id)
        if self._ending is None:
            self.tasks.spawn(self._go_on(), "going on")
