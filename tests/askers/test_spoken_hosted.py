"""Asking aloud in a call whose media the provider holds: its model's voice asks, its word says what was heard."""

import re
from dataclasses import replace

import anyio
import pytest

from tests.askers.spoken_desk import BOOK, QUIET, RATE, Colleague, Desk, Tone
from voice_hitl.askers.hold import HoldLines
from voice_hitl.askers.spoken import SpokenAsker
from voice_hitl.provider import (
    PlaybackEnded,
    ProviderDigit,
    ResponseEnded,
    ResponseStarted,
    Resumed,
    SpeechStarted,
    SpeechStopped,
    Transcript,
)
from voice_hitl.questions.model import Confirm
from voice_hitl.speech_ports import Transcription
from voice_hitl.testing import Forgot, Held, Injected, Interrupted, Responded, Said, ScriptedConnection, SentToolResult
from voice_hitl.tools.asking import confirm_action
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.human_tool import HumanTool, human_tool
from voice_hitl.transport import LegCapabilities

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

HOSTED = LegCapabilities(digits=True, echo_cancelled=True, hosted=True)
LIKELY = replace(QUIET, verbatim="likely", resumes="replay")


class Ear:
    """Somebody who would hear the caller, were there audio."""

    rate = RATE

    async def transcribe(self, pcm: bytes, *, language: str = "en") -> Transcription | None:
        raise AssertionError("there is no audio here")


class HostedModel:
    """A model that says what it is given in a call that its service holds: no audio of it comes here."""

    def __init__(self, model: ScriptedConnection, *, said: int = 0) -> None:
        self.model = model
        self.said = said
        self.turns = 0

    async def says(self, words: str | None = None) -> str:
        """The next of the sentences that it is given, in these words, all made and still to be played."""
        given = (await self.model.expect(Said)).text
        await anyio.sleep(0.3)
        self.said += 1
        name = f"said-{self.said}"
        self.model.emit(
            ResponseStarted(name, ours=True),
            Transcript("assistant", given if words is None else words, True, f"{name}-item"),
            ResponseEnded(name),
        )
        return given

    async def played(self) -> None:
        """What it said last was played to its end."""
        await anyio.sleep(1.5)
        self.model.emit(PlaybackEnded(f"said-{self.said}-item"))
        await anyio.sleep(0.01)

    async def asks(self) -> None:
        """It asks, sentence after sentence, but for the end of the last one."""
        assert await self.says() == "Book a table for four at seven."
        await self.played()
        assert await self.says() == "Shall I go ahead?"
        await anyio.sleep(0.5)

    def caller_starts(self) -> str:
        self.turns += 1
        self.model.emit(SpeechStarted(f"turn-{self.turns}"))
        return f"turn-{self.turns}"

    async def caller_stops(self, text: str) -> None:
        await anyio.sleep(0.6)
        item = f"turn-{self.turns}"
        self.model.emit(SpeechStopped(item))
        await anyio.sleep(0.2)
        self.model.emit(Transcript("user", text, True, item))

    async def caller_says(self, text: str) -> None:
        self.caller_starts()
        await self.caller_stops(text)


async def a_call(desk: Desk) -> tuple[HostedModel, str]:
    """A call in which the model asks for a confirmation."""
    _, model = await desk.call()
    call_id = model.call_tool(desk.tool, BOOK)
    await model.expect(Held, on=True)
    return HostedModel(model), call_id


async def renewed(desk: Desk) -> ScriptedConnection:
    """The connection that takes the place of one that was lost; it is held as that was."""
    again = await desk.provider.connected()
    again.ignore(Injected, Responded, Forgot, Interrupted)
    again.emit(Resumed(("call-1",)))
    await again.expect(Held, on=True)
    again.ignore(Held)
    return again


def hosted(tool: HumanTool | None = None, spoken: SpokenAsker | None = None) -> Desk:
    """A desk in calls that the provider holds. Its asker has a speaker, which is of no use there."""
    return Desk(spoken=spoken, tool=tool, capabilities=LIKELY, leg=HOSTED)


async def test_a_yes_that_began_after_the_provider_had_played_the_question_counts() -> None:
    async with hosted() as desk:
        own, call_id = await a_call(desk)
        await own.asks()
        await own.played()
        own.model.watch(Forgot)
        await own.caller_says("Yes.")
        await own.model.expect(Forgot, item_id="turn-1")
        own.model.ignore(Forgot)
        await own.model.expect(SentToolResult, call_id=call_id, text=re.compile('"confirmed": true'))
        await own.model.expect(Held, on=False)
    assert desk.voice.said == []


async def test_a_yes_that_began_before_what_it_says_yes_to_was_played_is_asked_again() -> None:
    async with hosted() as desk:
        own, call_id = await a_call(desk)
        await own.says()
        await anyio.sleep(0.5)
        await own.caller_says("Yes.")
        await own.model.expect(Interrupted, response_id="said-1")
        own.model.emit(PlaybackEnded("said-1-item"))  # too late to be true: it was stopped
        await own.asks()
        assert len(desk.human.handler.pending) == 1
        await own.played()
        await own.caller_says("Yes.")
        await own.model.expect(SentToolResult, call_id=call_id, text=re.compile('"confirmed": true'))
        await own.model.expect(Held, on=False)


async def test_a_yes_that_was_told_of_a_moment_before_the_end_does_not_count_either() -> None:
    async with hosted(spoken=SpokenAsker(barge_in=False)) as desk:
        own, call_id = await a_call(desk)
        await own.says()
        await anyio.sleep(0.5)
        own.caller_starts()
        await anyio.sleep(0.001)
        own.model.emit(PlaybackEnded("said-1-item"))
        await own.says()
        await own.caller_stops("Yes.")
        await own.played()
        assert (await own.model.expect(Said)).text == "I did not hear you."
        own.model.emit(ProviderDigit("2"))
        own.model.ignore(Interrupted)
        await own.model.expect(SentToolResult, call_id=call_id, text=re.compile('"confirmed": false'))
        await own.model.expect(Held, on=False)


async def test_a_yes_whose_beginning_nobody_told_of_is_from_before_the_question() -> None:
    async with hosted() as desk:
        own, call_id = await a_call(desk)
        await own.asks()
        await own.played()
        own.model.emit(Transcript("user", "Yes.", True, "earlier"))
        await anyio.sleep(3)
        assert len(desk.human.handler.pending) == 1
        await own.caller_says("No.")
        await own.model.expect(SentToolResult, call_id=call_id, text=re.compile('"confirmed": false'))
        await own.model.expect(Held, on=False)


async def test_a_no_counts_while_the_question_is_being_played() -> None:
    async with hosted() as desk:
        own, call_id = await a_call(desk)
        await own.says()
        await anyio.sleep(0.5)
        await own.caller_says("No.")
        await own.model.expect(Interrupted, response_id="said-1")
        await own.model.expect(SentToolResult, call_id=call_id, text=re.compile('"confirmed": false'))
        await own.model.expect(Held, on=False)


async def test_a_key_answers_while_the_question_is_being_played_and_silences_it() -> None:
    async with hosted() as desk:
        own, call_id = await a_call(desk)
        await own.says()
        await anyio.sleep(0.5)
        own.model.emit(ProviderDigit("1"))
        await own.model.expect(Interrupted, response_id="said-1")
        await own.model.expect(SentToolResult, call_id=call_id, text=re.compile('"confirmed": true'))
        await own.model.expect(Held, on=False)


async def test_a_question_in_other_words_than_it_was_given_is_not_asked() -> None:
    async with hosted() as desk:
        own, call_id = await a_call(desk)
        await own.says("Book a table for five at seven.")
        await own.model.expect(Interrupted, response_id="said-1")
        await own.asks()
        await own.played()
        await own.caller_says("Yes.")
        await own.model.expect(SentToolResult, call_id=call_id, text=re.compile("true"))
        await own.model.expect(Held, on=False)


async def test_a_yes_to_a_risk_is_keyed() -> None:
    async with hosted(tool=confirm_action(risk="high")) as desk:
        own, call_id = await a_call(desk)
        for _ in range(2):
            await own.says()
            await own.played()
        assert await own.says() == "On the keypad press 1 to go ahead or 2 to stop, please."
        await own.played()
        await own.caller_says("Yes.")
        await own.says()
        assert len(desk.human.handler.pending) == 1
        own.model.ignore(Interrupted, Said)
        own.model.emit(ProviderDigit("1"))
        await own.model.expect(SentToolResult, call_id=call_id, text=re.compile("true"))
        await own.model.expect(Held, on=False)


async def test_the_question_waits_until_the_models_own_words_were_played() -> None:
    async with hosted() as desk:
        _, model = await desk.call()
        model.emit(ResponseStarted("r"), Transcript("assistant", "One moment.", True, "preamble"), ResponseEnded("r"))
        model.call_tool(desk.tool, BOOK)
        await model.expect_nothing(for_s=3)
        model.emit(PlaybackEnded("preamble"))
        await model.expect(Held, on=True)
        model.ignore(Said, Held, Interrupted, SentToolResult)


async def test_an_aside_is_over_when_the_models_answer_was_played() -> None:
    async with hosted() as desk:
        own, call_id = await a_call(desk)
        await own.asks()
        await own.played()
        await own.caller_says("What does it cost?")
        await own.model.expect(Held, on=False)
        own.model.emit(ResponseStarted("r"), Transcript("assistant", "Nothing.", True, "fee"), ResponseEnded("r"))
        await own.model.expect_nothing(for_s=2)
        own.model.emit(PlaybackEnded("fee"))
        await own.model.expect(Held, on=True)
        await own.says()
        own.model.ignore(Interrupted)
        own.model.emit(ProviderDigit("1"))
        await own.model.expect(SentToolResult, call_id=call_id, text=re.compile("true"))
        await own.model.expect(Held, on=False)


async def test_a_question_that_a_lost_connection_was_playing_is_asked_again() -> None:
    async with hosted() as desk:
        own, call_id = await a_call(desk)
        await own.says()
        own.model.drop()
        again = await renewed(desk)
        own = HostedModel(again, said=10)
        await own.asks()
        await own.played()
        await own.caller_says("Yes.")
        await again.expect(SentToolResult, call_id=call_id, text=re.compile("true"))


async def test_a_turn_that_a_lost_connection_heard_begin_is_no_answer_and_the_next_one_is() -> None:
    async with hosted() as desk:
        own, call_id = await a_call(desk)
        await own.asks()
        await own.played()
        own.caller_starts()
        await anyio.sleep(0.5)
        own.model.drop()
        again = await renewed(desk)
        own = HostedModel(again, said=10)
        again.emit(Transcript("user", "Yes.", True, "turn-1"))
        await own.says()  # it is asked again
        assert len(desk.human.handler.pending) == 1
        again.ignore(Said)
        own.turns = 1
        await own.caller_says("No.")
        await again.expect(SentToolResult, call_id=call_id, text=re.compile('"confirmed": false'))


async def test_what_is_sensitive_is_not_asked_where_the_provider_hears_everything() -> None:
    definition = AITool("agree", "Ask.", {"type": "object", "properties": {}})
    secret = human_tool(definition, question=lambda _: Confirm(prompt="Do you agree?", sensitive=True))
    async with hosted(tool=secret) as desk:
        _, model = await desk.call()
        call_id = model.call_tool(desk.tool, {})
        await model.expect(SentToolResult, call_id=call_id, failed=True)


async def test_a_model_that_is_kept_quiet_by_hearing_nothing_is_not_where_the_provider_hears() -> None:
    spoken = SpokenAsker(listener=Ear())
    async with Desk(spoken=spoken, capabilities=replace(LIKELY, hold="deaf"), leg=HOSTED) as desk:
        _, model = await desk.call()
        call_id = model.call_tool(desk.tool, BOOK)
        await model.expect(SentToolResult, call_id=call_id, failed=True)


async def test_a_caller_on_hold_hears_the_models_voice_again_only_a_while_after_it_was_played() -> None:
    colleague = Colleague()
    async with Desk(colleague, spoken=HoldLines(speaker=Tone()), capabilities=LIKELY, leg=HOSTED) as desk:
        _, model = await desk.call()
        call_id = model.call_tool(desk.tool, BOOK)
        own = HostedModel(model)
        assert await own.says() == "One moment, I am checking with a colleague."
        await model.expect_nothing(for_s=30)  # it is still being played
        await own.played()
        assert (
            await model.expect(Said, within_s=20)
        ).text == "I am still waiting for an answer. Thank you for holding."
        await colleague.answers()
        model.ignore(Interrupted)
        await model.expect(SentToolResult, call_id=call_id, text=re.compile("true"))
