"""Honest while it waits: the note that tells the model that nothing has been done."""

import json
import re

import pytest

from tests.channels.desk import CONFIRM, Call, Desk
from tests.channels.kept import settle_down
from voice_hitl.channels.waiting import waiting_note
from voice_hitl.questions.answer import Answer
from voice_hitl.testing import Forgot, Injected, Responded, ScriptedConnection, SentToolResult
from voice_hitl.tools.definition import AITool

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

NOTE = re.compile("waiting for a person")
REFUND = AITool("refund", "Refund.", requires_approval=True, approvers=("ada",))


async def watched(desk: Desk) -> Call:
    call = await desk.call()
    call.model.watch(Injected, Forgot)
    return call


async def replaced(call: Call) -> ScriptedConnection:
    call.model.drop()
    return await call.desk.provider.connected()


def test_the_note_says_that_nothing_was_done_and_shows_no_wire_shape() -> None:
    note = waiting_note("ConfirmAction")
    for said in ("waiting for a person", "Nothing has been done", "do not say or imply", "do not call ConfirmAction"):
        assert said in note
    assert not set("{}[]<>") & set(note)


async def test_it_is_told_silently_and_taken_back_when_the_answer_has_come() -> None:
    async with Desk() as desk:
        call = await watched(desk)
        await call.confirm()
        note = await call.model.expect(Injected, text=NOTE, role="system", silent=True)
        await call.model.expect_nothing(for_s=10)
        await call.answer()
        await call.model.expect(SentToolResult)
        await call.model.expect(Forgot, item_id=note.item_id)


async def test_it_is_taken_back_when_the_call_was_approved_not_when_its_handler_has_ended() -> None:
    async def slow(_name: str, _arguments: object) -> object:
        await settle_down(5)
        return "refunded"

    async with Desk(tools=[REFUND], handler=slow) as desk:
        call = await watched(desk)
        call.model.call_tool("refund")
        note = await call.model.expect(Injected, text=NOTE)
        await desk.human.handler.answer(call.request.pending_id, Answer(by="ada", decision="approve"))
        await call.model.expect(Forgot, item_id=note.item_id, within_s=1)
        await call.model.expect(SentToolResult, text="refunded")


async def test_a_call_that_waits_for_nobody_has_none() -> None:
    async with Desk() as desk:
        call = await watched(desk)
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult)
        await call.model.expect_nothing(for_s=1)


async def test_a_new_connection_is_told_it_once_more() -> None:
    async with Desk() as desk:
        call = await watched(desk)
        await call.confirm()
        await call.model.expect(Injected, text=NOTE)
        second = await replaced(call)
        note = await second.expect(Injected, text=NOTE)
        await call.answer()
        await second.expect(Injected, text=re.compile("result of your earlier call"))
        await second.expect(Responded)
        await second.expect(Forgot, item_id=note.item_id)


async def test_one_that_was_being_told_when_the_connection_dropped_is_told_once_to_the_next() -> None:
    async with Desk() as desk:
        call = await watched(desk)
        call.model.hang(Injected)
        await call.confirm()
        await call.model.expect(Injected, text=NOTE)
        second = await replaced(call)
        await second.expect(Injected, text=NOTE)
        await second.expect_nothing(for_s=5)


async def test_one_that_waits_for_a_connection_is_told_once() -> None:
    async with Desk() as desk:
        call = await watched(desk)
        desk.provider.refuse(times=1)
        call.model.drop()
        await settle_down(0.1)
        running = call.session.pipeline.arrive("c9", "ConfirmAction", json.dumps(CONFIRM), "r9")
        assert running is not None
        await settle_down()
        second = await desk.provider.connected()
        await second.expect(Injected, text=NOTE)
        await second.expect_nothing(for_s=5)


async def test_a_model_that_refuses_it_is_asked_for_nothing_more() -> None:
    async with Desk() as desk:
        call = await watched(desk)
        call.model.raise_on(Injected)
        await call.confirm()
        await call.model.expect(Injected)
        await call.answer()
        await call.model.expect(SentToolResult)
        await call.model.expect_nothing(for_s=1)
