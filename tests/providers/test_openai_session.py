"""A whole call on OpenAI's wire: channel, session, provider, SDK and socket are the real ones."""

import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager

import anyio
import pytest

from voice_hitl.askers.card import CardAsker
from voice_hitl.channels.voice import RealtimeVoiceChannel
from voice_hitl.enums import HookExecution, HookTrigger
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.testing import LoopbackCaller, LoopbackTransport
from voice_hitl.testing.openai_realtime import (
    Call,
    OpenAIRealtimeServer,
    RealtimeServerSession,
    Say,
    Step,
    Turn,
)
from voice_hitl.tools.asking import confirm_action
from voice_hitl_openai import OpenAIRealtimeProvider

pytestmark = pytest.mark.anyio


class Desk:
    """A desk that answers the phone with OpenAI's model."""

    def __init__(self, server: OpenAIRealtimeServer) -> None:
        self.server = server
        self.transport = LoopbackTransport()
        self.human = HumanInputToolHandler(
            {"ConfirmAction"}, timeout=60, tool_definitions=[confirm_action()], askers=[CardAsker()]
        )
        self.kit = VoiceKit()
        self.kit.register_channel(
            RealtimeVoiceChannel(
                "voice",
                provider=OpenAIRealtimeProvider(api_key=server.api_key, base_url=server.base_url),
                transport=self.transport,
                human_input_handler=self.human,
            )
        )
        self.reports: list[ToolCallEvent] = []
        self.reported = anyio.Event()

        @self.kit.hook(HookTrigger.ON_TOOL_CALL, HookExecution.ASYNC)
        async def report(event: ToolCallEvent, _ctx: HookContext) -> None:
            self.reports.append(event)
            self.reported.set()

    async def session(self, number: int) -> RealtimeServerSession:
        with anyio.fail_after(20):
            return await self.server.session(number)


@asynccontextmanager
async def desk(answer: Callable[[Turn], Sequence[Step]]) -> AsyncGenerator[tuple[Desk, LoopbackCaller]]:
    async with OpenAIRealtimeServer(speed=50) as server:
        server.on_turn(answer)
        it = Desk(server)
        caller = it.transport.caller(participant_id="ada", room_id="desk")
        caller.ignore("transcript", "state", "request.changed", "request.settled", "ok")
        await caller.dial()
        yield it, caller
        caller.hang_up()
        await it.kit.close()


def ask_once(turn: Turn) -> Sequence[Step]:
    if turn.outputs or not turn.heard:
        return [Say("Thank you.")]
    return [Say("One moment."), Call("ConfirmAction", {"action": "Book a table for four."}, call_id="call_1")]


async def has(session: RealtimeServerSession, kind: str) -> None:
    with anyio.fail_after(20):
        await session.until(lambda: any(item["type"] == kind for item in session.items))


def outputs(session: RealtimeServerSession) -> list[object]:
    return [item["output"] for item in session.items if item["type"] == "function_call_output"]


async def opened(caller: LoopbackCaller) -> object:
    """The id of the request whose card is open."""
    await caller.message(type="request.opened", status="inProgress", within_s=20)
    card = await caller.message(type="request.opened", status="executing", within_s=20)
    return card["pending_id"]


async def answer(it: Desk, caller: LoopbackCaller, pending_id: object) -> None:
    yes = {"action": "answer", "value": True}
    caller.send({"v": 1, "type": "request.answer", "id": "1", "pending_id": pending_id, "key": "k", "answer": yes})
    with anyio.fail_after(20):
        await it.reported.wait()


async def test_a_person_answers_and_the_model_hears_it_once() -> None:
    async with desk(ask_once) as (it, caller):
        session = await it.session(0)
        session.caller_says("a table for four")
        pending_id = await opened(caller)
        await answer(it, caller, pending_id)
        with anyio.fail_after(20):
            await session.received("response.create")
        assert [json.loads(str(output)) for output in outputs(session)] == [{"confirmed": True, "via": "card"}]
        assert [(report.delivered, report.delivered_as) for report in it.reports] == [(True, "output")]


async def test_a_request_stays_open_across_two_sessions_of_the_model_and_its_answer_arrives_once() -> None:
    async with desk(ask_once) as (it, caller):
        first = await it.session(0)
        first.caller_says("a table for four")
        pending_id = await opened(caller)
        first.expire()
        second = await it.session(1)
        await has(second, "function_call")
        second.expire()
        third = await it.session(2)
        await has(third, "function_call")
        await answer(it, caller, pending_id)
        await has(third, "function_call_output")
        assert [json.loads(str(output)) for output in outputs(third)] == [{"confirmed": True, "via": "card"}]
        assert [outputs(session) for session in it.server.sessions[:2]] == [[], []]
        assert [(report.delivered, report.delivered_as) for report in it.reports] == [(True, "output")]
