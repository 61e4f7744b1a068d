"""A channel with a scripted model and loopback callers, in virtual time."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress

import anyio
import anyio.lowlevel
import pytest

from tests.channels.desk import Desk as SharedDesk
from tests.channels.kept import settle_down
from voice_hitl.askers.card import CardAsker
from voice_hitl.channels.on_call import CallSetup, OnCall, Reject
from voice_hitl.channels.options import SessionOverrides
from voice_hitl.channels.voice import RealtimeVoiceChannel
from voice_hitl.enums import HookExecution, HookTrigger, RequestEnd
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.provider import ProviderConfig, ResponseEnded, ResponseStarted
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
from voice_hitl.tools.policy import ToolPolicy
from voice_hitl.transport import CallRejected, Incoming, LegInfo

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


# --- calls come in ---------------------------------------------------------------------------------------------------


async def test_a_call_comes_in_under_the_identity_that_its_transport_gives_it() -> None:
    async with SharedDesk() as desk:
        call = await desk.call("ada")
        assert (call.session.room_id, call.session.participant_id) == ("desk", "ada")
        assert call.session.info is call.caller.leg.info
        assert call.session.metadata == {}


async def test_on_call_decides_where_a_call_goes_and_how_it_is_run() -> None:
    def decide(info: LegInfo) -> CallSetup:
        overrides: SessionOverrides = {"system_prompt": "Be kind.", "language": "fr", "tools": ()}
        return CallSetup(room_id="vip", participant_id=info.from_, metadata={"tier": 1}, overrides=overrides)

    async with SharedDesk(on_call=decide) as desk:
        caller = desk.transport.caller(from_="+391234")
        await caller.dial()
        model = await desk.provider.connected()
        (session,) = desk.channel.sessions
        assert (session.room_id, session.participant_id, session.language) == ("vip", "+391234", "fr")
        assert session.metadata == {"tier": 1}
        assert (model.config.instructions, model.config.language) == ("Be kind.", "fr")
        assert [tool.name for tool in model.config.tools] == ["ConfirmAction"]


async def rejects(_info: LegInfo) -> Reject:
    return Reject(486, "busy here")


async def raises(_info: LegInfo) -> CallSetup:
    raise ValueError("the database is gone")


async def hangs(_info: LegInfo) -> CallSetup:
    await anyio.sleep_forever()
    raise AssertionError


async def forgets(_info: LegInfo) -> CallSetup:
    return None  # type: ignore[return-value]  # what an application may do


async def mistakes(_info: LegInfo) -> CallSetup:
    overrides: SessionOverrides = {"sytem_prompt": "oops"}  # type: ignore[typeddict-unknown-key]  # likewise
    return CallSetup(overrides=overrides)


async def declares_twice(_info: LegInfo) -> CallSetup:
    return CallSetup(overrides={"tools": (LOOK_UP, LOOK_UP)})


async def takes_the_persons_name(_info: LegInfo) -> CallSetup:
    return CallSetup(overrides={"tools": (AITool("ConfirmAction"),)})


@pytest.mark.parametrize(
    ("on_call", "code"),
    [
        (rejects, 486),
        (raises, 500),
        (hangs, 503),
        (forgets, 500),
        (mistakes, 500),
        (declares_twice, 500),
        (takes_the_persons_name, 500),
    ],
)
async def test_a_call_that_cannot_be_welcome_is_refused_with_a_status_and_leaves_nothing(
    on_call: OnCall, code: int
) -> None:
    async with SharedDesk(on_call=on_call) as desk:
        with pytest.raises(CallRejected) as refused:
            await desk.call()
        assert refused.value.code == code
        assert desk.channel.sessions == ()
        assert desk.provider.connections == []


class Telephone(LoopbackTransport):
    """A transport that places calls, which nobody takes."""

    def __init__(self) -> None:
        super().__init__()
        self.rings = 0

    async def dial(self, to: str) -> Incoming:
        self.rings += 1
        try:
            await anyio.sleep_forever()
        finally:
            self.rings -= 1
        raise AssertionError(f"nobody takes the call of {to}")


async def test_nobody_is_called_any_more_when_the_channel_closes() -> None:
    telephone = Telephone()
    channel = RealtimeVoiceChannel("desk", provider=ScriptedProvider(), transport=telephone)

    async def call() -> None:
        with pytest.raises(RuntimeError, match="'desk' is closed"):
            await channel.dial("sip:lee@10.0.0.7")

    async with anyio.create_task_group() as group:
        group.start_soon(call)
        await settle_down()
        assert telephone.rings == 1
        await channel.close()
        assert telephone.rings == 0


async def test_nobody_is_called_for_a_session_that_cannot_be() -> None:
    telephone = Telephone()
    channel = RealtimeVoiceChannel("desk", provider=ScriptedProvider(), transport=telephone)
    pay = AITool("pay", requires_approval=True, approvers=("caller",))
    with anyio.fail_after(1), pytest.raises(ValueError, match="human_input_handler to ask with"):
        await channel.dial("sip:lee@10.0.0.7", tools=(pay,))
    await channel.close()


async def test_a_provider_that_cannot_be_reached_refuses_the_call_and_releases_its_leg() -> None:
    async with SharedDesk() as desk:
        desk.provider.refuse()
        caller = desk.transport.caller(participant_id="ada")
        with pytest.raises(CallRejected) as refused:
            await caller.dial()
        assert refused.value.code == 503
        assert not caller.in_call
        assert desk.channel.sessions == ()


async def test_a_caller_who_hangs_up_while_the_model_is_connected_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with SharedDesk() as desk:
        connect, go = desk.provider.connect, anyio.Event()

        async def slow(config: ProviderConfig) -> ScriptedConnection:
            await go.wait()
            return await connect(config)

        monkeypatch.setattr(desk.provider, "connect", slow)
        caller = desk.transport.caller(participant_id="ada")
        async with anyio.create_task_group() as group:
            group.start_soon(caller.dial)
            await settle_down()
            caller.hang_up()
            go.set()
        await desk.provider.connected()
        await settle_down()
        assert desk.channel.sessions == ()


async def test_the_channel_closes_while_a_call_is_being_set_up_which_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    codes: list[int] = []
    async with SharedDesk() as desk:

        async def hang(_config: ProviderConfig) -> ScriptedConnection:
            await anyio.sleep_forever()
            raise AssertionError

        monkeypatch.setattr(desk.provider, "connect", hang)
        caller = desk.transport.caller(participant_id="ada")

        async def dial() -> None:
            try:
                await caller.dial()
            except CallRejected as refused:
                codes.append(refused.code)

        async with anyio.create_task_group() as group:
            group.start_soon(dial)
            await settle_down()
            with anyio.fail_after(2):
                await desk.channel.close()
        assert codes == [503]
        assert not caller.in_call
        assert desk.channel.sessions == ()


async def test_the_channel_closes_in_the_tick_in_which_the_model_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    async with SharedDesk() as desk:
        connect = desk.provider.connect

        async def closes(config: ProviderConfig) -> ScriptedConnection:
            connection = await connect(config)
            group.start_soon(desk.channel.close)
            await anyio.lowlevel.checkpoint()
            return connection

        monkeypatch.setattr(desk.provider, "connect", closes)
        async with anyio.create_task_group() as group:
            with suppress(CallRejected):
                await desk.transport.call(participant_id="ada", room_id="desk")
        await desk.provider.connected()
        assert desk.channel.sessions == ()


async def test_on_call_that_hangs_keeps_no_channel_open_and_may_close_it_itself() -> None:
    desk: SharedDesk

    async def closes(_info: LegInfo) -> CallSetup:
        await desk.channel.close()
        return CallSetup()

    desk = SharedDesk(on_call=closes)
    async with desk:
        with anyio.fail_after(5), pytest.raises(CallRejected) as refused:
            await desk.call()
        assert refused.value.code == 503


async def test_a_closed_channel_takes_no_calls() -> None:
    async with SharedDesk() as desk:
        await desk.channel.close()
        with pytest.raises(CallRejected) as refused:
            await desk.call()
        assert refused.value.code == 503
        with pytest.raises(RuntimeError, match="closed"):
            await desk.channel.start_session("desk", "ada", desk.transport.caller().incoming())


async def test_one_session_ends_and_the_other_does_not_notice() -> None:
    async with SharedDesk() as desk:
        first, second = await desk.call("ada"), await desk.call("bob")
        await first.confirm()
        call_id = await second.confirm()
        first.caller.hang_up()
        await first.closed()
        assert desk.channel.sessions == (second.session,)
        await second.answer()
        await second.model.expect(SentToolResult, call_id=call_id, failed=False)


async def test_the_role_of_a_participant_is_the_one_it_has_now() -> None:
    policy = ToolPolicy(deny=("look_up",), roles={"member": ToolPolicy()})
    async with SharedDesk() as desk:
        call = await desk.call(tool_policy=policy)
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult, failed=True)
        await desk.channel.reconfigure_session(call.session, role="member")
        model = await desk.provider.connected()
        model.ignore(Responded)
        model.call_tool("look_up")
        await model.expect(SentToolResult, failed=False)


async def test_a_human_input_handler_given_as_a_tool_handler_is_pointed_out(caplog: pytest.LogCaptureFixture) -> None:
    human = HumanInputToolHandler({"ask"})
    RealtimeVoiceChannel("v", provider=ScriptedProvider(), transport=LoopbackTransport(), tool_handler=human)
    assert "human_input_handler=" in caplog.text


async def test_what_cannot_be_declared_is_an_error_where_it_is_written() -> None:
    nonsense = {"type": "object", "properties": {"when": {"type": "nonsense"}}}
    for tools in ([LOOK_UP, LOOK_UP], [AITool("bad", parameters=nonsense)], [REFUND]):
        with pytest.raises(ValueError, match=r"twice|no JSON Schema|human_input_handler"):
            RealtimeVoiceChannel("v", provider=ScriptedProvider(), transport=LoopbackTransport(), tools=tools)


async def test_a_channel_displaced_in_its_kit_keeps_its_calls_without_the_hooks() -> None:
    async with SharedDesk() as desk:
        call = await desk.call()
        other = RealtimeVoiceChannel("voice", provider=ScriptedProvider(), transport=LoopbackTransport())
        desk.kit.register_channel(other)
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult, failed=False)
        await settle_down()
        assert desk.reports == []
        await desk.channel.close()
