import json
import re

import anyio
import pytest

from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.provider import (
    Connected,
    Provider,
    ProviderCapabilities,
    ProviderConfig,
    ProviderFailed,
    ResponseEnded,
    ResponseStarted,
    SpeechStarted,
    ToolCalled,
    ToolCallStarted,
)
from voice_hitl.testing import (
    Closed,
    DelegationOutput,
    Forgot,
    Held,
    Injected,
    Interrupted,
    Reconfigured,
    Responded,
    Said,
    ScriptedConnection,
    ScriptedProvider,
    SentAudio,
    SentToolResult,
)

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


async def connect(provider: ScriptedProvider) -> tuple[ScriptedConnection, ScriptedConnection]:
    """The library's handle of a new connection, and the test's."""
    return await provider.connect(ProviderConfig(instructions="be brief")), await provider.connected()


async def test_it_is_a_provider_with_the_capabilities_it_was_given() -> None:
    provider: Provider = ScriptedProvider(capabilities=ProviderCapabilities(rate=16_000), name="model")
    assert (provider.name, provider.capabilities.rate) == ("model", 16_000)
    connection = await provider.connect(ProviderConfig())
    assert await connection.events().get() == Connected()


async def test_events_come_out_as_they_were_emitted() -> None:
    provider = ScriptedProvider(greeting=None)
    ours, model = await connect(provider)
    model.emit(SpeechStarted("i1"), ResponseStarted("r1"))
    assert [await ours.events().get(), await ours.events().get()] == [SpeechStarted("i1"), ResponseStarted("r1")]


async def test_a_call_comes_as_a_response_of_its_own() -> None:
    ours, model = await connect(ScriptedProvider(greeting=None))
    call_id = model.call_tool("ConfirmAction", {"prompt": "Cancel?"})
    events = [await ours.events().get() for _ in range(4)]
    assert events == [
        ResponseStarted("response-1"),
        ToolCallStarted(call_id, "ConfirmAction"),
        ToolCalled(call_id, "ConfirmAction", json.dumps({"prompt": "Cancel?"}), "response-1"),
        ResponseEnded("response-1"),
    ]
    assert model.call_tool("ConfirmAction", '{"cut', call_id="mine") == "mine"
    await ours.events().get()
    await ours.events().get()
    assert await ours.events().get() == ToolCalled("mine", "ConfirmAction", '{"cut', "response-2")


async def test_every_command_of_the_port_is_recorded_and_expected_in_order() -> None:
    with ScriptedProvider(ignore=()) as provider:
        ours, model = await connect(provider)
        assert model.config.instructions == "be brief"
        config = ProviderConfig(instructions="be long")
        ours.send_audio(b"\0\0")
        await ours.send_tool_result("c1", "look_up", "found", failed=False)
        await ours.say("hello")
        item_id = await ours.inject("wait", role="user", silent=False)
        await ours.respond()
        await ours.interrupt("r1", item_id="i1", played_ms=40)
        await ours.hold(on=True)
        await ours.forget(item_id)
        await ours.reconfigure(config)
        await ours.delegation_output("d1", "done", final=True)
        await ours.aclose()
        assert await model.expect(SentAudio) == SentAudio(b"\0\0")
        assert await model.expect(SentToolResult, call_id="c1") == SentToolResult("c1", "look_up", "found", False)
        assert await model.expect(Said) == Said("hello")
        assert await model.expect(Injected) == Injected("wait", "user", False, item_id)
        assert await model.expect(Responded) == Responded()
        assert await model.expect(Interrupted) == Interrupted("r1", "i1", 40)
        assert await model.expect(Held) == Held(True)
        assert await model.expect(Forgot) == Forgot(item_id)
        assert await model.expect(Reconfigured) == Reconfigured(config)
        assert await model.expect(DelegationOutput) == DelegationOutput("d1", "done", True)
        assert await model.expect(Closed) == Closed()
        assert model.config is config


async def test_a_command_is_awaited() -> None:
    ours, model = await connect(ScriptedProvider())
    async with anyio.create_task_group() as group:
        group.start_soon(model.expect, Said)
        await anyio.sleep(9)
        await ours.say("at last")
    model.done()


async def test_another_command_than_the_expected_fails_and_shows_both() -> None:
    ours, model = await connect(ScriptedProvider())
    await ours.hold(on=True)
    await ours.say("hello")
    await model.expect(Held)
    with pytest.raises(AssertionError) as failed:
        await model.expect(SentToolResult, call_id="c1")
    assert str(failed.value) == (
        "scripted connection 1 was to get\n    SentToolResult(call_id='c1')\nbut got\n    Said(text='hello')\n"
        "before that, as expected:\n    Held(on=True)\nbecause\n    it is no SentToolResult"
    )


async def test_a_wrong_field_fails_and_says_which() -> None:
    ours, model = await connect(ScriptedProvider())
    await ours.send_tool_result("c1", "look_up", "found", failed=False)
    with pytest.raises(AssertionError, match=r"call_id was to be 'c2' but is 'c1'"):
        await model.expect(SentToolResult, call_id="c2", text="found")


async def test_a_pattern_is_searched_for_in_a_text() -> None:
    ours, model = await connect(ScriptedProvider())
    await ours.say("your table is booked")
    await model.expect(Said, text=re.compile("table"))
    await ours.say("your table is booked")
    with pytest.raises(AssertionError, match=r"text was to be /chair/ but is 'your table is booked'"):
        await model.expect(Said, text=re.compile("chair"))


async def test_a_command_that_never_comes_fails() -> None:
    _, model = await connect(ScriptedProvider())
    began = anyio.current_time()
    with pytest.raises(AssertionError, match=r"was to get\n    Responded\(\)\nbut got nothing in 3 s"):
        await model.expect(Responded, within_s=3)
    assert anyio.current_time() - began == 3


async def test_a_command_may_be_taken_whichever_it_is() -> None:
    with ScriptedProvider() as provider:
        ours, model = await connect(provider)
        await ours.respond()
        await ours.say("hello")
        assert [await model.take(), await model.take()] == [Responded(), Said("hello")]
        with pytest.raises(AssertionError, match="got nothing"):
            await model.take(within_s=1)


async def test_a_field_that_no_such_command_has_is_the_tests_mistake() -> None:
    _, model = await connect(ScriptedProvider())
    with pytest.raises(TypeError, match="Said has no words"):
        await model.expect(Said, words="hello")


async def test_commands_nobody_expected_fail_at_the_end() -> None:
    async def test() -> None:
        with ScriptedProvider() as provider:
            ours, _ = await connect(provider)
            await ours.hold(on=True)
            await ours.respond()

    with pytest.raises(AssertionError, match=r"got what nobody expected:\n    Held\(on=True\)\n    Responded\(\)"):
        await test()


async def test_a_last_close_needs_no_expecting() -> None:
    with ScriptedProvider() as provider:
        ours, _ = await connect(provider)
        await ours.aclose()


async def test_a_failed_test_is_not_told_of_what_it_did_not_come_to() -> None:
    async def test() -> None:
        with ScriptedProvider() as provider:
            ours, _ = await connect(provider)
            await ours.respond()
            raise ValueError("the test's own")

    with pytest.raises(ValueError, match="the test's own"):
        await test()


async def test_nothing_is_expected_for_a_while() -> None:
    ours, model = await connect(ScriptedProvider())
    await model.expect_nothing(for_s=60)
    await ours.respond()
    with pytest.raises(AssertionError, match=r"was to get nothing for 1 s but got\n    Responded\(\)"):
        await model.expect_nothing(for_s=1)


async def test_audio_is_counted_unless_asked_for() -> None:
    ours, model = await connect(ScriptedProvider())
    ours.send_audio(b"\1\0")
    model.done()
    model.watch(SentAudio)
    ours.send_audio(b"\2\0")
    await model.expect(SentAudio, pcm=b"\2\0")
    assert model.counts[SentAudio] == 2
    model.ignore(SentAudio, Held)
    ours.send_audio(b"\3\0")
    await ours.hold(on=False)
    model.done()
    assert (model.counts[SentAudio], model.counts[Held]) == (3, 1)


async def test_an_error_is_an_event_and_a_fatal_one_the_end() -> None:
    ours, model = await connect(ScriptedProvider(greeting=None))
    model.fail(fatal=False, code="rate_limited")
    await ours.respond()
    model.fail(fatal=True, code="expired", message="too old")
    assert await ours.events().get() == ProviderFailed(False, "rate_limited", "the script says so")
    assert await ours.events().get() == ProviderFailed(True, "expired", "too old")
    with pytest.raises(ConnectionEnded):
        await ours.events().get()
    with pytest.raises(ConnectionEnded):
        await ours.respond()


async def test_a_dropped_connection_takes_nothing_more() -> None:
    ours, model = await connect(ScriptedProvider(greeting=None))
    model.drop()
    assert ours.ended
    with pytest.raises(ConnectionEnded):
        await ours.events().get()
    with pytest.raises(ConnectionEnded):
        ours.send_audio(b"\0\0")
    await ours.aclose()
    assert model.counts[Closed] == 0


async def test_closing_twice_is_recorded_once() -> None:
    ours, model = await connect(ScriptedProvider())
    await ours.aclose()
    await ours.aclose()
    assert model.counts[Closed] == 1


async def test_a_hanging_command_returns_when_it_is_mended() -> None:
    ours, model = await connect(ScriptedProvider())
    model.hang(Responded)
    with anyio.move_on_after(60) as scope:
        await ours.respond()
    assert scope.cancelled_caught
    async with anyio.create_task_group() as group:
        group.start_soon(ours.respond)
        await anyio.sleep(1)
        model.mend(Responded)
    await ours.respond()
    assert model.counts[Responded] == 3


async def test_a_hanging_command_is_over_when_the_connection_is() -> None:
    ours, model = await connect(ScriptedProvider())
    model.hang(Responded)
    model.hang(Closed)

    async def respond() -> None:
        with pytest.raises(ConnectionEnded):
            await ours.respond()

    async with anyio.create_task_group() as group:
        group.start_soon(respond)
        group.start_soon(ours.aclose)
        await anyio.sleep(1)
        model.drop()


async def test_sending_audio_cannot_hang() -> None:
    _, model = await connect(ScriptedProvider())
    with pytest.raises(ValueError, match="never waits"):
        model.hang(SentAudio)


async def test_a_command_raises_what_the_script_says() -> None:
    ours, model = await connect(ScriptedProvider())
    model.raise_on(Said)
    with pytest.raises(ProviderError, match="refuses Said"):
        await ours.say("hello")
    model.raise_on(Said, TimeoutError("slow"))
    with pytest.raises(TimeoutError, match="slow"):
        await ours.say("hello")
    model.mend(Said)
    await ours.say("hello")
    assert model.counts[Said] == 3


async def test_a_connect_is_refused_as_often_as_said() -> None:
    provider = ScriptedProvider()
    provider.refuse(times=1)
    provider.refuse(TimeoutError("slow"))
    with pytest.raises(ProviderError, match="refuses to connect"):
        await provider.connect(ProviderConfig())
    with pytest.raises(AssertionError, match="1 more connections: nobody tried"):
        provider.done()
    with pytest.raises(TimeoutError):
        await provider.connect(ProviderConfig())
    await connect(provider)
    provider.done()


async def test_a_connection_that_nobody_took_fails_at_the_end() -> None:
    provider = ScriptedProvider()
    await provider.connect(ProviderConfig())
    with pytest.raises(AssertionError, match="got what nobody expected"):
        provider.done()


async def test_nobody_connecting_fails() -> None:
    with pytest.raises(AssertionError, match="was to get\n    a connection\nbut got nothing in 10 s"):
        await ScriptedProvider().connected()


async def test_a_script_is_played_on_every_connection() -> None:
    async def script(model: ScriptedConnection) -> None:
        await model.expect(Said, text="ping")
        model.emit(SpeechStarted("pong"))

    with ScriptedProvider(script=script, greeting=None) as provider:
        for _ in range(2):
            ours = await provider.connect(ProviderConfig())
            await ours.say("ping")
            assert await ours.events().get() == SpeechStarted("pong")
    assert len(provider.connections) == 2


async def test_a_script_that_fails_or_never_ends_fails_the_test() -> None:
    async def script(model: ScriptedConnection) -> None:
        await model.expect(Said, text="ping", within_s=5)

    provider = ScriptedProvider(script=script)
    ours = await provider.connect(ProviderConfig())
    await anyio.sleep(1)
    with pytest.raises(AssertionError, match="1 scripts of scripted have not ended"):
        provider.done()
    await ours.say("pong")
    await anyio.sleep(1)
    with pytest.raises(AssertionError, match="text was to be 'ping' but is 'pong'"):
        provider.done()
