"""A text turn: rounds of words and calls, a person asked in the middle, and every way in which it can end."""

import gc
import json
import re
from collections.abc import AsyncIterator, Mapping

import anyio
import pytest

from tests.channels.desk import look_up
from tests.channels.kept import LOOK_UP, RunningTasks, kept, settle_down
from tests.human_input.told import Told
from voice_hitl.channels.ai import AIChannel
from voice_hitl.channels.conversation import LONGEST, Conversation
from voice_hitl.channels.text_events import TextCall, TextCallEnded, TextDelta, TextEnded, TextEvent
from voice_hitl.channels.text_turn import TextTurn
from voice_hitl.chat import ChatCall, ChatEnded, ChatMessage
from voice_hitl.doors.pipeline import Pipeline
from voice_hitl.enums import ChannelType, DoorName, HookTrigger, OutcomeKind, RequestEnd
from voice_hitl.errors import ProviderError
from voice_hitl.events import ErrorEvent, ToolCallEvent
from voice_hitl.hooks import HookContext, HookResult
from voice_hitl.human_input.external import ExternalToolHandler
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.pending import PendingInput, PendingInputEvent
from voice_hitl.requests.settlement import Settlement
from voice_hitl.stores.memory import MemoryStore
from voice_hitl.testing import ScriptedChat
from voice_hitl.testing.scripted_chat import ScriptedAnswer
from voice_hitl.tools.asking import confirm_action
from voice_hitl.tools.context import current_tool_call
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

CONFIRM = ChatCall("c1", "ConfirmAction", '{"action": "Book a table."}')
PAY = AITool("pay", "Pay.", requires_approval=True, approvers=("ada",))
MENU = ChatCall("c2", "look_up", '{"q": "menu"}')


class TextDesk:
    """A text channel, its scripted model, and what its hooks hear. Nothing may be left when it closes."""

    def __init__(self, *, handler: ToolHandler | None = look_up, max_tool_rounds: int = 10, max_rooms: int = 9) -> None:
        self.model = ScriptedChat()
        self.human = HumanInputToolHandler({"ConfirmAction"}, timeout=60, tool_definitions=[confirm_action()])
        self.channel = AIChannel(
            "text",
            provider=self.model,
            system_prompt="You book tables.",
            tools=[LOOK_UP],
            tool_handler=handler,
            human_input_handler=self.human,
            max_tool_rounds=max_tool_rounds,
            max_rooms=max_rooms,
        )
        self.kit = VoiceKit()
        self.kit.register_channel(self.channel)
        self.reports = kept(self.kit, ToolCallEvent, HookTrigger.ON_TOOL_CALL)
        self.settled = kept(self.kit, PendingInputEvent, HookTrigger.ON_USER_INPUT_SETTLED)
        self.errors = kept(self.kit, ErrorEvent, HookTrigger.ON_ERROR)

        @self.kit.hook(HookTrigger.ON_USER_INPUT_REQUIRED)
        async def listen(_event: PendingInputEvent, _ctx: HookContext) -> None:
            return None

    @property
    def request(self) -> PendingInput:
        (request,) = self.human.handler.pending.values()
        return request

    def turn(self, text: str = "Book a table.", actor_id: str | None = "ada") -> AsyncIterator[TextEvent]:
        return self.channel.turn(text, room_id="desk", actor_id=actor_id)

    async def __aenter__(self) -> "TextDesk":
        self._tasks = RunningTasks()
        return self

    async def __aexit__(self, kind: object, _error: object, _trace: object) -> None:
        with anyio.fail_after(60):
            await self.kit.close()
        if kind is None:
            self._tasks.check()
            assert self.human.handler.pending == {}
            self.model.done()


async def read(events: AsyncIterator[TextEvent]) -> list[TextEvent]:
    with anyio.fail_after(600):
        return [event async for event in events]


async def test_the_model_answers_in_words() -> None:
    async with TextDesk() as desk:
        events = desk.turn("Hello.")
        asked = await desk.model.asked(last="Hello.", tools=["look_up", "ConfirmAction"])
        assert asked.request.instructions == "You book tables."
        asked.answer("Good ", "day.")
        assert await read(events) == [TextDelta("Good "), TextDelta("day."), TextEnded("stop")]
        again = desk.turn("And?")
        asked = await desk.model.asked(last="And?")
        assert list(asked.request.items)[:2] == [ChatMessage("user", "Hello."), ChatMessage("assistant", "Good day.")]
        asked.answer("Nothing.", end=ChatEnded("length"))
        assert (await read(again))[-1] == TextEnded("length")


async def test_a_person_is_asked_and_the_model_goes_on_with_the_answer() -> None:
    async with TextDesk() as desk:
        events = desk.turn()
        (await desk.model.asked()).answer("One moment.", CONFIRM)
        await settle_down()
        request = desk.request
        assert (request.door, request.channel_type) == (DoorName.TEXT_CALL, ChannelType.AI)
        assert (request.channel_id, request.room_id, request.actor_id) == ("text", "desk", "ada")
        assert desk.human.handler.resolve(request.pending_id, "yes")
        asked = await desk.model.asked(results={"c1": re.compile('"confirmed": true')})
        asked.answer("Booked.")
        said = await read(events)
        assert said[:2] == [TextDelta("One moment."), TextCall("c1", "ConfirmAction")]
        assert isinstance(said[2], TextCallEnded)
        assert said[2].outcome is OutcomeKind.SERVED
        assert said[3:] == [TextDelta("Booked."), TextEnded("stop")]
        (report,) = desk.reports
        assert (report.door, report.delivered, report.actor_id) == (DoorName.TEXT_CALL, True, "ada")


def turns_alive() -> list[object]:
    """The turns that are still there, and what runs their calls."""
    return [each for each in gc.get_objects() if type(each) in (TextTurn, Pipeline)]


async def test_a_turn_that_is_over_leaves_nothing_to_the_garbage_collector() -> None:
    gc.collect()
    gc.disable()
    others = turns_alive()
    try:
        async with TextDesk() as desk:
            events = desk.turn()
            (await desk.model.asked()).answer(MENU)
            (await desk.model.asked(results={"c2": re.compile("")})).answer("Here it is.")
            assert (await read(events))[-1] == TextEnded("stop")
            del events
            await settle_down()
            assert turns_alive() == others
    finally:
        gc.enable()


async def test_calls_of_one_round_run_at_once_and_a_persons_tool_blocks_its_own_only() -> None:
    running: list[str] = []

    async def slow(name: str, arguments: Mapping[str, object]) -> object:
        running.append(str(arguments["q"]))
        await anyio.sleep(5)
        context = current_tool_call()
        assert context is not None
        return f"{name} for {context.actor_id} in {context.room_id}"

    async with TextDesk(handler=slow) as desk:
        events = desk.turn()
        wine = ChatCall("c3", "look_up", '{"q": "wine"}')
        (await desk.model.asked()).answer(CONFIRM, MENU, wine)
        await settle_down(4.9)
        assert running == ["menu", "wine"]
        await settle_down(0.2)
        assert len(desk.reports) == 2
        await desk.model.expect_nothing(for_s=20)
        desk.human.handler.resolve(desk.request.pending_id, "no")
        served = "look_up for ada in desk"
        asked = await desk.model.asked(results={"c1": re.compile("false"), "c2": served, "c3": served})
        asked.answer("Fine.")
        assert (await read(events))[-1] == TextEnded("stop")


async def test_a_tool_that_was_not_declared_is_refused_before_any_handler() -> None:
    async with TextDesk() as desk:
        events = desk.turn()
        calls = (
            ChatCall("c1", "delete_all", "{}"),
            ChatCall("c2", "look_up", '{"q": 3}'),
            ChatCall("c3", "look_up", '{"q'),
        )
        (await desk.model.asked()).answer(*calls)
        refusals = {"c1": re.compile("no tool"), "c2": re.compile("not valid"), "c3": re.compile("could not be read")}
        (await desk.model.asked(results=refusals)).answer("Sorry.")
        await read(events)
        assert [report.outcome for report in desk.reports] == [OutcomeKind.REFUSED] * 3


async def test_a_channel_that_declares_nothing_lets_no_name_pass() -> None:
    with ScriptedChat() as model:
        channel = AIChannel("bare", provider=model, tool_handler=look_up)
        events = channel.turn("Hi.", room_id="r")
        (await model.asked()).answer(MENU)
        (await model.asked(results={"c2": re.compile("no tool")})).answer("Sorry.")
        await read(events)
        await channel.close()


async def test_a_hook_refuses_and_another_replaces_a_result() -> None:
    async with TextDesk() as desk:

        @desk.kit.hook(HookTrigger.BEFORE_TOOL_USE)
        async def gate(event: ToolCallEvent, _ctx: HookContext) -> HookResult | None:
            return HookResult.block("Not now.") if event.arguments.get("q") == "wine" else None

        @desk.kit.hook(HookTrigger.ON_TOOL_CALL)
        async def judge(_event: ToolCallEvent, _ctx: HookContext) -> HookResult:
            return HookResult.allow({"result": "replaced"})

        events = desk.turn()
        (await desk.model.asked()).answer(MENU, ChatCall("c3", "look_up", '{"q": "wine"}'))
        (await desk.model.asked(results={"c2": "replaced", "c3": '{"error": "Not now."}'})).answer("Well.")
        await read(events)


async def test_a_call_that_comes_twice_runs_once_and_one_without_an_id_is_not_run() -> None:
    async with TextDesk() as desk:
        events = desk.turn()
        (await desk.model.asked()).answer(MENU, MENU, ChatCall("", "look_up", "{}"))
        (await desk.model.asked(results={"c2": re.compile("menu")})).answer(MENU)
        (await desk.model.asked(results={"c2": re.compile("menu")})).answer("Done.")
        await read(events)
        assert [report.outcome for report in desk.reports] == ["served", "refused", "served"]


async def test_after_too_many_rounds_the_model_is_asked_to_answer_in_words() -> None:
    async with TextDesk(max_tool_rounds=2) as desk:
        for last in ("Fine.", ChatCall("c9", "look_up", "{}")):
            events = desk.turn()
            (await desk.model.asked()).answer(MENU)
            (await desk.model.asked(tools=["look_up", "ConfirmAction"])).answer(MENU)
            (await desk.model.asked(tools=[])).answer(last)
            assert (await read(events))[-1] == TextEnded("stop" if isinstance(last, str) else "rounds")


async def test_a_cancelled_turn_withdraws_what_it_asked_and_leaves_a_conversation_that_pairs() -> None:
    async with TextDesk() as desk:
        events = desk.turn()
        asked = await desk.model.asked()
        asked.say("One moment.")
        asked.call(CONFIRM)
        asked.call(MENU)
        await settle_down()
        assert await desk.channel.cancel_turn("desk")
        assert [event.end for event in desk.settled] == [RequestEnd.WITHDRAWN]
        assert sorted(str(report.outcome) for report in desk.reports) == ["cancelled", "served"]
        assert (await read(events))[-1] == TextEnded("cancelled")
        assert not await desk.channel.cancel_turn("desk")
        again = desk.turn("Again.")
        (await desk.model.asked(last="Again.")).answer("Yes?")
        assert (await read(again))[-1] == TextEnded("stop")


async def test_a_turn_that_waits_its_turn_never_answers_and_never_cancels_the_one_before() -> None:
    async with TextDesk() as desk:
        first, second = desk.turn(), desk.turn("yes", actor_id="bob")
        (await desk.model.asked(last="Book a table.")).answer(CONFIRM)
        await desk.model.expect_nothing(for_s=30)
        assert desk.request.end is None
        desk.human.handler.resolve(desk.request.pending_id, "yes")
        (await desk.model.asked(last="Book a table.")).answer("Booked.")
        (await desk.model.asked(last="yes")).answer("Yes what?")
        assert [(await read(first))[-1], (await read(second))[-1]] == [TextEnded("stop")] * 2


async def test_steering_ends_the_words_but_no_call_and_is_read_in_the_next_round() -> None:
    async with TextDesk() as desk:
        assert not desk.channel.steer("desk", "Hello?")
        events = desk.turn()
        asked = await desk.model.asked()
        asked.call(CONFIRM)
        asked.say("Well, ")
        await settle_down()
        assert desk.channel.steer("desk", "For five, not four.")
        await settle_down(1)
        assert asked.closed
        assert desk.request.end is None
        desk.human.handler.resolve(desk.request.pending_id, "yes")
        asked = await desk.model.asked(last="For five, not four.")
        assert "c1" in [getattr(item, "call_id", "") for item in asked.request.items]
        asked.answer("For five.")
        assert (await read(events))[-1] == TextEnded("stop")


async def test_steering_while_calls_run_starts_a_round_of_its_own() -> None:
    async with TextDesk() as desk:
        events = desk.turn()
        asked = await desk.model.asked()
        await settle_down()
        desk.channel.steer("desk", "Hurry.")
        (await desk.model.asked(last="Hurry.")).answer("Yes.")
        assert (await read(events)) == [TextDelta("Yes."), TextEnded("stop")]
        assert asked.closed


async def test_steering_after_the_last_round_of_calls_is_answered_too() -> None:
    async with TextDesk(max_tool_rounds=1) as desk:
        events = desk.turn()
        (await desk.model.asked()).answer(MENU)
        (await desk.model.asked(tools=[])).say("Well, ")
        await settle_down()
        assert desk.channel.steer("desk", "Only the soup.")
        (await desk.model.asked(last="Only the soup.", tools=[])).answer("Soup it is.")
        assert (await read(events))[-1] == TextEnded("stop")


async def test_a_turn_that_is_ending_is_steered_no_more() -> None:
    async def hangs(_name: str, _arguments: dict[str, object]) -> object:
        try:
            await anyio.sleep(9)
        finally:
            await anyio.sleep(0.5)
        return "late"

    async with TextDesk(handler=hangs) as desk:
        events = desk.turn()
        (await desk.model.asked()).answer(MENU)
        await settle_down()
        async with anyio.create_task_group() as group:
            group.start_soon(desk.channel.cancel_turn, "desk")
            await settle_down()
            assert not desk.channel.steer("desk", "Hello?")
        assert (await read(events))[-1] == TextEnded("cancelled")


async def test_a_reader_that_goes_away_ends_nothing() -> None:
    async with TextDesk() as desk:
        events = desk.turn()
        (await desk.model.asked()).answer("Well.", CONFIRM)
        async for _event in events:
            break
        await settle_down()
        desk.human.handler.resolve(desk.request.pending_id, "yes")
        (await desk.model.asked(results={"c1": re.compile("true")})).answer("Done.")
        await settle_down()
        assert [report.outcome for report in desk.reports] == [OutcomeKind.SERVED]


async def test_a_model_that_cannot_be_had_ends_the_turn_and_the_next_one_runs() -> None:
    async with TextDesk() as desk:
        desk.model.refuse(ProviderError("set OPENAI_API_KEY"))
        assert await read(desk.turn()) == [TextEnded("failed", "set OPENAI_API_KEY")]
        desk.model.refuse(KeyError("broken"))
        assert (await read(desk.turn()))[0] == TextEnded("failed", "KeyError: 'broken'")
        events = desk.turn()
        asked = await desk.model.asked()
        asked.say("We")
        asked.call(CONFIRM)
        asked.break_off()
        assert (await read(events))[-1] == TextEnded("failed", "the script breaks off")
        assert [error.source for error in desk.errors] == ["provider"] * 3
        assert [event.end for event in desk.settled] in ([], [RequestEnd.WITHDRAWN])
        events = desk.turn("Again.")
        (await desk.model.asked(last="Again.")).answer("Here.")
        await read(events)


async def test_a_turn_cancelled_from_inside_its_own_call_ends_all_but_that_call() -> None:
    async def stop(_name: str, _arguments: Mapping[str, object]) -> object:
        return {"cancelled": await desk.channel.cancel_turn("desk")}

    async with TextDesk(handler=stop) as desk:
        events = desk.turn()
        (await desk.model.asked()).answer(CONFIRM, MENU)
        assert (await read(events))[-1] == TextEnded("cancelled")
        await settle_down()
        assert sorted(str(report.outcome) for report in desk.reports) == ["cancelled", "served"]


async def test_closing_ends_every_turn_also_one_that_has_not_begun_and_takes_no_more() -> None:
    async with TextDesk() as desk:
        first, second = desk.turn(), desk.turn()
        (await desk.model.asked()).answer(CONFIRM)
        await settle_down()
        await desk.channel.close()
        assert (await read(first))[-1] == (await read(second))[-1] == TextEnded("cancelled")
        with pytest.raises(RuntimeError, match="closed"):
            desk.turn()


async def test_what_cannot_work_is_refused_when_the_channel_is_made(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        AIChannel("a", provider=ScriptedChat(), max_tool_rounds=0)
    with pytest.raises(ValueError, match="max_rooms is at least 1, not 0"):
        AIChannel("a", provider=ScriptedChat(), max_rooms=0)
    with pytest.raises(ValueError, match="JSON Schema"):
        AIChannel("a", provider=ScriptedChat(), tools=[AITool("t", "", {"type": "nothing"})])
    AIChannel("a", provider=ScriptedChat(), tool_handler=HumanInputToolHandler({"X"}))
    assert "human_input_handler=" in caplog.text


def test_a_long_conversation_forgets_its_oldest_turns_whole() -> None:
    conversation = Conversation()
    for number in range(LONGEST):
        conversation.user_said(str(number))
        conversation.answered("", [MENU], {"c2": json.dumps(number)})
    assert len(conversation.items) <= LONGEST + 2
    first = conversation.items[0]
    assert isinstance(first, ChatMessage)
    assert first.role == "user"


async def said_before(desk: TextDesk, room: str) -> bool:
    """Have a turn in a room; whether its model was told of one before."""
    events = desk.channel.turn(f"And in {room}?", room_id=room)
    asked = await desk.model.asked(last=f"And in {room}?")
    asked.answer("Yes.")
    await read(events)
    return len(asked.request.items) > 1


async def test_of_too_many_rooms_the_one_whose_last_turn_is_longest_ago_is_forgotten() -> None:
    async with TextDesk(max_rooms=2) as desk:
        assert [await said_before(desk, room) for room in ("a", "b", "a", "c")] == [False, False, True, False]
        assert [await said_before(desk, room) for room in ("a", "c", "b")] == [True, True, False]


async def test_a_room_with_a_running_turn_is_not_forgotten_and_the_others_make_room_for_it_afterwards() -> None:
    async with TextDesk(max_rooms=1) as desk:
        running = desk.turn("Hello.")
        asked = await desk.model.asked(last="Hello.")
        assert [await said_before(desk, room) for room in ("a", "a", "b", "a")] == [False, True, False, False]
        asked.answer("Good day.")
        await read(running)
        assert await said_before(desk, "desk")
        assert [await said_before(desk, room) for room in ("b", "desk")] == [False, False]


async def test_a_room_can_be_forgotten_also_while_a_turn_runs_there() -> None:
    async with TextDesk() as desk:
        running = desk.turn("Hello.")
        asked = await desk.model.asked(last="Hello.")
        desk.channel.forget("desk")
        asked.answer("Good day.")
        await read(running)
        assert [await said_before(desk, "desk") for _ in range(2)] == [False, True]
        desk.channel.forget("desk")
        assert not await said_before(desk, "desk")


# --- calls that are written -------------------------------------------------------------------------------------------


def told(asked: ScriptedAnswer) -> list[str]:
    return [item.text for item in asked.request.items if isinstance(item, ChatMessage) and item.role == "system"]


async def test_a_call_that_the_model_writes_is_run_and_its_outcome_told_as_text() -> None:
    async with TextDesk() as desk:
        events = desk.turn()
        (await desk.model.asked()).answer("One moment. ", "call:look_up{q:", "menu}")
        asked = await desk.model.asked()
        assert told(asked) == ['The tool look_up has returned:\n```\n{"found": "menu", "by": "look_up"}\n```']
        assert asked.request.items[1] == ChatMessage("assistant", "One moment.")
        asked.answer("Soup.")
        said = await read(events)
        assert [event.text for event in said if isinstance(event, TextDelta)] == ["One moment. ", "Soup."]
        (report,) = desk.reports
        assert (report.door, report.outcome) == (DoorName.SPOKEN_CALL, OutcomeKind.SERVED)
        assert report.delivered_as == "text"


async def test_a_persons_tool_that_is_written_asks_the_person() -> None:
    async with TextDesk() as desk:
        events = desk.turn()
        (await desk.model.asked()).answer('ConfirmAction(action="Book a table.")')
        await settle_down()
        assert desk.request.door is DoorName.SPOKEN_CALL
        desk.human.handler.resolve(desk.request.pending_id, "yes")
        asked = await desk.model.asked()
        assert '"confirmed": true' in told(asked)[0]
        asked.answer("Booked.")
        assert (await read(events))[-1] == TextEnded("stop")


async def test_a_call_both_written_and_issued_in_one_answer_runs_once_as_it_was_issued() -> None:
    async with TextDesk() as desk:
        events = desk.turn()
        (await desk.model.asked()).answer("Sure. call:look_up{q:menu}", MENU)
        asked = await desk.model.asked(results={"c2": re.compile("menu")})
        assert told(asked) == []
        asked.answer("Soup.")
        await read(events)
        assert [report.door for report in desk.reports] == [DoorName.TEXT_CALL]


async def test_a_written_call_is_gated_and_a_bare_word_that_is_no_key_is_refused() -> None:
    async with TextDesk() as desk:
        events = desk.turn()
        (await desk.model.asked()).answer("call:look_up{q:lunch with Ada: 12}")
        asked = await desk.model.asked()
        assert "not valid" in told(asked)[0]
        asked.answer("Sorry.")
        await read(events)
        assert [report.outcome for report in desk.reports] == [OutcomeKind.REFUSED]


async def test_a_written_call_is_cut_with_its_turn() -> None:
    async with TextDesk() as desk:
        events = desk.turn()
        (await desk.model.asked()).answer('ConfirmAction(action="Book a table.")')
        await settle_down()
        assert await desk.channel.cancel_turn("desk")
        assert (await read(events))[-1] == TextEnded("cancelled")
        await settle_down()
        assert [report.outcome for report in desk.reports] == [OutcomeKind.CANCELLED]
        assert [event.end for event in desk.settled] == [RequestEnd.WITHDRAWN]


async def test_of_an_answer_that_was_too_long_no_written_call_is_taken() -> None:
    async with TextDesk() as desk:
        events = desk.turn()
        (await desk.model.asked()).answer("Well. call:look_up{q:menu}", end=ChatEnded("length"))
        assert await read(events) == [TextDelta("Well. "), TextEnded("length")]


async def test_where_it_is_switched_off_a_written_call_is_words() -> None:
    with ScriptedChat() as model:
        channel = AIChannel("off", provider=model, tools=[LOOK_UP], tool_handler=look_up, tool_recovery=False)
        events = channel.turn("Hi.", room_id="r")
        (await model.asked()).answer("call:look_up{q:menu}")
        assert await read(events) == [TextDelta("call:look_up{q:menu}"), TextEnded("stop")]
        await channel.close()


async def test_a_kept_approval_may_be_given_after_its_turn_was_cut() -> None:
    store, paid = MemoryStore(), list[object]()

    async def pay(_name: str, arguments: dict[str, object]) -> object:
        paid.append(arguments)
        return "paid"

    people = HumanInputHandler(store=store, tools=[PAY], tool_handler=pay)
    human = HumanInputToolHandler({"ConfirmAction"}, handler=people, tool_definitions=[confirm_action()])
    model = ScriptedChat()
    channel = AIChannel("text", provider=model, tools=[PAY], tool_handler=pay, human_input_handler=human)
    channel.turn("Pay.", room_id="desk")
    (await model.asked()).answer(ChatCall("p1", "pay", '{"amount": 5}'))
    await settle_down()
    (request,) = people.pending.values()
    await channel.close()
    assert people.pending == {}
    assert await people.answer(request.pending_id, Answer(by="ada", decision="approve")) == Settlement.ACCEPTED
    await settle_down()
    assert paid == [{"amount": 5}]
    await people.close()


def test_a_channel_that_cannot_be_made_displaces_none() -> None:
    human = HumanInputToolHandler({"ConfirmAction"}, tool_definitions=[confirm_action()])
    taken = ExternalToolHandler()
    AIChannel("other", provider=ScriptedChat(), external_tool_handler=taken)
    before = human.handler.register_channel("text", Told())
    with pytest.raises(ValueError, match="one channel"):
        AIChannel("text", provider=ScriptedChat(), human_input_handler=human, external_tool_handler=taken)
    assert human.handler.register_channel("text", Told()) == before + 1
