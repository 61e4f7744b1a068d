"""Approvals that outlive the process: the tool runs once, whoever runs it."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import anyio
import pytest

from tests.human_input.processes import (
    APPROVED,
    REFUND,
    Counter,
    Process,
    Results,
    Unsteady,
    approval,
    ask,
    gone,
    row_of,
)
from voice_hitl.errors import StoreUnavailable, ToolFailedError, ToolRefusedError
from voice_hitl.human_input.approvals import approved_arguments
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.human_input.record import record_of
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.pending import PendingInput
from voice_hitl.requests.settlement import Settlement, SettlementKind
from voice_hitl.store import LEASE_S, RowState

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


# --- an approval, given later ----------------------------------------------------------------------------------------


async def test_a_kept_approval_runs_its_tool_once(process: Process, counter: Counter, results: Results) -> None:
    holder, other = process(), process()
    pending = approval(holder)
    await anyio.sleep(0.1)
    await gone(holder)
    assert await other.answer(pending.pending_id, APPROVED, key="k1") == Settlement.ACCEPTED
    await anyio.sleep(0.1)
    assert await other.answer(pending.pending_id, APPROVED, key="k1") == Settlement.ACCEPTED
    assert await process().answer(pending.pending_id, APPROVED) == Settlement.DUPLICATE
    assert await process().resume(pending.pending_id) == '{"refunded": 5}'
    assert await other.resume(pending.pending_id) == '{"refunded": 5}'
    assert counter.ran == [{"amount": 5}]
    assert [(request.result, answer) for request, answer in results.told] == [('{"refunded": 5}', APPROVED)]


async def test_edits_of_a_late_approval_are_checked_and_run(process: Process, counter: Counter) -> None:
    holder, other = process(), process()
    pending = approval(holder)
    await anyio.sleep(0.1)
    await gone(holder)
    wrong = replace(APPROVED, edited_arguments={"amount": "much"})
    assert (await other.answer(pending.pending_id, wrong)).kind is SettlementKind.INVALID
    edited = replace(APPROVED, edited_arguments={"amount": 3})
    assert await other.answer(pending.pending_id, edited) == Settlement.ACCEPTED
    await anyio.sleep(0.1)
    assert counter.ran == [{"amount": 3}]


async def test_a_late_rejection_runs_nothing_and_is_told(process: Process, counter: Counter, results: Results) -> None:
    holder, other = process(), process()
    pending = approval(holder)
    await anyio.sleep(0.1)
    await gone(holder)
    rejected = Answer(by="manager", decision="reject", reason="too much")
    assert await other.answer(pending.pending_id, rejected) == Settlement.ACCEPTED
    await anyio.sleep(0.1)
    assert not counter.ran
    assert [(request.end, request.reject_reason) for request, _ in results.told] == [("refused", "too much")]
    with pytest.raises(ToolRefusedError, match="not approved"):
        await other.resume(pending.pending_id)


async def test_a_missing_tool_is_named_before_anything_runs(process: Process, counter: Counter) -> None:
    holder, other = process(), process(tools=())
    pending = approval(holder)
    await anyio.sleep(0.1)
    await gone(holder)
    assert (await other.recover()).missing_tools == {"refund"}
    said = await other.answer(pending.pending_id, APPROVED)
    assert said.kind is SettlementKind.INVALID
    assert "'refund'" in said.why
    assert not counter.ran
    assert await process().answer(pending.pending_id, APPROVED) == Settlement.ACCEPTED


async def test_a_late_tool_that_fails_leaves_the_approval_used_and_failed(
    store: Unsteady, process: Process, counter: Counter, results: Results
) -> None:
    holder, other = process(), process()
    pending = approval(holder)
    await anyio.sleep(0.1)
    await gone(holder)
    counter.error = ValueError("the bank said a secret")
    assert await other.answer(pending.pending_id, APPROVED) == Settlement.ACCEPTED
    await anyio.sleep(0.1)
    row = await row_of(store, pending)
    assert row.state is RowState.FAILED
    assert "secret" not in row.body
    with pytest.raises(ToolFailedError, match="ValueError"):
        await process().resume(pending.pending_id)
    assert await process().answer(pending.pending_id, APPROVED) == Settlement.DUPLICATE
    assert [(request.result, request.reject_reason) for request, _ in results.told] == [
        (None, "The tool call failed (ValueError).")
    ]
    assert len(counter.ran) == 1


async def test_a_claim_without_a_result_is_unknown_and_never_runs_again(
    store: Unsteady, process: Process, counter: Counter
) -> None:
    holder, other, third = process(), process(), process()
    pending = approval(holder)
    await anyio.sleep(0.1)
    await gone(holder)
    counter.takes_s = 1000
    assert await other.answer(pending.pending_id, APPROVED) == Settlement.ACCEPTED
    with pytest.raises(ToolFailedError, match="is running"):
        await third.resume(pending.pending_id)
    await gone(other)
    found = await third.recover()
    assert [event.pending_id for event in found.outcome_unknown] == [pending.pending_id]
    assert not found.orphans
    with pytest.raises(ToolFailedError, match="nobody knows"):
        await third.resume(pending.pending_id)
    assert await third.answer(pending.pending_id, APPROVED) == Settlement.DUPLICATE
    assert len(counter.ran) == 1
    counter.takes_s = 0
    again = process(tools=(replace(REFUND, idempotent=True),))
    assert await again.resume(pending.pending_id) == '{"refunded": 5}'
    assert len(counter.ran) == 2
    assert (await row_of(store, pending)).state is RowState.SETTLED
    assert not (await third.recover()).outcome_unknown


async def test_what_is_no_approval_cannot_be_resumed(process: Process) -> None:
    handler = process()
    with pytest.raises(ValueError, match="not in the store"):
        await handler.resume("nothing")
    pending = await ask(handler)
    with pytest.raises(ValueError, match="runs no tool"):
        await handler.resume(pending.pending_id)


# --- an approval, given in the call ----------------------------------------------------------------------------------


async def run(handler: HumanInputHandler, pending: PendingInput, tool: Callable[[], Awaitable[str]]) -> str:
    """What the door does with a call that must be approved."""
    human = HumanInputToolHandler(["Ask"], handler=handler)
    async with handler.recorded_run(pending) as recorded:
        await approved_arguments(human, pending)
        await recorded.claim()
        text = await tool()
        recorded.returned(text)
    return text


async def refunded() -> str:
    return "refunded"


async def test_a_run_in_the_call_is_claimed_before_and_recorded_after(store: Unsteady, process: Process) -> None:
    handler, states = process(), list[RowState]()
    pending = approval(handler)

    async def tool() -> str:
        states.append((await row_of(store, pending)).state)
        return "refunded"

    async with anyio.create_task_group() as group:
        group.start_soon(run, handler, pending, tool)
        await anyio.sleep(0.1)
        assert await handler.answer(pending.pending_id, APPROVED) == Settlement.ACCEPTED
    assert states == [RowState.CLAIMED]
    assert (await row_of(store, pending)).state is RowState.SETTLED
    assert await process().resume(pending.pending_id) == "refunded"


async def test_a_run_in_the_call_that_fails_or_never_begins_is_recorded_as_failed(
    store: Unsteady, process: Process
) -> None:
    handler = process()

    async def broken() -> str:
        raise ToolFailedError("no money")

    failed = approval(handler)
    await anyio.sleep(0.1)
    await handler.answer(failed.pending_id, APPROVED)
    with pytest.raises(ToolFailedError, match="no money"):
        await run(handler, failed, broken)
    assert (await row_of(store, failed)).state is RowState.FAILED
    rejected = approval(handler)
    await anyio.sleep(0.1)
    handler.reject(rejected.pending_id, "no")
    with pytest.raises(ToolRefusedError, match="no"):
        await run(handler, rejected, refunded)
    await anyio.sleep(0.1)
    assert (await row_of(store, rejected)).state is RowState.SETTLED


async def test_a_claim_that_cannot_be_recorded_runs_nothing_that_might_run_later(
    store: Unsteady, process: Process
) -> None:
    handler = process()
    pending = approval(handler)
    await anyio.sleep(0.1)
    store.away = True
    assert await handler.answer(pending.pending_id, APPROVED) == Settlement.ACCEPTED
    with pytest.raises(ToolFailedError, match="could not be recorded"):
        await run(handler, pending, refunded)
    store.away = False
    await anyio.sleep(5)
    assert (await row_of(store, pending)).state is RowState.FAILED


async def test_without_the_store_from_the_start_or_not_kept_the_tool_runs(store: Unsteady, process: Process) -> None:
    not_kept = process(orphans={"refund": "withdraw"})
    pending = approval(not_kept)
    await anyio.sleep(0.1)
    store.away = True
    assert await not_kept.answer(pending.pending_id, APPROVED) == Settlement.ACCEPTED
    assert await run(not_kept, pending, refunded) == "refunded"


async def test_an_approval_that_somebody_else_used_runs_nothing_here(
    store: Unsteady, process: Process, counter: Counter
) -> None:
    holder, other = process(), process()
    pending = approval(holder)
    await anyio.sleep(0.1)
    store.takes_s = 1000  # it hangs, for us: so we settle without it, and the call goes on
    await anyio.sleep(LEASE_S * 2)
    accepted = await holder.answer(pending.pending_id, APPROVED)
    assert accepted == Settlement.ACCEPTED
    store.takes_s = 0
    assert await other.answer(pending.pending_id, APPROVED) == Settlement.ACCEPTED
    with pytest.raises((ToolRefusedError, ToolFailedError), match="Nothing was executed"):
        await run(holder, pending, refunded)
    assert len(counter.ran) == 1


async def test_a_second_answer_at_once_under_the_key_of_the_first_changes_no_arguments(
    store: Unsteady, process: Process
) -> None:
    holder, other = process(), process()
    pending = approval(holder)
    await anyio.sleep(0.1)

    async def answer(amount: int) -> None:
        edited = replace(APPROVED, edited_arguments={"amount": amount})
        assert await other.answer(pending.pending_id, edited, key="k1") == Settlement.ACCEPTED

    async with anyio.create_task_group() as group:
        group.start_soon(answer, 3)
        group.start_soon(answer, 4)
    row = await row_of(store, pending)
    assert record_of(row.id, row.body).edited == {"amount": 3}


async def test_a_late_run_is_recorded_whatever_its_tool_says(
    process: Process, store: Unsteady, counter: Counter, results: Results
) -> None:
    holder, other = process(), process()
    pending = approval(holder)
    await anyio.sleep(0.1)
    await gone(holder)
    counter.error = ToolFailedError("caf\udce9 is closed")
    assert await other.answer(pending.pending_id, APPROVED) == Settlement.ACCEPTED
    await anyio.sleep(0.1)
    assert (await row_of(store, pending)).state is RowState.FAILED
    assert len(results.told) == 1


async def test_without_a_lease_nothing_runs_late(process: Process, store: Unsteady, counter: Counter) -> None:
    holder, other = process(), process()
    pending = approval(holder)
    await anyio.sleep(0.1)
    await gone(holder)
    store.fails_to = {"renew"}
    with pytest.raises(StoreUnavailable):
        await other.answer(pending.pending_id, APPROVED)
    assert counter.ran == []
    store.fails_to = set()
    assert await other.answer(pending.pending_id, APPROVED) == Settlement.ACCEPTED
    await anyio.sleep(0.1)
    assert len(counter.ran) == 1
