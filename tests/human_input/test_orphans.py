"""Requests that outlive the process: what becomes of those whose holder is gone."""

import logging
from dataclasses import replace

import anyio
import pytest

from tests.human_input.processes import APPROVED, BOOK, Process, Results, Unsteady, approval, ask, gone, killed
from voice_hitl.enums import RequestEnd
from voice_hitl.errors import HumanInputRejectedError
from voice_hitl.human_input.handler import KEYED_VERDICTS, HumanInputHandler
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.settlement import Settlement, SettlementKind
from voice_hitl.store import Row, RowState
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.human_tool import human_tool

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


# --- orphans ---------------------------------------------------------------------------------------------------------


async def test_a_kept_question_is_answered_after_its_process(process: Process, results: Results) -> None:
    holder, other = process(), process()
    pending = await ask(holder)
    assert not (await other.recover()).orphans
    await gone(holder)
    found = await other.recover()
    assert [event.pending_id for event in found.orphans] == [pending.pending_id]
    assert found.orphans[0].question == BOOK
    assert await other.answer(pending.pending_id, Answer(True, by="anna")) == Settlement.ACCEPTED
    assert await process().answer(pending.pending_id, Answer(False)) == Settlement.DUPLICATE
    await anyio.sleep(0.1)
    [(request, answer)] = results.told
    assert (request.pending_id, request.end, request.result) == (
        pending.pending_id,
        "answered",
        '{"confirmed": true, "via": "api"}',
    )
    assert answer.by == "anna"
    assert not (await other.recover()).orphans


async def test_a_question_that_is_not_kept_ends_with_its_process(process: Process, results: Results) -> None:
    holder, other = process(orphans={"other": "keep"}), process()
    answered, looked_at = await ask(holder), await ask(holder)
    await gone(holder)
    assert await other.answer(answered.pending_id, Answer(True)) == Settlement.LATE
    found = await other.recover()
    assert [(event.pending_id, event.end) for event in found.ended] == [(looked_at.pending_id, RequestEnd.WITHDRAWN)]
    assert not found.orphans
    assert not results.told


async def test_the_answer_of_a_late_question_is_told_in_the_words_of_its_tool(
    store: Unsteady, process: Process, results: Results
) -> None:
    holder = process()
    pending = await ask(holder)
    await gone(holder)
    tool = human_tool(AITool("Ask"), result=lambda answer: f"they said {answer.value}")
    other = HumanInputHandler(store=store, tools=[tool], on_late_result=results)
    assert await other.answer(pending.pending_id, Answer(False)) == Settlement.ACCEPTED
    await other.close()
    assert [request.result for request, _ in results.told] == ["they said False"]


async def test_a_request_is_kept_only_so_long(process: Process) -> None:
    holder = process()
    pending = await ask(holder)
    row_keeps = HumanInputHandler(store=holder._with_store._store, keep_for=1e-6, orphans={"Ask": "keep"})  # pyright: ignore[reportPrivateUsage] - the store of the fixture
    short = await ask(row_keeps)
    await row_keeps.close()
    assert await process().answer(short.pending_id, Answer(True)) == Settlement.LATE
    assert await process().answer(pending.pending_id, Answer(True)) == Settlement.ACCEPTED


async def test_of_two_who_find_an_orphan_one_has_it(process: Process) -> None:
    holder, others = process(), [process() for _ in range(5)]
    pending = await ask(holder)
    await gone(holder)
    verdicts: list[Settlement] = []

    async def answer(handler: HumanInputHandler) -> None:
        verdicts.append(await handler.answer(pending.pending_id, Answer(True)))

    async with anyio.create_task_group() as group:
        for handler in others:
            group.start_soon(answer, handler)
    assert sorted(verdict.kind for verdict in verdicts) == ["accepted", *["duplicate"] * 4]


async def test_an_answer_on_its_way_to_a_holder_that_dies_claims_the_orphan(process: Process) -> None:
    holder, other = process(), process()
    pending = await ask(holder)
    killed(holder)
    assert await other.answer(pending.pending_id, Answer(True)) == Settlement.ACCEPTED


async def test_what_is_kept_may_be_answered_after_its_call_and_what_was_released_may_not(
    process: Process, results: Results
) -> None:
    handler = process()
    kept, released = await ask(handler), await ask(handler)
    handler.release(released.pending_id)
    handler.call_ended("s1")
    assert kept.end is RequestEnd.WITHDRAWN
    assert await handler.answer(kept.pending_id, Answer(True)) == Settlement.ACCEPTED
    assert await handler.answer(released.pending_id, Answer(True)) == Settlement.LATE
    await anyio.sleep(0.1)
    assert [request.pending_id for request, _ in results.told] == [kept.pending_id]


async def test_a_handler_that_is_closed_leaves_what_is_kept_to_the_next(process: Process) -> None:
    handler = process()
    pending = await ask(handler)
    await handler.close()
    found = await process().recover()
    assert [event.pending_id for event in found.orphans] == [pending.pending_id]


async def test_only_the_audience_answers_an_orphan(process: Process) -> None:
    holder, other = process(), process()
    pending = approval(holder)
    await anyio.sleep(0.1)
    await gone(holder)
    assert await other.answer(pending.pending_id, replace(APPROVED, by="caller")) == Settlement.NOT_ALLOWED
    assert await other.answer(pending.pending_id, replace(APPROVED, by=None)) == Settlement.NOT_ALLOWED
    assert (await other.answer(pending.pending_id, Answer(True, by="manager"))).kind is SettlementKind.INVALID


# --- rows that cannot be read ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("", "damaged: no JSON"),
        ("[]", "schema_version is None"),
        ('{"schema_version": 0}', "schema_version is 0"),
        ('{"schema_version": 2}', "schema_version is 2"),
        ('{"schema_version": 1}', "damaged: created_at, keep_until, tool_name"),
        ("[" * 100_000, "damaged: no JSON"),
        (
            '{"schema_version":1,"tool_name":"x","created_at":"2026-01-01T00:00:00Z","keep_until":"2026-01-01T00:00:00Z",'
            '"question":{"kind":"riddle"}}',
            "its question is damaged",
        ),
        (
            '{"schema_version":1,"tool_name":"x","created_at":"2026-01-01T00:00:00Z","keep_until":"2026-01-01T00:00:00Z",'
            '"runs":true}',
            "no approval",
        ),
    ],
)
async def test_a_row_that_cannot_be_read_is_reported_and_passed_over(
    store: Unsteady, process: Process, caplog: pytest.LogCaptureFixture, body: str, why: str
) -> None:
    holder, other = process(), process()
    pending = await ask(holder)
    await gone(holder)
    await store.write(Row("broken", 1, RowState.OPEN, "", body))
    with caplog.at_level(logging.WARNING):
        found = await other.recover()
    assert [event.pending_id for event in found.orphans] == [pending.pending_id]
    assert [each.id for each in found.unreadable] == ["broken"]
    assert why in found.unreadable[0].why
    said = await other.answer("broken", Answer(True))
    assert said.kind is SettlementKind.UNKNOWN
    with pytest.raises(ValueError, match=r".+"):
        await other.resume("broken")


async def test_without_a_store_nothing_outlives_the_handler() -> None:
    handler = HumanInputHandler()
    with pytest.raises(RuntimeError, match="store="):
        await handler.recover()
    pending = await handler.create("Ask", {})
    async with handler.recorded_run(pending) as recorded:
        await recorded.claim()
    handler.reject(pending.pending_id, "no")
    with pytest.raises(HumanInputRejectedError):
        await handler.wait(pending.pending_id)


async def test_without_a_store_the_same_key_replays_the_same_verdict_too() -> None:
    handler = HumanInputHandler()
    pending = await handler.create("Ask", {}, question=BOOK)
    assert (await handler.answer(pending.pending_id, Answer("maybe"), key="bad")).kind is SettlementKind.INVALID
    assert await handler.answer(pending.pending_id, Answer(True), key="k1") == Settlement.ACCEPTED
    assert await handler.answer(pending.pending_id, Answer(True), key="k1") == Settlement.ACCEPTED
    assert await handler.answer(pending.pending_id, Answer(True), key="k2") == Settlement.DUPLICATE
    assert (await handler.answer(pending.pending_id, Answer("maybe"), key="bad")).kind is SettlementKind.INVALID
    for number in range(KEYED_VERDICTS):
        await handler.answer(pending.pending_id, Answer(True), key=f"n{number}")
    assert await handler.answer(pending.pending_id, Answer(True), key="k1") == Settlement.DUPLICATE
    assert not handler.is_kept


async def test_an_answer_that_comes_to_its_holder_when_the_call_is_over_is_taken_all_the_same(process: Process) -> None:
    holder, other = process(), process()
    pending = await ask(holder)

    async def answer() -> None:
        assert await other.answer(pending.pending_id, Answer(True), key="k1") == Settlement.ACCEPTED

    async with anyio.create_task_group() as group:
        group.start_soon(answer)
        holder.call_ended("s1")
    assert await holder.answer(pending.pending_id, Answer(True), key="k1") == Settlement.ACCEPTED
