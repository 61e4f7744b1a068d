"""One live call: what it does with its events, and each of its endings."""

import json
import re
from collections.abc import Mapping

import anyio
import pytest

from tests.channels.desk import Call, Desk, look_up
from tests.channels.kept import LOOK_UP, settle_down
from voice_hitl.asker import AskerSession, Asking, GaveUp
from voice_hitl.enums import HookExecution, HookTrigger, OutcomeKind, RequestEnd
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.events import SessionEvent, ToolCallEvent
from voice_hitl.hooks import HookContext
from voice_hitl.provider import (
    AudioOut,
    ProviderCapabilities,
    ResponseEnded,
    ResponseStarted,
    SpeechStarted,
    SpeechStopped,
    ToolCalled,
    ToolCallStarted,
    ToolCancelled,
)
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tasks import Latch
from voice_hitl.testing import (
    Forgot,
    Injected,
    Interrupted,
    Responded,
    SentAudio,
    SentToolResult,
)
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


# --- each ending -----------------------------------------------------------------------------------------------------


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


# --- going on --------------------------------------------------------------------------------------------------------


async def test_the_model_is_asked_on_once_for_a_response_whether_it_ended_before_or_after_the_output() -> None:
    async with Desk() as desk:
        call = await desk.call(quiet=False)
        call.model.emit(ResponseStarted("r1"), ToolCalled("c1", "look_up", "{}", "r1"))
        await call.model.expect(SentToolResult, call_id="c1")
        await call.model.expect_nothing(for_s=1)
        call.model.emit(ResponseEnded("r1"))
        await call.model.expect(Responded)
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult)
        await call.model.expect(Responded)
        await call.model.expect_nothing(for_s=5)


async def test_it_is_not_asked_on_while_the_caller_speaks() -> None:
    async with Desk() as desk:
        call = await desk.call(quiet=False)
        call.model.emit(SpeechStarted())
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult)
        await call.model.expect_nothing(for_s=2)
        call.model.emit(SpeechStopped())
        await call.model.expect(Responded)


async def test_a_model_never_waits_for_a_person_to_hear_of_a_look_up() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.watch(Responded)
        call.model.emit(
            ResponseStarted("r1"),
            ToolCalled("c1", "ConfirmAction", json.dumps({"action": "Book."}), "r1"),
            ToolCalled("c2", "look_up", "{}", "r1"),
            ResponseEnded("r1"),
        )
        await call.model.expect(SentToolResult, call_id="c2")
        await call.model.expect(Responded)
        await call.answer()
        await call.model.expect(SentToolResult, call_id="c1")
        await call.model.expect(Responded)


async def test_a_provider_that_replies_to_results_is_not_asked() -> None:
    async with Desk(capabilities=ProviderCapabilities(replies_to_results=True)) as desk:
        call = await desk.call(quiet=False)
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult)
        await call.model.expect_nothing(for_s=5)


async def test_a_model_that_refuses_or_hangs_to_go_on_holds_nothing_up() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.raise_on(Responded, ProviderError("busy"))
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult)
        call.model.mend(Responded)
        call.model.hang(Responded)
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult)
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult)
        await settle_down()
        assert len(desk.reports) == 3
        assert all(report.delivered for report in desk.reports)


# --- barge-in --------------------------------------------------------------------------------------------------------


async def test_the_caller_barges_in_the_voice_stops_and_what_was_not_heard_is_forgotten() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.watch(Forgot)
        call.model.emit(ResponseStarted("r1"), AudioOut(SECOND, "i1", 0, "r1"), AudioOut(SECOND, "i2", 0, "r1"))
        await call.caller.hears(300, item="i1")
        call.model.emit(SpeechStarted())
        cut = await call.model.expect(Interrupted, response_id="r1", item_id="i1")
        assert 300 <= cut.played_ms <= 340
        await call.model.expect(Forgot, item_id="i2")
        heard = call.caller.heard.total()
        call.model.emit(AudioOut(SECOND, "i2", 0, "r1"), ResponseEnded("r1", "cancelled"), SpeechStopped())
        await settle_down(3)
        assert call.caller.heard.total() == heard
        assert [(event.item_id, event.played_ms) for event in desk.barge_ins] == [("i1", cut.played_ms)]


async def test_truncation_is_never_beyond_what_was_sent() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.emit(ResponseStarted("r1"), AudioOut(SECOND, "i1", 0, "r1"))
        await settle_down(57)
        call.model.emit(AudioOut(SECOND, "i1", 0, "r1"))
        await settle_down(0.5)
        call.model.emit(SpeechStarted())
        cut = await call.model.expect(Interrupted, item_id="i1")
        assert 1000 <= cut.played_ms <= 2000


async def test_speech_into_silence_interrupts_nothing() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.emit(SpeechStarted())
        await call.model.expect_nothing(for_s=1)
        assert desk.barge_ins == []


async def test_the_caller_barges_in_and_the_wait_goes_on() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call_id = await call.confirm()
        call.model.emit(ResponseStarted("r9"), AudioOut(SECOND, "i1", 0, "r9"))
        await call.caller.hears(100)
        call.model.emit(SpeechStarted(), SpeechStopped(), ResponseEnded("r9", "cancelled"))
        await call.model.expect(Interrupted)
        assert call.request.end is None
        await call.answer()
        await call.model.expect(SentToolResult, call_id=call_id, failed=False)


async def test_calls_of_the_response_that_was_cut_are_not_run_unless_they_say_so() -> None:
    tools = [LOOK_UP, AITool("end_call", runs_when_interrupted=True)]
    async with Desk(tools=tools) as desk:
        call = await desk.call()
        call.model.emit(ResponseStarted("r1"), ToolCalled("c0", "look_up", '{"q": "a"}', "r1"))
        await call.model.expect(SentToolResult, call_id="c0", failed=False)
        call.model.emit(SpeechStarted())
        await call.model.expect(Interrupted, response_id="r1", item_id="")
        call.model.emit(
            ToolCalled("c1", "look_up", '{"q": "b"}', "r1"),
            ToolCalled("c2", "end_call", "{}", "r1"),
            ResponseEnded("r1", "cancelled"),
            SpeechStopped(),
        )
        await call.model.expect(SentToolResult, call_id="c1", failed=True, text=re.compile("may be called again"))
        await call.model.expect(SentToolResult, call_id="c2", failed=False)


async def test_the_caller_barges_in_a_moment_after_the_result_which_is_delivered_once() -> None:
    ran: list[str] = []

    async def count(name: str, _arguments: object) -> object:
        ran.append(name)
        return "soup"

    async with Desk(handler=count) as desk:
        call = await desk.call()
        call.model.call_tool("look_up", call_id="c1")
        await call.model.expect(SentToolResult, call_id="c1")
        call.model.emit(SpeechStarted(), ToolCalled("c1", "look_up", "{}", "response-1"), SpeechStopped())
        await call.model.expect_nothing(for_s=2)
        assert ran == ["look_up"]
        assert len(desk.reports) == 1


# --- the page --------------------------------------------------------------------------------------------------------


async def test_a_call_that_was_only_begun_leaves_no_card_behind() -> None:
    async with Desk() as desk:
        call = await desk.call(quiet=False)
        call.model.emit(ResponseStarted("r1"), ToolCallStarted("c1", "ConfirmAction"))
        await call.caller.message(type="request.opened", status="inProgress", call="c1")
        call.model.emit(ResponseEnded("r1", "cancelled"))
        await call.caller.message(type="request.settled", call="c1", end="withdrawn")


async def test_a_replay_changes_nothing_on_the_page() -> None:
    async with Desk() as desk:
        call = await desk.call(quiet=False)
        call.model.ignore(Injected, Forgot, Responded)
        await call.confirm("c1")
        await call.caller.message(type="request.opened", status="inProgress")
        await call.caller.message(type="request.opened", status="executing")
        await call.caller.message(type="request.changed")
        call.model.emit(ToolCallStarted("c1", "ConfirmAction"), ToolCalled("c1", "ConfirmAction", "{}", "response-1"))
        await call.caller.expect_nothing(for_s=1)
        call.caller.ignore("request.settled")


# --- audio -----------------------------------------------------------------------------------------------------------


async def test_the_callers_voice_reaches_the_model_and_a_lost_connection_is_no_lost_leg() -> None:
    async with Desk() as desk:
        call = await desk.call()
        await call.caller.stay_silent(100)
        await settle_down()
        assert call.model.counts[SentAudio] == 5
        call.model.drop()
        await call.caller.stay_silent(40)
        second = await desk.provider.connected()
        await call.caller.stay_silent(40)
        assert second.counts[SentAudio] >= 1
        assert not call.session.leg_is_lost


async def test_a_closed_session_takes_no_words() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.watch(Injected)
        await call.session.inject("The kitchen is closed.")
        await call.model.expect(Injected, text="The kitchen is closed.", role="system", silent=True)
        await desk.channel.end_session(call.session)
        with pytest.raises(ConnectionEnded):
            await call.session.inject("too late")
        with pytest.raises(ConnectionEnded):
            await call.session.say("too late")


async def test_what_ended_in_the_middle_of_a_frame_leaves_nothing_behind() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.emit(ResponseStarted("r1"), AudioOut(SECOND[:300], "i1", 0, "r1"))
        await settle_down()
        await desk.channel.end_session(call.session)
        assert len(call.session.tasks) == len(call.session.watching) == 0


async def test_a_hook_sees_the_call_before_and_after_with_the_session_it_belongs_to() -> None:
    seen: list[tuple[str, str, bool]] = []
    async with Desk() as desk:

        @desk.kit.hook(HookTrigger.BEFORE_TOOL_USE)
        async def before(event: ToolCallEvent, ctx: HookContext) -> None:
            seen.append((event.session_id, ctx.room_id, ctx.session is desk.channel.sessions[0]))

        call = await desk.call()
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult)
        assert seen == [(call.session.id, "desk", True)]


async def test_a_handler_may_be_replaced_while_calls_are_up() -> None:
    async def other(_name: str, _arguments: Mapping[str, object]) -> object:
        return "other"

    async with Desk(handler=None) as desk:
        call = await desk.call()
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult, failed=True, text=re.compile("Nobody serves"))
        desk.channel.tool_handler = other
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult, text="other")
        desk.channel.tool_handler = look_up
