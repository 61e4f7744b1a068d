"""People answer on real telephones (baresip): the caller by key and aloud, an operator who is called for it."""

import json
import wave
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from tests.transports.baresip import Baresip, baresip, silence
from voice_hitl import HumanInputToolHandler, RealtimeVoiceChannel, SpokenAsker, VoiceKit, confirm_action
from voice_hitl.askers.telephone import TelephoneAsker
from voice_hitl.audio.resample import Resampler
from voice_hitl.demo.restaurant import BOOK_TABLE
from voice_hitl.enums import HookTrigger
from voice_hitl.hooks import HookContext
from voice_hitl.provider import ProviderCapabilities
from voice_hitl.tasks import Latch
from voice_hitl.testing import (
    Forgot,
    Held,
    Injected,
    LoopbackTransport,
    Responded,
    ScriptedConnection,
    ScriptedProvider,
    SentToolResult,
)
from voice_hitl_local import LocalProvider
from voice_hitl_sip import SipTransport

pytestmark = pytest.mark.anyio

AUDIO = Path(__file__).parents[1] / "fixtures" / "audio"
WITHIN_S = 90
QUESTION_S = 7.0
"""About as long as the question is; a reply that comes into it does not count, and is said once more."""
GREETING_S = 6.0
BOOKING = {"action": "Book a table for four at seven."}


def recorded(name: str) -> bytes:
    """A recording as a telephone has it."""
    with wave.open(str(AUDIO / f"{name}.wav")) as file:
        rate, pcm = file.getframerate(), file.readframes(file.getnframes())
    resampler = Resampler(rate, 8_000, quality="HQ")
    return resampler.push(pcm) + resampler.flush()


class Told:
    """What the hooks of a kit told."""

    def __init__(self, kit: VoiceKit) -> None:
        self.asked = Latch()
        kit.hook(HookTrigger.ON_ASKED)(self._on_asked)

    async def _on_asked(self, _event: object, _context: HookContext) -> None:
        self.asked.set()


class FrontDesk:
    """The embedded front desk on a SIP port."""

    def __init__(self) -> None:
        self.booked: list[Mapping[str, object]] = []
        self.was_booked = Latch()
        self.transport = SipTransport(port=0, rtp_ports=(27_000, 27_200))
        self.kit = VoiceKit()
        self.told = Told(self.kit)
        self.provider = LocalProvider()
        self.channel = RealtimeVoiceChannel(
            "desk",
            provider=self.provider,
            transport=self.transport,
            tools=[BOOK_TABLE],
            tool_handler=self._book,
            human_input_handler=HumanInputToolHandler(
                {"ConfirmAction"}, tool_definitions=[confirm_action()], askers=[SpokenAsker()]
            ),
        )

    async def _book(self, _name: str, arguments: Mapping[str, object]) -> object:
        self.booked.append(arguments)
        self.was_booked.set()
        return {"booked": True}

    async def asks(self, caller: Baresip) -> None:
        """The caller calls and asks for a table; return when the question begins."""
        await self.provider.preload()
        await self.transport.start()
        self.kit.register_channel(self.channel)
        await caller.do("dial", f"sip:desk@127.0.0.1:{self.transport.port}")
        await self.told.asked.wait()


async def test_the_caller_books_by_key(tmp_path: Path) -> None:
    desk = FrontDesk()
    said = silence(GREETING_S) + recorded("booking") + silence(60)
    async with desk.kit, baresip(tmp_path / "phone", microphone=said) as caller:
        with anyio.fail_after(WITHIN_S):
            await desk.asks(caller)
            await caller.press("1")
            await desk.was_booked.wait()
    assert [booking["time"] for booking in desk.booked] == ["7 pm"]


async def test_the_caller_books_aloud(tmp_path: Path) -> None:
    desk = FrontDesk()
    said = silence(GREETING_S) + recorded("booking") + silence(60)
    async with desk.kit, baresip(tmp_path / "phone", microphone=said) as caller:
        with anyio.fail_after(WITHIN_S):
            await desk.asks(caller)
            await caller.use_microphone((silence(QUESTION_S) + recorded("yes_please")) * 5 + silence(30), "reply")
            await desk.was_booked.wait()
    assert [booking["time"] for booking in desk.booked] == ["7 pm"]


class CallingDesk:
    """A scripted agent whose questions go to an operator, who is called on the telephone for each."""

    def __init__(self, operator: str) -> None:
        self.kit = VoiceKit()
        self.told = Told(self.kit)
        self.lines = SipTransport(port=0, rtp_ports=(27_200, 27_400))
        self.voice = LocalProvider(greets=False)
        self.operators = RealtimeVoiceChannel("operators", provider=self.voice, transport=self.lines)
        self.asker = TelephoneAsker(self.operators, operator, SpokenAsker(after="now"), who="lee")
        self.model = ScriptedProvider(capabilities=ProviderCapabilities())
        self.callers = LoopbackTransport()
        self.channel = RealtimeVoiceChannel(
            "desk",
            provider=self.model,
            transport=self.callers,
            human_input_handler=HumanInputToolHandler(
                {"ConfirmAction"}, tool_definitions=[confirm_action()], askers=[self.asker], timeout=60
            ),
        )

    @asynccontextmanager
    async def asking(self) -> AsyncGenerator[tuple[ScriptedConnection, str]]:
        """A caller's agent asks: the operator is being called."""
        with self.model, self.callers, anyio.fail_after(WITHIN_S):
            async with self.kit:
                await self.voice.preload()
                await self.lines.start()
                self.kit.register_channel(self.operators)
                self.kit.register_channel(self.channel)
                caller = await self.callers.call(participant_id="ada", room_id="desk")
                caller.ignore("request.opened", "request.changed", "request.settled", "transcript")
                model = await self.model.connected()
                model.ignore(Injected, Responded, Held, Forgot)
                yield model, model.call_tool("ConfirmAction", BOOKING)


async def result_of(model: ScriptedConnection, call_id: str) -> dict[str, object]:
    sent = await model.expect(SentToolResult, call_id=call_id, failed=False, within_s=WITHIN_S)
    result: dict[str, object] = json.loads(sent.text)
    return result


@pytest.mark.parametrize(("key", "confirmed"), [("1", True), ("2", False)])
async def test_an_operator_is_called_and_answers_by_key(tmp_path: Path, key: str, confirmed: bool) -> None:
    async with baresip(tmp_path / "operator") as operator:
        desk = CallingDesk(operator.uri)
        async with desk.asking() as (model, call_id):
            await desk.told.asked.wait()
            await operator.press(key)
            result = await result_of(model, call_id)
            assert (result["confirmed"], result["via"]) == (confirmed, "key")
            await operator.until("CALL_CLOSED")


async def test_an_operator_is_called_and_answers_aloud(tmp_path: Path) -> None:
    said = (silence(QUESTION_S) + recorded("yes_please")) * 6 + silence(30)
    async with baresip(tmp_path / "operator", microphone=said) as operator:
        desk = CallingDesk(operator.uri)
        async with desk.asking() as (model, call_id):
            result = await result_of(model, call_id)
            assert (result["confirmed"], result["via"]) == (True, "voice")
            await operator.until("CALL_CLOSED")


async def test_an_operator_who_hangs_up_leaves_the_question_unanswered(tmp_path: Path) -> None:
    async with baresip(tmp_path / "operator") as operator:
        desk = CallingDesk(operator.uri)
        async with desk.asking() as (model, call_id):
            await desk.told.asked.wait()
            await operator.do("hangup")
            sent = await model.expect(SentToolResult, call_id=call_id, within_s=WITHIN_S)
            assert "true" not in sent.text
