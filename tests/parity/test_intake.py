"""Intake: what arrives at a door, and what of it is a call."""

import json

import pytest

from tests.channels.kept import LOOK_UP, settle_down
from tests.parity.door import Door, Setup, error
from tests.parity.rules import rule
from voice_hitl.enums import HookTrigger, OutcomeKind
from voice_hitl.events import TranscriptionEvent
from voice_hitl.hooks import HookContext
from voice_hitl.tools.definition import AITool

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

MENU = '{"found": "menu", "by": "look_up"}'


@rule("C1")
async def test_arguments_are_an_object(door: Door) -> None:
    async with door.place(Setup()) as place:
        await place.issue("look_up", {"q": "menu"})
        assert await place.read() == MENU
        assert (await place.report()).arguments == {"q": "menu"}


@rule("C1a")
async def test_nothing_blank_and_null_are_no_arguments(door: Door) -> None:
    async with door.place(Setup()) as place:
        for nothing in ("", "  ", "null", "{}"):
            await place.issue("look_up", nothing)
            assert await place.read() == '{"found": null, "by": "look_up"}'


@rule("C1b")
@pytest.mark.parametrize("cut", ['{"question":"Do', "[1]", '{"q": NaN}', '{"q": Infinity}'])
async def test_arguments_that_cannot_be_read_are_refused_and_nothing_runs(door: Door, cut: str) -> None:
    ran: list[str] = []

    async def run(name: str, _arguments: object) -> object:
        ran.append(name)
        return None

    async with door.place(Setup(handler=run)) as place:
        await place.issue("look_up", cut)
        assert "could not be read" in error(await place.read())
        report = await place.report()
        assert (report.outcome, report.arguments, report.raw_arguments) == (OutcomeKind.REFUSED, {}, cut)
        assert ran == []


@rule("C2.2")
async def test_the_same_id_in_the_same_response_is_a_replay_and_the_first_outcome_stands(door: Door) -> None:
    async with door.place(Setup()) as place:
        await place.issue("look_up", {"q": "menu"}, call_id="c1")
        await place.issue("look_up", {"q": "other"}, call_id="c1")
        assert await place.read() == MENU
        await place.reads_nothing()
        assert (await place.report()).arguments == {"q": "menu"}


@rule("C2.2a")
async def test_a_ghost_without_arguments_of_a_seen_id_is_a_replay_in_any_response(door: Door) -> None:
    async with door.place(Setup()) as place:
        await place.issue("look_up", {"q": "menu"}, call_id="c1")
        assert await place.read() == MENU
        await place.issue("look_up", "{}", call_id="c1")
        await place.reads_nothing()
        await place.report()


@rule("C2.3")
async def test_a_call_without_an_id_is_refused_and_nothing_is_sent_for_it(door: Door) -> None:
    async with door.place(Setup()) as place:
        await place.issue("look_up", call_id="")
        await place.issue("look_up", call_id="")
        await place.issue("look_up", {"q": "menu"}, call_id="c1")
        assert await place.read() == MENU
        await place.reads_nothing()
        reports = [(report.tool_call_id != "", report.outcome, report.delivered) for report in place.reports]
        unsent = (False, OutcomeKind.REFUSED, False)
        assert sorted(reports) == sorted([unsent, unsent, (True, OutcomeKind.SERVED, True)])


@rule("C2.3a")
async def test_an_id_in_flight_from_another_response_is_refused_and_the_first_call_stands(door: Door) -> None:
    async with door.place(Setup()) as place:
        await place.ask(call_id="c1")
        await place.issue("look_up", {"q": "menu"}, call_id="c1")
        await place.reads_nothing()
        assert [(report.refused, report.delivered) for report in place.reports] == [(True, False)]
        await place.answer()
        assert json.loads(await place.read())["confirmed"] is True


@rule("C2.5")
async def test_an_old_id_in_a_later_response_names_a_new_call(door: Door) -> None:
    async with door.place(Setup()) as place:
        for found in ("menu", "wine"):
            await place.issue("look_up", {"q": found}, call_id="call_0")
            assert json.loads(await place.read())["found"] == found
        assert len(place.reports) == 2


@rule("C2.6")
async def test_every_call_gets_exactly_one_output_whatever_its_handler_does(door: Door) -> None:
    async def run(_name: str, arguments: dict[str, object]) -> object:
        match arguments.get("q"):
            case "nothing":
                return None
            case "raise":
                raise KeyError("x")
            case _:
                return "fine"

    async with door.place(Setup(handler=run)) as place:
        for q, sent in (("nothing", "null"), ("raise", "KeyError"), ("fine", "fine")):
            await place.issue("look_up", {"q": q})
            assert sent in await place.read()
            await place.reads_nothing()
        assert [report.delivered for report in place.reports] == [True, True, True]


@rule("C2.7")
async def test_the_ids_that_we_make_are_short_and_plain(door: Door) -> None:
    async with door.place(Setup()) as place:
        await place.issue("look_up")
        await place.read()
        await place.issue("look_up")
        await place.read()
        first, second = (report.tool_call_id for report in place.reports)
        assert first != second
        for made in (first, second):
            assert len(made) <= 32
            assert made.replace("-", "").replace("_", "").isalnum()


@rule("C4")
async def test_a_call_that_cannot_be_answered_is_refused_for_that_whatever_else_is_wrong_with_it(door: Door) -> None:
    async with door.place(Setup(tools=[LOOK_UP])) as place:
        await place.issue("look_up", '{"q": ', call_id="")
        await settle_down()
        report = await place.report()
        assert "no id" in str(report.result)
        assert not report.delivered


@rule("C2.1")
async def test_a_cancellation_a_moment_before_its_call_cancels_it(door: Door) -> None:
    async with door.place(Setup()) as place:
        await place.cancel_calls("c1")
        await place.issue("look_up", call_id="c1")
        await place.reads_nothing()
        report = await place.report()
        assert (report.outcome, report.delivered) == (OutcomeKind.CANCELLED, False)
        await place.issue("look_up", {"q": "menu"}, call_id="c1")
        assert await place.read() == MENU


@rule("C2.4")
async def test_a_call_of_a_response_that_the_caller_cut_is_not_run_unless_its_tool_says_so(door: Door) -> None:
    tools = [LOOK_UP, AITool("end_call", runs_when_interrupted=True)]
    async with door.place(Setup(tools=tools)) as place:
        await place.issue("look_up", {"q": "menu"})
        await place.barge_in()
        await place.issue("look_up", {"q": "wine"})
        await place.issue("end_call")
        assert await place.read() == MENU
        texts = sorted([await place.read(), await place.read()])
        assert "may be called again" in error(texts[0])
        assert json.loads(texts[1]) == {"found": None, "by": "end_call"}


@rule("C3")
async def test_what_was_said_before_a_call_is_known_when_it_runs(door: Door) -> None:
    said: list[str] = []

    async def run(_name: str, _arguments: object) -> object:
        return list(said)

    async with door.place(Setup(handler=run)) as place:

        @place.kit.hook(HookTrigger.ON_TRANSCRIPTION)
        async def hear(event: TranscriptionEvent, _ctx: HookContext) -> None:
            said.append(event.text)

        await place.caller_said("Find the menu.")
        await place.issue("look_up")
        assert json.loads(await place.read()) == ["Find the menu."]
