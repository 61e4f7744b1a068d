"""The Live provider against the local server: sessions, what it can do and not, and a whole call through a channel."""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar, cast

import anyio
import numpy as np
import pytest

from voice_hitl import (
    CardAsker,
    DoorName,
    HookExecution,
    HookTrigger,
    HumanInputToolHandler,
    OutcomeKind,
    RealtimeVoiceChannel,
    SpokenAsker,
    ToolCallEvent,
    VoiceKit,
    confirm_action,
)
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.hooks import HookContext
from voice_hitl.provider import (
    AudioOut,
    Connected,
    Delegated,
    Provider,
    ProviderConfig,
    ProviderDigit,
    ProviderEvent,
    ProviderFailed,
    Resumed,
    ToolCalled,
    Transcript,
)
from voice_hitl.reasoning import ReasoningOutput, ReasoningRequest
from voice_hitl.speech_ports import SpeechChunk, Transcription
from voice_hitl.tasks import Mailbox
from voice_hitl.testing import LoopbackTransport
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
from voice_hitl.tools.calls import AIToolCall
from voice_hitl_openai import OpenAILiveProvider
from voice_hitl_openai.live import SIDEBAND
from voice_hitl_openai.live_connection import OpenAILiveConnection

pytestmark = pytest.mark.anyio

E = TypeVar("E", bound=ProviderEvent)
RESPONSES = {"model": "gpt-5.5"}
BOOK = {"action": "Book a table for four at seven."}


def provider_of(server: OpenAILiveServer, **options: object) -> OpenAILiveProvider:
    if options.get("delegation") == "responses":
        return OpenAILiveProvider(
            api_key=server.api_key, base_url=server.base_url, delegation="responses", backend=RESPONSES
        )
    return OpenAILiveProvider(api_key=server.api_key, base_url=server.base_url)


@asynccontextmanager
async def connection(
    server: OpenAILiveServer, config: ProviderConfig | None = None, **options: object
) -> AsyncGenerator[tuple[OpenAILiveConnection, LiveServerSession]]:
    one = await provider_of(server, **options).connect(config or ProviderConfig())
    try:
        yield one, server.sessions[-1]
    finally:
        await one.aclose()


async def the(kind: type[E], events: Mailbox[ProviderEvent]) -> E:
    """The next event of this kind."""
    with anyio.fail_after(20):
        while True:
            event = await events.get()
            if isinstance(event, kind):
                return event


def hands_over(_turn: LiveTurn) -> Sequence[LiveStep]:
    return [HandOver("d1")]


def test_it_is_a_provider_and_says_what_it_cannot_do() -> None:
    provider: Provider = OpenAILiveProvider(api_key="sk-test")
    assert provider.name == "openai gpt-live-1.1"
    can = provider.capabilities
    assert (can.rate, can.hold, can.held, can.verbatim, can.truncates) == (24_000, "deaf", "deaf", "none", False)
    assert (can.speech_events, can.resumes, can.reconfigures, can.delegates) == (False, "replay", "reconnects", True)
    theirs = OpenAILiveProvider(api_key="sk-test", delegation="responses", backend=RESPONSES)
    assert theirs.capabilities.delegates is False


def test_who_works_on_what_is_handed_over_must_fit() -> None:
    with pytest.raises(ValueError, match="needs a backend"):
        OpenAILiveProvider(delegation="responses")
    with pytest.raises(ValueError, match='only with delegation="responses"'):
        OpenAILiveProvider(backend=RESPONSES)


async def test_the_model_speaks_by_the_audio_that_it_hears_silence_where_there_is_none() -> None:
    async with OpenAILiveServer() as server, connection(server) as (ours, session):
        await the(Connected, ours.events())
        await ours.inject("Be kind.")
        await ours.say("Hello there.")
        spoken = await the(Transcript, ours.events())
        assert (spoken.role, spoken.final) == ("assistant", False)
        audio = await the(AudioOut, ours.events())
        assert audio.item_id == spoken.item_id
        assert (session.machine.known, session.machine.loud_ms) == (["Be kind."], 0)
        ours.send_audio(np.full(480, 5_000, np.int16).tobytes())
        with anyio.fail_after(20):
            await session.until(lambda: session.machine.loud_ms > 0)
        assert session.machine.loud_ms == 20


async def test_what_it_cannot_do_it_does_not_and_a_change_is_refused() -> None:
    async with OpenAILiveServer() as server, connection(server) as (ours, session):
        await ours.hold(on=True)
        await ours.interrupt("r1", item_id="i1", played_ms=5)
        await ours.respond()
        await ours.forget("i1")
        await ours.send_tool_result("c1", "look_up", "found", failed=False)
        with pytest.raises(ProviderError, match="connect again"):
            await ours.reconfigure(ProviderConfig())
        await ours.say("Done.")
        await session.received("session.commentary.append")
        assert [event["type"] for event in session.socket.events] == ["session.start", "session.commentary.append"]


async def test_a_session_that_carries_another_on_knows_what_was_said() -> None:
    history = [{"role": "user", "text": "A table for four."}, {"role": "system", "text": "It was booked."}]
    config = ProviderConfig(metadata={"history": history, "owed_calls": []})
    async with OpenAILiveServer() as server, connection(server, config) as (ours, session):
        assert await the(Resumed, ours.events()) == Resumed(())
        said = json.dumps(session.machine.configuration["input"])
        assert said.index("A table for four.") < said.index("It was booked.")


async def test_it_ends_with_its_session_and_says_so_where_another_would_be_no_help() -> None:
    async with OpenAILiveServer() as server:
        async with connection(server) as (ours, session):
            session.end("content")
            failed = await the(ProviderFailed, ours.events())
            assert (failed.fatal, failed.code) == (True, "content")
        async with connection(server) as (ours, session):
            session.end("expired")
            with pytest.raises(ConnectionEnded):
                await the(ProviderFailed, ours.events())
            with pytest.raises(ConnectionEnded):
                await ours.say("Too late.")
        async with connection(server) as (ours, session):
            session.drop()
            with pytest.raises(ConnectionEnded):
                await the(ProviderFailed, ours.events())


async def test_it_closes_its_session_and_closing_twice_is_harmless() -> None:
    async with OpenAILiveServer() as server, connection(server) as (ours, session):
        await ours.aclose()
        assert session.sent("session.close")
        assert session.machine.closed


async def test_a_refusal_is_told_and_the_session_goes_on() -> None:
    async with OpenAILiveServer() as server, connection(server) as (ours, session):
        session.send({"type": "error", "error": {"code": "busy", "message": "Not now."}})
        failed = await the(ProviderFailed, ours.events())
        assert (failed.fatal, failed.code, failed.message) == (False, "busy", "Not now.")
        session.socket.send_text("{")
        session.send({"type": "session.sings"})
        await ours.say("Still here.")
        await session.received("session.commentary.append")
        assert ours.unreadable == 1


async def test_a_session_that_is_not_to_be_had_says_why() -> None:
    async with OpenAILiveServer() as server:
        wrong = OpenAILiveProvider(api_key="sk-wrong", base_url=server.base_url)
        with pytest.raises(ProviderError, match="the key is not taken"):
            await wrong.connect(ProviderConfig())
        odd = OpenAILiveProvider(api_key=server.api_key, base_url=server.base_url, session={"temperature": 1})
        with pytest.raises(ProviderError, match=r"Unknown parameter: 'session\.temperature'"):
            await odd.connect(ProviderConfig())
        with pytest.raises(ProviderError, match="HTTP 404"):
            await provider_of(server).connect(ProviderConfig(metadata={SIDEBAND: "live_nobody"}))
    with pytest.raises(ProviderError, match="could not be reached"):
        await OpenAILiveProvider(api_key="sk-test", base_url="http://127.0.0.1:9/v1").connect(ProviderConfig())


async def test_a_sideband_works_on_a_session_whose_audio_passes_elsewhere() -> None:
    async with OpenAILiveServer() as server, connection(server) as (phone, session):
        server.on_turn(hands_over)
        ours = await provider_of(server).connect(ProviderConfig(metadata={SIDEBAND: session.session_id}))
        session.caller_says("A table, please.")
        assert await the(Delegated, ours.events()) == Delegated("d1", "client")
        session.press("7")
        assert await the(ProviderDigit, ours.events()) == ProviderDigit("7")
        ours.send_audio(bytes(960))
        await ours.delegation_output("d1", "It is booked.", final=True)
        said = await the(Transcript, phone.events())
        while said.role != "assistant":
            said = await the(Transcript, phone.events())
        assert said.text.startswith("It ")
        await ours.aclose()
        assert not session.machine.closed
        assert session.sidebands[0].frames == 0


async def test_the_services_own_backend_calls_and_is_answered_by_item() -> None:
    def work(turn: BackendTurn) -> list[Call | Say]:
        return [Call("look_up", {"q": "menu"}, call_id="c1")] if turn.number == 0 else [Say(turn.outputs["c1"])]

    async with OpenAILiveServer() as server, connection(server, delegation="responses") as (ours, session):
        server.on_turn(hands_over)
        server.on_backend(work)
        session.caller_says("What is there?")
        called = await the(ToolCalled, ours.events())
        assert (called.call_id, called.name, called.arguments) == ("c1", "look_up", '{"q": "menu"}')
        await ours.send_tool_result("c1", "look_up", "Soup.", failed=False)
        await ours.respond()
        await session.received("response.create")
        item = cast("dict[str, object]", session.sent("response.item.create")[0]["item"])
        assert item == {"type": "function_call_output", "call_id": "c1", "output": "Soup."}


# --- through a channel ------------------------------------------------------------------------------------------------


class Backend:
    """A backend that has the action confirmed."""

    def __init__(self) -> None:
        self.requests: list[ReasoningRequest] = []

    async def reason(self, request: ReasoningRequest) -> AsyncGenerator[ReasoningOutput]:
        self.requests.append(request)
        text = await request.execute_tool_call(AIToolCall("c1", "ConfirmAction", BOOK))
        yield ReasoningOutput("It is booked." if "true" in text else "It is not booked.", is_final=True)


class Tone:
    rate = 24_000

    async def speak(self, text: str, *, voice: str | None = None, language: str = "en") -> Mailbox[SpeechChunk]:
        chunks: Mailbox[SpeechChunk] = Mailbox()
        chunks.put(SpeechChunk(bytes(2 * 2_400), 0, text))
        chunks.close()
        return chunks


class Ear:
    rate = 16_000
    stays_here = True

    async def transcribe(self, pcm: bytes, *, language: str = "en") -> Transcription | None:
        return Transcription("Yes please.")


def voice() -> bytes:
    """0.6 s that voice activity takes for a voice."""
    at = np.arange(int(24_000 * 0.6)) / 24_000
    buzz = sum(np.sin(2 * np.pi * 120 * n * at) / n for n in range(1, 30))
    shape = 0.6 + 0.4 * np.sin(2 * np.pi * 4 * at)
    return (buzz * shape * 6_000).clip(-32_000, 32_000).astype(np.int16).tobytes()


@asynccontextmanager
async def desk(
    server: OpenAILiveServer, human: HumanInputToolHandler, backend: Backend | None
) -> AsyncGenerator[tuple[VoiceKit, RealtimeVoiceChannel, LoopbackTransport, list[ToolCallEvent]]]:
    reports: list[ToolCallEvent] = []
    with LoopbackTransport() as transport:
        channel = RealtimeVoiceChannel(
            "desk",
            provider=provider_of(server, delegation="client" if backend is not None else "responses"),
            transport=transport,
            human_input_handler=human,
            reasoning_backend=backend,
        )
        async with VoiceKit() as kit:
            kit.register_channel(channel)

            @kit.hook(HookTrigger.ON_TOOL_CALL, HookExecution.ASYNC)
            async def report(event: ToolCallEvent, _ctx: HookContext) -> None:
                reports.append(event)

            yield kit, channel, transport, reports


async def test_a_person_is_asked_aloud_while_the_model_hears_silence_and_the_caller_is_told_the_outcome() -> None:
    backend = Backend()
    human = HumanInputToolHandler(
        {"ConfirmAction"},
        tool_definitions=[confirm_action()],
        askers=[SpokenAsker(speaker=Tone(), listener=Ear()), CardAsker()],
    )
    async with OpenAILiveServer() as server, desk(server, human, backend) as (_, channel, transport, reports):
        server.on_turn(hands_over)
        caller = await transport.call(participant_id="ada", room_id="r")
        caller.ignore("request.opened", "request.changed", "request.settled", "transcript")
        session = await server.session()
        session.caller_says("A table for four at seven, please.")
        with anyio.fail_after(60):
            # The silence that keeps the model's time going has the test look again, too.
            await session.until(lambda: bool(human.handler.pending))
            await caller.hears(200, within_s=30)
            await caller.stay_silent(300)
            await caller.speak(voice())
            await caller.stay_silent(1_500)
            told = await session.received("session.commentary.append")
            account = await session.received("session.instructions.append", count=2)
        assert (told["delegation_id"], told["content"]) == ("d1", "It is booked.")
        assert session.machine.loud_ms == 0
        accounts = [str(event["content"]) for event in session.sent("session.instructions.append")]
        assert any("They were asked:" in text and "Yes please." in text for text in accounts), account
        (request,) = backend.requests
        assert [line.text for line in request.lines] == ["A table for four at seven, please."]
        await channel.close()
        assert [(report.door, report.outcome) for report in reports] == [(DoorName.DELEGATION, OutcomeKind.SERVED)]


async def test_a_call_of_the_services_backend_is_a_provider_call_and_its_person_is_asked() -> None:
    def work(turn: BackendTurn) -> list[Call | Say]:
        return [Call("ConfirmAction", BOOK, call_id="c1")] if turn.number == 0 else [Say("It is booked.")]

    human = HumanInputToolHandler({"ConfirmAction"}, tool_definitions=[confirm_action()], askers=[CardAsker()])
    async with OpenAILiveServer() as server, desk(server, human, None) as (_, channel, transport, reports):
        server.on_turn(hands_over)
        server.on_backend(work)
        caller = await transport.call(participant_id="ada", room_id="r")
        caller.ignore("request.opened", "request.changed", "request.settled", "transcript", "call.preparing")
        session = await server.session()
        session.caller_says("A table for four at seven, please.")
        with anyio.fail_after(60):
            # The silence that keeps the model's time going has the test look again, too.
            await session.until(lambda: bool(human.handler.pending))
            (pending_id,) = human.handler.pending
            assert human.handler.resolve(pending_id, "yes")
            await session.received("response.create")
            await caller.hears(300, within_s=30)
        await channel.close()
        assert [(report.door, report.outcome) for report in reports] == [(DoorName.PROVIDER_CALL, OutcomeKind.SERVED)]
