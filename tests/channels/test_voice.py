"""A channel with a scripted model and loopback callers, in virtual time."""

import json
import re
from collections.abc import Mapping, Sequence

import anyio
import pytest

from voice_hitl.askers.card import CardAsker
from voice_hitl.channels.voice import RealtimeVoiceChannel
from voice_hitl.enums import HookExecution, HookTrigger, RequestEnd
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.provider import ResponseEnded, ResponseStarted
from voice_hitl.requests.pending import PendingInputEvent
from voice_hitl.testing import (
    Forgot,
    Injected,
    LoopbackCaller,
    LoopbackTransport,
    Responded,
    ScriptedConnection,
    ScriptedProvider,
    SentToolResult,
)
from voice_hitl.tools.asking import confirm_action
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

LOOK_UP = AITool("look_up", "Look something up.", {"type": "object", "properties": {"q": {"type": "string"}}})


async def look_up(name: str, arguments: Mapping[str, object]) -> object:
    return {"found": arguments.get("q"), "by": name}


async def opened_card(caller: LoopbackCaller) -> Mapping[str, object]:
    """The live card, after the one that shows that the call is on its way."""
    await caller.message(type="request.opened", status="inProgress")
    opened = await caller.message(type="request.opened", status="executing")
    changed = await caller.message(type="request.changed", status="executing")
    assert changed["expires_at"]
    return opened


class Desk:
    """One channel with everything a test needs to look at."""

    def __init__(
        self, *, timeout: float = 60, tools: Sequence[AITool] = (LOOK_UP,), handler: ToolHandler = look_up
    ) -> None:
        self.provider = ScriptedProvider()
        self.transport = LoopbackTransport()
        self.human = HumanInputToolHandler(
            {"ConfirmAction"}, timeout=timeout, tool_definitions=[confirm_action()], askers=[CardAsker()]
        )
        self.channel = RealtimeVoiceChannel(
            "voice",
            provider=self.provider,
            transport=self.transport,
            tools=tools,
            tool_handler=handler,
            human_input_handler=self.human,
        )
        self.kit = VoiceKit()
        self.kit.register_channel(self.channel)
        self.reports: list[ToolCallEvent] = []
        self.settled: list[PendingInputEvent] = []

        @self.kit.hook(HookTrigger.ON_TOOL_CALL, HookExecution.ASYNC)
        async def report(event: ToolCallEvent, _ctx: HookContext) -> None:
            self.reports.append(event)

        @self.kit.hook(HookTrigger.ON_USER_INPUT_SETTLED, HookExecution.ASYNC)
        async def settled(event: PendingInputEvent, _ctx: HookContext) -> None:
            self.settled.append(event)


async def test_a_person_answers_on_a_card_and_the_model_goes_on_with_the_answer() -> None:
    desk = Desk()
    with desk.provider, desk.transport:
        caller = await desk.transport.call(participant_id="ada", room_id="desk")
        model = await desk.provider.connected()
        assert [tool.name for tool in model.config.tools] == ["look_up", "ConfirmAction"]
        model.emit(ResponseStarted("r1"))
        call_id = model.call_tool("ConfirmAction", json.dumps({"action": "Book a table for four."}))
        note = await model.expect(Injected, text=re.compile("waiting for a person"))
        opened = await opened_card(caller)
        assert opened["kind"] == "question"
        model.emit(ResponseEnded("r1"))
        caller.send(
            {
                "v": 1,
                "type": "request.answer",
                "id": "1",
                "pending_id": opened["pending_id"],
                "answer": {"action": "answer", "value": True},
                "key": "k",
            }
        )
        sent = await model.expect(SentToolResult, call_id=call_id, failed=False)
        assert json.loads(sent.text) == {"confirmed": True, "via": "card"}
        await model.expect(Responded)
        await model.expect(Forgot, item_id=note.item_id)
        await caller.message(type="ok")
        await caller.message(type="request.settled", end="answered")
        session = desk.channel.sessions[0]
        caller.hang_up()
        with anyio.fail_after(30):
            await session.closed.wait()
        await desk.kit.close()
    assert [(event.tool_name, event.delivered, event.is_error) for event in desk.reports] == [
        ("ConfirmAction", True, False)
    ]
    assert [(event.end, event.answered_by) for event in desk.settled] == [(RequestEnd.ANSWERED, "ada")]


async def test_the_caller_hangs_up_while_a_question_is_open_and_everything_is_settled() -> None:
    desk = Desk()
    with desk.provider, desk.transport:
        caller = await desk.transport.call(participant_id="ada", room_id="desk")
        model = await desk.provider.connected()
        model.ignore(Injected, Forgot)
        model.call_tool("ConfirmAction", json.dumps({"action": "Book a table for four."}))
        opened = await opened_card(caller)
        session = desk.channel.sessions[0]
        assert [request.pending_id for request in session.open_requests] == [opened["pending_id"]]
        caller.hang_up()
        with anyio.fail_after(30):
            await session.closed.wait()
        assert session.open_requests == []
        assert desk.human.handler.resolve(str(opened["pending_id"]), "yes") is False
        await desk.kit.close()
    assert [(event.cancelled, event.delivered) for event in desk.reports] == [(True, False)]
    assert [event.end for event in desk.settled] == [RequestEnd.WITHDRAWN]


async def test_nobody_answers_in_time_and_the_model_reads_that() -> None:
    desk = Desk(timeout=20)
    with desk.provider, desk.transport:
        caller = await desk.transport.call(participant_id="ada", room_id="desk")
        model = await desk.provider.connected()
        model.ignore(Injected, Forgot)
        call_id = model.call_tool("ConfirmAction", json.dumps({"action": "Book a table for four."}))
        await opened_card(caller)
        sent = await model.expect(SentToolResult, call_id=call_id, failed=True, within_s=25)
        await caller.message(type="request.settled", end="timed_out")
        assert json.loads(sent.text) == {"error": "Human input timed out after 20s for tool 'ConfirmAction'"}
        await model.expect(Responded)
        await desk.kit.close()
    assert [event.end for event in desk.settled] == [RequestEnd.TIMED_OUT]


REFUND = AITool(
    "refund",
    "Refund an order.",
    {
        "type": "object",
        "properties": {"order": {"type": "string"}, "amount": {"type": "number"}},
        "required": ["order", "amount"],
    },
    requires_approval=True,
    approvers=("caller",),
    allow_edits=True,
)


class GatedDesk(Desk):
    """A desk whose refund must be approved."""

    def __init__(self) -> None:
        self.ran: list[Mapping[str, object]] = []

        async def refund(_name: str, arguments: Mapping[str, object]) -> object:
            self.ran.append(arguments)
            return "refunded"

        super().__init__(tools=[REFUND], handler=refund)


async def ask_for_a_refund(
    desk: GatedDesk, answer: Mapping[str, object]
) -> tuple[ScriptedConnection, LoopbackCaller, str]:
    caller = await desk.transport.call(participant_id="ada", room_id="desk")
    model = await desk.provider.connected()
    model.ignore(Injected, Forgot, Responded)
    caller.ignore("ok", "request.settled", "request.changed")
    call_id = model.call_tool("refund", json.dumps({"order": "A7", "amount": 5}))
    opened = await caller.message(type="request.opened", status="executing", kind="approval")
    assert desk.ran == []
    caller.send(
        {"v": 1, "type": "request.answer", "id": "1", "pending_id": opened["pending_id"], "answer": answer, "key": "k"}
    )
    return model, caller, call_id


async def test_an_approved_tool_runs_once_with_what_was_shown() -> None:
    desk = GatedDesk()
    with desk.provider, desk.transport:
        model, _, call_id = await ask_for_a_refund(desk, {"action": "approve"})
        await model.expect(SentToolResult, call_id=call_id, text="refunded", failed=False)
        await desk.kit.close()
    assert desk.ran == [{"order": "A7", "amount": 5}]


async def test_an_approved_edit_is_what_runs() -> None:
    desk = GatedDesk()
    with desk.provider, desk.transport:
        edited = {"order": "A7", "amount": 3}
        model, _, call_id = await ask_for_a_refund(desk, {"action": "approve", "edited_arguments": edited})
        await model.expect(SentToolResult, call_id=call_id, text="refunded", failed=False)
        await desk.kit.close()
    assert desk.ran == [{"order": "A7", "amount": 3}]
    assert [event.arguments for event in desk.reports] == [{"order": "A7", "amount": 3}]


async def test_a_rejected_tool_does_not_run_and_the_model_reads_why() -> None:
    desk = GatedDesk()
    with desk.provider, desk.transport:
        model, _, call_id = await ask_for_a_refund(desk, {"action": "reject", "reason": "too much"})
        sent = await model.expect(SentToolResult, call_id=call_id, failed=True)
        assert json.loads(sent.text) == {"error": "Human input rejected: too much. Nothing was executed."}
        await desk.kit.close()
    assert desk.ran == []
