"""What became of a message of the page, and the memory that gives the same message the same verdict twice."""

import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Final, assert_never

import anyio

from voice_hitl.asker import Asking
from voice_hitl.enums import RequestEnd
from voice_hitl.messages import MAX_BYTES, Code, Outcome, RequestAnswer, RequestDecline, ToolAbort, ToolRespond
from voice_hitl.questions.wire import to_wire
from voice_hitl.requests.pending import PendingInput
from voice_hitl.requests.settlement import Settlement, SettlementKind


@dataclass(frozen=True, slots=True)
class Done:
    """It did what it asked for."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """It did nothing; `outcome` says how its request had ended, where it came too late."""

    code: Code
    why: str
    outcome: Outcome | None = None


LONGEST_SHOWN: Final = MAX_BYTES // 2
"""Characters of the JSON of an answer that is shown with how its request ended: the rest of the message needs room."""

LATE: Final = frozenset({RequestEnd.TIMED_OUT, RequestEnd.UNANSWERED, RequestEnd.WITHDRAWN})
"""Ends after which an answer is late; after the others it is a duplicate."""

LONGEST_REASON: Final = 8192
"""Characters of a reason that a page is told: an application's may be of any length, and has to fit a message."""

Verdict = Done | Refusal
DONE: Final = Done()


class Verdicts:
    """Remembers the verdicts of the last keys: a message sent again under its key is told what the first one was.

    Args:
        most: How many keys are remembered; the oldest is forgotten first.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[Hashable, _Pending] = OrderedDict()

    async def once(self, key: Hashable | None, judge: Callable[[], Awaitable[Verdict]]) -> Verdict:
        """Return the verdict of `key`, from `judge` the first time; one that is still being made is waited for."""
        if key is None:
            return await judge()
        known = self._known.get(key)
        if known is not None:
            await known.made.wait()
            return known.verdict
        pending = self._known[key] = _Pending()
        while len(self._known) > self._most:
            self._known.popitem(last=False)
        try:
            pending.verdict = await judge()
        except BaseException:
            # Nothing was decided: the same message may be tried again.
            self._known.pop(key, None)
            raise
        finally:
            pending.made.set()
        return pending.verdict


def key_of(message: RequestAnswer | RequestDecline | ToolRespond | ToolAbort) -> Hashable | None:
    """What tells an answer from every other: its key, for its own request. A page may count its keys from one again."""
    return None if message.key is None else (message.pending_id, message.key)


class _Pending:
    def __init__(self) -> None:
        self.made = anyio.Event()
        self.verdict: Verdict = Refusal("unknown", "the call ended before this was decided")


def outcome_of(asking: Asking) -> Outcome:
    """How a request ended, as its page is told: with the answer, unless it is confidential, or too long to be shown."""
    request = asking.request
    answer = None if request.answer is None else to_wire(request.answer, asking.question)
    return Outcome(
        end=request.end or RequestEnd.WITHDRAWN,  # an asker that is cancelled before its request settles gives it up
        by=request.answered_by,
        via=request.answered_via,
        answer=answer if len(json.dumps(answer)) <= LONGEST_SHOWN else None,
        reason=None if asking.question.sensitive else shown_reason(request),
    )


def shown_reason(request: PendingInput) -> str | None:
    """Why it was declined or blocked, as its page is told."""
    return request.reject_reason[:LONGEST_REASON] if request.reject_reason is not None else None


def verdict_of(settlement: Settlement, outcome: Outcome, *, sensitive: bool = False) -> Verdict:
    """What became of an answer that the ledger has judged; `outcome` is how its request stands."""
    match settlement.kind:
        case SettlementKind.ACCEPTED:
            return DONE
        case SettlementKind.DUPLICATE | SettlementKind.LATE:
            return too_late(outcome)
        case SettlementKind.NOT_ALLOWED:
            return Refusal("not_allowed", settlement.why or "this request is for somebody else")
        case SettlementKind.INVALID:
            return invalid(settlement.why, sensitive=sensitive)
        case SettlementKind.UNKNOWN:
            return Refusal("unknown", settlement.why or "there is no such request any more")
        case _:
            assert_never(settlement.kind)


def too_late(outcome: Outcome) -> Refusal:
    """The refusal of an answer to a request that had ended so."""
    if outcome.end in LATE:
        return Refusal("late", "the request had ended before this answer came", outcome)
    return Refusal("duplicate", "the request had been answered already", outcome)


def invalid(why: str, *, sensitive: bool) -> Refusal:
    """The refusal of what does not answer the question."""
    # Why an answer is wrong may quote it.
    return Refusal("invalid", "that does not answer the question" if sensitive else why)
