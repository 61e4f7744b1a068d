"""One live call: each of its endings."""

import json

import anyio
import pytest

from tests.channels.desk import Call, Desk
from tests.channels.kept import settle_down
from voice_hitl.asker import AskerSession, Asking, GaveUp
from voice_hitl.enums import HookExecution, HookTrigger, OutcomeKind, RequestEnd
from voice_hitl.events import SessionEvent
from voice_hitl.hooks import HookContext
from voice_hitl.provider import AudioOut, SpeechStarted, ToolCalled, ToolCancelled
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tasks import Latch
from voice_hitl.testing import Forgot, Injected, Responded, SentToolResult
from voice_hitl.tools.definition import AITool
from voice_hitl.transport import LegCapabilities

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


SECOND = bytes(24_000 * 2)


async def ended_cancelled(call: Call, reason: str) -> None:
    """The session is over: its call is cancelled, its request withdrawn, nothing was sent."""
    await call.closed()
    assert call.session.end_reason == reason
    assert [(report.outcome, report.delivered) for report in call.desk.reports] == [(OutcomeKind.CANCELLED, False)]
    assert [event.end for event in call.desk.settled] == [RequestEnd.WITHDRAWN]
    assert call.model.counts[SentToolResult] == 0
    assert [event.reason for event in call.desk.sessions] == ["", reason]
    assert call.desk.channel.sessions == ()


async def test_the_caller_hangs_up() -> None:
    async with Desk() as desk:
        call = await desk.call()
        await call.confirm()
        call.caller.hang_up()
        await ended_cancelled(call, "caller")


async def test_the_application_ends_the_session_and_everything_has_ended_when_it_returns() -> None:
    async with Desk() as desk:
        call = await desk.call()
        await call.confirm()
        request = call.request
        await desk.channel.end_session(call.session)
        assert (request.end, call.session.closed.is_set, call.model.ended) == (RequestEnd.WITHDRAWN, True, True)
        await ended_cancelled(call, "us")
        assert call.caller.ended_with == "us"


async def test_the_channel_closes() -> None:
    async with Desk() as desk:
        call = await desk.call()
        await call.confirm()
        await desk.channel.close()
        await ended_cancelled(call, "us")


async def test_closing_twice_from_two_tasks_works() -> None:
    async with Desk() as desk:
        call = await desk.call()
        await call.confirm()
        async with anyio.create_task_group() as group:
            group.start_soon(desk.channel.close)
            group.start_soon(desk.channel.close)
            group.start_soon(desk.channel.end_session, call.session)
            group.start_soon(desk.channel.end_session, call.session)
        await desk.channel.close()
        await ended_cancelled(call, "us")


@pytest.mark.parametrize("what", ["end_session", "close", "kit"])
async def test_ending_it_from_inside_its_own_call_lets_that_call_run_to_its_report(what: str) -> None:
    returned: list[bool] = []
    desk: Desk

    async def hang_up(_name: str, _arguments: object) -> object:
        (session,) = desk.channel.sessions
        match what:
            case "end_session":
                await desk.channel.end_session(session)
            case "close":
                await desk.channel.close()
            case _:
                await desk.kit.close()
        returned.append(session.closed.is_set)
        await anyio.sleep(3)
        return "goodbye"

    desk = Desk(tools=[AITool("hang_up")], handler=hang_up)
    async with desk:
        call = await desk.call()
        await call.confirm()
        call.model.call_tool("hang_up")
        await call.closed()
        await settle_down(5)
        assert returned == [True]
        assert [(report.tool_name, report.outcome, report.delivered) for report in desk.reports] == [
            ("ConfirmAction", OutcomeKind.CANCELLED, False),
            ("hang_up", OutcomeKind.SERVED, False),
        ]
        assert call.model.counts[SentToolResult] == 0


async def test_of_two_calls_that_end_their_session_the_first_caused_it() -> None:
    desk: Desk

    async def hang_up(_name: str, _arguments: object) -> object:
        await desk.channel.end_session(desk.channel.sessions[0])
        return "goodbye"

    desk = Desk(tools=[AITool("hang_up")], handler=hang_up)
    async with desk:
        call = await desk.call()
        call.model.emit(ToolCalled("c1", "hang_up", "{}", "r1"), ToolCalled("c2", "hang_up", "{}", "r1"))
        await call.closed()
        await settle_down(1)
        outcomes = {report.tool_call_id: report.outcome for report in desk.reports}
        assert outcomes == {"c1": OutcomeKind.SERVED, "c2": OutcomeKind.CANCELLED}


@pytest.mark.parametrize("trigger", [HookTrigger.ON_SESSION_STARTED, HookTrigger.ON_USER_INPUT_SETTLED])
async def test_ending_it_from_inside_a_hook_works(trigger: HookTrigger) -> None:
    async with Desk() as desk:

        @desk.kit.hook(trigger, HookExecution.ASYNC)
        async def end(_event: object, ctx: HookContext) -> None:
            for session in desk.channel.sessions:
                await desk.channel.end_session(session)
            assert ctx.room_id == "desk"

        call = await desk.call()
        if trigger is HookTrigger.ON_USER_INPUT_SETTLED:
            call.model.ignore(SentToolResult)
            await call.confirm()
            await call.answer()
        await call.closed()


@pytest.mark.parametrize("execution", list(HookExecution))
async def test_a_hook_that_closes_everything_when_it_hears_of_the_end_is_waited_for_by_nobody(
    execution: HookExecution,
) -> None:
    async with Desk() as desk:
        closed: list[bool] = []

        @desk.kit.hook(HookTrigger.ON_SESSION_ENDED, execution)
        async def close(_event: object, _ctx: HookContext) -> None:
            await desk.kit.close()
            closed.append(True)

        call = await desk.call()
        began = anyio.current_time()
        call.caller.hang_up()
        await call.closed()
        await settle_down()
        assert closed == [True]
        assert anyio.current_time() - began < 0.5


async def test_a_handler_that_swallows_cancellation_keeps_no_session_open(caplog: pytest.LogCaptureFixture) -> None:
    free = Latch()

    async def deaf(_name: str, _arguments: object) -> object:
        while not free.is_set:
            with anyio.CancelScope(shield=True):
                try:
                    await free.wait()
                except anyio.get_cancelled_exc_class():
                    continue
        return "late"

    desk = Desk(handler=deaf)
    async with desk:
        call = await desk.call()
        call.model.call_tool("look_up")
        await settle_down()
        with anyio.fail_after(3):
            await desk.channel.end_session(call.session)
        assert [(report.cancelled, report.delivered) for report in desk.reports] == [(True, False)]
        assert "abandoned" in caplog.text
        free.set()
        await settle_down()


async def test_a_hook_that_hangs_keeps_no_session_open() -> None:
    async with Desk() as desk:

        @desk.kit.hook(HookTrigger.ON_SESSION_ENDED, HookExecution.ASYNC)
        async def hang(_event: SessionEvent, _ctx: HookContext) -> None:
            await anyio.sleep_forever()

        call = await desk.call()
        with anyio.fail_after(3):
            await desk.channel.end_session(call.session)


async def test_an_asker_that_ends_the_session_is_withdrawn_by_that() -> None:
    desk: Desk

    class Impatient:
        name = "impatient"

        def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
            return True

        async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
            asking.put()
            await desk.channel.end_session(desk.channel.sessions[0])
            return None

    desk = Desk(askers=[Impatient()])
    async with desk:
        call = await desk.call()
        await call.confirm()
        await ended_cancelled(call, "us")


async def test_the_leg_is_lost_and_the_same_caller_comes_back_the_card_opens_again() -> None:
    async with Desk() as desk:
        call = await desk.call(quiet=False)
        call.model.ignore(Injected, Forgot, Responded)
        call.caller.ignore("request.changed")
        call_id = await call.confirm()
        await call.caller.message(type="request.opened", status="inProgress")
        opened = await call.caller.message(type="request.opened", status="executing")
        call.caller.vanish()
        await settle_down(10)
        assert call.session.leg_is_lost
        call.model.emit(AudioOut(SECOND, "item-1", 0, "response-9"))  # nobody is there to hear it
        await call.caller.rejoin()
        await settle_down()
        assert desk.channel.sessions == (call.session,)
        assert not call.session.leg_is_lost
        again = await call.caller.message(type="request.opened", status="executing")
        assert again["pending_id"] == opened["pending_id"]
        await settle_down(10)
        assert call.session.end_reason is None
        await call.answer()
        await call.caller.message(type="request.settled", end="answered")
        await call.model.expect(SentToolResult, call_id=call_id, failed=False)
        assert [event.participant_id for event in desk.joined] == ["ada"]


async def test_somebody_else_does_not_come_back_into_a_lost_call() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.caller.vanish()
        await settle_down(1)
        other = await desk.call("bob")
        assert other.session is not call.session
        assert call.session.leg_is_lost


async def test_the_leg_is_lost_for_good() -> None:
    async with Desk() as desk:
        call = await desk.call()
        await call.confirm()
        call.caller.vanish()
        await settle_down(14.9)
        assert call.session.end_reason is None
        await settle_down(0.2)
        await ended_cancelled(call, "lost")


async def test_a_phone_is_not_waited_for() -> None:
    async with Desk(leg=LegCapabilities(messages=True, rejoin_s=0)) as desk:
        call = await desk.call()
        await call.confirm()
        call.caller.vanish()
        await ended_cancelled(call, "lost")


async def test_a_fatal_provider_error_ends_the_session_and_is_told_once() -> None:
    async with Desk() as desk:
        call = await desk.call()
        await call.confirm()
        call.model.fail(fatal=True, code="quota", message="no money left")
        await ended_cancelled(call, "lost")
        assert [(error.source, error.message) for error in desk.errors] == [("provider", "quota: no money left")]


async def test_a_non_fatal_provider_error_changes_nothing() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call_id = await call.confirm()
        call.model.fail(fatal=False, code="hiccup")
        await settle_down(1)
        await call.answer()
        await call.model.expect(SentToolResult, call_id=call_id, failed=False)
        assert [error.message for error in desk.errors] == ["hiccup: the script says so"]


async def test_the_provider_gives_calls_up_and_late_answers_are_told_so() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call_id = await call.confirm()
        request = call.request
        call.model.emit(ToolCancelled((call_id, "unknown")))
        await settle_down()
        assert request.end is RequestEnd.WITHDRAWN
        assert [(report.cancelled, report.delivered) for report in desk.reports] == [(True, False)]
        assert not desk.human.handler.resolve(request.pending_id, "yes")
        assert call.model.counts[SentToolResult] == 0
        assert call.session.end_reason is None


async def test_a_handler_that_raises_fails_its_call_and_nothing_else() -> None:
    async def broken(_name: str, _arguments: object) -> object:
        raise ValueError("secret")

    async with Desk(handler=broken) as desk:
        call = await desk.call()
        call_id = call.model.call_tool("look_up")
        sent = await call.model.expect(SentToolResult, call_id=call_id, failed=True)
        assert json.loads(sent.text) == {"error": "The tool call failed (ValueError)."}
        assert call.session.end_reason is None


@pytest.mark.parametrize("broken", ["hang_up", "send_message"])
async def test_a_leg_that_hangs_keeps_no_session_open(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with Desk() as desk:
        call = await desk.call()
        leg = call.caller.leg

        async def hang(*_arguments: object, **_named: object) -> None:
            await anyio.sleep_forever()

        monkeypatch.setattr(leg, broken, hang)
        await call.confirm()
        with anyio.fail_after(5):
            await desk.channel.end_session(call.session)
        assert [event.end for event in desk.settled] == [RequestEnd.WITHDRAWN]


async def test_a_page_that_hangs_or_breaks_never_blocks_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Desk() as desk:
        call = await desk.call()

        async def hang(_text: str) -> None:
            await anyio.sleep_forever()

        monkeypatch.setattr(call.caller.leg, "send_message", hang)
        call_id = await call.confirm()
        await call.answer()
        await call.model.expect(SentToolResult, call_id=call_id, failed=False)

        async def breaks(_text: str) -> None:
            raise OSError("the data channel is gone")

        monkeypatch.setattr(call.caller.leg, "send_message", breaks)
        call_id = await call.confirm()
        await call.answer()
        await call.model.expect(SentToolResult, call_id=call_id, failed=False)


async def test_a_page_that_hung_gets_what_it_missed_when_it_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Desk() as desk:
        call = await desk.call()

        async def hang(_text: str) -> None:
            await anyio.sleep_forever()

        monkeypatch.setattr(call.caller.leg, "send_message", hang)
        await call.confirm()
        call.caller.vanish()
        await settle_down(1)
        call.caller.watch("request.opened")
        await call.caller.rejoin()
        await call.caller.message(type="request.opened", status="executing")


async def test_a_message_of_the_page_while_it_ends_is_answered_or_let_go() -> None:
    async with Desk() as desk:

        @desk.kit.hook(HookTrigger.ON_USER_INPUT_SETTLED)
        async def slow(_event: object, _ctx: HookContext) -> None:
            await anyio.sleep(0.5)

        call = await desk.call()
        call.caller.watch("refused")
        await call.confirm()
        pending_id = call.request.pending_id
        yes = {
            "v": 1,
            "type": "request.answer",
            "id": "1",
            "pending_id": pending_id,
            "answer": {"action": "answer", "value": True},
            "key": "k",
        }
        call.session.begin_ending("us")
        call.caller.send(yes)
        await call.caller.message(type="refused", code="late")
        await call.closed()
        call.caller.send({**yes, "id": "2", "key": "l"})


async def test_a_plugin_that_breaks_ends_its_call_and_is_named(caplog: pytest.LogCaptureFixture) -> None:
    async with Desk() as desk:
        call = await desk.call()
        await call.confirm()

        async def broken() -> object:
            raise KeyError("a message nobody knows")

        object.__setattr__(call.model.events(), "get", broken)
        call.model.emit(SpeechStarted())
        await ended_cancelled(call, "lost")
        assert [error.source for error in desk.errors] == ["provider"]
        assert "KeyError" in caplog.text
