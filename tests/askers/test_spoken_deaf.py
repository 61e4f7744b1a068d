"""The caller is asked aloud while the model hears nothing of them: what each hears, and what the model is told."""

import re

import pytest

from tests.askers.spoken_desk import RATE, Desk, Tone, speech
from tests.askers.test_sensitive import Whisperer
from voice_hitl.askers.spoken import SpokenAsker
from voice_hitl.provider import AudioOut, ProviderCapabilities, ResponseStarted, Transcript
from voice_hitl.testing import (
    Forgot,
    Held,
    Injected,
    Interrupted,
    LoopbackCaller,
    Responded,
    ScriptedConnection,
    SentAudio,
    SentToolResult,
)

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

DEAF = ProviderCapabilities(rate=RATE, hold="deaf", speech_events=False)
CANCELS = ProviderCapabilities(rate=RATE, hold="quiet", speech_cancels_calls=True, speech_events=False)


class DeafDesk(Desk):
    def __init__(self, *texts: str | None, capabilities: ProviderCapabilities = DEAF) -> None:
        self.ear = Whisperer(*texts)
        voice = Tone()
        super().__init__(spoken=SpokenAsker(speaker=voice, listener=self.ear), capabilities=capabilities)
        self.voice = voice

    async def asked(self) -> tuple[LoopbackCaller, ScriptedConnection, str]:
        caller, model = await self.call()
        call_id = model.call_tool(self.tool, {"action": "Book a table for four at seven."})
        await self.spoken()
        await caller.hears(1000)
        model.ignore(Responded, Forgot)
        return caller, model, call_id


async def says(caller: LoopbackCaller) -> None:
    await caller.speak(speech(0.6))
    await caller.stay_silent(2000)


async def loud(model: ScriptedConnection, *, frames: int) -> bool:
    """Whether any of the next frames is more than silence; each is 20 ms."""
    sent = [(await model.expect(SentAudio)).pcm for _ in range(frames)]
    assert {len(pcm) for pcm in sent} == {RATE // 25}
    return any(any(pcm) for pcm in sent)


@pytest.mark.parametrize("capabilities", [DEAF, CANCELS], ids=["deaf", "cancels calls when the caller speaks"])
async def test_without_a_listener_the_channel_cannot_be_made(capabilities: ProviderCapabilities) -> None:
    with pytest.raises(ValueError, match="give it a listener"):
        Desk(capabilities=capabilities)


@pytest.mark.parametrize("capabilities", [DEAF, CANCELS], ids=["deaf", "cancels calls when the caller speaks"])
async def test_the_model_gets_silence_the_listener_the_caller_and_the_model_one_account(
    capabilities: ProviderCapabilities,
) -> None:
    async with DeafDesk("Yes please.", capabilities=capabilities) as desk:
        caller, model, call_id = await desk.asked()
        model.watch(SentAudio)
        await caller.speak(speech(0.6))
        assert not await loud(model, frames=30)
        model.ignore(SentAudio)
        model.watch(Injected)
        await caller.stay_silent(2000)
        await model.expect(SentToolResult, call_id=call_id, text=re.compile("true"))
        account = await model.expect(Injected, role="system", silent=True)
        assert 'They were asked: "' in account.text
        assert 'What they said meanwhile: "Yes please."' in account.text
        assert "It was answered:" in account.text
        assert len(desk.ear.heard) == 1
        # The model hears the caller again.
        model.watch(SentAudio)
        model.ignore(Injected)
        await caller.speak(speech(0.2))
        assert await loud(model, frames=10)
        model.ignore(SentAudio)
        assert (model.counts[Held], model.counts[Interrupted]) == (0, 0)


async def test_what_the_model_says_meanwhile_is_played_to_nobody_and_it_is_told_so() -> None:
    async with DeafDesk("Yes.") as desk:
        caller, model, call_id = await desk.asked()
        heard = caller.heard.total()
        model.emit(
            ResponseStarted("r9"),
            AudioOut(bytes(RATE), "i9", response_id="r9"),
            Transcript("assistant", "Are you still there?", final=False, item_id="i9"),
        )
        await caller.stay_silent(500)
        assert caller.heard["i9"] == 0
        assert caller.heard.total() == heard
        model.watch(Injected)
        await says(caller)
        await model.expect(SentToolResult, call_id=call_id)
        account = await model.expect(Injected)
        assert 'was not heard: "Are you still there?"' in account.text
        # Nor is the rest of it, now that nobody heard how it began.
        model.emit(AudioOut(bytes(RATE), "i9", response_id="r9"), AudioOut(bytes(RATE), "i10", response_id="r10"))
        await caller.stay_silent(2000)
        assert (caller.heard["i9"], caller.heard["i10"]) == (0, 500)
        assert model.counts[Interrupted] == 0


async def test_what_was_no_answer_is_sent_on_afterwards_and_the_question_asked_again() -> None:
    async with DeafDesk("What does it cost?", "Yes.") as desk:
        caller, model, call_id = await desk.asked()
        made = len(desk.voice.said)
        await says(caller)
        assert len(desk.voice.said) > made
        assert len(desk.human.handler.pending) == 1
        await caller.stay_silent(2000)
        model.watch(Injected)
        await says(caller)
        await model.expect(SentToolResult, call_id=call_id, text=re.compile("true"))
        await model.expect(Injected, role="user", text="What does it cost?", silent=True)
        account = await model.expect(Injected, role="system")
        assert 'for you to answer: "What does it cost?"' in account.text


async def test_a_key_answers_too() -> None:
    async with DeafDesk() as desk:
        caller, model, call_id = await desk.asked()
        await caller.press("2")
        await model.expect(SentToolResult, call_id=call_id, text=re.compile("false"))
        assert desk.ear.heard == []


async def test_a_new_connection_is_not_held_and_hears_silence_as_the_one_before() -> None:
    async with DeafDesk("Yes.") as desk:
        caller, model, _ = await desk.asked()
        model.drop()
        again = await desk.provider.connected()
        again.ignore(Injected, Responded, Forgot)
        assert again.config.metadata["held"] is False
        again.watch(SentAudio)
        await caller.speak(speech(0.2))
        assert not await loud(again, frames=10)
        again.ignore(SentAudio)
        await caller.press("1")
        await caller.stay_silent(1000)
        assert desk.human.handler.pending == {}
        assert again.counts[Held] == 0
