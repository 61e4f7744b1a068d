"""After a call was served: it is judged, bounded, delivered once, reported once, and the model goes on."""

import json
from collections.abc import Mapping

import anyio
import pytest

from tests.channels.kept import settle_down
from tests.parity.door import Door, Setup, error
from tests.parity.rules import rule
from voice_hitl.enums import HookExecution, HookTrigger, OutcomeKind
from voice_hitl.errors import ToolFailedError, ToolRefusedError
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext, HookResult
from voice_hitl.provider import ProviderCapabilities
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.settlement import SettlementKind

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


async def ends_in_every_way(_name: str, arguments: Mapping[str, object]) -> object:
    match arguments.get("q"):
        case "refuse":
            raise ToolRefusedError("No.")
        case "fail":
            raise ToolFailedError("It broke.")
        case "sleep":
            await anyio.sleep(9)
        case _:
            pass
    return "done"


@rule("C17")
async def test_a_judge_blocks_or_replaces_what_was_served(door: Door) -> None:
    async with door.place(Setup()) as place:

        @place.kit.hook(HookTrigger.ON_TOOL_CALL)
        async def judge(event: ToolCallEvent, _ctx: HookContext) -> HookResult:
            if event.arguments.get("q") == "secret":
                return HookResult.block("Not for the phone.")
            return HookResult.allow({"result": {"found": "tea"}})

        await place.issue("look_up", {"q": "secret"})
        assert error(await place.read()) == "Not for the phone."
        await place.issue("look_up", {"q": "menu"})
        assert json.loads(await place.read()) == {"found": "tea"}
        await settle_down()
        assert [report.outcome for report in place.reports] == [OutcomeKind.BLOCKED, OutcomeKind.SERVED]


@rule("C17a")
async def test_a_judge_may_serve_what_nobody_served(door: Door) -> None:
    async with door.place(Setup(handler=None)) as place:

        @place.kit.hook(HookTrigger.ON_TOOL_CALL)
        async def serve(event: ToolCallEvent, _ctx: HookContext) -> HookResult:
            assert event.outcome is OutcomeKind.UNSERVED
            return HookResult.allow({"result": "the hook's"})

        await place.issue("look_up")
        assert await place.read() == "the hook's"
        assert (await place.report()).outcome is OutcomeKind.SERVED


@rule("C17b")
async def test_no_judge_sees_what_was_refused_or_failed(door: Door) -> None:
    async with door.place(Setup(handler=ends_in_every_way)) as place:
        judged: list[ToolCallEvent] = []

        @place.kit.hook(HookTrigger.ON_TOOL_CALL)
        async def judge(event: ToolCallEvent, _ctx: HookContext) -> None:
            judged.append(event)

        for q in ("refuse", "fail"):
            await place.issue("look_up", {"q": q})
            error(await place.read())
        await settle_down()
        assert judged == []
        assert len(place.reports) == 2


@rule("C18")
async def test_a_long_result_is_cut_with_a_note_of_how_long_it_was(door: Door) -> None:
    async def run(_name: str, _arguments: Mapping[str, object]) -> object:
        return "x" * 20_000

    async with door.place(Setup(handler=run)) as place:
        await place.issue("look_up")
        text = await place.read()
        assert len(text) <= 16_384
        assert text.endswith("[cut: 20000 characters, of which these are the first]")


@rule("C18a")
async def test_a_persons_answer_is_never_cut(door: Door) -> None:
    async with door.place(Setup()) as place:
        await place.issue("AskUser", {"question": "Which?"})
        await place.end_response()
        await settle_down()
        assert place.people.handler.resolve(place.request.pending_id, "x" * 20_000)
        assert await place.read() == "x" * 20_000
        assert (await place.report()).outcome is OutcomeKind.SERVED


@rule("C18b")
async def test_what_the_provider_cannot_take_is_invalid_when_it_is_given(door: Door) -> None:
    async with door.place(Setup(capabilities=ProviderCapabilities(max_result_chars=10))) as place:
        await place.ask()
        assert (await place.answer()).kind is SettlementKind.INVALID
        assert place.request.end is None
        place.people.handler.reject(place.request.pending_id, "no")
        await place.read()


@rule("C19")
async def test_it_is_delivered_once_and_reported_once_to_those_who_watch(door: Door) -> None:
    async with door.place(Setup()) as place:
        await place.issue("look_up", {"q": "menu"})
        text = await place.read()
        await place.reads_nothing(5)
        report = await place.report()
        assert (report.outcome, report.delivered, report.result) == (OutcomeKind.SERVED, True, text)
        assert report.delivered_as in {"output", "text"}
        assert (report.is_error, report.refused, report.cancelled) == (False, False, False)


@rule("C19a")
async def test_the_flags_follow_from_the_outcome(door: Door) -> None:
    async with door.place(Setup(handler=ends_in_every_way)) as place:

        @place.kit.hook(HookTrigger.BEFORE_TOOL_USE)
        async def refuse(event: ToolCallEvent, _ctx: HookContext) -> HookResult | None:
            return HookResult.block("No.") if event.arguments["q"] == "refuse" else None

        for q in ("refuse", "fail"):
            await place.issue("look_up", {"q": q})
            error(await place.read())
        await place.issue("look_up", {"q": "sleep"})
        await place.end_response()
        await place.hang_up()
        flags = [(each.outcome, each.is_error, each.refused, each.cancelled) for each in place.reports]
        assert flags == [
            (OutcomeKind.REFUSED, True, True, False),
            (OutcomeKind.FAILED, True, False, False),
            (OutcomeKind.CANCELLED, True, False, True),
        ]
        assert [each.delivered for each in place.reports] == [True, True, False]


@rule("C19b")
async def test_who_watches_is_off_the_path_and_may_fail(door: Door) -> None:
    async with door.place(Setup()) as place:

        @place.kit.hook(HookTrigger.ON_TOOL_CALL, HookExecution.ASYNC, timeout=5)
        async def hang(event: ToolCallEvent, _ctx: HookContext) -> None:
            if event.arguments.get("q") == "hang":
                await anyio.sleep_forever()
            raise KeyError("broken")

        for q in ("hang", "raise"):
            await place.issue("look_up", {"q": q})
            with anyio.fail_after(1):
                await place.read()


@rule("C20")
async def test_a_model_never_waits_for_a_person_to_hear_of_a_look_up(door: Door) -> None:
    async with door.place(Setup()) as place:
        await place.issue("ConfirmAction", {"action": "Book."})
        await place.issue("look_up", {"q": "menu"})
        assert "menu" in await place.read()
        assert await place.goes_on()
        await place.answer()
        assert json.loads(await place.read())["confirmed"] is True
        assert await place.goes_on()


@rule("C20a")
async def test_the_model_is_asked_on_once_when_its_response_has_ended_and_all_its_outputs_are_there(door: Door) -> None:
    async with door.place(Setup(handler=ends_in_every_way)) as place:
        await place.issue("look_up", {"q": "menu"})
        await place.issue("look_up", {"q": "sleep"})
        assert not await place.goes_on()
        await place.end_response()
        await settle_down(5)
        assert not await place.goes_on()
        for _ in range(2):
            assert await place.read() == "done"
        assert await place.goes_on()
        assert not await place.goes_on()


@rule("C20b")
@pytest.mark.parametrize("who", ["caller", "asker"])
async def test_the_model_is_asked_on_only_when_nobody_else_speaks(door: Door, who: str) -> None:
    async with door.place(Setup(handler=ends_in_every_way)) as place:
        await place.issue("look_up", {"q": "sleep"})
        await place.end_response()
        async with place.caller_speaks() if who == "caller" else place.floor_taken():
            assert await place.read() == "done"
            assert not await place.goes_on()
        assert await place.goes_on()


@rule("C21")
async def test_while_a_call_waits_the_model_knows_that_nothing_has_been_done(door: Door) -> None:
    async with door.place(Setup()) as place:
        request = await place.ask()
        (note,) = await place.notes()
        assert "ConfirmAction" in note
        assert "Nothing has been done yet" in note
        await place.people.handler.answer(request.pending_id, Answer(value=True))
        await place.read()
        await settle_down()
        assert place.notes_taken_back == 1
