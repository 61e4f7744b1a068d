"""`AIChannel`: text turns with a chat model whose tools may ask a person."""

import logging
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace

from voice_hitl.calls.book import Book
from voice_hitl.calls.call import ToolCall
from voice_hitl.calls.recovery import fenced
from voice_hitl.channels.channel_hooks import ChannelHooks
from voice_hitl.channels.conversation import Conversations
from voice_hitl.channels.declared import DeclaredTools, check_names
from voice_hitl.channels.external_calls import ExternalCalls, ExternalReporting
from voice_hitl.channels.options import SessionOptions
from voice_hitl.channels.request_hooks import RequestHooks
from voice_hitl.channels.session_requests import SessionRequests
from voice_hitl.channels.text_events import TextEvent
from voice_hitl.channels.text_turn import TextTurn, TurnSetup
from voice_hitl.channels.turn_calls import HandedOnCalls
from voice_hitl.channels.turn_progress import TurnProgress
from voice_hitl.chat import ChatModel
from voice_hitl.doors.gate import Catalogue, Gate
from voice_hitl.doors.pipeline import Door, Pipeline
from voice_hitl.doors.serving import Bounds, Origin, Servers
from voice_hitl.doors.spoken_call import SpokenCallDoor
from voice_hitl.doors.text_call import TextCallDoor
from voice_hitl.enums import ChannelType, DoorName, HookTrigger
from voice_hitl.events import ErrorEvent
from voice_hitl.human_input.external import ExternalToolHandler
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.reasoning import ExecuteToolCall
from voice_hitl.tasks import Tasks, waiting_for_an_end
from voice_hitl.tools.context import Actor, ToolCallContext
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler
from voice_hitl.tools.policy import ToolPolicy

log = logging.getLogger(__name__)

TOOL_TIMEOUT_S = 10.0
MAX_TOOL_ROUNDS = 10
MAX_ROOMS = 10_000


class AIChannel:
    """Runs text turns: a chat model answers, calls tools, reads their results, and goes on until it calls none.

    One conversation a room; the turns of a room run one after another.

    Args:
        id: Its id, unique in a kit.
        provider: The chat model.
        system_prompt: What the model is told it is.
        tools: The host's tools, served by `tool_handler`.
        tool_handler: `(name, arguments) -> str | JSON`, sync or async. May be replaced while it runs.
        human_input_handler: The tools that ask a person; declared in every turn, served before `tool_handler`.
        external_tool_handler: Decides on calls to tools that the provider runs itself.
        max_tool_rounds: How many rounds of calls a turn may have; then the model is asked to answer in words.
        tool_policy: Which tools are admitted, by name.
        tool_timeout_seconds: The bound of a host's tool; None: no bound. A person's tool has its own timeout.
        tool_timeouts: Bounds by tool name, also for a person's tool.
        tool_recovery: Whether a call that the model writes in its words, instead of issuing it, is run.
        max_rooms: How many rooms' conversations are kept. Beyond it the room whose last turn began longest ago is
            forgotten, as by `forget`; never one with a turn that runs or waits.

    Raises:
        ValueError: A host tool under a name the human-input handler defines, a schema that does not compile, or less
            than one round or room.
    """

    channel_type = ChannelType.AI

    def __init__(
        self,
        id: str,
        *,
        provider: ChatModel,
        system_prompt: str = "",
        tools: Sequence[AITool] = (),
        tool_handler: ToolHandler | None = None,
        human_input_handler: HumanInputToolHandler | None = None,
        external_tool_handler: ExternalToolHandler | None = None,
        max_tool_rounds: int = MAX_TOOL_ROUNDS,
        tool_policy: ToolPolicy | None = None,
        tool_timeout_seconds: float | None = TOOL_TIMEOUT_S,
        tool_timeouts: Mapping[str, float] | None = None,
        tool_recovery: bool = True,
        max_rooms: int = MAX_ROOMS,
    ) -> None:
        check_names(tools, human_input_handler)
        Catalogue(tools)  # a schema that does not compile is an error here, not in the first turn
        if max_tool_rounds < 1:
            raise ValueError(f"max_tool_rounds is at least 1, not {max_tool_rounds}")
        if max_rooms < 1:
            raise ValueError(f"max_rooms is at least 1, not {max_rooms}")
        if isinstance(tool_handler, HumanInputToolHandler):
            log.warning("channel %s: pass a HumanInputToolHandler as human_input_handler=, not as tool_handler=", id)
        self.id = id
        self.tool_handler = tool_handler
        self._model = provider
        self._system_prompt = system_prompt
        self._human = human_input_handler
        self._max_tool_rounds = max_tool_rounds
        self._tool_recovery = tool_recovery
        self._options = SessionOptions(
            system_prompt=system_prompt, voice=None, language="en", tools=tuple(tools), tool_policy=tool_policy
        )
        self._bounds = Bounds(default_s=tool_timeout_seconds, named=dict(tool_timeouts or {}))
        self._hooks = ChannelHooks(self)
        self._tasks = Tasks(f"channel {id}")
        self._watching = Tasks(f"hooks of channel {id}")
        self._conversations = Conversations(max_rooms)
        self._turns: dict[str, list[TextTurn]] = {}
        self._is_closing = False
        request_hooks = RequestHooks(
            channel_type=self.channel_type,
            hooks=self._hooks.now,
            context=lambda _session_id, room_id: self._hooks.context(room_id),
            watching=lambda _session_id: self._watching,
        )
        self._declared = DeclaredTools(id, human_input_handler, lambda: request_hooks.listens)
        self._external = external_tool_handler
        self._reports = ExternalReporting(id, self._hooks.now, self._hooks.context, self._watching)
        if external_tool_handler is not None:
            external_tool_handler.bind(self._reports)
        # Last: a channel that could not be made displaces none.
        self._registration: int | None = None
        if human_input_handler is not None:
            self._registration = human_input_handler.handler.register_channel(id, request_hooks)

    def bind(self, kit: VoiceKit | None) -> None:
        """Use this kit's hooks from now on (called by the kit)."""
        self._hooks.bind(kit)

    # --- turns -------------------------------------------------------------------------------------------------------

    def turn(self, text: str, *, room_id: str, actor_id: str | None = None) -> AsyncIterator[TextEvent]:
        """Put a message to the model and return what comes of it, from `TextDelta`s to one `TextEnded`.

        It runs whether or not it is read: a reader that goes away ends nothing. In a room whose turn before still runs
        it waits for that one's end; it never answers what a person is being asked there, and never cancels it.

        Args:
            text: What the user says.
            room_id: Whose conversation it belongs to.
            actor_id: Who the user is, as tools and requests are told; it authenticates nobody.

        Raises:
            RuntimeError: The channel is closed.
        """
        return self._begin(self._setup(text, room_id, actor_id)).events

    def turn_for(
        self, execute: ExecuteToolCall, text: str, *, room_id: str, actor_id: str | None, tools: Sequence[AITool]
    ) -> TextTurn:
        """Have the model think for somebody who runs its calls himself: only its loop is ours (a reasoning backend).

        The channel's own tools, hooks and policy have no part in it.

        Raises:
            RuntimeError: The channel is closed.
        """
        gate = Gate(Catalogue(tools), undeclared_pass=False)

        def issued(turn: TurnProgress) -> HandedOnCalls:
            return handed_on(turn, lambda call, result: turn.keep(call.call_id, result))

        def written(turn: TurnProgress) -> HandedOnCalls:
            return handed_on(turn, lambda call, result: turn.tell(fenced(call.name, result)))

        def handed_on(turn: TurnProgress, keep: Callable[[ToolCall, str], None]) -> HandedOnCalls:
            return HandedOnCalls(execute=execute, gate=gate, tasks=turn.tasks, keep=keep, reported=turn.reported)

        setup = self._setup(text, room_id, actor_id)
        return self._begin(replace(setup, gate=gate, pipeline=issued, written_calls=written))

    @property
    def own_tools(self) -> bool:
        """Whether it has tools, or those who serve them, of its own."""
        served = (self.tool_handler, self._human, self._external)
        return bool(self._options.tools) or any(each is not None for each in served)

    @property
    def is_registered(self) -> bool:
        """Whether it is registered with a kit."""
        return self._hooks.kit is not None

    def forget(self, room_id: str) -> None:
        """Forget what was said in a room; a turn that runs there still keeps its own."""
        self._conversations.forget(room_id)

    def _begin(self, setup: TurnSetup) -> TextTurn:
        if self._is_closing:
            raise RuntimeError(f"channel {self.id!r} is closed")
        turns = self._turns.setdefault(setup.room_id, [])
        before = turns[-1] if turns else None
        turn = TextTurn(setup)
        self._tasks.spawn(self._run(turn, before), f"turn {turn.session_id}")
        turns.append(turn)
        return turn

    async def cancel_turn(self, room_id: str) -> bool:
        """End the running turn of a room, and return when everything of it has ended. False: none was running.

        What people are being asked in it is withdrawn, its calls are reported as cancelled. From inside one of its own
        calls it returns when everything but that call has ended.
        """
        turns = self._turns.get(room_id)
        if not turns:
            return False
        turn = turns[0]
        turn.cancel()
        with waiting_for_an_end():
            await turn.ended.wait()
        return True

    def steer(self, room_id: str, text: str) -> bool:
        """Give the running turn new input: the model stops talking, and reads it in the next round. No call is cut.

        False: no turn was running, or the one that was is ending.
        """
        turns = self._turns.get(room_id)
        return turns[0].steer(text) if turns else False

    async def close(self) -> None:
        """End every turn, settle every request, take no more turns. Closing twice, or from inside a call, works."""
        self._is_closing = True
        running = [each for turns in self._turns.values() for each in turns]
        for turn in running:
            turn.cancel()
        with waiting_for_an_end():
            for turn in running:
                await turn.ended.wait()
            if self._human is not None and self._registration is not None:
                await self._human.handler.close(channel_id=self.id, registration=self._registration)
            await self._watching.close(patience_s=1.0)
            await self._tasks.close()

    async def _run(self, turn: TextTurn, before: TextTurn | None) -> None:
        try:
            await turn.run(before)
        finally:
            turns = [each for each in self._turns.pop(turn.room_id, []) if each is not turn]
            if turns:
                self._turns[turn.room_id] = turns

    # --- putting a turn together -------------------------------------------------------------------------------------

    def _setup(self, text: str, room_id: str, actor_id: str | None) -> TurnSetup:
        session_id = f"turn_{secrets.token_urlsafe(12)}"
        actor = Actor(actor_id)
        gate = replace(self._declared.gate(self._options, None), undeclared_pass=False)
        origin = Origin(
            channel_id=self.id,
            channel_type=self.channel_type,
            room_id=room_id,
            session_id=session_id,
            actor=lambda: actor,
        )
        return TurnSetup(
            room_id=room_id,
            session_id=session_id,
            text=text,
            model=self._model,
            system_prompt=self._system_prompt,
            max_tool_rounds=self._max_tool_rounds,
            conversation=self._conversations.of(room_id, in_use=self._turns),
            gate=gate,
            pipeline=lambda turn: self._pipeline(turn, origin, gate, TextCallDoor(turn.keep)),
            written_calls=lambda turn: self._pipeline(turn, origin, gate, SpokenCallDoor(turn.told_of)),
            tool_recovery=self._tool_recovery,
            external=lambda turn: self._external_calls(turn, origin),
            is_persons=lambda name: self._human is not None and self._human.serves(name),
            failed=lambda message: self._failed(room_id, session_id, message),
            requests=SessionRequests(self._human, session_id),
        )

    def _pipeline(self, turn: TurnProgress, origin: Origin, gate: Gate, door: Door) -> Pipeline:
        return Pipeline(
            book=Book(),
            door=door,
            gate=gate,
            origin=origin,
            servers=Servers(human=self._human, host=lambda: self.tool_handler, bounds=self._bounds),
            hooks=self._hooks.now,
            hook_context=self._hooks.context(origin.room_id),
            tasks=turn.tasks,
            watching=self._watching,
            watcher=turn,
        )

    def _external_calls(self, turn: TurnProgress, origin: Origin) -> ExternalCalls:
        return ExternalCalls(
            handler=self._external,
            model=self._model,
            reports=self._reports,
            context=ToolCallContext(
                room_id=origin.room_id,
                channel_id=self.id,
                session_id=origin.session_id,
                actor_id=origin.actor().id,
                door=DoorName.TEXT_CALL,
            ),
            tasks=turn.tasks,
            ended=turn.external_ended,
        )

    def _failed(self, room_id: str, session_id: str, message: str) -> None:
        event = ErrorEvent(
            channel_id=self.id,
            channel_type=self.channel_type,
            room_id=room_id,
            session_id=session_id,
            source="provider",
            message=message,
        )
        self._hooks.now().tell(HookTrigger.ON_ERROR, event, self._hooks.context(room_id), self._watching)
