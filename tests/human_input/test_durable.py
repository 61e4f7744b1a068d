"""Requests that outlive the process. Handlers that share a store are the processes here; virtual time is theirs."""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import anyio
import pytest

from tests.human_input.told import ScriptedAsker, Told, put_to
from voice_hitl.asker import Asking
from voice_hitl.enums import ChannelType, RequestEnd
from voice_hitl.errors import HumanInputRejectedError, StoreUnavailable, ToolFailedError, ToolRefusedError
from voice_hitl.human_input.approvals import approved_arguments, open_approval
from voice_hitl.human_input.handler import KEYED_VERDICTS, HumanInputHandler
from voice_hitl.human_input.record import record_of
from voice_hitl.human_input.tool_handler import Caller, HumanInputToolHandler
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Choice, Confirm, Form, Number, Option, Question
from voice_hitl.requests.pending import MASKED, PendingInput, PendingInputEvent
from voice_hitl.requests.settlement import Settlement, SettlementKind
from voice_hitl.store import LEASE_S, Letter, Row, RowState, Unreadable
from voice_hitl.stores.memory import MemoryStore
from voice_hitl.tools.context import ToolCallContext
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.human_tool import human_tool

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

BOOK = Confirm(prompt="Book it?")
PIZZA = Form(
    questions=(
        Choice(prompt="Which size?", options=(Option(label="Small"), Option(label="Large"))),
        Choice(prompt="Which crust?", options=(Option(label="Thin"), Option(label="Thick"))),
    )
)
REFUND = AITool(
    "refund",
    "Refund an order.",
    {"type": "object", "properties": {"amount": {"type": "integer"}}, "required": ["amount"]},
    requires_approval=True,
    approvers=("caller", "manager"),
    allow_edits=True,
)
APPROVED = Answer(by="manager", decision="approve")


@dataclass
class Unsteady(MemoryStore):
    """A store that can go away, or be slow, with what it has."""

    away: bool = False
    takes_s: float = 0.0

    def __post_init__(self) -> None:
        super().__init__()

    async def write(self, row: Row, *, orphan_of: str | None = None) -> bool:
        await self._there()
        return await super().write(row, orphan_of=orphan_of)

    async def read(self, request_id: str) -> Row | Unreadable | None:
        await self._there()
        return await super().read(request_id)

    async def renew(self, holder: str, seconds: float) -> bool:
        await self._there()
        return await super().renew(holder, seconds)

    async def letters(self, holder: str, *, timeout_s: float) -> Sequence[Letter]:
        await self._there()
        return await super().letters(holder, timeout_s=timeout_s)

    async def _there(self) -> None:
        await anyio.sleep(self.takes_s)
        if self.away:
            raise StoreUnavailable("it is away")


@dataclass
class Counter:
    """The tools of an application: how often each ran, with what, and what it returns or raises."""

    ran: list[Mapping[str, object]] = field(default_factory=list[Mapping[str, object]])
    error: Exception | None = None
    takes_s: float = 0.0

    async def __call__(self, name: str, arguments: dict[str, object]) -> object:
        self.ran.append(arguments)
        await anyio.sleep(self.takes_s)
        if self.error is not None:
            raise self.error
        return {"refunded": arguments["amount"]}


@dataclass
class Results:
    """What an application is told of late results."""

    told: list[tuple[PendingInputEvent, Answer]] = field(default_factory=list[tuple[PendingInputEvent, Answer]])

    async def __call__(self, request: PendingInputEvent, answer: Answer) -> None:
        self.told.append((request, answer))


Process = Callable[..., HumanInputHandler]


@pytest.fixture
def store() -> Unsteady:
    return Unsteady()


@pytest.fixture
def counter() -> Counter:
    return Counter()


@pytest.fixture
def results() -> Results:
    return Results()


@pytest.fixture
async def process(store: Unsteady, counter: Counter, results: Results) -> AsyncGenerator[Process, None]:
    """One more process, which has the tools; `tools=()`: which has not. Without `orphans=` questions are kept."""
    handlers: list[HumanInputHandler] = []

    def start(*, orphans: Mapping[str, str] | None = None, tools: Sequence[AITool] = (REFUND,)) -> HumanInputHandler:
        policies = orphans or {"Ask": "keep"}
        handler = HumanInputHandler(
            store=store,
            orphans={name: "keep" if policy == "keep" else "withdraw" for name, policy in policies.items()},
            tools=tools,
            tool_handler=counter,
            on_late_result=results,
        )
        handlers.append(handler)
        return handler

    yield start
    store.away, store.takes_s = False, 0
    for handler in handlers:
        await handler.close()


async def ask(handler: HumanInputHandler, question: Question = BOOK, tool: str = "Ask") -> PendingInput:
    pending = await handler.create(tool, {"q": "?"}, channel_id="voice", session_id="s1", question=question)
    await anyio.sleep(0.1)
    return pending


def killed(handler: HumanInputHandler) -> None:
    """The process of a handler dies: nothing of it runs any more, and nothing was said."""
    stand_still(handler)
    for job in handler._alongside._tasks._jobs.values():  # pyright: ignore[reportPrivateUsage] - as below
        job.cancel()


def stand_still(handler: HumanInputHandler) -> None:
    """The process of a handler is stopped: it renews nothing and reads nothing."""
    holding = handler._with_store.holding  # pyright: ignore[reportPrivateUsage] - this process cannot be killed
    for job in holding._tasks._jobs.values():  # pyright: ignore[reportPrivateUsage] - as above
        job.cancel()


async def gone(handler: HumanInputHandler) -> None:
    """The process of a handler dies, and its lease runs out."""
    killed(handler)
    await anyio.sleep(LEASE_S + 1)


def approval(handler: HumanInputHandler, amount: int = 5) -> PendingInput:
    human = HumanInputToolHandler(["Ask"], handler=handler)
    caller = Caller(ToolCallContext(session_id="s1", call_id="c1", room_id="desk"))
    return open_approval(human, caller, REFUND, {"amount": amount}, channel_type=ChannelType.REALTIME_VOICE)


async def row_of(store: Unsteady, pending: PendingInput) -> Row:
    row = await store.read(pending.pending_id)
    assert isinstance(row, Row)
    return row


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
    row_keeps = HumanInputHandler(store=holder._with_store._store, keep_for=0.001, orphans={"Ask": "keep"})  # pyright: ignore[reportPrivateUsage] - the store of the fixture
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
