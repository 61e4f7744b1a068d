"""One live call: what it does with its events."""

import json
import re
from collections.abc import Mapping

import pytest

from tests.channels.desk import Desk, look_up
from tests.channels.kept import LOOK_UP, settle_down
from voice_hitl.enums import HookTrigger
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext
from voice_hitl.provider import (
    AudioOut,
    ProviderCapabilities,
    ResponseEnded,
    ResponseStarted,
    SpeechStarted,
    SpeechStopped,
    ToolCalled,
    ToolCallStarted,
)
from voice_hitl.testing import Forgot, Injected, Interrupted, Responded, Said, SentAudio, SentToolResult
from voice_hitl.tools.definition import AITool

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


SECOND = bytes(24_000 * 2)


# --- going on --------------------------------------------------------------------------------------------------------


async def test_the_model_is_asked_on_once_for_a_response_whether_it_ended_before_or_after_the_output() -> None:
    async with Desk() as desk:
        call = await desk.call(quiet=False)
        call.model.emit(ResponseStarted("r1"), ToolCalled("c1", "look_up", "{}", "r1"))
        await call.model.expect(SentToolResult, call_id="c1")
        await call.model.expect_nothing(for_s=1)
        call.model.emit(ResponseEnded("r1"))
        await call.model.expect(Responded)
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult)
        await call.model.expect(Responded)
        await call.model.expect_nothing(for_s=5)


async def test_it_is_not_asked_on_while_the_caller_speaks() -> None:
    async with Desk() as desk:
        call = await desk.call(quiet=False)
        call.model.emit(SpeechStarted())
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult)
        await call.model.expect_nothing(for_s=2)
        call.model.emit(SpeechStopped())
        await call.model.expect(Responded)


async def test_a_model_never_waits_for_a_person_to_hear_of_a_look_up() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.watch(Responded)
        call.model.emit(
            ResponseStarted("r1"),
            ToolCalled("c1", "ConfirmAction", json.dumps({"action": "Book."}), "r1"),
            ToolCalled("c2", "look_up", "{}", "r1"),
            ResponseEnded("r1"),
        )
        await call.model.expect(SentToolResult, call_id="c2")
        await call.model.expect(Responded)
        await call.answer()
        await call.model.expect(SentToolResult, call_id="c1")
        await call.model.expect(Responded)


async def test_a_provider_that_replies_to_results_is_not_asked() -> None:
    async with Desk(capabilities=ProviderCapabilities(replies_to_results=True)) as desk:
        call = await desk.call(quiet=False)
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult)
        await call.model.expect_nothing(for_s=5)


async def test_a_model_that_refuses_or_hangs_to_go_on_holds_nothing_up() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.raise_on(Responded, ProviderError("busy"))
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult)
        call.model.mend(Responded)
        call.model.hang(Responded)
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult)
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult)
        await settle_down()
        assert len(desk.reports) == 3
        assert all(report.delivered for report in desk.reports)


# --- barge-in --------------------------------------------------------------------------------------------------------


async def test_the_caller_barges_in_the_voice_stops_and_what_was_not_heard_is_forgotten() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.watch(Forgot)
        call.model.emit(ResponseStarted("r1"), AudioOut(SECOND, "i1", 0, "r1"), AudioOut(SECOND, "i2", 0, "r1"))
        await call.caller.hears(300, item="i1")
        call.model.emit(SpeechStarted())
        cut = await call.model.expect(Interrupted, response_id="r1", item_id="i1")
        assert 300 <= cut.played_ms <= 340
        await call.model.expect(Forgot, item_id="i2")
        heard = call.caller.heard.total()
        call.model.emit(AudioOut(SECOND, "i2", 0, "r1"), ResponseEnded("r1", "cancelled"), SpeechStopped())
        await settle_down(3)
        assert call.caller.heard.total() == heard
        assert [(event.item_id, event.played_ms) for event in desk.barge_ins] == [("i1", cut.played_ms)]


async def test_truncation_is_never_beyond_what_was_sent() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.emit(ResponseStarted("r1"), AudioOut(SECOND, "i1", 0, "r1"))
        await settle_down(57)
        call.model.emit(AudioOut(SECOND, "i1", 0, "r1"))
        await settle_down(0.5)
        call.model.emit(SpeechStarted())
        cut = await call.model.expect(Interrupted, item_id="i1")
        assert 1000 <= cut.played_ms <= 2000


async def test_speech_into_silence_interrupts_nothing() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.emit(SpeechStarted())
        await call.model.expect_nothing(for_s=1)
        assert desk.barge_ins == []


async def test_the_caller_barges_in_and_the_wait_goes_on() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call_id = await call.confirm()
        call.model.emit(ResponseStarted("r9"), AudioOut(SECOND, "i1", 0, "r9"))
        await call.caller.hears(100)
        call.model.emit(SpeechStarted(), SpeechStopped(), ResponseEnded("r9", "cancelled"))
        await call.model.expect(Interrupted)
        assert call.request.end is None
        await call.answer()
        await call.model.expect(SentToolResult, call_id=call_id, failed=False)


async def test_calls_of_the_response_that_was_cut_are_not_run_unless_they_say_so() -> None:
    tools = [LOOK_UP, AITool("end_call", runs_when_interrupted=True)]
    async with Desk(tools=tools) as desk:
        call = await desk.call()
        call.model.emit(ResponseStarted("r1"), ToolCalled("c0", "look_up", '{"q": "a"}', "r1"))
        await call.model.expect(SentToolResult, call_id="c0", failed=False)
        call.model.emit(SpeechStarted())
        await call.model.expect(Interrupted, response_id="r1", item_id="")
        call.model.emit(
            ToolCalled("c1", "look_up", '{"q": "b"}', "r1"),
            ToolCalled("c2", "end_call", "{}", "r1"),
            ResponseEnded("r1", "cancelled"),
            SpeechStopped(),
        )
        await call.model.expect(SentToolResult, call_id="c1", failed=True, text=re.compile("may be called again"))
        await call.model.expect(SentToolResult, call_id="c2", failed=False)


async def test_the_caller_barges_in_a_moment_after_the_result_which_is_delivered_once() -> None:
    ran: list[str] = []

    async def count(name: str, _arguments: object) -> object:
        ran.append(name)
        return "soup"

    async with Desk(handler=count) as desk:
        call = await desk.call()
        call.model.call_tool("look_up", call_id="c1")
        await call.model.expect(SentToolResult, call_id="c1")
        call.model.emit(SpeechStarted(), ToolCalled("c1", "look_up", "{}", "response-1"), SpeechStopped())
        await call.model.expect_nothing(for_s=2)
        assert ran == ["look_up"]
        assert len(desk.reports) == 1


# --- the page --------------------------------------------------------------------------------------------------------


async def test_a_call_that_was_only_begun_leaves_no_card_behind() -> None:
    async with Desk() as desk:
        call = await desk.call(quiet=False)
        call.model.emit(ResponseStarted("r1"), ToolCallStarted("c1", "ConfirmAction"))
        await call.caller.message(type="request.opened", status="inProgress", call="c1")
        call.model.emit(ResponseEnded("r1", "cancelled"))
        await call.caller.message(type="request.settled", call="c1", end="withdrawn")


async def test_a_replay_changes_nothing_on_the_page() -> None:
    async with Desk() as desk:
        call = await desk.call(quiet=False)
        call.model.ignore(Injected, Forgot, Responded)
        await call.confirm("c1")
        await call.caller.message(type="request.opened", status="inProgress")
        await call.caller.message(type="request.opened", status="executing")
        await call.caller.message(type="request.changed")
        call.model.emit(ToolCallStarted("c1", "ConfirmAction"), ToolCalled("c1", "ConfirmAction", "{}", "response-1"))
        await call.caller.expect_nothing(for_s=1)
        call.caller.ignore("request.settled")


# --- audio -----------------------------------------------------------------------------------------------------------


async def test_the_callers_voice_reaches_the_model_and_a_lost_connection_is_no_lost_leg() -> None:
    async with Desk() as desk:
        call = await desk.call()
        await call.caller.stay_silent(100)
        await settle_down()
        assert call.model.counts[SentAudio] == 5
        call.model.drop()
        await call.caller.stay_silent(40)
        second = await desk.provider.connected()
        await call.caller.stay_silent(40)
        assert second.counts[SentAudio] >= 1
        assert not call.session.leg_is_lost


async def test_the_application_adds_a_line_silently_or_to_be_answered_and_has_words_said() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.watch(Injected)
        await call.session.inject("The kitchen is closed.")
        await call.model.expect(Injected, text="The kitchen is closed.", role="system", silent=True)
        await call.session.inject("Say so.", silent=False)
        await call.model.expect(Injected, text="Say so.", role="system", silent=False)
        await call.session.say("We are closed.")
        await call.model.expect(Said, text="We are closed.")


async def test_a_closed_session_takes_no_words() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.watch(Injected)
        await call.session.inject("The kitchen is closed.")
        await call.model.expect(Injected, text="The kitchen is closed.", role="system", silent=True)
        await desk.channel.end_session(call.session)
        with pytest.raises(ConnectionEnded):
            await call.session.inject("too late")
        with pytest.raises(ConnectionEnded):
            await call.session.say("too late")


async def test_what_ended_in_the_middle_of_a_frame_leaves_nothing_behind() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.emit(ResponseStarted("r1"), AudioOut(SECOND[:300], "i1", 0, "r1"))
        await settle_down()
        await desk.channel.end_session(call.session)
        assert len(call.session.tasks) == len(call.session.watching) == 0


async def test_a_hook_sees_the_call_before_and_after_with_the_session_it_belongs_to() -> None:
    seen: list[tuple[str, str, bool]] = []
    async with Desk() as desk:

        @desk.kit.hook(HookTrigger.BEFORE_TOOL_USE)
        async def before(event: ToolCallEvent, ctx: HookContext) -> None:
            seen.append((event.session_id, ctx.room_id, ctx.session is desk.channel.sessions[0]))

        call = await desk.call()
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult)
        assert seen == [(call.session.id, "desk", True)]


async def test_a_handler_may_be_replaced_while_calls_are_up() -> None:
    async def other(_name: str, _arguments: Mapping[str, object]) -> object:
        return "other"

    async with Desk(handler=None) as desk:
        call = await desk.call()
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult, failed=True, text=re.compile("Nobody serves"))
        desk.channel.tool_handler = other
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult, text="other")
        desk.channel.tool_handler = look_up
