"""A session's delegations: what its model hands over, to a reasoning backend, and what was said in between."""

import logging
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from typing import Final

from voice_hitl.calls.book import Book
from voice_hitl.calls.call import ToolCall
from voice_hitl.channels.delegation_run import DelegationRun, RunSetup
from voice_hitl.channels.delegation_words import InVain, words_for
from voice_hitl.channels.link import Link
from voice_hitl.channels.told import Told
from voice_hitl.channels.waiting import WaitingNotes
from voice_hitl.doors.delegation import DelegationDoor
from voice_hitl.doors.gate import Gate
from voice_hitl.doors.pipeline import CallWatcher, Pipeline
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.provider import Delegated, Transcript
from voice_hitl.reasoning import (
    ExecuteToolCall,
    HearsSessionsEnd,
    ReasoningBackend,
    ReasoningOutput,
    ReasoningRequest,
    ReasoningSession,
    SpokenLine,
)
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tasks import Job, Tasks

log = logging.getLogger(__name__)

MOST_LINES: Final = 200
"""Lines that are kept for the next delegation; the oldest are forgotten first."""

MOST_SEEN: Final = 64
"""Delegations whose ids are remembered: one that comes again is not served again."""

OURS: Final = ("", "client")
"""Targets that are ours to serve; another names somebody at the provider's."""


class Delegations:
    """Serves what the model hands over, each in a run of its own.

    Args:
        backend: Who works on it; None: nobody.
        timeout_s: How long a run may take while nobody is asked; None: no bound.
        session: The session, as a backend may see it.
        link: The model.
        gate: The session's gate, as it is now.
        refused: The tools that it does not admit, as they are now, each with its refusal.
        pipeline: Runs the calls of one delegation: behind this door, in this book, through this gate.
        told: The session's hooks.
        tasks: Runs it all.
    """

    def __init__(
        self,
        *,
        backend: ReasoningBackend | None,
        timeout_s: float | None,
        session: ReasoningSession,
        link: Link,
        gate: Callable[[], Gate],
        refused: Callable[[], Mapping[str, str]],
        pipeline: Callable[[DelegationDoor, Book, Gate, CallWatcher], Pipeline],
        told: Told,
        tasks: Tasks,
    ) -> None:
        self._backend = backend
        self._timeout_s = timeout_s
        self._session = session
        self._link = link
        self._gate = gate
        self._refused = refused
        self._pipeline = pipeline
        self._told = told
        self._tasks = tasks
        self._notes = WaitingNotes(link, tasks)
        self._lines: deque[SpokenLine] = deque(maxlen=MOST_LINES)
        self._seen: OrderedDict[str, None] = OrderedDict()
        self._runs: list[DelegationRun] = []
        self._asked: set[ToolCall] = set()
        self._count = 0
        self._ended = False

    # --- what the model does -----------------------------------------------------------------------------------------

    def heard(self, line: Transcript) -> None:
        """Something was said, for good."""
        if self._backend is not None:
            self._lines.append(SpokenLine(line.role, line.text))

    def delegated(self, event: Delegated) -> None:
        """The model hands something over."""
        if event.target not in OURS or event.delegation_id in self._seen or self._ended:
            return
        self._seen[event.delegation_id] = None
        if len(self._seen) > MOST_SEEN:
            self._seen.popitem(last=False)
        if self._backend is None:
            log.warning("the model delegated, and session %s has no reasoning backend", self._session.id)
            return
        self._runs = [run for run in self._runs if not run.done]
        self._runs.append(self._begin(event.delegation_id, self._backend))

    def replaced(self) -> None:
        """A new connection stands: it does not know what waits. What was handed over goes on."""
        self._seen.clear()
        self._notes.again()

    @property
    def jobs(self) -> list[Job]:
        """The calls at work."""
        return [job for run in self._runs for job in run.pipeline.jobs]

    def end(self) -> None:
        """The session is over: nothing more is said, every run is cancelled in this tick."""
        self._ended = True
        for run in self._runs:
            run.end()
        if isinstance(self._backend, HearsSessionsEnd) and self._count:
            try:
                self._backend.session_ended(self._session.id)
            except Exception as error:
                log.warning("the reasoning backend failed on hearing that a session ended", exc_info=error)

    # --- a run -------------------------------------------------------------------------------------------------------

    def _begin(self, delegation_id: str, backend: ReasoningBackend) -> DelegationRun:
        gate, lines, number = self._gate(), tuple(self._lines), self._count
        self._lines.clear()
        self._count += 1

        def request(execute: ExecuteToolCall) -> ReasoningRequest:
            return ReasoningRequest(
                session=self._session,
                delegation_id=delegation_id,
                lines=lines,
                is_first=number == 0,
                tools=gate.catalogue.definitions,
                refused=self._refused(),
                role=gate.role,
                execute_tool_call=execute,
            )

        async def send(output: ReasoningOutput) -> None:
            await self._give(delegation_id, output)

        run = DelegationRun(
            RunSetup(
                delegation_id=delegation_id,
                backend=backend,
                request=request,
                pipeline=lambda door, book, watcher: self._pipeline(door, book, gate, watcher),
                gate=self._gate,
                timeout_s=self._timeout_s,
                send=send,
                in_vain=self._in_vain,
                watcher=self,
                tasks=self._tasks,
            )
        )
        if self._asked:
            run.bound.pause()
        return run

    async def _give(self, delegation_id: str, output: ReasoningOutput) -> None:
        while True:
            try:
                connection = await self._link.ready()
            except ConnectionEnded:
                return  # the session is ending: nothing more is said
            try:
                await connection.delegation_output(
                    delegation_id, output.text, final=output.is_final, spoken=output.spoken
                )
            except ConnectionEnded:
                self._link.gone(connection)
            except ProviderError as error:
                self._told.failed("provider", f"an output of delegation {delegation_id} was not taken: {error}")
                return
            else:
                return

    def _in_vain(self, how: InVain, why: str) -> str:
        if why:
            self._told.failed("reasoning backend", why)
        return words_for(how, self._session.language)

    # --- what the calls do (CallWatcher) -----------------------------------------------------------------------------

    def asking(self, call: ToolCall, request: PendingInput) -> None:
        """A call waits for a person: no bound runs meanwhile, and the model is told that nothing has been done."""
        self._asked.add(call)
        for run in self._runs:
            run.bound.pause()
        self._notes.add(call)

    def answered(self, call: ToolCall) -> None:
        """It waits no longer, and is about to run."""
        self._asked.discard(call)
        if not self._asked:
            for run in self._runs:
                run.bound.resume()
        if not self._ended:
            self._notes.remove(call)

    def delivered(self, call: ToolCall) -> None:
        """Its outcome has been returned to its backend."""

    def reported(self, call: ToolCall) -> None:
        """It is over."""
        self.answered(call)
