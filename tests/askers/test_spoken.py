"""The caller answers aloud: a scripted model, a loopback caller, one clock, in virtual time."""

import json
import re

import anyio
import numpy as np
import pytest

from voice_hitl.askers.card import CardAsker
from voice_hitl.askers.spoken import SpokenAsker
from voice_hitl.channels.voice import RealtimeVoiceChannel
from voice_hitl.enums import RequestEnd
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.provider import ProviderCapabilities, ResponseEnded, ResponseStarted, Transcript
from voice_hitl.speech_ports import SpeechChunk
from voice_hitl.tasks import Mailbox
from voice_hitl.testing import (
    Forgot,
    Held,
    Injected,
    LoopbackCaller,
    LoopbackTransport,
    Responded,
    ScriptedConnection,
    ScriptedProvider,
    SentToolResult,
)
from voice_hitl.tools.asking import confirm_action

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

RATE = 16_000


class Tone:
    """A voice of half a second a sentence, that says nothing anybody understands."""

    rate = RATE

    def __init__(self) -> None:
        self.said: list[str] = []
        self.sentences: Mailbox[str] = Mailbox()

    async def speak(self, text: str, *, voice: str | None = None, language: str = "en") -> Mailbox[SpeechChunk]:
        self.said.append(text)
        self.sentences.put(text)
        chunks: Mailbox[SpeechChunk] = Mailbox()
        chunks.put(SpeechChunk(np.zeros(RATE // 2, np.int16).tobytes(), 0, text))
        chunks.close()
        return chunks


def speech(seconds: float) -> bytes:
    """Something that voice activity takes for a voice: a buzz with formants."""
    at = np.arange(int(RATE * seconds)) / RATE
    buzz = sum(np.sin(2 * np.pi * 120 * n * at) / n for n in range(1, 30))
    shape = 0.6 + 0.4 * np.sin(2 * np.pi * 4 * at)
    return (buzz * shape * 6000).clip(-32000, 32000).astype(np.int16).tobytes()


class Desk:
    def __init__(self) -> None:
        capabilities = ProviderCapabilities(rate=RATE, hold="quiet")
        self.provider = ScriptedProvider(capabilities=capabilities)
        self.transport = LoopbackTransport()
        self.voice = Tone()
        self.human = HumanInputToolHandler(
            {"ConfirmAction"},
            timeout=60,
            tool_definitions=[confirm_action()],
            askers=[SpokenAsker(speaker=self.voice), CardAsker()],
        )
        self.channel = RealtimeVoiceChannel(
            "voice", provider=self.provider, transport=self.transport, human_input_handler=self.human
        )

    async def ask(self) -> tuple[LoopbackCaller, ScriptedConnection, str]:
        caller = await self.transport.call(participant_id="ada", room_id="desk")
        caller.ignore("request.opened", "request.changed", "request.settled", "transcript")
        model = await self.provider.connected()
        model.ignore(Injected, Responded)
        model.emit(ResponseStarted("r1"))
        call_id = model.call_tool("ConfirmAction", json.dumps({"action": "Book a table for four at seven."}))
        model.emit(ResponseEnded("r1"))
        await model.expect(Held, on=True)
        with anyio.fail_after(20):
            for _ in ("the action", "the question"):
                await self.voice.sentences.get()
        await caller.hears(1000)
        return caller, model, call_id


async def say(caller: LoopbackCaller, model: ScriptedConnection, text: str, item: str) -> None:
    await caller.speak(speech(0.6))
    await caller.stay_silent(400)
    model.emit(Transcript("user", text, True, item))


async def test_the_caller_says_yes_and_the_model_reads_it() -> None:
    desk = Desk()
    with desk.provider, desk.transport:
        caller, model, call_id = await desk.ask()
        await say(caller, model, "Yes please.", "item-1")
        await model.expect(Forgot, item_id="item-1")
        sent = await model.expect(SentToolResult, call_id=call_id, failed=False)
        assert json.loads(sent.text) == {"confirmed": True, "via": "voice", "said": "Yes please."}
        model.ignore(Forgot)
        await model.expect(Held, on=False)
        await desk.channel.close()
    assert desk.voice.said[:2] == ["Book a table for four at seven.", "Shall I go ahead?"]


async def test_the_caller_says_no_with_a_change_and_the_model_reads_both() -> None:
    desk = Desk()
    with desk.provider, desk.transport:
        caller, model, call_id = await desk.ask()
        await say(caller, model, "No, make it eight.", "item-1")
        await model.expect(Forgot, item_id="item-1")
        sent = await model.expect(SentToolResult, call_id=call_id, text=re.compile('"confirmed": false'))
        assert json.loads(sent.text)["said"] == "No, make it eight."
        model.ignore(Forgot)
        await model.expect(Held, on=False)
        await desk.channel.close()


async def test_a_key_is_an_answer() -> None:
    desk = Desk()
    with desk.provider, desk.transport:
        caller, model, call_id = await desk.ask()
        model.ignore(Forgot)
        await caller.press("1")
        sent = await model.expect(SentToolResult, call_id=call_id, failed=False)
        assert json.loads(sent.text) == {"confirmed": True, "via": "key"}
        await model.expect(Held, on=False)
        await desk.channel.close()


async def test_a_card_that_answers_first_stops_the_voice() -> None:
    desk = Desk()
    with desk.provider, desk.transport:
        _, model, call_id = await desk.ask()
        model.ignore(Forgot)
        (pending,) = desk.human.handler.pending.values()
        assert desk.human.handler.resolve(pending.pending_id, "yes")
        await model.expect(SentToolResult, call_id=call_id, failed=False)
        await model.expect(Held, on=False)
        await desk.channel.close()


async def test_a_hang_up_in_the_question_withdraws_it() -> None:
    desk = Desk()
    with desk.provider, desk.transport:
        caller, model, _ = await desk.ask()
        (session,) = desk.channel.sessions
        (request,) = session.open_requests
        model.ignore(Held, Forgot)
        caller.hang_up()
        with anyio.fail_after(20):
            await session.closed.wait()
        assert request.end is RequestEnd.WITHDRAWN
        await desk.channel.close()
