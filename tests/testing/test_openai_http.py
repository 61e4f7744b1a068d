"""The server as any HTTP client meets it: its streams are what the SDK's models say, and it refuses what it must."""

import json
from collections.abc import AsyncIterator

import httpx
import pytest
from openai.types.chat import ChatCompletionChunk
from openai.types.responses import ResponseStreamEvent
from pydantic import TypeAdapter

from voice_hitl.testing.openai_http import Call, ChatStep, ChatTurn, Fail, OpenAIHTTPServer, RunOut, Say

pytestmark = pytest.mark.anyio

_EVENT = TypeAdapter[object](ResponseStreamEvent)

Json = dict[str, object]

USER: Json = {"role": "user", "content": "hello"}
CALLING: Json = {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "x", "arguments": "{}"}}]}
OUTPUT: Json = {"role": "tool", "tool_call_id": "a", "content": "yes"}
CALL: Json = {"type": "function_call", "call_id": "a", "name": "x", "arguments": "{}"}
RESULT: Json = {"type": "function_call_output", "call_id": "a", "output": "yes"}
SPEECH: Json = {"model": "m", "input": "Hello.", "voice": "marin", "response_format": "pcm"}


@pytest.fixture
async def server() -> AsyncIterator[OpenAIHTTPServer]:
    async with OpenAIHTTPServer() as running:
        yield running


@pytest.fixture
async def http(server: OpenAIHTTPServer) -> AsyncIterator[httpx.AsyncClient]:
    headers = {"Authorization": f"Bearer {server.api_key}"}
    async with httpx.AsyncClient(base_url=server.base_url, headers=headers) as client:
        yield client


def events(answer: httpx.Response) -> list[str]:
    return [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]


@pytest.mark.parametrize("steps", [[Say("Hello there."), Call("x", {"a": 1})], [Say("Well"), RunOut()]])
async def test_a_completion_is_made_of_chunks(
    server: OpenAIHTTPServer, http: httpx.AsyncClient, steps: list[ChatStep]
) -> None:
    server.on_turn(lambda _turn: steps)
    answer = await http.post("/chat/completions", json={"model": "m", "stream": True, "messages": [USER]})
    *chunks, end = events(answer)
    for chunk in chunks:
        ChatCompletionChunk.model_validate_json(chunk)
    assert end == "[DONE]"


@pytest.mark.parametrize(
    ("steps", "last"),
    [
        ([Say("Hello there."), Call("x", {"a": 1})], "response.completed"),
        ([Say("Well"), RunOut()], "response.incomplete"),
        ([Say("Well"), Fail()], "response.failed"),
    ],
)
async def test_a_response_is_made_of_events(
    server: OpenAIHTTPServer, http: httpx.AsyncClient, steps: list[ChatStep], last: str
) -> None:
    server.on_turn(lambda _turn: steps)
    answer = await http.post("/responses", json={"model": "m", "stream": True, "input": [USER]})
    for event in events(answer):
        _EVENT.validate_json(event)
    assert json.loads(events(answer)[-1])["type"] == last


async def test_the_script_sees_the_conversation(server: OpenAIHTTPServer, http: httpx.AsyncClient) -> None:
    turns: list[ChatTurn] = []

    def answer(turn: ChatTurn) -> list[ChatStep]:
        turns.append(turn)
        return []

    server.on_turn(answer)
    await http.post("/responses", json={"model": "m", "stream": True, "input": [USER, CALL, RESULT]})
    await http.post("/chat/completions", json={"model": "m", "stream": True, "messages": [USER, CALLING, OUTPUT]})
    assert [(turn.number, turn.api, len(turn.items)) for turn in turns] == [
        (0, "responses", 3),
        (1, "chat_completions", 3),
    ]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/chat/completions", {"stream": True, "messages": [USER]}),
        ("/chat/completions", {"model": "m", "messages": [USER]}),
        ("/chat/completions", {"model": "m", "stream": True, "messages": []}),
        ("/chat/completions", {"model": "m", "stream": True, "messages": ["hello"]}),
        ("/chat/completions", {"model": "m", "stream": True, "messages": [USER], "tools": []}),
        ("/chat/completions", {"model": "m", "stream": True, "messages": [USER, OUTPUT]}),
        ("/chat/completions", {"model": "m", "stream": True, "messages": [USER, CALLING]}),
        ("/chat/completions", {"model": "m", "stream": True, "messages": [USER, CALLING, USER, OUTPUT]}),
        ("/responses", {"model": "m", "input": [USER]}),
        ("/responses", {"model": "m", "stream": True, "input": []}),
        ("/responses", {"model": "m", "stream": True, "input": [USER, CALL]}),
        ("/responses", {"model": "m", "stream": True, "input": [USER, RESULT]}),
        ("/audio/speech", {**SPEECH, "voice": "nobody"}),
        ("/audio/speech", {**SPEECH, "response_format": "mp3"}),
        ("/audio/speech", {**SPEECH, "input": ""}),
        ("/audio/speech", {**SPEECH, "input": "x" * 4_097}),
        ("/audio/transcriptions", {}),
    ],
)
async def test_what_the_service_refuses_is_refused(http: httpx.AsyncClient, path: str, body: Json) -> None:
    answer = await http.post(path, json=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"


async def test_a_wrong_key_and_a_body_that_is_no_json_are_refused(http: httpx.AsyncClient) -> None:
    for path in ("/responses", "/chat/completions", "/audio/speech", "/audio/transcriptions"):
        assert (await http.post(path, headers={"Authorization": "Bearer no"})).status_code == 401
    assert (await http.post("/responses", content=b"{")).json()["error"]["code"] == "invalid_json"


async def test_speech_is_as_long_as_its_words(http: httpx.AsyncClient) -> None:
    assert len((await http.post("/audio/speech", json=SPEECH)).content) == len("Hello.") * 60 * 48


async def test_what_the_script_raises_comes_out_of_the_server() -> None:
    server = await OpenAIHTTPServer().__aenter__()
    server.on_turn(lambda turn: [Say(str(1 // turn.number))])
    headers = {"Authorization": f"Bearer {server.api_key}"}
    async with httpx.AsyncClient(base_url=server.base_url, headers=headers) as http:
        answer = await http.post("/responses", json={"model": "m", "stream": True, "input": [USER]})
    assert answer.status_code == 500
    with pytest.raises(ZeroDivisionError):
        await server.__aexit__(None, None, None)
