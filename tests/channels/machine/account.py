"""What a machine knows of what happened, and what always holds of it, whichever channel it drives.

After each step: a request has ended once at most, and has when its session is over; a call's outcome was sent once at
most, and its end reported once; each end of a request was told once; who answered was asked. After the close: no task,
no request, no leg.
"""

import asyncio  # noqa: TID251 - the machine drives an event loop of its own, step by step
import re
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar, cast

import anyio

from voice_hitl.asker import CALLER
from voice_hitl.channels.session import VoiceSession
from voice_hitl.enums import RequestEnd, Via
from voice_hitl.events import ToolCallEvent
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.provider import ToolCalled
from voice_hitl.requests.pending import PendingInput, PendingInputEvent
from voice_hitl.testing import Injected, ScriptedConnection, ScriptedProvider, SentToolResult, VirtualTimeLoop

T = TypeVar("T")

MOST_S: Final = 12.0
"""How long the end of a session may take: its hooks, its handlers and its leg each have a bound of theirs."""

_LATER: Final = re.compile(r"The result of your earlier call of the tool \S+ \((?P<id>\S+)\)")


class World(Protocol):
    """A channel with a scripted model, and what its hooks heard."""

    kit: VoiceKit
    human: HumanInputToolHandler
    provider: ScriptedProvider
    reports: list[ToolCallEvent]
    settled: list[PendingInputEvent]


@dataclass(eq=False)
class Live:
    """One session that is up, or was."""

    session: VoiceSession
    response: str = ""
    issued: list[ToolCalled] = field(default_factory=list[ToolCalled])
    ended_at: float | None = None

    @property
    def model(self) -> ScriptedConnection | None:
        """The connection that stands now."""
        return cast("ScriptedConnection | None", self.session.link.connection)

    @property
    def is_up(self) -> bool:
        return self.session.end_reason is None

    @property
    def leg_is_over(self) -> bool:
        """Whether nobody is on its leg any more."""
        return True


class Account:
    """What happened, step by step.

    Args:
        loop: The machine's.
        world: What it drives.
        sessions: The channel's, as they are now.
        reached: Counts the states that were reached.
    """

    def __init__(
        self,
        loop: VirtualTimeLoop,
        world: World,
        sessions: Callable[[], tuple[VoiceSession, ...]],
        reached: Counter[str],
    ) -> None:
        self.loop = loop
        self.world = world
        self.sessions = sessions
        self.reached = reached
        self.lives: list[Live] = []
        self.asked: Counter[str] = Counter()
        """How often the hooks were told of a request, by its id."""
        self.known: dict[str, PendingInput] = {}
        self.reports_due: Counter[str] = Counter()
        self.reports_most: Counter[str] = Counter()
        self.unsteady: set[str] = set()
        """What failed so that an outcome may have been sent and not arrived, or the other way about."""
        self.steps = 0
        self.is_raced = False
        self.closing = False
        self._ended_as: dict[str, tuple[object, ...]] = {}
        self._sent: Counter[str] = Counter()
        self._told: Counter[str] = Counter()
        self._taken: Counter[str] = Counter()
        self._jobs: list[asyncio.Task[object]] = []
        self._checks: list[Callable[[], None]] = []
        self._ids = 0

    # --- what there is -----------------------------------------------------------------------------------------------

    @property
    def handler(self) -> HumanInputHandler:
        return self.world.human.handler

    @property
    def up(self) -> list[Live]:
        return [live for live in self.lives if live.is_up]

    @property
    def open(self) -> list[PendingInput]:
        return [pending for pending in self.known.values() if pending.end is None]

    def live_of(self, pending: PendingInput) -> Live:
        return next(live for live in self.lives if live.session.id == pending.session_id)

    def mint(self) -> str:
        """An id that nothing had yet."""
        self._ids += 1
        return f"x{self._ids}"

    def begin(self, work: Coroutine[object, object, object]) -> None:
        """Do this in a task of its own, which must go well."""
        self._jobs.append(self.loop.create_task(work))

    def begun(self, call: ToolCalled, *, anew: bool) -> None:
        """The model has called. `anew`: and not said again what it called before."""
        self.reports_most[call.call_id] += 1
        if anew and not self.is_raced and call.call_id:
            self.reports_due[call.call_id] += 1

    def look(self) -> None:
        """Take down what is open now."""
        for session_id in dict.fromkeys(pending.session_id for pending in self.handler.pending.values()):
            for pending in self.handler.open_in(session_id):
                self.known.setdefault(pending.pending_id, pending)

    # --- what always holds -------------------------------------------------------------------------------------------

    def check_at_once(self, check: Callable[[], None]) -> None:
        """This holds as soon as everything has run that this step makes due."""
        self._checks.append(check)

    def agree_at_once(self) -> None:
        """What holds as soon as everything has run that a step makes due."""
        self.look()
        checks, self._checks = self._checks, []
        for check in checks:
            check()

    async def agree(self) -> None:
        """What holds after each step."""
        self.look()
        await self._read_commands()
        for job in self._jobs:
            if job.done() and not job.cancelled() and (error := job.exception()) is not None:
                raise error
        self._ends_stay()
        for live in self.lives:
            self._agree_on(live)
        settled = Counter(event.pending_id for event in self.world.settled)
        assert max(settled.values(), default=0) <= 1, settled
        reports = Counter(report.tool_call_id for report in self.world.reports)
        for call_id, times in reports.items():
            if not call_id.startswith("said_"):
                assert times <= self.reports_most[call_id], (call_id, times)
        if not self.unsteady:
            for call_id, times in self._sent.items():
                assert times + self._told[call_id] <= self.reports_most[call_id], call_id

    async def _read_commands(self) -> None:
        for connection in self.world.provider.connections:
            there = connection.counts[SentToolResult] + connection.counts[Injected]
            while self._taken[connection.label] < there:
                self._taken[connection.label] += 1
                command = await connection.take(within_s=1)
                match command:
                    case SentToolResult(call_id=call_id, text=text) if "runs once, as you said it" not in text:
                        self._sent[call_id] += 1
                        self.reached["an interim output"] += "follows as a message" in text
                        self._told[call_id] -= "follows as a message" in text
                    case Injected(text=text) if told := _LATER.match(text):
                        self._told[told["id"]] += 1
                    case _:
                        pass

    def _ends_stay(self) -> None:
        for pending in self.known.values():
            if pending.end is not None:
                ended = (pending.status, pending.end, pending.result, pending.reject_reason, pending.answered_by)
                assert self._ended_as.setdefault(pending.pending_id, ended) == ended

    def _agree_on(self, live: Live) -> None:
        session = live.session
        if session.end_reason is None:
            return
        live.ended_at = self.loop.time() if live.ended_at is None else live.ended_at
        assert session.open_requests == []
        if self.loop.time() - live.ended_at > MOST_S:
            assert session.closed.is_set, f"it does not end: {self.tasks}"
        if session.closed.is_set:
            assert session not in self.sessions()
            assert live.leg_is_over

    def agree_in_the_end(self) -> None:
        """What holds when the kit has been closed, and a while has passed."""
        assert all(job.done() for job in self._jobs)
        assert self.sessions() == ()
        assert self.handler.pending == {}
        for live in self.lives:
            assert live.session.closed.is_set
            assert len(live.session.tasks) == len(live.session.watching) == 0
        self._each_request_was_told()
        self._each_call_was_reported()
        for live in self.lives:
            self.reached[f"a session ended: {live.session.end_reason}"] += 1

    def _each_request_was_told(self) -> None:
        settled = Counter(event.pending_id for event in self.world.settled)
        assert all(settled[pending_id] == 1 for pending_id in self.known)
        assert all(settled[pending_id] == times == 1 for pending_id, times in self.asked.items())
        for event in self.world.settled:
            self.reached[f"a request was {event.end}"] += 1
            if event.end in {RequestEnd.ANSWERED, RequestEnd.REFUSED}:
                self.reached[f"it was answered by {event.answered_via}"] += 1
                assert self._was_asked(event), event

    def _was_asked(self, event: PendingInputEvent) -> bool:
        """Whether whoever answered was asked, or is the host itself."""
        if not event.audience or (event.answered_via is Via.API and event.answered_by is None):
            return True
        caller = next(live.session.participant_id for live in self.lives if live.session.id == event.session_id)
        return event.answered_by in {caller if each == CALLER else each for each in event.audience}

    def _each_call_was_reported(self) -> None:
        reports = Counter(report.tool_call_id for report in self.world.reports)
        for call_id, due in self.reports_due.items():
            assert reports[call_id] >= due, f"call {call_id} was reported {reports[call_id]} times"
        asked = {pending.tool_call_id for pending in self.known.values()}
        assert all(reports[call_id] for call_id in asked)
        for report in self.world.reports:
            self.reached[f"a call was {report.outcome}"] += 1
            self.reached[f"delivered as {report.delivered_as}"] += report.delivered
            assert not (report.cancelled and report.delivered)
            if report.delivered and report.tool_call_id and not report.tool_call_id.startswith("said_"):
                assert self._sent[report.tool_call_id] + self._told[report.tool_call_id] > 0

    @property
    def tasks(self) -> list[str]:
        """The names of all tasks there are."""
        return [task.get_name() for task in asyncio.all_tasks(self.loop)]


async def settle(for_s: float = 0.0) -> None:
    """Let everything run that is due within so many seconds: virtual time passes only when nothing is left to run."""
    await anyio.sleep(for_s + 1e-6)
