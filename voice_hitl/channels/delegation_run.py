"""One delegation at work: a run of the reasoning backend, its calls, and what the model gets of it."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from typing import cast

import anyio

from voice_hitl.calls.book import Book
from voice_hitl.calls.call import ToolCall
from voice_hitl.channels.delegation_words import InVain
from voice_hitl.channels.pausing_bound import PausingBound
from voice_hitl.doors.delegation import DelegationDoor, delegated_call_id
from voice_hitl.doors.gate import Gate
from voice_hitl.doors.pipeline import CallWatcher, Pipeline
from voice_hitl.errors import ReasoningCutShort
from voice_hitl.questions.plain_text import as_unicode
from voice_hitl.reasoning import ExecuteToolCall, ReasoningBackend, ReasoningOutput, ReasoningRequest
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tasks import GRACE_S, Job, Mailbox, Tasks, Timer, run_users_code
from voice_hitl.tools.calls import AIToolCall

log = logging.getLogger(__name__)

OVER = ReasoningOutput("", spoken=False, is_final=True)
"""Says that nothing more comes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSetup:
    """What a run is made of; its session puts it together.

    Args:
        delegation_id: Which delegation.
        backend: Who works on it.
        request: What it is given, once it is known how its calls are run.
        pipeline: Runs its calls: behind this door, in this book, telling this watcher.
        gate: What its calls have to pass, as the session has it now.
        timeout_s: How long it may take while nobody is asked; None: no bound.
        send: Gives the model some output.
        in_vain: Tells that it came to nothing, why (`""`: nothing that failed), and returns what the caller hears.
        watcher: Is told how its calls move.
        tasks: Runs it.
    """

    delegation_id: str
    backend: ReasoningBackend
    request: Callable[[ExecuteToolCall], ReasoningRequest]
    pipeline: Callable[[DelegationDoor, Book, CallWatcher], Pipeline]
    gate: Callable[[], Gate]
    timeout_s: float | None
    send: Callable[[ReasoningOutput], Awaitable[None]]
    in_vain: Callable[[InVain, str], str]
    watcher: CallWatcher
    tasks: Tasks


class DelegationRun:
    """One run. It ends once: with its last output, with a fixed sentence, or unheard, with its session."""

    def __init__(self, setup: RunSetup) -> None:
        self._setup = setup
        self._door = DelegationDoor()
        self._calls: dict[str, ToolCall] = {}
        self._outputs: Mailbox[ReasoningOutput] = Mailbox()
        self._has_output = False
        self._closing: Timer | None = None
        self.is_over = False
        """Whether nothing more is taken from the backend."""
        self.pipeline = setup.pipeline(self._door, Book(), self)
        self.bound = PausingBound(setup.timeout_s, self._expire)
        label = f"delegation {setup.delegation_id}"
        self._sending = setup.tasks.spawn(self._send(), f"output of {label}")
        self._working: Job = setup.tasks.spawn(self._work(label), label)

    @property
    def done(self) -> bool:
        """Whether all of it has ended."""
        return self._sending.done and self._working.done and not self.pipeline.jobs

    def end(self) -> None:
        """The session is over: nothing is said, the backend and its calls are cancelled in this tick.

        The call, or the run, from inside which this is called is left to its end.
        """
        self._stop()
        self._sending.cancel()
        if not self._working.is_current:
            self._working.cancel()

    # --- the backend's work ------------------------------------------------------------------------------------------

    async def _work(self, label: str) -> None:
        try:
            await run_users_code(self._reason, label=f"reasoning backend, {label}")
        except ReasoningCutShort as why:
            log.info("%s was cut short: %s", label, why)
            self._came_to_nothing("cut_short")
        except Exception as error:
            if not self.is_over:
                log.warning("%s failed", label, exc_info=error)
            self._came_to_nothing("failed", f"{type(error).__name__}: {error}")
        else:
            if self._has_output:
                self._conclude(OVER)
            else:
                self._came_to_nothing("no_output")
        finally:
            if self._closing is not None:
                self._closing.cancel()

    async def _reason(self) -> None:
        """Read what the backend yields, up to its last output. Users' code: it runs apart."""
        setup = self._setup
        outputs = cast("object", setup.backend.reason(setup.request(self.execute)))
        if not isinstance(outputs, AsyncIterator):
            close = getattr(outputs, "close", None)  # a coroutine, where `yield` was forgotten
            if callable(close):
                close()
            raise TypeError(f"reason() must be an async generator, and gave {type(outputs).__name__}")
        try:
            async for output in cast("AsyncIterator[object]", outputs):
                self._take(output)
                if self.is_over:
                    break
        finally:
            aclose = getattr(cast("object", outputs), "aclose", None)
            if aclose is not None:
                await aclose()

    def _take(self, output: object) -> None:
        if self.is_over:
            return
        if not isinstance(output, ReasoningOutput) or not isinstance(cast("object", output.text), str):
            raise TypeError(f"reason() yields ReasoningOutput with a text, and gave {type(output).__name__}")
        output = replace(output, text=as_unicode(output.text))
        self._has_output = self._has_output or bool(output.text)
        if not output.is_final:
            if output.text:
                self._outputs.put(output)
        elif self._has_output:
            self._conclude(output)
        else:
            self._came_to_nothing("no_output")

    def _expire(self) -> None:
        log.warning("delegation %s took longer than its bound", self._setup.delegation_id)
        self._came_to_nothing("timed_out")
        self._working.cancel()

    # --- its end -----------------------------------------------------------------------------------------------------

    def _came_to_nothing(self, how: InVain, why: str = "") -> None:
        if not self.is_over:
            self._conclude(ReasoningOutput(self._setup.in_vain(how, why), is_final=True))

    def _conclude(self, last: ReasoningOutput) -> None:
        """The last output goes out; the backend has a moment to close in, and its calls are over."""
        if self.is_over:
            return
        self._outputs.put(last)
        self._stop()
        self._closing = Timer(GRACE_S, self._working.cancel)

    def _stop(self) -> None:
        self.is_over = True
        self.bound.stop()
        self._outputs.close()
        self.pipeline.end(but=self.pipeline.current_call())

    async def _send(self) -> None:
        async for output in self._outputs:
            await self._setup.send(output)

    # --- its calls ---------------------------------------------------------------------------------------------------

    async def execute(self, call: AIToolCall, *, response_id: str = "") -> str:
        """Run a call of the backend's model (`ExecuteToolCall`)."""
        delegation_id = self._setup.delegation_id
        call_id = delegated_call_id(delegation_id, call.id)
        booked: ToolCall | None = None
        if not self._setup.tasks.closed:
            self.pipeline.gate = self._setup.gate()  # tools and roles may have changed while the backend worked
            booked = self.pipeline.arrive(call_id, call.name, call.arguments, f"{delegation_id}/{response_id}")
        if booked is None:
            first = self._calls.get(call_id)
            if first is not None:
                return await self._door.returned(first)  # a replay returns what the call did
            await anyio.sleep(GRACE_S)  # everything is over, and whoever still calls has a moment to end in
            return self._door.given_up
        if booked.outcome is None or booked.outcome.answerable:
            self._calls[call_id] = booked
        try:
            return await self._door.returned(booked)
        except anyio.get_cancelled_exc_class():
            # Once it is over, what was to end has, and the call that caused it runs on. The id of a call that was
            # refused for it is another's.
            if not self.is_over and self._calls.get(call_id) is booked:
                self.pipeline.cancel([call_id])
            raise

    def asking(self, call: ToolCall, request: PendingInput) -> None:
        """A call waits for a person."""
        self._setup.watcher.asking(call, request)

    def answered(self, call: ToolCall) -> None:
        """It waits no longer, and is about to run."""
        self._setup.watcher.answered(call)

    def delivered(self, call: ToolCall) -> None:
        """Its outcome has been returned."""
        self._setup.watcher.delivered(call)

    def reported(self, call: ToolCall) -> None:
        """It is over."""
        self._door.reported(call)
        self._setup.watcher.reported(call)
