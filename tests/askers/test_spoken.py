"""The caller answers aloud: a scripted model, a loopback caller, one clock, in virtual time."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace

import anyio
import pytest

from tests.askers.spoken_desk import BOOK, QUIET, RATE, Colleague, Desk, Tone, say, speech
from voice_hitl.asker import Asker
from voice_hitl.askers.escalation import Try
from voice_hitl.askers.hold import HoldLines
from voice_hitl.askers.spoken import SpokenAsker
from voice_hitl.askers.wording import ANSWERED_ELSEWHERE, CONFIRMED_ELSEWHERE, warn_without_words
from voice_hitl.channels.voice import RealtimeVoiceChannel
from voice_hitl.enums import RequestEnd, Via
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.provider import (
    AudioOut,
    ProviderCapabilities,
    ResponseEnded,
    ResponseStarted,
    SpeechStarted,
    SpeechStopped,
    ToolCalled,
    Transcript,
    TranscriptFailed,
)
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Confirm, Question
from voice_hitl.requests.settlement import Settlement, SettlementKind
from voice_hitl.speech.lexicon import (
    _lexicon,  # pyright: ignore[reportPrivateUsage] - what it keeps
    lexicon_for,
)
from voice_hitl.speech.prompts import Hint
from voice_hitl.speech.reading import Match, Reading
from voice_hitl.testing import (
    Forgot,
    Held,
    Interrupted,
    LoopbackTransport,
    Responded,
    Said,
    ScriptedConnection,
    ScriptedProvider,
    SentToolResult,
)
from voice_hitl.tools.asking import ask_human, confirm_action, human_tool
from voice_hitl.tools.definition import AITool

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


def test_a_languages_words_are_known_before_a_call_needs_them() -> None:
    for language in ("nl", None):
        _lexicon.cache_clear()
        SpokenAsker(language=language)
        assert _lexicon.cache_info().currsize == 1
        lexicon_for(language or "en")
        assert _lexicon.cache_info().currsize == 1


async def test_the_caller_says_yes_and_the_model_reads_it() -> None:
    async with Desk() as desk:
        caller, model, call_id = await desk.ask()
        model.watch(Forgot)
        await say(caller, model, "Yes please.", "item-1")
        await model.expect(Forgot, item_id="item-1")
        model.ignore(Forgot)
        sent = await model.expect(SentToolResult, call_id=call_id, failed=False)
        assert json.loads(sent.text) == {"confirmed": True, "via": "voice", "said": "Yes please."}
        await model.expect(Held, on=False)
    assert desk.voice.said[:2] == ["Book a table for four at seven.", "Shall I go ahead?"]


async def test_the_caller_says_no_with_a_change_and_the_model_reads_both() -> None:
    async with Desk() as desk:
        caller, model, call_id = await desk.ask()
        model.watch(Forgot)
        await say(caller, model, "No, make it eight.", "item-1")
        await model.expect(Forgot, item_id="item-1")
        model.ignore(Forgot)
        sent = await model.expect(SentToolResult, call_id=call_id, text=re.compile('"confirmed": false'))
        assert json.loads(sent.text)["said"] == "No, make it eight."
        await model.expect(Held, on=False)


async def test_a_question_is_asked_in_its_own_language() -> None:
    def question(_arguments: Mapping[str, object]) -> Confirm:
        return Confirm(prompt="Einen Tisch um sieben buchen.", language="de")

    async with Desk(tool=human_tool(AITool("ConfirmAction"), question=question)) as desk:
        caller, model, call_id = await desk.ask({})
        await say(caller, model, "Ja, bitte.", "item-1")
        sent = await model.expect(SentToolResult, call_id=call_id, failed=False)
        assert json.loads(sent.text)["confirmed"] is True
        await model.expect(Held, on=False)


async def test_a_language_without_words_is_said_to_have_none_once_and_is_answered_by_key(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def question(_arguments: Mapping[str, object]) -> Confirm:
        return Confirm(prompt="Voe ar tabl?", language="br-FR")

    warn_without_words.cache_clear()
    async with Desk(tool=human_tool(AITool("ConfirmAction"), question=question)) as desk:
        caller, model, call_id = await desk.ask({})
        await caller.press("1")
        sent = await model.expect(SentToolResult, call_id=call_id, failed=False)
        assert json.loads(sent.text) == {"confirmed": True, "via": "key"}
        await model.expect(Held, on=False)
    SpokenAsker(language="br-FR")
    (warning,) = (each.message for each in caplog.records if "no words" in each.message)
    assert "no words for the language 'br-FR', only for en, fr, de, es, it, pt, nl: it is asked in English" in warning


async def test_a_key_is_an_answer() -> None:
    async with Desk() as desk:
        caller, model, call_id = await desk.ask()
        await caller.press("1")
        sent = await model.expect(SentToolResult, call_id=call_id, failed=False)
        assert json.loads(sent.text) == {"confirmed": True, "via": "key"}
        await model.expect(Held, on=False)


@pytest.mark.parametrize(
    ("hint", "explained"), [("always", [True, True]), ("reprompt", [False, True]), ("never", [False, False])]
)
async def test_the_keys_are_explained_when_the_asker_is_told_to(hint: Hint, explained: list[bool]) -> None:
    voice = Tone()
    async with Desk(spoken=SpokenAsker(speaker=voice, keypad_hint=hint)) as desk:
        caller, model = await desk.call()
        call_id = model.call_tool("ConfirmAction", BOOK)
        await model.expect(Held, on=True)
        await caller.hears(1000)
        await anyio.sleep(4)
        prompt = list(voice.said)
        await anyio.sleep(5)
        reprompt = voice.said[len(prompt) :]
        assert reprompt
        assert ["press 1" in " ".join(said).casefold() for said in (prompt, reprompt)] == explained
        await caller.press("1")
        await model.expect(SentToolResult, call_id=call_id, failed=False)
        await model.expect(Held, on=False)


async def test_hold_on_puts_off_the_next_question_and_never_the_deadline() -> None:
    async with Desk(timeout=30) as desk:
        caller, model, call_id = await desk.ask()
        (request,) = desk.channel.sessions[0].open_requests
        deadline = request.expires_at
        await say(caller, model, "Hold on.", "item-1")
        sent = await model.expect(SentToolResult, call_id=call_id, failed=True, within_s=40)
        assert "timed out after 30s" in sent.text
        assert (request.end, request.expires_at) == (RequestEnd.TIMED_OUT, deadline)
        await model.expect(Held, on=False)
    made_ready = {CONFIRMED_ELSEWHERE["en"], ANSWERED_ELSEWHERE["en"]}
    asked = [text for text in desk.voice.said if text not in made_ready]
    assert asked == ["Book a table for four at seven.", "Shall I go ahead?"], "it was asked again meanwhile"


async def test_a_card_that_answers_first_stops_the_voice() -> None:
    async with Desk() as desk:
        _, model, call_id = await desk.ask()
        (pending,) = desk.human.handler.pending.values()
        assert desk.human.handler.resolve(pending.pending_id, "yes")
        await model.expect(SentToolResult, call_id=call_id, failed=False)
        await model.expect(Held, on=False)


async def test_a_hang_up_in_the_question_withdraws_it() -> None:
    async with Desk() as desk:
        caller, model, _ = await desk.ask()
        (session,) = desk.channel.sessions
        (request,) = session.open_requests
        model.ignore(Held, Forgot)
        caller.hang_up()
        with anyio.fail_after(20):
            await session.closed.wait()
        assert request.end is RequestEnd.WITHDRAWN


# --- what the model does meanwhile -----------------------------------------------------------------------------------


async def test_the_output_goes_first_then_the_hold_then_the_model_is_asked_on() -> None:
    async with Desk() as desk:
        caller, model, call_id = await desk.ask()
        model.watch(Responded)
        before = model.counts[Responded]
        await say(caller, model, "No.", "item-1")
        await model.expect(SentToolResult, call_id=call_id)
        await model.expect(Held, on=False)
        await model.expect(Responded)
        assert model.counts[Responded] == before + 1


async def test_a_response_nobody_asked_for_is_cancelled_and_its_calls_are_refused() -> None:
    async with Desk() as desk:
        caller, model, call_id = await desk.ask()
        model.emit(ResponseStarted("stray"))
        await model.expect(Interrupted, response_id="stray")
        heard = caller.heard["stray-item"]
        model.emit(
            AudioOut(bytes(RATE), "stray-item", response_id="stray"),
            ToolCalled("stray-call", "ConfirmAction", json.dumps(BOOK), "stray"),
            ResponseEnded("stray", "cancelled"),
        )
        await model.expect(SentToolResult, call_id="stray-call", failed=True)
        assert caller.heard["stray-item"] == heard == 0
        assert len(desk.human.handler.pending) == 1
        await say(caller, model, "No.", "item-1")
        await model.expect(SentToolResult, call_id=call_id)
        await model.expect(Held, on=False)


async def test_an_aside_gets_one_response_and_then_the_question_comes_again() -> None:
    async with Desk() as desk:
        caller, model, call_id = await desk.ask()
        model.watch(Responded)
        await say(caller, model, "What does it cost?", "item-1")
        await model.expect(Held, on=False)
        await model.expect(Responded)
        model.emit(ResponseStarted("answer", ours=True), AudioOut(bytes(RATE), "fee", response_id="answer"))
        model.emit(ResponseEnded("answer"))
        await model.expect(Held, on=True)
        assert caller.heard["fee"] == 500
        made = len(desk.voice.said)
        await caller.hears(caller.heard.total() + 1000)
        assert len(desk.voice.said) > made
        assert len(desk.human.handler.pending) == 1
        model.ignore(Forgot, Responded)
        await caller.press("1")
        await model.expect(SentToolResult, call_id=call_id, text=re.compile("true"))
        await model.expect(Held, on=False)


async def test_a_model_that_says_nothing_to_an_aside_has_the_floor_for_half_a_minute() -> None:
    async with Desk(timeout=120) as desk:
        caller, model, call_id = await desk.ask()
        await say(caller, model, "What does it cost?", "item-1")
        await model.expect(Held, on=False)
        given = anyio.current_time()
        await model.expect(Held, on=True, within_s=40)
        assert anyio.current_time() - given == pytest.approx(30, abs=0.5)
        await caller.press("1")
        await model.expect(SentToolResult, call_id=call_id, failed=False)
        await model.expect(Held, on=False)


async def test_two_questions_of_one_response_are_asked_in_turn() -> None:
    async with Desk() as desk:
        caller, model = await desk.call()
        model.emit(
            ResponseStarted("r1"),
            ToolCalled("c1", "ConfirmAction", json.dumps(BOOK), "r1"),
            ToolCalled("c2", "ConfirmAction", json.dumps({"action": "Order a cake."}), "r1"),
            ResponseEnded("r1"),
        )
        await model.expect(Held, on=True)
        await caller.hears(1000)
        await caller.press("1")
        await model.expect(SentToolResult, call_id="c1", text=re.compile("true"))
        await model.expect(Held, on=False)
        await model.expect(Held, on=True)
        await caller.hears(2000)
        await caller.press("2")
        await model.expect(SentToolResult, call_id="c2", text=re.compile("false"))
        await model.expect(Held, on=False)
    assert [text for text in desk.voice.said if "cake" in text or "table" in text][:2] == [
        "Book a table for four at seven.",
        "Order a cake.",
    ]


async def test_one_question_three_times_in_one_response_is_asked_once() -> None:
    async with Desk() as desk:
        caller, model = await desk.call()
        calls = [
            ToolCalled(f"c{number}", "ConfirmAction", json.dumps({"action": action}), "r1")
            for number, action in enumerate(["Book a table.", "book a table.", "BOOK A TABLE. "])
        ]
        model.emit(ResponseStarted("r1"), *calls, ResponseEnded("r1"))
        await model.expect(Held, on=True)
        await caller.hears(1000)
        await caller.press("1")
        outputs = {(await model.expect(SentToolResult, text=re.compile("true"))).call_id for _ in range(3)}
        assert outputs == {"c0", "c1", "c2"}
        await model.expect(Held, on=False)


# --- what the caller does --------------------------------------------------------------------------------------------


async def test_a_yes_waits_for_the_turn_that_is_still_being_transcribed() -> None:
    async with Desk() as desk:
        caller, model, call_id = await desk.ask()
        model.emit(SpeechStarted("one"))
        await caller.speak(speech(0.4))
        await caller.stay_silent(500)
        model.emit(SpeechStopped("one"), SpeechStarted("two"))
        await caller.speak(speech(0.6))
        await caller.stay_silent(400)
        model.emit(SpeechStopped("two"), Transcript("user", "Yes,", True, "one"))
        await caller.stay_silent(2000)
        assert len(desk.human.handler.pending) == 1
        model.emit(Transcript("user", "no, don't.", True, "two"))
        await model.expect(SentToolResult, call_id=call_id, text=re.compile("false"))
        await model.expect(Held, on=False)


async def test_barge_in_stops_the_voice_and_a_cough_lets_it_go_on() -> None:
    async with Desk(spoken=SpokenAsker(speaker=Tone(seconds=2))) as desk:
        caller, model = await desk.call()
        call_id = model.call_tool("ConfirmAction", BOOK)
        await model.expect(Held, on=True)
        await caller.hears(100)
        await caller.speak(speech(0.3))
        heard = caller.heard.total()
        await caller.stay_silent(1000)
        assert caller.heard.total() <= heard + 40
        assert heard < 500
        model.emit(TranscriptFailed("cough"))
        await caller.hears(heard + 4000)
        await say(caller, model, "Yes.", "item-2")
        await model.expect(SentToolResult, call_id=call_id, text=re.compile("true"))
        await model.expect(Held, on=False)


async def test_what_is_said_before_the_question_is_the_models() -> None:
    async with Desk() as desk:
        caller, model = await desk.call()
        model.emit(ResponseStarted("r1"), ToolCalled("c1", "ConfirmAction", json.dumps(BOOK), "r1"))
        await caller.speak(speech(0.5))
        await caller.stay_silent(300)
        model.emit(ResponseEnded("r1"))
        await model.expect(Held, on=True)
        model.emit(Transcript("user", "Yes.", True, "early"))
        await caller.hears(1000)
        await caller.stay_silent(1500)
        assert len(desk.human.handler.pending) == 1
        assert model.counts[Forgot] == 0
        await caller.press("2")
        await model.expect(SentToolResult, call_id="c1", text=re.compile("false"))
        await model.expect(Held, on=False)


@pytest.mark.parametrize("when", ["in the answer", "in the read-back"])
async def test_a_hang_up_withdraws_it(when: str) -> None:
    async with Desk(tool=ask_human() if when == "in the read-back" else None) as desk:
        arguments = {"kind": "input", "prompt": "What is your name?"} if when == "in the read-back" else BOOK
        caller, model = await desk.call()
        model.ignore(Held, Forgot)
        model.call_tool(desk.tool, arguments)
        await caller.hears(500 if when == "in the read-back" else 1000)
        await caller.speak(speech(0.4))
        (session,) = desk.channel.sessions
        (request,) = session.open_requests
        if when == "in the read-back":
            await caller.stay_silent(400)
            model.emit(Transcript("user", "Ann Lee", True, "item-1"))
            await caller.hears(700)
        caller.hang_up()
        with anyio.fail_after(20):
            await session.closed.wait()
        assert request.end is RequestEnd.WITHDRAWN


async def test_nobody_answers_aloud_and_the_model_is_told_once() -> None:
    async with Desk(HoldLines(speaker=Tone()), timeout=300) as desk:
        _, model, call_id = await desk.ask()
        await model.expect(Held, on=False, within_s=60)
        sent = await model.expect(SentToolResult, call_id=call_id, failed=True)
        assert "unanswered after 3 tries" in sent.text


# --- somebody else ---------------------------------------------------------------------------------------------------


async def test_a_card_and_a_voice_in_the_same_tick_are_one_answer() -> None:
    colleague = Colleague()
    async with Desk(colleague) as desk:
        caller, model, call_id = await desk.ask()
        await say(caller, model, "No.", "item-1")
        card = await colleague.answers()
        sent = await model.expect(SentToolResult, call_id=call_id)
        assert card.kind in (SettlementKind.ACCEPTED, SettlementKind.DUPLICATE)
        assert ("true" in sent.text) is (card.kind is SettlementKind.ACCEPTED)
        assert desk.human.handler.pending == {}
        await model.expect(Held, on=False)


async def test_when_somebody_else_was_quicker_the_caller_hears_it() -> None:
    colleague = Colleague()
    async with Desk(colleague) as desk:
        caller, model, call_id = await desk.ask()
        await caller.stay_silent(1000)
        await desk.spoken()
        heard = caller.heard.total()
        assert await colleague.answers() == Settlement.ACCEPTED
        await model.expect(SentToolResult, call_id=call_id, text=re.compile("true"))
        await model.expect(Held, on=False)
        await caller.hears(heard + 500)
        assert "All right, that was just confirmed." in desk.voice.said


@pytest.mark.parametrize(("answer", "said"), [(True, CONFIRMED_ELSEWHERE), (False, ANSWERED_ELSEWHERE)])
async def test_the_caller_hears_of_a_confirmation_only_where_there_was_one(
    answer: bool, said: Mapping[str, str]
) -> None:
    colleague, exact = Colleague(), replace(QUIET, verbatim="exact")
    async with Desk(colleague, spoken=SpokenAsker(), capabilities=exact) as desk:
        _, model = await desk.call()
        model.call_tool("ConfirmAction", BOOK)
        await model.expect(Held, on=True)
        await model.expect(Said, text=BOOK["action"])
        await model.expect(Said, text="Shall I go ahead?")
        assert await colleague.answers(answer) == Settlement.ACCEPTED
        model.ignore(Interrupted)
        await model.expect(SentToolResult)
        await model.expect(Held, on=False)
        await model.expect(Said, text=said["en"])


async def test_an_operator_is_asked_where_there_is_one_and_answers() -> None:
    colleague = Colleague()
    async with Desk(
        Try(colleague, patience=100), spoken=Try(SpokenAsker(speaker=Tone()), patience=100), timeout=300
    ) as desk:
        caller, model = await desk.call()
        call_id = model.call_tool("ConfirmAction", BOOK)
        await model.expect(Held, on=True)
        await caller.hears(1000)
        assert not colleague.asked.is_set
        await caller.press("0")
        await model.expect(Held, on=False)
        with anyio.fail_after(1):
            await colleague.asked.wait()
        await colleague.answers()
        await model.expect(SentToolResult, call_id=call_id, text=re.compile("true"))


async def test_an_operator_is_declined_where_there_is_none() -> None:
    async with Desk() as desk:
        caller, model, call_id = await desk.ask()
        (request,) = desk.channel.sessions[0].open_requests
        await caller.press("0")
        sent = await model.expect(SentToolResult, call_id=call_id, failed=True)
        assert "asked for an operator, and there is none" in sent.text
        assert request.answered_via is Via.KEY
        await model.expect(Held, on=False)


async def test_a_question_for_somebody_else_is_not_put_to_the_caller() -> None:
    colleague = Colleague()
    async with Desk(colleague, audience=("bob",)) as desk:
        caller, model = await desk.call()
        call_id = model.call_tool("ConfirmAction", BOOK)
        with anyio.fail_after(5):
            await colleague.asked.wait()
        await say(caller, model, "Yes.", "item-1")
        await caller.press("1")
        await caller.stay_silent(2000)
        assert desk.voice.said == []
        (pending,) = desk.human.handler.pending.values()
        by_ada = await desk.human.handler.answer(pending.pending_id, Answer(True, by="ada", via=Via.VOICE))
        assert by_ada == Settlement.NOT_ALLOWED
        by_bob = await desk.human.handler.answer(pending.pending_id, Answer(True, by="bob"))
        assert by_bob == Settlement.ACCEPTED
        await model.expect(SentToolResult, call_id=call_id)


# --- no way to ask ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("capabilities", "asker", "why"),
    [
        (ProviderCapabilities(), SpokenAsker(speaker=Tone()), "cannot be kept from answering"),
        (QUIET, SpokenAsker(), "give it a speaker"),
        (QUIET, Try(SpokenAsker(), patience=5), "give it a speaker"),
    ],
)
def test_a_voice_that_could_never_ask_is_an_error_when_the_channel_is_built(
    capabilities: ProviderCapabilities, asker: Asker, why: str
) -> None:
    human = HumanInputToolHandler({"ConfirmAction"}, tool_definitions=[confirm_action()], askers=[asker])
    provider = ScriptedProvider(capabilities=capabilities)
    with pytest.raises(ValueError, match=why):
        RealtimeVoiceChannel("voice", provider=provider, transport=LoopbackTransport(), human_input_handler=human)


# --- somebody who understands more -----------------------------------------------------------------------------------


async def test_an_application_may_say_what_the_rules_leave_open_but_never_yes() -> None:
    asked: list[str] = []

    async def understand(_question: Question, text: str) -> Reading:
        asked.append(text)
        if text == "Hmm.":
            raise OSError(text)
        return Match("birds" in text)

    async with Desk(spoken=SpokenAsker(speaker=Tone(), understand=understand)) as desk:
        caller, model = await desk.call()
        call_id = model.call_tool("ConfirmAction", BOOK)
        await model.expect(Held, on=True)
        await caller.hears(1000)
        await say(caller, model, "Hmm.", "item-1")
        await caller.stay_silent(3000)
        await say(caller, model, "The birds are singing.", "item-2")
        await caller.stay_silent(3000)
        assert len(desk.human.handler.pending) == 1
        await say(caller, model, "The geese fly south.", "item-3")
        await model.expect(SentToolResult, call_id=call_id, text=re.compile('"confirmed": false'))
        await model.expect(Held, on=False)
    assert asked == ["Hmm.", "The birds are singing.", "The geese fly south."]


# --- the model's own voice -------------------------------------------------------------------------------------------


class OwnVoice:
    """A model that says for us what it is given, or something else."""

    def __init__(self, model: ScriptedConnection) -> None:
        self.model = model
        self.said = 0

    async def says(self, words: str | None = None) -> str:
        """The next of the sentences that it is given, in these words; what it was given."""
        given = (await self.model.expect(Said)).text
        self.said += 1
        name = f"said-{self.said}"
        self.model.emit(
            ResponseStarted(name, ours=True),
            AudioOut(bytes(RATE), f"{name}-item", response_id=name),
            Transcript("assistant", given if words is None else words, True, f"{name}-item"),
            ResponseEnded(name),
        )
        return given


LIKELY = replace(QUIET, verbatim="likely")


async def test_what_the_models_voice_says_in_other_words_is_not_asked_and_said_again() -> None:
    async with Desk(spoken=SpokenAsker(), capabilities=LIKELY) as desk:
        caller, model = await desk.call()
        model.ignore(Interrupted)
        call_id = model.call_tool("ConfirmAction", BOOK)
        await model.expect(Held, on=True)
        own = OwnVoice(model)
        assert await own.says("Book a table for five at seven.") == "Book a table for four at seven."
        assert await own.says() == "Shall I go ahead?"
        assert await own.says() == "Book a table for four at seven."
        assert await own.says() == "Shall I go ahead?"
        await caller.hears(1000)
        await caller.stay_silent(600)
        await say(caller, model, "Yes.", "item-1")
        await model.expect(SentToolResult, call_id=call_id, text=re.compile("true"))
        await model.expect(Held, on=False)


async def test_a_voice_that_does_not_say_what_it_is_given_leaves_the_question_to_others() -> None:
    async with Desk(HoldLines(speaker=Tone()), spoken=SpokenAsker(), capabilities=LIKELY) as desk:
        _, model = await desk.call()
        model.ignore(Interrupted, Said)
        call_id = model.call_tool("ConfirmAction", BOOK)
        await model.expect(Held, on=True)
        model.ignore(Held)
        for number in range(6):  # two sentences, three times
            name = f"other-{number}"
            model.emit(ResponseStarted(name, ours=True), AudioOut(bytes(RATE), name, response_id=name))
            model.emit(Transcript("assistant", "I would never do that.", True, name), ResponseEnded(name))
            await anyio.sleep(1)
        await model.expect(SentToolResult, call_id=call_id, failed=True)


async def test_a_yes_to_a_risk_that_the_models_voice_asked_for_is_keyed() -> None:
    async with Desk(spoken=SpokenAsker(), capabilities=LIKELY, tool=confirm_action(risk="high")) as desk:
        caller, model = await desk.call()
        model.ignore(Interrupted)
        call_id = model.call_tool("ConfirmAction", BOOK)
        await model.expect(Held, on=True)
        own = OwnVoice(model)
        said = [await own.says() for _ in range(3)]
        assert said[-1] == "On the keypad press 1 to go ahead or 2 to stop, please."
        await caller.hears(1500)
        await caller.stay_silent(600)
        model.ignore(Said)
        await say(caller, model, "Yes.", "item-1")
        await caller.stay_silent(1500)
        assert len(desk.human.handler.pending) == 1
        await caller.press("1")
        await model.expect(SentToolResult, call_id=call_id, text=re.compile("true"))
        await model.expect(Held, on=False)
