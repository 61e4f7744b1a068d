"""`RealtimeVoiceChannel`: an agent on the phone or in a browser, one caller a session."""

import logging
import secrets
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Unpack

import anyio

from voice_hitl.calls.book import Book
from voice_hitl.channels.declared import DeclaredTools, check_askers, check_names
from voice_hitl.channels.letting_go import let_go
from voice_hitl.channels.on_call import OnCall, decide
from voice_hitl.channels.options import SessionOptions, SessionOverrides
from voice_hitl.channels.request_hooks import RequestHooks
from voice_hitl.channels.session import SessionSetup, VoiceSession
from voice_hitl.channels.session_requests import SessionRequests
from voice_hitl.channels.spoken_calls import Hearing, SpokenCalls
from voice_hitl.channels.told import Told
from voice_hitl.doors.gate import Catalogue, Gate
from voice_hitl.doors.pipeline import Door, Pipeline
from voice_hitl.doors.provider_call import ProviderCallDoor
from voice_hitl.doors.serving import Bounds, Origin, Servers
from voice_hitl.doors.spoken_call import SpokenCallDoor
from voice_hitl.enums import ChannelType
from voice_hitl.errors import InvalidOffer, ProviderError
from voice_hitl.hooks import HookContext, Hooks
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.provider import Provider, ProviderConfig
from voice_hitl.tasks import Latch, Tasks
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler
from voice_hitl.tools.policy import ToolPolicy
from voice_hitl.transport import CallRejected, HangUpReason, Incoming, Leg, Transport

log = logging.getLogger(__name__)

TOOL_TIMEOUT_S = 10.0
REJOIN_S = 15.0


class RealtimeVoiceChannel:
    """Answers calls with a speech-to-speech model whose tools may ask a person.

    Args:
        id: Its id, unique in a kit.
        provider: The model, or a local pipeline that behaves as one.
        transport: Where calls come in.
        system_prompt: What the model is told it is.
        voice: The model's voice, where it has several.
        language: The language spoken, such as `en`.
        tools: The host's tools, served by `tool_handler`.
        tool_handler: `(name, arguments) -> str | JSON`, sync or async. May be replaced while it runs.
        human_input_handler: The tools that ask a person; declared in every session, served before `tool_handler`.
        tool_policy: Which tools are admitted, by name and role.
        tool_timeout_seconds: The bound of a host's tool; None: no bound. A person's tool has its own timeout.
        tool_timeouts: Bounds by tool name, also for a person's tool.
        tool_recovery: Whether a call that the model says, instead of issuing it, is run.
        rejoin_s: How long a lost leg is waited for, in seconds (a phone leg: not at all).
        on_call: `(LegInfo) -> CallSetup | Reject`, asked before an incoming call is answered. Without it every call is
            welcome, under the identity its transport gives it.

    Raises:
        ValueError: A host tool under a name the human-input handler defines, a schema that does not compile, or an
            asker that this provider gives no way to ask through.
    """

    channel_type = ChannelType.REALTIME_VOICE

    def __init__(
        self,
        id: str,
        *,
        provider: Provider,
        transport: Transport,
        system_prompt: str = "",
        voice: str | None = None,
        language: str = "en",
        tools: Sequence[AITool] = (),
        tool_handler: ToolHandler | None = None,
        human_input_handler: HumanInputToolHandler | None = None,
        tool_policy: ToolPolicy | None = None,
        tool_timeout_seconds: float | None = TOOL_TIMEOUT_S,
        tool_timeouts: Mapping[str, float] | None = None,
        tool_recovery: bool = True,
        rejoin_s: float = REJOIN_S,
        on_call: OnCall | None = None,
    ) -> None:
        check_names(tools, human_input_handler)
        check_askers(human_input_handler, provider.capabilities)
        Catalogue(tools)  # a schema that does not compile is an error here, not in the first call
        if isinstance(tool_handler, HumanInputToolHandler):
            log.warning("channel %s: pass a HumanInputToolHandler as human_input_handler=, not as tool_handler=", id)
        self.id = id
        self.tool_handler = tool_handler
        self._provider = provider
        self._transport = transport
        self._human = human_input_handler
        self._bounds = Bounds(default_s=tool_timeout_seconds, named=dict(tool_timeouts or {}))
        self._tool_recovery = tool_recovery
        self._rejoin_s = rejoin_s
        self._on_call = on_call
        self._options = SessionOptions(
            system_prompt=system_prompt, voice=voice, language=language, tools=tuple(tools), tool_policy=tool_policy
        )
        self._kit: VoiceKit | None = None
        self._no_hooks = Hooks()
        self._sessions: dict[str, VoiceSession] = {}
        self._tasks = Tasks(f"channel {id}")
        self._watching = Tasks(f"hooks of channel {id}")
        self._setups: dict[anyio.CancelScope, Latch] = {}
        self._is_closing = False
        self._closed = Latch()
        request_hooks = RequestHooks(
            channel_type=self.channel_type,
            hooks=self._hooks,
            context=self._hook_context,
            watching=self._watching_requests,
        )
        self._declared = DeclaredTools(id, human_input_handler, lambda: request_hooks.listens)
        self._registration: int | None = None
        if human_input_handler is not None:
            self._registration = human_input_handler.handler.register_channel(id, request_hooks)
        transport.listen(self._incoming)

    @property
    def sessions(self) -> tuple[VoiceSession, ...]:
        """The calls that are up, oldest first."""
        return tuple(self._sessions.values())

    def bind(self, kit: VoiceKit | None) -> None:
        """Use this kit's hooks from now on (called by the kit)."""
        self._kit = kit

    # --- calls come in -----------------------------------------------------------------------------------------------

    async def _incoming(self, call: Incoming) -> None:
        info = call.info
        try:
            with self._setting_up():
                setup = await decide(self._on_call, info)
                await self.start_session(
                    setup.room_id or info.room_id or info.call_id,
                    setup.participant_id or info.participant_id or info.from_ or info.call_id,
                    call,
                    metadata=setup.metadata,
                    **setup.overrides,
                )
        except ProviderError as error:
            log.warning("call %s was refused: %s", info.call_id, error)
            raise CallRejected(503, "the agent cannot be reached") from error
        except (RuntimeError, TypeError, ValueError) as error:
            if self._is_closing:
                raise CallRejected(503, "nobody takes calls here any more") from None
            if isinstance(error, InvalidOffer):
                raise
            log.exception("call %s was refused: its session could not be set up", info.call_id)
            raise CallRejected(500, "the call could not be set up") from error

    @contextmanager
    def _setting_up(self) -> Generator[None]:
        """A call is being set up, until it is a session; `RuntimeError` when the channel is closed meanwhile."""
        self._check_open()
        done = Latch()
        with anyio.CancelScope() as scope:
            self._setups[scope] = done
            try:
                yield
            finally:
                del self._setups[scope]
                done.set()
        if scope.cancelled_caught:
            self._check_open()

    def _check_open(self) -> None:
        if self._is_closing:
            raise RuntimeError(f"channel {self.id!r} is closed")

    async def start_session(
        self,
        room_id: str,
        participant_id: str,
        connection: Incoming,
        *,
        metadata: Mapping[str, object] | None = None,
        **overrides: Unpack[SessionOverrides],
    ) -> VoiceSession:
        """Answer a call and start its session; or, when its participant's leg was lost, let the call go on here.

        Args:
            room_id: The room it belongs to.
            participant_id: Who is on the leg.
            connection: The transport's incoming call.
            metadata: The application's own, kept with the session.
            overrides: `system_prompt`, `voice`, `language`, `tools`, `tool_policy` or `role` for this session.

        Raises:
            RuntimeError: The channel is closed.
            ProviderError: The model cannot be reached.
            InvalidOffer: The call cannot be answered.
            TypeError: An override that does not exist.
        """
        options = replace(self._options, **overrides) if overrides else self._options
        check_names(options.tools, self._human)
        with self._setting_up():
            leg = await self._transport.accept(connection, rate=self._provider.capabilities.rate)
            lost = self._lost_session(room_id, participant_id)
            if lost is not None:
                lost.rejoin(leg)
                return lost
            try:
                session = VoiceSession(self._setup(room_id, participant_id, leg, options, metadata or {}))
                await self._open(session)
            except BaseException:
                await let_go("releasing the leg of a call that could not be set up", leg.aclose)
                raise
            self._sessions[session.id] = session
            self._tasks.spawn(self._run(session), f"session {session.id}")
            return session
        raise AssertionError("a set-up that was cut raises")

    async def _open(self, session: VoiceSession) -> None:
        try:
            await session.link.open()
            self._check_open()
        except BaseException:
            await let_go("closing the connection of a call that could not be set up", session.link.aclose)
            raise

    async def _run(self, session: VoiceSession) -> None:
        try:
            await session.run()
        finally:
            self._sessions.pop(session.id, None)

    def _lost_session(self, room_id: str, participant_id: str) -> VoiceSession | None:
        return next(
            (
                session
                for session in self._sessions.values()
                if session.leg_is_lost and (session.room_id, session.participant_id) == (room_id, participant_id)
            ),
            None,
        )

    # --- putting a session together ----------------------------------------------------------------------------------

    def _setup(
        self, room_id: str, participant_id: str, leg: Leg, options: SessionOptions, metadata: Mapping[str, object]
    ) -> SessionSetup:
        session_id = secrets.token_urlsafe(12)
        return SessionSetup(
            session_id=session_id,
            room_id=room_id,
            participant_id=participant_id,
            options=options,
            provider=self._provider,
            config=ProviderConfig(
                instructions=options.system_prompt,
                voice=options.voice,
                language=options.language,
                metadata=dict(metadata),
            ),
            leg=leg,
            rejoin_s=min(self._rejoin_s, leg.capabilities.rejoin_s),
            requests=SessionRequests(self._human, session_id),
            pipeline=self._pipeline,
            spoken_calls=self._spoken_calls,
            told=self._told,
            metadata=dict(metadata),
        )

    def _pipeline(self, session: VoiceSession) -> Pipeline:
        gate = self._declared.gate(session.options, session)
        session.link.declare(gate.catalogue.definitions)
        return self._through(session, ProviderCallDoor(session.outputs.send), session.book, gate)

    def _spoken_calls(self, session: VoiceSession, hearing: Hearing) -> SpokenCalls:
        book, door = Book(), SpokenCallDoor(session.outputs.inject)
        return SpokenCalls(
            hearing=hearing,
            link=session.link,
            pipeline=self._through(session, door, book, session.pipeline.gate),
            gate=lambda: session.pipeline.gate,
            interrupted=session.book,
            own_book=book,
            asks_a_person=lambda name: self._human is not None and self._human.asks(name),
            go_on=session.calls.owe,
            enabled=self._tool_recovery,
        )

    def _through(self, session: VoiceSession, door: Door, book: Book, gate: Gate) -> Pipeline:
        return Pipeline(
            book=book,
            door=door,
            gate=gate,
            origin=Origin(
                channel_id=self.id,
                channel_type=self.channel_type,
                room_id=session.room_id,
                session_id=session.id,
                actor=lambda: session.participant_id,
            ),
            servers=Servers(
                human=self._human,
                host=lambda: self.tool_handler,
                bounds=self._bounds,
                session=session,
                max_chars=self._provider.capabilities.max_result_chars,
            ),
            hooks=self._hooks,
            hook_context=self._hook_context(session.id, session.room_id, session),
            tasks=session.tasks,
            watching=session.watching,
            watcher=session.calls,
        )

    def _told(self, session: VoiceSession) -> Told:
        return Told(
            hooks=self._hooks,
            context=self._hook_context(session.id, session.room_id, session),
            channel_id=self.id,
            channel_type=self.channel_type,
            room_id=session.room_id,
            session_id=session.id,
            participant_id=session.participant_id,
            watching=session.watching,
        )

    def _hooks(self) -> Hooks:
        return self._kit.hooks if self._kit is not None else self._no_hooks

    def _hook_context(self, session_id: str, room_id: str, session: VoiceSession | None = None) -> HookContext:
        return HookContext(self._kit, self, session or self._sessions.get(session_id), room_id)

    def _watching_requests(self, session_id: str) -> Tasks:
        session = self._sessions.get(session_id)
        return self._watching if session is None else session.watching

    # --- changing and ending -----------------------------------------------------------------------------------------

    async def reconfigure_session(self, session: VoiceSession, **overrides: Unpack[SessionOverrides]) -> None:
        """Change `system_prompt`, `voice`, `language`, `tools`, `tool_policy` or `role` of a running session.

        What is not named stays as the session has it; a person's tools stay declared. Calls that run are untouched.

        Raises:
            TypeError: An override that does not exist.
            ValueError: Tools that cannot be declared.
            ProviderError: The provider refuses it: everything stays as it was.
            ConnectionEnded: The session is over.
        """
        before = session.options, session.pipeline.gate
        options = replace(session.options, **overrides)
        check_names(options.tools, self._human)
        gate = self._declared.gate(options, session)
        session.options, session.pipeline.gate = options, gate
        try:
            await session.link.reconfigure(
                replace(
                    session.link.config,
                    instructions=options.system_prompt,
                    voice=options.voice,
                    language=options.language,
                    tools=gate.catalogue.definitions,
                )
            )
        except ProviderError:
            session.options, session.pipeline.gate = before
            raise

    async def end_session(self, session: VoiceSession, reason: HangUpReason = "us") -> None:
        """End a call: everything open in it is settled and every task of it has ended when this returns.

        Ending twice is harmless. From inside one of its own tool calls it returns when everything but that call ended.
        """
        await session.end(reason)

    async def close(self) -> None:
        """End every session, settle every request, take no more calls. Closing twice, or from inside a call, works."""
        for session in self.sessions:
            # Here, and not in the task below: it is from here that a session knows which call of its own closes it.
            session.begin_ending("us")
        if not self._is_closing:
            self._is_closing = True
            self._transport.listen(None)
            self._tasks.spawn(self._close(), f"closing channel {self.id}")
        await self._closed.wait()

    async def _close(self) -> None:
        try:
            for scope, done in list(self._setups.items()):
                scope.cancel()
                await done.wait()
            for session in self.sessions:
                await session.end("us")
            if self._human is not None and self._registration is not None:
                await self._human.handler.close(channel_id=self.id, registration=self._registration)
            await let_go("closing the transport", self._transport.aclose)
            await self._watching.close(patience_s=1.0)
            await self._tasks.close()
        finally:
            self._closed.set()
