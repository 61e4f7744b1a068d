"""A provider that waits less long for an output than a person may take."""

import re
from collections.abc import Mapping

import anyio
import pytest
from pydantic import TypeAdapter

from tests.channels.desk import Desk
from tests.channels.kept import settle_down
from voice_hitl.calls.call import CallEvent, ToolCall
from voice_hitl.channels.interim import interim_text
from voice_hitl.provider import ProviderCapabilities
from voice_hitl.questions.answer import Answer
from voice_hitl.testing import Forgot, Injected, Responded, SentToolResult
from voice_hitl.tools.definition import AITool

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

BOUND = ProviderCapabilities(owes_output_within_s=10)
RESULT = re.compile("result of your earlier call of the tool ConfirmAction")


def test_it_says_that_nothing_was_done_unless_it_was_approved() -> None:
    call = ToolCall("c1", "refund", "{}", "r1", 0)
    call.move(CallEvent.ASK)
    assert "Nothing has been done yet" in interim_text(call)
    call.move(CallEvent.SERVE)
    assert "Nothing has been done" not in interim_text(call)
    assert "still running" in interim_text(call)


async def test_it_gets_one_output_in_time_and_the_answer_as_text() -> None:
    async with Desk(capabilities=BOUND) as desk:
        call = await desk.call()
        call_id = await call.confirm()
        await call.model.expect_nothing(for_s=7.9)
        call.model.watch(Responded)
        still = re.compile("still waiting for a person.*Nothing has been done", re.DOTALL)
        await call.model.expect(SentToolResult, call_id=call_id, failed=False, text=still, within_s=0.2)
        await call.model.expect(Responded)
        assert call.request.end is None
        await settle_down(20)
        call.model.watch(Injected)
        await call.answer()
        await call.model.expect(Injected, text=RESULT)
        await call.model.expect(Responded)
        call.model.ignore(Forgot)
        await settle_down()
        assert [(report.delivered, report.delivered_as) for report in desk.reports] == [(True, "text")]


async def test_an_answer_in_time_needs_none() -> None:
    async with Desk(capabilities=BOUND) as desk:
        call = await desk.call()
        call_id = await call.confirm()
        await settle_down(5)
        await call.answer()
        await call.model.expect(SentToolResult, call_id=call_id, text=re.compile("confirmed"))
        await call.model.expect_nothing(for_s=20)


async def test_an_answer_while_it_is_being_sent_comes_after_it() -> None:
    async with Desk(capabilities=BOUND) as desk:
        call = await desk.call()
        await call.confirm()
        call.model.hang(SentToolResult)
        await call.model.expect(SentToolResult, within_s=9)
        call.model.watch(Injected)
        await call.answer()
        await call.model.expect_nothing(for_s=1)
        call.model.mend(SentToolResult)
        await call.model.expect(Injected, text=RESULT)


async def test_one_that_the_connection_drops_leaves_the_call_owed() -> None:
    async with Desk(capabilities=BOUND) as desk:
        call = await desk.call()
        call_id = await call.confirm()
        call.model.hang(SentToolResult)
        await call.model.expect(SentToolResult, within_s=9)
        call.model.drop()
        second = await desk.provider.connected()
        second.ignore(Injected, Forgot, Responded)
        assert [owed["call_id"] for owed in owed_calls(second.config.metadata)] == [call_id]
        await call.answer()
        await settle_down()
        assert [report.delivered_as for report in desk.reports] == ["text"]


async def test_one_that_was_sent_is_owed_to_no_other_connection() -> None:
    async with Desk(capabilities=BOUND) as desk:
        call = await desk.call()
        await call.confirm()
        await call.model.expect(SentToolResult, within_s=9)
        call.model.drop()
        second = await desk.provider.connected()
        second.ignore(Injected, Forgot, Responded)
        assert owed_calls(second.config.metadata) == []
        assert call.request.end is None


async def test_a_call_that_was_approved_and_still_runs_says_so() -> None:
    async def slow(_name: str, _arguments: object) -> object:
        await anyio.sleep(9)
        return "refunded"

    tool = AITool("refund", "Refund.", requires_approval=True, approvers=("ada",))
    async with Desk(capabilities=BOUND, tools=[tool], handler=slow) as desk:
        call = await desk.call()
        call.model.call_tool("refund")
        await settle_down(5)
        await desk.human.handler.answer(call.request.pending_id, Answer(by="ada", decision="approve"))
        await call.model.expect(SentToolResult, text=re.compile("approved and is still running"))
        call.model.watch(Injected)
        await call.model.expect(Injected, text=re.compile("refunded"))


async def test_a_provider_without_a_bound_is_not_hurried() -> None:
    async with Desk(timeout=500) as desk:
        call = await desk.call()
        await call.confirm()
        await call.model.expect_nothing(for_s=400)


def owed_calls(metadata: Mapping[str, object]) -> list[dict[str, object]]:
    return TypeAdapter(list[dict[str, object]]).validate_python(metadata["owed_calls"])
