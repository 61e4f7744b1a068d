"""The scripted chat model fails a test for what was not expected, never came, was not answered, or does not pair."""

import re

import anyio
import pytest

from voice_hitl.chat import ChatCall, ChatEnded, ChatMessage, ChatModel, ChatRequest, ChatResult, ChatText, RunsTools
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.testing import ScriptedChat
from voice_hitl.tools.calls import ServedCall
from voice_hitl.tools.definition import AITool

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

HELLO = ChatMessage("user", "Hello.")
CALL = ChatCall("c1", "look_up", "{}")


async def test_it_is_a_chat_model_that_gives_what_the_test_says() -> None:
    with ScriptedChat(tools={"ls": ServedCall("a b")}) as model:
        port: ChatModel = model
        reply = await port.reply(ChatRequest(items=[HELLO], tools=[AITool("look_up")]))
        (await model.asked(last="Hello.", tools=["look_up"])).answer("Well.", CALL)
        assert [await reply.get() for _ in range(3)] == [ChatText("Well."), CALL, ChatEnded("calls")]
        with pytest.raises(ConnectionEnded):
            await reply.get()
        await reply.aclose()
        assert isinstance(model, RunsTools)
        assert await model.run_tool(ChatCall("c2", "ls", "{}")) == ServedCall("a b")
        with pytest.raises(ProviderError, match="no tool"):
            await model.run_tool(CALL)


async def test_another_request_than_the_one_expected_fails() -> None:
    model = ScriptedChat()
    await model.reply(ChatRequest(items=[HELLO, CALL, ChatResult("c1", "soup")]))
    with pytest.raises(AssertionError, match="c1 was to be"):
        await model.asked(results={"c1": re.compile("fish")})
    with pytest.raises(AssertionError, match="got nothing"):
        await model.asked(last="Hello.")
    await model.expect_nothing(for_s=1)


async def test_a_broken_answer_raises_behind_what_came_before() -> None:
    model = ScriptedChat()
    model.refuse()
    with pytest.raises(ProviderError, match="refuses"):
        await model.reply(ChatRequest(items=()))
    reply = await model.reply(ChatRequest(items=()))
    asked = await model.asked()
    asked.say("We")
    asked.break_off()
    assert await reply.get() == ChatText("We")
    with pytest.raises(ProviderError, match="breaks off"):
        await reply.get()


async def test_an_answer_that_breaks_off_while_it_is_waited_for_raises() -> None:
    model = ScriptedChat()
    reply = await model.reply(ChatRequest(items=()))
    asked = await model.asked()

    async def break_off() -> None:
        await anyio.sleep(1)
        asked.break_off()

    async with anyio.create_task_group() as group:
        group.start_soon(break_off)
        with pytest.raises(ProviderError, match="breaks off"):
            await reply.get()


async def test_what_is_left_over_fails() -> None:
    model = ScriptedChat()
    model.refuse()
    with pytest.raises(AssertionError, match="refuse 1 more"):
        model.done()
    model = ScriptedChat()
    reply = await model.reply(ChatRequest(items=[HELLO]))
    with pytest.raises(AssertionError, match="nobody expected"):
        model.done()
    asked = await model.asked()
    with pytest.raises(AssertionError, match="never answered"):
        model.done()
    asked.answer("Hi.", end=ChatEnded("length"))
    with pytest.raises(AssertionError, match="never let go"):
        model.done()
    await reply.aclose()
    model.done()


@pytest.mark.parametrize("items", [[CALL], [CALL, HELLO, ChatResult("c1", "x")], [ChatResult("c1", "x")]])
async def test_a_conversation_that_does_not_pair_is_refused_as_a_provider_would(
    items: list[ChatMessage | ChatCall | ChatResult],
) -> None:
    with pytest.raises(AssertionError, match="c1"):
        await ScriptedChat().reply(ChatRequest(items=items))
