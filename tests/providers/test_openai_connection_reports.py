"""The connection to the Realtime API over a real socket: what broke for others."""

import re
from collections.abc import Callable
from typing import cast

import pytest

from tests.providers.connected import ASK, CONFIG, Line, calling, once, turns
from voice_hitl.calls.book import Book, NewCall, Replay
from voice_hitl.errors import ConnectionEnded
from voice_hitl.provider import (
    AudioOut,
    Connected,
    GoingAway,
    ProviderConfig,
    ProviderFailed,
    ResponseEnded,
    ResponseStarted,
    Resumed,
    ToolCalled,
)
from voice_hitl.testing.openai_realtime import Call, OpenAIRealtimeServer, Pause, Say

pytestmark = pytest.mark.anyio


async def test_18_a_barge_in_right_after_the_result_loses_and_doubles_nothing(
    server: OpenAIRealtimeServer, line: Line
) -> None:
    server.on_turn(once(Call("ask_human", call_id="call_1")))
    line.session.caller_says("refund it")
    call = await line.until(ToolCalled)
    await line.until(ResponseEnded)
    await line.connection.send_tool_result(call.call_id, call.name, "yes", failed=False)
    line.session.caller_starts()
    await line.connection.interrupt()
    await line.connection.send_tool_result(call.call_id, call.name, "yes", failed=False)
    line.session.caller_stops("wait")
    await line.until(ResponseEnded)
    assert line.outputs() == [("call_1", "yes")]
    assert len(line.all(ToolCalled)) == 1


async def test_19_parallel_calls_get_one_output_each(server: OpenAIRealtimeServer, line: Line) -> None:
    server.on_turn(once(Call("ask_human", call_id="a"), Call("ask_human", call_id="b", arguments="{")))
    line.session.caller_says("refund it")
    await line.until(ResponseEnded)
    for call in line.all(ToolCalled):
        for text in ("failed", "again"):
            await line.connection.send_tool_result(call.call_id, call.name, text, failed=True)
    await line.settled()
    assert line.outputs() == [("a", "failed"), ("b", "failed")]
    assert not line.all(ProviderFailed)


async def test_20_ids_we_mint_are_ids_the_service_takes(line: Line) -> None:
    item_id = await line.connection.inject("x")
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,32}", item_id)


async def test_21_an_interrupted_question_leaves_the_call_waiting(server: OpenAIRealtimeServer, line: Line) -> None:
    server.on_turn(once(Call("ask_human", call_id="call_1")))
    line.session.caller_says("refund it")
    await line.until(ResponseEnded)
    await line.connection.say("Shall I go ahead with the refund of five hundred dollars?")
    spoken = await line.until(AudioOut)
    await line.connection.interrupt(spoken.response_id, item_id=spoken.item_id, played_ms=100)
    await line.until(ResponseEnded)
    await line.connection.send_tool_result("call_1", "ask_human", "yes", failed=False)
    await line.settled()
    assert line.outputs() == [("call_1", "yes")]
    assert not line.all(ProviderFailed)


async def test_23_a_call_that_the_caller_cut_is_no_call(server: OpenAIRealtimeServer, line: Line) -> None:
    server.on_turn(once(Call("end_call", {"reason": "the caller said goodbye"}, pause=Pause())))
    line.session.caller_says("bye")
    await line.until(ResponseStarted)
    line.session.caller_starts()
    assert (await line.until(ResponseEnded)).status == "cancelled"
    assert line.all(ToolCalled) == []


async def test_23_a_call_of_an_interrupted_response_names_that_response(
    server: OpenAIRealtimeServer, line: Line
) -> None:
    server.on_turn(once(Call("end_call"), Say("Goodbye then.", pause=Pause())))
    line.session.caller_says("bye")
    call = await line.until(ToolCalled)
    line.session.caller_starts()
    ended = await line.until(ResponseEnded)
    assert (ended.status, ended.response_id) == ("cancelled", call.response_id)


async def test_24_an_active_response_is_no_error_and_one_more_follows(server: OpenAIRealtimeServer, line: Line) -> None:
    pause = Pause()
    server.on_turn(turns([Call("ask_human", call_id="call_1")], [Say("Yes?", pause=pause)], [Say("Done.")]))
    line.session.caller_says("refund it")
    await line.until(ResponseEnded)
    # The service begins by itself, and we do not know it yet.
    line.session.caller_says("hello?")
    await line.connection.send_tool_result("call_1", "ask_human", "yes", failed=False)
    await line.connection.respond()
    await line.received("response.create")
    line.session.release(pause)
    await line.until(ResponseEnded)
    await line.received("response.create", 2)
    assert (await line.until(ResponseStarted)).ours
    await line.until(ResponseEnded)
    await line.settled()
    assert len(line.session.sent("response.create")) == 2
    assert not line.all(ProviderFailed)


async def test_25_a_result_before_the_response_has_ended_is_answered_after_it(
    server: OpenAIRealtimeServer, line: Line
) -> None:
    pause = Pause()
    server.on_turn(once(Call("ask_human", call_id="call_1"), Say("One moment.", pause=pause)))
    line.session.caller_says("refund it")
    await line.until(ToolCalled)
    await line.connection.send_tool_result("call_1", "ask_human", "yes", failed=False)
    await line.connection.respond()
    await line.settled()
    assert line.outputs() == [("call_1", "yes")]
    assert line.session.sent("response.create") == []
    line.session.release(pause)
    create = await line.received("response.create")
    assert "instructions" not in cast("dict[str, object]", create["response"])
    await line.until(ResponseEnded, lambda _ended: len(line.all(ResponseStarted)) == 2)
    assert line.session.configuration["instructions"] == CONFIG.instructions
    assert not line.all(ProviderFailed)


@pytest.mark.parametrize("played_ms", [57_340, 300, 0])
async def test_26_truncation_is_never_refused(server: OpenAIRealtimeServer, line: Line, played_ms: float) -> None:
    server.on_turn(once(Say("The table is booked for two at seven o'clock.", pause=Pause())))
    line.session.caller_says("a table")
    spoken = await line.until(AudioOut)
    await line.connection.interrupt(spoken.response_id, item_id=spoken.item_id, played_ms=played_ms)
    await line.until(ResponseEnded)
    await line.settled()
    assert not line.all(ProviderFailed)
    kept = [item for item in line.session.items if item.get("role") == "assistant"]
    assert bool(kept) is (played_ms > 0)
    assert bool(line.session.sent("conversation.item.truncate")) is (played_ms > 0)


async def test_27_the_same_call_twice_is_one_and_calls_without_an_id_are_two(
    server: OpenAIRealtimeServer, line: Line
) -> None:
    server.tamper(lambda event: [event, event] if event["type"] == "response.output_item.done" else [event])
    server.on_turn(once(Call("ask_human", call_id="call_1"), Call("a", call_id=""), Call("b", call_id="")))
    line.session.caller_says("refund it")
    await line.until(ResponseEnded)
    book = Book()
    calls = [call for call in line.all(ToolCalled) if call.call_id]
    booked = [book.arrive(call.call_id, call.name, call.arguments, call.response_id, now=0) for call in calls]
    assert [type(booking) for booking in booked] == [NewCall, Replay]
    assert {call.name for call in line.all(ToolCalled) if not call.call_id} == {"a", "b"}


async def test_28_an_id_that_counts_from_zero_every_turn_is_a_new_call(
    server: OpenAIRealtimeServer, line: Line
) -> None:
    server.on_turn(lambda turn: [Call("ask_human", call_id="0")] if turn.number < 2 else [Say("Done.")])
    for answer in ("yes", "no"):
        line.session.caller_says("refund it")
        call = await line.until(ToolCalled)
        await line.until(ResponseEnded)
        await line.connection.send_tool_result(call.call_id, call.name, answer, failed=False)
        await line.settled()
    assert line.outputs() == [("0", "yes"), ("0", "no")]


async def test_29_cut_arguments_come_as_they_are(server: OpenAIRealtimeServer, line: Line) -> None:
    server.on_turn(once(Call("ask_human", '{"question":"Do')))
    line.session.caller_says("refund it")
    assert (await line.until(ToolCalled)).arguments == '{"question":"Do'


async def test_30_at_the_time_limit_the_session_is_replaced_and_the_owed_call_kept(
    server: OpenAIRealtimeServer,
) -> None:
    server.on_turn(once(Call("ask_human", {"question": "May I?"}, call_id="call_1")))
    async with calling(server) as old:
        old.session.caller_says("refund it")
        call = await old.until(ToolCalled)
        await old.until(ResponseEnded)
        old.session.expire()
        assert isinstance((await old.rest())[-1], GoingAway)
        assert old.all(ProviderFailed) == []
        with pytest.raises(ConnectionEnded):
            await old.connection.send_tool_result("call_1", "ask_human", "yes", failed=False)
    carried: dict[str, object] = {
        "history": [{"role": "user", "text": "refund it"}],
        "owed_calls": [{"call_id": call.call_id, "name": call.name, "arguments": call.arguments}],
        "held": True,
    }
    config = ProviderConfig(instructions="You take bookings.", tools=[ASK], metadata=carried)
    async with calling(server, config) as new:
        assert (await new.until(Resumed)).calls_kept == ("call_1",)
        await new.connection.send_tool_result("call_1", "ask_human", "yes", failed=False)
        await new.connection.hold(on=False)
        await new.connection.respond()
        await new.until(ResponseEnded)
        assert new.outputs() == [("call_1", "yes")]
        assert new.all(ProviderFailed) == []


async def test_31_after_the_end_everything_is_late_and_says_so(line: Line) -> None:
    await line.connection.aclose()
    await line.connection.aclose()
    commands: list[Callable[[], object]] = [
        lambda: line.connection.send_audio(bytes(960)),
    ]
    for command in commands:
        with pytest.raises(ConnectionEnded):
            command()
    for late in (
        line.connection.send_tool_result("call_1", "ask_human", "yes", failed=False),
        line.connection.say("x"),
        line.connection.inject("x"),
        line.connection.respond(),
        line.connection.interrupt(),
        line.connection.hold(on=True),
        line.connection.forget("item_1"),
        line.connection.reconfigure(CONFIG),
    ):
        with pytest.raises(ConnectionEnded):
            await late
    await line.connection.delegation_output("d", "x", final=True)
    assert [type(event) for event in await line.rest()] == [Connected]
