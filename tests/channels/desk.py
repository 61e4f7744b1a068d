"""A channel with a scripted model and loopback callers, and everything a test needs to look at."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Unpack

import anyio

from tests.channels.kept import LOOK_UP, RunningTasks, kept, settle_down
from voice_hitl.asker import Asker
from voice_hitl.askers.card import CardAsker
from voice_hitl.channels.on_call import OnCall
from voice_hitl.channels.options import SessionOverrides
from voice_hitl.channels.session import VoiceSession
from voice_hitl.channels.voice import RealtimeVoiceChannel
from voice_hitl.enums import HookTrigger
from voice_hitl.events import BargeInEvent, ErrorEvent, ParticipantEvent, SessionEvent, ToolCallEvent
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.provider import ProviderCapabilities
from voice_hitl.questions.answer import Answer
from voice_hitl.reasoning import ReasoningBackend
from voice_hitl.requests.pending import PendingInput, PendingInputEvent
from voice_hitl.requests.settlement import Settlement
from voice_hitl.testing import (
    Forgot,
    Injected,
    LoopbackCaller,
    LoopbackTransport,
    Responded,
    ScriptedConnection,
    ScriptedProvider,
)
from voice_hitl.tools.asking import confirm_action
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler
from voice_hitl.transport import LegCapabilities

CONFIRM = {"action": "Book a table for four."}


async def look_up(name: str, arguments: Mapping[str, object]) -> object:
    return {"found": arguments.get("q"), "by": name}


@dataclass
class Call:
    """One call that is up."""

    desk: "Desk"
    session: VoiceSession
    caller: LoopbackCaller
    model: ScriptedConnection

    @property
    def request(self) -> PendingInput:
        """The one request that is open."""
        (request,) = self.session.open_requests
        return request

    async def confirm(self, call_id: str = "") -> str:
        """The model asks for a confirmation, which opens a request."""
        call_id = self.model.call_tool("ConfirmAction", json.dumps(CONFIRM), call_id=call_id)
        await settle_down()
        return call_id

    async def answer(self, value: object = True) -> Settlement:
        """The caller answers the one open request."""
        return await self.desk.human.handler.answer(
            self.request.pending_id, Answer(value, by=self.session.participant_id)
        )

    async def closed(self) -> None:
        """Wait until everything of the session has ended."""
        with anyio.fail_after(30):
            await self.session.closed.wait()


class Desk:
    """As a context manager it closes the kit, and then nothing may be left: no command, no message, no task."""

    def __init__(
        self,
        *,
        tools: Sequence[AITool] = (LOOK_UP,),
        handler: ToolHandler | None = look_up,
        capabilities: ProviderCapabilities | None = None,
        leg: LegCapabilities | None = None,
        timeout: float = 60,
        askers: Sequence[Asker] = (CardAsker(),),
        on_call: OnCall | None = None,
        rejoin_s: float = 15,
        provider: ScriptedProvider | None = None,
        tool_recovery: bool = True,
        reasoning_backend: ReasoningBackend | None = None,
        reasoning_timeout_s: float | None = 120,
        frontend_tools: bool | Collection[str] = False,
    ) -> None:
        self.provider = provider or ScriptedProvider(capabilities=capabilities)
        self.transport = LoopbackTransport(capabilities=leg)
        self.human = HumanInputToolHandler(
            {"ConfirmAction"}, timeout=timeout, tool_definitions=[confirm_action()], askers=askers
        )
        self.channel = RealtimeVoiceChannel(
            "voice",
            provider=self.provider,
            transport=self.transport,
            tools=tools,
            tool_handler=handler,
            human_input_handler=self.human,
            on_call=on_call,
            rejoin_s=rejoin_s,
            tool_recovery=tool_recovery,
            reasoning_backend=reasoning_backend,
            reasoning_timeout_s=reasoning_timeout_s,
            frontend_tools=frontend_tools,
        )
        self.kit = VoiceKit()
        self.kit.register_channel(self.channel)
        self.reports = kept(self.kit, ToolCallEvent, HookTrigger.ON_TOOL_CALL)
        self.settled = kept(self.kit, PendingInputEvent, HookTrigger.ON_USER_INPUT_SETTLED)
        self.sessions = kept(self.kit, SessionEvent, HookTrigger.ON_SESSION_STARTED, HookTrigger.ON_SESSION_ENDED)
        self.errors = kept(self.kit, ErrorEvent, HookTrigger.ON_ERROR)
        self.barge_ins = kept(self.kit, BargeInEvent, HookTrigger.ON_BARGE_IN)
        self.joined = kept(self.kit, ParticipantEvent, HookTrigger.ON_PARTICIPANT_JOINED)

    async def call(
        self, participant_id: str = "ada", *, quiet: bool = True, **overrides: Unpack[SessionOverrides]
    ) -> Call:
        """Somebody calls, and is answered. `quiet`: notes, going on and the page's messages are only counted."""
        caller = self.transport.caller(participant_id=participant_id, room_id="desk")
        if quiet:
            caller.ignore("request.opened", "request.changed", "request.settled", "ok", "refused")
        if overrides:
            session = await self.channel.start_session("desk", participant_id, caller.incoming(), **overrides)
        else:
            await caller.dial()
            session = self.channel.sessions[-1]
        model = await self.provider.connected()
        if quiet:
            model.ignore(Injected, Forgot, Responded)
        await settle_down()
        return Call(self, session, caller, model)

    async def __aenter__(self) -> "Desk":
        self._tasks = RunningTasks()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with anyio.fail_after(60):
            await self.kit.close()
        if kind is None:
            self._tasks.check()
            assert self.human.handler.pending == {}
            self.provider.done()
            self.transport.done()
