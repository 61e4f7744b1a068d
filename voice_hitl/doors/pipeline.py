"""The one executor of tool calls: gate, serve, judge, bound, deliver, report. A door is only its `deliver`."""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

import anyio

from voice_hitl.asker import AskerSession
from voice_hitl.calls.book import CANCELLED, Book, NewCall, Replay, Unrunnable
from voice_hitl.calls.call import CallEvent, ToolCall
from voice_hitl.calls.outcome import Outcome
from voice_hitl.doors.gate import Gate, refused
from voice_hitl.enums import ChannelType, DoorName, HookExecution, HookTrigger, OutcomeKind
from voice_hitl.errors import (
    ConnectionEnded,
    InvalidArguments,
    ProviderError,
    ToolFailedError,
    ToolRefusedError,
    UnservedToolCallError,
)
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext, Hooks
from voice_hitl.human_input.approvals import NOTHING_EXECUTED, approved_arguments, needs_approval, open_approval
from voice_hitl.human_input.tool_handler import Caller, HumanInputToolHandler
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tasks import BoundExceeded, Job, Tasks, current_time, run_users_code
from voice_hitl.tools.context import ToolCallContext, current_tool_call, tool_call_context
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler
from voice_hitl.tools.schema import read_arguments

log = logging.getLogger(__name__)

_SYNC = HookExecution.SYNC
_ASYNC = HookExecution.ASYNC

RESULT_CHARS = 16_384
"""How long a host tool's result may be, in characters, unless said otherwise."""


class Door(Protocol):
    """A way a call comes in. It differs from another only in how it delivers the outcome."""

    @property
    def name(self) -> DoorName:
        """Which door it is."""
        ...

    async def deliver(self, call: ToolCall, text: str, *, failed: bool) -> str:
        """Send the outcome; say how: `"output"` or `"text"`. `ConnectionEnded`: it could not be sent any more."""
        ...


class CallWatcher(Protocol):
    """What a session wants to know of its calls as they move."""

    def asking(self, call: ToolCall, request: PendingInput) -> None:
        """The call waits for a person from here."""
        ...

    async def delivered(self, call: ToolCall) -> None:
        """Its outcome is on its way."""
        ...

    def reported(self, call: ToolCall) -> None:
        """It is over."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How long and how large. `default_s`: seconds for a host's tool (None: no bound); `named`: by tool name."""

    default_s: float | None = 10.0
    named: Mapping[str, float] = field(default_factory=dict[str, float])
    result_chars: int = RESULT_CHARS

    def of(self, name: str, *, asks_a_person: bool) -> float | None:
        """The bound of one tool, in seconds. A person's tool has its own timeout, unless one was named for it."""
        return self.named.get(name, None if asks_a_person else self.default_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Whose calls they are: one session's, of one channel, at one door."""

    channel_id: str
    channel_type: ChannelType
    room_id: str
    session_id: str
    actor: Callable[[], str | None] = lambda: None
    role: Callable[[], str | None] = lambda: None


@dataclass(slots=True)
class _Running:
    job: Job
    request: PendingInput | None = None


class Pipeline:
    """Runs the calls that come through one door of one session, each in a task of its own.

    A call's task is a barrier: whatever happens in it becomes an outcome and never reaches the session.
    """

    def __init__(
        self,
        *,
        book: Book,
        door: Door,
        gate: Gate,
        origin: Origin,
        hooks: Hooks,
        hook_context: HookContext,
        tasks: Tasks,
        watching: Tasks,
        human: HumanInputToolHandler | None = None,
        host: Callable[[], ToolHandler | None] = lambda: None,
        bounds: Bounds | None = None,
        asker_session: AskerSession | None = None,
        max_chars: int | None = None,
        watcher: CallWatcher | None = None,
    ) -> None:
        self._book = book
        self._door = door
        self.gate = gate
        self._origin = origin
        self._hooks = hooks
        self._hook_context = hook_context
        self._tasks = tasks
        self._watching = watching
        self._human = human
        self._host = host
        self._bounds = bounds or Bounds()
        self._asker_session = asker_session
        self._max_chars = max_chars
        self._watcher = watcher
        self._running: dict[ToolCall, _Running] = {}

    # --- in and out of the door --------------------------------------------------------------------------------------

    def arrive(
        self, call_id: str, name: str, raw: str | Mapping[str, object] | None, response_id: str = ""
    ) -> ToolCall | None:
        """Book what the model issued, and run it. None: it was a replay, not a call."""
        tool = self.gate.catalogue.find(name)
        booking = self._book.arrive(
            call_id,
            name,
            raw,
            response_id,
            now=current_time(),
            runs_when_interrupted=tool is not None and tool.definition.runs_when_interrupted,
        )
        match booking:
            case Replay():
                log.info("call %s came again and was not run again", call_id)
                return None
            case Unrunnable(call):
                job = self._tasks.spawn(self._finish(call), f"call {name}")
            case NewCall(call):
                job = self._tasks.spawn(self._run(call), f"call {name}")
        self._running[call] = _Running(job)
        return call

    def cancel(self, call_ids: Sequence[str]) -> None:
        """The provider gave these calls up: they end, their requests are withdrawn in this tick, nothing is sent."""
        for call in self._book.cancel(call_ids):
            self._cut(call)

    def end(self, *, but: ToolCall | None = None) -> list[Job]:
        """The session is over: every call ends and is reported, but the one whose own handler caused it."""
        for call in self._book.end(but=but):
            self._cut(call)
        return [running.job for call, running in self._running.items() if call is not but]

    @property
    def jobs(self) -> list[Job]:
        """The calls at work."""
        return [running.job for running in self._running.values()]

    def current_call(self) -> ToolCall | None:
        """The call of this pipeline from inside whose handler we are called, if any."""
        context = current_tool_call()
        if context is None or context.session_id != self._origin.session_id:
            return None
        return next((call for call in self._running if call.call_id == context.call_id), None)

    def _cut(self, call: ToolCall) -> None:
        running = self._running.get(call)
        if running is not None:
            if running.request is not None and self._human is not None:
                self._human.handler.release(running.request.pending_id)
            running.job.cancel()
        self._report(call, delivered=False)

    # --- one call ----------------------------------------------------------------------------------------------------

    async def _run(self, call: ToolCall) -> None:
        try:
            outcome = await self._outcome(call)
        except anyio.get_cancelled_exc_class():
            call.settle(CANCELLED)
            self._report(call, delivered=False)
            raise
        except Exception as error:
            log.exception("call %s of tool %s failed", call.call_id, call.name)
            outcome = failed(error)
        call.settle(outcome)
        await self._finish(call)

    async def _finish(self, call: ToolCall) -> None:
        """Deliver once, then report once."""
        delivered = False
        outcome = call.outcome
        try:
            if outcome is not None and self._book.claim_delivery(call):
                call.delivered_as = await self._door.deliver(call, sent_text(outcome), failed=outcome.is_error)
                delivered = True
                if self._watcher is not None:
                    await self._watcher.delivered(call)
        except (ConnectionEnded, ProviderError):
            log.info("the outcome of call %s could not be sent any more", call.call_id)
        finally:
            self._report(call, delivered=delivered)

    async def _outcome(self, call: ToolCall) -> Outcome:
        try:
            arguments = read_arguments(call.raw)
        except InvalidArguments as error:
            return refused(f"The arguments of {call.name!r} could not be read: {error}")
        admitted = self.gate.admit(call.name, arguments, self._origin.role())
        if isinstance(admitted, Outcome):
            return admitted
        call.arguments = admitted
        if self._hooks.chain(HookTrigger.BEFORE_TOOL_USE, _SYNC, self._origin.channel_type):
            allowed = await self.gate.ask_hooks(self._event(call), self._hook_context)
            if isinstance(allowed, Outcome):
                return allowed
            call.arguments = admitted = allowed
        if self._book.ended:
            return CANCELLED
        outcome = await self._serve(call, admitted)
        return self._bounded(await self._judge(call, outcome))

    async def _serve(self, call: ToolCall, arguments: dict[str, object]) -> Outcome:
        """A person's tool first, then the host's handler."""
        context = ToolCallContext(
            room_id=self._origin.room_id,
            call_id=call.call_id,
            channel_id=self._origin.channel_id,
            channel_type=self._origin.channel_type,
            session_id=self._origin.session_id,
            actor_id=self._origin.actor(),
            allowed_names=self.gate.catalogue.names,
            door=self._door.name,
        )
        asks_a_person = self._human is not None and self._human.serves(call.name)
        bound = self._bounds.of(call.name, asks_a_person=asks_a_person)
        try:
            if asks_a_person:
                text = await self._ask(call, arguments, context, bound)
                return Outcome(OutcomeKind.SERVED, text, never_cut=True)
            return await self._serve_host(call, arguments, context, bound)
        except UnservedToolCallError as error:
            return Outcome(OutcomeKind.UNSERVED, f"Nobody serves the tool {call.name!r}.", error_detail=str(error))
        except ToolRefusedError as error:
            return refused(str(error))
        except ToolFailedError as error:
            return Outcome(OutcomeKind.FAILED, str(error), error_detail=str(error))
        except BoundExceeded:
            words = f"The tool {call.name!r} took longer than {bound:g} s."
            return Outcome(OutcomeKind.FAILED, words, error_detail=words)
        except Exception as error:
            log.warning("tool %s failed", call.name, exc_info=error)
            return failed(error)

    async def _ask(
        self, call: ToolCall, arguments: dict[str, object], context: ToolCallContext, bound: float | None
    ) -> str:
        human = self._human
        if human is None:
            raise UnservedToolCallError(call.name)
        caller = Caller(context, self._asker_session, self._max_chars)
        channel_type = self._origin.channel_type
        if not human.asks(call.name):
            return await human.ask_for(caller, call.name, arguments, channel_type=channel_type)
        request = human.open(caller, call.name, arguments, channel_type=channel_type)
        self._asks(call, request)
        if bound is None:
            return await human.outcome(request)
        with anyio.move_on_after(bound):
            return await human.outcome(request)
        raise BoundExceeded

    async def _serve_host(
        self, call: ToolCall, arguments: dict[str, object], context: ToolCallContext, bound: float | None
    ) -> Outcome:
        host = self._host()
        if host is None:
            raise UnservedToolCallError("the channel has no tool_handler")
        tool = self.gate.catalogue.find(call.name)
        if tool is not None and needs_approval(tool.definition, arguments):
            arguments = await self._approved(call, tool.definition, arguments, context)
        call.move(CallEvent.SERVE)
        with tool_call_context(context):
            result = await run_users_code(partial(host, call.name, arguments), label=f"tool {call.name}", bound_s=bound)
        return Outcome(OutcomeKind.SERVED, result_text(result))

    async def _approved(
        self, call: ToolCall, tool: AITool, arguments: dict[str, object], context: ToolCallContext
    ) -> dict[str, object]:
        """Hold the call until somebody says that it may run; the arguments that it runs with."""
        if self._human is None:
            raise ToolRefusedError(f"Nobody can approve {tool.name!r} here. {NOTHING_EXECUTED}")
        caller = Caller(context, self._asker_session)
        request = open_approval(self._human, caller, tool, arguments, channel_type=self._origin.channel_type)
        self._asks(call, request)
        call.arguments = effective = await approved_arguments(self._human, request)
        return effective

    def _asks(self, call: ToolCall, request: PendingInput) -> None:
        self._running[call].request = request
        call.move(CallEvent.ASK)
        if self._watcher is not None:
            self._watcher.asking(call, request)

    async def _judge(self, call: ToolCall, outcome: Outcome) -> Outcome:
        """`ON_TOOL_CALL`'s SYNC hooks: block, replace, or serve what nobody served."""
        if not outcome.judged or not self._hooks.chain(HookTrigger.ON_TOOL_CALL, _SYNC, self._origin.channel_type):
            return outcome
        event = self._event(call, outcome)
        decision = await self._hooks.decide(HookTrigger.ON_TOOL_CALL, event, self._hook_context, apply=_with_result)
        if decision.blocked:
            words = decision.reason or f"The result of {call.name!r} was withheld."
            return Outcome(OutcomeKind.BLOCKED, words, error_detail=decision.failure)
        if decision.event.result == event.result:
            return outcome
        return Outcome(OutcomeKind.SERVED, decision.event.result or "")

    def _bounded(self, outcome: Outcome) -> Outcome:
        limit = self._bounds.result_chars
        if self._max_chars is not None:
            limit = min(limit, self._max_chars)
        length = len(outcome.text)
        if outcome.never_cut or length <= limit:
            return outcome
        note = f"\n[cut: {length} characters, of which these are the first]"
        return replace(outcome, text=outcome.text[: max(0, limit - len(note))] + note)

    # --- its report --------------------------------------------------------------------------------------------------

    def _report(self, call: ToolCall, *, delivered: bool) -> None:
        if not self._book.claim_report(call):
            return
        self._running.pop(call, None)
        if self._hooks.chain(HookTrigger.ON_TOOL_CALL, _ASYNC, self._origin.channel_type):
            event = self._event(call, call.outcome, delivered=delivered)
            self._hooks.observe(HookTrigger.ON_TOOL_CALL, event, self._hook_context, self._watching)
        if self._watcher is not None:
            self._watcher.reported(call)

    def _event(self, call: ToolCall, outcome: Outcome | None = None, *, delivered: bool = False) -> ToolCallEvent:
        origin = self._origin
        unread = call.arguments is None and call.raw is not None
        return ToolCallEvent(
            channel_id=origin.channel_id,
            channel_type=origin.channel_type,
            room_id=origin.room_id,
            session_id=origin.session_id,
            tool_name=call.name,
            arguments=dict(call.arguments or {}),
            tool_call_id=call.call_id,
            door=self._door.name,
            actor_id=origin.actor(),
            result=outcome.text if outcome is not None else None,
            is_error=outcome is not None and outcome.is_error,
            refused=outcome is not None and outcome.refused,
            cancelled=outcome is not None and outcome.cancelled,
            error_detail=outcome.error_detail if outcome is not None else None,
            delivered=delivered,
            delivered_as=call.delivered_as if delivered else None,
            duration_ms=(current_time() - call.arrived_at) * 1000,
            raw_arguments=str(call.raw) if unread else None,
        )


def sent_text(outcome: Outcome) -> str:
    """What goes out: the result as it is, or the words of an error as `{"error": ...}`."""
    return json.dumps({"error": outcome.text}, ensure_ascii=False) if outcome.is_error else outcome.text


def failed(error: Exception) -> Outcome:
    """What the model reads of a failure: that it failed, and the class of error, never the message."""
    kind = type(error).__name__
    return Outcome(OutcomeKind.FAILED, f"The tool call failed ({kind}).", error_detail=f"{kind}: {error}")


def result_text(result: object) -> str:
    """A handler's result as the model reads it: a string verbatim, anything else as JSON."""
    return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, allow_nan=False)


def _with_result(event: ToolCallEvent, metadata: Mapping[str, object]) -> ToolCallEvent:
    if "result" not in metadata:
        return event
    return replace(event, result=result_text(metadata["result"]))
