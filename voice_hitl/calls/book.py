"""The book of one session's tool calls: which message is a new call, and the two promises each call makes.

An id names a call from its arrival until its outcome is on its way or the provider abandons it. The outcome is
delivered at most once, the end reported exactly once: both are claims, taken here by whoever comes first.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from voice_hitl.calls.call import CallEvent, ToolCall
from voice_hitl.calls.outcome import Outcome
from voice_hitl.enums import OutcomeKind
from voice_hitl.frozen import frozen

SAME_RESPONSE_S = 3.0
"""Within this time the same id is the same call, where the provider names no response (in seconds).

It never names one when it cancels. A call under an id that was cancelled longer ago is another one: some models count
from zero every turn, and one that waits for an output that never comes says nothing any more.
"""

REMEMBERED_IDS = 1024
"""How many seen, and how many early-cancelled, ids and interrupted responses are remembered."""

CANCELLED = Outcome(OutcomeKind.CANCELLED)


@frozen()
class Replay:
    """The same call again, or an empty ghost of it: not a call. The first outcome stands."""


@frozen()
class NewCall:
    """A call to run."""

    call: ToolCall


@frozen()
class Unrunnable:
    """A call that does not run: it is settled already; it is reported, and delivered where it is answerable."""

    call: ToolCall


Booking = Replay | NewCall | Unrunnable


@dataclass(slots=True)
class _Seen:
    name: str
    response_id: str
    at: float
    had_arguments: bool


@dataclass(slots=True)
class Book:
    """One session's calls. Pure: `now` is monotonic seconds."""

    ended: bool = False
    _in_flight: dict[str, ToolCall] = field(default_factory=dict[str, ToolCall])
    _unreported: dict[int, ToolCall] = field(default_factory=dict[int, ToolCall])
    _seen: OrderedDict[str, _Seen] = field(default_factory=OrderedDict[str, _Seen])
    _cancelled_ahead: OrderedDict[str, float] = field(default_factory=OrderedDict[str, float])
    _interrupted: OrderedDict[str, None] = field(default_factory=OrderedDict[str, None])

    @property
    def open_calls(self) -> list[ToolCall]:
        """The calls whose end is not reported yet, oldest first."""
        return list(self._unreported.values())

    def find(self, call_id: str) -> ToolCall | None:
        """The call that holds this id now."""
        return self._in_flight.get(call_id)

    # --- arrival -----------------------------------------------------------------------------------------------------

    def arrive(
        self,
        call_id: str,
        name: str,
        raw: str | Mapping[str, object] | None,
        response_id: str = "",
        *,
        now: float,
        runs_when_interrupted: bool = False,
    ) -> Booking:
        """Book what the provider sent; the first rule that matches decides (spec: booking)."""
        call = ToolCall(call_id, name, raw, response_id, now)
        cancelled_at = self._cancelled_ahead.pop(call_id, None)
        if cancelled_at is not None and now - cancelled_at <= SAME_RESPONSE_S:
            self._remember(call, now)
            return self._unrunnable(call, CANCELLED)
        if self._is_replay(call, now):
            return Replay()
        if self.ended:
            self._remember(call, now)
            return self._unrunnable(call, CANCELLED)
        if not call_id or call_id in self._in_flight:
            why = "it has no id" if not call_id else f"its id {call_id!r} is in use by another call"
            return self._unrunnable(
                call, Outcome(OutcomeKind.REFUSED, f"This call was not run: {why}.", answerable=False)
            )
        self._remember(call, now)
        self._in_flight[call_id] = call
        if response_id and response_id in self._interrupted and not runs_when_interrupted:
            text = "This call was not run, because the caller interrupted. It may be called again."
            return self._unrunnable(call, Outcome(OutcomeKind.REFUSED, text))
        self._unreported[id(call)] = call
        return NewCall(call)

    def interrupted(self, response_id: str) -> None:
        """This response was cut by the caller: what it still issues is not run."""
        if response_id:
            self._interrupted[response_id] = None
            _forget_oldest(self._interrupted)

    def was_interrupted(self, response_id: str) -> bool:
        """Whether the caller cut this response."""
        return response_id in self._interrupted

    def reconnected(self, kept: Collection[str] = ()) -> None:
        """The provider's connection is a new one: its responses and ids are others, whatever they are called.

        `kept`: the ids of the old one that still name their calls. The other calls go on without a name.
        """
        self._interrupted.clear()
        self._cancelled_ahead.clear()
        self._in_flight = {call_id: call for call_id, call in self._in_flight.items() if call_id in kept}
        self._seen = OrderedDict((call_id, seen) for call_id, seen in self._seen.items() if call_id in self._in_flight)

    def _is_replay(self, call: ToolCall, now: float) -> bool:
        seen = self._seen.get(call.call_id)
        if seen is None:
            return False
        if seen.response_id == call.response_id and (call.response_id or now - seen.at <= SAME_RESPONSE_S):
            return True
        return seen.name == call.name and seen.had_arguments and not _has_arguments(call.raw)

    def _remember(self, call: ToolCall, now: float) -> None:
        if call.call_id:
            self._seen[call.call_id] = _Seen(call.name, call.response_id, now, _has_arguments(call.raw))
            self._seen.move_to_end(call.call_id)
            _forget_oldest(self._seen)

    def _unrunnable(self, call: ToolCall, outcome: Outcome) -> Unrunnable:
        call.settle(outcome)
        self._unreported[id(call)] = call
        return Unrunnable(call)

    # --- endings -----------------------------------------------------------------------------------------------------

    def cancel(self, call_ids: Iterable[str], *, now: float) -> list[ToolCall]:
        """The provider gave these ids up: they are free at once. Return the calls that this cancelled.

        An id nobody has seen yet is remembered for a moment: its call may come a few milliseconds later.
        """
        cancelled: list[ToolCall] = []
        for call_id in call_ids:
            call = self._in_flight.pop(call_id, None)
            if call is not None:
                call.abandoned = True
                if call.settle(CANCELLED):
                    cancelled.append(call)
            elif call_id and call_id not in self._seen:
                self._cancelled_ahead[call_id] = now
                _forget_oldest(self._cancelled_ahead)
        return cancelled

    def end(self, *, but: ToolCall | None = None) -> list[ToolCall]:
        """The session is over: nothing is sent any more. Return the calls that this cancelled.

        `but`: the call whose own handler caused the ending; it runs to its report.
        """
        self.ended = True
        return [call for call in self.open_calls if call is not but and call.settle(CANCELLED)]

    # --- the two promises --------------------------------------------------------------------------------------------

    def claim_delivery(self, call: ToolCall) -> bool:
        """Whether the caller of this, and nobody else, may send the call's outcome now. Frees the id."""
        outcome = call.outcome
        if outcome is None:
            return False
        self._free_id(call)
        if self.ended or outcome.cancelled or not outcome.answerable:
            return False
        if call.abandoned or call.delivery_claimed:
            return False
        call.delivery_claimed = True
        return True

    def claim_report(self, call: ToolCall) -> bool:
        """Whether the caller of this, and nobody else, reports the call's end."""
        if not call.move(CallEvent.REPORT):
            return False
        self._free_id(call)
        self._unreported.pop(id(call), None)
        return True

    def _free_id(self, call: ToolCall) -> None:
        if self._in_flight.get(call.call_id) is call:
            del self._in_flight[call.call_id]


def _has_arguments(raw: str | Mapping[str, object] | None) -> bool:
    if isinstance(raw, str):
        return raw.strip() not in ("", "{}", "null")
    return bool(raw)


def _forget_oldest(ids: "OrderedDict[str, _Seen] | OrderedDict[str, float] | OrderedDict[str, None]") -> None:
    if len(ids) > REMEMBERED_IDS:
        ids.popitem(last=False)
