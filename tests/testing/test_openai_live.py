"""The server as the SDK's own client meets it: what it says is what the reference says, and it refuses what it must."""

import base64
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import cast

import anyio
import pytest
from openai import AsyncOpenAI
from openai.resources.live.live import AsyncLiveConnection
from openai.resources.live.sideband import AsyncSidebandConnection
from openai.types.live.connect_server_event import ConnectServerEvent
from openai.types.live.server_event import ServerEvent
from pydantic import TypeAdapter
from websockets.exceptions import ConnectionClosed, InvalidStatus

from voice_hitl.testing.openai_live import (
    BackendTurn,
    Call,
    HandOver,
    LiveServerSession,
    LiveStep,
    LiveTurn,
    OpenAILiveServer,
    Say,
)

pytestmark = pytest.mark.anyio

_REFERENCE = TypeAdapter[object](ServerEvent)
_SIDEBAND_REFERENCE = TypeAdapter[object](ConnectServerEvent)
SILENCE = base64.b64encode(bytes(4800)).decode()
VOICE = base64.b64encode(b"\x00\x20" * 2400).decode()

Event = dict[str, object]


class Client:
    """The SDK's connection, raw; every event of the server's is checked against the SDK's models."""

    def __init__(self, wire: AsyncLiveConnection | AsyncSidebandConnection, session: LiveServerSession) -> None:
        self.wire = wire
        self.session = session
        self._reference = _REFERENCE if isinstance(wire, AsyncLiveConnection) else _SIDEBAND_REFERENCE

    async def send(self, kind: str, **fields: object) -> None:
        await self.wire.send_raw(json.dumps({"type": kind, **fields}))

    async def start(self, **session: object) -> Event:
        await self.send("session.start", session={"model": "gpt-live-1.1", **session})
        return await self.until("session.started")

    async def hear(self, audio: str = SILENCE, *, times: int = 1) -> None:
        for _ in range(times):
            await self.send("session.input_audio.append", audio=audio)

    async def next(self) -> Event:
        with anyio.fail_after(10):
            raw = await self.wire.recv_bytes()
        self._reference.validate_json(raw)
        return cast("Event", json.loads(raw))

    async def until(self, kind: str) -> Event:
        while True:
            event = await self.next()
            if event["type"] == kind:
                return event

    async def refusal(self) -> tuple[object, object]:
        error = cast("Mapping[str, object]", (await self.until("error"))["error"])
        return error["code"], error["param"]


@asynccontextmanager
async def client(server: OpenAILiveServer) -> AsyncGenerator[Client]:
    async with AsyncOpenAI(api_key=server.api_key, base_url=server.base_url) as sdk, sdk.live.connect() as wire:
        yield Client(wire, await server.session(len(server.sessions) - 1 if server.sessions else 0))


@asynccontextmanager
async def sideband(server: OpenAILiveServer, session: LiveServerSession) -> AsyncGenerator[Client]:
    async with (
        AsyncOpenAI(api_key=server.api_key, base_url=server.base_url) as sdk,
        sdk.live.sideband.connect(session_id=session.session_id) as wire,
    ):
        yield Client(wire, session)


def hands_over(_turn: LiveTurn) -> list[LiveStep]:
    return [HandOver("d1")]


async def test_a_session_is_started_first_and_once() -> None:
    async with OpenAILiveServer() as server, client(server) as it:
        await it.hear()
        assert await it.refusal() == ("session_not_started", None)
        started = await it.start(instructions="Be brief.")
        session = cast("Mapping[str, object]", started["session"])
        assert (session["model"], session["delegation"]) == ("gpt-live-1.1", {"type": "client"})
        await it.send("session.start", session={"model": "gpt-live-1.1"})
        assert await it.refusal() == ("session_already_started", None)


IMPOSSIBLE_SESSIONS: list[tuple[Mapping[str, object], str]] = [
    ({"voice": "marin"}, "session.voice"),
    ({"audio": {"input": {}}}, "session.audio.input"),
    ({"audio": {"format": {"type": "audio/pcm", "rate": 8000}}}, "session.audio.format"),
    ({"delegation": {"type": "somebody"}}, "session.delegation.type"),
    ({"delegation": {"type": "responses"}}, "session.delegation.responses"),
    ({"delegation": {"type": "responses", "responses": {}}}, "session.delegation.responses.model"),
    ({"input": [{"role": "system", "content": []}]}, "session.input[0].role"),
    ({"input": [{"role": "user", "content": []}]}, "session.input[0].content"),
    ({"input": [{"role": "user", "content": [{"text": "x" * 9000}]}]}, "session.input"),
]


@pytest.mark.parametrize(("session", "param"), IMPOSSIBLE_SESSIONS)
async def test_a_session_that_cannot_be_is_refused(session: Mapping[str, object], param: str) -> None:
    async with OpenAILiveServer() as server, client(server) as it:
        await it.send("session.start", session={"model": "gpt-live-1.1", **session})
        assert (await it.refusal())[1] == param


async def test_the_model_lives_by_the_audio_it_hears() -> None:
    async with OpenAILiveServer() as server, client(server) as it:
        await it.start()
        await it.send("session.commentary.append", content="Hello.", delegation_id=None, event_id="e1")
        await it.send("session.update", session={})
        assert (await it.next())["type"] == "session.updated"
        await it.hear(times=3)
        assert (await it.until("session.commentary.appended"))["client_event_id"] == "e1"
        assert (await it.until("session.output_transcript.delta"))["delta"] == "Hello. "
        pcm = base64.b64decode(str((await it.until("session.output_audio.delta"))["delta"]))
        assert len(pcm) == 4800


async def test_it_stops_when_the_caller_speaks_and_hands_over_with_no_word_of_the_task() -> None:
    async with OpenAILiveServer() as server, client(server) as it:
        server.on_turn(hands_over)
        await it.start()
        it.session.caller_says("A table for four.")
        heard = [str((await it.next())["delta"]) for _ in range(4)]
        assert "".join(heard).strip() == "A table for four."
        created = await it.next()
        assert created["delegation"] == {"id": "d1", "type": "delegation", "target": "client"}
        await it.send("session.thinking.append", content="looking", delegation_id="d1")
        await it.hear()
        await it.until("session.thinking.appended")
        assert it.session.machine.known == ["looking"]


@pytest.mark.parametrize(
    ("fields", "refused"),
    [
        ({"content": "x" * 501, "delegation_id": None}, ("string_above_max_length", "content")),
        ({"content": " ", "delegation_id": None}, ("invalid_value", "content")),
        ({"content": "x"}, ("missing_required_parameter", "delegation_id")),
        ({"delegation_id": None}, ("missing_required_parameter", "content")),
        ({"content": "x", "delegation_id": "d9"}, ("invalid_value", "delegation_id")),
        ({"content": "x", "delegation_id": None, "role": "user"}, ("unknown_parameter", "role")),
    ],
)
async def test_an_append_that_cannot_be_is_refused(fields: Mapping[str, object], refused: tuple[str, str]) -> None:
    async with OpenAILiveServer() as server, client(server) as it:
        await it.start()
        await it.send("session.commentary.append", **fields)
        assert await it.refusal() == refused


async def test_a_client_that_is_the_backend_itself_has_no_backend_at_the_service() -> None:
    async with OpenAILiveServer() as server, client(server) as it:
        await it.start()
        for kind in ("response.create", "response.item.create"):
            await it.send(kind)
            assert await it.refusal() == ("invalid_request", None)
        await it.send("session.update", session={"delegation": {"type": "responses", "responses": {"model": "m"}}})
        assert (await it.refusal())[1] == "session.delegation.type"


async def test_the_services_backend_calls_functions_and_goes_on_when_each_has_its_output() -> None:
    def work(turn: BackendTurn) -> list[Call | Say]:
        if turn.number == 0:
            return [Call("look_up", {"q": "menu"}, call_id="c1"), Call("look_up", "{}", call_id="c2")]
        return [Say(f"Soup, {turn.outputs['c1']}.")]

    async with OpenAILiveServer() as server, client(server) as it:
        server.on_turn(hands_over)
        server.on_backend(work)
        await it.start(delegation={"type": "responses", "responses": {"model": "gpt-5.5"}})
        it.session.caller_says("What is there?")
        created = await it.until("session.delegation.created")
        assert cast("Event", created["delegation"])["target"] == "responses"
        kinds = [cast("Event", (await it.until("response.event"))["event"])["type"] for _ in range(6)]
        assert kinds == [
            "response.created",
            *["response.output_item.added", "response.output_item.done"] * 2,
            "response.completed",
        ]
        await it.send("session.commentary.append", content="x", delegation_id="d1")
        assert (await it.refusal())[1] == "delegation_id"
        await it.send("response.create")
        assert await it.refusal() == ("missing_tool_output", None)
        for call_id in ("c1", "c2"):
            item = {"type": "function_call_output", "call_id": call_id, "output": "hot"}
            await it.send("response.item.create", item=item)
        await it.send("response.item.create", item={"type": "function_call_output", "call_id": "c1", "output": "x"})
        assert (await it.refusal())[1] == "item.call_id"
        await it.send("response.create")
        await it.hear(times=30)
        assert (await it.until("session.output_transcript.delta"))["delta"] == "Soup, "
        await it.send("response.create")
        assert await it.refusal() == ("invalid_request", None)


async def test_what_is_no_event_of_a_client_is_refused_with_what_is() -> None:
    async with OpenAILiveServer() as server, client(server) as it:
        await it.start()
        for text in ("{", "[]"):
            await it.wire.send_raw(text)
            assert (await it.refusal())[0] == "invalid_json"
        await it.send("session.input_audio.commit")
        error = cast("Event", (await it.until("error"))["error"])
        assert "session.input_audio.append" in str(error["message"])
        await it.send("session.input_audio.append", audio="?")
        assert (await it.refusal())[1] == "audio"


async def test_it_counts_what_is_louder_than_silence_and_nothing_while_it_is_muted() -> None:
    async with OpenAILiveServer() as server, client(server) as it:
        await it.start()
        await it.hear(VOICE)
        await it.send("session.input_audio.mute")
        await it.until("session.input_audio.muted")
        await it.hear(VOICE)
        await it.send("session.input_audio.unmute")
        await it.until("session.input_audio.unmuted")
        assert (it.session.machine.loud_ms, it.session.machine.heard_ms) == (100, 200)


async def test_a_sideband_sees_everything_and_sends_no_audio() -> None:
    async with OpenAILiveServer() as server, client(server) as it:
        server.on_turn(hands_over)
        await it.start()
        async with sideband(server, it.session) as side:
            await side.send("session.start", session={"model": "gpt-live-1.1"})
            assert await side.refusal() == ("invalid_request", None)
            await side.hear()
            assert await side.refusal() == ("invalid_request", None)
            it.session.caller_says("A table.")
            await side.until("session.delegation.created")
            it.session.press("5")
            assert (await side.until("transport.dtmf.received"))["event"] == "5"
            await side.send("session.commentary.append", content="Booked.", delegation_id="d1")
            await it.hear(times=2)
            assert (await side.until("session.input_audio.append"))["audio"] == SILENCE
            assert (await side.until("session.output_transcript.delta"))["delta"] == "Booked. "
            reflected = await side.until("session.output_audio.delta")
            assert cast("int", reflected["end_ms"]) > cast("int", reflected["start_ms"])
            assert (await it.until("session.output_transcript.delta"))["delta"] == "Booked. "


async def test_it_ends_when_it_is_closed_and_at_its_limit() -> None:
    async with OpenAILiveServer(session_limit_s=0.3) as server:
        async with client(server) as it:
            await it.start()
            await it.send("session.close")
            assert (await it.until("session.closed"))["reason"] == "close_requested"
        async with client(server) as it:
            await it.start()
            assert (await it.until("session.closed"))["reason"] == "expired"
            with pytest.raises(ConnectionClosed):
                await it.next()


async def test_a_wrong_key_and_an_unknown_session_are_refused() -> None:
    async with OpenAILiveServer() as server:
        async with AsyncOpenAI(api_key="sk-wrong", base_url=server.base_url) as sdk:
            with pytest.raises(InvalidStatus, match="401"):
                await sdk.live.connect().enter()
        async with AsyncOpenAI(api_key=server.api_key, base_url=server.base_url) as sdk:
            with pytest.raises(InvalidStatus, match="404"):
                await sdk.live.sideband.connect(session_id="live_nobody").enter()


async def test_what_the_script_raises_is_raised_where_the_server_ends() -> None:
    def breaks(_turn: LiveTurn) -> list[LiveStep]:
        raise LookupError("the script is wrong")

    async def talk() -> None:
        async with OpenAILiveServer() as server, client(server) as it:
            server.on_turn(breaks)
            await it.start()
            it.session.caller_says("Hello.")
            with pytest.raises(ConnectionClosed):
                await it.until("never")

    with pytest.raises(LookupError, match="the script is wrong"):
        await talk()
