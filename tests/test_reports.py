"""What broke for people who built this elsewhere, by the number of the public report: the right behaviour, here.

Those of the wire (18 to 31) are in `tests/providers/test_openai_connection.py`, numbered as these are.
"""

import json
import re

import anyio
import pytest

from tests.channels.desk import Desk
from tests.channels.kept import LOOK_UP, settle_down
from tests.channels.meeting import Meeting
from tests.human_input.told import ScriptedAsker
from tests.parity.door import Setup, error
from tests.parity.voice_doors import ProviderCallDoor, SpokenCallDoor
from voice_hitl.askers.card import CardAsker
from voice_hitl.enums import HookExecution, HookTrigger, OutcomeKind, RequestEnd
from voice_hitl.events import TranscriptionEvent
from voice_hitl.hooks import HookContext
from voice_hitl.provider import ResponseEnded, ResponseStarted, ToolCalled, ToolCancelled, Transcript
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.settlement import Settlement
from voice_hitl.testing import Forgot, Injected, Responded, SentToolResult
from voice_hitl.tools.definition import AITool

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


async def test_15_while_an_approval_is_open_and_when_it_is_rejected_the_model_reads_that_nothing_was_executed() -> None:
    """vercel/eve 2466, 312."""
    async with ProviderCallDoor().place(Setup()) as place:
        request = await place.approval()
        (note,) = await place.notes()
        assert "Nothing has been done yet" in note
        assert place.people.handler.reject(request.pending_id, "no")
        assert error(await place.read()).endswith("Nothing was executed.")


async def test_16_a_card_that_is_shown_again_after_its_request_settled_shows_the_outcome_and_takes_no_answer() -> None:
    """CopilotKit/CopilotKit 6404."""
    async with Desk() as desk:
        call = await desk.call(quiet=False)
        call.model.ignore(Injected, Forgot, Responded)
        call.caller.ignore("request.changed", "ok")
        await call.confirm()
        await call.caller.message(type="request.opened", status="inProgress")
        opened = await call.caller.message(type="request.opened", status="executing")
        call.caller.vanish()
        await settle_down(1)
        call.model.ignore(SentToolResult)
        await call.answer()
        await settle_down()
        await call.caller.rejoin()
        settled = await call.caller.message(type="request.settled", end="answered")
        assert settled["pending_id"] == opened["pending_id"]
        again = {"v": 1, "type": "request.answer", "id": "1", "pending_id": opened["pending_id"]}
        call.caller.send({**again, "answer": {"action": "answer", "value": False}})
        await call.caller.message(type="refused", code="duplicate")


async def test_17_a_question_that_comes_three_times_in_one_response_is_asked_once_and_answered_once() -> None:
    """fedeostan/capo-v1 124."""
    asker = ScriptedAsker()
    async with ProviderCallDoor().place(Setup(askers=[asker])) as place:
        for question in ("Which day?", "which day?", "WHICH DAY?"):
            await place.issue("AskUser", {"question": question})
        await place.end_response()
        assert asker.notes.count("asks") == 1
        assert place.people.handler.resolve(place.requests[0].pending_id, "Monday")
        assert [await place.read() for _ in range(3)] == ["Monday"] * 3


async def test_22_a_cancellation_a_moment_before_its_call_leaves_nothing_in_progress() -> None:
    """pipecat-ai/pipecat 5779."""
    async with Desk() as desk:
        call = await desk.call()
        call.model.emit(ToolCancelled(("c1",)))
        await settle_down(0.001)
        call.model.emit(ToolCalled("c1", "ConfirmAction", '{"action": "Book."}', "r1"))
        await settle_down(5)
        assert [(report.outcome, report.delivered) for report in desk.reports] == [(OutcomeKind.CANCELLED, False)]
        assert call.session.open_requests == []


async def test_32_a_call_said_with_its_name_and_keywords_is_recovered_where_it_is_declared_and_never_read_aloud() -> (
    None
):
    """jekalmin/extended_openai_conversation 434."""
    words = {"domain": {"type": "string"}, "service": {"type": "string"}}
    tool = AITool("execute_services", "", {"type": "object", "properties": words})
    text = 'execute_services(domain="light", service="turn_on")'
    for tools, runs in (([tool], True), ([LOOK_UP], False)):
        async with Desk(tools=tools) as desk:
            shown: list[str] = []

            @desk.kit.hook(HookTrigger.ON_TRANSCRIPTION, HookExecution.ASYNC)
            async def write(event: TranscriptionEvent, _ctx: HookContext, shown: list[str] = shown) -> None:
                shown.append(event.text)

            call = await desk.call()
            call.model.emit(ResponseStarted("r1"), Transcript("assistant", text, final=True, item_id="i1"))
            await settle_down(1)
            assert [report.arguments for report in desk.reports] == (
                [{"domain": "light", "service": "turn_on"}] if runs else []
            )
            assert shown == ([] if runs else [text])


async def test_33_a_call_both_said_and_issued_runs_once_and_its_text_is_dropped() -> None:
    """livekit/agents-js 1339."""
    ran: list[str] = []

    async def run(name: str, _arguments: object) -> object:
        ran.append(name)
        return "saved"

    async with Desk(tools=[AITool("saveAnswer", "", {"type": "object"})], handler=run) as desk:
        shown: list[str] = []

        @desk.kit.hook(HookTrigger.ON_TRANSCRIPTION, HookExecution.ASYNC)
        async def write(event: TranscriptionEvent, _ctx: HookContext) -> None:
            shown.append(event.text)

        call = await desk.call()
        call.model.emit(
            ResponseStarted("r1"),
            Transcript("assistant", 'saveAnswer({"answer": "four"})', final=True, item_id="i1"),
            ToolCalled("c1", "saveAnswer", '{"answer": "four"}', "r1"),
            ResponseEnded("r1"),
        )
        await call.model.expect(SentToolResult, call_id="c1")
        await settle_down(1)
        assert (ran, shown) == (["saveAnswer"], [])


async def test_34_a_result_is_told_on_the_silent_channel_and_one_that_is_read_aloud_is_not_shown() -> None:
    """google-gemini/live-api-web-console 78."""
    async with SpokenCallDoor().place(Setup()) as place:
        await place.issue("look_up", {"q": "menu"})
        assert json.loads(await place.read())["found"] == "menu"
    async with Desk() as desk:
        shown: list[str] = []

        @desk.kit.hook(HookTrigger.ON_TRANSCRIPTION, HookExecution.ASYNC)
        async def write(event: TranscriptionEvent, _ctx: HookContext) -> None:
            shown.append(event.text)

        call = await desk.call()
        envelope = 'We have soup. <tool_response>{"found": "soup"}</tool_response>'
        call.model.emit(Transcript("assistant", envelope, final=True, item_id="i1"))
        await settle_down(1)
        assert [text.strip() for text in shown] == ["We have soup."]


@pytest.mark.parametrize(
    ("said", "reads"),
    [
        ("call:look_up{q:Paris,country:FR}", "not valid.*country"),
        ("call:look_up{q:see you at 3:30}", "see you at 3:30"),
    ],
)
async def test_35_a_word_that_no_tool_declares_refuses_the_call_by_name_and_a_time_of_day_is_a_value(
    said: str, reads: str
) -> None:
    """Values with a colon, and keys that are none."""
    async with Desk() as desk:
        call = await desk.call()
        call.model.watch(Injected)
        call.model.emit(Transcript("assistant", said, final=True, item_id="i1"))
        await call.model.expect(Injected, text=re.compile(reads, re.DOTALL))


async def test_36_a_room_that_goes_away_while_a_request_is_open_settles_everything_and_ends_the_session() -> None:
    """livekit/agents 5035."""
    async with Meeting() as meeting:
        model = await meeting.serve(people=["ada"])
        await meeting.confirm(model)
        request, session = meeting.request(), meeting.session()
        meeting.room().lose_agent()
        with anyio.fail_after(10):
            await session.closed.wait()
        await settle_down(1)
        assert request.end is RequestEnd.WITHDRAWN
        assert [report.outcome for report in meeting.reports] == [OutcomeKind.CANCELLED]
        assert [event.end for event in meeting.settled] == ["withdrawn"]


async def test_37_a_caller_who_hangs_up_while_an_operator_is_asked_withdraws_the_operators_side_at_once() -> None:
    """livekit/agents-js 2008."""
    operator = ScriptedAsker("operator")
    async with Desk(askers=[CardAsker(), operator]) as desk:
        call = await desk.call()
        await call.confirm()
        request = call.request
        call.caller.hang_up()
        await settle_down()
        assert operator.notes == ["asks", "put", "withdrawn: withdrawn", "gone"]
        late = await desk.human.handler.answer(request.pending_id, Answer(value=True, by="olga"))
        assert late == Settlement.LATE


async def test_40_a_participant_who_leaves_settles_only_what_was_asked_of_them_alone() -> None:
    """livekit/agents 2839."""
    for audience, ends in ((["ada"], True), (["ada", "ben"], False)):
        async with Meeting(audience=audience) as meeting:
            model = await meeting.serve(people=["ada", "ben"])
            await meeting.confirm(model)
            request = meeting.request()
            meeting.room().leave("ada")
            await settle_down(1)
            assert (request.end is not None) is ends
            if not ends:
                await meeting.requests.answer(request.pending_id, Answer(True, by="ben"))
            await model.expect(SentToolResult)
