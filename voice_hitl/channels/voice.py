"""`RealtimeVoiceChannel`: an agent on the phone or in a browser, one caller a session."""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Unpack

from voice_hitl.channels.agent import Agent, AgentParts
from voice_hitl.channels.channel_hooks import ChannelHooks
from voice_hitl.channels.declared import check_names
from voice_hitl.channels.frontend_tools import FrontendTools
from voice_hitl.channels.letting_go import let_go
from voice_hitl.channels.on_call import OnCall, decide
from voice_hitl.channels.options import LatePolicy, SessionOptions, SessionOverrides
from voice_hitl.channels.session import VoiceSession
from voice_hitl.channels.setting_up import SetUps
from voice_hitl.doors.serving import Bounds
from voice_hitl.enums import ChannelType
from voice_hitl.errors import InvalidOffer, ProviderError
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.provider import Provider
from voice_hitl.reasoning import ReasoningBackend
from voice_hitl.tasks import Latch, Tasks, waiting_for_an_end
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler
from voice_hitl.tools.policy import ToolPolicy
from voice_hitl.transport import CallRejected, Dials, HangUpReason, Incoming, Transport

log = logging.getLogger(__name__)

TOOL_TIMEOUT_S = 10.0
REASONING_TIMEOUT_S = 120.0
REJOIN_S = 15.0


class RealtimeVoiceChannel:
    """Answers calls with a speech-to-speech model whose tools may ask a person.

    Args:
        id: Its id, unique in a kit.
        provider: The model, or a local pipeline that behaves as one.
        transport: Where calls come in.
        system_prompt: What the model is told it is.
        voice: The model's voice, where it has several.
        language: The language spoken, as a tag (`en`, `pt-BR`).
        tools: The host's tools, served by `tool_handler`.
        tool_handler: `(name, arguments) -> str | JSON`, sync or async. May be replaced while it runs.
        human_input_handler: The tools that ask a person; declared in every session, served before `tool_handler`.
        tool_policy: Which tools are admitted, by name and role.
        tool_timeout_seconds: The bound of a host's tool; None: no bound. A person's tool has its own timeout.
        tool_timeouts: Bounds by tool name, also for a person's tool.
        tool_recovery: Whether a call that the model says, instead of issuing it, is run.
        reasoning_backend: Who works on what a full-duplex model hands over (`capabilities.delegates`).
        reasoning_timeout_s: How long it may take over one task; it does not run while a person is being asked. None: no
            bound.
        frontend_tools: Whether the page in a call may offer tools of its own to the model: True, or the names of those
            it may. Their calls have the person's timeout.
        late_answers: What the model is told of an answer that comes after its call had ended, while the conversation
            goes on: nothing (`"drop"`), a silent line (`"inject"`), or a line that it speaks of (`"speak"`).
        rejoin_s: How long a lost leg is waited for, in seconds (a phone leg: not at all).
        on_call: `(LegInfo) -> CallSetup | Reject`, asked before an incoming call is answered. Without it every call is
            welcome, under the identity its transport gives it.

    Raises:
        ValueError: A host tool under a name the human-input handler defines, a schema that does not compile, an asker
            that this provider gives no way to ask through, tools of the page that nobody could hold or declare, a
            timeout of zero or less, a policy that there is not, or what is no language.
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
        reasoning_backend: ReasoningBackend | None = None,
        reasoning_timeout_s: float | None = REASONING_TIMEOUT_S,
        frontend_tools: bool | Collection[str] = False,
        late_answers: LatePolicy = "inject",
        rejoin_s: float = REJOIN_S,
        on_call: OnCall | None = None,
    ) -> None:
        if isinstance(tool_handler, HumanInputToolHandler):
            log.warning("channel %s: pass a HumanInputToolHandler as human_input_handler=, not as tool_handler=", id)
        if provider.capabilities.delegates != (reasoning_backend is not None):
            what = "nobody works on what it hands over" if reasoning_backend is None else "it hands nothing over"
            log.warning("channel %s: its provider and its reasoning_backend do not fit: %s", id, what)
        if not rejoin_s >= 0:
            raise ValueError(f"rejoin_s is 0 seconds (a lost leg ends its call) or more, not {rejoin_s:g}")
        self.id = id
        self.tool_handler = tool_handler
        self._transport = transport
        self._rejoin_s = rejoin_s
        self._on_call = on_call
        self._hooks = ChannelHooks(self)
        parts = AgentParts(
            provider=provider,
            options=SessionOptions(
                system_prompt=system_prompt,
                voice=voice,
                language=language,
                tools=tuple(tools),
                tool_policy=tool_policy,
            ),
            human=human_input_handler,
            host=lambda _room_id: self.tool_handler,
            bounds=Bounds(default_s=tool_timeout_seconds, named=dict(tool_timeouts or {})),
            tool_recovery=tool_recovery,
            reasoning=reasoning_backend,
            reasoning_timeout_s=reasoning_timeout_s,
            frontend_tools=FrontendTools.of(frontend_tools, human_input_handler, provider.capabilities),
            late_answers=late_answers,
        )
        self._agent = Agent(self, self._hooks, parts)
        self._tasks = Tasks(f"channel {id}")
        self._set_ups = SetUps(f"channel {id!r}")
        self._closed = Latch()
        transport.listen(self._incoming)

    @property
    def sessions(self) -> tuple[VoiceSession, ...]:
        """The calls that are up, oldest first."""
        return self._agent.sessions

    @property
    def provider(self) -> Provider:
        """The model that answers."""
        return self._agent.parts.provider

    def bind(self, kit: VoiceKit | None) -> None:
        """Use this kit's hooks from now on (called by the kit)."""
        self._hooks.bind(kit)

    # --- calls come in -----------------------------------------------------------------------------------------------

    async def _incoming(self, call: Incoming) -> None:
        info = call.info
        try:
            with self._set_ups.one():
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
            if self._set_ups.closed:
                raise CallRejected(503, "nobody takes calls here any more") from None
            if isinstance(error, InvalidOffer):
                raise
            log.exception("call %s was refused: its session could not be set up", info.call_id)
            raise CallRejected(500, "the call could not be set up") from error

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
            ValueError: What is no language.
        """
        parts, options = self._agent.parts, self._options(overrides)
        with self._set_ups.one():
            leg = await self._transport.accept(connection, rate=parts.provider.capabilities.rate)
            lost = self._lost_session(room_id, participant_id)
            if lost is not None:
                lost.rejoin(leg)
                return lost
            try:
                session = self._agent.session(
                    room_id=room_id,
                    participant_id=participant_id,
                    leg=leg,
                    rejoin_s=min(self._rejoin_s, leg.capabilities.rejoin_s),
                    options=options,
                    metadata=metadata,
                )
                await self._agent.open(session, self._set_ups.check_open)
            except BaseException:
                await let_go("releasing the leg of a call that could not be set up", leg.aclose)
                raise
            self._agent.run(session, self._tasks)
            return session
        raise AssertionError("a set-up that was cut raises")

    async def dial(
        self,
        to: str,
        *,
        room_id: str = "",
        participant_id: str = "",
        metadata: Mapping[str, object] | None = None,
        **overrides: Unpack[SessionOverrides],
    ) -> VoiceSession:
        """Call somebody, and start their session once they took the call. Cancelling it gives the call up.

        Args:
            to: Whom, as the transport writes it (`sip:ops@10.0.0.7`).
            room_id: The room that the call belongs to; by default one of its own.
            participant_id: Who it is that is called; by default `to`.
            metadata: The application's own, kept with the session.
            overrides: As of `start_session`.

        Raises:
            CallNotAnswered: Nobody took the call; it says why.
            TypeError: The transport places no calls; or an override that does not exist.
            RuntimeError: The channel is closed, or closes meanwhile: nobody is called any more.
            ProviderError: The model cannot be reached.
        """
        if not isinstance(self._transport, Dials):
            raise TypeError(f"the transport {self._transport.name!r} places no calls")
        self._options(overrides)  # a mistake in them is an error before anybody's telephone rings
        with self._set_ups.one():
            call = await self._transport.dial(to)
            return await self.start_session(
                room_id or call.info.call_id, participant_id or to, call, metadata=metadata, **overrides
            )
        raise AssertionError("a set-up that was cut raises")

    def _options(self, overrides: SessionOverrides) -> SessionOptions:
        parts = self._agent.parts
        options = replace(parts.options, **overrides) if overrides else parts.options
        check_names(options.tools, parts.human)
        return options

    def _lost_session(self, room_id: str, participant_id: str) -> VoiceSession | None:
        return next(
            (
                session
                for session in self.sessions
                if session.leg_is_lost and (session.room_id, session.participant_id) == (room_id, participant_id)
            ),
            None,
        )

    # --- changing and ending -----------------------------------------------------------------------------------------

    async def reconfigure_session(self, session: VoiceSession, **overrides: Unpack[SessionOverrides]) -> None:
        """Change `system_prompt`, `voice`, `language`, `tools`, `tool_policy` or `role` of a running session.

        What is not named stays as the session has it; a person's tools stay declared. Calls that run are untouched.

        Raises:
            TypeError: An override that does not exist.
            ValueError: Tools that cannot be declared, or what is no language.
            ProviderError: The provider refuses it: everything stays as it was.
            ConnectionEnded: The session is over.
        """
        await self._agent.reconfigure(session, **overrides)

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
        if not self._set_ups.closed:
            self._set_ups.closed = True
            self._transport.listen(None)
            self._tasks.spawn(self._close(), f"closing channel {self.id}")
        with waiting_for_an_end():
            await self._closed.wait()

    async def _close(self) -> None:
        try:
            await self._set_ups.cut()
            for session in self.sessions:
                await session.end("us")
            await self._agent.close_requests()
            await let_go("closing the transport", self._transport.aclose)
            await self._agent.close()
            await self._tasks.close()
        finally:
            self._closed.set()
