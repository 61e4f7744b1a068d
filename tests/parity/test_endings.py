"""Endings: what becomes of a call, and of what a person is being asked, when something around it ends."""

import json
from collections.abc import Mapping

import anyio
import pytest

from tests.channels.kept import LOOK_UP, settle_down
from tests.parity.door import ACTOR, CHANNEL, CONFIRM, Door, Place, Setup
from tests.parity.rules import rule
from voice_hitl.enums import HookExecution, HookTrigger, OutcomeKind, RequestEnd
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.provider import ProviderCapabilities
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.settlement import Settlement
from voice_hitl.tasks import Latch
from voice_hitl.tools.definition import AITool

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

HOW = pytest.mark.parametrize("how", ["hang_up", "end_session", "close"])


async def sleeps(_name: str, _arguments: Mapping[str, object]) -> object:
    await anyio.sleep(9)
    return "done"


async def end(place: Place, how: str) -> None:
    match how:
        case "hang_up":
            await place.hang_up()
        case "end_session":
            await place.end_session()
        case "kit":
            await place.kit.close()
        case "unregister":
            await place.kit.unregister_channel(CHANNEL)
        case _:
            await place.close()


async def is_over(place: Place, end: RequestEnd | None = RequestEnd.WITHDRAWN) -> None:
    """The one call is cancelled, and reported once; nothing is sent; what was asked is withdrawn, and late is said."""
    await settle_down()
    reports = [(report.outcome, report.delivered, report.delivered_as) for report in place.reports]
    assert reports == [(OutcomeKind.CANCELLED, False, None)]
    assert [event.end for event in place.settled] == ([] if end is None else [end])
    for event in place.settled:
        late = await place.people.handler.answer(event.pending_id, Answer(value=True, by=ACTOR))
        assert late == Settlement.LATE
    assert place.requests == []


@rule("E1")
@HOW
async def test_a_session_that_ends_cancels_its_calls_and_nothing_is_sent(door: Door, how: str) -> None:
    async with door.place(Setup(handler=sleeps)) as place:
        await place.issue("look_up")
        await end(place, how)
        await is_over(place, None)


@rule("E1a")
@HOW
async def test_a_session_that_ends_withdraws_what_a_person_is_being_asked(door: Door, how: str) -> None:
    async with door.place(Setup()) as place:
        request = await place.ask()
        await end(place, how)
        assert request.end is RequestEnd.WITHDRAWN
        await is_over(place)


@rule("E1b")
@HOW
async def test_a_session_that_ends_before_its_approval_runs_nothing(door: Door, how: str) -> None:
    ran: list[str] = []

    async def run(name: str, _arguments: Mapping[str, object]) -> object:
        ran.append(name)
        return None

    async with door.place(Setup(handler=run)) as place:
        await place.approval()
        await end(place, how)
        await is_over(place)
        assert ran == []


@rule("E1c")
@pytest.mark.parametrize("how", ["end_session", "close", "kit", "unregister"])
async def test_the_call_whose_own_handler_ends_its_session_runs_to_its_report(door: Door, how: str) -> None:
    returned: list[str] = []

    async def run(_name: str, _arguments: Mapping[str, object]) -> object:
        await end(place, how)
        returned.append(how)
        await anyio.sleep(3)
        return "goodbye"

    async with door.place(Setup(handler=run)) as place:
        await place.issue("look_up")
        await settle_down(5)
        assert returned == [how]
        report = await place.report()
        assert (report.outcome, report.result, report.cancelled) == (OutcomeKind.SERVED, "goodbye", False)


@rule("E1d")
async def test_a_call_that_ends_its_session_cancels_the_others_at_once(door: Door) -> None:
    async def run(_name: str, _arguments: Mapping[str, object]) -> object:
        await place.end_session()
        return "goodbye"

    async with door.place(Setup(handler=run)) as place:
        request = await place.ask_too()
        await place.issue("look_up")
        await settle_down(1)
        assert request.end is RequestEnd.WITHDRAWN
        outcomes = {report.tool_name: report.outcome for report in place.reports}
        assert outcomes == {"ConfirmAction": OutcomeKind.CANCELLED, "look_up": OutcomeKind.SERVED}


@rule("E1e")
@pytest.mark.parametrize("how", ["end_session", "close", "kit", "unregister"])
@pytest.mark.parametrize("execution", list(HookExecution))
async def test_a_hook_that_ends_its_session_runs_to_its_end_and_is_waited_for_by_nobody(
    door: Door, how: str, execution: HookExecution
) -> None:
    returned: list[str] = []
    read = Latch()
    async with door.place(Setup()) as place:

        @place.kit.hook(HookTrigger.ON_USER_INPUT_SETTLED, execution)
        async def end_it(_event: object, _ctx: HookContext) -> None:
            await read.wait()
            await end(place, how)
            returned.append(how)

        await place.ask()
        await place.answer()
        await place.read()
        read.set()
        await settle_down(0.5)
        assert returned == [how]


@rule("E2")
async def test_a_leg_that_is_lost_and_back_in_time_keeps_the_call_and_the_request(door: Door) -> None:
    async with door.place(Setup()) as place:
        request = await place.ask()
        await place.lose_leg()
        await settle_down(10)
        await place.rejoin()
        await settle_down(10)
        assert request.end is None
        await place.answer()
        assert json.loads(await place.read())["confirmed"] is True


@rule("E3")
async def test_a_leg_that_is_lost_for_good_ends_the_session(door: Door) -> None:
    async with door.place(Setup()) as place:
        request = await place.ask()
        await place.lose_leg()
        await settle_down(14.9)
        assert request.end is None
        await settle_down(0.2)
        await is_over(place)


@rule("E4a")
async def test_a_fatal_error_of_the_model_withdraws_and_cancels(door: Door) -> None:
    async with door.place(Setup()) as place:
        await place.issue("ConfirmAction", CONFIRM)
        await place.fail_model()
        await settle_down(1)
        await is_over(place)
        assert [event.source for event in place.errors] == ["provider"]


@rule("E4")
async def test_a_fatal_error_of_the_model_cancels_what_runs(door: Door) -> None:
    async with door.place(Setup(handler=sleeps)) as place:
        await place.issue("look_up")
        await place.fail_model()
        await settle_down(1)
        await is_over(place, None)


@rule("E5")
async def test_an_error_that_is_not_fatal_touches_nothing(door: Door) -> None:
    async with door.place(Setup()) as place:
        request = await place.ask()
        await place.fail_model(fatal=False)
        await settle_down(1)
        assert request.end is None
        await place.answer()
        assert json.loads(await place.read())["confirmed"] is True
        assert [event.source for event in place.errors] == ["provider"]


@rule("E6")
async def test_ids_that_the_provider_cancels_are_over_at_once_and_free(door: Door) -> None:
    async with door.place(Setup()) as place:
        request = await place.ask(call_id="c1")
        await place.cancel_calls("c1")
        assert request.end is RequestEnd.WITHDRAWN
        await is_over(place)
        await place.issue("look_up", {"q": "menu"}, call_id="c1")
        assert "menu" in await place.read()


@rule("E6a")
async def test_nothing_is_sent_for_a_cancelled_id_even_if_its_handler_swallows_that(door: Door) -> None:
    free = Latch()

    async def deaf(_name: str, _arguments: Mapping[str, object]) -> object:
        with anyio.CancelScope(shield=True):
            await free.wait()
        return "late"

    async with door.place(Setup(handler=deaf)) as place:
        await place.issue("look_up", call_id="c1")
        await place.cancel_calls("c1")
        await is_over(place, None)
        free.set()
        await place.reads_nothing(2)
        assert len(place.reports) == 1


@rule("E7")
async def test_a_connection_that_is_replaced_keeps_the_request_and_its_answer_is_delivered_once(door: Door) -> None:
    async with door.place(Setup()) as place:
        request = await place.ask()
        await place.replace_connection()
        assert request.end is None
        await place.answer()
        assert json.loads(await place.read())["confirmed"] is True
        await place.reads_nothing(5)
        assert (await place.report()).outcome is OutcomeKind.SERVED


@rule("E7c")
async def test_a_connection_that_is_about_to_end_is_replaced_and_keeps_the_request(door: Door) -> None:
    async with door.place(Setup()) as place:
        request = await place.ask()
        await place.renew_connection()
        assert request.end is None
        await place.answer()
        assert json.loads(await place.read())["confirmed"] is True
        await place.reads_nothing(5)
        assert (await place.report()).outcome is OutcomeKind.SERVED


@rule("E7b")
async def test_a_connection_that_does_not_know_a_call_gets_its_outcome_as_text(door: Door) -> None:
    async with door.place(Setup(handler=sleeps)) as place:
        await place.issue("look_up")
        await place.replace_connection()
        assert await place.read() == "done"
        assert (await place.report()).delivered_as == "text"


@rule("E7a")
async def test_a_connection_that_takes_the_owed_call_again_gets_its_output(door: Door) -> None:
    async with door.place(Setup(capabilities=ProviderCapabilities(resumes="replay"))) as place:
        request = await place.ask(call_id="c1")
        await place.replace_connection(kept=("c1",))
        assert request.end is None
        await place.answer()
        assert json.loads(await place.read())["confirmed"] is True
        await place.reads_nothing(5)
        assert (await place.report()).delivered_as == "output"


@rule("E8")
async def test_a_provider_that_waits_less_long_is_told_that_a_person_is_asked_and_the_answer_follows(
    door: Door,
) -> None:
    async with door.place(Setup(capabilities=ProviderCapabilities(owes_output_within_s=20))) as place:
        request = await place.ask()
        waiting = await place.read()
        assert "waiting" in waiting
        assert "othing has been done" in waiting
        assert request.end is None
        await place.answer()
        assert json.loads(await place.read())["confirmed"] is True
        await place.reads_nothing(5)
        report = await place.report()
        assert (report.outcome, report.delivered_as) == (OutcomeKind.SERVED, "text")


@rule("E9")
async def test_a_session_that_is_reconfigured_keeps_its_calls_and_a_persons_tools(door: Door) -> None:
    async with door.place(Setup(capabilities=ProviderCapabilities(reconfigures="in_place"))) as place:
        request = await place.ask()
        await place.reconfigure(LOOK_UP, AITool("new"))
        assert request.end is None
        await place.answer()
        assert json.loads(await place.read())["confirmed"] is True
        await place.ask()
        await place.answer()
        assert json.loads(await place.read())["confirmed"] is True


@rule("E10a")
async def test_new_words_of_the_caller_end_no_wait_and_answer_nothing(door: Door) -> None:
    async with door.place(Setup()) as place:
        request = await place.ask()
        await place.barge_in()
        await settle_down(1)
        assert request.end is None
        await place.answer()
        assert json.loads(await place.read())["confirmed"] is True


@rule("E10")
async def test_new_words_of_the_caller_cut_no_call(door: Door) -> None:
    async with door.place(Setup(handler=sleeps)) as place:
        await place.issue("look_up")
        await place.end_response()
        await place.barge_in()
        assert await place.read() == "done"


@rule("E11")
async def test_a_model_that_is_unplugged_withdraws_and_cancels(door: Door) -> None:
    async with door.place(Setup()) as place:
        request = await place.ask()
        await place.unplug()
        assert request.end is RequestEnd.WITHDRAWN
        await is_over(place)


@rule("E13")
async def test_a_handler_that_swallows_its_cancellation_is_abandoned_and_named_and_its_call_was_reported(
    door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    free = Latch()

    async def deaf(_name: str, _arguments: Mapping[str, object]) -> object:
        while not free.is_set:
            with anyio.CancelScope(shield=True):
                try:
                    await free.wait()
                except anyio.get_cancelled_exc_class():
                    continue
        return "late"

    async with door.place(Setup(handler=deaf)) as place:
        await place.issue("look_up")
        with anyio.fail_after(3):
            await place.end_session()
        await is_over(place, None)
        assert "abandoned" in caplog.text
        free.set()
        await settle_down()


@rule("E13a")
async def test_a_hook_that_hangs_keeps_no_session_open(door: Door) -> None:
    async with door.place(Setup(handler=sleeps)) as place:

        @place.kit.hook(HookTrigger.ON_TOOL_CALL, HookExecution.ASYNC)
        async def hang(_event: ToolCallEvent, _ctx: HookContext) -> None:
            await anyio.sleep_forever()

        await place.issue("look_up")
        with anyio.fail_after(5):
            await place.end_session()
            await place.close()


@rule("E14")
async def test_closing_twice_and_from_several_tasks_works(door: Door) -> None:
    async with door.place(Setup(handler=sleeps)) as place:
        await place.issue("look_up")
        async with anyio.create_task_group() as group:
            for close in (place.close, place.close, place.end_session, place.kit.close, place.end_session):
                group.start_soon(close)
        await place.close()
        await is_over(place, None)


@rule("E15")
async def test_a_request_of_one_session_does_not_notice_that_another_ends(door: Door) -> None:
    people = HumanInputToolHandler({"ConfirmAction"}).handler
    async with door.place(Setup(people=people)) as place:
        request = await place.ask()
        await people.close(session_id="another")
        await people.close(channel_id="another")
        assert request.end is None
        await place.answer()
        await place.read()
