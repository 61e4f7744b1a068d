"""Who runs the calls of a text turn: its channel, or somebody else who has it only think."""

from collections.abc import Callable, Mapping
from typing import Protocol

import anyio

from voice_hitl.calls.book import CANCELLED, Book, NewCall, Replay, Unrunnable
from voice_hitl.calls.call import CallEvent, ToolCall
from voice_hitl.calls.outcome import Outcome
from voice_hitl.doors.gate import Gate
from voice_hitl.doors.pipeline import sent_text
from voice_hitl.doors.serving import failed
from voice_hitl.enums import OutcomeKind
from voice_hitl.reasoning import ExecuteToolCall
from voice_hitl.tasks import Job, Tasks, current_time
from voice_hitl.tools.calls import AIToolCall


class TurnCalls(Protocol):
    """Runs calls of a turn, each in a task of its own. A `Pipeline` is one."""

    gate: Gate
    """What the model is told that it may call."""

    def arrive(
        self, call_id: str, name: str, raw: str | Mapping[str, object] | None, response_id: str = ""
    ) -> ToolCall | None:
        """Take what the model issued, and run it. None: it was a replay, not a call."""
        ...

    def end(self, *, but: ToolCall | None = None) -> None:
        """The turn is over: every call ends in this tick, but this one."""
        ...

    @property
    def jobs(self) -> list[Job]:
        """The calls at work, oldest first."""
        ...

    def current_call(self) -> ToolCall | None:
        """The call inside whose task the caller runs, if any."""
        ...


class HandedOnCalls:
    """Calls that somebody else runs and gates: here they are only booked, and their results taken.

    Args:
        execute: Runs one and returns what the model reads.
        gate: What the model is told that it may call. With nothing in it, nothing is handed on any more.
        tasks: Waits for them.
        keep: Takes the result of one.
        reported: Is told that one is over.
    """

    def __init__(
        self,
        *,
        execute: ExecuteToolCall,
        gate: Gate,
        tasks: Tasks,
        keep: Callable[[ToolCall, str], None],
        reported: Callable[[ToolCall], None],
    ) -> None:
        self.gate = gate
        self._execute = execute
        self._tasks = tasks
        self._keep = keep
        self._reported = reported
        self._book = Book()
        self._running: dict[ToolCall, Job] = {}

    def arrive(
        self, call_id: str, name: str, raw: str | Mapping[str, object] | None, response_id: str = ""
    ) -> ToolCall | None:
        """Book what the model issued, and hand it on."""
        match self._book.arrive(call_id, name, raw, response_id, now=current_time()):
            case Replay():
                return None
            case Unrunnable(call):
                self._report(call)
            case NewCall(call):
                self._running[call] = self._tasks.spawn(self._run(call), f"call {name}")
        return call

    def end(self, *, but: ToolCall | None = None) -> None:
        """The turn is over: what waits is given up in this tick, and whoever runs it hears of it."""
        for call in self._book.end(but=but):
            job = self._running.get(call)
            if job is not None:
                job.cancel()
            self._report(call)

    @property
    def jobs(self) -> list[Job]:
        """The calls at work, oldest first."""
        return list(self._running.values())

    def current_call(self) -> ToolCall | None:
        """The call inside whose task the caller runs, if any."""
        return next((call for call, job in self._running.items() if job.is_current), None)

    async def _run(self, call: ToolCall) -> None:
        call.move(CallEvent.SERVE)
        try:
            call.settle(await self._outcome(call))
        except anyio.get_cancelled_exc_class():
            call.settle(CANCELLED)
            raise
        finally:
            outcome = call.outcome
            if outcome is not None and self._book.claim_delivery(call):
                self._keep(call, sent_text(outcome))
            self._report(call)

    async def _outcome(self, call: ToolCall) -> Outcome:
        if not len(self.gate.catalogue) and not self.gate.undeclared_pass:
            return Outcome(OutcomeKind.REFUSED, f"No tool may be called any more, {call.name!r} neither.")
        try:
            text = await self._execute(AIToolCall(call.call_id, call.name, call.raw), response_id=call.response_id)
        except Exception as error:  # noqa: BLE001 - whoever runs it is users' code: it becomes an outcome here
            return failed(error)
        return Outcome(OutcomeKind.SERVED, text)

    def _report(self, call: ToolCall) -> None:
        if self._book.claim_report(call):
            self._running.pop(call, None)
            self._reported(call)
