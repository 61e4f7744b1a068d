"""Answers that come after their call had ended, while the conversation goes on: what the model is told of them."""

from collections.abc import Mapping, Sequence

import anyio
import pytest

from tests.channels.desk import Call, Desk
from tests.channels.kept import settle_down
from voice_hitl.askers.card import CardAsker
from voice_hitl.channels.options import LatePolicy
from voice_hitl.channels.voice import RealtimeVoiceChannel
from voice_hitl.enums import Via
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.human_input.record import record_of
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.provider import ToolCancelled, Transcript
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Number
from voice_hitl.requests.pending import MASKED, PendingInputEvent
from voice_hitl.requests.settlement import Settlement
from voice_hitl.store import Row
from voice_hitl.stores.memory import MemoryStore
from voice_hitl.testing import (
    Forgot,
    Injected,
    LoopbackTransport,
    Responded,
    ScriptedConnection,
    ScriptedProvider,
    SentToolResult,
)
from voice_hitl.tools.asking import confirm_action
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.human_tool import human_tool

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

YES = Answer(True, by="ada", via=Via.API)
CONFIRM = {"action": "Book a table for four."}
REFUND = AITool("refund", parameters={"type": "object"}, requires_approval=True, approvers=("caller",))


async def missed(call: Call) -> str:
    """The model asks, and nobody answers in time; the request's id."""
    await call.confirm()
    pending_id = call.request.pending_id
    await call.model.expect(SentToolResult, failed=True)
    await settle_down()
    call.model.watch(Injected, Responded)
    return pending_id


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            YES,
            'A person has now answered {call}, after it had ended. Their answer:\n{{"confirmed": true, "via": "api"}}',
        ),
        (
            Answer(by="ada", decline=True, reason="too dear"),
            "A person has now declined {call}, after it had ended (too dear). Nothing was executed.",
        ),
    ],
)
async def test_a_late_answer_is_late_and_the_model_is_told_of_it_silently(answer: Answer, words: str) -> None:
    async with Desk(timeout=5) as desk:
        call = await desk.call()
        pending_id = await missed(call)
        assert await desk.human.handler.answer(pending_id, answer) == Settlement.LATE
        told = words.format(call="your earlier call of the tool ConfirmAction")
        await call.model.expect(Injected, role="system", silent=True, text=told)
        await call.model.expect_nothing(for_s=5)


async def test_only_the_first_late_answer_is_told_and_never_a_strangers_or_one_that_does_not_fit() -> None:
    async with Desk(timeout=5) as desk:
        call = await desk.call()
        pending_id = await missed(call)
        assert await desk.human.handler.answer(pending_id, Answer("perhaps", by="ada")) == Settlement.LATE
        await call.model.expect_nothing(for_s=1)
        for _ in range(2):
            assert await desk.human.handler.answer(pending_id, YES) == Settlement.LATE
        await call.model.expect(Injected)
        await call.model.expect_nothing(for_s=1)


async def test_an_answer_to_a_call_that_the_model_gave_up_is_told_it_too() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call_id = await call.confirm()
        pending_id = call.request.pending_id
        call.model.emit(ToolCancelled((call_id,)))
        await settle_down()
        call.model.watch(Injected)
        assert await desk.human.handler.answer(pending_id, YES) == Settlement.LATE
        await call.model.expect(Injected)


async def test_a_card_that_is_answered_a_moment_late_is_told_as_well() -> None:
    async with Desk(timeout=5) as desk:
        call = await desk.call()
        pending_id = await missed(call)
        call.caller.watch("refused")
        wire = {"action": "answer", "value": True}
        call.caller.send({"v": 1, "type": "request.answer", "id": "1", "pending_id": pending_id, "answer": wire})
        await call.caller.message(type="refused", code="late")
        assert '"via": "card"' in (await call.model.expect(Injected)).text


async def test_an_answer_in_time_is_told_once_as_the_calls_output() -> None:
    async with Desk() as desk:
        call = await desk.call()
        await call.confirm()
        pending_id = call.request.pending_id
        await call.answer()
        await call.model.expect(SentToolResult, failed=False)
        call.model.watch(Injected)
        assert await desk.human.handler.answer(pending_id, YES) == Settlement.DUPLICATE
        await call.model.expect_nothing(for_s=5)


class Lane:
    """One channel with its own policy, a store where it is given one, and a host's tool that needs an approval."""

    def __init__(
        self,
        policy: LatePolicy = "inject",
        *,
        store: MemoryStore | None = None,
        audience: Sequence[str] = (),
    ) -> None:
        self.ran: list[Mapping[str, object]] = []
        self.results: list[PendingInputEvent] = []
        self.provider = ScriptedProvider()
        self.transport = LoopbackTransport()
        secret = human_tool(AITool("secret"), question=lambda _arguments: Number(prompt="?", digits=4, sensitive=True))
        self.human = HumanInputToolHandler(
            {"ConfirmAction", "secret"},
            timeout=5,
            tool_definitions=[confirm_action(), secret],
            askers=[CardAsker()],
            audience=audience,
            handler=HumanInputHandler(
                store=store, tools=[REFUND], tool_handler=self.refund, on_late_result=self.late_result
            ),
        )
        self.channel = RealtimeVoiceChannel(
            "lane",
            provider=self.provider,
            transport=self.transport,
            tools=[REFUND],
            tool_handler=self.refund,
            human_input_handler=self.human,
            late_answers=policy,
        )
        self.kit = VoiceKit()
        self.kit.register_channel(self.channel)

    async def refund(self, _name: str, arguments: Mapping[str, object]) -> str:
        self.ran.append(arguments)
        return "refunded"

    async def late_result(self, request: PendingInputEvent, _answer: Answer) -> None:
        self.results.append(request)

    async def call(self) -> ScriptedConnection:
        """Ada calls; her model."""
        caller = self.transport.caller(participant_id="ada", room_id="desk")
        caller.ignore("request.opened", "request.changed", "request.settled")
        await caller.dial()
        model = await self.provider.connected()
        model.ignore(Injected, Forgot, Responded)
        await settle_down()
        return model

    async def ask(self, model: ScriptedConnection, tool: str, arguments: Mapping[str, object]) -> str:
        """The model calls a tool that opens a request; its id."""
        model.call_tool(tool, arguments)
        await settle_down()
        [request] = self.channel.sessions[-1].open_requests
        return request.pending_id

    async def hung_up(self) -> None:
        """The call that is up ends."""
        await self.channel.end_session(self.channel.sessions[-1])

    async def __aenter__(self) -> "Lane":
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.kit.close()
        await self.human.handler.close()


async def late(lane: Lane, model: ScriptedConnection, tool: str, answer: Answer, **arguments: object) -> None:
    pending_id = await lane.ask(model, tool, arguments)
    await model.expect(SentToolResult, failed=True)
    await settle_down()
    model.watch(Injected, Responded)
    assert await lane.human.handler.answer(pending_id, answer) == Settlement.LATE


async def test_a_policy_of_drop_tells_nothing() -> None:
    async with Lane("drop") as lane:
        model = await lane.call()
        await late(lane, model, "ConfirmAction", YES, **CONFIRM)
        await model.expect_nothing(for_s=5)


async def test_a_policy_of_speak_has_the_model_speak_of_it() -> None:
    async with Lane("speak") as lane:
        model = await lane.call()
        await late(lane, model, "ConfirmAction", YES, **CONFIRM)
        await model.expect(Injected, silent=True)
        await model.expect(Responded)


async def test_an_approval_that_comes_late_runs_nothing_and_says_so() -> None:
    async with Lane() as lane:
        model = await lane.call()
        await late(lane, model, "refund", Answer(by="ada", decision="approve"), amount=40)
        assert "nothing was executed" in (await model.expect(Injected)).text
        assert lane.ran == []


async def test_of_a_sensitive_answer_only_that_it_was_collected() -> None:
    async with Lane() as lane:
        model = await lane.call()
        await late(lane, model, "secret", Answer("4271", by="ada"))
        told = await model.expect(Injected)
        assert '{"collected": true}' in told.text
        assert "4271" not in told.text


async def test_who_is_not_in_the_audience_is_not_heard_late_either() -> None:
    async with Lane(audience=("caller",)) as lane:
        model = await lane.call()
        await late(lane, model, "ConfirmAction", Answer(True, by="somebody"), **CONFIRM)
        await model.expect_nothing(for_s=5)


async def test_with_a_store_it_is_the_same() -> None:
    async with Lane(store=MemoryStore()) as lane:
        model = await lane.call()
        await late(lane, model, "ConfirmAction", YES, **CONFIRM)
        assert "Their answer" in (await model.expect(Injected)).text


async def test_a_kept_approval_that_is_given_while_the_caller_is_back_runs_once_and_is_told_to_that_call() -> None:
    async with Lane(store=MemoryStore()) as lane:
        model = await lane.call()
        pending_id = await lane.ask(model, "refund", {"amount": 40})
        await lane.hung_up()
        again = await lane.call()
        again.watch(Injected)
        approve = Answer(by="ada", decision="approve")
        assert await lane.human.handler.answer(pending_id, approve) == Settlement.ACCEPTED
        told = await again.expect(Injected, silent=True)
        assert "was approved after it had ended, and was run then. Its result:\nrefunded" in told.text
        assert await lane.human.handler.answer(pending_id, approve) == Settlement.DUPLICATE
        await again.expect_nothing(for_s=5)
        assert lane.ran == [{"amount": 40}]
        assert lane.results == []


async def test_what_was_said_last_is_kept_with_the_request_and_masked_where_it_is_sensitive() -> None:
    store = MemoryStore()
    async with Lane(store=store) as lane:
        model = await lane.call()
        model.emit(
            Transcript("user", "I want my money back.", True, "i1"), Transcript("assistant", "Sure.", True, "i2")
        )
        await settle_down()
        kept = []
        for tool in ("refund", "secret"):
            pending_id = await lane.ask(model, tool, {})
            row = await store.read(pending_id)
            assert isinstance(row, Row)
            kept.append([line.text for line in record_of(row.id, row.body).transcript])
            lane.human.handler.release(pending_id)
            await model.expect(SentToolResult)
        assert kept == [["I want my money back.", "Sure."], [MASKED, "Sure."]]


@pytest.mark.parametrize("policy", ["inject", "drop"])
async def test_a_kept_approval_without_a_conversation_that_is_told_goes_to_the_application(policy: LatePolicy) -> None:
    async with Lane(policy, store=MemoryStore()) as lane:
        pending_id = await lane.ask(await lane.call(), "refund", {"amount": 40})
        await lane.hung_up()
        if policy == "drop":
            await lane.call()
        await lane.human.handler.answer(pending_id, Answer(by="ada", decision="approve"))
        await settle_down()
        assert [request.result for request in lane.results] == ["refunded"]


async def test_a_kept_approval_that_is_rejected_is_told_as_declined() -> None:
    async with Lane(store=MemoryStore()) as lane:
        pending_id = await lane.ask(await lane.call(), "refund", {"amount": 40})
        await lane.hung_up()
        again = await lane.call()
        again.watch(Injected)
        await lane.human.handler.answer(pending_id, Answer(by="ada", decision="reject", reason="not ours"))
        assert "has now declined" in (await again.expect(Injected)).text
        assert lane.ran == []


async def test_a_model_that_takes_no_line_costs_nothing_but_the_line() -> None:
    async with Lane() as lane:
        model = await lane.call()
        model.raise_on(Injected)
        await late(lane, model, "ConfirmAction", YES, **CONFIRM)
        await model.expect(Injected)
        model.mend(Injected)
        await anyio.sleep(1)
        assert lane.channel.sessions != ()
