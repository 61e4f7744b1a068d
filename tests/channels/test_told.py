"""What a session's hooks are told, apart from its tool calls and requests."""

import pytest

from tests.channels.desk import Desk
from tests.channels.kept import settle_down
from voice_hitl.enums import ChannelType, HookExecution, HookTrigger
from voice_hitl.events import DigitEvent, HookEvent, SpeechEvent, TranscriptionEvent
from voice_hitl.hooks import HookContext, HookResult
from voice_hitl.provider import ProviderDigit, SpeechStarted, SpeechStopped, Transcript

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


def kept(desk: Desk, *triggers: HookTrigger, execution: HookExecution = HookExecution.ASYNC) -> list[HookEvent]:
    events: list[HookEvent] = []

    async def keep(event: HookEvent, _ctx: HookContext) -> HookResult:
        events.append(event)
        return HookResult.block("it decides nothing here")

    for trigger in triggers:
        desk.kit.hook(trigger, execution)(keep)
    return events


@pytest.mark.parametrize("execution", list(HookExecution))
async def test_a_session_begins_and_ends(execution: HookExecution) -> None:
    async with Desk() as desk:
        events = kept(desk, HookTrigger.ON_SESSION_STARTED, HookTrigger.ON_SESSION_ENDED, execution=execution)
        call = await desk.call()
        call.caller.hang_up()
        await call.closed()
        assert len(events) == len(desk.sessions) == 2
        assert [event.reason for event in desk.sessions] == ["", "caller"]
        assert {(e.channel_id, e.channel_type, e.room_id, e.session_id, e.participant_id) for e in desk.sessions} == {
            ("voice", ChannelType.REALTIME_VOICE, "desk", call.session.id, "ada")
        }


async def test_final_transcripts_are_told_with_who_spoke() -> None:
    async with Desk() as desk:
        events = kept(desk, HookTrigger.ON_TRANSCRIPTION)
        call = await desk.call()
        call.model.emit(
            Transcript("user", "Hel", final=False, item_id="u1"),
            Transcript("user", "Hello.", final=True, item_id="u1", confidence=0.9),
            Transcript("assistant", "Hi.", final=True, item_id="a1"),
        )
        await settle_down()
        assert [
            (event.role, event.text, event.item_id, event.participant_id, event.confidence)
            for event in events
            if isinstance(event, TranscriptionEvent)
        ] == [("user", "Hello.", "u1", "ada", 0.9), ("assistant", "Hi.", "a1", None, None)]


async def test_speech_is_told_with_its_time() -> None:
    async with Desk() as desk:
        events = kept(desk, HookTrigger.ON_SPEECH_STARTED, HookTrigger.ON_SPEECH_ENDED)
        call = await desk.call()
        call.model.emit(SpeechStarted())
        await settle_down(2)
        call.model.emit(SpeechStopped())
        await settle_down()
        began, ended = events
        assert isinstance(began, SpeechEvent)
        assert isinstance(ended, SpeechEvent)
        assert ended.at - began.at == pytest.approx(2)


async def test_keys_are_told_wherever_they_were_pressed() -> None:
    async with Desk() as desk:
        events = kept(desk, HookTrigger.ON_DIGIT)
        call = await desk.call()
        await call.caller.press("1")
        call.model.emit(ProviderDigit("2"))
        call.caller.send({"v": 1, "type": "digit", "digit": "3"})
        await settle_down()
        assert [event.digit for event in events if isinstance(event, DigitEvent)] == ["1", "2", "3"]


async def test_a_hook_that_is_registered_during_a_call_is_heard() -> None:
    async with Desk() as desk:
        call = await desk.call()
        events = kept(desk, HookTrigger.ON_DIGIT)
        await call.caller.press("1")
        await settle_down()
        assert len(events) == 1
