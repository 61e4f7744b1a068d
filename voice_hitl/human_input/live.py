"""The ledger awake: requests that wake their waiters, keep their clock, and may be settled from any thread."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial

import anyio

from voice_hitl.asker import CALLER
from voice_hitl.enums import RequestEnd, Via
from voice_hitl.human_input.asking import SharedAsking
from voice_hitl.human_input.callbacks import RequestCallbacks
from voice_hitl.human_input.new_request import NewRequest
from voice_hitl.human_input.taking import Taken
from voice_hitl.questions.json_value import json_fault
from voice_hitl.requests.ledger import Ledger, question_key
from voice_hitl.requests.of_session import OfSession
from voice_hitl.requests.pending import PendingInput, copy_json
from voice_hitl.requests.scopes import Scope, Scopes
from voice_hitl.requests.settlement import Settlement
from voice_hitl.tasks import Job, Latch, Loop, Timer, call_on


@dataclass(slots=True, eq=False)
class LiveRequest:
    """One request, from its creation until everything that runs alongside it has ended."""

    new: NewRequest
    loop: Loop
    callbacks: RequestCallbacks
    settled: Latch = field(default_factory=Latch)
    timer: Timer | None = None
    job: Job | None = None
    """What runs alongside it, where anything does."""
    hooks: Job | None = None
    asking: SharedAsking | None = None
    progressed: Callable[[], None] | None = None
    """Is told that more of it was answered, where it is kept in a store."""
    cut_off: bool = False
    """It was open when its scope was closed: nobody gave it up but its call."""
    ended: Latch | None = None
    """Made by whoever waits, from another loop, for everything of it to end."""

    @property
    def pending(self) -> PendingInput:
        """The request itself."""
        return self.new.pending


class LiveRequests:
    """All requests of one handler that are open, or settled while something of them still runs.

    Every method may be called from any thread, but `arm` and `wait`, which belong to an event loop.

    Args:
        retention: How many outcomes stay readable after they were read.
        announce: Starts telling of the end of a request that nothing ran alongside, on the request's own loop.
        ended: Is told of each request that settles, in that instant.
    """

    def __init__(
        self,
        *,
        retention: int,
        announce: Callable[[LiveRequest], None],
        ended: Callable[[LiveRequest], None] = lambda _live: None,
    ) -> None:
        self.lock = threading.RLock()
        self._ledger = Ledger(retention=retention)
        self._announce = announce
        self._ended = ended
        self._live: dict[str, LiveRequest] = {}
        self._of_session: OfSession[LiveRequest] = OfSession()

    @property
    def scopes(self) -> Scopes:
        """Where requests may be created."""
        return self._ledger.scopes

    # --- a request begins --------------------------------------------------------------------------------------------

    def arm(self, live: LiveRequest) -> None:
        """Register a request: answerable from here. `RuntimeError`: its scope is closed."""
        new, pending = live.new, live.pending
        now = live.loop.time()
        with self.lock:
            self._ledger.arm(pending, now=now, timeout=new.timeout, key=question_key(pending) if new.askers else None)
            if not new.askers:
                self._ledger.put(pending.pending_id, now=now, utc=pending.created_at)
            self._live[pending.pending_id] = live
            self._of_session.add(pending.session_id, pending.pending_id, live)
            if new.timeout is not None:
                live.timer = Timer(new.timeout, partial(self._due, live))

    def put(self, pending_id: str) -> None:
        """The question was first put to somebody: its clock starts, `expires_at` is known."""
        with self.lock:
            live = self._live.get(pending_id)
            if live is not None:
                self._ledger.put(pending_id, now=live.loop.time(), utc=datetime.now(UTC))

    def progress(self, pending_id: str, answers: Mapping[str, object]) -> None:
        """More of it was answered; nothing is waited for. `ValueError`: the answers are not JSON."""
        given = copy_json(answers)
        if fault := json_fault(given):
            raise ValueError(f"what was answered so far cannot be kept: there is {fault} in it")
        with self.lock:
            live = self.find_open(pending_id)
            if live is None:
                return
            # A new mapping each time: whoever has the one before keeps what was true then.
            live.pending.answered_so_far = {**live.pending.answered_so_far, **given}
            if live.progressed is not None:
                live.progressed()

    def asking_of_a_twin(self, live: LiveRequest) -> SharedAsking | None:
        """The asking at work for an identical open question of the same session."""
        with self.lock:
            twins = (self._live[twin] for twin in self._ledger.twins(live.pending.pending_id))
            return next((twin.asking for twin in twins if twin.asking is not None and twin.asking.at_work), None)

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
    ) -> bool:
        """End a request, if it is open. True exactly when this call ended it."""
        with self.lock:
            settled = self._ledger.settle(pending_id, end, result=result, reason=reason, by=by, via=via)
            if settled is not None:
                self._wake(self._live[pending_id])
            return settled is not None

    def take(self, pending_id: str, taken: Taken) -> Settlement:
        """End a request with what was answered, and every open one that asks the same."""
        with self.lock:
            twins = self._ledger.twins(pending_id)
            if not self._take(pending_id, taken):
                return self._ledger.verdict(pending_id)
            for twin in twins:
                self._take(twin, taken)
        return Settlement.ACCEPTED

    def _take(self, pending_id: str, taken: Taken) -> bool:
        settled = self._ledger.settle(
            pending_id,
            taken.end,
            result=taken.text,
            reason=taken.reason,
            by=taken.by,
            via=taken.via,
            answer=taken.answer,
        )
        if settled is not None:
            self._wake(self._live[pending_id])
        return settled is not None

    def give_up(self, pending_id: str, *, tries: int) -> None:
        """Every asker gave up, after so many tries in all: it ends unanswered."""
        reason = f"unanswered after {tries} {'try' if tries == 1 else 'tries'}"
        self.settle(pending_id, RequestEnd.UNANSWERED, reason=reason)

    def release(self, pending_id: str) -> bool:
        """Drop a request, withdrawing it where it is open. True if there was one to drop."""
        with self.lock:
            dropped, withdrawn = self._ledger.release(pending_id)
            if withdrawn is not None:
                self._wake(self._live[pending_id])
            return dropped

    def close(self, scope: Scope) -> list[LiveRequest]:
        """Withdraw what is open in a scope, refuse later requests there; return all of which something still runs."""
        with self.lock:
            for withdrawn in self._ledger.close(scope):
                live = self._live[withdrawn.pending_id]
                live.cut_off = True
                self._wake(live)
            lives = self._live.values() if scope.session_id is None else self._of_session[scope.session_id]
            return [live for live in lives if _covers(scope, live.pending)]

    def _wake(self, live: LiveRequest) -> None:
        """It has settled: its waiters wake in this tick, and so does what runs alongside it."""
        live.settled.set()
        self._ended(live)
        if live.timer is not None:
            live.timer.cancel()
        if live.asking is not None:
            live.asking.settled(live.pending)
        if live.job is not None:
            return
        if live.callbacks.hears_ends and not live.loop.is_closed():
            call_on(live.loop, partial(self._announce, live))
        else:
            self.forget(live)

    def _due(self, live: LiveRequest) -> None:
        """The timer has run out: so has the request, unless its clock started later."""
        pending_id, now = live.pending.pending_id, live.loop.time()
        with self.lock:
            if self._ledger.expire(pending_id, now=now) is not None:
                self._wake(live)
                return
            deadline = self._ledger.deadline(pending_id)
            if deadline is not None:
                live.timer = Timer(deadline - now, partial(self._due, live))

    # --- everything of it has ended ----------------------------------------------------------------------------------

    def forget(self, live: LiveRequest) -> None:
        """Nothing runs alongside a settled request any more."""
        pending = live.pending
        with self.lock:
            if self._live.pop(pending.pending_id, None) is not None:
                self._of_session.remove(pending.session_id, pending.pending_id)
            if live.ended is not None:
                live.ended.set()

    def ended(self, live: LiveRequest) -> Latch:
        """What is set once the request is forgotten, for other loops to wait for."""
        with self.lock:
            if live.ended is None:
                live.ended = Latch()
                if live.pending.pending_id not in self._live:
                    live.ended.set()
            return live.ended

    # --- waiting -----------------------------------------------------------------------------------------------------

    async def wait(self, pending_id: str, timeout: float | None) -> PendingInput:
        """Wait until the request has settled, and return it; see `HumanInputHandler.wait`."""
        with self.lock:
            pending = self._ledger.find(pending_id)
            if pending is None:
                raise ValueError(f"request {pending_id!r} is unknown, or its outcome is no longer kept")
            self._ledger.join(pending_id)
            live = self._live[pending_id] if pending.end is None else None
        if live is not None:
            await self._until_settled(live, timeout)
        with self.lock:
            self._ledger.read(pending_id)
        return pending

    async def _until_settled(self, live: LiveRequest, timeout: float | None) -> None:
        pending_id = live.pending.pending_id
        try:
            if timeout is None:
                await live.settled.wait()
                return
            with anyio.move_on_after(timeout):
                await live.settled.wait()
        except anyio.get_cancelled_exc_class():
            with self.lock:
                if self._ledger.leave(pending_id):
                    self.settle(pending_id, RequestEnd.WITHDRAWN)
                self._ledger.read(pending_id)
            raise
        with self.lock:
            if live.pending.end is None:
                self._waited_in_vain(live, timeout)

    def _waited_in_vain(self, live: LiveRequest, timeout: float) -> None:
        """This waiter's own time is up: the request ends with it only where nobody and nothing else holds it."""
        pending_id = live.pending.pending_id
        last = self._ledger.leave(pending_id)
        deadline = self._ledger.deadline(pending_id)
        if last and (deadline is None or deadline <= live.loop.time()):
            self.settle(pending_id, RequestEnd.TIMED_OUT)
            self._ledger.read(pending_id)
        raise TimeoutError(f"nobody answered within {timeout:g} s")

    # --- looking -----------------------------------------------------------------------------------------------------

    def find_open(self, pending_id: str) -> LiveRequest | None:
        """The request, while it can be answered."""
        live = self._live.get(pending_id)
        return live if live is not None and live.pending.end is None else None

    def asks_others(self, pending_id: str) -> bool:
        """Whether somebody else than the caller is being asked this now."""
        live = self.find_open(pending_id)
        if live is None or set(live.pending.audience) == {CALLER}:
            return False
        # Without askers it is for the hooks to reach somebody, and they do not reach the caller.
        return live.asking.asks_others if live.asking is not None else not live.new.askers

    def verdict(self, pending_id: str) -> Settlement:
        """What an answer is told that comes to a request that is not open."""
        with self.lock:
            return self._ledger.verdict(pending_id)

    def snapshot(self) -> dict[str, PendingInput]:
        """What is open, by id: copies."""
        with self.lock:
            return {
                pending.pending_id: replace(pending, arguments=copy_json(pending.arguments))
                for pending in self._ledger.open_requests()
            }

    def open_in(self, scope: Scope) -> list[PendingInput]:
        """What is open in a scope, oldest first: live."""
        with self.lock:
            return self._ledger.open_requests(scope)


def _covers(scope: Scope, pending: PendingInput) -> bool:
    return scope.covers(pending.channel_id, pending.room_id, pending.session_id)
