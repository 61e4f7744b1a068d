"""Requests that outlive the process: what is saved, and what its holder decides."""

from dataclasses import replace

import anyio
import pytest

from tests.channels.kept import RunningTasks
from tests.human_input.processes import PIZZA, Process, Unsteady, ask, gone, row_of, stand_still
from tests.human_input.told import ScriptedAsker, Told, put_to
from voice_hitl.asker import Asking
from voice_hitl.enums import RequestEnd
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.human_input.holding import RETRY_S
from voice_hitl.human_input.record import record_of
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Number
from voice_hitl.requests.pending import MASKED, PendingInput, PendingInputEvent
from voice_hitl.requests.settlement import Settlement, SettlementKind
from voice_hitl.store import LEASE_S, RowState

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


# --- saved -----------------------------------------------------------------------------------------------------------


async def test_a_request_is_saved_before_anyone_is_told_of_it(store: Unsteady, process: Process) -> None:
    handler, saved = process(), list[bool]()

    class Asks(Told):
        async def required(self, event: PendingInputEvent) -> str | None:
            saved.append(await store.read(event.pending_id) is not None)
            return None

    handler.register_channel("voice", Asks())
    pending = await ask(handler)
    assert saved == [True]
    assert (await row_of(store, pending)).state is RowState.OPEN
    assert handler.resolve(pending.pending_id, "yes")
    await anyio.sleep(0.1)
    row = await row_of(store, pending)
    assert row.state is RowState.SETTLED
    assert '"end":"answered"' in row.body


@pytest.mark.parametrize("how", ["away", "slow"])
async def test_a_store_that_is_away_or_slow_holds_nobody_up_and_is_reported_once(
    store: Unsteady, process: Process, how: str
) -> None:
    handler, told = process(), Told()
    handler.register_channel("voice", told)
    store.away, store.takes_s = how == "away", 0.0 if how == "away" else 2.0
    first, second = await ask(handler), await ask(handler)
    await anyio.sleep(0.2)
    assert len(told.required_events) == 2
    assert [source for _, source, _ in told.failures] == ["store"]
    assert handler.resolve(first.pending_id, "yes")
    await anyio.sleep(0.5)
    assert len(told.settled_events) == 1
    store.away, store.takes_s = False, 0
    await anyio.sleep(5)
    assert (await row_of(store, first)).state is RowState.SETTLED
    assert (await row_of(store, second)).state is RowState.OPEN
    assert len(told.failures) == 1
    store.away = True
    await ask(handler)
    assert len(told.failures) == 2


async def test_a_store_that_is_away_longer_than_the_lease_stops_no_call(store: Unsteady, process: Process) -> None:
    handler = process()
    pending = await ask(handler)
    store.away = True
    await anyio.sleep(LEASE_S * 3)
    assert handler.resolve(pending.pending_id, "yes")
    store.away = False
    await anyio.sleep(5)
    assert (await row_of(store, pending)).state is RowState.SETTLED


async def test_what_is_not_json_is_not_saved_and_asked_all_the_same(store: Unsteady, process: Process) -> None:
    handler, told = process(), Told()
    handler.register_channel("voice", told)
    pending = await handler.create("Ask", {"when": object()}, channel_id="voice")
    await anyio.sleep(0.1)
    assert [message for _, _, message in told.failures] == [
        "NotStorable: the request of Ask cannot be saved: there is a object in it"
    ]
    assert len(told.required_events) == 1
    assert handler.resolve(pending.pending_id, "yes")
    assert await store.read(pending.pending_id) is None


async def test_a_sensitive_answer_is_masked_in_the_store(store: Unsteady, process: Process) -> None:
    handler = process()
    pending = await ask(handler, Number(prompt="Your PIN?", digits=4, sensitive=True))
    assert await handler.answer(pending.pending_id, Answer("4711")) == Settlement.ACCEPTED
    declined = await ask(handler, Number(prompt="Your PIN?", digits=4, sensitive=True))
    await handler.answer(declined.pending_id, Answer(decline=True, reason="it is 4711"))
    for request in (pending, declined):
        body = (await row_of(store, request)).body
        assert "4711" not in body
    assert f'"reject_reason":"{MASKED}"' in body


# --- what was answered so far ----------------------------------------------------------------------------------------


async def being_asked(handler: HumanInputHandler, *, sensitive: bool = False) -> tuple[PendingInput, Asking]:
    """The form, put to somebody."""
    asker = ScriptedAsker()
    pending = put_to(handler, asker, question=replace(PIZZA, sensitive=sensitive))
    await anyio.sleep(0.1)
    return pending, asker.askings[0]


async def test_each_answer_of_a_form_is_in_the_store_before_the_form_is_answered(
    store: Unsteady, process: Process
) -> None:
    holder, other = process(orphans={"AskUser": "keep"}), process()
    pending, asking = await being_asked(holder)
    asking.progress({"Which size?": "Large"})
    await anyio.sleep(0.1)
    await gone(holder)
    [orphan] = (await other.recover()).orphans
    assert orphan.answered_so_far == {"Which size?": "Large"}
    assert (await row_of(store, pending)).state is RowState.OPEN
    whole = Answer({"answers": {"Which size?": "Large", "Which crust?": "Thin"}})
    assert await other.answer(pending.pending_id, whole) == Settlement.ACCEPTED


async def test_answers_that_come_while_one_is_written_are_written_together(store: Unsteady, process: Process) -> None:
    pending, asking = await being_asked(process())
    began = await row_of(store, pending)
    store.takes_s = 1.0
    asking.progress({"1": "a"})
    await anyio.sleep(0.5)
    for number in range(2, 10):
        asking.progress({str(number): "a"})
    await anyio.sleep(5)
    row = await row_of(store, pending)
    assert row.version == began.version + 2
    assert len(record_of(row.id, row.body).pending.answered_so_far) == 9


async def test_a_store_that_is_away_holds_no_form_up_and_has_its_answers_once_it_is_back(
    store: Unsteady, process: Process
) -> None:
    handler, told = process(), Told()
    handler.register_channel("voice", told)
    pending, asking = await being_asked(handler)
    store.away = True
    asking.progress({"Which size?": "Large"})
    await anyio.sleep(2)
    asking.progress({"Which crust?": "Thin"})
    assert [source for _, source, _ in told.failures] == ["store"]
    store.away = False
    await anyio.sleep(5)
    row = await row_of(store, pending)
    assert record_of(row.id, row.body).pending.answered_so_far == {"Which size?": "Large", "Which crust?": "Thin"}


async def test_of_a_sensitive_form_only_that_it_was_answered_is_kept(store: Unsteady, process: Process) -> None:
    holder = process(orphans={"AskUser": "keep"})
    pending, asking = await being_asked(holder, sensitive=True)
    asking.progress({"Which size?": "Large"})
    await anyio.sleep(0.1)
    assert pending.answered_so_far == {"Which size?": "Large"}
    row = await row_of(store, pending)
    assert record_of(row.id, row.body).pending.answered_so_far == {"Which size?": MASKED}
    await gone(holder)
    [orphan] = (await process().recover()).orphans
    assert orphan.answered_so_far == {"Which size?": MASKED}


# --- the holder decides ----------------------------------------------------------------------------------------------


async def test_an_answer_elsewhere_waits_for_the_verdict_of_the_holder(process: Process) -> None:
    holder, other = process(), process()
    pending = await ask(holder)
    assert (await other.answer(pending.pending_id, Answer("maybe"))).kind is SettlementKind.INVALID
    assert await other.answer(pending.pending_id, Answer(True)) == Settlement.ACCEPTED
    assert await holder.wait(pending.pending_id) == '{"confirmed": true, "via": "api"}'
    assert await other.answer(pending.pending_id, Answer(False)) == Settlement.DUPLICATE
    assert await holder.answer(pending.pending_id, Answer(False)) == Settlement.DUPLICATE
    assert await other.answer("nobody-asked", Answer(False)) == Settlement.UNKNOWN


async def test_only_the_holder_settles_at_once(process: Process) -> None:
    holder, other = process(), process()
    pending = await ask(holder)
    with pytest.raises(RuntimeError, match=r"answer\(\)"):
        other.resolve(pending.pending_id, "yes")
    with pytest.raises(RuntimeError, match=r"answer\(\)"):
        other.reject(pending.pending_id)
    assert holder.reject(pending.pending_id)
    assert not holder.reject(pending.pending_id)


async def test_of_two_answers_one_is_accepted_and_the_other_told(process: Process) -> None:
    holder, others = process(), [process() for _ in range(4)]
    pending = await ask(holder)
    verdicts: list[Settlement] = []

    async def answer(handler: HumanInputHandler, value: bool) -> None:
        verdicts.append(await handler.answer(pending.pending_id, Answer(value)))

    async with anyio.create_task_group() as group:
        for number, handler in enumerate([holder, *others]):
            group.start_soon(answer, handler, number % 2 == 0)
    assert sorted(verdict.kind for verdict in verdicts) == ["accepted", *["duplicate"] * 4]


async def test_the_same_key_replays_the_same_verdict_wherever_it_is_given(process: Process) -> None:
    holder, other = process(), process()
    pending = await ask(holder)
    bad = await holder.answer(pending.pending_id, Answer("maybe"), key="bad")
    assert await holder.answer(pending.pending_id, Answer("maybe"), key="bad") == bad
    assert await other.answer(pending.pending_id, Answer(True), key="k1") == Settlement.ACCEPTED
    assert await other.answer(pending.pending_id, Answer(False), key="k2") == Settlement.DUPLICATE
    for handler in (holder, other, process()):
        assert await handler.answer(pending.pending_id, Answer(True), key="k1") == Settlement.ACCEPTED
        assert await handler.answer(pending.pending_id, Answer(False), key="k2") == Settlement.DUPLICATE
        assert await handler.answer(pending.pending_id, Answer("maybe"), key="bad") == bad


async def test_a_holder_that_stood_still_until_its_lease_ran_out_asks_the_store_first(process: Process) -> None:
    holder, other = process(), process()
    taken, free = await ask(holder), await ask(holder)
    stand_still(holder)
    await anyio.sleep(LEASE_S + 1)
    assert await other.answer(taken.pending_id, Answer(True)) == Settlement.ACCEPTED
    with pytest.raises(RuntimeError, match="lease"):
        holder.resolve(taken.pending_id, "no")
    assert await holder.answer(taken.pending_id, Answer(False)) == Settlement.DUPLICATE
    assert taken.end is RequestEnd.WITHDRAWN
    assert await holder.answer(free.pending_id, Answer(True)) == Settlement.ACCEPTED


async def test_what_was_settled_elsewhere_meanwhile_is_found_though_the_first_look_at_it_fails(
    store: Unsteady, process: Process
) -> None:
    holder, other = process(), process()
    pending = await ask(holder)
    store.fails_to = {"renew"}
    await anyio.sleep(LEASE_S + 1)
    assert await other.answer(pending.pending_id, Answer(True)) == Settlement.ACCEPTED
    store.fails_to = {"read"}
    await anyio.sleep(RETRY_S)
    store.fails_to = set()
    await anyio.sleep(RETRY_S)
    assert pending.end is RequestEnd.WITHDRAWN
    assert await holder.answer(pending.pending_id, Answer(False)) == Settlement.DUPLICATE


async def test_a_verdict_that_cannot_be_given_yet_is_given_later_and_keeps_back_no_other_answer(
    store: Unsteady, process: Process
) -> None:
    holder, other = process(), process()
    requests = [await ask(holder), await ask(holder)]
    verdicts: dict[str, SettlementKind] = {}

    async def answer(pending: PendingInput, value: object) -> None:
        verdicts[pending.pending_id] = (await other.answer(pending.pending_id, Answer(value))).kind

    store.fails_to = {"reply"}
    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for pending, value in zip(requests, ("maybe", True), strict=True):
                group.start_soon(answer, pending, value)
            await anyio.sleep(10)
            store.fails_to = set()
    assert [verdicts[pending.pending_id] for pending in requests] == [SettlementKind.INVALID, SettlementKind.ACCEPTED]


async def test_the_same_key_replays_the_same_verdict_though_the_store_is_away(
    store: Unsteady, process: Process
) -> None:
    holder = process()
    pending = await ask(holder)
    store.away = True
    for _ in range(2):
        assert await holder.answer(pending.pending_id, Answer(True), key="k1") == Settlement.ACCEPTED
        assert await holder.answer(pending.pending_id, Answer(True), key="k2") == Settlement.DUPLICATE


async def test_what_is_being_written_when_the_handler_closes_is_written(store: Unsteady, process: Process) -> None:
    handler = process()
    pending = await ask(handler)
    store.takes_s = 0.8
    assert await handler.answer(pending.pending_id, Answer(True)) == Settlement.ACCEPTED
    await handler.close()
    store.takes_s = 0
    assert (await row_of(store, pending)).state is RowState.SETTLED


async def test_one_lease_is_renewed_for_all_requests_and_a_closed_handler_leaves_no_task(process: Process) -> None:
    tasks = RunningTasks()
    handler = process()
    for _ in range(3):
        await ask(handler)
    assert [task.name for task in anyio.get_running_tasks()].count("lease of requests") == 1
    await handler.close()
    tasks.check()


async def test_what_the_store_has_lost_is_written_again(store: Unsteady, process: Process) -> None:
    handler = process()
    pending = await ask(handler)
    store.lose(pending)
    assert handler.resolve(pending.pending_id, "yes")
    await anyio.sleep(0.1)
    assert pending.end is RequestEnd.ANSWERED
    assert (await row_of(store, pending)).state is RowState.SETTLED


async def test_an_answer_on_which_its_holder_breaks_leaves_nobody_to_wait(store: Unsteady, process: Process) -> None:
    class Breaks(HumanInputHandler):
        def _take(self, pending_id: str, answer: Answer) -> Settlement:
            if answer.value == "broken":
                raise KeyError("what nobody thought of")
            return super()._take(pending_id, answer)

    holder, other = Breaks(store=store), process()
    pending = await ask(holder)
    with anyio.fail_after(30):
        assert (await other.answer(pending.pending_id, Answer("broken"))).kind is SettlementKind.INVALID
        assert await other.answer(pending.pending_id, Answer(True)) == Settlement.ACCEPTED
    await holder.close()
