"""The connection to the Realtime API over a real socket: calls, the floor, and a service that misbehaves."""

from collections import deque
from collections.abc import Sequence

import anyio
import pytest

from tests.providers.connected import Line, calling, once, tone, turns
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.provider import (
    AudioOut,
    Connected,
    ProviderConfig,
    ProviderFailed,
    ResponseEnded,
    ResponseStarted,
    SpeechStarted,
    SpeechStopped,
    ToolCalled,
    Transcript,
    TranscriptFailed,
    UserItem,
)
from voice_hitl.testing.openai_realtime import Call, Fail, OpenAIRealtimeServer, Pause, RunOut, Say, Turn, Utterance

pytestmark = pytest.mark.anyio


# --- a call as it should go ------------------------------------------------------------------------------------------


async def test_a_turn_is_heard_answered_and_spoken(line: Line) -> None:
    line.session.caller_says("a table for two")
    ended = await line.until(ResponseEnded)
    assert ended.status == "completed"
    assert isinstance(line.told[0], Connected)
    [item] = line.all(UserItem)
    spoken = line.all(Transcript)
    assert Transcript("user", "a table for two", final=True, item_id=item.item_id) in spoken
    words = "".join(transcript.text for transcript in spoken if transcript.role == "assistant" and not transcript.final)
    assert words == "You said: a table for two"
    assert [transcript.text for transcript in spoken if transcript.final][-1] == words
    audio = line.all(AudioOut)
    assert sum(len(part.pcm) for part in audio) == len(words) * 60 * 48
    assert {part.response_id for part in audio} == {ended.response_id}


async def test_the_caller_is_heard_in_the_audio_that_is_sent(server: OpenAIRealtimeServer, line: Line) -> None:
    heard: list[float] = []

    def understand(utterance: Utterance) -> str:
        heard.append(utterance.duration_ms)
        return "yes please"

    server.on_utterance(understand)
    for frame in [*tone(600), *[bytes(960)] * 40]:
        line.connection.send_audio(frame)
    await line.until(SpeechStarted)
    await line.until(SpeechStopped)
    final = await line.until(Transcript, lambda transcript: transcript.final)
    assert final.text == "yes please"
    assert 600 <= heard[0] <= 1_500


async def test_a_turn_that_cannot_be_written_down_is_told(line: Line) -> None:
    line.session.caller_says(None)
    failed = await line.until(TranscriptFailed)
    assert failed.item_id == line.all(UserItem)[0].item_id


async def test_confidence_comes_from_models_that_tell_it(server: OpenAIRealtimeServer) -> None:
    async with calling(server, transcription_model="gpt-4o-transcribe") as line:
        line.session.caller_says("yes")
        final = await line.until(Transcript, lambda transcript: transcript.final)
        assert final.confidence == pytest.approx(0.951, abs=1e-3)


async def test_a_call_gets_its_output_and_the_model_goes_on(server: OpenAIRealtimeServer, line: Line) -> None:
    turns: list[Turn] = []

    def answer(turn: Turn) -> Sequence[Say | Call]:
        turns.append(turn)
        return [Say("One moment."), Call("ask_human", {"question": "May I?"})] if turn.number == 0 else [Say("Done.")]

    server.on_turn(answer)
    line.session.caller_says("refund it")
    call = await line.until(ToolCalled)
    await line.until(ResponseEnded)
    await line.connection.send_tool_result(call.call_id, call.name, "yes", failed=False)
    await line.connection.respond()
    started = await line.until(ResponseStarted)
    await line.until(ResponseEnded)
    assert started.ours
    assert turns[1].outputs == {call.call_id: "yes"}
    assert not line.all(ProviderFailed)


async def test_words_are_said_out_of_band(line: Line) -> None:
    await line.connection.say("Shall I go ahead?")
    started = await line.until(ResponseStarted)
    final = await line.until(Transcript, lambda transcript: transcript.final)
    await line.until(ResponseEnded)
    assert started.ours
    assert final.text == "Shall I go ahead?"
    assert line.session.items == []
    assert not line.all(ProviderFailed)


async def test_words_that_came_out_otherwise_are_told(server: OpenAIRealtimeServer, line: Line) -> None:
    server.on_saying(lambda text: f"{text} I have done it already.")
    await line.connection.say("Shall I go ahead?")
    failed = await line.until(ProviderFailed)
    assert (failed.fatal, failed.code) == (False, "said_otherwise")


async def test_an_item_is_added_and_forgotten(line: Line) -> None:
    item_id = await line.connection.inject("A person is being asked.")
    await line.settled()
    assert [item["id"] for item in line.session.items] == [item_id]
    await line.connection.forget(item_id)
    await line.settled()
    assert line.session.items == []


async def test_an_item_that_is_not_silent_is_answered(line: Line) -> None:
    await line.connection.inject("Greet the caller.", silent=False)
    assert (await line.until(ResponseStarted)).ours


async def test_instructions_and_tools_change_in_place(line: Line) -> None:
    await line.connection.reconfigure(ProviderConfig(instructions="Be brief."))
    assert line.session.configuration["instructions"] == "Be brief."
    assert line.session.configuration["tools"] == []


# --- the floor -------------------------------------------------------------------------------------------------------


async def test_while_it_is_held_the_caller_is_heard_and_nothing_is_answered(line: Line) -> None:
    await line.connection.hold(on=True)
    line.session.caller_says("yes")
    await line.until(Transcript, lambda transcript: transcript.final)
    await line.settled()
    await line.connection.hold(on=False)
    await line.connection.respond()
    assert (await line.until(ResponseStarted)).ours
    assert len(line.session.sent("response.create")) == 1


async def test_speech_does_not_stop_words_of_ours_while_it_is_held(line: Line) -> None:
    await line.connection.hold(on=True)
    await line.connection.respond()
    line.session.caller_starts()
    assert (await line.until(ResponseEnded)).status == "completed"


async def test_what_the_session_did_before_is_given_back(line: Line) -> None:
    before = line.session.configuration["audio"]
    await line.connection.hold(on=True)
    assert line.session.configuration["audio"] != before
    await line.connection.hold(on=False)
    assert line.session.configuration["audio"] == before


async def test_a_response_the_service_starts_by_itself_pays_what_is_owed(
    server: OpenAIRealtimeServer, line: Line
) -> None:
    pause = Pause()
    server.on_turn(lambda turn: [Call("ask_human")] if turn.number == 0 else [Say("It is done.", pause=pause)])
    line.session.caller_says("refund it")
    call = await line.until(ToolCalled)
    await line.until(ResponseEnded)
    await line.connection.hold(on=True)
    await line.connection.send_tool_result(call.call_id, call.name, "yes", failed=False)
    await line.connection.hold(on=False)
    line.session.caller_says("and thank you")
    await line.connection.respond()
    await line.received("response.create")
    line.session.release(pause)
    await line.until(ResponseEnded)
    await line.settled()
    assert len(line.session.sent("response.create")) == 1


async def test_a_response_nobody_asked_for_while_it_is_held_is_not_heard(line: Line) -> None:
    await line.connection.hold(on=True)
    line.session.send({"type": "response.created", "event_id": "e", "response": {"id": "resp_x", "metadata": None}})
    await line.until(ResponseStarted)
    cancel = await line.received("response.cancel")
    assert cancel["response_id"] == "resp_x"


async def test_a_hold_that_the_service_refuses_is_an_error(server: OpenAIRealtimeServer, line: Line) -> None:
    server.tamper(lambda event: [] if event["type"] == "session.updated" else [event])
    async with anyio.create_task_group() as group:

        async def hold() -> None:
            with pytest.raises(ProviderError, match="not now"):
                await line.connection.hold(on=True)

        group.start_soon(hold)
        update = await line.received("session.update", 2)
        error = {"type": "server_error", "code": "x", "message": "not now", "event_id": update["event_id"]}
        line.session.send({"type": "error", "event_id": "e", "error": error})


# --- a service that misbehaves ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["close", "drop"])
async def test_a_connection_lost_mid_response_is_told_and_ends(
    server: OpenAIRealtimeServer, line: Line, how: str
) -> None:
    server.on_turn(once(Say("A long story, told at length.", pause=Pause())))
    line.session.caller_says("go on")
    await line.until(AudioOut)
    if how == "close":
        line.session.close(1011, "internal error")
    else:
        line.session.drop()
    failed = (await line.rest())[-1]
    assert isinstance(failed, ProviderFailed)
    assert (failed.fatal, failed.code) == (False, "connection_lost")
    with pytest.raises(ConnectionEnded):
        line.connection.send_audio(bytes(960))


async def test_a_waiting_hold_ends_with_the_connection(server: OpenAIRealtimeServer, line: Line) -> None:
    server.tamper(lambda event: [] if event["type"] == "session.updated" else [event])
    async with anyio.create_task_group() as group:

        async def hold() -> None:
            with pytest.raises(ConnectionEnded):
                await line.connection.hold(on=True)

        group.start_soon(hold)
        await line.received("session.update", 2)
        line.session.drop()


async def test_unknown_events_are_named_once_and_invalid_json_is_counted(
    line: Line, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="voice_hitl_openai")
    for _ in range(3):
        line.session.send({"type": "response.hologram.delta", "event_id": "e"})
        line.session.send_text("{not json")
    await line.settled()
    assert line.connection.unreadable == 3
    assert sum("hologram" in record.message for record in caplog.records) == 1
    assert sum("not JSON" in record.message for record in caplog.records) == 1
    line.session.caller_says("hello")
    assert (await line.until(ResponseEnded)).status == "completed"


async def test_events_in_any_order_break_nothing(server: OpenAIRealtimeServer, line: Line) -> None:
    kept: deque[dict[str, object]] = deque()

    def shuffle(event: dict[str, object]) -> list[dict[str, object]]:
        """Everything of a response comes backwards, its end first."""
        if not str(event["type"]).startswith(("response.", "conversation.", "input_audio")):
            return [event]
        kept.appendleft(event)
        if event["type"] != "response.done":
            return []
        backwards = list(kept)
        kept.clear()
        return backwards

    server.on_turn(lambda _turn: [Say("One moment."), Call("ask_human", call_id="call_1")])
    server.tamper(shuffle)
    line.session.caller_says("refund it")
    await line.until(SpeechStarted)
    server.tamper(None)
    call = line.all(ToolCalled)[0]
    await line.connection.send_tool_result(call.call_id, call.name, "yes", failed=False)
    await line.connection.respond()
    await line.settled()
    assert line.outputs() == [("call_1", "yes")]


async def test_audio_for_a_deleted_item_is_not_heard(server: OpenAIRealtimeServer, line: Line) -> None:
    pause = Pause()
    server.on_turn(once(Say("A long story, told at length.", pause=pause)))
    line.session.caller_says("go on")
    spoken = await line.until(AudioOut)
    await line.connection.forget(spoken.item_id)
    await line.received("conversation.item.delete")
    heard = len(line.all(AudioOut)) + len(line.connection.events())
    line.session.release(pause)
    await line.until(ResponseEnded)
    assert len(line.all(AudioOut)) <= heard


async def test_a_failed_response_is_told_and_the_session_lives(server: OpenAIRealtimeServer, line: Line) -> None:
    server.on_turn(turns([Fail("rate_limited", "slower")], [RunOut()]))
    line.session.caller_says("hello")
    assert (await line.until(ResponseEnded)).status == "failed"
    assert line.all(ProviderFailed) == [ProviderFailed(False, "rate_limited", "slower")]
    line.session.caller_says("hello?")
    assert (await line.until(ResponseEnded)).status == "incomplete"


async def test_a_fatal_error_ends_the_events(line: Line) -> None:
    error = {"type": "invalid_request_error", "code": "invalid_api_key", "message": "revoked"}
    line.session.send({"type": "error", "event_id": "e", "error": error})
    assert (await line.rest())[-1] == ProviderFailed(True, "invalid_api_key", "revoked")


async def test_a_message_beyond_all_measure_ends_the_connection_not_the_process(line: Line) -> None:
    line.session.send_text('"' + "x" * (17 * 2**20) + '"')
    failed = (await line.rest())[-1]
    assert isinstance(failed, ProviderFailed)
    assert not failed.fatal


async def test_audio_that_the_socket_is_too_slow_for_is_dropped_oldest_first(line: Line) -> None:
    for _ in range(500):
        line.connection.send_audio(bytes(960))
    line.connection.send_audio(b"")
    assert line.connection.dropped_frames == 400
    await line.settled()
    assert line.session.frames == 100
