"""Whoever is called for a question: they cannot be reached, they hang up, they are quicker or slower than others."""

import anyio
import pytest

from tests.askers.spoken_desk import BOOK, Colleague
from voice_hitl.asker import AskerSession, Asking, GaveUp
from voice_hitl.askers.telephone import TelephoneAsker
from voice_hitl.channels.voice import RealtimeVoiceChannel
from voice_hitl.errors import CallNotAnswered
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.provider import ProviderCapabilities
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tasks import Latch
from voice_hitl.testing import Forgot, Injected, LoopbackTransport, Responded, ScriptedProvider, SentToolResult
from voice_hitl.tools.asking import confirm_action
from voice_hitl.transport import Incoming

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


class Lines(LoopbackTransport):
    """A transport whose calls go out: whom it calls takes the call, or does not."""

    def __init__(self, *, busy: bool = False) -> None:
        super().__init__()
        self.busy = busy
        self.called: list[str] = []
        self.given_up = Latch()

    async def dial(self, to: str) -> Incoming:
        self.called.append(to)
        if self.busy:
            raise CallNotAnswered(486)
        try:
            await anyio.sleep_forever()
        finally:
            self.given_up.set()
        raise AssertionError


class Never:
    """Asks nobody."""

    name = "never"

    def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
        return True

    async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
        await anyio.sleep_forever()
        return None


class Desk:
    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.operators = RealtimeVoiceChannel("operators", provider=ScriptedProvider(), transport=lines)
        self.colleague = Colleague()
        self.provider = ScriptedProvider(capabilities=ProviderCapabilities())
        self.transport = LoopbackTransport()
        telephone = TelephoneAsker(self.operators, "sip:lee@10.0.0.7", Never(), who="lee")
        self.channel = RealtimeVoiceChannel(
            "desk",
            provider=self.provider,
            transport=self.transport,
            human_input_handler=HumanInputToolHandler(
                {"ConfirmAction"},
                tool_definitions=[confirm_action()],
                askers=[telephone, self.colleague] if not lines.busy else [telephone],
                timeout=30,
            ),
        )


async def test_a_busy_operator_leaves_the_question_unanswered_at_once() -> None:
    desk = Desk(Lines(busy=True))
    with desk.provider, desk.transport:
        caller = await desk.transport.call()
        caller.ignore("request.opened", "request.changed", "request.settled")
        model = await desk.provider.connected()
        model.ignore(Injected, Responded, Forgot)
        began = anyio.current_time()
        call_id = model.call_tool("ConfirmAction", BOOK)
        sent = await model.expect(SentToolResult, call_id=call_id)
        assert "true" not in sent.text
        assert anyio.current_time() - began < 5
        assert desk.lines.called == ["sip:lee@10.0.0.7"]
        await desk.channel.close()
        await desk.operators.close()


async def test_when_somebody_else_answers_the_telephone_stops_ringing() -> None:
    desk = Desk(Lines())
    with desk.provider, desk.transport:
        caller = await desk.transport.call()
        caller.ignore("request.opened", "request.changed", "request.settled")
        model = await desk.provider.connected()
        model.ignore(Injected, Responded, Forgot)
        call_id = model.call_tool("ConfirmAction", BOOK)
        await desk.colleague.asked.wait()
        await desk.colleague.answers()
        await model.expect(SentToolResult, call_id=call_id, failed=False)
        await desk.lines.given_up.wait()
        await desk.channel.close()
        await desk.operators.close()


async def test_only_a_transport_that_places_calls_can_be_asked_to() -> None:
    channel = RealtimeVoiceChannel("desk", provider=ScriptedProvider(), transport=LoopbackTransport())
    with pytest.raises(TypeError, match="places no calls"):
        await channel.dial("sip:lee@10.0.0.7")
    await channel.close()
