"""The tools of a page: offered to the model in its own call, called, answered, and gone with the page."""

import json
from collections.abc import Collection, Mapping

import anyio
import pytest

from tests.channels.desk import Call, Desk, look_up
from tests.channels.kept import LOOK_UP, settle_down
from voice_hitl.channels.frontend_tools import MOST
from voice_hitl.channels.page_calls import REMEMBERED
from voice_hitl.channels.page_tools import BURST_S, REGISTERS_AGAIN_S
from voice_hitl.channels.voice import RealtimeVoiceChannel
from voice_hitl.enums import DoorName, HookExecution, HookTrigger, OutcomeKind, RequestEnd
from voice_hitl.hooks import HookContext, HookResult
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.provider import ProviderCapabilities, ToolCallStarted, ToolCancelled
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.pending import PendingInputEvent
from voice_hitl.requests.settlement import Settlement, SettlementKind
from voice_hitl.testing import LoopbackTransport, Reconfigured, ScriptedProvider, SentToolResult
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.policy import ToolPolicy

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

CAN = ProviderCapabilities(reconfigures="in_place")
SLOTS: dict[str, object] = {
    "type": "object",
    "properties": {"day": {"type": "string"}},
    "required": ["day"],
    "additionalProperties": False,
}
PICK: dict[str, object] = {"name": "pick_time", "description": "Let the caller pick a time.", "parameters": SLOTS}
TOMORROW = {"day": "tomorrow"}


class Screen(Desk):
    """A desk whose pages may offer tools."""

    def __init__(
        self,
        *,
        frontend_tools: bool | Collection[str] = True,
        timeout: float = 60,
        capabilities: ProviderCapabilities = CAN,
    ) -> None:
        super().__init__(
            frontend_tools=frontend_tools, timeout=timeout, capabilities=capabilities, tools=(LOOK_UP,), handler=look_up
        )


async def offer(call: Call, tool: Mapping[str, object] = PICK) -> None:
    """The page offers a tool, is told that it is taken, and the model hears of it."""
    call.caller.send({"v": 1, "type": "tool.register", "id": "r1", **tool})
    await call.caller.message(type="tool.registered", name=tool["name"])
    await call.model.expect(Reconfigured)


async def picking(call: Call, arguments: Mapping[str, object] = TOMORROW, *, tool: str = "pick_time") -> str:
    """The model calls the page's tool; the id under which the page may give its result."""
    call_id = call.model.call_tool(tool, arguments)
    await call.caller.message(type="tool.status", call=call_id, tool=tool, status="inProgress")
    executing = await call.caller.message(type="tool.status", call=call_id, status="executing", arguments=arguments)
    assert executing["expires_at"]
    return str(executing["pending_id"])


async def verdict(call: Call, **message: object) -> Mapping[str, object]:
    """What the page is told of a message of its own, which does what it asks for."""
    return await _told(call, "ok", message)


async def refusal(call: Call, **message: object) -> Mapping[str, object]:
    """The same, of one that is refused."""
    return await _told(call, "refused", message)


async def _told(call: Call, kind: str, message: Mapping[str, object]) -> Mapping[str, object]:
    call.caller.watch("ok", "refused")
    call.caller.send({"v": 1, "id": "m1", **message})
    told = await call.caller.message(type=kind, id="m1")
    call.caller.ignore("ok", "refused")
    return told


async def complete(call: Call, pending_id: str, *, end: str = "answered") -> Mapping[str, object]:
    """The page is told that a call of its tool is over."""
    return await call.caller.message(type="tool.status", pending_id=pending_id, status="complete", end=end)


async def respond(call: Call, pending_id: str, result: object) -> None:
    call.caller.send({"v": 1, "type": "tool.respond", "pending_id": pending_id, "result": result})


# --- offering --------------------------------------------------------------------------------------------------------


async def test_the_page_is_told_that_its_tool_is_taken_and_then_the_model_is() -> None:
    async with Screen() as desk:
        call = await desk.call()
        call.caller.watch("ok")
        call.caller.send({"v": 1, "type": "tool.register", "id": "r1", **PICK})
        await call.caller.message(type="tool.registered", name="pick_time")
        await call.caller.message(type="ok", id="r1")
        assert [tool.name for tool in call.model.config.tools] == ["look_up", "ConfirmAction"]
        told = await call.model.expect(Reconfigured)
        assert told.config.tools[-1] == AITool("pick_time", "Let the caller pick a time.", SLOTS)


async def test_a_burst_of_tools_is_told_at_once() -> None:
    async with Screen() as desk:
        call = await desk.call()
        for name in ("a", "b", "c"):
            call.caller.send({"v": 1, "type": "tool.register", "name": name})
            await call.caller.message(type="tool.registered", name=name)
        told = await call.model.expect(Reconfigured)
        assert [tool.name for tool in told.config.tools[2:]] == ["a", "b", "c"]
        assert told.config.tools[2].parameters == {"type": "object", "properties": {}}
        await call.model.expect_nothing(for_s=1)


@pytest.mark.parametrize("name", ["look_up", "ConfirmAction"])
async def test_a_page_that_takes_a_name_of_the_agents_own_is_refused_and_told_why(name: str) -> None:
    async with Screen() as desk:
        call = await desk.call()
        refused = await refusal(call, type="tool.register", name=name)
        assert refused["code"] == "not_allowed"
        assert "give yours another name" in str(refused["why"])
        await call.model.expect_nothing(for_s=1)


async def test_only_the_names_that_the_channel_allows_are_taken() -> None:
    async with Screen(frontend_tools={"pick_time"}) as desk:
        call = await desk.call()
        assert (await refusal(call, type="tool.register", name="other"))["code"] == "not_allowed"
        await offer(call)


async def test_a_tool_that_the_policy_denies_is_refused() -> None:
    async with Screen() as desk:
        call = await desk.call(tool_policy=ToolPolicy(deny=["pick_*"]))
        assert (await refusal(call, type="tool.register", **PICK))["code"] == "not_allowed"


@pytest.mark.parametrize(
    "parameters", [{"type": "array"}, {}, {"type": "object", "properties": 7}, {"type": "object", "$ref": "http://x/y"}]
)
async def test_parameters_that_are_no_schema_of_an_object_are_refused(parameters: dict[str, object]) -> None:
    async with Screen() as desk:
        call = await desk.call()
        refused = await refusal(call, type="tool.register", name="pick_time", parameters=parameters)
        assert refused["code"] == "invalid"


async def test_one_page_offers_so_many_tools_and_no_more() -> None:
    async with Screen() as desk:
        call = await desk.call()
        call.caller.ignore("tool.registered")
        for number in range(MOST):
            call.caller.send({"v": 1, "type": "tool.register", "name": f"t{number}"})
        assert (await refusal(call, type="tool.register", name="one-more"))["code"] == "too_large"
        await verdict(call, type="tool.register", name="t0", description="Again.")
        told = await call.model.expect(Reconfigured)
        assert len(told.config.tools) == 2 + MOST


async def test_a_tool_offered_again_replaces_itself_and_one_taken_back_is_gone() -> None:
    async with Screen() as desk:
        call = await desk.call()
        await offer(call)
        call.caller.send({"v": 1, "type": "tool.register", **PICK})
        await call.caller.message(type="tool.registered")
        await call.model.expect_nothing(for_s=1)
        await offer(call, {**PICK, "description": "Another way to say it."})
        await verdict(call, type="tool.unregister", name="pick_time")
        told = await call.model.expect(Reconfigured)
        assert [tool.name for tool in told.config.tools] == ["look_up", "ConfirmAction"]
        assert (await refusal(call, type="tool.unregister", name="pick_time"))["code"] == "unknown"


# --- calling ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "read"),
    [
        ("7 pm", "7 pm"),
        ({"time": "7 pm"}, '{"time": "7 pm"}'),
        ({"cancelled": True}, '{"cancelled": true}'),
        (None, "null"),
        ([1, "zwölf"], '[1, "zwölf"]'),
    ],
)
async def test_the_model_calls_and_the_page_gives_the_result(result: object, read: str) -> None:
    async with Screen() as desk:
        call = await desk.call()
        await offer(call)
        pending_id = await picking(call)
        assert call.request.pending_id == pending_id
        await respond(call, pending_id, result)
        over = await complete(call, pending_id)
        assert (over["by"], over["via"]) == ("ada", "card")
        sent = await call.model.expect(SentToolResult, text=read, failed=False)
        assert sent.name == "pick_time"
        await settle_down()
        [report] = desk.reports
        assert (report.outcome, report.door, report.delivered) == (OutcomeKind.SERVED, DoorName.PROVIDER_CALL, True)


async def test_the_first_result_wins_and_the_second_is_told_so() -> None:
    async with Screen() as desk:
        call = await desk.call()
        await offer(call)
        pending_id = await picking(call)
        await respond(call, pending_id, "7 pm")
        await complete(call, pending_id)
        await call.model.expect(SentToolResult, text="7 pm")
        refused = await refusal(call, type="tool.respond", pending_id=pending_id, result="8 pm")
        assert (refused["code"], refused["outcome"]) == (
            "duplicate",
            {"end": "answered", "by": "ada", "via": "card"},
        )


async def test_a_result_sent_again_under_its_key_is_the_same_result() -> None:
    async with Screen() as desk:
        call = await desk.call()
        await offer(call)
        pending_id = await picking(call)
        call.caller.watch("ok", "refused")
        message = {"v": 1, "type": "tool.respond", "pending_id": pending_id, "result": "7 pm", "key": "k"}
        call.caller.send({**message, "id": "1"})
        await call.caller.message(type="ok", id="1")
        await complete(call, pending_id)
        call.caller.send({**message, "id": "2"})
        await call.caller.message(type="ok", id="2")
        await call.model.expect(SentToolResult, text="7 pm")


async def test_arguments_that_do_not_fit_the_pages_schema_never_reach_it() -> None:
    async with Screen() as desk:
        call = await desk.call()
        await offer(call)
        call_id = call.model.call_tool("pick_time", {"day": 7})
        await call.caller.message(type="tool.status", status="inProgress")
        await call.caller.message(type="tool.status", call=call_id, status="complete", end="withdrawn")
        await call.model.expect(SentToolResult, failed=True)


async def test_arguments_that_do_not_fit_a_message_fail_the_call_and_nothing_is_left_open() -> None:
    async with Screen() as desk:
        call = await desk.call()
        await offer(call)
        call.model.call_tool("pick_time", {"day": "x" * 70_000})
        await call.caller.message(type="tool.status", status="inProgress")
        await call.caller.message(type="tool.status", status="complete", end="withdrawn")
        sent = await call.model.expect(SentToolResult, failed=True)
        assert "does not fit a message" in sent.text
        assert call.session.open_requests == []


@pytest.mark.parametrize(("reason", "read"), [("the picker broke", "the picker broke"), (None, "no reason was given")])
async def test_a_page_that_gives_a_call_up_is_an_error_with_its_reason_for_the_model(
    reason: str | None, read: str
) -> None:
    async with Screen() as desk:
        call = await desk.call()
        await offer(call)
        pending_id = await picking(call)
        given = {} if reason is None else {"reason": reason}
        await verdict(call, type="tool.abort", pending_id=pending_id, **given)
        over = await complete(call, pending_id, end="refused")
        assert (over["reason"] or None) == reason
        sent = await call.model.expect(SentToolResult, failed=True)
        assert f"gave 'pick_time' up: {read}" in sent.text


async def test_a_tool_taken_away_ends_its_open_call_and_is_called_no_more() -> None:
    async with Screen() as desk:
        call = await desk.call()
        await offer(call)
        pending_id = await picking(call)
        call.caller.send({"v": 1, "type": "tool.unregister", "name": "pick_time"})
        await complete(call, pending_id, end="refused")
        assert "it took the tool away" in (await call.model.expect(SentToolResult, failed=True)).text
        # The model has not heard yet.
        call_id = call.model.call_tool("pick_time", TOMORROW)
        await call.caller.message(type="tool.status", call=call_id, status="inProgress")
        await call.caller.message(type="tool.status", call=call_id, status="complete")
        assert "no longer" in (await call.model.expect(SentToolResult, failed=True)).text
        await call.model.expect(Reconfigured)


async def test_a_page_that_never_answers_is_bounded_by_the_persons_timeout() -> None:
    async with Screen(timeout=30) as desk:
        call = await desk.call()
        await offer(call)
        pending_id = await picking(call)
        await anyio.sleep(29)
        assert desk.reports == []
        await complete(call, pending_id, end="timed_out")
        assert "timed out after 30s" in (await call.model.expect(SentToolResult, failed=True)).text
        late = await refusal(call, type="tool.respond", pending_id=pending_id, result="7 pm")
        assert late["code"] == "late"


async def test_a_result_longer_than_the_model_takes_is_refused_and_the_call_stays_open() -> None:
    async with Screen(capabilities=ProviderCapabilities(reconfigures="in_place", max_result_chars=10)) as desk:
        call = await desk.call()
        await offer(call)
        pending_id = await picking(call)
        refused = await refusal(call, type="tool.respond", pending_id=pending_id, result="x" * 11)
        assert refused["code"] == "invalid"
        await respond(call, pending_id, "7 pm")
        await complete(call, pending_id)
        await call.model.expect(SentToolResult, text="7 pm")


async def test_a_call_that_the_model_gives_up_closes_what_the_page_shows() -> None:
    async with Screen() as desk:
        call = await desk.call()
        await offer(call)
        pending_id = await picking(call)
        call.model.emit(ToolCancelled(("call-1",)))
        await complete(call, pending_id, end="withdrawn")
        await settle_down()
        [report] = desk.reports
        assert report.outcome is OutcomeKind.CANCELLED


async def test_a_call_that_was_only_begun_is_over_on_the_page_too() -> None:
    async with Screen() as desk:
        call = await desk.call()
        await offer(call)
        call.model.emit(ToolCallStarted("c9", "pick_time"))
        await call.caller.message(type="tool.status", call="c9", status="inProgress")
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult)
        await call.caller.message(type="tool.status", call="c9", status="complete", end="withdrawn")


async def test_nobody_but_the_page_answers_for_it_and_an_answer_to_a_question_is_no_result() -> None:
    async with Screen() as desk:
        call = await desk.call()
        await offer(call)
        pending_id = await picking(call)
        settlement = await desk.human.handler.answer(pending_id, Answer("7 pm", by="an operator"))
        assert settlement == Settlement.NOT_ALLOWED
        approved = await desk.human.handler.answer(pending_id, Answer(by="ada", decision="approve"))
        assert approved.kind is SettlementKind.INVALID
        wire = {"action": "submit", "value": "7 pm"}
        refused = await refusal(call, type="request.answer", pending_id=pending_id, answer=wire)
        assert refused["code"] == "unknown"
        await respond(call, pending_id, "7 pm")
        await complete(call, pending_id)
        await call.model.expect(SentToolResult)


async def test_a_result_for_a_question_is_no_answer() -> None:
    async with Screen() as desk:
        call = await desk.call()
        await call.confirm()
        for message in ({"type": "tool.respond", "result": True}, {"type": "tool.abort"}):
            refused = await refusal(call, **message, pending_id=call.request.pending_id)
            assert refused["code"] == "unknown"
        await call.answer()
        await call.model.expect(SentToolResult)


async def test_two_calls_alike_are_two_calls() -> None:
    async with Screen() as desk:
        call = await desk.call()
        await offer(call)
        first = await picking(call)
        second = await picking(call)
        assert first != second
        await respond(call, second, "8 pm")
        await complete(call, second)
        await call.model.expect(SentToolResult, text="8 pm", call_id="call-2")
        await respond(call, first, "7 pm")
        await complete(call, first)
        await call.model.expect(SentToolResult, text="7 pm", call_id="call-1")


async def test_hooks_hear_of_it_as_of_any_request_and_may_block_it() -> None:
    async with Screen() as desk:
        seen: list[PendingInputEvent] = []

        async def block(event: PendingInputEvent, _ctx: HookContext) -> HookResult:
            seen.append(event)
            return HookResult.block("not now")

        desk.kit.hook(HookTrigger.ON_USER_INPUT_REQUIRED, HookExecution.SYNC)(block)
        call = await desk.call()
        await offer(call)
        pending_id = await picking(call)
        await complete(call, pending_id, end="blocked")
        assert "not now" in (await call.model.expect(SentToolResult, failed=True)).text
        assert [(event.tool_name, event.audience) for event in seen] == [("pick_time", ("caller",))]
        await settle_down()
        assert [event.end for event in desk.settled] == [RequestEnd.BLOCKED]


# --- leaving and coming back -----------------------------------------------------------------------------------------


async def test_a_hang_up_ends_the_call_of_a_tool_as_any_other() -> None:
    async with Screen() as desk:
        call = await desk.call()
        await offer(call)
        pending_id = await picking(call)
        call.caller.hang_up()
        await call.closed()
        [report] = desk.reports
        assert (report.outcome, report.delivered) == (OutcomeKind.CANCELLED, False)
        assert [event.end for event in desk.settled] == [RequestEnd.WITHDRAWN]
        settlement = await desk.human.handler.answer(pending_id, Answer("7 pm", by="ada"))
        assert settlement == Settlement.LATE


async def test_a_page_that_comes_back_finds_its_open_call_and_keeps_the_tools_it_offers_again() -> None:
    async with Screen() as desk:
        call = await desk.call()
        await offer(call)
        await offer(call, {"name": "other"})
        pending_id = await picking(call)
        call.caller.vanish()
        await settle_down(2)
        await call.caller.rejoin()
        await call.caller.message(type="tool.status", pending_id=pending_id, status="executing", arguments=TOMORROW)
        call.caller.send({"v": 1, "type": "tool.register", **PICK})
        await call.caller.message(type="tool.registered")
        await call.model.expect_nothing(for_s=REGISTERS_AGAIN_S - 1)
        told = await call.model.expect(Reconfigured)
        assert [tool.name for tool in told.config.tools] == ["look_up", "ConfirmAction", "pick_time"]
        await respond(call, pending_id, "7 pm")
        await complete(call, pending_id)
        await call.model.expect(SentToolResult, text="7 pm")


async def test_a_page_that_comes_back_without_its_tools_gives_their_calls_up() -> None:
    async with Screen() as desk:
        call = await desk.call()
        await offer(call)
        pending_id = await picking(call)
        call.caller.vanish()
        await settle_down(1)
        await call.caller.rejoin()
        await call.caller.message(type="tool.status", pending_id=pending_id, status="executing")
        await complete(call, pending_id, end="refused")
        sent = await call.model.expect(SentToolResult, failed=True)
        assert "does not offer the tool any more" in sent.text
        await call.model.expect(Reconfigured)


async def test_a_page_that_comes_back_twice_has_all_the_time_again_to_offer_its_tools() -> None:
    async with Screen() as desk:
        call = await desk.call()
        await offer(call)
        for _ in range(2):
            call.caller.vanish()
            await settle_down(1)
            await call.caller.rejoin()
            await settle_down(REGISTERS_AGAIN_S - 2)
        call.caller.send({"v": 1, "type": "tool.register", **PICK})
        await call.caller.message(type="tool.registered", name="pick_time")
        await settle_down(2 * REGISTERS_AGAIN_S)
        pending_id = await picking(call)
        await respond(call, pending_id, "7 pm")
        await complete(call, pending_id)
        await call.model.expect(SentToolResult, text="7 pm")


async def test_a_page_that_comes_back_is_told_what_ended_meanwhile() -> None:
    async with Screen(timeout=3) as desk:
        call = await desk.call()
        await offer(call)
        pending_id = await picking(call)
        call.caller.vanish()
        await settle_down(5)
        await call.model.expect(SentToolResult, failed=True)
        await call.caller.rejoin()
        await complete(call, pending_id, end="timed_out")


async def test_a_page_that_comes_back_is_told_of_the_last_that_ended_and_of_no_more() -> None:
    async with Screen() as desk:
        call = await desk.call()
        await offer(call)
        ended: list[str] = []
        for _ in range(REMEMBERED + 1):
            ended.append(await picking(call))
            await respond(call, ended[-1], "noon")
            await complete(call, ended[-1])
            await call.model.expect(SentToolResult)
        call.caller.vanish()
        await settle_down(1)
        await call.caller.rejoin()
        for pending_id in ended[1:]:
            await complete(call, pending_id)
        await call.caller.expect_nothing(for_s=1)


# --- beside it -------------------------------------------------------------------------------------------------------


async def test_a_reconfigured_session_keeps_the_pages_tools_unless_the_host_takes_their_name() -> None:
    async with Screen() as desk:
        call = await desk.call()
        await offer(call)
        await desk.channel.reconfigure_session(call.session, system_prompt="Be brief.")
        told = await call.model.expect(Reconfigured)
        assert [tool.name for tool in told.config.tools] == ["look_up", "ConfirmAction", "pick_time"]
        call.caller.watch("refused")
        await desk.channel.reconfigure_session(call.session, tools=(AITool("pick_time", "The host's own."),))
        await call.caller.message(type="refused", code="not_allowed")
        told = await call.model.expect(Reconfigured)
        assert [tool.description for tool in told.config.tools if tool.name == "pick_time"] == ["The host's own."]
        call_id = call.model.call_tool("pick_time")
        sent = await call.model.expect(SentToolResult, call_id=call_id, failed=False)
        assert json.loads(sent.text)["by"] == "pick_time"


async def test_a_model_that_refuses_the_tools_is_logged_and_the_call_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    async with Screen() as desk:
        call = await desk.call()
        call.model.raise_on(Reconfigured)
        await offer(call)
        await settle_down(BURST_S)
        assert "could not be told of the page's tools" in caplog.text
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult, failed=False)


async def test_a_new_connection_to_the_model_is_told_of_the_tools_where_it_cannot_be_in_place() -> None:
    async with Screen(capabilities=ProviderCapabilities(reconfigures="reconnects")) as desk:
        call = await desk.call()
        call.caller.send({"v": 1, "type": "tool.register", **PICK})
        await call.caller.message(type="tool.registered")
        model = await desk.provider.connected()
        assert model.config.tools[-1].name == "pick_time"


async def test_what_could_not_work_is_an_error_where_the_channel_is_made() -> None:
    human = HumanInputToolHandler({"ask"})
    transport = LoopbackTransport()
    can, cannot = ScriptedProvider(capabilities=CAN), ScriptedProvider()
    with pytest.raises(ValueError, match="human_input_handler"):
        RealtimeVoiceChannel("v", provider=can, transport=transport, frontend_tools=True)
    with pytest.raises(ValueError, match="can change"):
        RealtimeVoiceChannel("v", provider=cannot, transport=transport, frontend_tools=True, human_input_handler=human)
    with pytest.raises(ValueError, match="collection of names"):
        RealtimeVoiceChannel("v", provider=can, transport=transport, frontend_tools="pick", human_input_handler=human)
