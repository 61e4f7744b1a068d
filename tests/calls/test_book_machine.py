"""The book against a model that keeps what happened and derives everything else each time it is asked."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from typing import ClassVar

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

from voice_hitl.calls.book import Book, NewCall, Replay, Unrunnable
from voice_hitl.calls.call import CallEvent, CallState, ToolCall
from voice_hitl.calls.outcome import Outcome
from voice_hitl.enums import OutcomeKind

IDS = ("", "c1", "c2", "c3", "c4", "c5", "c6")
RESPONSES = ("", "r1", "r2", "r3")
NAMES = ("look_up", "ConfirmAction")


@dataclass(frozen=True)
class Seen:
    """One call that counted as seen, for the sake of replays."""

    call_id: str
    name: str
    response_id: str
    at: float
    has_arguments: bool


@dataclass
class Known:
    """What the model knows of one call."""

    call: ToolCall
    has_id: bool
    """Whether it held its id on arrival."""
    outcome: OutcomeKind | None = None
    answerable: bool = True
    abandoned: bool = False
    deliveries: int = 0
    delivery_tried: bool = False
    reports: int = 0

    @property
    def holds_id(self) -> bool:
        return self.has_id and not self.abandoned and not self.delivery_tried and not self.reports


@dataclass
class Model:
    """What happened in one session."""

    now: float = 0.0
    ended: bool = False
    seen: list[Seen] = field(default_factory=list[Seen])
    calls: list[Known] = field(default_factory=list[Known])
    cancelled_ahead: dict[str, float] = field(default_factory=dict[str, float])
    interrupted: set[str] = field(default_factory=set[str])

    @property
    def unreported(self) -> list[Known]:
        return [known for known in self.calls if not known.reports]

    @property
    def unsettled(self) -> list[Known]:
        return [known for known in self.calls if known.outcome is None]

    @property
    def settled(self) -> list[Known]:
        return [known for known in self.calls if known.outcome is not None]

    def holder(self, call_id: str) -> Known | None:
        return next((known for known in self.calls if known.call.call_id == call_id and known.holds_id), None)

    def booking(self, arriving: Seen, *, runs_when_interrupted: bool) -> str:
        """Which rule of booking takes it."""
        if arriving.at - self.cancelled_ahead.get(arriving.call_id, -inf) <= 3:
            return "cancelled ahead"
        last = next((seen for seen in reversed(self.seen) if seen.call_id == arriving.call_id), None)
        if last is not None:
            same_response = last.response_id == arriving.response_id
            if same_response and (arriving.response_id or arriving.at - last.at <= 3):
                return "replay"
            if last.name == arriving.name and last.has_arguments and not arriving.has_arguments:
                return "ghost"
        if self.ended:
            return "after the end"
        if not arriving.call_id:
            return "no id"
        if self.holder(arriving.call_id):
            return "id in use"
        if arriving.response_id in self.interrupted and not runs_when_interrupted:
            return "interrupted"
        return "new"


class BookMachine(RuleBasedStateMachine):
    """Draws what happens from what is open, and some noise."""

    reached: ClassVar[Counter[str]] = Counter()

    @initialize()
    def make(self) -> None:
        self.book = Book()
        self.model = Model()

    # --- arrival -----------------------------------------------------------------------------------------------------

    @rule(
        call_id=st.sampled_from(IDS),
        name=st.sampled_from(NAMES),
        response_id=st.sampled_from(RESPONSES),
        raw=st.sampled_from(['{"a": 1}', {"a": 1}, "{}", " ", "null", None]),
        runs=st.booleans(),
    )
    def arrive(
        self, call_id: str, name: str, response_id: str, raw: str | dict[str, object] | None, *, runs: bool
    ) -> None:
        has_arguments = raw in ('{"a": 1}', {"a": 1})
        arriving = Seen(call_id, name, response_id, self.model.now, has_arguments)
        expected = self.model.booking(arriving, runs_when_interrupted=runs)
        booking = self.book.arrive(call_id, name, raw, response_id, now=self.model.now, runs_when_interrupted=runs)
        self.reached[expected] += 1
        if expected == "new" and response_id in self.model.interrupted:
            self.reached["runs although interrupted"] += 1
        if expected in ("replay", "ghost"):
            assert booking == Replay()
            return
        if expected in ("new", "interrupted", "after the end", "cancelled ahead") and call_id:
            self.model.seen.append(arriving)
        self.model.cancelled_ahead.pop(call_id, None)
        if expected == "new":
            assert isinstance(booking, NewCall)
            known = Known(booking.call, has_id=True)
        else:
            assert isinstance(booking, Unrunnable)
            known = Known(booking.call, has_id=expected == "interrupted")
            refused = expected in ("no id", "id in use", "interrupted")
            known.outcome = OutcomeKind.REFUSED if refused else OutcomeKind.CANCELLED
            known.answerable = expected == "interrupted"
        assert (known.call.call_id, known.call.name, known.call.raw) == (call_id, name, raw)
        self.model.calls.append(known)

    @rule(response_id=st.sampled_from(RESPONSES[:3]))
    def interrupt(self, response_id: str) -> None:
        self.book.interrupted(response_id)
        self.model.interrupted |= {response_id} - {""}

    @rule(seconds=st.sampled_from([0.01, 3.0, 3.5]))
    def time_passes(self, seconds: float) -> None:
        self.model.now += seconds

    # --- a call's life -----------------------------------------------------------------------------------------------

    @precondition(lambda self: self.model.unsettled)
    @rule(data=st.data(), event=st.sampled_from([CallEvent.SERVE, CallEvent.ASK]))
    def work(self, data: st.DataObject, event: CallEvent) -> None:
        call = data.draw(st.sampled_from(self.model.unsettled)).call
        was = call.state
        taken = call.move(event)
        assert taken is (call.state != was or (was, event) == (CallState.ASKING, CallEvent.ASK))
        assert not self.book.claim_report(call)
        assert not self.book.claim_delivery(call)

    @precondition(lambda self: self.model.unsettled)
    @rule(data=st.data(), kind=st.sampled_from(OutcomeKind), goes=st.integers(0, 2))
    def settle(self, data: st.DataObject, kind: OutcomeKind, goes: int) -> None:
        known = data.draw(st.sampled_from(self.model.unsettled))
        assert known.call.settle(Outcome(kind, "words"))
        known.outcome = kind
        assert not known.call.settle(Outcome(OutcomeKind.SERVED, "later"))
        if goes > 0:
            self._deliver(known)
        if goes > 1:
            self._report(known)

    @precondition(lambda self: self.model.settled)
    @rule(data=st.data())
    def deliver(self, data: st.DataObject) -> None:
        candidates = [known for known in self.model.settled if not known.delivery_tried] or self.model.settled
        self._deliver(data.draw(st.sampled_from(candidates)))

    def _deliver(self, known: Known) -> None:
        wanted = (
            not self.model.ended
            and not known.abandoned
            and known.answerable
            and known.outcome is not OutcomeKind.CANCELLED
            and not known.deliveries
        )
        assert self.book.claim_delivery(known.call) is wanted
        known.delivery_tried = True
        known.deliveries += wanted
        self.reached[f"delivered {known.outcome}" if wanted else "not delivered"] += 1
        self.reached["abandoned, not delivered"] += known.abandoned

    @precondition(lambda self: self.model.settled)
    @rule(data=st.data())
    def report(self, data: st.DataObject) -> None:
        candidates = [known for known in self.model.settled if not known.reports] or self.model.settled
        self._report(data.draw(st.sampled_from(candidates)))

    def _report(self, known: Known) -> None:
        assert self.book.claim_report(known.call) is (not known.reports)
        known.reports += not known.reports
        self.reached[f"reported {known.outcome}"] += 1

    # --- endings -----------------------------------------------------------------------------------------------------

    @rule(call_ids=st.lists(st.sampled_from(IDS[:5]), min_size=1, max_size=2))
    def cancel(self, call_ids: Sequence[str]) -> None:
        expected: list[ToolCall] = []
        for call_id in call_ids:
            known = self.model.holder(call_id)
            if known is not None:
                known.abandoned = True
                if known.outcome is None:
                    known.outcome = OutcomeKind.CANCELLED
                    expected.append(known.call)
            elif call_id and all(seen.call_id != call_id for seen in self.model.seen):
                self.model.cancelled_ahead[call_id] = self.model.now
        assert self.book.cancel(call_ids, now=self.model.now) == expected
        self.reached["cancelled by the provider"] += bool(expected)

    @precondition(lambda self: len(self.model.calls) > 3 and not self.model.ended)
    @rule(data=st.data())
    def end(self, data: st.DataObject) -> None:
        but = data.draw(st.sampled_from([None, *(known.call for known in self.model.unsettled)]))
        cancelled = [known for known in self.model.unsettled if known.call is not but]
        assert self.book.end(but=but) == [known.call for known in cancelled]
        for known in cancelled:
            known.outcome = OutcomeKind.CANCELLED
        self.model.ended = True
        self.reached["ended from inside a call" if but else "ended"] += 1

    # --- what always holds -------------------------------------------------------------------------------------------

    @invariant()
    def agree(self) -> None:
        if not hasattr(self, "book"):
            return
        assert self.book.ended is self.model.ended
        assert self.book.open_calls == [known.call for known in self.model.unreported]
        for call_id in IDS:
            holder = self.model.holder(call_id)
            assert self.book.find(call_id) is (holder.call if holder else None)
        for known in self.model.calls:
            self._agree_on(known)

    def _agree_on(self, known: Known) -> None:
        call = known.call
        assert (call.outcome.kind if call.outcome else None) == known.outcome
        assert (call.state is CallState.REPORTED) is bool(known.reports)
        assert (call.state in (CallState.SETTLED, CallState.REPORTED)) is (known.outcome is not None)
        assert call.delivery_claimed is bool(known.deliveries)
        assert max(known.deliveries, known.reports) <= 1
        self.reached[call.state] += 1


def test_the_book_agrees_with_its_model_and_reaches_every_state() -> None:
    reached = BookMachine.reached
    reached.clear()
    run_state_machine_as_test(
        BookMachine,
        # Derandomized, because what is reached is counted.
        settings=settings(max_examples=300, stateful_step_count=40, deadline=None, derandomize=True),
    )
    delivered = set(OutcomeKind) - {OutcomeKind.CANCELLED}
    wanted = {
        *CallState,
        *("new", "replay", "ghost", "id in use", "no id", "interrupted", "cancelled ahead", "after the end"),
        *("runs although interrupted", "cancelled by the provider", "ended", "ended from inside a call"),
        *(f"delivered {kind}" for kind in delivered),
        *("not delivered", "abandoned, not delivered"),
        *(f"reported {kind}" for kind in OutcomeKind),
    }
    assert wanted <= {state for state, times in reached.items() if times}, reached
