"""`Agent`: a model, its tools and those who serve them. What the sessions of a channel are made of, and held by."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Unpack, get_args

from voice_hitl.calls.book import Book
from voice_hitl.channels.channel_hooks import ChannelHooks
from voice_hitl.channels.declared import DeclaredTools, check_askers, check_names
from voice_hitl.channels.delegations import Delegations
from voice_hitl.channels.frontend_tools import FrontendTools
from voice_hitl.channels.letting_go import let_go
from voice_hitl.channels.options import LatePolicy, SessionOptions, SessionOverrides
from voice_hitl.channels.request_hooks import RequestHooks
from voice_hitl.channels.room_page import RoomPage
from voice_hitl.channels.session import SessionSetup, VoiceSession
from voice_hitl.channels.session_requests import SessionRequests
from voice_hitl.channels.spoken_calls import Hearing, SpokenCalls
from voice_hitl.channels.told import Told
from voice_hitl.doors.gate import Catalogue, Gate
from voice_hitl.doors.pipeline import CallWatcher, Door, Pipeline
from voice_hitl.doors.provider_call import ProviderCallDoor
from voice_hitl.doors.serving import Bounds, Origin, Servers
from voice_hitl.doors.spoken_call import SpokenCallDoor
from voice_hitl.errors import ProviderError
from voice_hitl.hooks import HookContext
from voice_hitl.human_input.timeouts import check_timeout
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.kit import Channel
from voice_hitl.provider import Provider, ProviderConfig
from voice_hitl.reasoning import ReasoningBackend
from voice_hitl.requests.pending import PendingInputEvent
from voice_hitl.tasks import Tasks
from voice_hitl.tools.context import Actor
from voice_hitl.tools.handler import ToolHandler
from voice_hitl.transport import Leg


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentParts:
    """What an agent is made of.

    Args:
        provider: The model.
        options: What its sessions are run with, unless said otherwise for one.
        human: The tools that ask a person.
        host: Who serves the other tools of one room, as it is now.
        bounds: How long they may take.
        tool_recovery: Whether a call that the model says is run.
        frontend_tools: Which tools the page in a call may offer; None: none.
        late_answers: What a conversation is told of an answer that comes after its call had ended.
        door: Makes of a door what its calls come through.
        reasoning: Who works on what the model hands over.
        reasoning_timeout_s: How long that may take while nobody is asked; None: no bound.
    """

    provider: Provider
    options: SessionOptions
    human: HumanInputToolHandler | None
    host: Callable[[str], ToolHandler | None]
    bounds: Bounds
    tool_recovery: bool
    frontend_tools: FrontendTools | None = None
    late_answers: LatePolicy = "inject"
    door: Callable[[Door, VoiceSession], Door] = lambda door, _session: door
    reasoning: ReasoningBackend | None = None
    reasoning_timeout_s: float | None = None

    def __post_init__(self) -> None:
        check_timeout(self.reasoning_timeout_s)
        if self.late_answers not in get_args(LatePolicy):
            known = " or ".join(map(repr, get_args(LatePolicy)))
            raise ValueError(f"late_answers is {known}, not {self.late_answers!r}")
        check_names(self.options.tools, self.human)
        check_askers(self.human, self.provider.capabilities)
        Catalogue(self.options.tools)  # a schema that does not compile is an error here, not in the first call


class Agent:
    """Makes sessions and holds them until they end.

    Args:
        channel: Whose agent it is.
        hooks: The channel's hooks.
        parts: What it is made of.
        actor: Whose turn it is now in a session; by default always its participant's.
    """

    def __init__(
        self,
        channel: Channel,
        hooks: ChannelHooks,
        parts: AgentParts,
        *,
        actor: Callable[[VoiceSession], Actor] | None = None,
    ) -> None:
        self.parts = parts
        self._channel = channel
        self._hooks = hooks
        self._actor = actor
        self._sessions: dict[str, VoiceSession] = {}
        self._watching = Tasks(f"hooks of channel {channel.id}")
        request_hooks = RequestHooks(
            channel_type=channel.channel_type,
            hooks=hooks.now,
            context=lambda session_id, room_id: hooks.context(room_id, self._sessions.get(session_id)),
            watching=self._watching_requests,
            late=self._tell_late,
        )
        human = parts.human
        self._declared = DeclaredTools(channel.id, human, lambda: request_hooks.listens)
        self._registration = human.handler.register_channel(channel.id, request_hooks) if human is not None else None

    @property
    def sessions(self) -> tuple[VoiceSession, ...]:
        """The calls that are up, oldest first."""
        return tuple(self._sessions.values())

    def session(
        self,
        *,
        room_id: str,
        participant_id: str,
        leg: Leg,
        rejoin_s: float = 0.0,
        options: SessionOptions | None = None,
        metadata: Mapping[str, object] | None = None,
        shared_page: Callable[[VoiceSession], RoomPage] | None = None,
    ) -> VoiceSession:
        """Put a session together: not open yet. It is held from when it is `run`."""
        options = options or self.parts.options
        session_id = secrets.token_urlsafe(12)
        return VoiceSession(
            SessionSetup(
                session_id=session_id,
                room_id=room_id,
                participant_id=participant_id,
                options=options,
                provider=self.parts.provider,
                config=ProviderConfig(
                    instructions=options.system_prompt,
                    voice=options.voice,
                    language=options.language,
                    metadata=dict(metadata or {}),
                    hosted_call_id=leg.info.call_id if leg.capabilities.hosted else "",
                ),
                leg=leg,
                rejoin_s=rejoin_s,
                requests=SessionRequests(self.parts.human, session_id),
                pipeline=self._pipeline,
                spoken_calls=self._spoken_calls,
                delegations=self._delegations,
                told=self._told,
                frontend_tools=self.parts.frontend_tools,
                declare=self._declare_again,
                shared_page=shared_page,
                metadata=dict(metadata or {}),
            )
        )

    async def open(self, session: VoiceSession, check: Callable[[], None]) -> None:
        """Connect it to the model; what fails meanwhile, `check` included, leaves no connection behind.

        Raises:
            ProviderError: The model cannot be reached.
            Exception: Whatever `check` raises, once it is connected.
        """
        try:
            await session.link.open()
            check()
        except BaseException:
            await let_go("closing the connection of a call that could not be set up", session.link.aclose)
            raise

    def run(self, session: VoiceSession, tasks: Tasks) -> None:
        """Hold an open session, and have it served until it has ended."""
        self._sessions[session.id] = session
        tasks.spawn(self._run(session), f"session {session.id}")

    async def _run(self, session: VoiceSession) -> None:
        try:
            await session.run()
        finally:
            self._sessions.pop(session.id, None)

    # --- putting a session together ----------------------------------------------------------------------------------

    def _pipeline(self, session: VoiceSession) -> Pipeline:
        gate = self._gate(session)
        session.link.declare(gate.catalogue.definitions)
        door = ProviderCallDoor(session.outputs.send)
        return self._through(session, self.parts.door(door, session), session.book, gate)

    def _gate(self, session: VoiceSession) -> Gate:
        tools = session.page.tools
        return self._declared.gate(session.options, session, tools.declared() if tools is not None else ())

    def _spoken_calls(self, session: VoiceSession, hearing: Hearing) -> SpokenCalls:
        book, door = Book(), SpokenCallDoor(session.outputs.inject)
        return SpokenCalls(
            hearing=hearing,
            link=session.link,
            pipeline=self._through(session, self.parts.door(door, session), book, session.pipeline.gate),
            gate=lambda: session.pipeline.gate,
            interrupted=session.book,
            own_book=book,
            asks_a_person=session.asks_a_person,
            go_on=session.calls.owe,
            enabled=self.parts.tool_recovery,
        )

    def _delegations(self, session: VoiceSession) -> Delegations:
        return Delegations(
            backend=self.parts.reasoning,
            timeout_s=self.parts.reasoning_timeout_s,
            session=session,
            link=session.link,
            gate=lambda: session.pipeline.gate,
            refused=lambda: self._declared.refused(session.options, session.pipeline.gate),
            pipeline=lambda door, book, gate, watcher: self._through(session, door, book, gate, watcher),
            told=self._told(session),
            tasks=session.tasks,
        )

    def _through(
        self, session: VoiceSession, door: Door, book: Book, gate: Gate, watcher: CallWatcher | None = None
    ) -> Pipeline:
        """A way for calls to run. `watcher`: who follows them, where their outcomes do not go to the model itself."""
        return Pipeline(
            book=book,
            door=door,
            gate=gate,
            origin=Origin(
                channel_id=self._channel.id,
                channel_type=self._channel.channel_type,
                room_id=session.room_id,
                session_id=session.id,
                actor=self._whose_turn(session),
            ),
            servers=Servers(
                human=self.parts.human,
                page=session.page.tools,
                host=lambda: self.parts.host(session.room_id),
                bounds=self.parts.bounds,
                session=session,
                max_chars=self.parts.provider.capabilities.max_result_chars if watcher is None else None,
            ),
            hooks=self._hooks.now,
            hook_context=self._context(session),
            tasks=session.tasks,
            watching=session.watching,
            watcher=watcher or session.calls,
        )

    def _whose_turn(self, session: VoiceSession) -> Callable[[], Actor]:
        if self._actor is not None:
            return partial(self._actor, session)
        participant = Actor(session.participant_id)
        return lambda: participant

    def _told(self, session: VoiceSession) -> Told:
        return Told(
            hooks=self._hooks.now,
            context=self._context(session),
            channel_id=self._channel.id,
            channel_type=self._channel.channel_type,
            room_id=session.room_id,
            session_id=session.id,
            participant_id=session.participant_id,
            watching=session.watching,
        )

    def _context(self, session: VoiceSession) -> HookContext:
        return self._hooks.context(session.room_id, session)

    def _watching_requests(self, session_id: str) -> Tasks:
        session = self._sessions.get(session_id)
        return self._watching if session is None else session.watching

    # --- answers that come late --------------------------------------------------------------------------------------

    def _tell_late(self, event: PendingInputEvent, words: str) -> bool:
        policy, session = self.parts.late_answers, self._where_it_goes_on(event)
        if policy == "drop" or session is None:
            return False
        session.tell_late(words, aloud=policy == "speak")
        return True

    def _where_it_goes_on(self, event: PendingInputEvent) -> VoiceSession | None:
        """The session that asked; where that is over, another call in its room of the person whose turn it was."""
        going_on = [session for session in self._sessions.values() if session.end_reason is None]
        asked = (session for session in going_on if session.id == event.session_id)
        back = (
            session
            for session in going_on
            if event.actor_id is not None
            and (session.room_id, session.participant_id) == (event.room_id, event.actor_id)
        )
        return next(asked, next(back, None))

    # --- changing and ending -----------------------------------------------------------------------------------------

    async def reconfigure(self, session: VoiceSession, **overrides: Unpack[SessionOverrides]) -> None:
        """Change what a running session is run with; what is not named stays as it has it.

        Raises:
            TypeError: An override that does not exist.
            ValueError: Tools that cannot be declared.
            ProviderError: The provider refuses it: everything stays as it was.
            ConnectionEnded: The session is over.
        """
        async with session.changing:
            before = session.options, session.pipeline.gate
            options = replace(session.options, **overrides)
            check_names(options.tools, self.parts.human)
            session.options = options
            try:
                session.pipeline.gate = gate = self._gate(session)
                await session.link.reconfigure(
                    replace(
                        session.link.config,
                        instructions=options.system_prompt,
                        voice=options.voice,
                        language=options.language,
                        tools=gate.catalogue.definitions,
                    )
                )
            except (ProviderError, ValueError):
                session.options, session.pipeline.gate = before
                raise

    async def _declare_again(self, session: VoiceSession) -> None:
        """Tell the model of the tools of the page as they are now."""
        async with session.changing:
            session.pipeline.gate = gate = self._gate(session)
            await session.link.reconfigure(replace(session.link.config, tools=gate.catalogue.definitions))

    def open_room(self, room_id: str) -> None:
        """Take requests in a room, which may have been left before."""
        if self.parts.human is not None:
            self.parts.human.handler.attach_room(room_id, channel_id=self._channel.id)

    async def close_room(self, room_id: str) -> None:
        """Settle every request of a room, and take no more there."""
        if self.parts.human is not None:
            await self.parts.human.handler.close(
                channel_id=self._channel.id, room_id=room_id, registration=self._registration
            )

    async def close_requests(self) -> None:
        """Settle every request that came through its sessions, and take no more."""
        if self.parts.human is not None and self._registration is not None:
            await self.parts.human.handler.close(channel_id=self._channel.id, registration=self._registration)

    async def close(self) -> None:
        """Wait for the hooks that watch its requests, a second at most."""
        await self._watching.close(patience_s=1.0)
