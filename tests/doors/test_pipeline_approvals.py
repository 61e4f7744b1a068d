"""The one executor: a tool that a person has to approve first."""

from collections.abc import Mapping

import pytest

from tests.doors.bench import BOOK, SEATS, Bench
from voice_hitl.doors.serving import Bounds
from voice_hitl.enums import OutcomeKind, RequestEnd
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.settlement import SettlementKind
from voice_hitl.tools.definition import AITool

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


class Approved(Bench):
    """A bench whose tool must be approved."""

    def __init__(self, *, tool: AITool = BOOK, bounds: Bounds | None = None) -> None:
        self.ran: list[Mapping[str, object]] = []

        async def handler(_name: str, arguments: Mapping[str, object]) -> object:
            self.ran.append(arguments)
            return "booked"

        super().__init__(handler, tools=[tool], bounds=bounds)

    async def asked(self, raw: str = '{"seats": "4"}', call_id: str = "c1") -> None:
        self.pipeline.arrive(call_id, "book", raw, "r1")
        await self.settle()


async def test_a_gated_tool_waits_for_its_approval_and_runs_with_what_was_shown() -> None:
    bench = Approved()
    await bench.asked()
    assert (bench.ran, bench.request.arguments, bench.request.audience) == ([], {"seats": 4}, ("ada",))
    settlement = await bench.answer(Answer(by="ada", decision="approve"))
    assert settlement.kind is SettlementKind.ACCEPTED
    await bench.settle()
    assert (bench.ran, bench.door.sent) == ([{"seats": 4}], [("c1", "booked", False)])
    assert bench.watched.told == [("asking", "c1"), ("answered", "c1"), ("delivered", "c1"), ("reported", "c1")]
    report = bench.reports[0]
    assert (report.arguments, report.proposed_arguments) == ({"seats": 4}, {"seats": 4})


async def test_nobody_else_may_approve_and_a_word_is_no_permission() -> None:
    bench = Approved()
    await bench.asked()
    assert (await bench.answer(Answer(by="bob", decision="approve"))).kind is SettlementKind.NOT_ALLOWED
    assert (await bench.answer(Answer(True, by="ada"))).kind is SettlementKind.INVALID
    assert not bench.human.handler.resolve(bench.request.pending_id, "approve")
    assert bench.ran == []
    bench.pipeline.end()
    await bench.settle()
    assert bench.ran == []


async def test_edits_are_validated_run_instead_and_the_record_keeps_both() -> None:
    bench = Approved()
    await bench.asked()
    wrong = Answer(by="ada", decision="approve", edited_arguments={"seats": "many"})
    assert (await bench.answer(wrong)).kind is SettlementKind.INVALID
    await bench.answer(Answer(by="ada", decision="approve", edited_arguments={"seats": 2}))
    await bench.settle()
    assert bench.ran == [{"seats": 2}]
    assert (bench.reports[0].arguments, bench.reports[0].proposed_arguments) == ({"seats": 2}, {"seats": 4})


@pytest.mark.parametrize("reason", ["full", "full."])
async def test_a_rejection_runs_nothing_and_says_so(reason: str) -> None:
    bench = Approved()
    await bench.asked()
    await bench.answer(Answer(by="ada", decision="reject", reason=reason))
    await bench.settle()
    assert (bench.ran, bench.reports[0].outcome) == ([], OutcomeKind.REFUSED)
    assert bench.sent_error == "Human input rejected: full. Nothing was executed."


async def test_nobody_decides_in_time_and_nothing_runs() -> None:
    bench = Approved()
    await bench.asked()
    await bench.settle(61)
    assert (bench.ran, bench.reports[0].outcome) == ([], OutcomeKind.FAILED)
    assert bench.sent_error == "Human input timed out after 60s for tool 'book'. Nothing was executed."


async def test_an_approval_that_is_withdrawn_runs_nothing_and_says_so() -> None:
    bench = Approved()
    await bench.asked()
    bench.human.handler.release(bench.request.pending_id)
    await bench.settle()
    assert (bench.ran, bench.reports[0].outcome) == ([], OutcomeKind.FAILED)
    assert bench.sent_error.endswith("Nothing was executed.")


async def test_the_same_call_while_its_approval_is_open_is_refused() -> None:
    bench = Approved()
    await bench.asked()
    await bench.asked(call_id="c2")
    assert "already being asked about. Nothing was executed." in bench.sent_error
    await bench.asked('{"seats": 5}', call_id="c3")
    assert len(bench.human.handler.open_in("s1")) == 2
    bench.pipeline.end()
    await bench.settle()


async def test_what_was_changed_after_it_was_shown_does_not_run() -> None:
    bench = Approved()
    await bench.asked()
    arguments = bench.request.arguments
    assert isinstance(arguments, dict)
    arguments["seats"] = 40
    await bench.answer(Answer(by="ada", decision="approve"))
    await bench.settle()
    assert (bench.ran, bench.reports[0].refused) == ([], True)
    assert "not those that were approved. Nothing was executed." in bench.sent_error


async def test_the_time_that_the_approval_takes_is_not_the_handlers() -> None:
    bench = Approved(bounds=Bounds(default_s=1))
    await bench.asked()
    await bench.settle(30)
    await bench.answer(Answer(by="ada", decision="approve"))
    await bench.settle()
    assert bench.ran == [{"seats": 4}]


async def test_a_predicate_decides_on_the_validated_arguments_which_it_cannot_change() -> None:
    def many(arguments: Mapping[str, object]) -> bool:
        seats = arguments["seats"]
        assert isinstance(arguments, dict)
        assert isinstance(seats, int)
        arguments["seats"] = 0
        return seats > 3

    bench = Approved(tool=AITool("book", "", SEATS, requires_approval=many, approvers=("ada",)))
    await bench.asked('{"seats": 2}', call_id="c1")
    await bench.settle(0.1)
    assert bench.ran == [{"seats": 2}]
    await bench.asked('{"seats": 4}', call_id="c2")
    await bench.settle(0.1)
    assert bench.ran == [{"seats": 2}]
    assert bench.request.arguments == {"seats": 4}
    bench.pipeline.end()
    await bench.settle()


async def test_a_predicate_that_raises_runs_nothing() -> None:
    def broken(_arguments: Mapping[str, object]) -> bool:
        raise LookupError("no limits configured")

    bench = Approved(tool=AITool("book", "", SEATS, requires_approval=broken, approvers=("ada",)))
    await bench.asked()
    await bench.settle(0.1)
    assert (bench.ran, bench.reports[0].outcome) == ([], OutcomeKind.FAILED)


async def test_a_call_cancelled_while_it_waits_for_its_approval_never_runs() -> None:
    bench = Approved()
    await bench.asked()
    request = bench.request
    await bench.answer(Answer(by="ada", decision="approve"))
    bench.pipeline.cancel(["c1"])  # in the tick of the approval
    await bench.settle()
    assert (bench.ran, request.end, bench.door.sent) == ([], RequestEnd.ANSWERED, [])
    assert [(report.cancelled, report.delivered) for report in bench.reports] == [(True, False)]
