"""What a full-duplex model hands over: who works on it, its calls, and its bound."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace

import anyio
import pytest

from tests.channels.delegated import CONFIRMS, DELETE, LIVE, LOOKS_UP, Backend, calls, desk, hand_over, said, tells
from tests.channels.desk import Desk
from tests.channels.kept import LOOK_UP, settle_down
from voice_hitl.enums import ChannelType, DoorName, HookTrigger, OutcomeKind, RequestEnd
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext, HookResult
from voice_hitl.reasoning import ReasoningOutput, ReasoningRequest, SpokenLine
from voice_hitl.tasks import Latch
from voice_hitl.testing import DelegationOutput, Forgot, Injected, Reconfigured
from voice_hitl.tools.calls import AIToolCall
from voice_hitl.tools.policy import ToolPolicy

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


# --- serving ---------------------------------------------------------------------------------------------------------


async def test_what_is_handed_over_is_worked_on_and_its_outputs_go_back_in_order() -> None:
    async def work(_request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        yield ReasoningOutput("One moment.")
        yield ReasoningOutput("the forecast is from noon", spoken=False)
        yield ReasoningOutput("It is sunny.", is_final=True)

    async with desk(work) as it:
        call = await it.call()
        await hand_over(call)
        await call.model.expect(DelegationOutput, text="One moment.", spoken=True, final=False)
        await call.model.expect(DelegationOutput, text="the forecast is from noon", spoken=False, final=False)
        await call.model.expect(DelegationOutput, text="It is sunny.", spoken=True, final=True)
        await settle_down(5)
        assert it.errors == []


async def test_a_backend_that_ends_without_a_last_output_ends_the_delegation_all_the_same() -> None:
    async def work(_request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        yield ReasoningOutput("It is sunny.")

    async with desk(work) as it:
        call = await it.call()
        await hand_over(call)
        await call.model.expect(DelegationOutput, text="It is sunny.", final=False)
        await call.model.expect(DelegationOutput, text="", final=True, spoken=False)


async def test_what_is_no_unicode_in_an_output_holds_none_up() -> None:
    async def work(_request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        yield ReasoningOutput("caf\udce9")
        yield ReasoningOutput("It is open.", is_final=True)

    async with desk(work) as it:
        call = await it.call()
        await hand_over(call)
        await call.model.expect(DelegationOutput, text="caf?")
        await call.model.expect(DelegationOutput, text="It is open.", final=True)


async def test_a_request_says_what_was_said_since_the_last_one_and_whether_it_is_the_first() -> None:
    backend = Backend()
    async with Desk(capabilities=LIVE, reasoning_backend=backend) as it:
        call = await it.call(role="guest")
        call.model.emit(said("Is it sunny?"), said("Let me see.", by="assistant", item="i2"))
        await hand_over(call)
        call.model.emit(said("And tomorrow?", item="i3"))
        await hand_over(call, "d2")
        for _ in range(2):
            await call.model.expect(DelegationOutput)
        first, second = backend.requests
        assert first.lines == (SpokenLine("user", "Is it sunny?"), SpokenLine("assistant", "Let me see."))
        assert second.lines == (SpokenLine("user", "And tomorrow?"),)
        assert (first.is_first, second.is_first) == (True, False)
        assert (first.session.id, first.session.participant_id) == (call.session.id, "ada")
        assert (first.role, first.delegation_id, second.delegation_id) == ("guest", "d1", "d2")


async def test_a_request_names_the_tools_that_are_admitted_and_the_refused_ones_with_their_refusal() -> None:
    backend = Backend(calls(AIToolCall("c1", "delete_all", {})))
    async with Desk(capabilities=LIVE, reasoning_backend=backend, tools=(LOOK_UP, DELETE)) as it:
        call = await it.call(tool_policy=ToolPolicy(deny=["delete_*"]))
        await hand_over(call)
        output = await call.model.expect(DelegationOutput, final=True)
        (request,) = backend.requests
        assert [tool.name for tool in request.tools] == ["look_up", "ConfirmAction"]
        assert request.refused.keys() == {"delete_all"}
        assert json.loads(output.text) == {"error": request.refused["delete_all"]}


async def test_what_comes_twice_is_served_once_and_what_is_not_ours_never() -> None:
    async with desk() as it:
        call = await it.call()
        await hand_over(call)
        await hand_over(call)
        await hand_over(call, "d2", target="responses")
        await call.model.expect(DelegationOutput, delegation_id="d1")
        await call.model.expect_nothing(for_s=5)


async def test_what_is_handed_over_to_nobody_is_only_logged(caplog: pytest.LogCaptureFixture) -> None:
    async with Desk(capabilities=LIVE) as it:
        assert "nobody works on what it hands over" in caplog.text
        call = await it.call()
        await hand_over(call)
        await call.model.expect_nothing(for_s=5)
    assert "has no reasoning backend" in caplog.text


async def test_a_backend_for_a_model_that_hands_nothing_over_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    async with Desk(reasoning_backend=Backend()):
        assert "it hands nothing over" in caplog.text


def test_a_bound_of_no_time_is_refused() -> None:
    with pytest.raises(ValueError, match="more than 0 seconds"):
        desk(timeout_s=0)


# --- its calls -------------------------------------------------------------------------------------------------------


async def test_a_call_runs_as_the_sessions_own_and_returns_its_result() -> None:
    async with desk(calls(LOOKS_UP)) as it:
        call = await it.call()
        await hand_over(call)
        await call.model.expect(DelegationOutput, text='{"found": "menu", "by": "look_up"}', final=True)
        await settle_down()
        (report,) = it.reports
        assert (report.door, report.channel_type) == (DoorName.DELEGATION, ChannelType.REALTIME_VOICE)
        assert (report.tool_call_id, report.outcome) == ("d1_c1", OutcomeKind.SERVED)
        assert (report.delivered, report.delivered_as, report.actor_id) == (True, "output", "ada")


async def test_a_person_is_asked_from_the_first_moment_on_and_the_answer_is_returned() -> None:
    async with desk(calls(CONFIRMS)) as it:
        call = await it.call()
        call.model.watch(Injected, Forgot)
        await hand_over(call)
        assert (call.request.door, call.request.tool_call_id) == (DoorName.DELEGATION, "d1_c1")
        note = await call.model.expect(Injected, role="system", silent=True)
        assert "Nothing has been done yet" in note.text
        await call.answer()
        await call.model.expect(Forgot, item_id=note.item_id)
        await call.model.expect(DelegationOutput, text='{"confirmed": true, "via": "api"}', final=True)


async def test_every_call_goes_through_the_gate() -> None:
    work = calls(
        AIToolCall("c1", "look_up", '{"q": 5}'), AIToolCall("c2", "look_up", "{cut"), AIToolCall("c3", "nothing", {})
    )
    async with desk(work) as it:

        @it.kit.hook(HookTrigger.BEFORE_TOOL_USE)
        async def refuse(event: ToolCallEvent, _ctx: HookContext) -> HookResult | None:
            raise AssertionError(f"{event.tool_name} came past its refusal")

        call = await it.call()
        await hand_over(call)
        await call.model.expect(DelegationOutput, final=True)
        await settle_down()
        assert {report.outcome for report in it.reports} == {OutcomeKind.REFUSED}
        assert len(it.reports) == 3


async def test_a_call_passes_the_gate_that_the_session_has_when_it_is_made() -> None:
    goes_on = Latch()

    async def work(request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        await goes_on.wait()
        yield ReasoningOutput(await request.execute_tool_call(LOOKS_UP), is_final=True)

    in_place = replace(LIVE, reconfigures="in_place")
    async with Desk(capabilities=in_place, reasoning_backend=Backend(work)) as it:
        call = await it.call()
        call.model.ignore(Reconfigured)
        await hand_over(call)
        await it.channel.reconfigure_session(call.session, tool_policy=ToolPolicy(deny=["look_*"]))
        goes_on.set()
        await call.model.expect(DelegationOutput, text='{"error": "There is no tool named \'look_up\'."}')


async def test_the_same_id_again_in_one_response_is_the_same_call() -> None:
    async with desk(calls(LOOKS_UP, LOOKS_UP)) as it:
        call = await it.call()
        await hand_over(call)
        once = '{"found": "menu", "by": "look_up"}'
        await call.model.expect(DelegationOutput, text=f"{once} | {once}")
        await settle_down()
        assert len(it.reports) == 1


async def test_an_id_of_an_earlier_response_names_a_new_call() -> None:
    async def work(request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        for number, q in enumerate(("menu", "hours")):
            text = await request.execute_tool_call(AIToolCall("c0", "look_up", {"q": q}), response_id=f"r{number}")
            yield ReasoningOutput(text)

    async with desk(work) as it:
        call = await it.call()
        await hand_over(call)
        await call.model.expect(DelegationOutput, text='{"found": "menu", "by": "look_up"}')
        await call.model.expect(DelegationOutput, text='{"found": "hours", "by": "look_up"}')
        await call.model.expect(DelegationOutput, final=True)
        await settle_down()
        assert len(it.reports) == 2


async def test_a_call_without_an_id_is_refused_and_told_so() -> None:
    async with desk(calls(AIToolCall("", "look_up", {}))) as it:
        call = await it.call()
        await hand_over(call)
        await call.model.expect(DelegationOutput, text='{"error": "This call was not run: it has no id."}')
        await settle_down()
        assert [report.delivered for report in it.reports] == [False]


async def test_a_backend_that_gives_its_call_up_withdraws_what_is_asked() -> None:
    async def work(request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        with anyio.move_on_after(5):
            await request.execute_tool_call(CONFIRMS)
        yield ReasoningOutput("Never mind.", is_final=True)

    async with desk(work) as it:
        call = await it.call()
        await hand_over(call)
        await call.model.expect(DelegationOutput, text="Never mind.")
        await settle_down()
        assert [event.end for event in it.settled] == [RequestEnd.WITHDRAWN]
        assert [report.outcome for report in it.reports] == [OutcomeKind.CANCELLED]


async def test_giving_up_a_call_under_an_id_in_use_leaves_the_call_that_has_it() -> None:
    async def work(request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        async with anyio.create_task_group() as group:
            group.start_soon(request.execute_tool_call, CONFIRMS)
            await settle_down()
            with anyio.CancelScope() as given_up:
                given_up.cancel()
                await request.execute_tool_call(CONFIRMS, response_id="another")
        yield ReasoningOutput("Done.", is_final=True)

    async with desk(work) as it:
        call = await it.call()
        await hand_over(call)
        await settle_down()
        await call.answer()
        await call.model.expect(DelegationOutput, text="Done.")
        await settle_down()
        assert [report.outcome for report in it.reports] == [OutcomeKind.REFUSED, OutcomeKind.SERVED]


# --- its bound -------------------------------------------------------------------------------------------------------


async def test_the_bound_does_not_run_while_a_person_is_asked() -> None:
    async def work(request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        await anyio.sleep(5)
        await request.execute_tool_call(CONFIRMS)
        await anyio.sleep(6)
        yield ReasoningOutput("too late", is_final=True)

    async with desk(work, timeout_s=10) as it:
        call = await it.call()
        await hand_over(call)
        await settle_down(45)
        await call.answer()
        await settle_down(4)
        await call.model.expect_nothing(for_s=0)
        await settle_down(1)
        await tells(call, "timed_out")


async def test_nor_does_that_of_another_delegation_which_may_wait_behind_it() -> None:
    async def work(request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        if request.is_first:
            await request.execute_tool_call(CONFIRMS)
        else:
            await anyio.sleep(30)
        yield ReasoningOutput(request.delegation_id, is_final=True)

    async with desk(work, timeout_s=10) as it:
        call = await it.call()
        await hand_over(call)
        await hand_over(call, "d2")
        await call.model.expect(DelegationOutput, text="d2", within_s=31)
        await call.answer()
        await call.model.expect(DelegationOutput, text="d1")


async def test_at_the_bound_a_sentence_is_said_and_what_runs_is_cut() -> None:
    async with desk(calls(AIToolCall("c1", "look_up", {})), timeout_s=3) as it:
        slow = Latch()

        async def hang(_name: str, _arguments: object) -> None:
            await slow.wait()

        it.channel.tool_handler = hang
        call = await it.call()
        await hand_over(call)
        await settle_down(3)
        await tells(call, "timed_out")
        assert [report.outcome for report in it.reports] == [OutcomeKind.CANCELLED]
        assert it.errors == []
