"""The ledger against a model that says the same in the plainest way: histories, and no state derived from them."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import ClassVar, Literal

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

from voice_hitl.enums import PendingInputStatus, RequestEnd, Via
from voice_hitl.requests.ledger import Ledger, question_key
from voice_hitl.requests.pending import PendingInput
from voice_hitl.requests.scopes import Scope
from voice_hitl.requests.settlement import Settlement

CHANNELS, ROOMS, SESSIONS = ("voice", "desk"), ("", "r1", "r2"), ("", "s1", "s2", "s3", "s4", "s5")
START = datetime(2026, 1, 1, tzinfo=UTC)
STATUS_OF = {
    RequestEnd.ANSWERED: PendingInputStatus.RESOLVED,
    RequestEnd.REFUSED: PendingInputStatus.REJECTED,
    RequestEnd.BLOCKED: PendingInputStatus.REJECTED,
    RequestEnd.TIMED_OUT: PendingInputStatus.TIMED_OUT,
    RequestEnd.UNANSWERED: PendingInputStatus.TIMED_OUT,
    RequestEnd.WITHDRAWN: PendingInputStatus.REJECTED,
}
SCOPES = st.one_of(
    st.builds(Scope, session_id=st.sampled_from(SESSIONS[1:])),
    st.builds(Scope, channel_id=st.sampled_from(CHANNELS)),
    st.builds(Scope, room_id=st.sampled_from(ROOMS[1:])),
    st.builds(Scope, channel_id=st.sampled_from(CHANNELS), room_id=st.sampled_from(ROOMS[1:])),
)


@dataclass
class Known:
    """What the model knows of one request."""

    pending: PendingInput
    armed_at: float
    timeout: float | None
    key: object
    put_at: float | None = None
    waiters: int = 0
    end: RequestEnd | None = None
    answered_by: str | None = None

    @property
    def deadline(self) -> float | None:
        return None if self.timeout is None else (self.armed_at if self.put_at is None else self.put_at) + self.timeout


@dataclass
class Model:
    """Every request there was, and everything that happened to scopes, in order."""

    retention: int = 0
    now: float = 0.0
    known: dict[str, Known] = field(default_factory=dict[str, Known])
    let_go: list[str] = field(default_factory=list[str])
    history: list[tuple[Literal["close", "register", "attach"], Scope]] = field(
        default_factory=list[tuple[Literal["close", "register", "attach"], Scope]]
    )

    @property
    def open(self) -> dict[str, Known]:
        return {pending_id: known for pending_id, known in self.known.items() if known.end is None}

    @property
    def gone(self) -> set[str]:
        return set(self.let_go[: max(0, len(self.let_go) - self.retention)])

    @property
    def readable(self) -> dict[str, Known]:
        return {key: known for key, known in self.known.items() if known.end is not None and key not in self.gone}

    def release(self, pending_id: str) -> None:
        if pending_id not in self.let_go:
            self.let_go.append(pending_id)

    def settle(self, pending_id: str, end: RequestEnd, by: str | None = None) -> None:
        known = self.known[pending_id]
        known.end, known.answered_by = end, by
        if known.pending.detached:
            self.release(pending_id)

    def is_closed(self, pending: PendingInput) -> bool:
        channel, room, session = pending.channel_id, pending.room_id, pending.session_id
        return (
            ("close", Scope()) in self.history
            or ("close", Scope(session_id=session)) in self.history
            or self._last(("close", Scope(channel)), ("register", Scope(channel)))
            or self._last(("close", Scope(room_id=room)), *(("attach", Scope(c, room)) for c in CHANNELS))
            or self._last(("close", Scope(channel, room)), ("attach", Scope(channel, room)))
        )

    def _last(self, closed: tuple[str, Scope], *opened: tuple[str, Scope]) -> bool:
        return next((event == closed for event in reversed(self.history) if event in (closed, *opened)), False)


class LedgerMachine(RuleBasedStateMachine):
    """Draws what happens from what is open, and some noise."""

    reached: ClassVar[Counter[str]] = Counter()

    @initialize(retention=st.sampled_from([0, 2, 128]))
    def make(self, retention: int) -> None:
        self.ledger = Ledger(retention=retention)
        self.model = Model(retention)

    # --- a request begins --------------------------------------------------------------------------------------------

    @rule(
        channel=st.sampled_from(CHANNELS),
        room=st.sampled_from(ROOMS),
        session=st.sampled_from(SESSIONS),
        timeout=st.sampled_from([None, 2.0, 5.0]),
        words=st.lists(st.sampled_from(["yes", " YES ", "no"]), min_size=1, max_size=3),
        detached=st.booleans(),
    )
    def arm(
        self, channel: str, room: str, session: str, timeout: float | None, words: list[str], *, detached: bool
    ) -> None:
        for word in words:
            self._arm(channel, room, session, timeout, word, detached=detached)

    def _arm(self, channel: str, room: str, session: str, timeout: float | None, word: str, *, detached: bool) -> None:
        pending = PendingInput(
            pending_id=f"p{len(self.model.known)}",
            tool_name="ConfirmAction",
            arguments={"prompt": word},
            channel_id=channel,
            room_id=room,
            session_id=session,
            detached=detached,
            created_at=START,
        )
        key = question_key(pending)
        try:
            self.ledger.arm(pending, now=self.model.now, timeout=timeout, key=key)
        except RuntimeError:
            assert self.model.is_closed(pending)
            self.reached["refused: its scope is closed"] += 1
        else:
            assert not self.model.is_closed(pending)
            self.model.known[pending.pending_id] = Known(pending, self.model.now, timeout, key)
            self.reached[pending.status] += 1

    @precondition(lambda self: self.model.open)
    @rule(data=st.data())
    def put(self, data: st.DataObject) -> None:
        not_put = [key for key, known in self.model.open.items() if known.put_at is None]
        pending_id = data.draw(st.sampled_from(not_put or sorted(self.model.open)))
        known = self.model.open[pending_id]
        utc = START + timedelta(seconds=self.model.now)
        assert self.ledger.put(pending_id, now=self.model.now, utc=utc) is (known.put_at is None)
        if known.put_at is None:
            known.put_at = self.model.now
            expires = None if known.timeout is None else utc + timedelta(seconds=known.timeout)
            assert known.pending.expires_at == expires
            self.reached["put"] += 1

    # --- a request ends ----------------------------------------------------------------------------------------------

    @precondition(lambda self: self.model.open)
    @rule(data=st.data(), end=st.sampled_from(RequestEnd), by=st.sampled_from([None, "ada"]))
    def settle(self, data: st.DataObject, end: RequestEnd, by: str | None) -> None:
        pending_id = data.draw(st.sampled_from(sorted(self.model.open)))
        pending = self.model.known[pending_id].pending
        assert self.ledger.settle(pending_id, end, result="yes", reason="why", by=by, via=Via.CARD) is pending
        assert (pending.result, pending.reject_reason, pending.answered_via) == ("yes", "why", Via.CARD)
        self.model.settle(pending_id, end, by)
        self.reached[f"{pending.status} by {end}"] += 1

    @precondition(lambda self: self.model.open)
    @rule(to_the_next_deadline=st.booleans(), data=st.data())
    def time_passes(self, data: st.DataObject, *, to_the_next_deadline: bool) -> None:
        deadlines = [known.deadline for known in self.model.open.values() if known.deadline is not None]
        self.model.now = min(deadlines) if deadlines and to_the_next_deadline else self.model.now + 0.5
        for pending_id in data.draw(st.permutations(sorted(self.model.open))):
            known = self.model.open[pending_id]
            is_due = known.deadline is not None and self.model.now >= known.deadline
            expired = self.ledger.expire(pending_id, now=self.model.now)
            assert (expired is known.pending) if is_due else (expired is None)
            if is_due:
                self.model.settle(pending_id, RequestEnd.TIMED_OUT)
                self.reached["timed out, put" if known.put_at is not None else "timed out, put to nobody"] += 1

    @precondition(lambda self: len(self.model.open) > 2)
    @rule(scope=SCOPES)
    def close(self, scope: Scope) -> None:
        self.model.history.append(("close", scope))
        self._withdrawn(self.ledger.close(scope), scope)

    @precondition(lambda self: len(self.model.open) > 2)
    @rule(scope=SCOPES)
    def withdraw(self, scope: Scope) -> None:
        self._withdrawn(self.ledger.withdraw(scope), scope)

    @precondition(lambda self: len(self.model.known) > 6)
    @rule()
    def close_all(self) -> None:
        self.model.history.append(("close", Scope()))
        self._withdrawn(self.ledger.close(Scope()), Scope())
        self.reached["all closed"] += 1

    def _withdrawn(self, withdrawn: list[PendingInput], scope: Scope) -> None:
        concerned = [
            known.pending
            for known in self.model.open.values()
            if scope.channel_id in (None, known.pending.channel_id)
            and scope.room_id in (None, known.pending.room_id)
            and scope.session_id in (None, known.pending.session_id)
        ]
        assert withdrawn == concerned
        for pending in concerned:
            self.model.settle(pending.pending_id, RequestEnd.WITHDRAWN)

    @precondition(lambda self: self.model.history)
    @rule(channel=st.sampled_from(CHANNELS))
    def register(self, channel: str) -> None:
        token = self.ledger.scopes.register(channel)
        self.model.history.append(("register", Scope(channel)))
        if ("close", Scope()) not in self.model.history:
            assert self.ledger.scopes.holder(token) == channel

    @precondition(lambda self: self.model.history)
    @rule(channel=st.sampled_from(CHANNELS), room=st.sampled_from(ROOMS[1:]))
    def attach(self, channel: str, room: str) -> None:
        self.ledger.scopes.attach(room, channel_id=channel)
        self.model.history.append(("attach", Scope(channel, room)))

    # --- waiting and reading -----------------------------------------------------------------------------------------

    @precondition(lambda self: self.model.open or self.model.readable)
    @rule(data=st.data())
    def join(self, data: st.DataObject) -> None:
        pending_id = data.draw(st.sampled_from(sorted(self.model.open or self.model.readable)))
        assert self.ledger.join(pending_id)
        self.model.known[pending_id].waiters += 1

    @precondition(lambda self: any(known.waiters for known in (self.model.open | self.model.readable).values()))
    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        waited = [key for key, known in self.model.open.items() if known.waiters]
        waited = waited or [key for key, known in self.model.readable.items() if known.waiters]
        known = self.model.known[data.draw(st.sampled_from(waited))]
        known.waiters -= 1
        is_last = known.waiters == 0 and known.end is None and not known.pending.detached
        assert self.ledger.leave(known.pending.pending_id) is is_last
        self.reached["left by its last waiter"] += is_last

    @precondition(lambda self: self.model.readable)
    @rule(data=st.data())
    def read(self, data: st.DataObject) -> None:
        pending_id = data.draw(st.sampled_from(sorted(self.model.readable)))
        assert self.ledger.read(pending_id) is self.model.known[pending_id].pending
        self.model.release(pending_id)

    @precondition(lambda self: self.model.open or self.model.readable)
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        pending_id = data.draw(st.sampled_from(sorted(self.model.open | self.model.readable)))
        known = self.model.known[pending_id]
        was_open = known.end is None
        was_unread = pending_id not in self.model.let_go
        assert self.ledger.release(pending_id) == (was_open or was_unread, known.pending if was_open else None)
        if was_open:
            self.model.settle(pending_id, RequestEnd.WITHDRAWN)
        self.model.release(pending_id)
        self.reached["released, open" if was_open else "released, settled"] += 1

    # --- noise -------------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.model.known)
    @rule(data=st.data(), end=st.sampled_from(RequestEnd))
    def stray(self, data: st.DataObject, end: RequestEnd) -> None:
        not_open = sorted(key for key, known in self.model.known.items() if known.end is not None)
        pending_id = data.draw(st.sampled_from([*not_open, "unheard of"]))
        assert self.ledger.settle(pending_id, end) is None
        assert self.ledger.expire(pending_id, now=self.model.now) is None
        assert not self.ledger.put(pending_id, now=self.model.now, utc=START)
        assert self.ledger.twins(pending_id) == ()
        if pending_id not in self.model.readable:
            assert not self.ledger.join(pending_id)
            assert not self.ledger.leave(pending_id)
            assert self.ledger.read(pending_id) is None
            assert self.ledger.find(pending_id) is None
            assert self.ledger.release(pending_id) == (False, None)
        self.reached["stray noise"] += 1

    # --- what always holds -------------------------------------------------------------------------------------------

    @invariant()
    def agree(self) -> None:
        if not hasattr(self, "ledger"):
            return
        assert len(self.ledger) == len(self.model.open)
        assert self.ledger.open_requests() == [known.pending for known in self.model.open.values()]
        for pending_id, known in self.model.known.items():
            self._agree_on(pending_id, known)
        self.reached["evicted"] += bool(self.model.gone)

    def _agree_on(self, pending_id: str, known: Known) -> None:
        pending, is_open = known.pending, known.end is None
        assert self.ledger.is_open(pending_id) is is_open
        assert self.ledger.deadline(pending_id) == (known.deadline if is_open else None)
        assert pending.status == (PendingInputStatus.PENDING if known.end is None else STATUS_OF[known.end])
        assert (pending.end, pending.answered_by) == (known.end, known.answered_by)
        assert self.ledger.find(pending_id) is (pending if pending_id not in self.model.gone else None)
        expected = Settlement.UNKNOWN
        if not is_open and pending_id not in self.model.gone:
            by_a_person = known.end in (RequestEnd.ANSWERED, RequestEnd.REFUSED, RequestEnd.BLOCKED)
            expected = Settlement.DUPLICATE if by_a_person else Settlement.LATE
        assert self.ledger.verdict(pending_id) == expected
        self.reached[f"a late answer is told: {expected.kind}"] += not is_open
        if is_open and known.key is not None:
            twins = [key for key, other in self.model.open.items() if other.key == known.key and key != pending_id]
            assert self.ledger.twins(pending_id) == tuple(twins)
            self.reached["has a twin"] += bool(twins)


def test_the_ledger_agrees_with_its_model_and_reaches_every_state() -> None:
    reached = LedgerMachine.reached
    reached.clear()
    run_state_machine_as_test(
        LedgerMachine,
        # Derandomized, because what is reached is counted.
        settings=settings(max_examples=150, stateful_step_count=40, deadline=None, derandomize=True),
    )
    wanted = {
        PendingInputStatus.PENDING,
        *(f"{status} by {end}" for end, status in STATUS_OF.items()),
        *(f"a late answer is told: {kind}" for kind in ("unknown", "duplicate", "late")),
        *("timed out, put", "timed out, put to nobody", "released, open", "released, settled", "evicted"),
        *("stray noise", "put", "has a twin", "left by its last waiter", "refused: its scope is closed", "all closed"),
    }
    assert wanted <= {state for state, times in reached.items() if times}, reached
