"""The server as the SDK's own client meets it: what it says is what the reference says, and it refuses what it must."""

import base64
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import anyio
import httpx
import pytest
from openai import AsyncOpenAI
from openai.resources.realtime.realtime import AsyncRealtimeConnection
from openai.types.realtime.realtime_server_event import RealtimeServerEvent
from pydantic import TypeAdapter
from websockets.exceptions import ConnectionClosed, InvalidStatus

from voice_hitl.testing.openai_realtime import (
    Call,
    OpenAIRealtimeServer,
    Pause,
    RealtimeServerSession,
    RunOut,
    Say,
    Turn,
)

pytestmark = pytest.mark.anyio

_REFERENCE = TypeAdapter[object](RealtimeServerEvent)

Event = dict[str, object]


class Client:
    """The SDK's connection, raw; every event of the server's is checked against the SDK's models."""

    def __init__(self, wire: AsyncRealtimeConnection, session: RealtimeServerSession) -> None:
        self.wire = wire
        self.session = session
        self.heard: list[Event] = []

    async def send(self, kind: str, **fields: object) -> None:
        await self.wire.send_raw(json.dumps({"type": kind, **fields}))

    async def next(self) -> Event:
        with anyio.fail_after(10):
            raw = await self.wire.recv_bytes()
        _REFERENCE.validate_json(raw)
        event = cast("Event", json.loads(raw))
        self.heard.append(event)
        return event

    async def until(self, kind: str) -> Event:
        while True:
            event = await self.next()
            if event["type"] == kind:
                return event

    async def refusal(self) -> Event:
        return cast("Event", (await self.until("error"))["error"])

    async def create(self, item: Event, **fields: object) -> None:
        await self.send("conversation.item.create", item=item, **fields)

    async def responds(self) -> Event:
        await self.send("response.create")
        return cast("Event", (await self.until("response.done"))["response"])

    def kinds(self) -> list[object]:
        return [event["type"] for event in self.heard]


@pytest.fixture
async def server() -> AsyncIterator[OpenAIRealtimeServer]:
    async with OpenAIRealtimeServer(speed=200) as running:
        yield running


@asynccontextmanager
async def calling(server: OpenAIRealtimeServer, *, api_key: str | None = None) -> AsyncGenerator[Client]:
    sdk = AsyncOpenAI(api_key=api_key or server.api_key, base_url=server.base_url)
    number = len(server.sessions)
    async with sdk, sdk.realtime.connect(model="gpt-realtime-2.1") as wire:
        client = Client(wire, await server.session(number))
        await client.until("session.created")
        try:
            yield client
        finally:
            # What a test leaves unread would keep the closing handshake from being read.
            client.session.drop()


@pytest.fixture
async def client(server: OpenAIRealtimeServer) -> AsyncIterator[Client]:
    async with calling(server) as connected:
        yield connected


def message(item_id: str, text: str = "Hello.", role: str = "user") -> Event:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"id": item_id, "type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def output(call_id: str) -> Event:
    return {"type": "function_call_output", "call_id": call_id, "output": "yes"}


# --- what it says ----------------------------------------------------------------------------------------------------


async def test_the_session_begins_as_the_service_begins_it(client: Client) -> None:
    session = cast("Event", client.heard[0]["session"])
    audio = cast("dict[str, Event]", session["audio"])
    assert session["model"] == "gpt-realtime-2.1"
    assert audio["input"]["transcription"] is None
    assert cast("Event", audio["input"]["turn_detection"])["silence_duration_ms"] == 200
    assert isinstance(session["expires_at"], int)


async def test_a_response_comes_in_the_order_of_the_reference(client: Client) -> None:
    response = await client.responds()
    assert response["status"] == "completed"
    assert list(dict.fromkeys(client.kinds())) == [
        "session.created",
        "response.created",
        "rate_limits.updated",
        "response.output_item.added",
        "conversation.item.added",
        "response.content_part.added",
        "response.output_audio_transcript.delta",
        "response.output_audio.delta",
        "response.output_audio.done",
        "response.output_audio_transcript.done",
        "response.content_part.done",
        "response.output_item.done",
        "conversation.item.done",
        "response.done",
    ]
    # The transcript runs ahead of the audio.
    assert client.kinds().index("response.output_audio.delta") > client.kinds().index(
        "response.output_audio_transcript.delta"
    )


async def test_its_voice_is_as_long_as_its_words_and_faster_than_they_are_heard(client: Client) -> None:
    before = anyio.current_time()
    await client.responds()
    audio = b"".join(
        base64.b64decode(str(event["delta"]))
        for event in client.heard
        if event["type"] == "response.output_audio.delta"
    )
    said_ms = len(audio) / 48
    assert said_ms == len("I am listening.") * 60
    assert (anyio.current_time() - before) * 1000 < said_ms


async def test_parallel_calls_come_in_one_response(server: OpenAIRealtimeServer, client: Client) -> None:
    server.on_turn(lambda _turn: [Call("look_up", {"name": "Ann"}), Call("ask_human", call_id="call_1")])
    first, second = cast("list[Event]", (await client.responds())["output"])
    assert (first["name"], first["arguments"], first["status"]) == ("look_up", '{"name": "Ann"}', "completed")
    assert (second["name"], second["call_id"]) == ("ask_human", "call_1")


async def test_the_script_sees_what_the_caller_said_and_what_came_back(
    server: OpenAIRealtimeServer, client: Client
) -> None:
    turns: list[Turn] = []

    def answer(turn: Turn) -> list[Call] | list[Say]:
        turns.append(turn)
        return [Call("ask_human", call_id="call_1")] if turn.number == 0 else [Say("Done.")]

    server.on_turn(answer)
    client.session.caller_says("refund it")
    await client.until("response.done")
    await client.create(output("call_1"))
    await client.responds()
    assert [(turn.number, turn.heard, dict(turn.outputs)) for turn in turns] == [
        (0, "refund it", {}),
        (1, None, {"call_1": "yes"}),
    ]
    assert [item["type"] for item in turns[1].history] == ["message", "function_call", "function_call_output"]


async def test_a_turn_is_written_down_only_when_asked_for(client: Client) -> None:
    client.session.caller_says("hello")
    await client.until("response.done")
    assert not any("transcription" in str(kind) for kind in client.kinds())
    transcription = {"audio": {"input": {"transcription": {"model": "gpt-transcribe"}}}}
    await client.send("session.update", session={"type": "realtime", **transcription})
    await client.until("session.updated")
    client.session.caller_says("hello")
    heard = await client.until("conversation.item.input_audio_transcription.completed")
    assert heard["transcript"] == "hello"


async def test_a_transcript_takes_its_time() -> None:
    async with OpenAIRealtimeServer(transcription_s=0.05, speed=None) as server, calling(server) as client:
        session = {"type": "realtime", "audio": {"input": {"transcription": {"model": "gpt-transcribe"}}}}
        await client.send("session.update", session=session)
        await client.until("session.updated")
        client.session.caller_says("hello")
        await client.until("conversation.item.input_audio_transcription.completed")
        assert "response.done" in client.kinds()


async def test_speech_stops_the_active_response_unless_told_otherwise(
    server: OpenAIRealtimeServer, client: Client
) -> None:
    server.on_turn(lambda _turn: [Say("A long story, told at length.", pause=Pause())])
    await client.send("response.create")
    await client.until("response.output_audio.delta")
    client.session.caller_starts()
    done = cast("Event", (await client.until("response.done"))["response"])
    assert (done["status"], done["status_details"]) == ("cancelled", {"type": "cancelled", "reason": "turn_detected"})
    [item] = cast("list[Event]", done["output"])
    assert item["status"] == "incomplete"


async def test_a_response_out_of_band_leaves_no_history(client: Client) -> None:
    words = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Shall I?"}]}
    metadata = {"for": "a test"}
    response = {"conversation": "none", "input": [words], "metadata": metadata}
    await client.send("response.create", response=response)
    done = cast("Event", (await client.until("response.done"))["response"])
    assert done["metadata"] == metadata
    assert done["conversation_id"] is None
    assert client.session.items == []


async def test_whoever_is_silent_for_too_long_is_asked(server: OpenAIRealtimeServer, client: Client) -> None:
    server.on_turn(lambda _turn: [Say("Hm.")])
    detection = {"type": "server_vad", "idle_timeout_ms": 50}
    session = {"type": "realtime", "audio": {"input": {"turn_detection": detection}}}
    await client.send("session.update", session=session)
    await client.responds()
    await client.until("input_audio_buffer.timeout_triggered")
    await client.until("response.done")


async def test_audio_is_committed_by_hand_where_nothing_detects_turns(client: Client) -> None:
    session = {"type": "realtime", "audio": {"input": {"turn_detection": None}}}
    await client.send("session.update", session=session)
    await client.send("input_audio_buffer.append", audio=base64.b64encode(b"\0\x40" * 4_800).decode())
    await client.send("input_audio_buffer.commit")
    await client.until("conversation.item.done")
    await client.send("input_audio_buffer.append", audio=base64.b64encode(b"\0\x40" * 4_800).decode())
    await client.send("input_audio_buffer.clear")
    await client.until("input_audio_buffer.cleared")
    assert "input_audio_buffer.speech_started" not in client.kinds()


async def test_a_response_may_run_out(server: OpenAIRealtimeServer, client: Client) -> None:
    server.on_turn(lambda _turn: [Say("I was about to"), RunOut()])
    assert (await client.responds())["status"] == "incomplete"


@pytest.mark.parametrize("asked", [True, False])
async def test_what_the_script_raises_comes_out_of_the_server(*, asked: bool) -> None:
    server = await OpenAIRealtimeServer().__aenter__()
    server.on_turn(lambda turn: [Say(str(1 // turn.number))])
    async with calling(server) as client:
        if asked:
            await client.send("response.create")
        else:
            client.session.caller_says("hello")
        with pytest.raises(ConnectionClosed):
            await client.until("response.done")
    with pytest.raises(ZeroDivisionError):
        await server.__aexit__(None, None, None)


async def test_what_it_says_can_be_tampered_with(server: OpenAIRealtimeServer, client: Client) -> None:
    server.tamper(lambda event: [event, event, "{"] if event["type"] == "response.created" else [event])
    await client.send("response.create")
    await client.until("response.created")
    await client.until("response.created")
    assert await client.wire.recv_bytes() == b"{"


# --- what it refuses -------------------------------------------------------------------------------------------------


async def test_an_output_for_an_unknown_call_is_refused(client: Client) -> None:
    await client.create(output("call_9"), event_id="mine")
    refusal = await client.refusal()
    assert (refusal["code"], refusal["event_id"]) == ("invalid_tool_call_id", "mine")


async def test_a_second_output_of_a_call_is_refused(server: OpenAIRealtimeServer, client: Client) -> None:
    server.on_turn(lambda _turn: [Call("ask_human", call_id="call_1")])
    await client.responds()
    await client.create(output("call_1"))
    await client.create(output("call_1"))
    assert (await client.refusal())["code"] == "invalid_tool_call_id"


async def test_a_second_active_response_is_refused_but_not_one_out_of_band(
    server: OpenAIRealtimeServer, client: Client
) -> None:
    server.on_turn(lambda _turn: [Say("A long story.", pause=Pause())])
    await client.send("response.create")
    await client.send("response.create")
    refusal = await client.refusal()
    assert refusal["code"] == "conversation_already_has_active_response"
    assert "already has an active response in progress: resp_" in str(refusal["message"])
    words = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hm."}]}
    await client.send("response.create", response={"conversation": "none", "input": [words]})
    await client.until("response.done")


@pytest.mark.parametrize("end_ms", [0, -1, 1_000_000])
async def test_a_truncation_at_0_or_beyond_the_audio_is_refused(client: Client, end_ms: int) -> None:
    [item] = cast("list[Event]", (await client.responds())["output"])
    where = {"item_id": item["id"], "content_index": 0}
    await client.send("conversation.item.truncate", **where, audio_end_ms=end_ms)
    refusal = await client.refusal()
    assert refusal["code"] == "invalid_value"
    if end_ms > 0:
        assert refusal["message"] == "Audio content of 900ms is already shorter than 1000000ms"
    await client.send("conversation.item.truncate", **where, audio_end_ms=300)
    await client.until("conversation.item.truncated")
    await client.send("conversation.item.truncate", **where, audio_end_ms=301)
    assert (await client.refusal())["code"] == "invalid_value"


async def test_only_audio_of_the_models_is_truncated(client: Client) -> None:
    await client.send("conversation.item.truncate", item_id="item_9", content_index=0, audio_end_ms=1)
    assert (await client.refusal())["code"] == "item_truncate_invalid_item_id"
    await client.create(message("item-1"))
    await client.send("conversation.item.truncate", item_id="item-1", content_index=0, audio_end_ms=1)
    assert "Only model output audio" in str((await client.refusal())["message"])
    [item] = cast("list[Event]", (await client.responds())["output"])
    await client.send("conversation.item.truncate", item_id=item["id"], content_index=1, audio_end_ms=1)
    assert (await client.refusal())["param"] == "content_index"


@pytest.mark.parametrize("named", [{}, {"response_id": "resp_9"}])
async def test_a_cancellation_with_nothing_active_is_refused(client: Client, named: Event) -> None:
    await client.send("response.cancel", **named)
    refusal = await client.refusal()
    assert refusal["code"] == "response_cancel_not_active"
    assert refusal["message"] == "Cancellation failed: no active response found"


async def test_a_cancelled_response_ends_as_cancelled(server: OpenAIRealtimeServer, client: Client) -> None:
    server.on_turn(lambda _turn: [Call("ask_human", {"question": "May I?"}, pause=Pause())])
    await client.send("response.create")
    await client.until("response.function_call_arguments.delta")
    await client.send("response.cancel")
    # The end of the arguments and of the item come for a call that was cut, too.
    await client.until("response.function_call_arguments.done")
    done = cast("Event", (await client.until("response.output_item.done"))["item"])
    assert done["status"] == "incomplete"
    response = cast("Event", (await client.until("response.done"))["response"])
    assert response["status_details"] == {"type": "cancelled", "reason": "client_cancelled"}


@pytest.mark.parametrize(
    ("session", "param"),
    [
        ({"type": "realtime", "model": "gpt-realtime"}, "session.model"),
        ({"type": "transcription"}, "session.type"),
        ({}, "session.type"),
        ({"type": "realtime", "output_modalities": ["text"]}, "session.output_modalities"),
        ({"type": "realtime", "voice": "cedar"}, "session.voice"),
        ({"type": "realtime", "audio": {"input": {"vad": 1}}}, "session.audio.input.vad"),
        ({"type": "realtime", "audio": {"input": {"format": {"type": "audio/pcmu"}}}}, "session.audio.input.format"),
        (
            {"type": "realtime", "audio": {"input": {"turn_detection": {"type": "server_vad", "eagerness": "low"}}}},
            "session.audio.input.turn_detection.eagerness",
        ),
        (
            {"type": "realtime", "audio": {"input": {"turn_detection": {"type": "telepathy"}}}},
            "session.audio.input.turn_detection.type",
        ),
        ({"type": "realtime", "tools": [{"type": "function"}]}, "session.tools[0].name"),
        ({"type": "realtime", "tools": [{"type": "mcp"}]}, "session.tools[0].server_label"),
        ({"type": "realtime", "tools": ["ask_human"]}, "session.tools[0]"),
    ],
)
async def test_a_field_that_is_fixed_or_unknown_is_refused(client: Client, session: Event, param: str) -> None:
    before = client.session.configuration
    await client.send("session.update", session={"instructions": "changed", **session})
    refusal = await client.refusal()
    assert refusal["param"] == param or (param.endswith("server_label") and refusal["param"] == "session.tools[0].type")
    assert client.session.configuration == before


async def test_the_voice_is_fixed_once_it_was_heard(client: Client) -> None:
    cedar = {"type": "realtime", "audio": {"output": {"voice": "cedar"}}}
    await client.send("session.update", session=cedar)
    await client.until("session.updated")
    await client.responds()
    await client.send("session.update", session={"type": "realtime", "audio": {"output": {"voice": "marin"}}})
    assert (await client.refusal())["code"] == "cannot_update_voice"
    await client.send("session.update", session=cedar)
    await client.until("session.updated")


@pytest.mark.parametrize(
    ("item", "code"),
    [
        (message("x" * 33), "string_above_max_length"),
        (message("item-1", role="tool"), "invalid_value"),
        ({"type": "message", "role": "user", "content": []}, "missing_required_parameter"),
        ({"type": "message", "role": "user", "content": ["hello"]}, "invalid_value"),
        ({"type": "message", "role": "user", "content": [{"type": "output_text", "text": "x"}]}, "invalid_value"),
        (
            {"type": "message", "role": "assistant", "content": [{"type": "output_text"}]},
            "missing_required_parameter",
        ),
        ({"type": "function_call", "name": "x", "call_id": "a/b", "arguments": "{}"}, "invalid_value"),
        ({"type": "function_call", "name": "x", "call_id": "a" * 33, "arguments": "{}"}, "string_above_max_length"),
        ({"type": "function_call", "name": "x", "call_id": "a"}, "missing_required_parameter"),
        ({"type": "hologram"}, "invalid_value"),
        ({}, "missing_required_parameter"),
    ],
)
async def test_an_item_that_cannot_be_is_refused(client: Client, item: Event, code: str) -> None:
    await client.create(item)
    assert (await client.refusal())["code"] == code
    assert client.session.items == []


async def test_items_have_their_places_and_ids_of_their_own(client: Client) -> None:
    await client.create(message("item-1"))
    await client.create(message("item-2"), previous_item_id="root")
    await client.create(message("item-3", role="assistant"), previous_item_id="item-2")
    for place, item_id in (("item-9", "item-4"), (None, "item-1")):
        await client.create(message(item_id), previous_item_id=place)
        await client.refusal()
    assert [item["id"] for item in client.session.items] == ["item-2", "item-3", "item-1"]
    call: Event = {"type": "function_call", "name": "x", "call_id": "a", "arguments": "{}"}
    await client.create(call)
    await client.create(call)
    assert (await client.refusal())["param"] == "item.call_id"


async def test_an_item_that_is_not_there_is_not_deleted(client: Client) -> None:
    await client.create(message("item-1"))
    await client.send("conversation.item.delete", item_id="item-1")
    await client.until("conversation.item.deleted")
    await client.send("conversation.item.delete", item_id="item-1")
    assert (await client.refusal())["code"] == "item_delete_invalid_item_id"


@pytest.mark.parametrize(
    ("event", "code"),
    [
        ({"type": "input_audio_buffer.commit"}, "input_audio_buffer_commit_empty"),
        ({"type": "input_audio_buffer.append", "audio": "!"}, "invalid_value"),
        ({"type": "input_audio_buffer.append"}, "missing_required_parameter"),
        ({"type": "input_audio_buffer.append", "audio": 7}, "invalid_value"),
        ({"type": "response.create", "response": {"x": 1}}, "unknown_parameter"),
        ({"type": "response.create", "response": 7}, "invalid_value"),
        ({"type": "conversation.item.truncate", "item_id": "x"}, "missing_required_parameter"),
        ({"type": "conversation.item.truncate", "item_id": "x", "audio_end_ms": "1"}, "invalid_value"),
        ({"type": "session.update", "session": {"type": "realtime", "tools": "all"}}, "invalid_value"),
        ({"type": "dance"}, "invalid_value"),
        ({}, "missing_required_parameter"),
    ],
)
async def test_an_event_that_cannot_be_is_refused(client: Client, event: Event, code: str) -> None:
    await client.wire.send_raw(json.dumps(event))
    assert (await client.refusal())["code"] == code


@pytest.mark.parametrize("text", ["{", "[]", "7"])
async def test_what_is_no_event_is_refused(client: Client, text: str) -> None:
    await client.wire.send_raw(text)
    assert (await client.refusal())["code"] == "invalid_json"


async def test_too_much_audio_in_one_event_is_refused(client: Client) -> None:
    audio = base64.b64encode(bytes(15 * 2**20 + 2)).decode()
    await client.send("input_audio_buffer.append", audio=audio)
    assert "15 MiB" in str((await client.refusal())["message"])


async def test_a_message_that_is_too_large_ends_the_connection() -> None:
    async with OpenAIRealtimeServer(max_message_bytes=10_000) as server, calling(server) as client:
        await client.send("input_audio_buffer.append", audio="A" * 20_000)
        with pytest.raises(ConnectionClosed) as closed:
            await client.until("never")
        assert closed.value.sent is not None
        assert closed.value.sent.code == 1009


async def test_a_wrong_key_is_refused(server: OpenAIRealtimeServer) -> None:
    with pytest.raises(InvalidStatus) as refused:
        async with calling(server, api_key="sk-wrong"):
            pass
    assert refused.value.response.status_code == 401


@pytest.mark.parametrize(("path", "status"), [("/realtime", 400), ("/nowhere", 404)])
async def test_only_a_session_with_a_model_is_to_be_had(server: OpenAIRealtimeServer, path: str, status: int) -> None:
    upgrade = {
        "Authorization": f"Bearer {server.api_key}",
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": base64.b64encode(bytes(16)).decode(),
    }
    async with httpx.AsyncClient() as http:
        assert (await http.get(f"{server.base_url}{path}", headers=upgrade)).status_code == status


async def test_a_session_that_is_too_long_is_ended() -> None:
    async with OpenAIRealtimeServer(session_limit_s=0.1) as server, calling(server) as client:
        refusal = await client.refusal()
        assert refusal["code"] == "session_expired"
        with pytest.raises(ConnectionClosed) as closed:
            await client.next()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1001


# --- the network -----------------------------------------------------------------------------------------------------


async def test_a_connection_is_closed_or_cut_when_the_test_says_so(server: OpenAIRealtimeServer) -> None:
    async with calling(server) as client:
        client.session.send({"type": "error", "event_id": "e", "error": {"type": "x", "message": "last words"}})
        client.session.close(1011, "that was it")
        assert (await client.refusal())["message"] == "last words"
        with pytest.raises(ConnectionClosed, match="that was it"):
            await client.next()
    async with calling(server) as client:
        client.session.drop()
        with pytest.raises(ConnectionClosed):
            await client.next()


async def test_a_server_that_is_not_running_has_no_address() -> None:
    with pytest.raises(RuntimeError, match="not running"):
        _ = OpenAIRealtimeServer().base_url


async def test_what_the_client_sent_is_kept_but_for_its_audio(client: Client) -> None:
    await client.send("input_audio_buffer.append", audio="")
    await client.create(message("item-1"))
    await client.session.received("conversation.item.create")
    assert client.session.frames == 1
    assert [event["type"] for event in client.session.events] == ["conversation.item.create"]
