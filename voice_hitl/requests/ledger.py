"""The ledger: every request to a person, from the instant it can be answered until its outcome was read.

The one place that writes `PendingInput.status`, once. Pure: it takes `now` (monotonic seconds) and gives back what
changed; waking waiters, timers, hooks and askers are its shell's (`human_input/handler.py`).
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import cast

from voice_hitl.enums import PendingInputStatus, RequestEnd, Via
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Approval
from voice_hitl.requests.of_session import OfSession
from voice_hitl.requests.pending import PendingInput
from voice_hitl.requests.scopes import EVERYTHING, Scope, Scopes
from voice_hitl.requests.settlement import Settlement

RETENTION = 128
"""How many outcomes stay readable after they were read, unless said otherwise."""

TRANSITIONS: Mapping[tuple[PendingInputStatus, RequestEnd], PendingInputStatus] = MappingProxyType(
    {
        (PendingInputStatus.PENDING, RequestEnd.ANSWERED): PendingInputStatus.RESOLVED,
        (PendingInputStatus.PENDING, RequestEnd.REFUSED): PendingInputStatus.REJECTED,
        (PendingInputStatus.PENDING, RequestEnd.BLOCKED): PendingInputStatus.REJECTED,
        (PendingInputStatus.PENDING, RequestEnd.TIMED_OUT): PendingInputStatus.TIMED_OUT,
        (PendingInputStatus.PENDING, RequestEnd.UNANSWERED): PendingInputStatus.TIMED_OUT,
        (PendingInputStatus.PENDING, RequestEnd.WITHDRAWN): PendingInputStatus.REJECTED,
    }
)
"""The life of a request. What is not in the table does not happen: an ended request never changes again."""

_BY_A_PERSON_OR_A_HOOK = frozenset({RequestEnd.ANSWERED, RequestEnd.REFUSED, RequestEnd.BLOCKED})


@dataclass(slots=True)
class _Entry:
    pending: PendingInput
    timeout: float | None
    deadline: float | None
    was_put: bool = False
    waiters: int = 0
    key: object = None


class Ledger:
    """All requests of one handler: open, and settled but still readable.

    Args:
        retention: How many outcomes stay readable after they were read (0: none). An outcome nobody read yet is kept
            whatever the number, for its first reader; a detached one counts as read.
    """

    def __init__(self, *, retention: int = RETENTION) -> None:
        if retention < 0:
            raise ValueError("retention is a number of outcomes, 0 or more")
        self._retention = retention
        self._open: dict[str, _Entry] = {}
        self._settled: dict[str, _Entry] = {}
        self._evictable: OrderedDict[str, None] = OrderedDict()
        self._by_key: dict[object, list[str]] = {}
        self._of_session: OfSession[_Entry] = OfSession()
        self.scopes = Scopes()

    def __len__(self) -> int:
        return len(self._open)

    # --- a request begins --------------------------------------------------------------------------------------------

    def arm(self, pending: PendingInput, *, now: float, timeout: float | None, key: object = None) -> None:
        """Register `pending`: answerable from here.

        Args:
            pending: The request, `PENDING`.
            now: Monotonic seconds.
            timeout: Seconds until it times out: from when it is first put to somebody, and from now should it never be.
            key: What makes it the same question as another one (`twins`); None: unlike any other.

        Raises:
            RuntimeError: Its scope is closed, or its id is taken.
            ValueError: The timeout is zero or less.
        """
        if timeout is not None and timeout <= 0:
            raise ValueError(f"a timeout is more than 0 seconds, not {timeout:g}")
        why = self.scopes.why_closed(pending.channel_id, pending.room_id, pending.session_id)
        if why is not None:
            raise RuntimeError(why)
        pending_id = pending.pending_id
        if pending_id in self._open or pending_id in self._settled:
            raise RuntimeError(f"request id {pending_id!r} is taken")
        deadline = None if timeout is None else now + timeout
        self._open[pending_id] = entry = _Entry(pending, timeout, deadline, key=key)
        self._of_session.add(pending.session_id, pending_id, entry)
        if key is not None:
            self._by_key.setdefault(key, []).append(pending_id)

    def put(self, pending_id: str, *, now: float, utc: datetime) -> bool:
        """The question was first put to somebody: its clock starts here. True exactly the first time."""
        entry = self._open.get(pending_id)
        if entry is None or entry.was_put:
            return False
        entry.was_put = True
        if entry.timeout is not None:
            entry.deadline = now + entry.timeout
            entry.pending.expires_at = utc + timedelta(seconds=entry.timeout)
        return True

    def twins(self, pending_id: str) -> tuple[str, ...]:
        """The other open requests that ask the same question (same `key`), oldest first."""
        entry = self._open.get(pending_id)
        if entry is None or entry.key is None:
            return ()
        return tuple(twin for twin in self._by_key.get(entry.key, ()) if twin != pending_id)

    # --- a request ends ----------------------------------------------------------------------------------------------

    def settle(
        self,
        pending_id: str,
        end: RequestEnd,
        *,
        result: str | None = None,
        reason: str | None = None,
        by: str | None = None,
        via: Via | None = None,
        answer: Answer | None = None,
    ) -> PendingInput | None:
        """End an open request; return it if this call ended it, else None."""
        entry = self._open.pop(pending_id, None)
        if entry is None:
            return None
        pending = entry.pending
        pending.result = result
        pending.reject_reason = reason
        pending.answered_by = by
        pending.answered_via = via
        pending.answer = answer
        # Last: another thread that sees that it ended finds how.
        pending.end = end
        pending.status = TRANSITIONS[pending.status, end]
        self._of_session.remove(pending.session_id, pending_id)
        if entry.key is not None:
            twins = self._by_key[entry.key]
            twins.remove(pending_id)
            if not twins:
                del self._by_key[entry.key]
        self._settled[pending_id] = entry
        if pending.detached:
            self._let_go(pending_id)
        return pending

    def expire(self, pending_id: str, *, now: float) -> PendingInput | None:
        """Time the request out if its deadline has come; return it if this call ended it."""
        deadline = self.deadline(pending_id)
        if deadline is None or now < deadline:
            return None
        return self.settle(pending_id, RequestEnd.TIMED_OUT)

    def release(self, pending_id: str) -> tuple[bool, PendingInput | None]:
        """Drop a request: whether there was one to drop, and the request if it was open and is withdrawn by this."""
        unread = pending_id in self._settled and pending_id not in self._evictable
        withdrawn = self.settle(pending_id, RequestEnd.WITHDRAWN)
        if pending_id in self._settled:
            self._let_go(pending_id)
        return withdrawn is not None or unread, withdrawn

    def close(self, scope: Scope) -> list[PendingInput]:
        """Refuse later requests in `scope`, and withdraw what is open in it, detached included."""
        self.scopes.close(scope)
        return self.withdraw(scope)

    def withdraw(self, scope: Scope) -> list[PendingInput]:
        """Withdraw what is open in `scope`; later requests there are welcome."""
        concerned = self.open_requests(scope)
        settled = (self.settle(pending.pending_id, RequestEnd.WITHDRAWN) for pending in concerned)
        return [pending for pending in settled if pending is not None]

    # --- waiting and reading -----------------------------------------------------------------------------------------

    def join(self, pending_id: str) -> bool:
        """One more waits for it. False: unknown, or evicted."""
        entry = self._find(pending_id)
        if entry is None:
            return False
        entry.waiters += 1
        return True

    def leave(self, pending_id: str) -> bool:
        """One waits no longer. True: it was the last one, of an open request that is not detached."""
        entry = self._find(pending_id)
        if entry is None:
            return False
        entry.waiters -= 1
        return entry.waiters == 0 and pending_id in self._open and not entry.pending.detached

    def read(self, pending_id: str) -> PendingInput | None:
        """The settled request, which counts as read from here; None while it is open, or when it is unknown."""
        entry = self._settled.get(pending_id)
        if entry is None:
            return None
        self._let_go(pending_id)
        return entry.pending

    def find(self, pending_id: str) -> PendingInput | None:
        """The request, open or still readable. Does not count as reading it."""
        entry = self._find(pending_id)
        return entry.pending if entry else None

    def is_open(self, pending_id: str) -> bool:
        """Whether it can still be answered."""
        return pending_id in self._open

    def deadline(self, pending_id: str) -> float | None:
        """When it times out (monotonic seconds); None: never, or not open."""
        entry = self._open.get(pending_id)
        return entry.deadline if entry else None

    def verdict(self, pending_id: str) -> Settlement:
        """What an answer that comes now is told: about a request that is not open any more."""
        pending = self.find(pending_id)
        if pending is None or pending.end is None:
            return Settlement.UNKNOWN
        return Settlement.DUPLICATE if pending.end in _BY_A_PERSON_OR_A_HOOK else Settlement.LATE

    def open_requests(self, scope: Scope = EVERYTHING) -> list[PendingInput]:
        """What is open (in `scope`), oldest first. What is open in other sessions costs nothing."""
        entries = self._open.values() if scope.session_id is None else self._of_session[scope.session_id]
        return [
            entry.pending
            for entry in entries
            if scope.covers(entry.pending.channel_id, entry.pending.room_id, entry.pending.session_id)
        ]

    def _find(self, pending_id: str) -> _Entry | None:
        return self._open.get(pending_id) or self._settled.get(pending_id)

    def _let_go(self, pending_id: str) -> None:
        self._evictable[pending_id] = None
        while len(self._evictable) > self._retention:
            oldest, _ = self._evictable.popitem(last=False)
            del self._settled[oldest]


def question_key(pending: PendingInput) -> object:
    """What makes two open questions of one session the same one; None where it is like no other.

    Same tool, same audience, arguments equal after stripping and case-folding every string. An approval is never the
    same as another; neither is what has arguments that cannot be compared.
    """
    if not pending.session_id or isinstance(pending.question, Approval):
        return None
    try:
        arguments = _folded(pending.arguments)
    except TypeError:
        return None
    return (pending.session_id, pending.tool_name, pending.audience, arguments)


def _folded(value: object) -> object:
    if isinstance(value, str):
        return value.strip().casefold()
    if isinstance(value, Mapping):
        return frozenset((key, _folded(item)) for key, item in cast("Mapping[str, object]", value).items())
    if isinstance(value, list | tuple):
        return tuple(_folded(item) for item in cast("Sequence[object]", value))
    # True == 1 in Python, and not in JSON.
    return (type(value).__name__, value)
