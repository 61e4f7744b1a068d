"""`RealtimeVoiceChannel`: an agent on the phone or in a browser, one caller a session."""

import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypedDict, Unpack

import anyio

from voice_hitl.channels.declared import DeclaredTools, check_names
from voice_hitl.channels.request_hooks import RequestHooks
from voice_hitl.channels.session import SessionSetup, VoiceSession
from voice_hitl.channels.told import Told
from voice_hitl.doors.gate import Catalogue, Gate
from voice_hitl.doors.pipeline import Bounds, Origin, Pipeline
from voice_hitl.doors.provider_call import ProviderCallDoor
from voice_hitl.enums import ChannelType
from voice_hitl.errors import ProviderError
from voice_hitl.hooks import HookContext, Hooks
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.provider import Provider, ProviderConfig
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tasks import Latch, Tasks
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler
from voice_hitl.tools.policy import ToolPolicy
from voice_hitl.transport import CallRejected, HangUpReason, Incoming, Leg, LegInfo, Transport

log = logging.getLogger(__name__)

TOOL_TIMEOUT_S = 10.0
REJOIN_S = 15.0


class SessionOverrides(TypedDict, total=False):
    """What of a channel can be different for one session."""

    system_prompt: str
    voice: str | None
    language: str
    tools: tuple[AITool, ...]
    tool_policy: ToolPolicy | None
    role: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSetup:
    """What `on_call` answers for a call that is welcome."""

    room_id: str = ""
    participant_id: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict[str, object])
    overrides: SessionOverrides = field(default_factory=SessionOverrides)
    """Session overrides, as of `start_session`."""


@dataclass(frozen=True, slots=True)
class Reject:
    """What `on_call` answers for a call that is not. `code` is an HTTP or SIP status, such as 403, 486 or 503."""

    code: int
    reason: str = ""


OnCall = Callable[[LegInfo], Awaitable[CallSetup | Reject] | CallSetup | Reject]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions:
    """What one session is run with: the channel's own, or its overrides."""

    system_prompt: str
    voice: str | None
    language: str
    tools: tuple[AITool, ...]
    tool_policy: ToolPolicy | None
    role: str | None = None


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
        rejoin_s: How long a lost leg is waited for, in seconds (a phone leg: not at all).
        on_call: `(LegInfo) -> CallSetup | Reject`, asked before an incoming call is answered. Without it every call is
            welcome, under the identity its transport gives it.

    Raises:
        ValueError: A host tool under a name the human-input handler defines, or a schema that does not compile.
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
        rejoin_s: float = REJOIN_S,
        on_call: OnCall | None = None,
    ) -> None:
        check_names(tools, human_input_handler)
        Catalogue(tools)  # a schema that does not compile is an error here, not in the first call
        if isinstance(tool_handler, HumanInputToolHandler):
            log.warning("channel %s: pass a HumanInputToolHandler as human_input_handler=, not as tool_handler=", id)
        self.id = id
        self.tool_handler = tool_handler
        self._provider = provider
        self._transport = transport
        self._human = human_input_handler
        self._bounds = Bounds(default_s=tool_timeout_seconds, named=dict(tool_timeouts or {}))
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
        self._closing: Latch | None = None
        self._closed = Latch()
        request_hooks = RequestHooks(
            channel_type=self.channel_type, hooks=self._hooks, context=self._hook_context, watching=self._watching
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
        setup = CallSetup()
        if self._on_call is not None:
            answer = self._on_call(info)
            decided = await answer if isinstance(answer, Awaitable) else answer
            if isinstance(decided, Reject):
                raise CallRejected(decided.code, decided.reason)
            setup = decided
        try:
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
        if self._closing is not None:
            raise RuntimeError(f"channel {self.id!r} is closed")
        options = replace(self._options, **overrides) if overrides else self._options
        rate = self._provider.capabilities.rate
        lost = self._lost_session(room_id, participant_id)
        if lost is not None:
            lost.rejoin(await self._transport.accept(connection, rate=rate))
            return lost
        leg = await self._transport.accept(connection, rate=rate)
        session = VoiceSession(self._setup(room_id, participant_id, leg, options, metadata or {}))
        try:
            await session.link.open()
        except BaseException:
            with anyio.CancelScope(shield=True):
                await leg.aclose()
            raise
        self._sessions[session.id] = session
        self._tasks.spawn(self._run(session), f"session {session.id}")
        return session

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
        human = self._human
        return SessionSetup(
            session_id=secrets.token_urlsafe(12),
            room_id=room_id,
            participant_id=participant_id,
            language=options.language,
            provider=self._provider,
            config=ProviderConfig(
                instructions=options.system_prompt,
                voice=options.voice,
                language=options.language,
                metadata=dict(metadata),
            ),
            leg=leg,
            rejoin_s=min(self._rejoin_s, leg.capabilities.rejoin_s),
            pipeline=lambda session: self._pipeline(session, options),
            open_requests=self._open_requests,
            close_requests=self._close_requests,
            asks_a_person=lambda name: human is not None and human.asks(name),
            told=self._told,
            metadata=dict(metadata),
        )

    def _pipeline(self, session: VoiceSession, options: SessionOptions) -> Pipeline:
        catalogue = self._declared.catalogue(options.tools, session, options.tool_policy, options.role)
        session.link.declare(catalogue.definitions)
        return Pipeline(
            book=session.book,
            door=ProviderCallDoor(session.link.send_result),
            gate=Gate(catalogue, options.tool_policy, self._hooks()),
            origin=Origin(
                channel_id=self.id,
                channel_type=self.channel_type,
                room_id=session.room_id,
                session_id=session.id,
                actor=lambda: session.participant_id,
                role=lambda: options.role,
            ),
            hooks=self._hooks(),
            hook_context=self._hook_context(session.id, session.room_id, session),
            tasks=session.tasks,
            watching=session.watching,
            human=self._human,
            host=lambda: self.tool_handler,
            bounds=self._bounds,
            asker_session=session,
            max_chars=self._provider.capabilities.max_result_chars,
            watcher=session,
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

    def _open_requests(self, session_id: str) -> list[PendingInput]:
        return self._human.handler.open_in(session_id) if self._human is not None else []

    async def _close_requests(self, session_id: str) -> None:
        if self._human is not None:
            await self._human.handler.close(session_id=session_id)

    # --- changing and ending -----------------------------------------------------------------------------------------

    async def reconfigure_session(self, session: VoiceSession, **overrides: Unpack[SessionOverrides]) -> None:
        """Change `system_prompt`, `voice`, `language`, `tools`, `tool_policy` or `role` of a running session.

        A person's tools stay declared. `TypeError`: an override that does not exist.
        """
        options = replace(self._options, **overrides)
        check_names(options.tools, self._human)
        catalogue = self._declared.catalogue(options.tools, session, options.tool_policy, options.role)
        session.pipeline.gate = Gate(catalogue, options.tool_policy, self._hooks())
        await session.link.reconfigure(
            replace(
                session.link.config,
                instructions=options.system_prompt,
                voice=options.voice,
                language=options.language,
                tools=catalogue.definitions,
            )
        )

    async def end_session(self, session: VoiceSession, reason: HangUpReason = "us") -> None:
        """End a call: everything open in it is settled and every task of it has ended when this returns.

        Ending twice is harmless. From inside one of its own tool calls it returns when everything but that call ended.
        """
        await session.end(reason)

    async def close(self) -> None:
        """End every session, settle every request, take no more calls. Closing twice, or from inside a call, works."""
        if self._closing is None:
            self._closing = Latch()
            self._transport.listen(None)
            self._tasks.spawn(self._close(), f"closing channel {self.id}")
        await self._closed.wait()

    async def _close(self) -> None:
        try:
            async with anyio.create_task_group() as group:
                for session in self.sessions:
                    group.start_soon(session.end, "us")
            if self._human is not None and self._registration is not None:
                await self._human.handler.close(channel_id=self.id, registration=self._registration)
            await self._transport.aclose()
            await self._watching.close(patience_s=1.0)
        finally:
            self._closed.set()
