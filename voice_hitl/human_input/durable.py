"""Requests that outlive the process: what a handler with a store does beside a handler without one."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Final, Literal, get_args

from voice_hitl.asker import Remembers
from voice_hitl.errors import StoreUnavailable
from voice_hitl.human_input.callbacks import RequestCallbacks
from voice_hitl.human_input.holding import Holding
from voice_hitl.human_input.letter import verdict_body, verdict_of
from voice_hitl.human_input.live import LiveRequest, LiveRequests
from voice_hitl.human_input.orphans import OnLateResult, Orphans, kept_by_default
from voice_hitl.human_input.record import Record
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.pending import PendingInput, PendingInputEvent
from voice_hitl.requests.settlement import Settlement
from voice_hitl.store import Letter, Store
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler
from voice_hitl.tools.human_tool import HumanTool

OrphanPolicy = Literal["withdraw", "keep"]
"""What becomes of a request whose call is over: it ends with it, or may still be answered."""

KEEP_FOR_S: Final = 86_400.0
"""How long after its creation a kept request may be answered, in seconds, unless said otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Late:
    """What a handler does with requests that outlive their call.

    Args:
        orphans: Per tool, what becomes of its requests; by default a question is withdrawn, an approval kept.
        keep_for_s: How long a kept one may be answered, in seconds from its creation.
        tools: The tools that may run when they are approved late, and the questions whose answers they word.
        tool_handler: Runs them.
        on_result: Is told what came of it.
    """

    orphans: Mapping[str, OrphanPolicy] = field(default_factory=dict[str, OrphanPolicy])
    keep_for_s: float = KEEP_FOR_S
    tools: Sequence[AITool | HumanTool] = ()
    tool_handler: ToolHandler | None = None
    on_result: OnLateResult | None = None

    def __post_init__(self) -> None:
        known = get_args(OrphanPolicy)
        for name, policy in self.orphans.items():
            if policy not in known:
                raise ValueError(f"orphans: of {name!r} it is {' or '.join(map(repr, known))}, not {policy!r}")
        if not self.keep_for_s > 0:
            raise ValueError(f"keep_for is more than 0 seconds, not {self.keep_for_s:g}")


class Durable:
    """A handler's requests in a store: its own, and everybody's.

    Args:
        store: The store.
        requests: The handler's requests.
        take: Takes an answer to one of them; under a key that was given before, its verdict is replayed.
        failed: Is told what failed beside a request.
        tell_late: Tells the conversation that a kept request came from, where it goes on; says whether it does.
        late: What becomes of those that outlive their call.
    """

    def __init__(
        self,
        store: Store,
        requests: LiveRequests,
        *,
        take: Callable[[str, Answer, str | None], Settlement],
        failed: Callable[[LiveRequest, str, BaseException], None],
        tell_late: Callable[[PendingInputEvent, str], bool],
        late: Late,
    ) -> None:
        self._store = store
        self._requests = requests
        self._take = take
        self._late = late
        self.holding = Holding(store, requests, answer=self._answer_here, failed=failed)
        self.orphans = Orphans(
            store,
            self.holding,
            tools=late.tools,
            tool_handler=late.tool_handler,
            on_late_result=late.on_result,
            tell_late=tell_late,
        )

    def callbacks(self, callbacks: RequestCallbacks) -> RequestCallbacks:
        """The callbacks of a request that is saved before they hear of it, and recorded before they hear of its end."""
        return _Saved(callbacks, self.holding)

    def begin(self, live: LiveRequest) -> None:
        """Hold a request from here on."""
        new, pending = live.new, live.pending
        policy = self._late.orphans.get(pending.tool_name)
        kept = kept_by_default(pending.question) if policy is None else policy == "keep"
        keep_until = pending.created_at + timedelta(seconds=self._late.keep_for_s)
        said = new.session.said_last if isinstance(new.session, Remembers) else ()
        self.holding.begin(live, Record(pending, kept, keep_until, new.caller or "", new.runs, transcript=said))
        live.progressed = partial(self.holding.save_soon, pending.pending_id)

    async def answer(self, request_id: str, answer: Answer, key: str | None) -> Settlement:
        """Take an answer, wherever its request is held.

        Raises:
            StoreUnavailable: It is not held here, and the store cannot be used.
        """
        await self.holding.reaffirm()
        if self._requests.find_open(request_id) is not None:
            return await self._answer_once(request_id, answer, key)
        if self.holding.holds(request_id):
            await self.holding.save(request_id)
        here = self._requests.verdict(request_id)
        try:
            there = await self.orphans.answer(request_id, answer, key)
        except StoreUnavailable:
            if here == Settlement.UNKNOWN:
                raise
            return here
        return here if there == Settlement.UNKNOWN else there

    async def _answer_once(self, request_id: str, answer: Answer, key: str | None) -> Settlement:
        """Answer here; under a key that has a verdict, replay it. Without the store every answer is a new one."""
        if key is None:
            return await self._answer_here(request_id, answer, None)
        with suppress(StoreUnavailable):
            said = await self._store.verdict(request_id, key, timeout_s=0)
            if said is not None:
                return verdict_of(said)
        settlement = await self._answer_here(request_id, answer, key)
        with suppress(StoreUnavailable):
            await self._store.reply(Letter(self.holding.id, request_id, key, ""), verdict_body(settlement))
        return settlement

    async def _answer_here(self, request_id: str, answer: Answer, key: str | None) -> Settlement:
        await self.holding.reaffirm()
        with self._requests.lock:
            settlement = self._take(request_id, answer, key)
            if settlement == Settlement.ACCEPTED:
                self.holding.settled_with(request_id, answer, key)
        if settlement == Settlement.ACCEPTED:
            await self.holding.save(request_id)
        return settlement

    def check_held(self, request_id: str) -> None:
        """Refuse to settle at once what somebody else may hold.

        Raises:
            RuntimeError: It is not held here; it names `answer()`.
        """
        if self._requests.find_open(request_id) is None:
            if self._requests.verdict(request_id) == Settlement.UNKNOWN:
                raise RuntimeError(f"request {request_id!r} is not held in this process: use `await answer()`")
        elif self.holding.lapsed:
            raise RuntimeError(f"the lease of request {request_id!r} has run out: use `await answer()`")

    async def close(self) -> None:
        """Nothing is held here any more."""
        await self.orphans.close()
        await self.holding.close()


class _Saved:
    """Callbacks of a request that is kept: a store reaches somebody, so they always listen."""

    listens = True
    hears_ends = True

    def __init__(self, callbacks: RequestCallbacks, holding: Holding) -> None:
        self._callbacks = callbacks
        self._holding = holding

    async def required(self, event: PendingInputEvent) -> str | None:
        await self._holding.save(event.pending_id)
        return await self._callbacks.required(event) if self._callbacks.listens else None

    async def settled(self, event: PendingInputEvent) -> None:
        await self._holding.save(event.pending_id)
        if self._callbacks.hears_ends:
            await self._callbacks.settled(event)

    def failed(self, request: PendingInput, source: str, message: str) -> None:
        self._callbacks.failed(request, source, message)

    def late(self, event: PendingInputEvent, words: str) -> bool:
        return self._callbacks.late(event, words)
