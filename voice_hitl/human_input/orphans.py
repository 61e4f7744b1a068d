"""Requests that this process does not hold: answered by way of their holder, or claimed when there is none any more."""

import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Final, cast

import anyio

from voice_hitl.enums import RequestEnd
from voice_hitl.errors import InvalidAnswer, StoreUnavailable, ToolFailedError, ToolRefusedError
from voice_hitl.human_input.holding import RETRY_S, Holding
from voice_hitl.human_input.late import told_after_the_call
from voice_hitl.human_input.late_tools import LateTools
from voice_hitl.human_input.letter import answer_body, verdict_of
from voice_hitl.human_input.new_request import NewRequest
from voice_hitl.human_input.record import Record, Run, body_of, record_of
from voice_hitl.human_input.taking import may_answer, take_answer
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Approval
from voice_hitl.requests.pending import PendingInputEvent, copy_json
from voice_hitl.requests.settlement import Settlement
from voice_hitl.store import Letter, Row, RowState, Store, Unreadable
from voice_hitl.tasks import Tasks, run_users_code
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler
from voice_hitl.tools.human_tool import HumanTool, as_human_tool

log = logging.getLogger(__name__)

VERDICT_S: Final = 1.0
"""How long to wait for a holder's verdict before looking whether the holder is still there, in seconds."""

_ELSEWHERE: Final = replace(
    Settlement.NOT_ALLOWED, why="a sensitive answer is taken only by the process that holds the call"
)

OnLateResult = Callable[[PendingInputEvent, Answer], Awaitable[None]]
"""Told of a kept request that was answered after its call. `request.result` is what the model would have read: of an
approval what its tool returned, None where it failed (`reject_reason` says of what)."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """What a store has of processes that are gone.

    Args:
        orphans: May still be answered: `answer()`.
        outcome_unknown: Approved, and nobody knows whether the tool ran. It never runs again by itself; `resume()` runs
            it where the tool says `idempotent=True`.
        ended: Not kept, or kept too long: they ended with this look at them.
        unreadable: What could not be read, and why; it stays where it is.
        missing_tools: Tools of the orphans and the unknown that this process does not have: nothing of theirs can run.
    """

    orphans: Sequence[PendingInputEvent] = ()
    outcome_unknown: Sequence[PendingInputEvent] = ()
    ended: Sequence[PendingInputEvent] = ()
    unreadable: Sequence[Unreadable] = ()
    missing_tools: frozenset[str] = frozenset()


class Orphans:
    """Answers, claims and resumes what is in a store and not held here.

    Args:
        store: The store.
        holding: What this process holds; it lends its lease to a tool that runs late.
        tools: What may run late, and how the answers of late questions are told.
        tool_handler: Runs the tools.
        on_late_result: Is told what came of it, where `tell_late` finds no conversation that goes on to tell.
        tell_late: Tells that; says whether there is one.
    """

    def __init__(
        self,
        store: Store,
        holding: Holding,
        *,
        tools: Sequence[AITool | HumanTool] = (),
        tool_handler: ToolHandler | None = None,
        on_late_result: OnLateResult | None = None,
        tell_late: Callable[[PendingInputEvent, str], bool] = lambda _event, _words: False,
    ) -> None:
        self._store = store
        self._holding = holding
        self._tools = LateTools(tools, tool_handler)
        self._on_late_result = on_late_result
        self._tell_late = tell_late
        self._tasks = Tasks("late results")

    async def close(self) -> None:
        """End what runs late, after a moment. A tool that is cut has an unknown outcome."""
        await self._tasks.close(patience_s=1.0)

    # --- answers -----------------------------------------------------------------------------------------------------

    async def answer(self, request_id: str, answer: Answer, key: str | None) -> Settlement:
        """Take an answer to a request that is not open here; what became of it.

        Raises:
            StoreUnavailable: The store cannot be used.
        """
        key = key if key is not None else secrets.token_urlsafe(12)
        posted_to: str | None = None
        while True:
            if (said := await self._store.verdict(request_id, key, timeout_s=0)) is not None:
                return verdict_of(said)
            row = await self._store.read(request_id)
            if row is None:
                return Settlement.UNKNOWN
            try:
                record = _record(row)
            except ValueError as why:
                log.warning("request %s is in the store, and cannot be read: %s", request_id, why)
                return replace(Settlement.UNKNOWN, why=str(why))
            row = cast("Row", row)
            if row.state is not RowState.OPEN or record.pending.sensitive:
                return _verdict(record, key)
            if row.holder and row.holder in await self._store.alive((row.holder,)):
                if posted_to != row.holder:
                    try:
                        await self._store.post(Letter(row.holder, request_id, key, answer_body(answer)))
                    except InvalidAnswer as why:
                        return Settlement.INVALID(str(why))
                    posted_to = row.holder
                await self._store.verdict(request_id, key, timeout_s=VERDICT_S)
            elif (settlement := await self._take(row, record, answer, key)) is not None:
                return settlement

    async def _take(self, row: Row, record: Record, answer: Answer, key: str) -> Settlement | None:
        """Settle an orphan; None: somebody else was quicker, or its holder is back."""
        pending = record.pending
        if (end := _over(record)) is not None:
            return Settlement.LATE if await self._write(row, record.ended(end), RowState.SETTLED) else None
        if not may_answer(pending.audience, answer.by, record.participant or None, answer.roles):
            return Settlement.NOT_ALLOWED
        tool = self._tools.find(pending.tool_name)
        is_question = tool is not None and not record.runs
        try:
            taken = take_answer(NewRequest(pending, tool=as_human_tool(tool) if is_question and tool else None), answer)
        except InvalidAnswer as why:
            return Settlement.INVALID(str(why))
        runs = record.runs and taken.end is RequestEnd.ANSWERED
        if runs and (missing := self._tools.missing(record.pending.tool_name)):
            return Settlement.INVALID(f"{missing}. Nothing was executed, and the approval is still open")
        edited = copy_json(answer.edited_arguments) if answer.edited_arguments is not None else None
        text = None if runs else taken.text
        decided = replace(
            record.ended(taken.end, result=text, reason=taken.reason, by=taken.by, via=taken.via),
            key=key,
            edited=edited,
        )
        if runs:
            await self._holding.present()
        claimed = await self._write(row, decided, RowState.CLAIMED if runs else RowState.SETTLED)
        if claimed is None:
            return None
        if runs:
            arguments = copy_json(edited if edited is not None else pending.arguments)
            self._tasks.spawn(
                self._run_and_tell(claimed, decided, arguments, answer), f"late run of {pending.tool_name}"
            )
        else:
            self._tasks.spawn(self._tell(decided, answer), f"late answer to {pending.tool_name}")
        return Settlement.ACCEPTED

    # --- recovery ----------------------------------------------------------------------------------------------------

    async def recover(self) -> Recovery:
        """What the store has of processes that are gone. What is not kept ends here.

        Raises:
            StoreUnavailable: The store cannot be used.
        """
        listing = await self._store.unsettled()
        alive = await self._store.alive({row.holder for row in listing.rows if row.holder})
        orphans: list[PendingInputEvent] = []
        unknown: list[PendingInputEvent] = []
        ended: list[PendingInputEvent] = []
        unreadable = list(listing.unreadable)
        missing: set[str] = set()
        for row in listing.rows:
            if row.holder in alive:
                continue
            try:
                record = record_of(row.id, row.body)
            except ValueError as why:
                unreadable.append(Unreadable(row.id, str(why)))
                continue
            if row.state is RowState.OPEN and (end := _over(record)) is not None:
                record = record.ended(end)
                if await self._write(row, record, RowState.SETTLED) is not None:
                    ended.append(PendingInputEvent.of(record.pending))
                continue
            (orphans if row.state is RowState.OPEN else unknown).append(PendingInputEvent.of(record.pending))
            if record.runs and self._tools.missing(record.pending.tool_name):
                missing.add(record.pending.tool_name)
        for each in unreadable:
            log.warning("request %s is in the store, and cannot be read: %s", each.id, each.why)
        return Recovery(tuple(orphans), tuple(unknown), tuple(ended), tuple(unreadable), frozenset(missing))

    async def resume(self, request_id: str) -> str:
        """The result of an approved tool: as recorded, or of a run now where that does no harm.

        Raises:
            ValueError: There is no such approval, or it cannot be read.
            ToolRefusedError: It was not approved, or not yet.
            ToolFailedError: The tool failed; or it is not in this process; or nobody knows whether it ran, and it does
                not say `idempotent=True`.
            StoreUnavailable: The store cannot be used.
        """
        row = await self._store.read(request_id)
        if row is None:
            raise ValueError(f"request {request_id!r} is not in the store")
        record = _record(row)
        row = cast("Row", row)
        name = record.pending.tool_name
        if not record.runs:
            raise ValueError(f"request {request_id!r} runs no tool")
        if record.run is not None:
            if record.run.error is not None:
                raise ToolFailedError(record.run.error)
            return record.run.result or ""
        if row.state is not RowState.CLAIMED:
            raise ToolRefusedError(f"{name!r} was not approved. Nothing was executed.")
        return await self._run_again(row, record)

    async def _run_again(self, row: Row, record: Record) -> str:
        name = record.pending.tool_name
        if row.holder in await self._store.alive((row.holder,)):
            raise ToolFailedError(f"{name!r} is running in another process, or here")
        if missing := self._tools.missing(record.pending.tool_name):
            raise ToolFailedError(f"{missing}. Nothing was executed")
        if not self._tools.is_idempotent(name):
            raise ToolFailedError(f"nobody knows whether {name!r} ran. It does not run again: it is not idempotent")
        await self._holding.present()
        claimed = await self._write(row, record, RowState.CLAIMED)
        if claimed is None:
            raise ToolFailedError(f"{name!r} was resumed in another process")
        arguments = copy_json(record.edited if record.edited is not None else record.pending.arguments)
        done = await self._run(claimed, record, arguments)
        if done.error is not None:
            raise ToolFailedError(done.error)
        return done.result or ""

    # --- a late run --------------------------------------------------------------------------------------------------

    async def _run_and_tell(self, row: Row, record: Record, arguments: dict[str, object], answer: Answer) -> None:
        run = await self._run(row, record, arguments)
        pending = replace(record.pending, result=run.result, reject_reason=run.error)
        await self._tell(replace(record, pending=pending), answer)

    async def _run(self, row: Row, record: Record, arguments: dict[str, object]) -> Run:
        """Run the tool of a claim that is ours, and record how it ended."""
        run = await self._tools.run(record.pending, arguments)
        await self._record(row, record, run)
        return run

    async def _record(self, row: Row, record: Record, run: Run) -> None:
        pending = replace(record.pending, result=run.result, reject_reason=run.error)
        done = replace(record, pending=pending, run=run)
        while True:
            try:
                await self._write(row, done, RowState.SETTLED if run.error is None else RowState.FAILED)
            except StoreUnavailable as error:
                # It has run: as long as this process lives, that is not forgotten.
                log.warning("the result of %s could not be recorded yet: %s", record.pending.tool_name, error)
                await anyio.sleep(RETRY_S)
            else:
                return

    async def _tell(self, record: Record, answer: Answer) -> None:
        event = PendingInputEvent.of(record.pending)
        ran = record.runs and record.pending.end is RequestEnd.ANSWERED
        if self._tell_late(event, told_after_the_call(record.pending, ran=ran)) or self._on_late_result is None:
            return
        if event.result != record.pending.result:
            # It is told to whom it is for, who has the answer itself, too.
            event = replace(event, result=record.pending.result)
        await run_users_code(partial(self._on_late_result, event, answer), label="on_late_result")

    async def _write(self, row: Row, record: Record, state: RowState) -> Row | None:
        """Write the next version of a row as ours; None: somebody else was quicker, or its holder is there."""
        mine = Row(row.id, row.version + 1, state, self._holding.id, body_of(record))
        orphan_of = row.holder if row.holder not in ("", self._holding.id) else None
        return mine if await self._store.write(mine, orphan_of=orphan_of) else None


def _record(row: Row | Unreadable) -> Record:
    if isinstance(row, Unreadable):
        raise ValueError(row.why)
    return record_of(row.id, row.body)


def _over(record: Record) -> RequestEnd | None:
    """How an orphan has ended already; None: it may still be answered."""
    if not record.kept:
        return RequestEnd.WITHDRAWN
    return RequestEnd.TIMED_OUT if datetime.now(UTC) >= record.keep_until else None


def _verdict(record: Record, key: str) -> Settlement:
    match record.pending.end:
        case _ if record.key is not None and record.key == key:
            return Settlement.ACCEPTED
        case RequestEnd.ANSWERED | RequestEnd.REFUSED | RequestEnd.BLOCKED:
            return Settlement.DUPLICATE
        case None:
            return _ELSEWHERE
        case _:
            return Settlement.LATE


def kept_by_default(question: object) -> bool:
    """Whether a request is kept where its tool says nothing: a question ends with its call, an approval does not."""
    return isinstance(question, Approval)
