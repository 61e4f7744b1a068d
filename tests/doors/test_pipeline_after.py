"""The one executor: judging, bounding, delivering and reporting what a call came to."""

import anyio
import pytest

from tests.doors.bench import CONFIRM, Bench, echo
from voice_hitl.doors.gate import Catalogue, Gate
from voice_hitl.doors.serving import RESULT_CHARS
from voice_hitl.enums import HookTrigger, OutcomeKind, RequestEnd
from voice_hitl.errors import ConnectionEnded, ProviderError, ToolFailedError
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext, HookResult
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.settlement import SettlementKind
from voice_hitl.tasks import Latch
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


async def judged(handler: ToolHandler | None, result: HookResult | None) -> Bench:
    bench = Bench(handler)

    @bench.kit.hook(HookTrigger.ON_TOOL_CALL)
    async def judge(_event: ToolCallEvent, _ctx: HookContext) -> HookResult | None:
        return result

    await bench.run("{}")
    return bench


async def test_a_judge_blocks_a_served_call_and_the_model_reads_why() -> None:
    bench = await judged(echo, HookResult.block("That is private."))
    assert (bench.reports[0].outcome, bench.sent_error) == (OutcomeKind.BLOCKED, "That is private.")


async def test_a_judge_replaces_a_result() -> None:
    bench = await judged(echo, HookResult.allow({"result": {"stars": 5}}))
    assert (bench.reports[0].outcome, bench.door.sent) == (OutcomeKind.SERVED, [("c0", '{"stars": 5}', False)])


async def test_a_judge_serves_what_nobody_served() -> None:
    bench = await judged(None, HookResult.allow({"result": "here"}))
    assert (bench.reports[0].outcome, bench.door.sent) == (OutcomeKind.SERVED, [("c0", "here", False)])


async def test_a_judge_that_gives_no_json_changes_nothing() -> None:
    bench = await judged(echo, HookResult.allow({"result": object()}))
    assert (bench.reports[0].outcome, bench.door.sent) == (OutcomeKind.SERVED, [("c0", '{"name": "look_up"}', False)])


async def test_a_judge_that_breaks_is_passed_over_unless_it_fails_closed() -> None:
    for closed, kind in ((None, OutcomeKind.SERVED), (True, OutcomeKind.BLOCKED)):
        bench = Bench(echo)

        @bench.kit.hook(HookTrigger.ON_TOOL_CALL, fail_closed=closed)
        async def judge(_event: ToolCallEvent, _ctx: HookContext) -> None:
            raise RuntimeError("broken")

        assert (await bench.run("{}")).outcome is kind


async def test_a_long_result_is_cut_with_a_note_of_how_long_it_was() -> None:
    bench = Bench(lambda _name, _arguments: "x" * 20_000)
    await bench.run("{}")
    text = bench.door.sent[0][1]
    assert len(text) <= RESULT_CHARS
    assert "20000 characters" in text


@pytest.mark.parametrize("length", [180, 190, 200, 500])
async def test_what_is_sent_is_never_more_than_the_provider_takes(length: int) -> None:
    def long_words(_name: str, _arguments: object) -> object:
        raise ToolFailedError('"' * length)

    def long_result(_name: str, _arguments: object) -> object:
        return "x" * length

    for handler in (long_words, long_result):
        bench = Bench(handler, max_chars=190)
        await bench.run("{}")
        assert len(bench.door.sent[0][1]) <= 190


@pytest.mark.parametrize("error", [ConnectionEnded("gone"), ProviderError("no"), ValueError("a broken plugin")])
async def test_a_delivery_that_fails_is_reported_once_as_not_delivered(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench(echo)
    bench.door.error = error
    report = await bench.run("{}")
    assert (report.outcome, report.delivered, report.delivered_as) == (OutcomeKind.SERVED, False, None)
    assert len(bench.door.sent) == 1
    assert (bench.pipeline.jobs, bench.book.open_calls) == ([], [])
    assert ("broken plugin" in caplog.text) == isinstance(error, ValueError)


async def test_a_delivery_that_hangs_holds_up_no_other_call_and_ends_with_the_session() -> None:
    bench = Bench(echo)
    bench.door.gate = Latch()
    bench.pipeline.arrive("c1", "look_up", "{}", "r1")
    await bench.settle()
    bench.pipeline.cancel(["c1"])  # its outcome is on its way: too late to cancel it
    assert bench.reports == []
    bench.door.gate = None
    bench.pipeline.arrive("c2", "look_up", "{}", "r1")
    await bench.settle()
    assert [report.tool_call_id for report in bench.reports] == ["c2"]
    bench.pipeline.end()
    await bench.tasks.close()
    await bench.settle()
    assert [(report.tool_call_id, report.delivered) for report in bench.reports] == [("c2", True), ("c1", False)]


async def test_a_call_that_the_provider_gives_up_ends_at_once_and_nothing_is_sent_even_if_its_handler_goes_on() -> None:
    free = Latch()

    async def deaf(_name: str, _arguments: object) -> object:
        try:
            await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await free.wait()
        return "too late"

    bench = Bench(deaf)
    bench.pipeline.arrive("c1", "look_up", "{}", "r1")
    await bench.settle()
    bench.pipeline.cancel(["c1"])
    await bench.settle()
    assert [(report.cancelled, report.delivered) for report in bench.reports] == [(True, False)]
    assert bench.book.find("c1") is None
    bench.pipeline.arrive("c1", "look_up", "{}", "r2")  # the id is free at once
    free.set()
    await bench.settle(0.5)
    assert bench.door.sent == []
    bench.pipeline.end()
    await bench.settle()


async def test_a_cancelled_call_withdraws_its_request_in_the_same_tick() -> None:
    bench = Bench()
    bench.pipeline.arrive("c1", "ConfirmAction", CONFIRM, "r1")
    await bench.settle()
    request = bench.request
    bench.pipeline.cancel(["c1"])
    assert request.end is RequestEnd.WITHDRAWN
    assert (await bench.human.handler.answer(request.pending_id, Answer(True))).kind is SettlementKind.LATE
    await bench.settle()
    assert bench.door.sent == []


async def test_a_call_that_ends_its_own_session_runs_to_its_report_which_is_heard() -> None:
    bench: Bench

    async def hangs_up(_name: str, _arguments: object) -> object:
        call = bench.pipeline.current_call()
        assert call is not None
        assert call.call_id == "c1"
        bench.pipeline.end(but=call)
        await bench.watching.close(patience_s=1)
        await anyio.sleep(3)
        return "goodbye"

    bench = Bench(hangs_up)
    assert bench.pipeline.current_call() is None
    bench.pipeline.arrive("c1", "look_up", "{}", "r1")
    bench.pipeline.arrive("c2", "ConfirmAction", CONFIRM, "r1")
    await bench.settle(4)
    assert [(report.tool_call_id, report.outcome) for report in bench.reports] == [
        ("c2", OutcomeKind.CANCELLED),
        ("c1", OutcomeKind.SERVED),
    ]
    assert not any(report.delivered for report in bench.reports)
    assert bench.door.sent == []


async def test_a_call_keeps_the_gate_it_came_through() -> None:
    bench = Bench(echo)

    @bench.kit.hook(HookTrigger.BEFORE_TOOL_USE)
    async def slow(_event: ToolCallEvent, _ctx: HookContext) -> None:
        bench.pipeline.gate = Gate(Catalogue([]), undeclared_pass=False)

    assert (await bench.run("{}")).outcome is OutcomeKind.SERVED
    assert (await bench.run("{}")).refused


async def test_every_one_of_the_six_outcomes_is_reported_once() -> None:
    bench = Bench(lambda name, _arguments: {"a": "ok", "b": "ok"}[name], tools=[AITool("a"), AITool("b"), AITool("c")])

    @bench.kit.hook(HookTrigger.ON_TOOL_CALL)
    async def judge(event: ToolCallEvent, _ctx: HookContext) -> HookResult | None:
        return HookResult.block("no") if event.tool_name == "b" else None

    kinds = [(await bench.run("{}", name)).outcome for name in ("a", "b", "c", "fly")]
    bench.pipeline.cancel(["x"])
    bench.pipeline.arrive("x", "a", "{}", "rx")
    await bench.settle()
    assert [*kinds, bench.reports[-1].outcome] == [
        OutcomeKind.SERVED,
        OutcomeKind.BLOCKED,
        OutcomeKind.FAILED,
        OutcomeKind.REFUSED,
        OutcomeKind.CANCELLED,
    ]
    assert (await Bench().run("{}")).outcome is OutcomeKind.UNSERVED


async def test_a_result_that_looks_like_an_error_is_a_result() -> None:
    bench = Bench(lambda _name, _arguments: '{"error": "just data"}')
    report = await bench.run("{}")
    assert bench.door.sent == [("c0", '{"error": "just data"}', False)]
    assert report.outcome is OutcomeKind.SERVED
