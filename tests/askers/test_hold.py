"""The caller is not left in silence while somebody else is being asked."""

from typing import Literal

import anyio
import pytest

from voice_hitl.asker import AskerSession, Asking, GaveUp
from voice_hitl.askers.escalation import Try
from voice_hitl.askers.hold import HoldLines
from voice_hitl.askers.wording import HOLD_LINES
from voice_hitl.channels.voice import RealtimeVoiceChannel
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.provider import AudioOut, ProviderCapabilities, ResponseEnded, ResponseStarted, SpeechStarted
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Confirm
from voice_hitl.requests.pending import PendingInput
from voice_hitl.speech.interpret import interpret
from voice_hitl.speech.reading import NoMatch
from voice_hitl.tasks import Latch
from voice_hitl.testing import (
    Forgot,
    Injected,
    LoopbackCaller,
    LoopbackTransport,
    Responded,
    Said,
    ScriptedConnection,
    ScriptedProvider,
    SentToolResult,
)
from voice_hitl.tools.asking import confirm_action

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

RATE = 16_000
ABLE = ProviderCapabilities(rate=RATE, verbatim="likely")
FIRST = "One moment, I am checking with a colleague."
THEN = "I am still waiting for an answer. Thank you for holding."


class Colleague:
    name = "colleague"

    def __init__(self) -> None:
        self.asking: Asking | None = None
        self.whom: Literal["caller", "others"] = "others"
        self.gives_up = Latch()

    def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
        return True

    async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
        self.asking = asking
        await self.gives_up.wait()
        return GaveUp(1)


class Desk:
    def __init__(self, *, capabilities: ProviderCapabilities = ABLE, hold: HoldLines | None = None) -> None:
        self.colleague = Colleague()
        self.provider = ScriptedProvider(capabilities=capabilities)
        self.transport = LoopbackTransport()
        self.human = HumanInputToolHandler(
            {"ConfirmAction"},
            timeout=600,
            tool_definitions=[confirm_action()],
            askers=[self.colleague, hold or HoldLines()],
        )
        self.channel = RealtimeVoiceChannel(
            "voice", provider=self.provider, transport=self.transport, human_input_handler=self.human
        )

    async def ask(self) -> tuple[LoopbackCaller, ScriptedConnection]:
        caller = await self.transport.call(participant_id="ada", room_id="desk")
        caller.ignore("request.opened", "request.changed", "request.settled", "transcript")
        model = await self.provider.connected()
        model.ignore(Injected, Responded, Forgot)
        model.call_tool("ConfirmAction", {"action": "Refund 20 dollars."})
        return caller, model

    async def line(self, caller: LoopbackCaller, model: ScriptedConnection, text: str, *, within_s: float) -> None:
        """A line is wanted of the model; a second later the caller has heard it."""
        await model.expect(Said, text=text, within_s=within_s)
        item = f"line-{model.counts[Said]}"
        model.emit(ResponseStarted(item, ours=True), AudioOut(bytes(RATE * 2), item, response_id=item))
        model.emit(ResponseEnded(item))
        await caller.hears(1000, item=item)

    async def answer(self, model: ScriptedConnection) -> None:
        assert self.colleague.asking is not None
        await self.colleague.asking.answer(Answer(True, by="lee"))
        await model.expect(SentToolResult)
        await self.channel.close()


async def test_the_lines_come_at_growing_intervals_and_end_with_the_answer() -> None:
    desk = Desk()
    with desk.provider, desk.transport:
        caller, model = await desk.ask()
        for text, silence in ((FIRST, 2), (THEN, 15), (THEN, 30), (THEN, 60), (THEN, 60)):
            before = anyio.current_time()
            await desk.line(caller, model, text, within_s=90)
            assert anyio.current_time() - before == pytest.approx(silence + 1, abs=0.3)
        await desk.answer(model)
        await anyio.sleep(200)
        assert model.counts[Said] == 5


async def test_a_line_waits_for_the_models_own_words_and_for_the_caller() -> None:
    desk = Desk()
    with desk.provider, desk.transport:
        caller, model = await desk.ask()
        model.emit(ResponseStarted("r2"), AudioOut(bytes(RATE * 2 * 5), "words", response_id="r2"), ResponseEnded("r2"))
        await model.expect_nothing(for_s=6.5)
        await caller.hears(5000, item="words")
        await model.expect(Said, text=FIRST, within_s=3)
        model.emit(SpeechStarted("u1"))
        await model.expect_nothing(for_s=60)
        await desk.answer(model)


async def test_music_fills_the_time_between_the_lines_and_makes_them_no_later() -> None:
    desk = Desk(hold=HoldLines(music=bytes(range(250)), music_rate=8_000))
    with desk.provider, desk.transport:
        caller, model = await desk.ask()
        await model.expect_nothing(for_s=1.5)
        assert caller.heard.total() == 0, "there is none before the first line"
        await desk.line(caller, model, FIRST, within_s=2)
        before = anyio.current_time()
        await caller.hears(1000, item="music")
        assert anyio.current_time() - before == pytest.approx(2, abs=0.2), "a second of silence first"
        await desk.line(caller, model, THEN, within_s=20)
        assert anyio.current_time() - before == pytest.approx(1 + 15 + 1, abs=0.5)
        assert caller.heard["music"] == pytest.approx(15_000, abs=400)
        await desk.answer(model)


@pytest.mark.parametrize("who", ["model", "caller", "nobody"])
async def test_music_ends_in_the_tick_in_which_anybody_speaks_and_with_the_answer(who: str) -> None:
    desk = Desk(hold=HoldLines(music=bytes(range(250)), music_rate=8_000))
    with desk.provider, desk.transport:
        caller, model = await desk.ask()
        await desk.line(caller, model, FIRST, within_s=3)
        await caller.hears(500, item="music")
        match who:
            case "model":
                words = AudioOut(bytes(RATE * 2), "words", response_id="r2")
                model.emit(ResponseStarted("r2"), words, ResponseEnded("r2"))
                began = anyio.current_time()
                await caller.hears(20, item="words")
                assert anyio.current_time() - began <= 0.1, "the words waited for the music"
            case "caller":
                model.emit(SpeechStarted("u1"))
                await anyio.sleep(0.1)
            case _:
                await desk.answer(model)
        heard = caller.heard["music"]
        await anyio.sleep(0.9)
        assert caller.heard["music"] == heard
        if who == "model":
            await caller.hears(heard + 500, item="music")
        if who != "nobody":
            await desk.answer(model)


async def test_who_is_asked_alone_is_not_kept_company() -> None:
    """Once nobody else is being asked any more there is nothing to wait for on the line: no line, and no music."""
    desk, card = Desk(), Colleague()
    card.whom = "caller"
    hold = HoldLines(music=bytes(range(250)), music_rate=8_000)
    desk.human = HumanInputToolHandler(
        {"ConfirmAction"}, timeout=600, tool_definitions=[confirm_action()], askers=[desk.colleague, card, hold]
    )
    desk.channel = RealtimeVoiceChannel(
        "both", provider=desk.provider, transport=desk.transport, human_input_handler=desk.human
    )
    with desk.provider, desk.transport:
        caller, model = await desk.ask()
        await desk.line(caller, model, FIRST, within_s=3)
        desk.colleague.gives_up.set()
        await model.expect_nothing(for_s=100)
        assert caller.heard["music"] <= 1_000
        await desk.answer(model)


def test_music_is_whole_samples() -> None:
    with pytest.raises(ValueError, match="int16"):
        HoldLines(music=b"123")


async def test_a_request_that_only_hold_lines_reach_is_unanswered_at_once() -> None:
    desk = Desk()
    desk.human = HumanInputToolHandler({"A"}, tool_definitions=[confirm_action("A")], askers=[HoldLines()])
    desk.channel = RealtimeVoiceChannel(
        "only", provider=desk.provider, transport=desk.transport, human_input_handler=desk.human
    )
    with desk.provider, desk.transport:
        caller = await desk.transport.call(participant_id="ada", room_id="desk")
        model = await desk.provider.connected()
        model.ignore(Injected, Responded, Forgot)
        assert list(model.config.tools) == []
        del caller
        await desk.channel.close()


def test_without_a_voice_there_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    Desk(capabilities=ProviderCapabilities())
    assert "give it a speaker" in caplog.text


def test_the_patience_of_a_try_is_more_than_nothing() -> None:
    with pytest.raises(ValueError, match="patience"):
        Try(Colleague(), patience=0)


@pytest.mark.parametrize("code", HOLD_LINES)
def test_no_line_answers_anything_should_it_come_back(code: str) -> None:
    question = Confirm(prompt="?", action="Book a table for four.")
    for line in HOLD_LINES[code]:
        assert isinstance(interpret(question, line, language=code), NoMatch), line
