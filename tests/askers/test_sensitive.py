"""A sensitive answer: the model hears nothing of it, and what everybody else sees of it is three dots."""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import pytest

from tests.askers.spoken_desk import RATE, Desk, Tone, speech
from voice_hitl.asker import AskerSession, Asking, GaveUp
from voice_hitl.askers.spoken import SpokenAsker
from voice_hitl.enums import HookExecution, HookTrigger
from voice_hitl.events import HookEvent
from voice_hitl.hooks import HookContext
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.provider import Transcript
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Choice, Number, Option, Question, Text
from voice_hitl.requests.pending import PendingInput
from voice_hitl.requests.settlement import SettlementKind
from voice_hitl.speech_ports import Transcription
from voice_hitl.store import Letter, Row
from voice_hitl.stores.memory import MemoryStore
from voice_hitl.testing import Held, LoopbackCaller, ScriptedConnection, SentAudio, SentToolResult
from voice_hitl.tools.asking import HumanTool
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.human_tool import human_tool
from voice_hitl.transport import LegCapabilities

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

PIN = Number(prompt="What is your PIN?", digits=4, sensitive=True)
VALUE = "4829"


class Whisperer:
    """A listener that makes these words of one utterance after another, and keeps what it heard to itself."""

    rate = 16_000
    stays_here = True

    def __init__(self, *texts: str | None, confidence: float | None = None) -> None:
        self.texts = list(texts)
        self.confidence = confidence
        self.heard: list[bytes] = []

    async def transcribe(self, pcm: bytes, *, language: str = "en") -> Transcription | None:
        self.heard.append(pcm)
        text = self.texts.pop(0)
        if text == "breaks":
            raise OSError(f"{VALUE} cannot be made out")
        return None if text is None else Transcription(text, self.confidence)


class Elsewhere(Whisperer):
    """A listener that sends audio to somebody else."""

    stays_here = False


class OpenBook(MemoryStore):
    """A store that keeps all that was ever written into it."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[object] = []

    async def write(self, row: Row, *, orphan_of: str | None = None) -> bool:
        self.written.append(row)
        return await super().write(row, orphan_of=orphan_of)

    async def post(self, letter: Letter) -> None:
        self.written.append(letter)
        await super().post(letter)

    async def reply(self, letter: Letter, verdict: str) -> None:
        self.written.append((letter, verdict))
        await super().reply(letter, verdict)


@dataclass
class Overheard:
    """All that hooks and the store were told."""

    store: OpenBook = field(default_factory=OpenBook)
    events: list[HookEvent] = field(default_factory=list[HookEvent])

    def __str__(self) -> str:
        return repr((self.store.written, self.events))

    def listen(self, kit: VoiceKit) -> None:
        async def keep(event: HookEvent, _ctx: HookContext) -> None:
            self.events.append(event)

        for trigger in HookTrigger:
            for execution in HookExecution:
                kit.hook(trigger, execution)(keep)


def asks(question: Question, *, reveal: bool = False) -> HumanTool:
    return human_tool(
        AITool("ask_pin", "Ask for the PIN."), question=lambda _arguments: question, reveal_to_model=reveal
    )


@asynccontextmanager
async def a_call(desk: Desk, overheard: Overheard) -> AsyncGenerator[tuple[LoopbackCaller, ScriptedConnection], None]:
    kit = VoiceKit()
    kit.register_channel(desk.channel)
    overheard.listen(kit)
    with desk.provider, desk.transport:
        caller, model = await desk.call()
        try:
            yield caller, model
        finally:
            with anyio.fail_after(30):
                await kit.close()


def desk_for(tool: HumanTool, asker: SpokenAsker, overheard: Overheard, leg: LegCapabilities | None = None) -> Desk:
    return Desk(tool=tool, spoken=asker, handler=HumanInputHandler(store=overheard.store), leg=leg)


async def sent(model: ScriptedConnection, frames: int) -> bytes:
    """What so many frames of the caller's were when the model got them."""
    return b"".join([(await model.expect(SentAudio)).pcm for _ in range(frames)])


@pytest.mark.parametrize("reveal", [False, True])
async def test_a_keyed_answer_is_seen_by_nobody_but_the_application(
    reveal: bool, caplog: pytest.LogCaptureFixture
) -> None:
    overheard = Overheard()
    asker = SpokenAsker(speaker=Tone())
    desk = desk_for(asks(PIN, reveal=reveal), asker, overheard)
    with caplog.at_level(logging.DEBUG):
        async with a_call(desk, overheard) as (caller, model):
            call_id = model.call_tool("ask_pin")
            await model.expect(Held, on=True)
            await caller.hears(1000)
            await caller.press(VALUE)
            read = await model.expect(SentToolResult, call_id=call_id, failed=False)
            await model.expect(Held, on=False)
    assert read.text == (VALUE if reveal else '{"collected": true}')
    assert VALUE not in str(overheard)
    assert VALUE not in caplog.text
    heard = [event for event in overheard.events if type(event).__name__ == "HeardEvent"]
    assert "why='...'" in repr(heard)


async def test_the_model_hears_nothing_while_the_listener_does(caplog: pytest.LogCaptureFixture) -> None:
    overheard = Overheard()
    listener = Whisperer("four eight two nine")
    desk = desk_for(asks(PIN), SpokenAsker(speaker=Tone(), listener=listener), overheard)
    with caplog.at_level(logging.DEBUG):
        async with a_call(desk, overheard) as (caller, model):
            model.watch(SentAudio)
            await caller.speak(speech(0.1))
            assert any(await sent(model, 5))
            call_id = model.call_tool("ask_pin")
            await model.expect(Held, on=True)
            await caller.hears(1000)
            await caller.speak(speech(0.6))
            await caller.stay_silent(500)
            assert not any(await sent(model, 30 + 25))
            model.ignore(SentAudio)
            await caller.stay_silent(400)
            read = await model.expect(SentToolResult, call_id=call_id, failed=False)
            await model.expect(Held, on=False)
            model.watch(SentAudio)
            await caller.speak(speech(0.1))
            assert any(await sent(model, 5))
            model.ignore(SentAudio)
    assert read.text == '{"collected": true}'
    assert len(listener.heard) == 1
    assert len(listener.heard[0]) / 2 / RATE == pytest.approx(0.6 + 0.3 + 0.6, abs=0.25)
    assert VALUE not in str(overheard)
    assert "four eight" not in str(overheard)
    assert "four eight" not in caplog.text


async def test_the_application_reads_it_from_the_answer() -> None:
    overheard, given = Overheard(), list[Answer]()

    def keep(answer: Answer) -> str:
        given.append(answer)
        return "the PIN was taken"

    tool = human_tool(AITool("ask_pin", "Ask for the PIN."), question=lambda _arguments: PIN, result=keep)
    desk = desk_for(tool, SpokenAsker(speaker=Tone()), overheard)
    async with a_call(desk, overheard) as (caller, model):
        model.call_tool("ask_pin")
        await model.expect(Held, on=True)
        await caller.hears(1000)
        await caller.press(VALUE)
        assert (await model.expect(SentToolResult)).text == "the PIN was taken"
        await model.expect(Held, on=False)
    assert [answer.value for answer in given] == [VALUE]


async def test_the_model_hears_the_caller_again_only_when_they_have_finished() -> None:
    overheard = Overheard()
    desk = desk_for(asks(PIN), SpokenAsker(speaker=Tone()), overheard)
    async with a_call(desk, overheard) as (caller, model):
        model.call_tool("ask_pin")
        await model.expect(Held, on=True)
        await caller.hears(1000)
        async with anyio.create_task_group() as group:
            group.start_soon(caller.speak, speech(2.0))
            await anyio.sleep(0.2)
            await caller.press(VALUE)  # and says the same digits meanwhile
            await model.expect(SentToolResult)
            await model.expect(Held, on=False)
            model.watch(SentAudio)
            assert not any(await sent(model, 20))
            model.ignore(SentAudio)
        await caller.stay_silent(600)
        model.watch(SentAudio)
        await caller.speak(speech(0.1))
        assert any(await sent(model, 5))
        model.ignore(SentAudio)


async def test_what_the_model_had_transcribed_of_before_is_not_read_as_the_answer() -> None:
    overheard = Overheard()
    desk = desk_for(asks(PIN), SpokenAsker(speaker=Tone(), listener=Whisperer("four eight two nine")), overheard)
    async with a_call(desk, overheard) as (caller, model):
        call_id = model.call_tool("ask_pin")
        await model.expect(Held, on=True)
        await caller.hears(1000)
        model.emit(Transcript("user", "one two three four", True, "early"))
        await caller.stay_silent(1500)
        assert len(desk.human.handler.pending) == 1
        await caller.speak(speech(0.6))
        await caller.stay_silent(900)
        await model.expect(SentToolResult, call_id=call_id, failed=False)
        await model.expect(Held, on=False)


async def test_what_is_heard_with_doubt_is_asked_again_and_never_said_aloud() -> None:
    overheard, voice = Overheard(), Tone()
    listener = Whisperer("four eight two nine", "what do you need it for", None, "breaks", confidence=0.2)
    desk = desk_for(asks(PIN), SpokenAsker(speaker=voice, listener=listener, tries=5), overheard)
    async with a_call(desk, overheard) as (caller, model):
        call_id = model.call_tool("ask_pin")
        await model.expect(Held, on=True)
        await caller.hears(500)
        for _ in range(4):
            await caller.speak(speech(0.6))
            await caller.stay_silent(3000)
        assert listener.texts == []
        await caller.press(VALUE)
        await model.expect(SentToolResult, call_id=call_id, failed=False)
        await model.expect(Held, on=False)
    assert "4" not in " ".join(voice.said).replace("4 digits", "")
    assert VALUE not in str(overheard)


async def test_a_spoken_word_is_asked_to_be_keyed_where_nobody_may_hear_it() -> None:
    overheard, voice = Overheard(), Tone()
    listener = Elsewhere()
    desk = desk_for(asks(PIN), SpokenAsker(speaker=voice, listener=listener), overheard)
    async with a_call(desk, overheard) as (caller, model):
        call_id = model.call_tool("ask_pin")
        await model.expect(Held, on=True)
        await caller.hears(1000)
        await caller.speak(speech(0.6))
        await caller.stay_silent(3000)
        await caller.press(VALUE)
        await model.expect(SentToolResult, call_id=call_id, failed=False)
        await model.expect(Held, on=False)
    assert listener.heard == []
    assert voice.said[:2] == ["What is your PIN?", "Do not say it aloud: key it in on the keypad, please."]
    assert voice.said.count("Do not say it aloud: key it in on the keypad, please.") == 2


class Nobody:
    """An asker that reaches nobody: only the voice is left."""

    name = "nobody"

    def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
        return False

    async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
        return None


NO_KEYS = LegCapabilities(digits=False, messages=False)
PASSWORD = Text(prompt="What is your password?", sensitive=True)
TITLE = Choice(prompt="Which illness?", options=(Option(label="Flu"), Option(label="Measles")), sensitive=True)


@pytest.mark.parametrize(
    ("question", "leg", "listener", "asked"),
    [
        (PIN, None, None, True),
        (TITLE, None, None, True),
        (PIN, NO_KEYS, None, False),
        (PIN, NO_KEYS, Elsewhere(), False),
        (PIN, NO_KEYS, Whisperer(), True),
        (PASSWORD, None, None, False),
        (PASSWORD, None, Elsewhere(), False),
        (PASSWORD, None, Whisperer(), True),
    ],
)
async def test_where_nothing_can_take_it_the_call_fails_instead_of_waiting(
    question: Question, leg: LegCapabilities | None, listener: Whisperer | None, asked: bool
) -> None:
    asker = SpokenAsker(speaker=Tone(), listener=listener)
    async with Desk(Nobody(), tool=asks(question), spoken=asker, leg=leg) as desk:
        caller, model = await desk.call()
        call_id = model.call_tool("ask_pin")
        if asked:
            await model.expect(Held, on=True)
            await caller.hears(200)
            model.ignore(Held)
        else:
            await model.expect(SentToolResult, call_id=call_id, failed=True)


async def test_only_the_process_that_holds_the_call_takes_it() -> None:
    overheard = Overheard()
    desk = desk_for(asks(PIN), SpokenAsker(speaker=Tone()), overheard)
    other = HumanInputHandler(store=overheard.store)
    async with a_call(desk, overheard) as (caller, model):
        call_id = model.call_tool("ask_pin")
        await model.expect(Held, on=True)
        await caller.hears(1000)
        (pending_id,) = desk.human.handler.pending
        refused = await other.answer(pending_id, Answer(VALUE))
        assert refused.kind is SettlementKind.NOT_ALLOWED
        wrong = await desk.human.handler.answer(pending_id, Answer(VALUE + "1"), key="k1")
        assert wrong.kind is SettlementKind.INVALID
        await caller.press(VALUE)
        await model.expect(SentToolResult, call_id=call_id, failed=False)
        await model.expect(Held, on=False)
    await other.close()
    assert VALUE not in str(overheard)


async def test_the_hooks_hear_of_it_all_the_same() -> None:
    overheard = Overheard()
    desk = desk_for(asks(PIN), SpokenAsker(speaker=Tone()), overheard)
    async with a_call(desk, overheard) as (caller, model):
        model.call_tool("ask_pin")
        await model.expect(Held, on=True)
        await caller.hears(1000)
        await caller.press(VALUE)
        await model.expect(SentToolResult)
        await model.expect(Held, on=False)
        await anyio.sleep(1)
    told = {"HeardEvent", "AskedEvent", "PendingInputEvent", "ToolCallEvent"}
    assert told <= {type(event).__name__ for event in overheard.events}
