"""The one executor: how calls come in and are let in, whatever they are served through."""

import json
from collections.abc import Mapping

import anyio
import pytest

from tests.doors.bench import CONFIRM, Bench, echo
from voice_hitl.enums import DoorName, HookExecution, HookTrigger, OutcomeKind
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext, HookResult
from voice_hitl.questions.answer import Answer
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.policy import ToolPolicy

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


# --- intake ----------------------------------------------------------------------------------------------------------


async def test_a_served_call_is_delivered_once_and_reported_once() -> None:
    bench = Bench(echo)
    report = await bench.run('{"q": "soup"}')
    assert bench.door.sent == [("c0", '{"name": "look_up", "q": "soup"}', False)]
    assert (report.tool_name, report.arguments, report.tool_call_id, report.door) == (
        "look_up",
        {"q": "soup"},
        "c0",
        DoorName.PROVIDER_CALL,
    )
    assert (report.outcome, report.is_error, report.refused, report.cancelled) == (
        OutcomeKind.SERVED,
        False,
        False,
        False,
    )
    assert (report.delivered, report.delivered_as, report.actor_id, report.error_detail) == (
        True,
        "output",
        "ada",
        None,
    )
    assert bench.watched.told == [("delivered", "c0"), ("reported", "c0")]
    assert (bench.pipeline.jobs, bench.book.open_calls, len(bench.tasks)) == ([], [], 0)


@pytest.mark.parametrize("raw", ["", "  ", "null", None, "{}", {}])
async def test_nothing_is_no_arguments(raw: str | Mapping[str, object] | None) -> None:
    assert (await Bench(echo).run(raw)).arguments == {}


@pytest.mark.parametrize("raw", ['{"question":"Do', "[1]", '{"a": NaN}', '{"a": Infinity}', "yes"])
async def test_arguments_that_cannot_be_read_are_refused_nothing_runs_and_what_came_is_reported(raw: str) -> None:
    ran: list[str] = []
    bench = Bench(lambda name, _arguments: ran.append(name))
    report = await bench.run(raw)
    assert (ran, report.refused, report.raw_arguments, report.delivered) == ([], True, raw, True)
    assert bench.sent_error.startswith("The arguments of 'look_up' could not be read: ")


async def test_the_same_call_in_two_frames_runs_once() -> None:
    bench = Bench(echo)
    bench.pipeline.arrive("c1", "look_up", '{"q": "a"}', "r1")
    assert bench.pipeline.arrive("c1", "look_up", '{"q": "a"}', "r1") is None
    await bench.settle()
    assert bench.pipeline.arrive("c1", "look_up", "{}", "r2") is None
    await bench.settle()
    assert len(bench.door.sent) == len(bench.reports) == 1


async def test_an_old_id_in_a_later_response_is_a_new_call() -> None:
    bench = Bench(echo)
    for response in ("r1", "r2"):
        bench.pipeline.arrive("0", "look_up", '{"q": "a"}', response)
        await bench.settle()
    assert [call_id for call_id, _, _ in bench.door.sent] == ["0", "0"]


async def test_calls_without_an_id_are_refused_each_and_nothing_is_sent() -> None:
    bench = Bench(echo)
    for _ in range(2):
        bench.pipeline.arrive("", "look_up", "{}", "r1")
    await bench.settle()
    assert bench.door.sent == []
    assert [(report.refused, report.delivered) for report in bench.reports] == [(True, False)] * 2


async def test_an_id_in_flight_from_another_response_is_refused_and_the_first_call_stands() -> None:
    bench = Bench()
    bench.pipeline.arrive("c1", "ConfirmAction", CONFIRM, "r1")
    await bench.settle()
    bench.pipeline.arrive("c1", "look_up", '{"q": "b"}', "r2")
    await bench.settle()
    assert [(report.tool_name, report.refused, report.delivered) for report in bench.reports] == [
        ("look_up", True, False)
    ]
    await bench.answer(Answer(True, by="ada"))
    await bench.settle()
    assert [call_id for call_id, _, _ in bench.door.sent] == ["c1"]


async def test_a_cancellation_a_moment_before_its_call_cancels_it() -> None:
    bench = Bench(echo)
    bench.pipeline.cancel(["c1"])
    bench.pipeline.arrive("c1", "look_up", "{}", "r1")
    await bench.settle()
    assert bench.door.sent == []
    assert [(report.cancelled, report.delivered) for report in bench.reports] == [(True, False)]
    assert bench.book.open_calls == []


async def test_a_call_of_a_response_that_the_caller_cut_is_not_run_and_may_be_called_again() -> None:
    bench = Bench(echo)
    bench.book.interrupted("r1")
    bench.pipeline.arrive("c1", "look_up", "{}", "r1")
    await bench.settle()
    assert "may be called again" in bench.sent_error
    assert [(report.refused, report.delivered) for report in bench.reports] == [(True, True)]
    bench.pipeline.arrive("c2", "look_up", "{}", "r2")
    await bench.settle()
    assert bench.door.sent[-1] == ("c2", '{"name": "look_up"}', False)


async def test_a_tool_that_says_so_runs_all_the_same() -> None:
    bench = Bench(echo, tools=[AITool("end_call", runs_when_interrupted=True)])
    bench.book.interrupted("r1")
    bench.pipeline.arrive("c1", "end_call", "{}", "r1")
    await bench.settle()
    assert bench.door.sent == [("c1", '{"name": "end_call"}', False)]


async def test_an_ended_session_cancels_what_comes_before_anything_else_is_looked_at() -> None:
    bench = Bench(echo)
    bench.pipeline.end()
    bench.pipeline.arrive("", "fly", "[", "r1")
    bench.pipeline.arrive("c2", "fly", "[", "r1")
    await bench.settle()
    assert [report.cancelled for report in bench.reports] == [True, True]
    assert bench.door.sent == []


# --- the gate --------------------------------------------------------------------------------------------------------


async def test_a_refused_call_runs_nothing_and_no_judge_sees_it() -> None:
    ran: list[str] = []
    judged: list[str] = []
    bench = Bench(lambda name, _arguments: ran.append(name), policy=ToolPolicy(deny=("look_*",)))

    @bench.kit.hook(HookTrigger.ON_TOOL_CALL)
    async def judge(event: ToolCallEvent, _ctx: HookContext) -> None:
        judged.append(event.tool_name)

    report = await bench.run("{}")
    assert (report.outcome, report.refused, report.is_error, report.error_detail) == (
        OutcomeKind.REFUSED,
        True,
        True,
        None,
    )
    assert (ran, judged, bench.sent_error) == ([], [], "The tool 'look_up' is not allowed here.")


async def test_the_handler_gets_what_the_hook_left_and_the_report_says_it() -> None:
    bench = Bench(echo)

    @bench.kit.hook(HookTrigger.BEFORE_TOOL_USE)
    async def rewrite(event: ToolCallEvent, _ctx: HookContext) -> None:
        event.arguments["q"] = "bread"

    report = await bench.run('{"q": "soup"}')
    assert report.arguments == {"q": "bread"}
    assert json.loads(bench.door.sent[0][1])["q"] == "bread"


async def test_a_hook_that_hangs_refuses_plainly() -> None:
    ran: list[str] = []
    bench = Bench(lambda name, _arguments: ran.append(name))

    @bench.kit.hook(HookTrigger.BEFORE_TOOL_USE, timeout=2)
    async def hang(_event: ToolCallEvent, _ctx: HookContext) -> None:
        await anyio.sleep_forever()

    report = await bench.run("{}")
    assert (ran, report.refused, bench.sent_error) == ([], True, "The tool 'look_up' was not run.")
    assert "took longer than 2 s" in (report.error_detail or "")


async def test_who_only_watches_the_gate_changes_nothing() -> None:
    bench = Bench(echo)
    seen: list[Mapping[str, object]] = []

    @bench.kit.hook(HookTrigger.BEFORE_TOOL_USE, HookExecution.ASYNC)
    async def watch(event: ToolCallEvent, _ctx: HookContext) -> HookResult:
        seen.append(dict(event.arguments))
        event.arguments["q"] = "bread"
        return HookResult.block("not mine to say")

    report = await bench.run('{"q": "soup"}')
    assert (seen, report.arguments, report.is_error) == ([{"q": "soup"}], {"q": "soup"}, False)


async def test_a_session_that_ends_during_the_gate_cancels_the_call() -> None:
    ran: list[str] = []
    bench = Bench(lambda name, _arguments: ran.append(name))

    @bench.kit.hook(HookTrigger.BEFORE_TOOL_USE)
    async def ends_it(_event: ToolCallEvent, _ctx: HookContext) -> None:
        bench.pipeline.end(but=bench.pipeline.current_call())

    report = await bench.run("{}")
    assert (ran, report.cancelled, report.delivered, bench.door.sent) == ([], True, False, [])
