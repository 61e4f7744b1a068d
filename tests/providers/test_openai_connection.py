import re
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar, cast

import anyio
import numpy as np
import pytest

from voice_hitl.calls.book import Book, NewCall, Replay
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.provider import (
    AudioOut,
    Connected,
    GoingAway,
    ProviderConfig,
    ProviderEvent,
    ProviderFailed,
    ResponseEnded,
    ResponseStarted,
    Resumed,
    SpeechStarted,
    SpeechStopped,
    ToolCalled,
    Transcript,
    TranscriptFailed,
    UserItem,
)
from voice_hitl.testing.openai_realtime import (
    Call,
    Fail,
    OpenAIRealtimeServer,
    Pause,
    RealtimeServerSession,
    RunOut,
    Say,
    Step,
    Turn,
    Utterance,
)
from voice_hitl.tools.definition import AITool
from voice_hitl_openai import OpenAIRealtimeProvider
from voice_hitl_openai.connection import OpenAIRealtimeConnection

pytestmark = pytest.mark.anyio

E = TypeVar("E", bound=ProviderEvent)

ASK = AITool("ask_human", "Asks a person.", {"type": "object", "properties": {"question": {"type": "string"}}})
CONFIG = ProviderConfig(instructions="You take bookings.", tools=[ASK])


class Line:
    """A connection, what it told, and the session behind it."""

    def __init__(self, connection: OpenAIRealtimeConnection, session: RealtimeServerSession) -> None:
        self.connection = connection
        self.session = session
        self.told: list[ProviderEvent] = []

    async def until(self, kind: type[E], which: Callable[[E], bool] = lambda _event: True) -> E:
        with anyio.fail_after(10):
            while True:
                event = await self.connection.events().get()
                self.told.append(event)
                if isinstance(event, kind) and which(event):
                    return event

    async def rest(self) -> list[ProviderEvent]:
        """Everything up to the end of the connection."""
        with anyio.fail_after(10):
            async for event in self.connection.events():
                self.told.append(event)
        return self.told

    def all(self, kind: type[E]) -> list[E]:
        return [event for event in self.told if isinstance(event, kind)]

    async def received(self, kind: str, count: int = 1) -> dict[str, object]:
        with anyio.fail_after(10):
            return dict(await self.session.received(kind, count=count))

    async def settled(self) -> None:
        """Everything sent so far has been taken by the service, and told: it confirms in order."""
        before = len(self.session.sent("session.update"))
        await self.connection.reconfigure(CONFIG)
        assert len(self.session.sent("session.update")) == before + 1

    def outputs(self) -> list[tuple[object, object]]:
        items = [item for item in self.session.items if item["type"] == "function_call_output"]
        return [(item["call_id"], item["output"]) for item in items]


@pytest.fixture
async def server() -> AsyncIterator[OpenAIRealtimeServer]:
    async with OpenAIRealtimeServer(speed=200) as running:
        yield running


@asynccontextmanager
async def calling(
    server: OpenAIRealtimeServer, config: ProviderConfig = CONFIG, **settings: object
) -> AsyncGenerator[Line]:
    transcription_model = str(settings.get("transcription_model", "gpt-transcribe"))
    provider = OpenAIRealtimeProvider(
        api_key=server.api_key, base_url=server.base_url, transcription_model=transcription_model
    )
    number = len(server.sessions)
    with anyio.fail_after(10):
        connection = await provider.connect(config)
        line = Line(connection, await server.session(number))
    try:
        yield line
    finally:
        await connection.aclose()


@pytest.fixture
async def line(server: OpenAIRealtimeServer) -> AsyncIterator[Line]:
    async with calling(server) as connected:
        yield connected


def turns(*answers: Sequence[Step]) -> Callable[[Turn], Sequence[Step]]:
    """Answer so, turn by turn."""
    return lambda turn: answers[turn.number]


def once(*steps: Step) -> Callable[[Turn], Sequence[Step]]:
    """Answer the first turn so, and the others with a word."""
    return lambda turn: steps if turn.number == 0 else [Say("Done.")]


def tone(ms: int) -> list[bytes]:
    samples = (np.sin(np.arange(ms * 24) * 0.06) * 12_000).astype("<i2").tobytes()
    return [samples[start : start + 960] for start in range(0, len(samples), 960)]


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


# --- what broke for others (reports.md) ------------------------------------------------------------------------------


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
