"""`Board`: the requests that a console shows, who handles which, and what happened, in order. Pure: times come in.

What happened is numbered, and remembered for a while: a page that was away goes on where it left off.
"""

from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Final, Literal, NamedTuple

from voice_hitl.asker import Asking
from voice_hitl.console.shown import Event, Filters, Line, OutcomeShown, RequestShown, Taking
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.settlement import Settlement

HISTORY: Final = 1_000
"""How many settled requests stay."""

REMEMBERED: Final = 4_096
"""How many events a page that was away can be told of."""

LET_GO_S: Final = 60.0
"""How long a request stays marked as being handled without a sign of life, in seconds."""

EventName = Literal["request.opened", "request.changed", "request.settled"]


@dataclass(frozen=True, slots=True)
class Row:
    """One request on the board.

    Args:
        shown: What operators see of it.
        audience: The roles, and the people, who see it.
        asking: What it asks, and how it stands.
        answer: Takes an answer, under an idempotency key.
    """

    shown: RequestShown
    audience: frozenset[str]
    asking: Asking
    answer: Callable[[Answer, str | None], Awaitable[Settlement]]

    def is_for(self, names: Collection[str]) -> bool:
        """Whether somebody with one of these names sees it."""
        return not self.audience.isdisjoint(names)


class Happened(NamedTuple):
    """Something that happened to a request: the `number`th thing, and who is told."""

    number: int
    name: EventName
    data: str
    audience: frozenset[str]


class Board:
    """Open and settled requests, and the events of both.

    Args:
        history: How many settled ones stay.
        remembered: How many events stay.
    """

    def __init__(self, *, history: int = HISTORY, remembered: int = REMEMBERED) -> None:
        self._open: dict[str, Row] = {}
        self._settled: OrderedDict[str, Row] = OrderedDict()
        self._signs: dict[str, float] = {}
        self._history = history
        self._events: deque[Happened] = deque(maxlen=remembered)
        self.last = 0
        """The number of the last event."""

    # --- requests ----------------------------------------------------------------------------------------------------

    def open(self, row: Row) -> None:
        """Show a request; again under its id: it is now asked of others, too, or once more."""
        known = self._open.get(row.shown.id)
        if known is None:
            self._settled.pop(row.shown.id, None)  # whoever was asked was gone: it is put to others now
            self._put(row, "request.opened")
        else:
            shown = row.shown.model_copy(update={"taken": known.shown.taken, "transcript": known.shown.transcript})
            self._put(replace(row, shown=shown), "request.changed")

    def said(self, session: str, lines: Sequence[Line]) -> None:
        """Show the last lines of a call with its open requests."""
        for row in [row for row in self._open.values() if row.shown.session == session]:
            self._put(_with(row, transcript=list(lines)), "request.changed")

    def settle(self, request_id: str, outcome: OutcomeShown) -> None:
        """Show how a request ended: its row stays. A second time does nothing."""
        row = self._open.pop(request_id, None)
        if row is None:
            return
        self._signs.pop(request_id, None)
        row = _with(row, outcome=outcome, taken=None)
        self._settled[request_id] = row
        while len(self._settled) > self._history:
            self._settled.popitem(last=False)
        self._tell(row, "request.settled")

    def _put(self, row: Row, name: EventName) -> None:
        self._open[row.shown.id] = row
        self._tell(row, name)

    # --- who handles which -------------------------------------------------------------------------------------------

    def take(self, request_id: str, by: str, *, now: float, utc: datetime) -> Taking | None:
        """Mark an open request as being handled, or give a sign of life. What is there is somebody else's, or None.

        Raises:
            KeyError: It is not open.
        """
        self.let_go(now)
        row = self._open[request_id]
        if row.shown.taken is not None and row.shown.taken.by != by:
            return row.shown.taken
        self._signs[request_id] = now
        if row.shown.taken is None:
            self._put(_with(row, taken=Taking(by=by, since=utc)), "request.changed")
        return None

    def release(self, request_id: str, by: str) -> bool:
        """Unmark a request that `by` handles; False: they do not."""
        row = self._open.get(request_id)
        if row is None or row.shown.taken is None or row.shown.taken.by != by:
            return False
        self._unmark(row)
        return True

    def let_go(self, now: float) -> None:
        """Unmark what nobody has given a sign of life for."""
        for request_id in [each for each, sign in self._signs.items() if now >= sign + LET_GO_S]:
            self._unmark(self._open[request_id])

    @property
    def deadline(self) -> float | None:
        """When the next request is to be let go."""
        return min(self._signs.values()) + LET_GO_S if self._signs else None

    def _unmark(self, row: Row) -> None:
        del self._signs[row.shown.id]
        self._put(_with(row, taken=None), "request.changed")

    # --- looking -----------------------------------------------------------------------------------------------------

    def find(self, request_id: str) -> Row | None:
        """A request, open or settled."""
        return self._open.get(request_id) or self._settled.get(request_id)

    def open_for(self, names: Collection[str], filters: Filters) -> list[RequestShown]:
        """What is open for somebody with these names, oldest first."""
        return [row.shown for row in self._open.values() if row.is_for(names) and filters.fits(row.shown)]

    def settled_for(
        self, names: Collection[str], filters: Filters, *, before: str | None, limit: int
    ) -> list[RequestShown]:
        """What has settled for somebody with these names, the newest first: at most `limit`, before one of them."""
        newest_first = iter(reversed(self._settled.values()))
        if before in self._settled:
            for row in newest_first:
                if row.shown.id == before:
                    break
        rows = (row.shown for row in newest_first if row.is_for(names) and filters.fits(row.shown))
        return list(islice(rows, limit))

    # --- what happened -----------------------------------------------------------------------------------------------

    def since(self, number: int) -> list[Happened] | None:
        """What happened after the `number`th thing; None: it is not all remembered any more, or never happened."""
        if not self.last - len(self._events) <= number <= self.last:
            return None
        return list(islice(self._events, len(self._events) - (self.last - number), None))

    def _tell(self, row: Row, name: EventName) -> None:
        self.last += 1
        data = Event(request=row.shown).model_dump_json(exclude_none=True)
        self._events.append(Happened(self.last, name, data, row.audience))


def _with(row: Row, **changes: object) -> Row:
    return replace(row, shown=row.shown.model_copy(update=changes))
