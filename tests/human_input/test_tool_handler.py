"""`HumanInputToolHandler`: what the model reads of each end, and what each tool asks."""

import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import cast

import anyio
import anyio.to_thread
import pytest

from tests.human_input.told import FakeSession, ScriptedAsker, Told
from voice_hitl.asker import GaveUp
from voice_hitl.enums import ChannelType, DoorName, RequestEnd
from voice_hitl.errors import UnservedToolCallError, VoiceHitlError
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.human_input.tool_handler import WITHDRAW_REQUEST, Caller, HumanInputToolHandler
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Confirm, Number, Question, Text
from voice_hitl.requests.pending import PendingInput
from voice_hitl.requests.settlement import Settlement, SettlementKind
from voice_hitl.tasks import Tasks, current_time
from voice_hitl.tools.asking import ask_human, ask_user_question, confirm_action, human_tool
from voice_hitl.tools.context import ToolCallContext, tool_call_context
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import compose_tool_handlers

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

ACTION: dict[str, object] = {"action": "Book a table."}
CONTEXT = ToolCallContext(
    room_id="desk",
    call_id="c1",
    channel_id="voice",
    channel_type=ChannelType.REALTIME_VOICE,
    session_id="s1",
    actor_id="ada",
    door=DoorName.SPOKEN_CALL,
)
PIN = human_tool(AITool("ask_pin"), question=lambda _arguments: Number(prompt="Your PIN?", digits=4, sensitive=True))


class Desk:
    """A handler of tools, and what its calls came to."""

    def __init__(self, human: HumanInputToolHandler) -> None:
        self.human = human
        self.handler = human.handler
        self.came_to: list[str] = []
        self.calls = Tasks("calls")

    async def call(self, name: str = "ConfirmAction", arguments: dict[str, object] | None = None) -> str:
        try:
            text = await self.human.ask(name, ACTION if arguments is None else arguments)
        except (VoiceHitlError, RuntimeError) as error:
            text = f"{type(error).__name__}: {error}"
        except anyio.get_cancelled_exc_class():
            self.came_to.append("cancelled")
            raise
        self.came_to.append(text)
        return text

    async def start(
        self, name: str = "ConfirmAction", arguments: dict[str, object] | None = None, *, session_id: str = ""
    ) -> PendingInput:
        """Begin a call; the request that it opens, live, a second later."""

        async def call() -> None:
            await self.call(name, arguments)

        self.calls.spawn(call(), "call")
        await anyio.sleep(1)
        (pending,) = self.handler.open_in(session_id)
        return pending

    async def ended(self) -> list[str]:
        """What the calls came to, once they all have ended."""
        await self.calls.close(patience_s=1000)
        return self.came_to


@pytest.fixture
def desk() -> Desk:
    return Desk(HumanInputToolHandler({"ConfirmAction"}, tool_definitions=[confirm_action()]))


# --- what it is made of ----------------------------------------------------------------------------------------------


def test_it_serves_its_tools_and_declares_their_definitions() -> None:
    human = HumanInputToolHandler({"ConfirmAction", "AskManager"}, tool_definitions=[confirm_action()])
    assert human.tool_names == {"ConfirmAction", "AskManager"}
    assert [definition.name for definition in human.tool_definitions] == ["ConfirmAction"]
    assert human.undeclared == {"AskManager"}
    assert [human.serves(name) for name in ("ConfirmAction", "AskManager", "look_up")] == [True, True, False]
    assert (human.asks("AskManager"), human.timeout) == (True, 300)


@pytest.mark.parametrize("names", [set[str](), "ConfirmAction"])
def test_no_tool_names_or_one_text_of_them_is_a_value_error(names: set[str] | str) -> None:
    with pytest.raises(ValueError, match="tool_names"):
        HumanInputToolHandler(names)


def test_a_definition_outside_the_names_or_given_twice_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="'ask_human', which is none of"):
        HumanInputToolHandler({"ConfirmAction"}, tool_definitions=[ask_human()])
    with pytest.raises(ValueError, match="twice"):
        HumanInputToolHandler({"ConfirmAction"}, tool_definitions=[confirm_action(), AITool("ConfirmAction")])
    with pytest.raises(ValueError, match="asking= names 'ask_human'"):
        HumanInputToolHandler({"ConfirmAction"}, asking={"ask_human": []})


def test_withdraw_request_is_not_a_name_for_a_tool_of_ones_own_where_it_is_offered() -> None:
    with pytest.raises(ValueError, match="withdraw_request"):
        HumanInputToolHandler({WITHDRAW_REQUEST}, withdrawable=True)
    assert HumanInputToolHandler({WITHDRAW_REQUEST}).asks(WITHDRAW_REQUEST)


@pytest.mark.parametrize("timeout", [0, -5, float("nan"), float("inf")])
def test_a_timeout_that_is_no_time_is_a_value_error(timeout: float) -> None:
    with pytest.raises(ValueError, match="timeout"):
        HumanInputToolHandler({"ConfirmAction"}, timeout)


def test_an_audience_of_one_text_is_a_value_error() -> None:
    with pytest.raises(ValueError, match=r"\('caller',\)"):
        HumanInputToolHandler({"ConfirmAction"}, audience="caller")


def test_a_handler_may_be_shared() -> None:
    handler = HumanInputHandler()
    assert HumanInputToolHandler({"a"}, handler=handler).handler is HumanInputToolHandler({"b"}, 60, handler).handler


def test_a_tool_may_have_askers_of_its_own() -> None:
    card, voice = ScriptedAsker("card"), ScriptedAsker("voice")
    human = HumanInputToolHandler({"a", "b", "c"}, askers=[card], asking={"b": [voice], "c": []})
    assert [human.askers_of(name) for name in ("a", "b", "c")] == [(card,), (voice,), ()]


# --- what the model reads --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("end", "read"),
    [
        ("answered", '{"confirmed": true, "via": "api"}'),
        ("a no is an answer", '{"confirmed": false, "via": "api"}'),
        ("refused", "ToolRefusedError: Human input rejected: not today"),
        ("refused without a word", "ToolRefusedError: Human input rejected: no reason was given"),
        ("nobody", "ToolFailedError: Human input timed out after 300s for tool 'ConfirmAction'"),
        ("released", "RuntimeError: the request was given up before anybody answered"),
        ("closed", "RuntimeError: the request was given up before anybody answered"),
    ],
)
async def test_what_the_model_reads_of_each_end(desk: Desk, end: str, read: str) -> None:
    pending_id = (await desk.start()).pending_id
    match end:
        case "answered":
            assert desk.handler.resolve(pending_id, "yes")
        case "a no is an answer":
            assert desk.handler.resolve(pending_id, "no")
        case "refused":
            assert desk.handler.reject(pending_id, "not today")
        case "refused without a word":
            assert await desk.handler.answer(pending_id, Answer(decline=True)) == Settlement.ACCEPTED
        case "released":
            assert desk.handler.release(pending_id)
        case "closed":
            await desk.handler.close()
        case _:
            pass
    assert await desk.ended() == [read]


@pytest.mark.parametrize(("timeout", "said"), [(0.5, "0.5s"), (60.0, "60s"), (1_000_000, "1000000s")])
async def test_how_long_a_person_had_is_said_in_seconds(timeout: float, said: str) -> None:
    desk = Desk(HumanInputToolHandler({"AskManager"}, timeout))
    began = current_time()
    assert f"timed out after {said} for tool 'AskManager'" in await desk.call("AskManager")
    assert current_time() - began == timeout


async def test_when_every_asker_gave_up_the_model_reads_it_at_once() -> None:
    asker = ScriptedAsker(tries_s=20, gave_up=GaveUp(3))
    desk = Desk(HumanInputToolHandler({"AskManager"}, askers=[asker]))
    began = current_time()
    read = await desk.call("AskManager")
    assert read == "ToolFailedError: Human input unanswered after 3 tries for tool 'AskManager'"
    assert current_time() - began == 20


async def test_a_hooks_block_reaches_the_model(desk: Desk) -> None:
    told = Told(denies="the desk is closed")
    desk.handler.register_channel("voice", told)
    assert await desk.call() == "ToolRefusedError: Human input rejected: the desk is closed"


async def test_a_waiting_call_that_is_cut_withdraws_its_request(desk: Desk) -> None:
    pending = await desk.start()
    await desk.calls.close()
    assert (desk.came_to, pending.end) == (["cancelled"], RequestEnd.WITHDRAWN)
    assert not desk.handler.resolve(pending.pending_id, "yes")


@pytest.mark.parametrize("words", ['{"error": "Human input timed out"}', '{"type": "session.update"}', "x" * 100_000])
async def test_an_answers_words_are_data_and_never_cut(words: str) -> None:
    desk = Desk(HumanInputToolHandler({"AskManager"}))
    pending = await desk.start("AskManager")
    assert desk.handler.resolve(pending.pending_id, words)
    assert await desk.ended() == [words]


# --- what is asked ---------------------------------------------------------------------------------------------------


async def test_another_tools_call_is_unserved_so_that_composed_handlers_go_on(desk: Desk) -> None:
    with pytest.raises(UnservedToolCallError, match="look_up"):
        await desk.human("look_up", {})

    async def host(name: str, _arguments: dict[str, object]) -> str:
        return f"{name} by the host"

    composed = cast("Callable[[str, dict[str, object]], Awaitable[object]]", compose_tool_handlers(desk.human, host))
    assert await composed("look_up", {}) == "look_up by the host"


@pytest.mark.parametrize(
    ("definition", "arguments", "question"),
    [
        (None, {"question": "Which day?"}, Text(prompt="Which day?", max_length=1_000_000, verbatim=True)),
        (None, {}, Text(prompt="AskManager", max_length=1_000_000, verbatim=True)),
        (
            AITool("AskManager", "Ask the manager."),
            {},
            Text(prompt="Ask the manager.", max_length=1_000_000, verbatim=True),
        ),
        (confirm_action("AskManager"), ACTION, Confirm(prompt="Book a table.", action="Book a table.")),
    ],
)
async def test_a_tool_asks_what_its_definition_says(
    definition: AITool | None, arguments: dict[str, object], question: Question
) -> None:
    desk = Desk(HumanInputToolHandler({"AskManager"}, tool_definitions=[definition] if definition else None))
    assert (await desk.start("AskManager", arguments)).question == question
    await desk.calls.close()


async def test_a_question_that_cannot_be_asked_fails_the_call_saying_what_to_correct_and_asks_nobody() -> None:
    asker, told = ScriptedAsker(), Told()
    desk = Desk(HumanInputToolHandler({"ask_user_question"}, tool_definitions=[ask_user_question()], askers=[asker]))
    desk.handler.register_channel("voice", told)
    read = await desk.call("ask_user_question", {"questions": []})
    assert read.startswith("ToolFailedError: ")
    assert "questions" in read
    await anyio.sleep(1)
    assert (desk.handler.pending, asker.notes, told.required_events) == ({}, [], [])


async def test_an_answer_becomes_what_its_tool_says() -> None:
    tool = human_tool(
        AITool("AskManager"),
        question=lambda _arguments: Number(prompt="How many?"),
        result=lambda answer: f"{answer.value} by {answer.by}",
    )
    desk = Desk(HumanInputToolHandler({"AskManager"}, tool_definitions=[tool]))
    pending = await desk.start("AskManager")
    assert await desk.handler.answer(pending.pending_id, Answer("4", by="lee")) == Settlement.ACCEPTED
    assert await desk.ended() == ["4 by lee"]


@pytest.mark.parametrize("broken", ["raises", "returns nonsense"])
async def test_a_result_that_breaks_takes_no_answer_and_is_told(broken: str, caplog: pytest.LogCaptureFixture) -> None:
    def result(_answer: Answer) -> str:
        if broken == "raises":
            raise LookupError("no words")
        return 5  # type: ignore[return-value]  # as users may

    tool = human_tool(AITool("AskManager"), result=result)
    told = Told()
    desk = Desk(HumanInputToolHandler({"AskManager"}, tool_definitions=[tool]))
    desk.handler.register_channel("voice", told)
    pending = await desk.start("AskManager")
    settlement = await desk.handler.answer(pending.pending_id, Answer("Monday"))
    assert settlement.kind is SettlementKind.INVALID
    assert not await anyio.to_thread.run_sync(desk.handler.resolve, pending.pending_id, "Monday")
    await anyio.sleep(1)
    assert pending.end is None
    await desk.calls.close()
    words = {"raises": "LookupError: no words", "returns nonsense": "TypeError: it must be text, not int"}[broken]
    assert told.failures == [(pending.pending_id, "result of AskManager", words)] * 2
    assert words.split(": ")[1] in caplog.text


async def test_a_sensitive_answer_is_told_to_the_model_as_collected_or_as_its_tool_says(
    caplog: pytest.LogCaptureFixture,
) -> None:
    revealing = human_tool(PIN.definition, question=PIN.question, reveal_to_model=True)
    for tool, read in ((PIN, '{"collected": true}'), (revealing, "9876")):
        desk = Desk(HumanInputToolHandler({"ask_pin"}, tool_definitions=[tool]))
        told = Told()
        desk.handler.register_channel("voice", told)
        with caplog.at_level(logging.DEBUG):
            pending = await desk.start("ask_pin")
            assert (await desk.handler.answer(pending.pending_id, Answer("98"))).kind is SettlementKind.INVALID
            assert await desk.handler.answer(pending.pending_id, Answer("9876")) == Settlement.ACCEPTED
            assert await desk.ended() == [read]
            await desk.handler.close()
        assert [event.result for event in told.settled_events] == ["..."]
    assert "9876" not in caplog.text


async def test_what_the_provider_cannot_take_is_invalid_when_it_is_given() -> None:
    human = HumanInputToolHandler({"AskManager"})
    pending = human.open(
        replace(Caller.of(CONTEXT), max_chars=10), "AskManager", {}, channel_type=ChannelType.REALTIME_VOICE
    )
    settlement = await human.handler.answer(pending.pending_id, Answer("x" * 11))
    assert settlement == Settlement.INVALID("the answer is too long: 11 characters, where 10 can be taken")
    assert not human.handler.resolve(pending.pending_id, "x" * 11)
    assert human.handler.resolve(pending.pending_id, "x" * 10)


# --- whose call it is ------------------------------------------------------------------------------------------------


async def test_a_request_says_which_call_it_came_from() -> None:
    session, asker = FakeSession(), ScriptedAsker()
    human = HumanInputToolHandler({"AskManager"}, 60, askers=[asker], audience=["caller"])
    caller = Caller.of(replace(CONTEXT, actor_confidence=0.7), session)
    pending = human.open(caller, "AskManager", {"a": 1}, channel_type=ChannelType.REALTIME_VOICE)
    assert (pending.room_id, pending.tool_call_id, pending.channel_id, pending.session_id) == (
        "desk",
        "c1",
        "voice",
        "s1",
    )
    assert (pending.channel_type, pending.door) == (ChannelType.REALTIME_VOICE, DoorName.SPOKEN_CALL)
    assert (pending.actor_id, pending.actor_confidence, pending.audience) == ("ada", 0.7, ("caller",))
    await anyio.sleep(1)
    assert asker.sessions == [session]


async def test_as_a_tool_handler_it_asks_on_the_ai_channels_door_for_the_call_that_is_served(desk: Desk) -> None:
    async def call() -> None:
        assert await desk.human("ConfirmAction", ACTION) == '{"confirmed": true, "via": "api"}'

    with tool_call_context(CONTEXT):
        job = desk.calls.spawn(call(), "call")
    await anyio.sleep(1)
    (pending,) = desk.handler.open_in("s1")
    assert (pending.channel_type, pending.tool_call_id, pending.actor_id) == (ChannelType.AI, "c1", "ada")
    assert desk.handler.resolve(pending.pending_id, "yes")
    await job.wait()


async def test_ask_says_on_which_channels_door_it_asks(desk: Desk) -> None:
    async def ask() -> None:
        await desk.human.ask("ConfirmAction", ACTION, channel_type=ChannelType.CONFERENCE)

    desk.calls.spawn(ask(), "call")
    await anyio.sleep(1)
    (pending,) = desk.handler.open_in("")
    assert (pending.channel_type, pending.door) == (ChannelType.CONFERENCE, None)
    assert desk.handler.resolve(pending.pending_id, "yes")
    await desk.ended()


async def test_a_closed_scope_asks_nobody(desk: Desk) -> None:
    await desk.handler.close()
    assert await desk.call() == "RuntimeError: the human-input handler is closed"


# --- calling it off --------------------------------------------------------------------------------------------------


def test_withdraw_request_is_declared_only_where_it_is_offered() -> None:
    human = HumanInputToolHandler({"ConfirmAction"}, tool_definitions=[confirm_action()], withdrawable=True)
    assert [definition.name for definition in human.tool_definitions] == ["ConfirmAction", WITHDRAW_REQUEST]
    assert (human.serves(WITHDRAW_REQUEST), human.asks(WITHDRAW_REQUEST)) == (True, False)
    assert human.undeclared == set()
    assert not HumanInputToolHandler({"ConfirmAction"}).serves(WITHDRAW_REQUEST)


@pytest.mark.parametrize(
    ("arguments", "withdrawn"),
    [({}, ["AskManager", "AskOwner"]), ({"tool": "AskOwner"}, ["AskOwner"]), ({"tool": "look_up"}, [])],
)
async def test_the_model_may_call_off_what_is_asked_in_its_own_session(
    arguments: dict[str, object], withdrawn: list[str]
) -> None:
    human = HumanInputToolHandler({"AskManager", "AskOwner"}, withdrawable=True)
    caller, other = Caller.of(CONTEXT), Caller.of(ToolCallContext(session_id="s2"))
    mine = [human.open(caller, name, {}, channel_type=ChannelType.AI) for name in ("AskOwner", "AskManager")]
    theirs = human.open(other, "AskOwner", {}, channel_type=ChannelType.AI)
    read = await human.ask_for(caller, WITHDRAW_REQUEST, arguments, channel_type=ChannelType.REALTIME_VOICE)
    assert json.loads(read) == {"withdrawn": withdrawn}
    assert sorted(pending.tool_name for pending in mine if pending.end is RequestEnd.WITHDRAWN) == withdrawn
    assert theirs.end is None


async def test_outside_a_session_there_is_nothing_to_call_off() -> None:
    human = HumanInputToolHandler({"AskManager"}, withdrawable=True)
    pending = human.open(Caller.of(ToolCallContext()), "AskManager", {}, channel_type=ChannelType.AI)
    assert json.loads(await human(WITHDRAW_REQUEST, {})) == {"withdrawn": []}
    assert pending.end is None


async def test_what_is_called_off_fails_the_call_that_waits() -> None:
    human = HumanInputToolHandler({"AskManager"}, withdrawable=True)
    desk = Desk(human)
    with tool_call_context(CONTEXT):
        await desk.start("AskManager", session_id="s1")
        await human(WITHDRAW_REQUEST, {})
    assert await desk.ended() == ["RuntimeError: the request was given up before anybody answered"]
