"""`HumanInputHandler`: requests to a person, from `create` to the outcome that `wait` returns.

`resolve`, `reject`, `release` and `pending` may be called from any thread; everything else belongs to an event loop.
"""

import logging
from collections import OrderedDict
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Final, Unpack

from voice_hitl.enums import RequestEnd, Via
from voice_hitl.errors import InvalidAnswer
from voice_hitl.human_input.alongside import Alongside
from voice_hitl.human_input.callbacks import (
    HandlerWideCallbacks,
    OnInputRequired,
    OnInputSettled,
    RequestCallbacks,
    Routes,
)
from voice_hitl.human_input.durable import KEEP_FOR_S, Durable, Late, OrphanPolicy
from voice_hitl.human_input.late import LateAnswers
from voice_hitl.human_input.live import LiveRequest, LiveRequests
from voice_hitl.human_input.new_request import NewRequest, RequestFields, new_pending
from voice_hitl.human_input.orphans import OnLateResult, Recovery
from voice_hitl.human_input.outcome import outcome_of
from voice_hitl.human_input.recorded_run import RecordedRun
from voice_hitl.human_input.taking import Taken, may_answer, take_answer, take_text
from voice_hitl.human_input.timeouts import check_timeout
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.ledger import RETENTION
from voice_hitl.requests.pending import PendingInput
from voice_hitl.requests.scopes import Scope
from voice_hitl.requests.settlement import Settlement
from voice_hitl.store import Store
from voice_hitl.tasks import this_loop
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler
from voice_hitl.tools.human_tool import HumanTool

log = logging.getLogger(__name__)

WAIT_TIMEOUT_S: Final = 300.0

KEYED_VERDICTS: Final = 1024
"""How many verdicts on answers with a key are replayed without looking into a store: the newest."""

_UNFIT: Final = "it does not answer the question"


class HumanInputHandler:
    """Creates requests to a person, waits for them, takes answers; each is settled exactly once.

    Args:
        retention: How many outcomes stay readable after they were read. 0: none.
        on_input_required: `async (PendingInputEvent) -> HookResult | None`, told of requests whose channel registered
            no callbacks of its own. A block denies the request; its reason reaches the model.
        on_input_settled: `async (PendingInputEvent) -> None`, told once of the end of each such request.
        store: Where requests outlive the process. With one, a handler belongs to one event loop, but for `resolve`,
            `reject`, `release` and `pending`. It stays its owner's to close.
        orphans: Per tool, what becomes of a request whose call is over: `"withdraw"`, or `"keep"`: it may still be
            answered. By default a question is withdrawn and an approval kept.
        keep_for: How long a kept request may be answered, in seconds from its creation.
        tools: The tools that may run here when they are approved after their call.
        tool_handler: Runs them.
        on_late_result: `async (request, answer) -> None`, told of a kept request that was answered after its call,
            unless a conversation with the caller goes on and is told (a channel's `late_answers`). `request.result` is
            the answer's text, or what the approved tool returned.

    Raises:
        ValueError: A retention below 0, a `keep_for` that is not more, or a policy for orphans that there is not.
    """

    def __init__(
        self,
        *,
        retention: int = RETENTION,
        on_input_required: OnInputRequired | None = None,
        on_input_settled: OnInputSettled | None = None,
        store: Store | None = None,
        orphans: Mapping[str, OrphanPolicy] | None = None,
        keep_for: float = KEEP_FOR_S,
        tools: Sequence[AITool | HumanTool] = (),
        tool_handler: ToolHandler | None = None,
        on_late_result: OnLateResult | None = None,
    ) -> None:
        self._routes = Routes(HandlerWideCallbacks(on_input_required, on_input_settled))
        self._late_answers = LateAnswers()
        self._requests = LiveRequests(retention=retention, announce=self._begin, ended=self._late_answers.ended)
        self._alongside = Alongside(self._requests, self.answer)
        late = Late(
            orphans=orphans or {},
            keep_for_s=keep_for,
            tools=tools,
            tool_handler=tool_handler,
            on_result=on_late_result,
        )
        self._verdicts: OrderedDict[tuple[str, str], Settlement] = OrderedDict()
        self._durable: Durable | None = None
        if store is not None:
            self._durable = Durable(
                store,
                self._requests,
                take=self._take_once,
                failed=self._alongside.failed,
                tell_late=lambda event, words: self._routes.of(event.channel_id).late(event, words),
                late=late,
            )

    # --- creating ----------------------------------------------------------------------------------------------------

    async def create(
        self,
        tool_name: str,
        arguments: Mapping[str, object],
        *,
        audience: Sequence[str] = (),
        timeout: float | None = None,
        **fields: Unpack[RequestFields],
    ) -> PendingInput:
        """Register a request, schedule its notification, return it: live, for reading. Answerable from this instant.

        `wait()` owns its cleanup.

        Args:
            tool_name: The tool that asks.
            arguments: Its arguments; the request has a copy.
            audience: Who may answer: `"caller"`, participant ids, console roles. Empty: anyone.
            timeout: Seconds until it times out. None: it has no deadline of its own.
            fields: `room_id`, `tool_call_id`, `channel_id`, `channel_type`, `door`, `session_id`, `actor_id`,
                `actor_confidence`, `question`; see `PendingInput`. Without `actor_id`: whoever's turn it is.

        Raises:
            RuntimeError: Its scope is closed.
            ValueError: The timeout is zero or less.
        """
        check_timeout(timeout)
        return self.open(NewRequest(new_pending(tool_name, arguments, audience=audience, **fields), timeout))

    async def create_detached(
        self,
        tool_name: str,
        arguments: Mapping[str, object],
        *,
        audience: Sequence[str] = (),
        timeout: float | None = None,
        **fields: Unpack[RequestFields],
    ) -> PendingInput:
        """The same as `create`, for a request nobody will wait on: its creator must `release()` it."""
        check_timeout(timeout)
        pending = new_pending(tool_name, arguments, audience=audience, detached=True, **fields)
        return self.open(NewRequest(pending, timeout))

    def open(self, new: NewRequest) -> PendingInput:
        """Register a request with everything it may carry; see `create`."""
        live = LiveRequest(new, this_loop(), self._routes.of(new.pending.channel_id))
        if self._durable is not None:
            live.callbacks = self._durable.callbacks(live.callbacks)
        with self._requests.lock:
            self._requests.arm(live)
            if self._durable is not None:
                self._durable.begin(live)
            if new.askers or live.callbacks.listens or live.callbacks.hears_ends:
                self._alongside.begin(live)
        return new.pending

    def _begin(self, live: LiveRequest) -> None:
        self._alongside.begin(live)

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
        check_timeout(timeout)
        return outcome_of(await self._requests.wait(pending_id, timeout))

    async def outcome(self, pending: PendingInput) -> str:
        """Wait for a request in hand, as long as it lives; the same as `wait`, whatever is retained."""
        try:
            settled = await self._requests.wait(pending.pending_id, None)
        except ValueError:
            settled = pending  # whoever waited first was cut as it settled, and it was let go with that
        return outcome_of(settled)

    # --- settling ----------------------------------------------------------------------------------------------------

    async def answer(self, pending_id: str, answer: Answer, *, key: str | None = None) -> Settlement:
        """Take an answer, from whoever gives it; what became of it. Late is not wrong: it is said.

        The conversation that asked hears of a late one, where it goes on (a channel's `late_answers`).

        With a store the request may be another process's: this waits for its verdict, or claims the request when that
        process is gone. `key` names the answer: the same key again replays the same verdict.

        Raises:
            StoreUnavailable: The request is not held here, and the store cannot be used.
        """
        replayed = self._verdicts.get((pending_id, key)) if key is not None else None
        if replayed is not None:
            return replayed
        if self._durable is not None:
            settlement = await self._durable.answer(pending_id, answer, key)
            if settlement == Settlement.LATE:
                self._late_answers.come(pending_id, answer)
            return settlement
        return self._take_once(pending_id, answer, key)

    def _take_once(self, pending_id: str, answer: Answer, key: str | None) -> Settlement:
        if key is None:
            return self._take(pending_id, answer)
        verdict = self._verdicts.get((pending_id, key))
        if verdict is None:
            verdict = self._take(pending_id, answer)
            if self._durable is not None and verdict in (Settlement.LATE, Settlement.UNKNOWN):
                return verdict  # it may be kept, and be somebody else's to take
            self._verdicts[pending_id, key] = verdict
            if len(self._verdicts) > KEYED_VERDICTS:
                self._verdicts.popitem(last=False)
        return verdict

    def _take(self, pending_id: str, answer: Answer) -> Settlement:
        live = self._requests.find_open(pending_id)
        if live is None:
            verdict = self._requests.verdict(pending_id)
            if verdict == Settlement.LATE:
                self._late_answers.come(pending_id, answer)
            return verdict
        new, audience = live.new, live.new.pending.audience
        if audience and not may_answer(audience, answer.by, new.caller, answer.roles):
            return Settlement.NOT_ALLOWED
        try:
            taken = take_answer(new, answer)
        except InvalidAnswer as why:
            self._not_taken(live, why)
            # Why an answer is wrong may quote it.
            return Settlement.INVALID(_UNFIT if new.pending.sensitive else str(why))
        return self._requests.take(pending_id, taken)

    def resolve(self, pending_id: str, text: str) -> bool:
        """Answer with the host's own word. True exactly when this call settled the request.

        On a request with a question the text is read as its answer and checked; one that does not answer it settles
        nothing. An approval is never given this way.

        Raises:
            RuntimeError: There is a store, and the request is not held here: `answer()` reaches whoever holds it.
        """
        if self._durable is not None:
            self._durable.check_held(pending_id)
        live = self._requests.find_open(pending_id)
        if live is None:
            return False
        try:
            taken = take_text(live.new, text)
        except InvalidAnswer as why:
            self._not_taken(live, why)
            said = _UNFIT if live.pending.sensitive else why
            log.warning("resolve() of request %s settled nothing: %s", pending_id, said)
            return False
        return self._requests.take(pending_id, taken) == Settlement.ACCEPTED

    def reject(self, pending_id: str, reason: str = "") -> bool:
        """Decline with the host's own word. True exactly when this call settled the request; see `resolve`."""
        if self._durable is not None:
            self._durable.check_held(pending_id)
        taken = Taken(RequestEnd.REFUSED, reason=reason, via=Via.API)
        return self._requests.take(pending_id, taken) == Settlement.ACCEPTED

    def release(self, pending_id: str) -> bool:
        """Drop a request: unanswered, it is withdrawn and every waiter wakes. True if there was one to drop."""
        return self._requests.release(pending_id)

    def _not_taken(self, live: LiveRequest, why: InvalidAnswer) -> None:
        if why.__cause__ is not None:
            self._alongside.failed(live, f"result of {live.pending.tool_name}", why.__cause__)

    # --- requests that outlive their call ----------------------------------------------------------------------------

    @property
    def is_kept(self) -> bool:
        """Whether requests outlive their process: then somebody can be reached later, if nobody can now."""
        return self._durable is not None

    @property
    def holder_id(self) -> str:
        """Under which name the store has what this handler holds. `RuntimeError`: there is no store."""
        return self._with_store.holding.id

    async def recover(self) -> Recovery:
        """What the store has of processes that are gone: orphans, and approvals whose outcome nobody knows.

        Requests that are not kept end with this.

        Raises:
            RuntimeError: There is no store.
            StoreUnavailable: It cannot be used.
        """
        return await self._with_store.orphans.recover()

    async def resume(self, pending_id: str) -> str:
        """What an approved tool returned: as recorded. It runs again only where nobody knows and it does no harm.

        Raises:
            RuntimeError: There is no store.
            ValueError: There is no such approval, or it cannot be read.
            ToolRefusedError: It was not approved, or not yet.
            ToolFailedError: The tool failed, or is not in this process, or has an unknown outcome and is not
                `idempotent=True`.
            StoreUnavailable: The store cannot be used.
        """
        return await self._with_store.orphans.resume(pending_id)

    @asynccontextmanager
    async def recorded_run(self, pending: PendingInput) -> AsyncGenerator[RecordedRun, None]:
        """The wait for an approval and the run of its tool: with a store, its end is recorded, whatever it is.

        Within, `claim()` comes just before the tool, `returned(text)` just after.
        """
        run = RecordedRun(pending, self._durable.holding if self._durable is not None else None)
        try:
            yield run
        except BaseException as error:
            run.failed(error)
            raise
        finally:
            await run.record()

    @property
    def _with_store(self) -> Durable:
        if self._durable is None:
            raise RuntimeError("nothing outlives this handler: it has no store (store=)")
        return self._durable

    # --- scopes ------------------------------------------------------------------------------------------------------

    def register_channel(self, channel_id: str, callbacks: RequestCallbacks) -> int:
        """Tell `callbacks` of the requests of this channel from now on; re-opens its id. Returns the registration."""
        with self._requests.lock:
            self._routes.register(channel_id, callbacks)
            return self._requests.scopes.register(channel_id)

    def attach_room(self, room_id: str, *, channel_id: str) -> None:
        """Re-open a room that a channel attaches to."""
        with self._requests.lock:
            self._requests.scopes.attach(room_id, channel_id=channel_id)

    def call_ended(self, session_id: str) -> None:
        """Withdraw what is open in a session, in this tick: its call is over. What is kept may still be answered."""
        with self._requests.lock:
            self._requests.close(Scope(session_id=session_id))

    def call_off(self, session_id: str) -> bool:
        """Withdraw, in this tick, what somebody else is being asked in a session: its caller does not want it any more.

        Where it is one thing: of several it is not known which one is meant. Say whether it was withdrawn.
        """
        with self._requests.lock:
            asked = [each for each in self.open_in(session_id) if self._requests.asks_others(each.pending_id)]
            return len(asked) == 1 and self.release(asked[0].pending_id)

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
        with self._requests.lock:
            if registration is not None:
                holder = self._requests.scopes.holder(registration)
                if holder is None or channel_id not in (None, holder):
                    return
                channel_id = holder
            scope = Scope(channel_id, room_id, session_id)
            concerned = self._requests.close(scope)
            self._routes.close(scope)
        await self._alongside.end(concerned)
        if scope == Scope():
            await self._alongside.close()
            if self._durable is not None:
                await self._durable.close()

    @property
    def pending(self) -> dict[str, PendingInput]:
        """A snapshot of what is open, by id: copies."""
        return self._requests.snapshot()

    def open_in(self, session_id: str) -> list[PendingInput]:
        """What is open in a session, oldest first: live, for reading."""
        return self._requests.open_in(Scope(session_id=session_id))
