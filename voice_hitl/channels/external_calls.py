"""The calls of a text channel that are not its own: the provider ran them, or runs them once that was approved."""

import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar, cast

import anyio

from voice_hitl.calls.book import CANCELLED, Book, Replay
from voice_hitl.calls.call import ToolCall
from voice_hitl.calls.outcome import Outcome
from voice_hitl.channels.text_events import TextCallEnded
from voice_hitl.chat import ChatCall, ChatModel, RunsTools
from voice_hitl.doors.gate import Gate
from voice_hitl.doors.pipeline import sent_text
from voice_hitl.doors.serving import failed
from voice_hitl.enums import ChannelType, DoorName, HookExecution, HookTrigger, OutcomeKind
from voice_hitl.errors import InvalidArguments
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext, Hooks
from voice_hitl.human_input.external import (
    ExternalCall,
    ExternalToolHandler,
    ToolDecision,
    external_text,
    takes_detail,
)
from voice_hitl.requests.pending import copy_json
from voice_hitl.tasks import Job, Tasks, current_time, end_jobs, run_users_code
from voice_hitl.tools.calls import ServedCall
from voice_hitl.tools.context import ToolCallContext, tool_call_context
from voice_hitl.tools.schema import read_arguments

log = logging.getLogger(__name__)

T = TypeVar("T")

REMEMBERED: Final = 1024
"""How many calls that are not reported yet, and how many that are, one channel remembers: the latest."""

TEARDOWN_S = 1.0
"""How long a handler may take to hear that a call was cancelled, in seconds: the turn's end waits for it."""


class ExternalReporting:
    """Reports such calls to one channel's hooks (`ExternalReports`).

    Args:
        channel_id: The channel.
        hooks: The kit's hooks, as they are now.
        context: Where they run, by room.
        watching: Runs those that only watch.
    """

    def __init__(
        self, channel_id: str, hooks: Callable[[], Hooks], context: Callable[[str], HookContext], watching: Tasks
    ) -> None:
        self._channel_id = channel_id
        self._hooks = hooks
        self._context = context
        self._watching = watching
        self._open: dict[tuple[str, str], ToolCallContext] = {}
        self._over: dict[tuple[str, str], None] = {}

    def begin(self, room_id: str, call_id: str, context: ToolCallContext) -> None:
        """From here the call is reported once."""
        self._open[room_id, call_id] = context
        _keep_latest(self._open)  # of a handler that tells somebody itself, and not us, no report ever comes
        self._over.pop((room_id, call_id), None)

    def report(self, call: ExternalCall, outcome: Outcome) -> None:
        """Tell `ON_TOOL_CALL`'s observers, once a call."""
        key = (call.room_id, call.call_id)
        context = self._open.pop(key, None)
        if context is None and key in self._over:
            return
        self._over[key] = None
        _keep_latest(self._over)
        hooks = self._hooks()
        event = replace(
            self._event(call, context),
            result=outcome.text,
            outcome=outcome.kind,
            error_detail=outcome.error_detail,
            delivered=outcome.answerable and not outcome.cancelled,
            delivered_as="output" if outcome.answerable and not outcome.cancelled else None,
            raw_arguments=call.raw,
        )
        # A call that closed its own channel outlives it; so do the hooks that hear of its end.
        watching = Tasks("hooks of a call that closed its channel") if self._watching.closed else self._watching
        hooks.observe(HookTrigger.ON_TOOL_CALL, event, self._context(call.room_id), watching)

    async def ask_hooks(self, call: ExternalCall) -> ToolDecision:
        """Run `BEFORE_TOOL_USE`. What it rewrites cannot be passed on: such a call is refused."""
        context = self._open.get((call.room_id, call.call_id))
        hooks, event, where = self._hooks(), self._event(call, context), self._context(call.room_id)
        if hooks.chain(HookTrigger.BEFORE_TOOL_USE, HookExecution.ASYNC, ChannelType.AI):
            watched = self._event(call, context)
            hooks.observe(HookTrigger.BEFORE_TOOL_USE, watched, where, self._watching)
        decision = await hooks.decide(HookTrigger.BEFORE_TOOL_USE, event, where, apply=_rewritten)
        refusal = f"The tool {call.name!r} was not run."
        if decision.blocked:
            return ToolDecision(approved=False, reason=decision.reason or refusal, detail=decision.failure)
        if decision.event.arguments != call.arguments:
            detail = "a hook rewrote the arguments of a call that its provider runs as it proposed it"
            return ToolDecision(approved=False, reason=refusal, detail=detail)
        return ToolDecision(approved=True)

    def _event(self, call: ExternalCall, context: ToolCallContext | None) -> ToolCallEvent:
        return ToolCallEvent(
            channel_id=self._channel_id,
            channel_type=ChannelType.AI,
            room_id=call.room_id,
            session_id="" if context is None else context.session_id,
            tool_name=call.name,
            arguments=copy_json(call.arguments),
            tool_call_id=call.call_id,
            door=DoorName.TEXT_CALL,
            actor_id=None if context is None else context.actor_id,
        )


def _keep_latest(calls: dict[tuple[str, str], T]) -> None:
    while len(calls) > REMEMBERED:
        del calls[next(iter(calls))]


def _rewritten(event: ToolCallEvent, metadata: Mapping[str, object]) -> ToolCallEvent:
    return replace(event, arguments={"rewritten": metadata["arguments"]}) if "arguments" in metadata else event


class ExternalCalls:
    """Those of one turn.

    Args:
        handler: Decides on them; None: what the provider ran is reported all the same.
        model: The provider, which may run tools.
        reports: Where they are reported.
        context: Whose calls they are.
        tasks: Runs them.
        ended: Is told of each that is over.
    """

    def __init__(
        self,
        *,
        handler: ExternalToolHandler | None,
        model: ChatModel,
        reports: ExternalReporting,
        context: ToolCallContext,
        tasks: Tasks,
        ended: Callable[[TextCallEnded], None],
    ) -> None:
        self._handler = handler
        self._model = model
        self._reports = reports
        self._context = context
        self._tasks = tasks
        self._ended = ended
        self._book = Book()
        self._jobs: dict[str, Job] = {}
        self._open: dict[str, tuple[ChatCall, dict[str, object]]] = {}

    def takes(self, call: ChatCall, gate: Gate, *, served_here: bool) -> bool:
        """Whether the call is not the channel's: it ran already, or is to a tool that the channel does not serve."""
        if call.served is not None:
            return True
        return self._handler is not None and not served_here and gate.catalogue.find(call.name) is None

    def begin(self, call: ChatCall, results: dict[str, str], response_id: str) -> bool:
        """Take up a call of this response; its result is put into `results`. False: it has none, or is no call."""
        booking = self._book.arrive(call.call_id, call.name, call.arguments, response_id, now=current_time())
        if isinstance(booking, Replay):
            return False
        booked = booking.call
        self._reports.begin(self._context.room_id, call.call_id, replace(self._context, call_id=call.call_id))
        if booked.outcome is not None:
            self._reports.report(self._told_of(call, {}), booked.outcome)
            return False
        try:
            arguments = read_arguments(call.arguments)
        except InvalidArguments as error:
            outcome = Outcome(OutcomeKind.REFUSED, f"The arguments of {call.name!r} could not be read: {error}")
            self._reports.report(self._told_of(call, {}, raw=str(call.arguments)), outcome)
            self._over(booked, outcome, results)
            return True
        self._open[call.call_id] = call, arguments
        work = self._run(call, booked, arguments, results)
        self._jobs[call.call_id] = self._tasks.spawn(work, f"call {call.name}")
        return True

    async def wait(self) -> None:
        """Wait until every one of the round is over."""
        for job in list(self._jobs.values()):
            await job.wait()
        self._jobs.clear()

    async def end(self, *, but: Collection[Job]) -> None:
        """The turn was cut, or is over: what still runs is cancelled, and the handler hears of it."""
        jobs = {call_id: job for call_id, job in self._jobs.items() if job not in but}
        for job in jobs.values():
            job.cancel()  # before anything else runs: what was not asked is not asked any more
        await end_jobs(jobs.values(), patience_s=0.0)
        for call_id in jobs.keys() & self._open.keys():
            await self._cut(*self._open.pop(call_id))

    # --- one call ----------------------------------------------------------------------------------------------------

    async def _run(
        self, call: ChatCall, booked: ToolCall, arguments: dict[str, object], results: dict[str, str]
    ) -> None:
        try:
            with tool_call_context(replace(self._context, call_id=call.call_id)):
                outcome = await self._outcome(call, arguments)
        except Exception as error:
            log.warning("external call %s of %s failed", call.call_id, call.name, exc_info=error)
            outcome = failed(error)
            self._reports.report(self._told_of(call, arguments), outcome)
        self._open.pop(call.call_id, None)
        self._over(booked, outcome, results)

    async def _outcome(self, call: ChatCall, arguments: dict[str, object]) -> Outcome:
        handler, served = self._handler, call.served
        if served is None and handler is not None:
            decision = await self._decide(handler, call, arguments)
            if not decision.approved:
                await self._tell_refused(handler, call, arguments, decision)
                return Outcome(OutcomeKind.REFUSED, decision.reason)
            if not isinstance(self._model, RunsTools):
                raise TypeError(f"{self._model.name} runs no tools, so nobody runs {call.name!r}")
            served = await self._model.run_tool(call)
        if served is None:
            raise TypeError("a call that nobody ran and nobody decides on is the channel's own")
        outcome = _of(served)
        if handler is None:
            self._reports.report(self._told_of(call, arguments), outcome)
        else:
            told = partial(
                handler.on_tool_result, call.name, arguments, served.result, **self._ids(call), is_error=served.is_error
            )
            await run_users_code(told, label=f"on_tool_result of {call.name}")
        return outcome

    async def _decide(self, handler: ExternalToolHandler, call: ChatCall, arguments: dict[str, object]) -> ToolDecision:
        asked = partial(handler.process_tool_call, call.name, copy_json(arguments), **self._ids(call))
        decision = cast("object", await run_users_code(asked, label=f"process_tool_call of {call.name}"))
        if not isinstance(decision, ToolDecision):
            raise TypeError(f"process_tool_call returns a ToolDecision, not {type(decision).__name__}")
        return decision

    async def _tell_refused(
        self, handler: ExternalToolHandler, call: ChatCall, arguments: dict[str, object], decision: ToolDecision
    ) -> None:
        told = partial(handler.on_tool_refused, call.name, arguments, decision.reason, **self._ids(call))
        if decision.detail is not None and takes_detail(handler.on_tool_refused):
            told = partial(told, detail=decision.detail)
        await run_users_code(told, label=f"on_tool_refused of {call.name}")

    async def _cut(self, call: ChatCall, arguments: dict[str, object]) -> None:
        """A call that the end of its turn cut: what the provider ran before is told as that, any other as cancelled."""
        outcome = CANCELLED if call.served is None else replace(_of(call.served), answerable=False)
        if self._handler is not None and call.served is None:
            told = partial(self._handler.on_tool_cancelled, call.name, arguments, **self._ids(call))
            with anyio.CancelScope(shield=True):
                try:
                    await run_users_code(told, label=f"on_tool_cancelled of {call.name}", bound_s=TEARDOWN_S)
                except Exception as error:  # the border to users' code: the turn ends all the same
                    log.warning("on_tool_cancelled of %s failed", call.name, exc_info=error)
                else:
                    return
        self._reports.report(self._told_of(call, arguments), outcome)

    def _ids(self, call: ChatCall) -> "dict[str, str]":
        return {"tool_call_id": call.call_id, "room_id": self._context.room_id}

    def _told_of(self, call: ChatCall, arguments: dict[str, object], *, raw: str | None = None) -> ExternalCall:
        return ExternalCall(call.name, arguments, call.call_id, self._context.room_id, raw)

    def _over(self, call: ToolCall, outcome: Outcome, results: dict[str, str]) -> None:
        call.settle(outcome)
        self._book.claim_report(call)
        results[call.call_id] = text = sent_text(outcome)
        self._ended(TextCallEnded(call.call_id, call.name, outcome.kind, text))


def _of(served: ServedCall) -> Outcome:
    return Outcome(OutcomeKind.FAILED if served.is_error else OutcomeKind.SERVED, external_text(served.result))
