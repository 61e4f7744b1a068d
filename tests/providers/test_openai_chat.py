from collections.abc import AsyncIterator, Callable, Sequence
from typing import Literal

import anyio
import pytest

from voice_hitl.chat import (
    ChatCall,
    ChatEnded,
    ChatEvent,
    ChatItem,
    ChatMessage,
    ChatModel,
    ChatReply,
    ChatRequest,
    ChatResult,
    ChatText,
)
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.testing.openai_http import (
    Call,
    ChatStep,
    ChatTurn,
    Fail,
    HangUp,
    OpenAIHTTPServer,
    Pause,
    RunOut,
    Say,
)
from voice_hitl.tools.definition import AITool
from voice_hitl_openai import OpenAIChatModel

pytestmark = pytest.mark.anyio

Api = Literal["responses", "chat_completions"]

ASK = AITool("ask_human", "Asks a person.", {"type": "object", "properties": {"question": {"type": "string"}}})
HELLO = ChatRequest(items=[ChatMessage("user", "hello")])


@pytest.fixture
async def server() -> AsyncIterator[OpenAIHTTPServer]:
    async with OpenAIHTTPServer() as running:
        yield running


@pytest.fixture(params=["responses", "chat_completions"])
def api(request: pytest.FixtureRequest) -> Api:
    return "responses" if request.param == "responses" else "chat_completions"


@pytest.fixture
async def model(server: OpenAIHTTPServer, api: Api) -> AsyncIterator[ChatModel]:
    model = OpenAIChatModel(api=api, api_key=server.api_key, base_url=server.base_url)
    yield model
    await model.aclose()


def always(*steps: ChatStep) -> Callable[[ChatTurn], Sequence[ChatStep]]:
    return lambda _turn: steps


async def rest(reply: ChatReply) -> list[ChatEvent]:
    events: list[ChatEvent] = []
    with anyio.fail_after(30):
        while True:
            try:
                events.append(await reply.get())
            except ConnectionEnded:
                return events


def words(events: list[ChatEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, ChatText))


async def test_an_answer_comes_as_it_is_written(server: OpenAIHTTPServer, model: ChatModel) -> None:
    pause = Pause()
    server.on_turn(always(Say("It will be sunny.", pause=pause)))
    reply = await model.reply(HELLO)
    with anyio.fail_after(30):
        assert await reply.get() == ChatText("It wil")
        server.release(pause)
    events = await rest(reply)
    assert words(events) == "l be sunny."
    assert events[-1] == ChatEnded("stop")
    assert model.name == "openai gpt-6-luna"


async def test_calls_come_whole_and_parallel_ones_in_order(server: OpenAIHTTPServer, model: ChatModel) -> None:
    server.on_turn(
        always(Say("One moment."), Call("look_up", {"name": "Ann"}, call_id="a"), Call("ask_human", "{", call_id="b"))
    )
    events = await rest(await model.reply(HELLO))
    assert [event for event in events if isinstance(event, ChatCall)] == [
        ChatCall("a", "look_up", '{"name": "Ann"}'),
        ChatCall("b", "ask_human", "{"),
    ]
    assert words(events) == "One moment."
    assert events[-1] == ChatEnded("calls")


async def test_the_whole_conversation_goes_along(server: OpenAIHTTPServer, model: ChatModel, api: Api) -> None:
    items: list[ChatItem] = [
        ChatMessage("system", "The caller is Ann."),
        ChatMessage("user", "refund it"),
        ChatMessage("assistant", "One moment."),
        ChatCall("a", "look_up", "{}"),
        ChatCall("b", "ask_human", '{"question": "May I?"}'),
        ChatResult("a", "500"),
        ChatResult("b", "yes"),
    ]
    events = await rest(await model.reply(ChatRequest(instructions="Be kind.", items=items, tools=[ASK])))
    assert events[-1] == ChatEnded("stop")
    path, body = server.requests[-1]
    if api == "responses":
        assert path == "/v1/responses"
        assert (body["instructions"], body["store"]) == ("Be kind.", False)
        assert body["input"] == [
            {"type": "message", "role": "system", "content": "The caller is Ann."},
            {"type": "message", "role": "user", "content": "refund it"},
            {"type": "message", "role": "assistant", "content": "One moment."},
            {"type": "function_call", "call_id": "a", "name": "look_up", "arguments": "{}"},
            {"type": "function_call", "call_id": "b", "name": "ask_human", "arguments": '{"question": "May I?"}'},
            {"type": "function_call_output", "call_id": "a", "output": "500"},
            {"type": "function_call_output", "call_id": "b", "output": "yes"},
        ]
        return
    calls = [
        {"id": "a", "type": "function", "function": {"name": "look_up", "arguments": "{}"}},
        {"id": "b", "type": "function", "function": {"name": "ask_human", "arguments": '{"question": "May I?"}'}},
    ]
    assert path == "/v1/chat/completions"
    assert body["messages"] == [
        {"role": "system", "content": "Be kind."},
        {"role": "system", "content": "The caller is Ann."},
        {"role": "user", "content": "refund it"},
        {"role": "assistant", "content": "One moment."},
        {"role": "assistant", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "a", "content": "500"},
        {"role": "tool", "tool_call_id": "b", "content": "yes"},
    ]


async def test_a_call_without_its_result_is_refused(model: ChatModel) -> None:
    unanswered = ChatRequest(items=[ChatMessage("user", "hello"), ChatCall("a", "look_up", "{}")])
    stray = ChatRequest(items=[ChatMessage("user", "hello"), ChatResult("a", "500")])
    for request in (unanswered, stray):
        with pytest.raises(ProviderError, match="refused an answer"):
            await model.reply(request)


async def test_an_answer_that_runs_out_issues_no_calls(server: OpenAIHTTPServer, model: ChatModel, api: Api) -> None:
    server.on_turn(always(Say("Well"), Call("ask_human", '{"question":'), RunOut()))
    events = await rest(await model.reply(HELLO))
    assert events[-1] == ChatEnded("length")
    # By Responses a call is known to be whole; by Chat Completions none is.
    assert len([event for event in events if isinstance(event, ChatCall)]) == (1 if api == "responses" else 0)


@pytest.mark.parametrize("step", [Fail(message="too much to do"), HangUp()])
async def test_an_answer_that_breaks_off_is_an_error_after_what_came(
    server: OpenAIHTTPServer, model: ChatModel, step: ChatStep
) -> None:
    server.on_turn(always(Say("Well"), step))
    reply = await model.reply(HELLO)
    with anyio.fail_after(30):
        assert await reply.get() == ChatText("Well")
        with pytest.raises(ProviderError):
            await reply.get()
        with pytest.raises(ConnectionEnded):
            await reply.get()


async def test_an_answer_can_be_left_at_any_point(server: OpenAIHTTPServer, model: ChatModel) -> None:
    pause = Pause()
    server.on_turn(always(Say("A long story.", pause=pause)))
    reply = await model.reply(HELLO)
    await reply.get()
    await reply.aclose()
    await reply.aclose()
    with pytest.raises(ConnectionEnded):
        await reply.get()
    server.release(pause)


async def test_a_wrong_key_is_said(server: OpenAIHTTPServer, api: Api) -> None:
    model = OpenAIChatModel(api=api, api_key="sk-wrong", base_url=server.base_url)
    with pytest.raises(ProviderError, match="OPENAI_API_KEY"):
        await model.reply(HELLO)
    await model.aclose()


async def test_no_key_is_said(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ProviderError, match="OPENAI_API_KEY"):
        await OpenAIChatModel(api=api).reply(HELLO)
    await OpenAIChatModel(api=api).aclose()


async def test_an_address_where_nothing_is_is_said(api: Api) -> None:
    async with OpenAIHTTPServer() as gone:
        address = gone.base_url
    model = OpenAIChatModel(api=api, api_key="sk-test", base_url=address)
    with anyio.fail_after(20), pytest.raises(ProviderError, match="could not be reached"):
        await model.reply(HELLO)
    await model.aclose()
