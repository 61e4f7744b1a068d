"""The caller is not left in silence while somebody else is being asked."""

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

    def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
        return True

    async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
        self.asking = asking
        await anyio.sleep_forever()
        return None


class Desk:
    def __init__(self, *, capabilities: ProviderCapabilities = ABLE) -> None:
        self.colleague = Colleague()
        self.provider = ScriptedProvider(capabilities=capabilities)
        self.transport = LoopbackTransport()
        self.human = HumanInputToolHandler(
            {"ConfirmAction"}, timeout=600, tool_definitions=[confirm_action()], askers=[self.colleague, HoldLines()]
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

    async def answer(self, model: ScriptedConnection) -> None:
        assert self.colleague.asking is not None
        await self.colleague.asking.answer(Answer(True, by="lee"))
        await model.expect(SentToolResult)
        await self.channel.close()


async def test_the_lines_come_at_growing_intervals_and_end_with_the_answer() -> None:
    desk = Desk()
    with desk.provider, desk.transport:
        caller, model = await desk.ask()
        for number, (text, silence) in enumerate(((FIRST, 2), (THEN, 15), (THEN, 30), (THEN, 60), (THEN, 60))):
            before = anyio.current_time()
            await model.expect(Said, text=text, within_s=90)
            assert anyio.current_time() - before == pytest.approx(silence, abs=0.3)
            line = f"line-{number}"
            model.emit(ResponseStarted(line, ours=True), AudioOut(bytes(RATE * 2), line, response_id=line))
            model.emit(ResponseEnded(line))
            await caller.hears(1000, item=line)
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
