"""The one executor of tool calls: gate, serve, judge, bound, deliver, report. A door is only its `deliver`."""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import anyio

from voice_hitl.calls.book import CANCELLED, Book, NewCall, Replay, Unrunnable
from voice_hitl.calls.call import ToolCall
from voice_hitl.calls.outcome import Outcome
from voice_hitl.doors.gate import Gate, refused
from voice_hitl.doors.serving import Origin, Servers, Serving, Waits, failed, result_text
from voice_hitl.enums import DoorName, HookExecution, HookTrigger, OutcomeKind
from voice_hitl.errors import ConnectionEnded, InvalidArguments, ProviderError
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext, Hooks
from voice_hitl.questions.plain_text import as_unicode
from voice_hitl.requests.pending import MASKED, PendingInput, copy_json
from voice_hitl.tasks import Job, Tasks, current_time
from voice_hitl.tools.schema import read_arguments

log = logging.getLogger(__name__)

_SYNC = HookExecution.SYNC
_ASYNC = HookExecution.ASYNC


class Door(Protocol):
    """A way a call comes in. It differs from another only in how it delivers the outcome."""

    @property
    def name(self) -> DoorName:
        """Which door it is."""
        ...

    def deliver(self, call: ToolCall, text: str, *, failed: bool) -> Awaitable[str]:
        """Send the outcome; say how: `"output"` or `"text"`. `ConnectionEnded`: it could not be sent any more."""
        ...


class CallWatcher(Waits, Protocol):
    """What a session wants to know of its calls as they move."""

    def delivered(self, call: ToolCall) -> None:
        """Its outcome is on its way."""
        ...

    def reported(self, call: ToolCall) -> None:
        """It is over."""
        ...


@dataclass(slots=True)
class _Running:
    job: Job
    request: PendingInput | None = None


class _Waiting:
    """The waits of the calls that run (`Waits`)."""

    def __init__(self, running: Mapping[ToolCall, _Running], watcher: CallWatcher) -> None:
        self._running = running
        self._watcher = watcher

    def asking(self, call: ToolCall, request: PendingInput) -> None:
        """The call waits for a person from here; whoever cancels it withdraws the request."""
        self._running[call].request = request
        call.sensitive = request.sensitive
        self._watcher.asking(call, request)

    def answered(self, call: ToolCall) -> None:
        """It waits no longer, and is about to run."""
        self._watcher.answered(call)


class Pipeline:
    """Runs the calls that come through one door of one session, each in a task of its own.

    A call's task is a barrier: whatever happens in it becomes an outcome and never reaches the session.

    Args:
        book: The session's calls.
        door: How an outcome goes back.
        gate: What may run; may be replaced while calls run, which keep the one they came through.
        origin: Whose calls they are.
        servers: Who serves them.
        hooks: The kit's hooks, as they are now.
        hook_context: Where they run.
        tasks: Runs the calls.
        watching: Runs the hooks that only watch.
        watcher: Is told how the calls move.
    """

    def __init__(
        self,
        *,
        book: Book,
        door: Door,
        gate: Gate,
        origin: Origin,
        servers: Servers,
        hooks: Callable[[], Hooks],
        hook_context: HookContext,
        tasks: Tasks,
        watching: Tasks,
        watcher: CallWatcher,
    ) -> None:
        self.gate = gate
        self._book = book
        self._door = door
        self._origin = origin
        self._servers = servers
        self._running: dict[ToolCall, _Running] = {}
        self._serving = Serving(servers, origin, door.name, _Waiting(self._running, watcher))
        self._hooks = hooks
        self._hook_context = hook_context
        self._tasks = tasks
        self._watching = watching
        self._watcher = watcher

    # --- in and out of the door --------------------------------------------------------------------------------------

    def arrive(
        self, call_id: str, name: str, raw: str | Mapping[str, object] | None, response_id: str = ""
    ) -> ToolCall | None:
        """Book what the model issued, and run it from the next tick on. None: it was a replay, not a call."""
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
                work = self._finish(call)
            case NewCall(call):
                work = self._run(call)
        call.actor = self._origin.actor()
        self._running[call] = _Running(self._tasks.spawn(work, f"call {name}"))
        return call

    def cancel(self, call_ids: Sequence[str]) -> None:
        """The provider gave these calls up: they end, their requests are withdrawn in this tick, nothing is sent."""
        for call in self._book.cancel(call_ids, now=current_time()):
            self._cut(call)

    def end(self, *, but: ToolCall | None = None) -> None:
        """The session is over: every call ends and is reported in this tick, but the one whose own handler caused it.

        One that is being delivered right now is left to `jobs`, for whoever ends them.
        """
        for call in self._book.end(but=but):
            self._cut(call)
        if but is not None:
            # It outlives the session; so do the hooks that hear of its end, each within its own bound.
            self._watching = Tasks("hooks of a call that ended its session")

    @property
    def jobs(self) -> list[Job]:
        """The calls at work, oldest first."""
        return [running.job for running in self._running.values()]

    def current_call(self) -> ToolCall | None:
        """The call inside whose task (a handler, a hook of it) the caller runs, if any."""
        return next((call for call, running in self._running.items() if running.job.is_current), None)

    def _cut(self, call: ToolCall) -> None:
        running = self._running.get(call)
        if running is not None:
            if running.request is not None and self._servers.human is not None:
                self._servers.human.handler.release(running.request.pending_id)
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
        running = self._running.get(call)
        if running is not None and running.request is not None:
            call.answered_by = running.request.answered_by
        call.settle(_sendable(outcome))
        await self._finish(call)

    async def _finish(self, call: ToolCall) -> None:
        """Deliver once, then report once."""
        delivered = False
        outcome = call.outcome
        try:
            if outcome is not None and self._book.claim_delivery(call):
                call.delivered_as = await self._door.deliver(call, sent_text(outcome), failed=outcome.is_error)
                delivered = True
                self._watcher.delivered(call)
        except (ConnectionEnded, ProviderError) as error:
            log.info("the outcome of call %s could not be sent: %s", call.call_id, error)
        finally:
            self._report(call, delivered=delivered)

    async def _outcome(self, call: ToolCall) -> Outcome:
        gate = self.gate
        try:
            arguments = read_arguments(call.raw)
        except InvalidArguments as error:
            return refused(f"The arguments of {call.name!r} could not be read: {error}")
        admitted = gate.admit(call.name, arguments)
        if isinstance(admitted, Outcome):
            return admitted
        call.arguments = admitted
        hooks, channel_type = self._hooks(), self._origin.channel_type
        if hooks.chain(HookTrigger.BEFORE_TOOL_USE, _ASYNC, channel_type):
            # An event of its own: who only watches changes nothing.
            hooks.observe(HookTrigger.BEFORE_TOOL_USE, self._event(call), self._hook_context, self._watching)
        if hooks.chain(HookTrigger.BEFORE_TOOL_USE, _SYNC, channel_type):
            allowed = await gate.ask_hooks(hooks, self._event(call), self._hook_context)
            if isinstance(allowed, Outcome):
                return allowed
            call.arguments = admitted = allowed
        if self._book.ended:
            return CANCELLED
        outcome = await self._serving.serve(call, admitted, gate)
        return self._bounded(await self._judge(call, outcome))

    async def _judge(self, call: ToolCall, outcome: Outcome) -> Outcome:
        """`ON_TOOL_CALL`'s SYNC hooks: block, replace, or serve what nobody served."""
        hooks = self._hooks()
        if not outcome.judged or not hooks.chain(HookTrigger.ON_TOOL_CALL, _SYNC, self._origin.channel_type):
            return outcome
        event = self._event(call, outcome)
        decision = await hooks.decide(HookTrigger.ON_TOOL_CALL, event, self._hook_context, apply=_with_result)
        if decision.blocked:
            words = decision.reason or f"The result of {call.name!r} was withheld."
            return Outcome(OutcomeKind.BLOCKED, words, error_detail=decision.failure)
        if decision.event is event:
            return outcome
        return Outcome(OutcomeKind.SERVED, decision.event.result or "")

    def _bounded(self, outcome: Outcome) -> Outcome:
        limit = self._servers.bounds.result_chars
        if self._servers.max_chars is not None:
            limit = min(limit, self._servers.max_chars)
        length = len(outcome.text)
        if outcome.never_cut or (length <= limit and not outcome.is_error):
            return outcome
        # What an error is wrapped in counts too: the provider's own limit is on what is sent.
        over = len(sent_text(outcome)) - limit
        if over <= 0:
            return outcome
        note = f"\n[cut: {length} characters, of which these are the first]"
        return replace(outcome, text=outcome.text[: max(0, length - over - len(note) - 1)] + note)

    # --- its report --------------------------------------------------------------------------------------------------

    def _report(self, call: ToolCall, *, delivered: bool) -> None:
        if not self._book.claim_report(call):
            return
        self._running.pop(call, None)
        self._watcher.reported(call)
        if self._hooks().chain(HookTrigger.ON_TOOL_CALL, _ASYNC, self._origin.channel_type):
            # First whoever goes on with it, then who only watches.
            self._watching.soon(partial(self._tell, call, delivered, current_time(), self._watching))

    def _tell(self, call: ToolCall, delivered: bool, ended_at: float, watching: Tasks) -> None:
        event = self._event(call, call.outcome, delivered=delivered, at=ended_at)
        self._hooks().observe(HookTrigger.ON_TOOL_CALL, event, self._hook_context, watching)

    def _event(
        self, call: ToolCall, outcome: Outcome | None = None, *, delivered: bool = False, at: float | None = None
    ) -> ToolCallEvent:
        origin = self._origin
        result = outcome.text if outcome is not None else None
        unread = call.arguments is None and call.raw is not None
        return ToolCallEvent(
            channel_id=origin.channel_id,
            channel_type=origin.channel_type,
            room_id=origin.room_id,
            session_id=origin.session_id,
            tool_name=call.name,
            arguments=copy_json(call.arguments or {}),
            tool_call_id=call.call_id,
            door=self._door.name,
            actor_id=call.actor.id,
            result=MASKED if call.sensitive and result else result,
            outcome=outcome.kind if outcome is not None else None,
            error_detail=outcome.error_detail if outcome is not None else None,
            delivered=delivered,
            delivered_as=call.delivered_as if delivered else None,
            duration_ms=((current_time() if at is None else at) - call.arrived_at) * 1000,
            raw_arguments=str(call.raw) if unread else None,
            proposed_arguments=copy_json(call.proposed) if call.proposed is not None else None,
        )


def sent_text(outcome: Outcome) -> str:
    """What goes out: the result as it is, or the words of an error as `{"error": ...}`."""
    return json.dumps({"error": outcome.text}, ensure_ascii=False) if outcome.is_error else outcome.text


def _sendable(outcome: Outcome) -> Outcome:
    text = as_unicode(outcome.text)
    return outcome if text is outcome.text else replace(outcome, text=text)


def _with_result(event: ToolCallEvent, metadata: Mapping[str, object]) -> ToolCallEvent:
    if "result" not in metadata:
        return event
    try:
        return replace(event, result=result_text(metadata["result"]))
    except (TypeError, ValueError) as error:
        log.warning("a hook's result for %s is not JSON, and was not taken: %s", event.tool_name, error)
        return event
