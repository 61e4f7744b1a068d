"""A chat model's loop as the reasoning backend of a voice channel."""

import re
from types import TracebackType

import pytest

from tests.channels.desk import Call, Desk, look_up
from tests.channels.kept import LOOK_UP, settle_down
from voice_hitl.channels.agent_backend import AgentReasoningBackend
from voice_hitl.channels.ai import AIChannel
from voice_hitl.channels.delegation_words import words_for
from voice_hitl.chat import ChatCall, ChatEnded, ChatMessage
from voice_hitl.enums import DoorName, OutcomeKind, RequestEnd
from voice_hitl.human_input.external import PolicyExternalToolHandler
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.provider import Delegated, ProviderCapabilities, Transcript
from voice_hitl.testing import DelegationOutput, ScriptedChat
from voice_hitl.tools.asking import confirm_action
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.policy import ToolPolicy

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

LIVE = ProviderCapabilities(hold="deaf", delegates=True, speech_events=False)
CONFIRM = ChatCall("c0", "ConfirmAction", '{"action": "Book a table."}')
MENU = ChatCall("c0", "look_up", '{"q": "menu"}')
DELETE = AITool("delete_all", "Delete everything.", {"type": "object"})


class AgentDesk(Desk):
    """A voice channel whose model hands over to an agent."""

    def __init__(self, *, max_tool_rounds: int = 10, tools: tuple[AITool, ...] = (LOOK_UP,)) -> None:
        self.thinks = ScriptedChat()
        self.agent = AIChannel(
            "agent", provider=self.thinks, system_prompt="You do the work.", max_tool_rounds=max_tool_rounds
        )
        super().__init__(
            capabilities=LIVE, reasoning_backend=AgentReasoningBackend(self.agent), tools=tools, timeout=600
        )

    async def __aenter__(self) -> "AgentDesk":
        await super().__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await super().__aexit__(kind, error, trace)
        await self.agent.close()
        if kind is None:
            self.thinks.done()


async def hand_over(call: Call, delegation_id: str = "d1") -> None:
    call.model.emit(Delegated(delegation_id, "client"))
    await settle_down()


async def test_an_agent_with_tools_of_its_own_or_a_kit_is_refused() -> None:
    with ScriptedChat() as model:
        human = HumanInputToolHandler({"ConfirmAction"}, tool_definitions=[confirm_action()])
        for owns in (
            AIChannel("a", provider=model, tools=[LOOK_UP]),
            AIChannel("a", provider=model, tool_handler=look_up),
            AIChannel("a", provider=model, human_input_handler=human),
            AIChannel("a", provider=model, external_tool_handler=PolicyExternalToolHandler()),
        ):
            with pytest.raises(ValueError, match="tools of its own"):
                AgentReasoningBackend(owns)
        registered = AIChannel("a", provider=model)
        kit = VoiceKit()
        kit.register_channel(registered)
        with pytest.raises(ValueError, match="registered with a kit"):
            AgentReasoningBackend(registered)


async def test_an_agent_that_is_registered_later_has_failed() -> None:
    async with AgentDesk() as desk:
        desk.kit.register_channel(desk.agent)
        call = await desk.call()
        await hand_over(call)
        await call.model.expect(DelegationOutput, text=words_for("failed", "en"))
        assert "registered with a kit" in desk.errors[0].message


async def test_it_reads_what_was_said_and_answers_in_words() -> None:
    async with AgentDesk() as desk:
        call = await desk.call()
        call.model.emit(Transcript("user", "Is it\nsunny?", final=True, item_id="i1"))
        await hand_over(call)
        asked = await desk.thinks.asked(tools=["look_up", "ConfirmAction"])
        assert asked.request.instructions == "You do the work."
        (task,) = asked.request.items
        assert isinstance(task, ChatMessage)
        assert "Caller: Is it sunny?" in task.text
        asked.answer("It is ", "sunny.")
        await call.model.expect(DelegationOutput, text="It is sunny.", final=True, spoken=True)


async def test_its_calls_are_the_sessions_own_and_a_person_is_asked() -> None:
    async with AgentDesk() as desk:
        call = await desk.call()
        await hand_over(call)
        (await desk.thinks.asked()).answer("Let me see.", MENU)
        await call.model.expect(DelegationOutput, text="Let me see.", final=False)
        # The same id in the next round is another call.
        (await desk.thinks.asked(results={"c0": '{"found": "menu", "by": "look_up"}'})).answer(CONFIRM)
        await settle_down(300)
        assert (call.request.door, call.request.actor_id) == (DoorName.DELEGATION, "ada")
        await call.answer()
        (await desk.thinks.asked(results={"c0": re.compile("true")})).answer("Booked.")
        await call.model.expect(DelegationOutput, text="Booked.", final=True)
        await settle_down()
        assert [(report.door, report.outcome) for report in desk.reports] == [
            (DoorName.DELEGATION, OutcomeKind.SERVED),
            (DoorName.DELEGATION, OutcomeKind.SERVED),
        ]


async def test_what_the_gate_refuses_the_agent_reads_and_the_session_reports() -> None:
    async with AgentDesk(tools=(LOOK_UP, DELETE)) as desk:
        call = await desk.call(tool_policy=ToolPolicy(deny=["delete_*"]))
        await hand_over(call)
        asked = await desk.thinks.asked(tools=["look_up", "ConfirmAction"])
        (task,) = asked.request.items
        assert isinstance(task, ChatMessage)
        assert "delete_all" in task.text
        asked.answer(ChatCall("c1", "delete_all", "{}"), ChatCall("c2", "look_up", '{"q'), ChatCall("", "look_up", ""))
        refused = {"c1": re.compile("no tool"), "c2": re.compile("could not be read")}
        (await desk.thinks.asked(results=refused)).answer("I cannot.")
        await call.model.expect(DelegationOutput, text="I cannot.")
        await settle_down()
        assert [report.outcome for report in desk.reports] == [OutcomeKind.REFUSED] * 2


async def test_a_call_that_the_agent_writes_is_run_too() -> None:
    async with AgentDesk() as desk:
        call = await desk.call()
        await hand_over(call)
        (await desk.thinks.asked()).answer("call:look_up{q:menu}")
        (
            await desk.thinks.asked(last='The tool look_up has returned:\n```\n{"found": "menu", "by": "look_up"}\n```')
        ).answer("Soup.")
        await call.model.expect(DelegationOutput, text="Soup.", final=True)
        await settle_down()
        assert [report.door for report in desk.reports] == [DoorName.DELEGATION]


async def test_one_conversation_a_session_which_is_forgotten_with_it() -> None:
    async with AgentDesk() as desk:
        call = await desk.call()
        await hand_over(call)
        (await desk.thinks.asked()).answer("One.")
        await call.model.expect(DelegationOutput, text="One.")
        await hand_over(call, "d2")
        asked = await desk.thinks.asked()
        assert ChatMessage("assistant", "One.") in asked.request.items
        asked.answer("Two.")
        await call.model.expect(DelegationOutput, text="Two.")
        await desk.channel.end_session(call.session)
        again = await desk.call("bob")
        await hand_over(again)
        asked = await desk.thinks.asked()
        assert len(asked.request.items) == 1
        asked.answer("Three.")
        await again.model.expect(DelegationOutput, text="Three.")


@pytest.mark.parametrize("reason", ["length", "filtered"])
async def test_a_turn_that_was_cut_short_is_told_of_in_a_sentence(reason: str) -> None:
    async with AgentDesk() as desk:
        call = await desk.call()
        await hand_over(call)
        end = ChatEnded("length") if reason == "length" else ChatEnded("filtered")
        (await desk.thinks.asked()).answer("The first of ten", end=end)
        await call.model.expect(DelegationOutput, text=words_for("cut_short", "en"), final=True)


async def test_an_agent_that_calls_for_too_many_rounds_is_cut_short() -> None:
    async with AgentDesk(max_tool_rounds=1) as desk:
        call = await desk.call()
        await hand_over(call)
        (await desk.thinks.asked()).answer(MENU)
        (await desk.thinks.asked(tools=[])).answer(MENU)
        await call.model.expect(DelegationOutput, text=words_for("cut_short", "en"))
        await settle_down()
        assert len(desk.reports) == 1


async def test_a_model_that_cannot_be_had_is_an_error() -> None:
    async with AgentDesk() as desk:
        desk.thinks.refuse()
        call = await desk.call()
        await hand_over(call)
        await call.model.expect(DelegationOutput, text=words_for("failed", "en"))
        assert [error.source for error in desk.errors] == ["reasoning backend"]


async def test_when_the_session_ends_the_agents_turn_ends_and_what_is_asked_is_withdrawn() -> None:
    async with AgentDesk() as desk:
        call = await desk.call()
        await hand_over(call)
        (await desk.thinks.asked()).answer(CONFIRM)
        await settle_down()
        await desk.channel.end_session(call.session)
        await settle_down(2)
        assert [event.end for event in desk.settled] == [RequestEnd.WITHDRAWN]
        assert [report.outcome for report in desk.reports] == [OutcomeKind.CANCELLED]
        assert call.model.counts[DelegationOutput] == 0


async def test_a_second_delegation_waits_for_the_first_and_loses_no_time() -> None:
    async with AgentDesk() as desk:
        call = await desk.call()
        await hand_over(call)
        (await desk.thinks.asked()).answer(CONFIRM)
        await settle_down()
        await hand_over(call, "d2")
        await settle_down(500)
        await call.answer()
        (await desk.thinks.asked()).answer("Booked.")
        await call.model.expect(DelegationOutput, delegation_id="d1", text="Booked.")
        (await desk.thinks.asked()).answer("And that too.")
        await call.model.expect(DelegationOutput, delegation_id="d2", text="And that too.")
