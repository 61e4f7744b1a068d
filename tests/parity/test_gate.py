"""The gate: what may run, asked in one order."""

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import anyio
import pytest

from tests.channels.kept import LOOK_UP, settle_down
from tests.parity.door import BOOK, CONFIRM, SEATS, Door, Setup, error
from tests.parity.rules import rule
from voice_hitl.enums import HookTrigger, OutcomeKind
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext, HookResult
from voice_hitl.provider import ProviderCapabilities
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.settlement import Settlement, SettlementKind
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.policy import ToolPolicy

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

SEAT = AITool("seat", "Seat a party.", SEATS)
FREE = AITool(
    "search",
    "Search.",
    {
        "type": "object",
        "properties": {"params": {"type": "object"}},
        "additionalProperties": False,
    },
)


class Ran:
    """A host's handler that notes what it ran with."""

    def __init__(self, result: object = "done") -> None:
        self.calls: list[tuple[str, dict[str, object]]] = []
        self.result = result

    async def __call__(self, name: str, arguments: Mapping[str, object]) -> object:
        self.calls.append((name, dict(arguments)))
        return self.result


@rule("C5")
async def test_a_tool_that_is_not_declared_is_refused_before_any_handler(door: Door) -> None:
    ran = Ran()
    async with door.place(Setup(handler=ran)) as place:
        await place.issue("delete_all", {"sure": True})
        assert error(await place.read()) == "There is no tool named 'delete_all'."
        assert (await place.report()).refused
        assert ran.calls == []


@rule("C5a")
async def test_where_nothing_is_declared_any_name_passes(door: Door) -> None:
    ran = Ran()
    async with door.place(Setup(tools=(), persons=False, handler=ran)) as place:
        await place.issue("made_elsewhere", {"x": 1})
        assert await place.read() == "done"
        assert ran.calls == [("made_elsewhere", {"x": 1})]


@rule("C6")
async def test_a_denied_tool_is_refused_and_its_arguments_are_never_looked_at(door: Door) -> None:
    ran = Ran()
    policy = ToolPolicy(allow=["look_*", "se*"], deny=["seat"])
    async with door.place(Setup(tools=[LOOK_UP, SEAT], handler=ran, policy=policy)) as place:
        await place.issue("seat", {"seats": "many"})
        refusal = error(await place.read())
        assert "seat" in refusal
        assert "valid" not in refusal
        await place.issue("book", {"seats": "many"})
        assert "book" in error(await place.read())
        await place.issue("look_up")
        assert await place.read() == "done"
        await settle_down()
        assert [report.refused for report in place.reports] == [True, True, False]
        assert ran.calls == [("look_up", {})]


@rule("C6a")
async def test_the_policy_of_the_participants_role_as_it_is_now_decides(door: Door) -> None:
    ran = Ran()
    policy = ToolPolicy(deny=["seat"], roles={"host": ToolPolicy(allow=["seat"])})
    in_place = ProviderCapabilities(reconfigures="in_place")
    setup = Setup(tools=[LOOK_UP, SEAT], handler=ran, policy=policy, capabilities=in_place)
    async with door.place(setup) as place:
        await place.issue("seat", {"seats": "many"})
        assert "seat" in error(await place.read())
        await place.take_role("host")
        await place.issue("seat", {"seats": 3})
        assert await place.read() == "done"
        await place.issue("look_up")
        assert "look_up" in error(await place.read())
        await place.take_role("guest")
        await place.issue("look_up")
        assert await place.read() == "done"
        assert ran.calls == [("seat", {"seats": 3}), ("look_up", {})]


@rule("C6b")
async def test_a_persons_tool_answers_to_the_policy(door: Door) -> None:
    async with door.place(Setup(policy=ToolPolicy(deny=["Confirm*"]))) as place:
        await place.issue("ConfirmAction", CONFIRM)
        assert "ConfirmAction" in error(await place.read())
        assert (await place.report()).refused
        assert place.required == []


@rule("C7")
async def test_two_repairs_are_made_and_no_more(door: Door) -> None:
    ran = Ran()
    async with door.place(Setup(tools=[SEAT, FREE], handler=ran)) as place:
        await place.issue("seat", '{"seats": "3"}')
        assert await place.read() == "done"
        await place.issue("search", {"city": "Paris"})
        assert await place.read() == "done"
        await place.issue("seat", '{"seats": "three"}')
        assert "not valid" in error(await place.read())
        assert ran.calls == [("seat", {"seats": 3}), ("search", {"params": {"city": "Paris"}})]


@rule("C8")
async def test_the_whole_schema_is_validated_and_the_refusal_says_where(door: Door) -> None:
    nested = AITool(
        "order",
        "Order.",
        {
            "type": "object",
            "properties": {
                "dish": {"type": "object", "properties": {"size": {"enum": ["small", "large"]}}, "required": ["size"]}
            },
        },
    )
    ran = Ran()
    async with door.place(Setup(tools=[nested], handler=ran)) as place:
        await place.issue("order", {"dish": {"size": "huge"}})
        assert "size" in error(await place.read())
        assert (await place.report()).outcome is OutcomeKind.REFUSED
        assert ran.calls == []


@rule("C9")
async def test_a_hook_before_the_tool_refuses_with_its_reason(door: Door) -> None:
    ran = Ran()
    async with door.place(Setup(handler=ran)) as place:
        seen: list[str] = []

        @place.kit.hook(HookTrigger.BEFORE_TOOL_USE, priority=2)
        async def never(_event: ToolCallEvent, _ctx: HookContext) -> None:
            seen.append("never")

        @place.kit.hook(HookTrigger.BEFORE_TOOL_USE, priority=1)
        async def block(event: ToolCallEvent, _ctx: HookContext) -> HookResult:
            seen.append(event.tool_name)
            return HookResult.block("Not on Sundays.")

        await place.issue("look_up", {"q": "menu"})
        assert error(await place.read()) == "Not on Sundays."
        assert seen == ["look_up"]
        assert (await place.report()).error_detail is None
        assert ran.calls == []


@rule("C9a")
@pytest.mark.parametrize("how", ["raises", "hangs", "returns nonsense"])
async def test_a_hook_before_the_tool_that_fails_refuses_plainly_and_observers_read_why(door: Door, how: str) -> None:
    ran = Ran()
    async with door.place(Setup(handler=ran)) as place:

        @place.kit.hook(HookTrigger.BEFORE_TOOL_USE, timeout=3, name="guard")
        async def guard(_event: ToolCallEvent, _ctx: HookContext) -> HookResult:
            if how == "raises":
                raise KeyError("secret")
            if how == "hangs":
                await anyio.sleep(60)
            return cast("HookResult", "yes")

        await place.issue("look_up", {"q": "menu"})
        assert error(await place.read()) == "The tool 'look_up' was not run."
        report = await place.report()
        assert "guard" in str(report.error_detail)
        assert (report.refused, report.delivered) == (True, True)
        assert ran.calls == []


@rule("C9b")
async def test_what_a_hook_rewrites_is_validated_again_without_repair(door: Door) -> None:
    ran = Ran()
    async with door.place(Setup(tools=[SEAT], handler=ran)) as place:

        @place.kit.hook(HookTrigger.BEFORE_TOOL_USE)
        async def rewrite(event: ToolCallEvent, _ctx: HookContext) -> HookResult | None:
            if event.arguments["seats"] == 1:
                event.arguments["seats"] = 2
                return None
            return HookResult.allow({"arguments": {"seats": "3"}})

        await place.issue("seat", {"seats": 1})
        assert await place.read() == "done"
        await place.issue("seat", {"seats": 4})
        assert error(await place.read()) == "The tool 'seat' was not run."
        assert ran.calls == [("seat", {"seats": 2})]
        assert "rewrote" in str(place.reports[-1].error_detail)


@rule("C9c")
async def test_a_hook_before_the_tool_cannot_give_a_result(door: Door) -> None:
    async with door.place(Setup(handler=Ran())) as place:

        @place.kit.hook(HookTrigger.BEFORE_TOOL_USE)
        async def result(_event: ToolCallEvent, _ctx: HookContext) -> HookResult:
            return HookResult.allow({"result": "made up"})

        await place.issue("look_up")
        assert await place.read() == "done"


@rule("C10")
async def test_a_gated_tool_is_asked_about_on_the_arguments_as_they_will_run(door: Door) -> None:
    ran = Ran()
    async with door.place(Setup(handler=ran, timeouts={"book": 5})) as place:

        @place.kit.hook(HookTrigger.BEFORE_TOOL_USE)
        async def rewrite(_event: ToolCallEvent, _ctx: HookContext) -> HookResult:
            return HookResult.allow({"arguments": {"seats": 6}})

        request = await place.approval({"seats": 4})
        assert request.arguments == {"seats": 6}
        await settle_down(30)  # longer than its handler may take: that bound starts afterwards
        assert ran.calls == []
        decision = Answer(decision="approve", by="ada")
        assert await place.people.handler.answer(request.pending_id, decision) == Settlement.ACCEPTED
        assert await place.read() == "done"
        assert ran.calls == [("book", {"seats": 6})]


@rule("C10a")
@pytest.mark.parametrize("how", ["rejected", "nobody decides", "withdrawn"])
async def test_a_gated_tool_that_is_not_approved_never_runs_and_the_model_reads_that(door: Door, how: str) -> None:
    ran = Ran()
    async with door.place(Setup(handler=ran)) as place:
        request = await place.approval()
        match how:
            case "rejected":
                assert place.people.handler.reject(request.pending_id, "too many")
            case "withdrawn":
                assert place.people.handler.release(request.pending_id)
            case _:
                pass
        words = error(await place.read())
        assert words.endswith("Nothing was executed.")
        assert ("too many" in words) == (how == "rejected")
        assert ran.calls == []
        assert (await place.report()).outcome == (OutcomeKind.REFUSED if how == "rejected" else OutcomeKind.FAILED)


@rule("C10b")
async def test_what_was_changed_after_it_was_shown_does_not_run(door: Door) -> None:
    ran = Ran()
    async with door.place(Setup(handler=ran)) as place:
        request = await place.approval({"seats": 4})
        cast("dict[str, object]", request.arguments)["seats"] = 40
        await place.people.handler.answer(request.pending_id, Answer(decision="approve", by="ada"))
        assert "not those that were approved" in error(await place.read())
        assert ran.calls == []


@rule("C10c")
async def test_what_is_approved_with_edits_is_validated_and_runs_and_no_hook_is_asked_again(door: Door) -> None:
    ran, seen = Ran(), list[object]()
    editable = replace(BOOK, allow_edits=True)
    async with door.place(Setup(tools=[LOOK_UP, editable], handler=ran)) as place:

        @place.kit.hook(HookTrigger.BEFORE_TOOL_USE)
        async def watch(event: ToolCallEvent, _ctx: HookContext) -> None:
            seen.append(dict(event.arguments))

        request, people = await place.approval({"seats": 4}), place.people.handler
        wrong = Answer(decision="approve", edited_arguments={"seats": "many"}, by="ada")
        assert (await people.answer(request.pending_id, wrong)).kind is SettlementKind.INVALID
        edited = Answer(decision="approve", edited_arguments={"seats": 2}, by="ada")
        assert await people.answer(request.pending_id, edited) == Settlement.ACCEPTED
        assert await place.read() == "done"
        assert (ran.calls, seen) == ([("book", {"seats": 2})], [{"seats": 4}])
        report = await place.report()
        assert (report.arguments, report.proposed_arguments) == ({"seats": 2}, {"seats": 4})


@rule("C10d")
async def test_an_approval_is_used_once(door: Door) -> None:
    ran = Ran()
    async with door.place(Setup(handler=ran)) as place:
        for seats in (4, 4, 5):
            request = await place.approval({"seats": seats})
            yes = Answer(decision="approve", by="ada")
            assert await place.people.handler.answer(request.pending_id, yes) == Settlement.ACCEPTED
            assert await place.people.handler.answer(request.pending_id, yes) == Settlement.DUPLICATE
            assert await place.read() == "done"
        assert [arguments for _, arguments in ran.calls] == [{"seats": 4}, {"seats": 4}, {"seats": 5}]


@rule("C11")
async def test_a_session_that_ends_during_the_gate_cancels_the_call(door: Door) -> None:
    ran = Ran()
    async with door.place(Setup(tools=[LOOK_UP, BOOK], handler=ran)) as place:

        @place.kit.hook(HookTrigger.BEFORE_TOOL_USE)
        async def slow(_event: ToolCallEvent, _ctx: HookContext) -> None:
            await anyio.sleep(5)

        await place.issue("look_up")
        await settle_down(1)
        await place.hang_up()
        assert ((await place.report()).outcome, ran.calls) == (OutcomeKind.CANCELLED, [])
