"""What the caller says to the model of what somebody else is being asked."""

import json

import pytest

from tests.channels.desk import Call, Desk
from tests.channels.kept import settle_down
from tests.human_input.told import ScriptedAsker
from voice_hitl.askers.card import CardAsker
from voice_hitl.enums import RequestEnd
from voice_hitl.provider import Transcript
from voice_hitl.testing import SentToolResult
from voice_hitl.tools.definition import AITool

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

BOOK = AITool("book", "Book.", requires_approval=True, approvers=("supervisors",))


async def say(call: Call, text: str) -> None:
    call.model.emit(Transcript("user", text, final=True, item_id="u1"))
    await settle_down()


@pytest.mark.parametrize("words", ["Never mind.", "Oh, never mind, thanks."])
async def test_never_mind_calls_off_what_somebody_else_is_asked(words: str) -> None:
    asker = ScriptedAsker()
    async with Desk(askers=[asker]) as desk:
        call = await desk.call()
        await call.confirm()
        request = call.request
        await say(call, words)
        assert request.end is RequestEnd.WITHDRAWN
        assert asker.notes[-1] == "gone"
        await call.model.expect(SentToolResult, text='{"error": "The tool call failed (RuntimeError)."}')


async def test_of_a_gated_call_the_model_reads_that_nothing_was_executed() -> None:
    async with Desk(askers=[ScriptedAsker()], tools=[BOOK]) as desk:
        call = await desk.call()
        call.model.call_tool("book")
        await settle_down()
        await say(call, "Never mind.")
        sent = await call.model.expect(SentToolResult, failed=True)
        assert json.loads(sent.text)["error"].endswith("Nothing was executed.")


@pytest.mark.parametrize("words", ["Never mind the terrace.", "I never mind waiting.", "No.", "Okay."])
async def test_other_words_call_nothing_off(words: str) -> None:
    async with Desk(askers=[ScriptedAsker()]) as desk:
        call = await desk.call()
        await call.confirm()
        await say(call, words)
        await call.answer()
        await call.model.expect(SentToolResult, failed=False)


async def test_what_the_caller_is_asked_themselves_is_not_called_off() -> None:
    async with Desk(askers=[CardAsker()]) as desk:
        call = await desk.call()
        await call.confirm()
        await say(call, "Never mind.")
        await call.answer()
        await call.model.expect(SentToolResult, failed=False)


async def test_of_two_it_is_not_known_which_is_meant() -> None:
    async with Desk(askers=[ScriptedAsker()]) as desk:
        call = await desk.call()
        await call.confirm()
        call.model.call_tool("ConfirmAction", {"action": "Book another."})
        await settle_down()
        await say(call, "Never mind.")
        assert len(call.session.open_requests) == 2
        for request in call.session.open_requests:
            assert desk.human.handler.resolve(request.pending_id, "yes")
            await call.model.expect(SentToolResult, failed=False)
