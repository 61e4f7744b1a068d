"""A call that the model says: kept out of what is heard and written down, run once, its outcome told as text."""

import re

import anyio
import pytest

from tests.channels.desk import Call, Desk
from tests.channels.kept import settle_down
from voice_hitl.enums import DoorName, HookExecution, HookTrigger, OutcomeKind
from voice_hitl.events import TranscriptionEvent
from voice_hitl.hooks import HookContext
from voice_hitl.provider import (
    AudioOut,
    ResponseEnded,
    ResponseStarted,
    SpeechStarted,
    SpeechStopped,
    ToolCalled,
    Transcript,
)
from voice_hitl.testing import Forgot, Injected, Interrupted, Responded, ScriptedConnection, SentToolResult

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

HALF_A_SECOND = bytes(24_000)
LOOK_UP = "call:look_up{q:menu}"
CONFIRM = 'ConfirmAction(action="Book a table for four.")'


def said(text: str, *, final: bool = True, item: str = "i1") -> Transcript:
    return Transcript("assistant", text, final=final, item_id=item)


async def transcript(call: Call) -> list[tuple[str, bool]]:
    """The page's transcript so far, in order."""
    await settle_down()
    lines: list[tuple[str, bool]] = []
    while True:
        try:
            message = await call.caller.message(type="transcript", within_s=0.001)
        except AssertionError:
            return lines
        lines.append((str(message["text"]), bool(message["final"])))


async def quiet_call(desk: Desk) -> Call:
    call = await desk.call(quiet=False)
    call.caller.ignore("request.opened", "request.changed", "request.settled")
    call.caller.watch("transcript")
    return call


async def told_of_menu(model: ScriptedConnection) -> None:
    told = await model.expect(Injected, text=re.compile("look_up"), role="system", silent=True)
    assert '{"found": "menu", "by": "look_up"}' in told.text
    await model.expect(Responded)


async def test_a_call_in_the_final_transcript_runs_and_its_outcome_is_told_once_as_text() -> None:
    async with Desk() as desk:
        written: list[str] = []

        @desk.kit.hook(HookTrigger.ON_TRANSCRIPTION, HookExecution.ASYNC)
        async def keep(event: TranscriptionEvent, _ctx: HookContext) -> None:
            written.append(event.text)

        call = await quiet_call(desk)
        call.model.emit(ResponseStarted("r1"), said(f"One moment. {LOOK_UP}"), ResponseEnded("r1"))
        await told_of_menu(call.model)
        await settle_down(5)
        (report,) = desk.reports
        assert (report.door, report.outcome) == (DoorName.SPOKEN_CALL, OutcomeKind.SERVED)
        assert (report.delivered, report.delivered_as) == (True, "text")
        assert await transcript(call) == [("One moment.", True)]
        assert written == ["One moment."]
        assert call.model.counts[SentToolResult] == 0


async def test_the_outcome_waits_until_the_response_has_ended_before_the_model_is_asked_on() -> None:
    async with Desk() as desk:
        call = await quiet_call(desk)
        call.model.emit(ResponseStarted("r1"), said(LOOK_UP))
        await call.model.expect(Injected)
        await call.model.expect_nothing(for_s=5)
        call.model.emit(ResponseEnded("r1"))
        await call.model.expect(Responded)
        assert await transcript(call) == []


async def test_a_partial_that_is_a_complete_call_runs_when_it_has_stood_for_400_ms() -> None:
    async with Desk() as desk:
        call = await quiet_call(desk)
        call.model.emit(ResponseStarted("r1"), said("Wait. call:look", final=False), said("_up{q:menu}", final=False))
        await call.model.expect_nothing(for_s=0.39)
        await call.model.expect(Injected, within_s=0.02)
        call.model.emit(said(f"Wait. {LOOK_UP}"), ResponseEnded("r1"))
        await call.model.expect(Responded)
        await call.model.expect_nothing(for_s=5)
        assert len(desk.reports) == 1
        assert await transcript(call) == [("Wait. ", False), ("Wait.", True)]


async def test_a_partial_that_grows_on_is_no_call_yet() -> None:
    async with Desk() as desk:
        call = await quiet_call(desk)
        call.model.emit(ResponseStarted("r1"), said(LOOK_UP, final=False))
        await settle_down(0.3)
        call.model.emit(said(" is how it is written.", final=False))
        await call.model.expect_nothing(for_s=5)
        assert await transcript(call) == [(f"{LOOK_UP} is how it is written.", False)]


async def test_what_could_be_the_beginning_of_a_call_is_held_back_300_ms_and_speech_is_not() -> None:
    async with Desk() as desk:
        call = await quiet_call(desk)
        call.model.emit(ResponseStarted("r1"), said("Hello. look", final=False), AudioOut(HALF_A_SECOND, "i1", 0, "r1"))
        await settle_down(0.29)
        assert await transcript(call) == [("Hello. ", False)]
        assert call.caller.heard.total() == 0
        await settle_down(0.02)
        assert await transcript(call) == [("look", False)]
        await call.caller.hears(100, item="i1")
        call.model.emit(said("s good", final=False), said("Hello. looks good"), ResponseEnded("r1"))
        assert await transcript(call) == [("s good", False), ("Hello. looks good", True)]


async def test_the_audio_of_the_call_is_not_heard_and_that_before_it_is() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.emit(
            ResponseStarted("r1"),
            said("One moment. ", final=False),
            AudioOut(HALF_A_SECOND, "i1", 0, "r1"),
            said(LOOK_UP, final=False),
            AudioOut(HALF_A_SECOND, "i1", 0, "r1"),
            said(f"One moment. {LOOK_UP}"),
            AudioOut(HALF_A_SECOND, "i1", 0, "r1"),
            ResponseEnded("r1"),
        )
        await settle_down(5)
        assert call.caller.heard.total() == 500
        assert len(desk.reports) == 1


async def test_audio_that_was_let_go_is_cut_when_its_text_turns_out_to_be_a_call() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.emit(ResponseStarted("r1"), said("call:", final=False), AudioOut(bytes(480_000), "i1", 0, "r1"))
        await call.caller.hears(100, item="i1")
        call.model.emit(said(LOOK_UP), ResponseEnded("r1"))
        await settle_down(12)
        assert call.caller.heard.total() < 1000
        assert len(desk.reports) == 1


async def test_a_persons_tool_runs_only_when_its_response_has_ended() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.watch(Injected, Responded)
        call.model.emit(ResponseStarted("r1"), said(CONFIRM))
        await settle_down(5)
        assert call.session.open_requests == []
        call.model.emit(ResponseEnded("r1"))
        await call.model.expect(Injected, text=re.compile("waiting for a person"))
        assert call.request.door is DoorName.SPOKEN_CALL
        await call.answer()
        told = await call.model.expect(Injected, text=re.compile("ConfirmAction"))
        assert '"confirmed": true' in told.text
        await call.model.expect(Responded)


@pytest.mark.parametrize("issued_first", [True, False])
async def test_a_call_both_said_and_issued_in_one_response_runs_once(*, issued_first: bool) -> None:
    async with Desk() as desk:
        call = await desk.call()
        both = [ToolCalled("c1", "look_up", '{"q": "menu"}', "r1"), said(LOOK_UP)]
        call.model.emit(ResponseStarted("r1"), *(both if issued_first else reversed(both)), ResponseEnded("r1"))
        output = await call.model.expect(SentToolResult, call_id="c1", failed=False)
        await settle_down(5)
        assert ("found" in output.text) is issued_first
        assert len(desk.reports) == 1


async def test_a_persons_call_that_is_issued_after_it_was_said_is_asked_once() -> None:
    async with Desk() as desk:
        call = await desk.call()
        issued = ToolCalled("c1", "ConfirmAction", '{"action": "Book a table for four."}', "r1")
        call.model.emit(ResponseStarted("r1"), said(CONFIRM), issued, ResponseEnded("r1"))
        await settle_down()
        assert call.request.door is DoorName.PROVIDER_CALL
        await call.answer()
        await call.model.expect(SentToolResult, call_id="c1")


async def test_the_same_call_later_and_another_one_at_once_are_calls_of_their_own() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.emit(said(LOOK_UP), ToolCalled("c1", "look_up", '{"q": "wine"}'), ToolCalled("c2", "look_up", "{"))
        await call.model.expect(SentToolResult, call_id="c1", failed=False)
        await call.model.expect(SentToolResult, call_id="c2", failed=True)
        await settle_down(3.1)
        call.model.emit(ToolCalled("c3", "look_up", '{"q": "menu"}'))
        await call.model.expect(SentToolResult, call_id="c3", text=re.compile("found"))
        await settle_down()
        assert len(desk.reports) == 4


async def test_a_call_of_a_response_that_the_caller_cut_does_not_run() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.emit(ResponseStarted("r1"), AudioOut(HALF_A_SECOND, "i1", 0, "r1"), said(CONFIRM, final=False))
        await settle_down(0.1)
        call.model.emit(SpeechStarted(), said(CONFIRM), ResponseEnded("r1", "cancelled"), SpeechStopped())
        await settle_down(1)
        assert [report.outcome for report in desk.reports] == [OutcomeKind.REFUSED]
        assert desk.settled == []
        await call.model.expect(Interrupted, response_id="r1")


async def test_arguments_that_do_not_fit_are_refused_and_the_model_reads_why() -> None:
    async with Desk() as desk:
        call = await quiet_call(desk)
        call.model.emit(said('look_up({"q": 3})'))
        await call.model.expect(Injected, text=re.compile("not valid"))
        await call.model.expect(Responded)


async def test_a_word_that_looks_like_a_key_and_is_none_refuses_the_call_by_name() -> None:
    async with Desk() as desk:
        call = await quiet_call(desk)
        call.model.emit(said("call:look_up{q:Paris,country:FR}"))
        await call.model.expect(Injected, text=re.compile("not valid.*country"))
        await call.model.expect(Responded)
        call.model.emit(said("call:look_up{q:see you at 3:30}", item="i2"))
        await call.model.expect(Injected, text=re.compile('"found": "see you at 3:30"'))
        await call.model.expect(Responded)


async def test_a_result_that_the_model_makes_up_is_removed() -> None:
    async with Desk() as desk:
        call = await quiet_call(desk)
        invented = f'{LOOK_UP}\n<tool_response>{{"found": "fish"}}</tool_response>'
        for character in invented:
            call.model.emit(said(character, final=False))
        call.model.emit(said(invented))
        await told_of_menu(call.model)
        assert await transcript(call) == []


async def test_an_outcome_is_told_on_the_connection_that_stands_then() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.emit(ResponseStarted("r1"), said(CONFIRM))
        await settle_down()
        call.model.drop()
        again = await desk.provider.connected()
        again.ignore(Responded, Forgot)
        await again.expect(Injected, text=re.compile("waiting for a person"))
        await call.answer()
        await again.expect(Injected, text=re.compile('"confirmed": true'))


async def test_a_call_that_waits_for_its_response_is_let_go_when_the_session_ends() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.emit(ResponseStarted("r1"), said(CONFIRM), said("call:", final=False, item="i2"))
        await settle_down()
        call.caller.hang_up()
        await call.closed()
        assert desk.reports == []


async def test_a_session_that_ends_withdraws_what_a_said_call_asks() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.emit(said(CONFIRM))
        await settle_down()
        assert len(call.session.open_requests) == 1
        call.caller.hang_up()
        await call.closed()
        assert [report.outcome for report in desk.reports] == [OutcomeKind.CANCELLED]


async def test_what_is_still_being_said_when_the_session_ends_runs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    async with Desk() as desk:

        @desk.kit.hook(HookTrigger.ON_USER_INPUT_SETTLED)
        async def slow(_event: object, _ctx: HookContext) -> None:
            await anyio.sleep(0.2)

        call = await desk.call()
        await call.confirm()
        call.session.begin_ending("us")
        call.model.emit(ResponseStarted("r1"), said(LOOK_UP, final=False))
        await call.closed()
        await settle_down(1)
        assert [report.tool_name for report in desk.reports] == ["ConfirmAction"]
        assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []


async def test_switched_off_everything_is_speech() -> None:
    async with Desk(tool_recovery=False) as desk:
        call = await quiet_call(desk)
        call.model.emit(said(LOOK_UP, final=False), said(LOOK_UP))
        await call.model.expect_nothing(for_s=5)
        assert await transcript(call) == [(LOOK_UP, False), (LOOK_UP, True)]


async def test_a_partial_that_is_a_call_when_its_response_ends_is_one() -> None:
    async with Desk() as desk:
        call = await desk.call()
        half = AudioOut(HALF_A_SECOND, "i1", 0, "r1")
        call.model.emit(ResponseStarted("r1"), half, said(LOOK_UP, final=False), half, ResponseEnded("r1"))
        await settle_down()
        assert len(desk.reports) == 1
        call.model.emit(AudioOut(HALF_A_SECOND, "i1", 0, "r1"), said(" and on", final=False))
        await settle_down(5)
        assert call.caller.heard.total() == 500
        assert len(desk.reports) == 1


async def test_another_call_of_the_response_leaves_the_one_that_waits_for_its_end() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.emit(
            ResponseStarted("r1"), said(CONFIRM), ToolCalled("c1", "look_up", "{}", "r1"), ResponseEnded("r1")
        )
        await call.model.expect(SentToolResult, call_id="c1")
        await settle_down()
        assert call.request.door is DoorName.SPOKEN_CALL


async def test_what_a_lost_connection_was_saying_is_let_go_and_what_waited_runs() -> None:
    async with Desk() as desk:
        call = await quiet_call(desk)
        call.model.emit(ResponseStarted("r1"), said(CONFIRM), said("Hello. look", final=False, item="i2"))
        await settle_down(0.1)
        assert await transcript(call) == [("Hello. ", False)]
        call.model.drop()
        again = await desk.provider.connected()
        again.ignore(Injected, Responded, Forgot)
        assert await transcript(call) == [("look", False)]
        assert len(call.session.open_requests) == 1


async def test_many_items_at_once_are_followed_for_a_while() -> None:
    async with Desk() as desk:
        call = await quiet_call(desk)
        call.model.emit(*(said("look", final=False, item=f"i{number}") for number in range(20)))
        await settle_down()
        assert len(await transcript(call)) == 4
        await settle_down(0.31)
        assert len(await transcript(call)) == 16
