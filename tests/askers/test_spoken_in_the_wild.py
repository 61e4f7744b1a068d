"""What broke where others let a caller answer, and what comes in on a bad line: the whole channel, in virtual time."""

import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
import pytest

from tests.askers.spoken_desk import BOOK, Colleague, Desk, Tone, say, speech
from voice_hitl.askers.spoken import SpokenAsker
from voice_hitl.enums import RequestEnd
from voice_hitl.provider import ResponseEnded, ResponseStarted, ToolCalled, Transcript, TranscriptFailed
from voice_hitl.questions.model import Number
from voice_hitl.requests.pending import PendingInput
from voice_hitl.testing import Forgot, Held, LoopbackCaller, Responded, ScriptedConnection, SentToolResult
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.human_tool import human_tool

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


@dataclass
class Asked:
    """A question that was asked aloud, and heard to its end."""

    desk: Desk
    caller: LoopbackCaller
    model: ScriptedConnection
    call_id: str
    request: PendingInput
    said: int = 0

    async def say(self, text: str, *, wait_ms: int = 1500) -> None:
        """The caller says this, and time passes."""
        self.said += 1
        await say(self.caller, self.model, text, f"item-{self.said}")
        await self.caller.stay_silent(wait_ms)

    async def result(self) -> object:
        """Whether the model reads a yes."""
        sent = await self.model.expect(SentToolResult, call_id=self.call_id, failed=False)
        return json.loads(sent.text)["confirmed"]

    @property
    def is_open(self) -> bool:
        return self.request.end is None


@asynccontextmanager
async def asked(at: Desk | None = None) -> AsyncGenerator[Asked]:
    async with at or Desk() as desk:
        caller, model = await desk.call()
        call_id = model.call_tool(desk.tool, BOOK)
        await model.expect(Held, on=True)
        model.ignore(Held)
        await caller.hears(1000)
        (session,) = desk.channel.sessions
        (request,) = session.open_requests
        yield Asked(desk, caller, model, call_id, request)
        model.ignore(SentToolResult)


def in_language(language: str) -> Desk:
    return Desk(spoken=SpokenAsker(speaker=Tone(), language=language))


# --- what is not a yes -----------------------------------------------------------------------------------------------


async def test_okay_wait_do_not_is_a_no() -> None:
    async with asked() as line:
        await line.say("Okay, wait, don't run that.")
        assert await line.result() is False


async def test_ja_aber_lieber_nicht_is_a_no() -> None:
    async with asked(in_language("de")) as line:
        await line.say("Ja, aber lieber nicht.")
        assert await line.result() is False


@pytest.mark.parametrize(
    "text", ["Sure, but what does that command do exactly?", "Stop the music.", "Yes, but at eight."]
)
async def test_what_is_no_answer_goes_to_the_model_and_the_request_stays_open(text: str) -> None:
    async with asked() as line:
        before = line.model.counts[Responded]
        await line.say(text)
        assert line.is_open
        assert line.model.counts[Responded] == before + 1
        assert line.model.counts[Forgot] == 0


async def test_uh_huh_while_the_question_is_at_thirty_percent_is_no_answer() -> None:
    async with Desk(spoken=SpokenAsker(speaker=Tone(seconds=3), barge_in=False)) as desk:
        caller, model = await desk.call()
        model.ignore(Held)
        call_id = model.call_tool(desk.tool, BOOK)
        await caller.hears(1800)
        await say(caller, model, "Uh-huh.", "item-1")
        await caller.stay_silent(2000)
        assert len(desk.human.handler.pending) == 1
        await caller.hears(6000)
        await caller.press("2")
        await model.expect(SentToolResult, call_id=call_id, text=re.compile("false"))


@pytest.mark.parametrize("heard", ["Book a table for four at seven. Shall I go ahead?", "table for four", "go ahead"])
async def test_our_own_prompt_that_comes_back_is_nobodys_answer(heard: str) -> None:
    async with Desk(spoken=SpokenAsker(speaker=Tone(seconds=1.5), barge_in=False)) as desk:
        caller, model = await desk.call()
        model.ignore(Held)
        model.watch(Forgot)
        call_id = model.call_tool(desk.tool, BOOK)
        begins = {"Book": 60, "table": 700, "go ahead": 2250}
        await caller.hears(next(ms for words, ms in begins.items() if heard.startswith(words)))
        await caller.speak(speech(2.7 if heard.startswith("Book") else 0.6))
        await caller.stay_silent(400)
        model.emit(Transcript("user", heard, True, "echo"))
        await model.expect(Forgot, item_id="echo")
        model.ignore(Forgot)
        await caller.stay_silent(2000)
        assert len(desk.human.handler.pending) == 1
        await caller.press("1")
        await model.expect(SentToolResult, call_id=call_id, text=re.compile("true"))


async def test_an_echo_after_the_approval_undoes_nothing() -> None:
    async with asked() as line:
        await line.say("Yes.")
        assert await line.result() is True
        await line.say("I won't do anything you don't want.")
        assert line.request.end is RequestEnd.ANSWERED


async def test_a_word_binds_to_the_request_that_has_the_floor_and_to_no_other() -> None:
    async with Desk() as desk:
        caller, model = await desk.call()
        model.ignore(Held)
        cake = json.dumps({"action": "Order a cake."})
        model.emit(
            ResponseStarted("r1"),
            ToolCalled("c1", desk.tool, json.dumps(BOOK), "r1"),
            ToolCalled("c2", desk.tool, cake, "r1"),
            ResponseEnded("r1"),
        )
        await caller.hears(1000)
        await say(caller, model, "I approve, go ahead.", "item-1")
        await model.expect(SentToolResult, call_id="c1", text=re.compile("true"))
        (left,) = desk.human.handler.pending.values()
        assert left.tool_call_id == "c2"
        await caller.stay_silent(500)
        await caller.press("2")
        await model.expect(SentToolResult, call_id="c2", text=re.compile("false"))


async def test_a_yes_with_nothing_on_the_floor_approves_nothing() -> None:
    colleague = Colleague()
    async with Desk(colleague, audience=("bob",)) as desk:
        caller, model = await desk.call()
        model.call_tool(desk.tool, BOOK)
        with anyio.fail_after(5):
            await colleague.asked.wait()
        await say(caller, model, "Yes, approve.", "item-1")
        await caller.stay_silent(1500)
        assert len(desk.human.handler.pending) == 1
        model.ignore(SentToolResult)


# --- a bad line ------------------------------------------------------------------------------------------------------


async def test_a_recogniser_that_returns_nothing_twice_leads_to_the_keypad() -> None:
    voice = Tone()
    async with asked(Desk(spoken=SpokenAsker(speaker=voice))) as line:
        for number in range(2):
            await line.caller.speak(speech(0.6))
            await line.caller.stay_silent(400)
            line.model.emit(
                TranscriptFailed(f"nothing-{number}") if number else Transcript("user", "", True, "nothing")
            )
            await line.caller.stay_silent(2500)
        assert line.is_open
        assert "On the keypad press 1 to go ahead or 2 to stop, please." in voice.said
        await line.caller.press("1")
        assert await line.result() is True


async def test_a_transcript_that_comes_twice_is_one_answer() -> None:
    async with asked() as line:
        await say(line.caller, line.model, "No.", "item-1")
        line.model.emit(Transcript("user", "No.", True, "item-1"))
        assert await line.result() is False
        await line.caller.stay_silent(1000)
        assert line.request.end is RequestEnd.ANSWERED


async def test_a_final_that_comes_late_still_answers() -> None:
    async with asked() as line:
        await line.caller.speak(speech(0.6))
        await line.caller.stay_silent(4000)
        assert line.is_open
        line.model.emit(Transcript("user", "Yes, please.", True, "late"))
        assert await line.result() is True


async def test_another_language_is_no_yes() -> None:
    async with asked() as line:
        await line.say("Ja, bitte, sehr gerne.", wait_ms=3000)
        assert line.is_open
        await line.caller.press("2")
        assert await line.result() is False


async def test_a_monologue_that_ends_in_a_yes_is_none() -> None:
    words = " ".join(f"and then my cousin came by with {number} of her friends" for number in range(50))
    async with asked() as line:
        await line.say(f"{words}, so yes.", wait_ms=3000)
        await line.say(f"Yes {'yes ' * 500}", wait_ms=3000)
        assert line.is_open


async def test_two_people_who_talk_at_once_are_no_yes() -> None:
    async with asked() as line:
        await line.say("Yes no don't yes go ahead no.")
        assert line.is_open or await line.result() is False


async def test_a_storm_of_keys_ends_in_the_first_that_answers() -> None:
    async with asked() as line:
        await line.caller.press("9")
        assert line.is_open
        await line.caller.press("*2111111")
        assert await line.result() is False


async def test_a_storm_of_keys_that_mean_nothing_answers_nothing() -> None:
    async with asked() as line:
        await line.caller.press("3456789#" * 20)
        await line.caller.stay_silent(3000)
        assert line.is_open


async def test_a_storm_of_keys_for_a_number_is_bounded() -> None:
    tool = human_tool(AITool("count", "Ask how many."), question=lambda _arguments: Number(prompt="How many?"))
    async with asked(Desk(tool=tool)) as line:
        await line.caller.press("7" * 100)
        await line.caller.press("*")
        assert line.is_open
        await line.caller.press("12#")
        sent = await line.model.expect(SentToolResult, failed=False)
        assert sent.text == "12"


@pytest.mark.parametrize("when", ["in the question", "in the answer", "in the settle window"])
async def test_a_hang_up_withdraws_the_question(when: str) -> None:
    async with asked() as line:
        if when != "in the question":
            await line.caller.speak(speech(0.4))
        if when == "in the settle window":
            await line.caller.stay_silent(400)
            line.model.emit(Transcript("user", "Yes.", True, "item-1"))
            await line.caller.stay_silent(100)
        line.caller.hang_up()
        (session,) = line.desk.channel.sessions
        with anyio.fail_after(20):
            await session.closed.wait()
        assert line.request.end is RequestEnd.WITHDRAWN
