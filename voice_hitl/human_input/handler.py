"""`HumanInputHandler`: requests to a person, from `create` to the outcome that `wait` returns.

The shell around the ledger: it wakes waiters, keeps the clock, runs hooks and askers beside the wait. `resolve`,
`reject`, `release` and `pending` may be called from any thread; everything else belongs to an event loop.
"""

import logging
import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Final

import anyio

from voice_hitl.asker import Asker, AskerSession
from voice_hitl.enums import ChannelType, DoorName, PendingInputStatus, RequestEnd, Via
from voice_hitl.errors import HumanInputRejectedError, InvalidAnswer
from voice_hitl.human_input.asking import SharedAsking
from voice_hitl.human_input.callbacks import (
    HandlerWideCallbacks,
    OnInputRequired,
    OnInputSettled,
    RequestCallbacks,
)
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.check import check_answer
from voice_hitl.questions.model import Approval, Question, Text
from voice_hitl.questions.reading import read_text
from voice_hitl.requests.ledger import RETENTION, Ledger, question_key
from voice_hitl.requests.pending import PendingInput, PendingInputEvent, copy_json
from voice_hitl.requests.scopes import Scope
from voice_hitl.requests.settlement import Settlement
from voice_hitl.tasks import (
    Job,
    Latch,
    Loop,
    Tasks,
    Timer,
    call_on,
    current_time,
    end_jobs,
    this_loop,
)
from voice_hitl.tools.asking import HumanTool
from voice_hitl.tools.context import current_tool_call

log = logging.getLogger(__name__)

HOOKS_HOLD_ASKERS_S = 1.0
"""How long the SYNC hooks may hold the askers up; a denial that comes later withdraws what was started."""

WAIT_TIMEOUT_S = 300.0


class _FromContext:
    """Says: whoever's turn it is."""


FROM_CONTEXT: Final = _FromContext()


@dataclass(slots=True, eq=False)
class _Open:
    """What the shell keeps of one open request beside the ledger."""

    pending: PendingInput
    loop: Loop
    latch: Latch
    callbacks: RequestCallbacks
    tool: HumanTool | None = None
    session: AskerSession | None = None
    max_chars: int | None = None
    timer: Timer | None = None
    asking: SharedAsking | None = None
    reaching: Job | None = None
    announcing: Job | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRequest:
    """All that a request is created with; see `PendingInput` for the meanings. `timeout` is in seconds."""

    tool_name: str
    arguments: Mapping[str, object]
    room_id: str = ""
    tool_call_id: str = ""
    channel_id: str = ""
    channel_type: ChannelType = ChannelType.AI
    door: DoorName | None = None
    session_id: str = ""
    actor_id: str | None = None
    actor_confidence: float | None = None
    question: Question | None = None
    audience: tuple[str, ...] = ()
    timeout: float | None = None
    detached: bool = False
    tool: HumanTool | None = None
    askers: Sequence[Asker] = ()
    session: AskerSession | None = None
    max_chars: int | None = None


class HumanInputHandler:
    """Creates requests to a person, waits for them, takes answers; each is settled exactly once.

    Args:
        retention: How many outcomes stay readable after they were read. 0: none.
        on_input_required: `async (PendingInputEvent) -> HookResult | None`, told of requests whose channel registered
            no callbacks of its own. A block denies the request; its reason reaches the model.
        on_input_settled: `async (PendingInputEvent) -> None`, told once of the end of each such request.
    """

    def __init__(
        self,
        *,
        retention: int = RETENTION,
        on_input_required: OnInputRequired | None = None,
        on_input_settled: OnInputSettled | None = None,
    ) -> None:
        self._ledger = Ledger(retention=retention)
        self._lock = threading.RLock()
        self._open: dict[str, _Open] = {}
        self._channels: dict[str, RequestCallbacks] = {}
        self._handler_wide = HandlerWideCallbacks(on_input_required, on_input_settled)
        self._tasks = Tasks("human input")

    # --- creating ----------------------------------------------------------------------------------------------------

    async def create(
        self,
        tool_name: str,
        arguments: Mapping[str, object],
        *,
        room_id: str = "",
        tool_call_id: str = "",
        channel_id: str = "",
        channel_type: ChannelType = ChannelType.AI,
        session_id: str = "",
        actor_id: str | _FromContext | None = FROM_CONTEXT,
        question: Question | None = None,
        audience: Sequence[str] = (),
        timeout: float | None = None,
    ) -> PendingInput:
        """Register a request, schedule its notification, return it: live, for reading. Answerable from this instant.

        `wait()` owns its cleanup. `timeout` (seconds) is its deadline; None: it has none of its own.

        Raises:
            RuntimeError: Its scope is closed.
            ValueError: The timeout is zero or less.
        """
        return self.open(
            NewRequest(
                tool_name=tool_name,
                arguments=arguments,
                room_id=room_id,
                tool_call_id=tool_call_id,
                channel_id=channel_id,
                channel_type=channel_type,
                session_id=session_id,
                actor_id=_turn_of(actor_id),
                question=question,
                audience=tuple(audience),
                timeout=timeout,
            )
        )

    async def create_detached(
        self,
        tool_name: str,
        arguments: Mapping[str, object],
        *,
        room_id: str = "",
        tool_call_id: str = "",
        channel_id: str = "",
        channel_type: ChannelType = ChannelType.AI,
        session_id: str = "",
        actor_id: str | _FromContext | None = FROM_CONTEXT,
        question: Question | None = None,
        audience: Sequence[str] = (),
        timeout: float | None = None,
    ) -> PendingInput:
        """The same as `create`, for a request nobody will wait on: its creator must `release()` it."""
        return self.open(
            NewRequest(
                tool_name=tool_name,
                arguments=arguments,
                room_id=room_id,
                tool_call_id=tool_call_id,
                channel_id=channel_id,
                channel_type=channel_type,
                session_id=session_id,
                actor_id=_turn_of(actor_id),
                question=question,
                audience=tuple(audience),
                timeout=timeout,
                detached=True,
            )
        )

    def open(self, new: NewRequest) -> PendingInput:
        """Register a request with everything it may carry; see `create`."""
        pending = PendingInput(
            pending_id=secrets.token_urlsafe(16),
            tool_name=new.tool_name,
            arguments=copy_json(new.arguments),
            room_id=new.room_id,
            tool_call_id=new.tool_call_id,
            channel_id=new.channel_id,
            channel_type=new.channel_type,
            door=new.door,
            session_id=new.session_id,
            actor_id=new.actor_id,
            actor_confidence=new.actor_confidence,
            question=new.question,
            audience=new.audience,
            detached=new.detached,
            created_at=datetime.now(UTC),
        )
        opened = _Open(
            pending,
            this_loop(),
            Latch(),
            self._callbacks_for(new.channel_id),
            new.tool,
            new.session,
            new.max_chars,
        )
        key = question_key(pending) if new.askers else None
        with self._lock:
            self._ledger.arm(pending, now=current_time(), timeout=new.timeout, key=key)
            self._open[pending.pending_id] = opened
        if new.timeout is not None:
            opened.timer = Timer(new.timeout, partial(self._deadline, pending.pending_id))
        if not new.askers:
            self.put(pending.pending_id)
        if new.askers or opened.callbacks.listens:
            opened.reaching = self._tasks.spawn(self._reach(opened, new.askers), f"reaching for {new.tool_name}")
        return pending

    def _callbacks_for(self, channel_id: str) -> RequestCallbacks:
        if not channel_id and len(self._channels) == 1:
            return next(iter(self._channels.values()))
        return self._channels.get(channel_id, self._handler_wide)

    # --- reaching people, beside the wait ----------------------------------------------------------------------------

    async def _reach(self, opened: _Open, askers: Sequence[Asker]) -> None:
        """Hooks, then askers. What fails here loses a notification, never the request."""
        if opened.callbacks.listens:
            hooks = self._tasks.spawn(self._notify(opened), f"hooks of {opened.pending.tool_name}")
            with anyio.move_on_after(HOOKS_HOLD_ASKERS_S):
                await hooks.wait()
        if not askers or opened.pending.end is not None:
            return
        asking = self._shared(opened)
        if asking is not None:
            opened.asking = asking
            asking.join(opened.pending)
            return
        question = opened.pending.question or Text(prompt=opened.pending.tool_name)
        reached = [asker for asker in askers if self._reaches(asker, opened)]
        if reached:
            opened.asking = SharedAsking(opened.pending, question, self)
            opened.asking.start(reached, opened.session, self._tasks)
        elif not opened.callbacks.listens:
            self.give_up(opened.pending.pending_id, tries=0)

    async def _notify(self, opened: _Open) -> None:
        pending = opened.pending
        try:
            denied = await opened.callbacks.required(PendingInputEvent.of(pending))
        except Exception as error:
            log.warning("the notification of request %s failed", pending.pending_id, exc_info=error)
            opened.callbacks.failed(pending, "on_user_input_required", f"{type(error).__name__}: {error}")
            return
        if denied is not None:
            self._settle(pending.pending_id, RequestEnd.BLOCKED, reason=denied)

    def _shared(self, opened: _Open) -> SharedAsking | None:
        """The asking of an identical open question of the same session, where one is at work."""
        with self._lock:
            twins = self._ledger.twins(opened.pending.pending_id)
            askings = (self._open[twin].asking for twin in twins)
            return next((asking for asking in askings if asking is not None and asking.running), None)

    def _reaches(self, asker: Asker, opened: _Open) -> bool:
        try:
            return asker.reaches(opened.pending, opened.session)
        except Exception as error:
            log.warning("asker %s could not say whom it reaches", asker.name, exc_info=error)
            return False

    def put(self, pending_id: str) -> None:
        """The question was first put to somebody: its clock starts, `expires_at` is known."""
        with self._lock:
            opened = self._open.get(pending_id)
            if opened is None or not self._ledger.put(pending_id, now=current_time(), utc=datetime.now(UTC)):
                return
            deadline = self._ledger.deadline(pending_id)
        if opened.timer is not None and deadline is not None:
            self._rearm(opened, deadline)

    def asker_failed(self, pending_id: str, asker: str, message: str) -> None:
        """An asker raised: its observers are told, the request goes on."""
        opened = self._open.get(pending_id)
        if opened is not None:
            opened.callbacks.failed(opened.pending, f"asker {asker}", message)

    # --- the clock ---------------------------------------------------------------------------------------------------

    def _deadline(self, pending_id: str) -> None:
        with self._lock:
            opened = self._open.get(pending_id)
            if opened is None:
                return
            expired = self._ledger.expire(pending_id, now=current_time())
            deadline = self._ledger.deadline(pending_id)
            if expired is not None:
                del self._open[pending_id]
        if expired is not None:
            self._wake(opened)
        elif deadline is not None:
            self._rearm(opened, deadline)

    def _rearm(self, opened: _Open, deadline: float) -> None:
        if opened.timer is not None:
            opened.timer.cancel()
        delay = max(0.0, deadline - current_time())
        opened.timer = Timer(delay, partial(self._deadline, opened.pending.pending_id))

    # --- waiting -----------------------------------------------------------------------------------------------------

    async def wait(self, pending_id: str, *, timeout: float | None = WAIT_TIMEOUT_S) -> str:
        """Wait for the request to settle and return the answer's text; a settled one is replayed at once.

        Several waiters are independent. `timeout` (seconds) ends this wait; it settles the request only as the last
        waiter of one that is not detached and has no later deadline of its own. None: as long as the request lives.
        Cancelling the last waiter of a request that is not detached withdraws it.

        Raises:
            HumanInputRejectedError: A person declined, or a hook blocked it; its text is the reason.
            TimeoutError: Nobody answered in time, or every asker gave up.
            RuntimeError: It was given up (closed, released) before anybody answered.
            ValueError: Unknown or evicted id, or a timeout of zero or less.
        """
        if timeout is not None and timeout <= 0:
            raise ValueError(f"a timeout is more than 0 seconds, not {timeout:g}")
        with self._lock:
            pending = self._ledger.find(pending_id)
            opened = self._open.get(pending_id)
            if pending is None or not self._ledger.join(pending_id):
                raise ValueError(f"request {pending_id!r} is unknown, or its outcome is no longer kept")
        if opened is not None:
            await self._wait_open(opened, timeout)
        with self._lock:
            self._ledger.leave(pending_id)
            self._ledger.read(pending_id)
        return outcome_of(pending)

    async def _wait_open(self, opened: _Open, timeout: float | None) -> None:
        pending_id = opened.pending.pending_id
        try:
            if timeout is None:
                await opened.latch.wait()
                return
            with anyio.move_on_after(timeout):
                await opened.latch.wait()
        except anyio.get_cancelled_exc_class():
            with self._lock:
                last = self._ledger.leave(pending_id)
            if last:
                self._settle(pending_id, RequestEnd.WITHDRAWN)
            with self._lock:
                self._ledger.read(pending_id)
            raise
        with self._lock:
            if opened.pending.end is None:
                self._waited_in_vain(opened, timeout)

    def _waited_in_vain(self, opened: _Open, timeout: float) -> None:
        """This waiter's own time is up: the request ends with it only where nobody and nothing else holds it."""
        pending_id = opened.pending.pending_id
        last = self._ledger.leave(pending_id)
        deadline = self._ledger.deadline(pending_id)
        if last and (deadline is None or deadline <= current_time()):
            self._settle(pending_id, RequestEnd.TIMED_OUT)
            self._ledger.read(pending_id)
        raise TimeoutError(f"nobody answered within {timeout:g} s")

    # --- settling ----------------------------------------------------------------------------------------------------

    def resolve(self, pending_id: str, text: str) -> bool:
        """Answer with the host's own word. True exactly when this call settled the request.

        On a request with a question the text is read as its answer and checked; one that does not answer it settles
        nothing. An approval is never given this way.
        """
        opened = self._open.get(pending_id)
        if opened is None:
            return False
        question = opened.pending.question
        if isinstance(question, Approval):
            log.warning("request %s is an approval: resolve() does not give one, answer() does", pending_id)
            return False
        if question is None:
            return self._answered(opened, Answer(text, via=Via.API), text) == Settlement.ACCEPTED
        try:
            answer = check_answer(question, read_text(question, text))
        except InvalidAnswer as error:
            log.warning("resolve() of request %s settled nothing: %s", pending_id, error)
            return False
        return self._take(opened, answer) == Settlement.ACCEPTED

    def reject(self, pending_id: str, reason: str = "") -> bool:
        """Decline with the host's own word. True exactly when this call settled the request."""
        return self._settle(pending_id, RequestEnd.REFUSED, reason=reason, via=Via.API) is not None

    async def answer(self, pending_id: str, answer: Answer) -> Settlement:
        """Take an answer, from whoever gives it; what became of it. Late is not wrong: it is said."""
        with self._lock:
            opened = self._open.get(pending_id)
            if opened is None:
                return self._ledger.verdict(pending_id)
        pending = opened.pending
        if not may_answer(pending.audience, answer.by, opened.session):
            return Settlement.NOT_ALLOWED
        if pending.question is None:
            if answer.decline:
                return self._take(opened, answer)
            text = answer.value if isinstance(answer.value, str) else None
            return Settlement.INVALID("the answer is text") if text is None else self._answered(opened, answer, text)
        try:
            return self._take(opened, check_answer(pending.question, answer))
        except InvalidAnswer as error:
            return Settlement.INVALID(str(error))

    def _take(self, opened: _Open, answer: Answer) -> Settlement:
        """Settle with a checked answer."""
        pending = opened.pending
        if answer.decline or answer.decision == "reject":
            return self._settled_or_late(opened, RequestEnd.REFUSED, answer, reason=answer.reason or "")
        question = pending.question
        if opened.tool is not None and question is not None:
            text = opened.tool.result(question, answer)
        else:
            text = answer.value if isinstance(answer.value, str) else str(answer.value)
        return self._answered(opened, answer, text)

    def _answered(self, opened: _Open, answer: Answer, text: str) -> Settlement:
        if opened.max_chars is not None and len(text) > opened.max_chars:
            return Settlement.INVALID(f"the answer is too long: {len(text)} characters, at most {opened.max_chars}")
        return self._settled_or_late(opened, RequestEnd.ANSWERED, answer, text=text)

    def _settled_or_late(
        self, opened: _Open, end: RequestEnd, answer: Answer, *, text: str | None = None, reason: str | None = None
    ) -> Settlement:
        pending_id = opened.pending.pending_id
        with self._lock:
            twins = self._ledger.twins(pending_id)
            mine = self._settle(pending_id, end, result=text, reason=reason, by=answer.by, via=answer.via)
            if mine is None:
                return self._ledger.verdict(pending_id)
            for twin in twins:
                self._settle(twin, end, result=text, reason=reason, by=answer.by, via=answer.via)
        return Settlement.ACCEPTED

    def give_up(self, pending_id: str, *, tries: int) -> None:
        """Every asker gave up after so many tries: the request ends unanswered."""
        self._settle(pending_id, RequestEnd.UNANSWERED, reason=f"unanswered after {tries} tries")

    def release(self, pending_id: str) -> bool:
        """Drop a request: unanswered, it is withdrawn and every waiter wakes. True if there was one to drop."""
        with self._lock:
            dropped, withdrawn = self._ledger.release(pending_id)
            opened = self._open.pop(pending_id, None) if withdrawn is not None else None
        if opened is not None:
            self._wake(opened)
        return dropped

    def withdraw(self, *, session_id: str, tool_call_id: str | None = None) -> list[PendingInput]:
        """Withdraw what is open in a session (of one tool call of it): its call was cancelled, or it was called off."""
        with self._lock:
            concerned = [
                pending.pending_id
                for pending in self._ledger.open_requests(Scope(session_id=session_id))
                if tool_call_id is None or pending.tool_call_id == tool_call_id
            ]
        settled = (self._settle(pending_id, RequestEnd.WITHDRAWN) for pending_id in concerned)
        return [pending for pending in settled if pending is not None]

    def _settle(
        self,
        pending_id: str,
        end: RequestEnd,
        *,
        result: str | None = None,
        reason: str | None = None,
        by: str | None = None,
        via: Via | None = None,
    ) -> PendingInput | None:
        with self._lock:
            pending = self._ledger.settle(pending_id, end, result=result, reason=reason, by=by, via=via)
            opened = self._open.pop(pending_id, None)
        if pending is not None and opened is not None:
            self._wake(opened)
        return pending

    def _wake(self, opened: _Open) -> None:
        """The request has settled: its waiters wake in this tick, its askers withdraw, its end is announced."""
        opened.latch.set()
        call_on(opened.loop, partial(self._wind_up, opened))

    def _wind_up(self, opened: _Open) -> None:
        if opened.timer is not None:
            opened.timer.cancel()
        if opened.asking is not None:
            opened.asking.end_if_settled()
        if opened.callbacks.listens:
            event = PendingInputEvent.of(opened.pending)
            opened.announcing = self._tasks.spawn(
                opened.callbacks.settled(event), f"settled hooks of {event.pending_id}"
            )

    # --- scopes ------------------------------------------------------------------------------------------------------

    def register_channel(self, channel_id: str, callbacks: RequestCallbacks) -> int:
        """Tell `callbacks` of the requests of this channel from now on; re-opens its id. Returns the registration."""
        with self._lock:
            self._channels[channel_id] = callbacks
            return self._ledger.scopes.register(channel_id)

    def attach_room(self, room_id: str, *, channel_id: str) -> None:
        """Re-open a room that a channel attaches to."""
        with self._lock:
            self._ledger.scopes.attach(room_id, channel_id=channel_id)

    async def close(
        self,
        *,
        channel_id: str | None = None,
        room_id: str | None = None,
        session_id: str | None = None,
        registration: int | None = None,
    ) -> None:
        """Withdraw what is open in a scope (nothing named: everything, for good) and refuse later requests there.

        Returns when each was announced and its askers have ended (or were abandoned). With a stale `registration` it
        does nothing: a channel displaced by a newer one under its id cannot silence it.
        """
        with self._lock:
            if registration is not None:
                holder = self._ledger.scopes.holder(registration)
                if holder is None or channel_id not in (None, holder):
                    return
                channel_id = holder
            scope = Scope(channel_id, room_id, session_id)
            withdrawn = self._ledger.close(scope)
            concerned = [self._open.pop(pending.pending_id) for pending in withdrawn]
        for opened in concerned:
            self._wake(opened)
        await _wound_up(concerned)
        with self._lock:
            if scope == Scope():
                self._channels.clear()
            elif scope == Scope(channel_id=channel_id) and channel_id is not None:
                self._channels.pop(channel_id, None)
        if scope == Scope():
            await self._tasks.close()

    @property
    def pending(self) -> dict[str, PendingInput]:
        """A snapshot of what is open, by id: copies."""
        with self._lock:
            return {
                pending.pending_id: replace(pending, arguments=copy_json(pending.arguments))
                for pending in self._ledger.open_requests()
            }

    def open_in(self, session_id: str) -> list[PendingInput]:
        """What is open in a session, oldest first: live, for reading."""
        with self._lock:
            return self._ledger.open_requests(Scope(session_id=session_id))


async def _wound_up(concerned: Sequence[_Open]) -> None:
    jobs: list[Job] = []
    for opened in concerned:
        if opened.announcing is not None:
            jobs.append(opened.announcing)
        if opened.asking is not None:
            jobs.extend(opened.asking.jobs)
    await end_jobs(jobs)


def _turn_of(actor_id: str | _FromContext | None) -> str | None:
    if not isinstance(actor_id, _FromContext):
        return actor_id
    context = current_tool_call()
    return context.actor_id if context is not None else None


def may_answer(audience: Sequence[str], by: str | None, session: AskerSession | None) -> bool:
    """Whether `by` is in the audience. Empty: anyone. `"caller"` is whoever is on the session's leg."""
    if not audience:
        return True
    if by is None:
        return False
    return by in audience or ("caller" in audience and session is not None and by == session.participant_id)


def outcome_of(pending: PendingInput) -> str:
    """The answer of a settled request, or the exception that says how it ended; see `HumanInputHandler.wait`."""
    match pending.status:
        case PendingInputStatus.RESOLVED:
            return pending.result or ""
        case PendingInputStatus.TIMED_OUT:
            raise TimeoutError(pending.reject_reason or "nobody answered in time")
        case PendingInputStatus.REJECTED if pending.end is RequestEnd.WITHDRAWN:
            raise RuntimeError("the request was given up before anybody answered")
        case PendingInputStatus.REJECTED:
            raise HumanInputRejectedError(pending.reject_reason or "")
        case PendingInputStatus.PENDING:
            raise RuntimeError("the request is still open")
