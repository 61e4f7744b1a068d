"""`VoiceSession`: one live call. It owns the task group, puts its parts together, and ends them; nothing else."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import anyio
import anyio.lowlevel

from voice_hitl.asker import SaidLine
from voice_hitl.calls.book import Book
from voice_hitl.channels.call_page import CallPage
from voice_hitl.channels.callers_leg import CallersLeg
from voice_hitl.channels.delegations import Delegations
from voice_hitl.channels.floor import Floor
from voice_hitl.channels.frontend_tools import FrontendTools
from voice_hitl.channels.letting_go import let_go
from voice_hitl.channels.link import Link
from voice_hitl.channels.open_calls import OpenCalls
from voice_hitl.channels.options import SessionOptions
from voice_hitl.channels.outputs import Outputs
from voice_hitl.channels.page import SessionPage
from voice_hitl.channels.page_tools import PageTools
from voice_hitl.channels.room_page import RoomPage
from voice_hitl.channels.session_events import SessionEvents
from voice_hitl.channels.session_requests import SessionRequests
from voice_hitl.channels.spoken_calls import Hearing, SpokenCalls
from voice_hitl.channels.told import Told
from voice_hitl.channels.voice_line import VoiceLine
from voice_hitl.channels.voices import Voices
from voice_hitl.doors.pipeline import Pipeline
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.provider import Provider, ProviderConfig, ProviderConnection, ProviderFailed, Transcript
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tasks import Job, Latch, Tasks, current_job, end_jobs, waiting_for_an_end
from voice_hitl.transport import HangUpReason, Leg, LegEvent, LegInfo

log = logging.getLogger(__name__)

SAID_LAST = 6
"""How many lines `said_last` has."""

OBSERVERS_END_S = 1.0
"""How long the hooks that watch may take to end once the session has, before they are cancelled."""

PARTING_S = 10.0
"""How long the last words of a call may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSetup:
    """What a session is made of; its channel puts it together."""

    session_id: str
    room_id: str
    participant_id: str
    options: SessionOptions
    provider: Provider
    config: ProviderConfig
    leg: Leg
    rejoin_s: float
    requests: SessionRequests
    pipeline: Callable[["VoiceSession"], Pipeline]
    spoken_calls: Callable[["VoiceSession", Hearing], SpokenCalls]
    delegations: Callable[["VoiceSession"], Delegations]
    told: Callable[["VoiceSession"], Told]
    frontend_tools: FrontendTools | None
    declare: Callable[["VoiceSession"], Awaitable[None]]
    shared_page: Callable[["VoiceSession"], RoomPage] | None = None
    """The pages of those who share the leg, where several do; else there is the caller's one page."""
    metadata: dict[str, object] = field(default_factory=dict[str, object])


class VoiceSession:
    """One live call: a leg, a link to the model, and what lies between. `RealtimeVoiceChannel` starts and ends it.

    `closed` is set once everything of it has ended.
    """

    def __init__(self, setup: SessionSetup) -> None:
        capabilities = setup.provider.capabilities
        self._setup = setup
        self.options = setup.options
        self.closed = Latch()
        self.changing = anyio.Lock(fast_acquire=True)
        """Held while its options, its gate and what the model is told of them change: one change at a time."""
        self.end_reason: HangUpReason | None = None
        self.tasks = Tasks(f"session {setup.session_id}")
        self.watching = Tasks(f"hooks of session {setup.session_id}")
        self.book = Book()
        self._stop = Latch()
        self._inside: set[Job] = set()
        self._caller = CallersLeg(
            setup.leg,
            rejoin_s=setup.rejoin_s,
            tasks=self.tasks,
            on_event=self._on_leg,
            on_lost=self._leg_lost,
            on_gone=self.begin_ending,
        )
        self._people = setup.shared_page(self) if setup.shared_page is not None else None
        self.page: CallPage = self._people or self._callers_page()
        self.link = Link(
            setup.provider,
            setup.config,
            tasks=self.tasks,
            quiet=lambda: self._voices.is_quiet,
            carried_over=self._carried_over,
            prepare=self._hold_again,
        )
        self.outputs = Outputs(self.link, capabilities)
        self.floor = Floor(on_return=self._go_on)
        self.calls = OpenCalls(
            link=self.link,
            capabilities=capabilities,
            outputs=self.outputs,
            page=self.page,
            floor=self.floor,
            tasks=self.tasks,
            asks_a_person=self.asks_a_person,
        )
        self._told = setup.told(self)
        self._voices = Voices(
            link=self.link,
            capabilities=capabilities,
            caller=self._caller,
            calls=self.calls,
            book=self.book,
            floor=self.floor,
            told=self._told,
            requests=setup.requests,
            aside_told=lambda said: self._delegations.heard(Transcript("user", said, final=True, item_id="")),
        )
        self.pipeline = setup.pipeline(self)
        self._spoken_calls = setup.spoken_calls(
            self,
            Hearing(
                show=self._transcript,
                play=self._voices.model_said,
                drop=self._voices.drop_from,
                is_held=lambda: self.line.held is not None,
            ),
        )
        self._delegations = setup.delegations(self)
        self._events = SessionEvents(
            participant_id=setup.participant_id,
            language=lambda: self.language,
            book=self.book,
            calls=self.calls,
            delegations=self._delegations,
            outputs=self.outputs,
            page=self.page,
            people=self._people,
            pipeline=self.pipeline,
            requests=setup.requests,
            spoken_calls=self._spoken_calls,
            tasks=self.tasks,
            told=self._told,
            voices=self._voices,
            provider_failed=self._provider_failed,
        )

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
    def participants(self) -> tuple[str, ...]:
        """Everybody in it now: who is on the leg, or who is in the room of a conference."""
        return self._people.participants if self._people is not None else (self.participant_id,)

    @property
    def language(self) -> str:
        """The language spoken in it."""
        return self.options.language

    @property
    def metadata(self) -> dict[str, object]:
        """What the application gave it at its start."""
        return self._setup.metadata

    @property
    def info(self) -> LegInfo:
        """Where the call comes from."""
        return self._caller.leg.info

    @property
    def open_requests(self) -> list[PendingInput]:
        """What people are being asked in this call now, oldest first."""
        return self._setup.requests.open

    @property
    def said_last(self) -> tuple[SaidLine, ...]:
        """What was said last, oldest first: a request that outlives its call is kept with it."""
        said = [SaidLine(line.role, line.text) for line in self.outputs.history if line.role != "system"]
        return tuple(said[-SAID_LAST:])

    @property
    def line(self) -> VoiceLine:
        """The caller's line, for whoever asks aloud."""
        return self._voices.line

    @property
    def leg_is_lost(self) -> bool:
        """Whether the far end has vanished and may still rejoin."""
        return self._caller.is_lost and self.end_reason is None

    def asks_a_person(self, tool_name: str) -> bool:
        """Whether calls of this tool wait for a person, or for the page in front of one."""
        tools = self.page.tools
        return self._setup.requests.asks(tool_name) or (tools is not None and tools.serves(tool_name))

    async def inject(self, text: str, *, silent: bool = True) -> None:
        """Add a system line to what the model knows; not silent: and let it respond.

        Raises:
            ConnectionEnded: The session is over.
            ProviderError: The provider refuses it.
        """
        connection = await self.link.ready()
        await connection.inject(text, role="system", silent=silent)

    async def say(self, text: str) -> None:
        """Have these words spoken, out of band; raises as `inject` does."""
        connection = await self.link.ready()
        await connection.say(text)

    def _callers_page(self) -> SessionPage:
        page = SessionPage(
            self._caller.send_message,
            now=lambda: datetime.now(UTC),
            reachable=lambda: self._caller.leg.capabilities.messages,
            on_digit=self.pressed,
        )
        rules = self._setup.frontend_tools
        if rules is not None:
            page.tools = PageTools(
                rules.human,
                why_not=lambda name: rules.why_not(name, self.options),
                declare=lambda: self._setup.declare(self),
                send=page.send,
                called=page.prepared_tool,
                now=lambda: datetime.now(UTC),
                tasks=self.tasks,
            )
        return page

    def pressed(self, digit: str, by: str = "") -> None:
        """A key was pressed: the caller's, or that of one of those who share the leg."""
        self._voices.pressed(digit, by)

    # --- its life ----------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """The session's own task: serves until it is ended, then lets everything go. The link is open."""
        async with anyio.create_task_group() as group:
            self.page.call_state("live")
            self._told.started()
            group.start_soon(self._serve_model)
            group.start_soon(self._serve_caller)
            await self._stop.wait()
            # The page still hears what becomes of its cards, and the model of nothing more.
            await self._setup.requests.close()
            await end_jobs([job for job in self._call_jobs if job not in self._inside], patience_s=0.0)
            group.cancel_scope.cancel()
        await self._let_go()
        self.closed.set()

    async def _let_go(self) -> None:
        reason = self.end_reason or "us"
        self.page.call_state("ended", reason)
        self._told.ended(reason)
        await self._caller.close()
        await let_go("closing the connection to the model", self.link.aclose)
        await self.tasks.close(but=[*self._call_jobs, *self._inside])
        # A hook that ends the very session it hears of is inside it from its first step on.
        await anyio.lowlevel.checkpoint()
        await self.watching.close(patience_s=OBSERVERS_END_S, but=self._inside)

    def rejoin(self, leg: Leg) -> None:
        """The same participant is back on a new leg: the call goes on, open cards open again."""
        self._caller.rejoin(leg)
        self.page.connected()
        self._told.rejoined()

    async def end(self, reason: HangUpReason) -> None:
        """End everything of it, and return when it has ended. From inside one of its own calls: everything but that."""
        self.begin_ending(reason)
        with waiting_for_an_end():
            await self.closed.wait()

    def part(self) -> None:
        """End it once what is queued was heard; returns at once."""
        if self.end_reason is None:
            self.tasks.spawn(self._part(), "hanging up after the last words")

    async def _part(self) -> None:
        with anyio.move_on_after(PARTING_S):
            await self._caller.leg.hang_up(after="playout")
        self.begin_ending("us")

    def begin_ending(self, reason: HangUpReason) -> None:
        """Settle everything that is open, in this tick, and have the rest end. Only the first reason counts.

        The call, or the hook, from inside which this is called is left to run to its end.
        """
        job = current_job()
        if job is not None:
            self._inside.add(job)
        if self.end_reason is not None:
            return
        self.end_reason = reason
        self.calls.end()
        self._setup.requests.withdraw()
        self.pipeline.end(but=self.pipeline.current_call())
        self._spoken_calls.end()
        self._delegations.end()
        self._stop.set()

    @property
    def _call_jobs(self) -> list[Job]:
        return [*self.pipeline.jobs, *self._spoken_calls.pipeline.jobs, *self._delegations.jobs]

    def tell_late(self, words: str, *, aloud: bool) -> None:
        """Tell the model of an answer that came after its call had ended; `aloud`: and let it speak of it."""
        if not self.tasks.closed:
            self.tasks.spawn(self._tell_late(words, aloud), "telling the model of a late answer")

    async def _tell_late(self, words: str, aloud: bool) -> None:
        try:
            await self.outputs.inject(words)
        except (ConnectionEnded, ProviderError) as error:
            log.info("session %s: the model could not be told of a late answer: %s", self.id, error)
            return
        self.outputs.said("system", words)
        if aloud:
            self.calls.owe()

    # --- who it serves -----------------------------------------------------------------------------------------------

    async def _serve_model(self) -> None:
        try:
            while True:
                event = await self.link.next()
                if event is None:
                    self._events.replaced(resumes=self._setup.provider.capabilities.resumes != "none")
                else:
                    self._events.on_model(event)
        except ConnectionEnded:
            if self.end_reason is None and self.link.fatal is not None:
                self._provider_failed(self.link.fatal)
        except Exception as error:
            log.exception("session %s: the provider's connection failed", self.id)
            self._told.failed("provider", f"{type(error).__name__}: {error}")
        self.begin_ending("lost")

    async def _serve_caller(self) -> None:
        try:
            await self._caller.serve()
        except Exception as error:
            log.exception("session %s: the leg failed", self.id)
            self._told.failed("transport", f"{type(error).__name__}: {error}")
            self.begin_ending("lost")

    def _provider_failed(self, event: ProviderFailed) -> None:
        self._told.failed("provider", f"{event.code}: {event.message}")
        if event.fatal:
            self.begin_ending("lost")

    # --- between its parts -------------------------------------------------------------------------------------------

    def _on_leg(self, event: LegEvent) -> None:
        self._events.on_leg(event)

    def _leg_lost(self) -> None:
        self._voices.leg_lost()

    def _transcript(self, line: Transcript) -> None:
        self._events.transcript(line)

    def _go_on(self) -> None:
        self.calls.go_on()

    def _carried_over(self) -> dict[str, object]:
        return {**self.outputs.carried_over(), "held": self.line.held is not None and self.line.can_be_told}

    async def _hold_again(self, connection: ProviderConnection) -> None:
        await self._voices.hold_again(connection)
