"""Calls that OpenAI holds: the webhook, the call's control, and a session attached beside its media."""

import gc
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import cast

import anyio
import anyio.lowlevel
import pytest

from voice_hitl import HumanInputToolHandler, RealtimeVoiceChannel, Reject, VoiceKit, confirm_action
from voice_hitl.asker import Asker
from voice_hitl.askers.spoken import SpokenAsker
from voice_hitl.channels.on_call import CallSetup, OnCall
from voice_hitl.channels.session import VoiceSession
from voice_hitl.enums import HookTrigger
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.hooks import HookContext
from voice_hitl.provider import (
    Connected,
    PlaybackEnded,
    ProviderConfig,
    ProviderDigit,
    ProviderEvent,
    ProviderFailed,
    ResponseEnded,
    Resumed,
    Transcript,
)
from voice_hitl.testing.openai.wire import Event
from voice_hitl.testing.openai_realtime import Call, Pause, RealtimeServerSession, Say, Step, Turn
from voice_hitl.testing.openai_sip import OpenAISipServer, ServerCall
from voice_hitl.tools.definition import AITool
from voice_hitl.transport import CallRejected, HungUp, Incoming, LegInfo
from voice_hitl_openai import OpenAIRealtimeProvider, OpenAISipCall, OpenAISipLeg, OpenAISipTransport

pytestmark = pytest.mark.anyio

WITHIN_S = 30
WEATHER = AITool("weather", "The weather.", {"type": "object", "properties": {}})


@pytest.fixture
async def server() -> AsyncIterator[OpenAISipServer]:
    async with OpenAISipServer() as running:
        yield running


class Desk:
    """An agent on OpenAI's SIP."""

    def __init__(self, server: OpenAISipServer, on_call: OnCall | None = None, askers: Sequence[Asker] = ()) -> None:
        self.server = server
        self.provider = OpenAIRealtimeProvider(api_key=server.api_key, base_url=server.base_url)
        self.transport = OpenAISipTransport(self.provider, webhook_secret=server.webhook_secret)
        self.human = HumanInputToolHandler(
            {"ConfirmAction"}, tool_definitions=[confirm_action()], timeout=30, askers=askers
        )
        self.digits: list[str] = []
        self.pressed = anyio.Event()
        self.kit = VoiceKit()
        if not askers:
            self.kit.hook(HookTrigger.ON_USER_INPUT_REQUIRED)(self._required)
        self.channel = RealtimeVoiceChannel(
            "desk",
            provider=self.provider,
            transport=self.transport,
            system_prompt="You take bookings.",
            tools=[WEATHER],
            tool_handler=self._weather,
            human_input_handler=self.human,
            on_call=on_call,
        )
        self.kit.register_channel(self.channel)

    async def _weather(self, _name: str, _arguments: Mapping[str, object]) -> object:
        return {"sky": "clear"}

    async def _required(self, event: object, _context: HookContext) -> None:
        pending_id = getattr(event, "pending_id", "")
        self.human.handler.resolve(str(pending_id), "yes")

    async def taken(self) -> tuple[ServerCall, RealtimeServerSession, VoiceSession]:
        """Somebody calls, and is in a session."""
        call = self.server.call()
        assert await self.transport.webhook(*call.webhook()) == 200
        session = await self.server.session(len(self.server.sessions))
        await session.received("session.update")
        while not self.channel.sessions:
            await anyio.lowlevel.checkpoint()
        return call, session, self.channel.sessions[-1]


@asynccontextmanager
async def desk_at(
    server: OpenAISipServer, on_call: OnCall | None = None, *, askers: Sequence[Asker] = ()
) -> AsyncGenerator[Desk]:
    with anyio.fail_after(WITHIN_S):
        desk = Desk(server, on_call, askers)
        async with desk.kit:
            yield desk


def first(*steps: Step) -> Callable[[Turn], list[Step]]:
    return lambda turn: list(steps) if turn.number == 0 else [Say("Done.")]


async def test_a_call_is_accepted_with_the_model_and_configured_when_attached(server: OpenAISipServer) -> None:
    async with desk_at(server) as desk:
        call, session, voice = await desk.taken()
        assert call.accepted_with["model"] == desk.provider.model
        [update] = session.sent("session.update")
        configured = cast("dict[str, object]", update["session"])
        assert configured["instructions"] == "You take bookings."
        assert all(name in str(configured["tools"]) for name in ("weather", "ConfirmAction"))
        assert "format" not in str(configured["audio"])
        assert (voice.info.from_, voice.participant_id) == ("sip:ann@carrier.example", "sip:ann@carrier.example")


def outputs_of(session: RealtimeServerSession) -> list[str]:
    return [str(item["output"]) for item in session.items if item["type"] == "function_call_output"]


async def test_tools_and_people_answer_with_no_media_here(server: OpenAISipServer) -> None:
    server.on_turn(first(Call("weather", {}), Call("ConfirmAction", {"action": "Book it."})))
    async with desk_at(server) as desk:
        _call, session, _voice = await desk.taken()
        session.caller_says("book it if the sky is clear")
        await session.until(lambda: len(outputs_of(session)) == 2)
        outputs = outputs_of(session)
        assert any("clear" in output for output in outputs)
        assert any('"confirmed": true' in output for output in outputs)
        assert session.frames == 0


async def test_keys_come_in_the_order_they_arrive(server: OpenAISipServer) -> None:
    async with desk_at(server) as desk:
        pressed: list[str] = []

        @desk.kit.hook(HookTrigger.ON_DIGIT)
        async def on_digit(event: object, _context: HookContext) -> None:
            pressed.append(str(getattr(event, "digit", "")))

        call, _session, _voice = await desk.taken()
        for key in "42#":
            call.press(key)
        while len(pressed) < 3:
            await anyio.lowlevel.checkpoint()
        assert pressed == ["4", "2", "#"]


@pytest.mark.parametrize("reason", ["caller", "limit"])
async def test_a_caller_who_hangs_up_or_has_called_as_long_as_may_be_ends_the_session(
    server: OpenAISipServer, reason: str
) -> None:
    async with desk_at(server) as desk:
        call, _session, voice = await desk.taken()
        if reason == "caller":
            call.hang_up()
        else:
            call.expire()
        await voice.closed.wait()
        assert voice.end_reason == reason


async def test_we_hang_up(server: OpenAISipServer) -> None:
    async with desk_at(server) as desk:
        call, _session, voice = await desk.taken()
        await desk.channel.end_session(voice)
        await call.until("over")


async def test_a_lost_connection_is_attached_again_and_nothing_is_said_twice(server: OpenAISipServer) -> None:
    async with desk_at(server) as desk:
        call, session, voice = await desk.taken()
        session.caller_says("hello")
        await anyio.wait_all_tasks_blocked()
        session.drop()
        again = await server.session(1)
        await again.received("session.update")
        assert again.sent("conversation.item.create") == []
        assert voice.end_reason is None
        call.hang_up()
        await voice.closed.wait()


@pytest.mark.parametrize(("code", "on_call"), [(486, Reject(486)), (603, Reject(603))])
async def test_a_call_that_is_not_welcome_is_rejected(server: OpenAISipServer, code: int, on_call: Reject) -> None:
    async def decide(_info: object) -> CallSetup | Reject:
        return on_call

    async with desk_at(server, decide) as desk:
        call = server.call()
        assert await desk.transport.webhook(*call.webhook()) == 200
        await call.until("rejected")
        assert call.status_code == code


async def test_a_webhook_that_is_not_openais_is_refused(server: OpenAISipServer) -> None:
    async with desk_at(server) as desk:
        call = server.call()
        body, headers = call.webhook()
        assert await desk.transport.webhook(body + b" ", headers) == 400
        assert await desk.transport.webhook(body, {**headers, "webhook-signature": "v1,bm8="}) == 400
        assert await desk.transport.webhook(body, {}) == 400
        assert await desk.transport.webhook(*call.webhook(at=time.time() - 3600)) == 400
        assert call.state == "ringing"


async def test_a_webhook_that_comes_twice_is_one_call(server: OpenAISipServer) -> None:
    offered: list[str] = []
    with anyio.fail_after(WITHIN_S):
        transport, call = _transport(server), server.call()

        async def take(incoming: Incoming) -> None:
            offered.append(incoming.info.call_id)
            raise CallRejected(486)

        transport.listen(take)
        for _ in range(2):
            assert await transport.webhook(*call.webhook()) == 200
        await call.until("rejected")
        await transport.aclose()
    assert offered == [call.call_id]


def _transport(server: OpenAISipServer) -> OpenAISipTransport:
    provider = OpenAIRealtimeProvider(api_key=server.api_key, base_url=server.base_url)
    return OpenAISipTransport(provider, webhook_secret=server.webhook_secret)


@asynccontextmanager
async def a_leg(server: OpenAISipServer) -> AsyncGenerator[tuple[ServerCall, OpenAISipLeg]]:
    """A call that is accepted, with nobody attached yet."""
    transport, call = _transport(server), server.call()
    legs: list[OpenAISipLeg] = []

    async def take(incoming: Incoming) -> None:
        legs.append(await transport.accept(incoming, rate=24_000))

    transport.listen(take)
    with anyio.fail_after(WITHIN_S):
        await transport.webhook(*call.webhook())
        await call.until("accepted")
        while not legs:
            await anyio.lowlevel.checkpoint()
        yield call, legs[0]
        await transport.aclose()


async def test_a_call_is_handed_over(server: OpenAISipServer) -> None:
    async with a_leg(server) as (call, leg):
        with pytest.raises(ValueError, match="tel:"):
            await leg.transfer("Lee")
        await leg.transfer("tel:+4930123456")
        assert (call.state, call.target) == ("referred", "tel:+4930123456")
        event = await leg.events().get()
        assert isinstance(event, HungUp)
        assert event.reason == "transferred"


async def test_what_is_out_of_protocol_is_refused(server: OpenAISipServer) -> None:
    async with a_leg(server) as (call, leg):
        call.hang_up()
        with pytest.raises(ProviderError, match="handed over"):
            await leg.transfer("tel:+4930123456")
        await leg.hang_up()  # it is over already: nothing to complain of


async def test_a_call_whose_caller_was_quicker_is_no_error(server: OpenAISipServer) -> None:
    async with desk_at(server) as desk:
        call = server.call()
        call.hang_up()
        assert await desk.transport.webhook(*call.webhook()) == 200
        await anyio.wait_all_tasks_blocked()
        assert desk.channel.sessions == ()


class Attached:
    """A connection beside a call, without a channel."""

    def __init__(self, server: OpenAISipServer) -> None:
        self.server = server
        self.provider = OpenAIRealtimeProvider(api_key=server.api_key, base_url=server.base_url)
        self.transport = OpenAISipTransport(self.provider, webhook_secret=server.webhook_secret)
        self.told: list[ProviderEvent] = []

    async def open(self, metadata: Mapping[str, object] | None = None) -> ServerCall:
        call = self.server.call()
        await self.transport.accept(OpenAISipCall(LegInfo(call_id=call.call_id)), rate=24_000)
        config = ProviderConfig(hosted_call_id=call.call_id, metadata=metadata or {})
        self.connection = await self.provider.connect(config)
        return call

    async def until(self, kind: type[ProviderEvent]) -> ProviderEvent:
        while True:
            event = await self.connection.events().get()
            self.told.append(event)
            if isinstance(event, kind):
                return event

    async def aclose(self) -> None:
        await self.connection.aclose()
        await self.transport.aclose()


@asynccontextmanager
async def attached(server: OpenAISipServer) -> AsyncGenerator[tuple[Attached, ServerCall, RealtimeServerSession]]:
    beside = Attached(server)
    with anyio.fail_after(WITHIN_S):
        call = await beside.open()
        try:
            yield beside, call, await server.session()
        finally:
            await beside.aclose()


def legs_of(call: ServerCall) -> list[OpenAISipLeg]:
    """The legs of that call that something holds."""
    gc.collect()
    legs = [each for each in gc.get_objects() if isinstance(each, OpenAISipLeg)]
    return [leg for leg in legs if leg.info.call_id == call.call_id]


async def end(reason: str, beside: Attached, call: ServerCall) -> None:
    events = legs_of(call)[0].events()
    match reason:
        case "us":
            await legs_of(call)[0].hang_up()
        case "transferred":
            await legs_of(call)[0].transfer("tel:+4930123456")
        case _:
            call.hang_up() if reason == "caller" else call.expire()
            with pytest.raises(ConnectionEnded):
                await beside.until(Resumed)
            with pytest.raises(ProviderError, match="is over"):
                await beside.provider.connect(ProviderConfig(hosted_call_id=call.call_id))
    hung_up = await events.get()
    assert isinstance(hung_up, HungUp)
    assert hung_up.reason == reason


@pytest.mark.parametrize("reason", ["us", "transferred", "caller", "limit"])
async def test_however_a_call_ends_neither_transport_nor_provider_keeps_it(
    server: OpenAISipServer, reason: str
) -> None:
    async with attached(server) as (beside, call, _session):
        await end(reason, beside, call)
        while legs_of(call):  # a refused connection's last callback holds what it was tried for a tick longer
            await anyio.lowlevel.checkpoint()


async def test_a_call_is_not_attached_to_anew_to_put_off_its_end(server: OpenAISipServer) -> None:
    async with attached(server) as (beside, _call, _session):
        assert await beside.until(Connected) == Connected(None)


async def test_what_was_heard_is_told_when_the_service_has_played_it(server: OpenAISipServer) -> None:
    async with attached(server) as (beside, _call, session):
        session.caller_says("hello")
        ended = await beside.until(PlaybackEnded)
        assert isinstance(ended, PlaybackEnded)
        # The words are all generated long before they are heard.
        assert any(isinstance(event, ResponseEnded) for event in beside.told)
        assert ended.item_id in {item["id"] for item in session.items}


async def test_interrupting_cancels_the_response_and_clears_what_is_heard(server: OpenAISipServer) -> None:
    pause = Pause()
    server.on_turn(lambda _turn: [Say("This is a long story about a table."), pause])
    async with attached(server) as (beside, _call, session):
        session.caller_says("hello")
        await beside.until(Transcript)
        await beside.connection.interrupt(item_id="item", played_ms=100)
        await session.received("output_audio_buffer.clear")
        kinds = [event["type"] for event in session.events]
        assert kinds.index("response.cancel") < kinds.index("output_audio_buffer.clear")
        assert "conversation.item.truncate" not in kinds
        await beside.until(ResponseEnded)
        assert not any(isinstance(event, PlaybackEnded) for event in beside.told)


async def test_a_key_is_told_as_it_comes(server: OpenAISipServer) -> None:
    async with attached(server) as (beside, call, _session):
        call.press("1")
        assert await beside.until(ProviderDigit) == ProviderDigit("1")


async def test_attaching_again_keeps_every_call_that_is_owed_and_says_nothing_again(server: OpenAISipServer) -> None:
    beside = Attached(server)
    owed = {"history": [{"role": "user", "text": "hi"}], "owed_calls": [{"call_id": "c1", "name": "weather"}]}
    with anyio.fail_after(WITHIN_S):
        await beside.open(owed)
        assert await beside.until(Resumed) == Resumed(("c1",))
        session = await server.session()
        assert session.sent("conversation.item.create") == []
        await beside.aclose()


async def test_no_audio_goes_to_a_call_that_the_service_holds(server: OpenAISipServer) -> None:
    async with attached(server) as (beside, _call, session):
        beside.connection.send_audio(bytes(960))
        failed = await beside.until(ProviderFailed)
        assert isinstance(failed, ProviderFailed)
        assert "SIP" in failed.message
        assert not failed.fatal
        assert session.items == []


async def test_a_call_that_nobody_accepted_cannot_be_attached_to(server: OpenAISipServer) -> None:
    provider = OpenAIRealtimeProvider(api_key=server.api_key, base_url=server.base_url)
    with pytest.raises(ProviderError):
        await provider.connect(ProviderConfig(hosted_call_id=server.call().call_id))


# --- asking aloud ----------------------------------------------------------------------------------------------------

SENTENCE, QUESTION = "Book a table for four.", "Shall I go ahead?"


class AskedAloud:
    """A call in which the caller is to confirm something, asked by the model's own voice."""

    def __init__(self, server: OpenAISipServer) -> None:
        self.said: list[str] = []
        self.played = 0
        self.on_cleared: Callable[[], None] = lambda: None
        self.changed = anyio.Event()
        server.on_turn(first(Call("ConfirmAction", {"action": "Book a table for four."})))
        server.on_saying(self._say)
        server.tamper(self._watch)

    def _say(self, text: str) -> str:
        self.said.append(text)
        self._change()
        return text

    def _watch(self, event: Event) -> Sequence[Event]:
        if event["type"] == "output_audio_buffer.stopped":
            self.played += 1
            self._change()
        elif event["type"] == "output_audio_buffer.cleared":
            self.on_cleared()
        return [event]

    def _change(self) -> None:
        changed, self.changed = self.changed, anyio.Event()
        changed.set()

    async def until(self, *said: str, played: int) -> None:
        """Wait until this was said, and so much of it was played to its end."""
        while self.said != list(said) or self.played < played:
            await self.changed.wait()
        assert self.played == played


def at_a_callers_pace(call: ServerCall, speed: float) -> None:
    assert call.machine is not None
    call.machine.playback_speed = speed


async def test_a_yes_that_the_caller_says_once_the_question_was_played_confirms(server: OpenAISipServer) -> None:
    asked = AskedAloud(server)
    async with desk_at(server, askers=[SpokenAsker()]) as desk:
        call, session, _voice = await desk.taken()
        at_a_callers_pace(call, 2)
        session.caller_says("book it")
        await asked.until(SENTENCE, QUESTION, played=2)
        assert outputs_of(session) == []
        session.caller_says("Yes.")
        await session.until(lambda: bool(outputs_of(session)))
        [output] = outputs_of(session)
        assert json.loads(output) == {"confirmed": True, "via": "voice", "said": "Yes."}
        assert session.frames == 0


async def test_a_yes_before_the_question_was_played_is_asked_again(server: OpenAISipServer) -> None:
    asked = AskedAloud(server)
    async with desk_at(server, askers=[SpokenAsker()]) as desk:
        call, session, _voice = await desk.taken()
        at_a_callers_pace(call, 0.01)
        session.caller_says("book it")
        await asked.until(SENTENCE, played=0)
        asked.on_cleared = lambda: at_a_callers_pace(call, 2)  # before a word of what is asked again is there to hear
        session.caller_says("Yes.")
        await asked.until(SENTENCE, SENTENCE, QUESTION, played=2)
        assert outputs_of(session) == []
        session.caller_says("Yes.")
        await session.until(lambda: bool(outputs_of(session)))
        [output] = outputs_of(session)
        assert json.loads(output)["confirmed"] is True


async def test_a_key_answers_while_the_question_is_being_played(server: OpenAISipServer) -> None:
    asked = AskedAloud(server)
    async with desk_at(server, askers=[SpokenAsker()]) as desk:
        call, session, _voice = await desk.taken()
        at_a_callers_pace(call, 2)
        session.caller_says("book it")
        await asked.until(SENTENCE, QUESTION, played=1)
        call.press("2")
        await session.until(lambda: bool(outputs_of(session)))
        [output] = outputs_of(session)
        assert json.loads(output) == {"confirmed": False, "via": "key"}
