"""A desk that asks aloud: a scripted model, a loopback caller, somebody else to ask, one clock, in virtual time."""

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

import anyio
import numpy as np

from voice_hitl.asker import Asker, AskerSession, Asking, GaveUp
from voice_hitl.askers.card import CardAsker
from voice_hitl.askers.spoken import SpokenAsker
from voice_hitl.channels.voice import RealtimeVoiceChannel
from voice_hitl.enums import Via
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.provider import ProviderCapabilities, Transcript
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.pending import PendingInput
from voice_hitl.requests.settlement import Settlement
from voice_hitl.speech_ports import SpeechChunk
from voice_hitl.tasks import Latch, Mailbox
from voice_hitl.testing import (
    Forgot,
    Held,
    Injected,
    LoopbackCaller,
    LoopbackTransport,
    Responded,
    ScriptedConnection,
    ScriptedProvider,
)
from voice_hitl.tools.asking import HumanTool, confirm_action
from voice_hitl.transport import LegCapabilities

RATE = 16_000
BOOK = {"action": "Book a table for four at seven."}


class Tone:
    """A voice of so long a sentence, that says nothing anybody understands."""

    rate = RATE

    def __init__(self, *, seconds: float = 0.5) -> None:
        self.seconds = seconds
        self.said: list[str] = []
        self.sentences: Mailbox[str] = Mailbox()

    async def speak(self, text: str, *, voice: str | None = None, language: str = "en") -> Mailbox[SpeechChunk]:
        self.said.append(text)
        self.sentences.put(text)
        chunks: Mailbox[SpeechChunk] = Mailbox()
        chunks.put(SpeechChunk(np.zeros(int(RATE * self.seconds), np.int16).tobytes(), 0, text))
        chunks.close()
        return chunks


def speech(seconds: float) -> bytes:
    """Something that voice activity takes for a voice: a buzz with formants."""
    at = np.arange(int(RATE * seconds)) / RATE
    buzz = sum(np.sin(2 * np.pi * 120 * n * at) / n for n in range(1, 30))
    shape = 0.6 + 0.4 * np.sin(2 * np.pi * 4 * at)
    return (buzz * shape * 6000).clip(-32000, 32000).astype(np.int16).tobytes()


QUIET = ProviderCapabilities(rate=RATE, hold="quiet")


class Colleague:
    """Somebody else who is asked, and answers when told to."""

    name = "colleague"

    def __init__(self) -> None:
        self.asked = Latch()
        self.withdrawn = Latch()
        self.asking: Asking | None = None

    def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
        return True

    async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
        self.asking = asking
        asking.put()
        self.asked.set()
        try:
            await anyio.sleep_forever()
        finally:
            self.withdrawn.set()
        return None

    async def answers(self, value: object = True) -> Settlement:
        assert self.asking is not None
        return await self.asking.answer(Answer(value, by="lee", via=Via.CONSOLE))


class Desk:
    """At its end the channel closes; the model and the caller must have played their parts to the end."""

    def __init__(
        self,
        *others: Asker,
        spoken: Asker | None = None,
        tool: HumanTool | None = None,
        audience: Sequence[str] = (),
        timeout: float = 60,
        handler: HumanInputHandler | None = None,
        capabilities: ProviderCapabilities = QUIET,
        leg: LegCapabilities | None = None,
    ) -> None:
        self.provider = ScriptedProvider(capabilities=capabilities)
        self.transport = LoopbackTransport(capabilities=leg)
        self.voice = Tone()
        tool = tool or confirm_action()
        self.tool = tool.name
        self.human = HumanInputToolHandler(
            {tool.name},
            timeout=timeout,
            tool_definitions=[tool],
            askers=[spoken or SpokenAsker(speaker=self.voice), *(others or (CardAsker(),))],
            audience=audience,
            handler=handler,
        )
        self.channel = RealtimeVoiceChannel(
            "voice", provider=self.provider, transport=self.transport, human_input_handler=self.human
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            await self.channel.close()
            self.transport.done()
            self.provider.done()

    async def call(self) -> tuple[LoopbackCaller, ScriptedConnection]:
        caller = await self.transport.call(participant_id="ada", room_id="desk")
        caller.ignore("request.opened", "request.changed", "request.settled", "transcript")
        model = await self.provider.connected()
        model.ignore(Injected, Responded, Forgot)
        return caller, model

    async def ask(self, arguments: Mapping[str, object] = BOOK) -> tuple[LoopbackCaller, ScriptedConnection, str]:
        caller, model = await self.call()
        call_id = model.call_tool(self.tool, arguments)
        await model.expect(Held, on=True)
        await self.spoken()
        await caller.hears(1000)
        return caller, model, call_id

    async def spoken(self, sentences: int = 2) -> None:
        """So many sentences were made."""
        with anyio.fail_after(20):
            for _ in range(sentences):
                await self.voice.sentences.get()


async def say(caller: LoopbackCaller, model: ScriptedConnection, text: str, item: str) -> None:
    await caller.speak(speech(0.6))
    await caller.stay_silent(400)
    model.emit(Transcript("user", text, True, item))
