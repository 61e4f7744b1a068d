"""The one executor: what becomes of a call, whoever serves it."""

import json
from collections.abc import Mapping

import anyio
import pytest

from tests.doors.bench import CONFIRM, Bench, echo
from voice_hitl.doors.pipeline import Pipeline
from voice_hitl.doors.serving import Bounds, Origin, Servers
from voice_hitl.enums import ChannelType, DoorName, OutcomeKind, RequestEnd
from voice_hitl.errors import ToolFailedError, ToolRefusedError, UnservedToolCallError
from voice_hitl.hooks import HookContext
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.settlement import SettlementKind
from voice_hitl.tasks import Latch
from voice_hitl.tools.context import current_tool_actor_id, current_tool_call
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


# --- serving ---------------------------------------------------------------------------------------------------------


async def test_nobody_serves_what_has_no_handler() -> None:
    bench = Bench()
    report = await bench.run("{}")
    assert (report.outcome, report.is_error) == (OutcomeKind.UNSERVED, True)
    assert bench.sent_error == "Nobody serves the tool 'look_up'."


def unserved(name: str, _arguments: object) -> object:
    raise UnservedToolCallError(f"{name} is not mine")


def refuses(_name: str, _arguments: object) -> object:
    raise ToolRefusedError("Not on Mondays.")


def fails(_name: str, _arguments: object) -> object:
    raise ToolFailedError("The kitchen does not answer.")


def breaks(_name: str, _arguments: object) -> object:
    raise KeyError("password=hunter2")


@pytest.mark.parametrize(
    ("handler", "kind", "words", "detail"),
    [
        (unserved, OutcomeKind.UNSERVED, "Nobody serves the tool 'look_up'.", "look_up is not mine"),
        (refuses, OutcomeKind.REFUSED, "Not on Mondays.", None),
        (fails, OutcomeKind.FAILED, "The kitchen does not answer.", "The kitchen does not answer."),
        (breaks, OutcomeKind.FAILED, "The tool call failed (KeyError).", "KeyError: 'password=hunter2'"),
    ],
)
async def test_what_a_handler_raises_becomes_an_outcome(
    handler: ToolHandler, kind: OutcomeKind, words: str, detail: str | None
) -> None:
    bench = Bench(handler)
    report = await bench.run("{}")
    assert (report.outcome, bench.sent_error, report.error_detail) == (kind, words, detail)
    assert (len(bench.door.sent), report.delivered) == (1, True)


@pytest.mark.parametrize(
    ("result", "sent"),
    [
        ("soup", "soup"),
        ('{"a": 1}', '{"a": 1}'),
        ({"a": "é"}, '{"a": "é"}'),
        (None, "null"),
        ([1], "[1]"),
        (True, "true"),
    ],
)
async def test_a_text_is_sent_verbatim_and_other_values_as_json(result: object, sent: str) -> None:
    bench = Bench(lambda _name, _arguments: result)
    await bench.run("{}")
    assert bench.door.sent == [("c0", sent, False)]


@pytest.mark.parametrize("result", [object(), float("nan")])
async def test_a_result_that_is_not_json_is_a_failure(result: object) -> None:
    report = await Bench(lambda _name, _arguments: result).run("{}")
    assert report.outcome is OutcomeKind.FAILED


@pytest.mark.parametrize(("fails", "sent"), [(False, "caf?"), (True, '{"error": "caf?"}')])
async def test_what_is_no_unicode_in_a_handlers_words_holds_no_outcome_up(fails: bool, sent: str) -> None:
    async def run(_name: str, _arguments: Mapping[str, object]) -> object:
        if fails:
            raise ToolFailedError("caf\udce9")
        return "caf\udce9"

    bench = Bench(run)
    await bench.run("{}")
    assert bench.door.sent[-1][1] == sent


async def test_a_handler_that_takes_too_long_has_failed() -> None:
    async def hang(_name: str, _arguments: object) -> object:
        await anyio.sleep_forever()
        return None

    bench = Bench(hang, bounds=Bounds(default_s=10))
    bench.pipeline.arrive("c1", "look_up", "{}", "r1")
    await bench.settle(9.9)
    assert bench.reports == []
    await bench.settle(0.2)
    report = bench.reports[0]
    assert (report.outcome, bench.sent_error) == (OutcomeKind.FAILED, "The tool 'look_up' took longer than 10 s.")


async def test_a_bound_named_for_a_tool_wins_and_none_is_no_bound() -> None:
    async def slow(_name: str, _arguments: object) -> object:
        await anyio.sleep(100)
        return "late"

    named = Bench(slow, bounds=Bounds(default_s=None, named={"look_up": 3}))
    assert (await named.run("{}")).outcome is OutcomeKind.FAILED
    unbound = Bench(slow, bounds=Bounds(default_s=None))
    assert (await unbound.run("{}", for_s=101)).outcome is OutcomeKind.SERVED


async def test_a_handler_that_swallows_cancellation_is_abandoned_and_its_call_goes_on() -> None:
    free = Latch()

    async def deaf(_name: str, _arguments: object) -> object:
        while not free.is_set:
            with anyio.CancelScope(shield=True):
                try:
                    await free.wait()
                except anyio.get_cancelled_exc_class():
                    continue
        return "never mind"

    bench = Bench(deaf, bounds=Bounds(default_s=5))
    bench.pipeline.arrive("c1", "look_up", "{}", "r1")
    await bench.settle(6.5)
    assert [report.outcome for report in bench.reports] == [OutcomeKind.FAILED]
    free.set()
    await bench.settle()


async def test_a_handler_knows_which_call_it_serves() -> None:
    seen: list[object] = []

    def look(_name: str, _arguments: object) -> object:
        context = current_tool_call()
        assert context is not None
        seen.extend([context.room_id, context.call_id, context.channel_id, context.session_id, context.door])
        seen.extend([context.allowed_names, current_tool_actor_id()])
        return None

    await Bench(look).run("{}")
    names = ("look_up", "book", "ConfirmAction")
    assert seen == ["desk", "c0", "voice", "s1", DoorName.PROVIDER_CALL, names, "ada"]


# --- a person's tool -------------------------------------------------------------------------------------------------


async def test_a_persons_tool_is_served_before_the_host_and_its_answer_is_never_cut() -> None:
    human = HumanInputToolHandler({"ask"}, tool_definitions=[AITool("ask", "Ask.")])
    bench = Bench(echo, tools=[AITool("ask", "Ask.")], bounds=Bounds(default_s=1, result_chars=100), persons=False)
    bench.pipeline = Pipeline(
        book=bench.book,
        door=bench.door,
        gate=bench.pipeline.gate,
        origin=Origin(channel_id="voice", channel_type=ChannelType.REALTIME_VOICE, room_id="desk", session_id="s1"),
        servers=Servers(human=human, host=lambda: echo, bounds=Bounds(default_s=1, result_chars=100)),
        hooks=lambda: bench.kit.hooks,
        hook_context=HookContext(bench.kit, None, None, "desk"),
        tasks=bench.tasks,
        watching=bench.watching,
        watcher=bench.watched,
    )
    bench.pipeline.arrive("c1", "ask", "{}", "r1")
    await bench.settle(50)
    (request,) = human.handler.open_in("s1")
    assert (request.tool_call_id, request.door, request.channel_type) == (
        "c1",
        DoorName.PROVIDER_CALL,
        ChannelType.REALTIME_VOICE,
    )
    long = "word " * 100 + "end"
    assert (await human.handler.answer(request.pending_id, Answer(long, by="ada"))).kind is SettlementKind.ACCEPTED
    await bench.settle()
    assert bench.door.sent == [("c1", long, False)]


async def test_what_the_provider_cannot_take_is_said_when_it_is_given() -> None:
    bench = Bench(max_chars=20)
    bench.pipeline.arrive("c1", "ConfirmAction", CONFIRM, "r1")
    await bench.settle()
    settlement = await bench.answer(Answer(True, by="ada"))
    assert settlement.kind is SettlementKind.INVALID
    assert bench.request.end is None
    bench.pipeline.end()
    await bench.settle()


async def test_a_person_who_declines_refuses_the_call_and_the_model_reads_why() -> None:
    bench = Bench()
    bench.pipeline.arrive("c1", "ConfirmAction", CONFIRM, "r1")
    await bench.settle()
    await bench.answer(Answer(by="ada", decline=True, reason="not today"))
    await bench.settle()
    assert (bench.reports[0].outcome, bench.sent_error) == (OutcomeKind.REFUSED, "Human input rejected: not today")


async def test_a_bound_named_for_a_persons_tool_applies_and_withdraws_the_request() -> None:
    bench = Bench(bounds=Bounds(named={"ConfirmAction": 5}))
    bench.pipeline.arrive("c1", "ConfirmAction", CONFIRM, "r1")
    await bench.settle()
    request = bench.request
    await bench.settle(5.1)
    assert request.end is RequestEnd.WITHDRAWN
    assert bench.sent_error == "The tool 'ConfirmAction' took longer than 5 s."


@pytest.mark.parametrize("retention", [128, 0])
async def test_an_answer_in_the_tick_of_the_bound_counts_as_its_giver_was_told(retention: int) -> None:
    bench = Bench(bounds=Bounds(named={"ConfirmAction": 5}), retention=retention)
    bench.pipeline.arrive("c1", "ConfirmAction", CONFIRM, "r1")
    await anyio.sleep(5)
    settlement = await bench.answer(Answer(True, by="ada"))
    await bench.settle()
    assert settlement.kind is SettlementKind.ACCEPTED
    assert json.loads(bench.door.sent[0][1])["confirmed"] is True


async def test_a_question_that_cannot_be_asked_fails_in_words_that_say_what_to_correct() -> None:
    bench = Bench()
    report = await bench.run({"action": " "}, "ConfirmAction")
    assert report.outcome is OutcomeKind.FAILED
    assert "action" in bench.sent_error


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_bound_that_is_no_time_is_refused_where_it_is_given(seconds: float) -> None:
    with pytest.raises(ValueError, match="more than 0 seconds"):
        Bounds(default_s=seconds)
    with pytest.raises(ValueError, match="more than 0 seconds"):
        Bounds(named={"look_up": seconds})
