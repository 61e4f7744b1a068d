"""The handler under everything at once, in virtual time: each request ends once, is told once, and wakes everybody."""

import asyncio  # noqa: TID251 - the machine drives an event loop of its own, step by step
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

import anyio
import anyio.lowlevel
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.human_input.told import FakeSession, ScriptedAsker, Told
from voice_hitl.asker import GaveUp
from voice_hitl.enums import RequestEnd
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.human_input.new_request import NewRequest, new_pending
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.pending import PendingInput
from voice_hitl.requests.settlement import Settlement
from voice_hitl.testing.virtual_time import VirtualTimeLoop

T = TypeVar("T")

SESSIONS = ("s1", "s2", "s3", "s4")
LATE = {RequestEnd.TIMED_OUT, RequestEnd.UNANSWERED, RequestEnd.WITHDRAWN}


@dataclass(eq=False)
class Waiter:
    """One wait, and what it came to."""

    task: "asyncio.Task[str]"
    ends_at: float | None
    cut: bool = False


@dataclass(eq=False)
class Known:
    """One request: as it was when it was first seen to have ended, and who waited for it."""

    pending: PendingInput
    created_at: float
    timeout: float | None
    asked: bool
    ended_as: tuple[object, ...] | None = None
    waiters: list[Waiter] = field(default_factory=list[Waiter])

    @property
    def question(self) -> tuple[str, str]:
        """What is the same for identical questions."""
        return (self.pending.session_id, str(self.pending.arguments["question"]).strip().casefold())

    @property
    def how_it_ended(self) -> tuple[object, ...]:
        pending = self.pending
        return (pending.status, pending.end, pending.result, pending.reject_reason, pending.answered_by)


class HandlerMachine(RuleBasedStateMachine):
    """Draws operations, in whatever order, and lets time pass."""

    reached: ClassVar[Counter[str]] = Counter()

    @initialize(retention=st.sampled_from([0, 2, 128]))
    def make(self, retention: int) -> None:
        self.loop = VirtualTimeLoop()
        self.handler = HumanInputHandler(retention=retention)
        self.told: list[Told] = [Told()]
        self.askers: list[ScriptedAsker] = []
        self.known: list[Known] = []
        self.closed: set[str] = set()
        self.everything_closed = False
        self.registration = self.handler.register_channel("voice", self.told[0])

    def run(self, work: Coroutine[object, object, T]) -> T:
        return self.loop.run_until_complete(work)

    @property
    def open(self) -> list[Known]:
        return [known for known in self.known if known.pending.end is None]

    def drawn(self, data: st.DataObject) -> Known:
        """Mostly one that is open; sometimes one that is not."""
        return data.draw(st.sampled_from(self.open * 3 + self.known))

    # --- a request begins --------------------------------------------------------------------------------------------

    @rule(
        session=st.sampled_from(SESSIONS),
        timeout=st.sampled_from([None, 3.0, 7.0]),
        words=st.sampled_from(["Which day?", " WHICH day?"]),
        askers=st.sampled_from(
            [[], ["patient"], ["gives up"], ["slow to go"], ["gives up", "patient"], ["gives up", "gives up"]]
        ),
        hooks=st.sampled_from([(0.0, None), (0.5, None), (4.0, None), (0.5, "no"), (4.0, "no")]),
        waiters=st.sampled_from([(), (None,), (2.0,), (None, 2.0), (2.0, 1.0)]),
        detached=st.booleans(),
    )
    def create(
        self,
        *,
        session: str,
        timeout: float | None,
        words: str,
        askers: list[str],
        hooks: tuple[float, str | None],
        waiters: tuple[float | None, ...],
        detached: bool,
    ) -> None:
        self.told[-1].required_takes_s, self.told[-1].denies = hooks
        scripted = [
            ScriptedAsker(
                name,
                tries_s=1 if name == "gives up" else None,
                gave_up=GaveUp(3),
                cleans_up_s=0.5 if name == "slow to go" else 0,
            )
            for name in askers
        ]

        async def create() -> Known | None:
            pending = new_pending(
                "AskUser", {"question": words}, channel_id="voice", session_id=session, detached=detached
            )
            try:
                self.handler.open(NewRequest(pending, timeout, askers=scripted, session=FakeSession(session)))
            except RuntimeError:
                return None
            return Known(pending, self.loop.time(), timeout, bool(askers))

        known = self.run(create())
        assert (known is None) is (self.everything_closed or session in self.closed)
        if known is not None:
            self.known.append(known)
            self.askers.extend(scripted)
            for waits in waiters:
                self.begin_to_wait(known, waits)
        else:
            self.reached["refused: its scope is closed"] += 1

    # --- waiting -----------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.open)
    @rule(data=st.data(), timeout=st.sampled_from([None, 2.0, 5.0]))
    def wait(self, data: st.DataObject, timeout: float | None) -> None:
        self.begin_to_wait(data.draw(st.sampled_from(self.open)), timeout)

    def begin_to_wait(self, known: Known, timeout: float | None) -> None:
        ends_at = None if timeout is None else self.loop.time() + timeout
        task = self.loop.create_task(self.handler.wait(known.pending.pending_id, timeout=timeout))
        known.waiters.append(Waiter(task, ends_at))
        self.run(self.settle_down())

    @precondition(lambda self: any(not waiter.task.done() for known in self.known for waiter in known.waiters))
    @rule(data=st.data())
    def cut_a_waiter(self, data: st.DataObject) -> None:
        waiting = [(known, waiter) for known in self.known for waiter in known.waiters if not waiter.task.done()]
        known, waiter = data.draw(st.sampled_from(waiting))
        was_last = sum(not other.task.done() for other in known.waiters) == 1
        was_open = known.pending.end is None
        waiter.cut = True
        waiter.task.cancel()
        self.run(self.settle_down())
        if was_open and was_last and not known.pending.detached:
            assert known.pending.end is RequestEnd.WITHDRAWN
            self.reached["withdrawn with its last waiter"] += 1
        elif was_open:
            assert known.pending.end is None

    # --- settling ----------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.known)
    @rule(data=st.data(), way=st.sampled_from(["resolve", "reject", "release"]))
    def settle(self, data: st.DataObject, way: str) -> None:
        known = self.drawn(data)
        was_open, pending_id = known.pending.end is None, known.pending.pending_id
        match way:
            case "resolve":
                assert self.run(self.on_the_loop(lambda: self.handler.resolve(pending_id, "Monday"))) is was_open
            case "reject":
                assert self.run(self.on_the_loop(lambda: self.handler.reject(pending_id, "no"))) is was_open
            case _:
                assert self.run(self.on_the_loop(lambda: self.handler.release(pending_id))) >= was_open
        assert known.pending.end is not None

    @precondition(lambda self: self.known)
    @rule(data=st.data(), by=st.sampled_from([None, "ada"]), from_asker=st.booleans())
    def answer(self, data: st.DataObject, by: str | None, *, from_asker: bool) -> None:
        known = data.draw(st.sampled_from(self.open + self.known))
        askings = [asking for asker in self.askers for asking in asker.askings if asking.request is known.pending]
        end = known.pending.end
        twins = [other for other in self.open if other.asked and known.asked and other.question == known.question]
        answer = Answer("Tuesday", by=by)
        if from_asker and askings:
            settlement = self.run(askings[0].answer(answer))
            self.reached["answered by an asker"] += 1
        else:
            settlement = self.run(self.handler.answer(known.pending.pending_id, answer))
        if end is None:
            assert settlement == Settlement.ACCEPTED
            assert (known.pending.end, known.pending.answered_by) == (RequestEnd.ANSWERED, by)
            assert all(twin.how_it_ended == known.how_it_ended for twin in twins)
            self.reached["settled identical questions"] += len(twins) > 1
        else:
            assert settlement in {Settlement.LATE if end in LATE else Settlement.DUPLICATE, Settlement.UNKNOWN}
        self.reached[f"an answer is {settlement.kind}"] += 1

    async def on_the_loop(self, call: Callable[[], bool]) -> bool:
        return call()

    # --- scopes and time ---------------------------------------------------------------------------------------------

    @precondition(lambda self: len(self.open) > 2)
    @rule(session=st.sampled_from(SESSIONS), displaced=st.booleans())
    def close(self, session: str, *, displaced: bool) -> None:
        if displaced:
            self.told.append(Told())
            stale, self.registration = self.registration, self.handler.register_channel("voice", self.told[-1])
            self.run(self.handler.close(channel_id="voice", registration=stale))
        still_open = [known for known in self.open if known.pending.session_id != session]
        self.run(self.handler.close(session_id=session))
        self.closed.add(session)
        assert [known for known in self.open if known.pending.session_id == session] == []
        assert all(known.pending.end is not RequestEnd.WITHDRAWN for known in still_open)
        self.reached["a session closed"] += 1

    @precondition(lambda self: len(self.known) > 12)
    @rule()
    def close_everything(self) -> None:
        self.run(self.handler.close())
        self.everything_closed = True
        assert self.open == []

    @rule(seconds=st.sampled_from([0.25, 1.0, 2.0, 5.0]))
    def time_passes(self, seconds: float) -> None:
        self.run(anyio.sleep(seconds))

    # --- what always holds -------------------------------------------------------------------------------------------

    async def settle_down(self) -> None:
        for _ in range(10):
            await anyio.lowlevel.checkpoint()

    @invariant()
    def agree(self) -> None:
        if not hasattr(self, "handler"):
            return
        self.run(self.settle_down())
        assert list(self.handler.pending) == [known.pending.pending_id for known in self.open]
        for known in self.known:
            self.agree_on(known)

    def agree_on(self, known: Known) -> None:
        pending, now = known.pending, self.loop.time()
        if pending.end is None:
            if known.timeout is not None:
                latest = known.created_at + known.timeout * (2 if known.asked else 1)
                assert now <= latest
            for waiter in known.waiters:
                assert waiter.task.done() is (waiter.cut or (waiter.ends_at is not None and waiter.ends_at <= now))
            return
        known.ended_as = known.ended_as or known.how_it_ended
        assert known.ended_as == known.how_it_ended
        assert sum(each.pending_id == pending.pending_id for told in self.told for each in told.settled_events) <= 1
        for waiter in known.waiters:
            assert waiter.task.done()
            assert self.came_to(waiter) in {"cut", "ran out", pending.end}
        if pending.end is RequestEnd.TIMED_OUT and known.timeout is None:
            assert not pending.detached
            assert {self.came_to(waiter) for waiter in known.waiters} <= {"cut", "ran out"}
        self.reached[f"ended: {pending.end}"] += 1

    def came_to(self, waiter: Waiter) -> str:
        if waiter.task.cancelled():
            assert waiter.cut
            return "cut"
        match waiter.task.exception():
            case None:
                return RequestEnd.ANSWERED
            case TimeoutError() as error if "within" in str(error):
                return "ran out"
            case TimeoutError() as error:
                return RequestEnd.UNANSWERED if "tries" in str(error) else RequestEnd.TIMED_OUT
            case error if "given up" in str(error):
                return RequestEnd.WITHDRAWN
            case error:
                return RequestEnd.BLOCKED if waiter_was_blocked(self.known, waiter) else RequestEnd.REFUSED

    def teardown(self) -> None:
        if not hasattr(self, "handler"):
            return
        self.run(self.handler.close())
        self.agree()
        assert self.open == []
        told = [event for told in self.told for event in told.settled_events]
        assert Counter(event.pending_id for event in told) == Counter(known.pending.pending_id for known in self.known)
        ends = {known.pending.pending_id: known.pending.end for known in self.known}
        assert all(event.end is ends[event.pending_id] for event in told)
        assert all(
            asker.notes.count("asks") == asker.notes.count("gone") + asker.notes.count("gave up")
            for asker in self.askers
        )
        assert asyncio.all_tasks(self.loop) == set()
        self.loop.close()


def waiter_was_blocked(known: list[Known], waiter: Waiter) -> bool:
    return any(waiter in each.waiters and each.pending.end is RequestEnd.BLOCKED for each in known)


def test_each_request_ends_once_is_told_once_and_wakes_everybody_who_waits() -> None:
    reached = HandlerMachine.reached
    reached.clear()
    run_state_machine_as_test(
        HandlerMachine,
        settings=settings(max_examples=100, stateful_step_count=40, deadline=None, derandomize=True),
    )
    wanted = {
        *(f"ended: {end}" for end in RequestEnd),
        *(f"an answer is {kind}" for kind in ("accepted", "duplicate", "late", "unknown")),
        *("refused: its scope is closed", "withdrawn with its last waiter", "answered by an asker", "a session closed"),
        "settled identical questions",
    }
    assert wanted <= {state for state, times in reached.items() if times}, reached
