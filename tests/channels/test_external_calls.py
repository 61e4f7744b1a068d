"""Calls that the provider runs itself: who decides on them, and how each is reported, once."""

import re
from collections.abc import AsyncIterator, Sequence

import anyio
import pytest

from tests.channels.desk import look_up
from tests.channels.kept import LOOK_UP, kept, settle_down
from voice_hitl.calls.outcome import Outcome
from voice_hitl.channels.ai import AIChannel
from voice_hitl.channels.external_calls import REMEMBERED, ExternalCalls, ExternalReporting
from voice_hitl.channels.text_events import TextCallEnded, TextEnded, TextEvent
from voice_hitl.chat import ChatCall
from voice_hitl.enums import HookExecution, HookTrigger, OutcomeKind
from voice_hitl.errors import HumanInputRejectedError, ProviderError
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext, HookResult, Hooks
from voice_hitl.human_input.external import (
    ExternalCall,
    ExternalToolHandler,
    PolicyExternalToolHandler,
    ToolDecision,
    takes_detail,
)
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.tasks import Tasks
from voice_hitl.testing import ScriptedChat
from voice_hitl.tools.calls import ServedCall
from voice_hitl.tools.context import ToolCallContext
from voice_hitl.tools.policy import ToolPolicy

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

BASH = ChatCall("b1", "bash", '{"command": "ls"}')
RAN = ChatCall("b2", "bash", '{"command": "ls", "_result": "made up"}', ServedCall({"files": 3}))


class Deciding(ExternalToolHandler):
    """Decides as the test says, and notes what it hears."""

    def __init__(self, decision: object = None, *, wait_s: float = 0.0) -> None:
        self.decision = decision or ToolDecision(approved=True)
        self.wait_s = wait_s
        self.heard: list[str] = []

    async def process_tool_call(
        self, tool_name: str, tool_input: dict[str, object], *, room_id: str | None = None, **kwargs: object
    ) -> ToolDecision:
        self.heard.append(f"asked {tool_name} {tool_input} {kwargs['tool_call_id']} {room_id}")
        await anyio.sleep(self.wait_s)
        if isinstance(self.decision, Exception):
            raise self.decision
        assert isinstance(self.decision, ToolDecision)
        return self.decision

    async def on_tool_cancelled(self, tool_name: str, tool_input: dict[str, object], **more: object) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - as users write it
        self.heard.append(f"cancelled {tool_name} {more['tool_call_id']}")
        await super().on_tool_cancelled(tool_name, tool_input, tool_call_id=str(more["tool_call_id"]), room_id="desk")


class ExternalDesk:
    def __init__(self, handler: ExternalToolHandler | None, model: ScriptedChat | None = None) -> None:
        tools = {"bash": ServedCall("a b c"), "broken": ServedCall("no", is_error=True)}
        self.model = model or ScriptedChat(tools=tools)
        self.channel = AIChannel(
            "text", provider=self.model, tools=[LOOK_UP], tool_handler=look_up, external_tool_handler=handler
        )
        self.kit = VoiceKit()
        self.kit.register_channel(self.channel)
        self.reports: list[ToolCallEvent] = []
        self.judged: list[ToolCallEvent] = []

        @self.kit.hook(HookTrigger.ON_TOOL_CALL, HookExecution.ASYNC)
        async def report(event: ToolCallEvent, _ctx: HookContext) -> None:
            self.reports.append(event)

        @self.kit.hook(HookTrigger.ON_TOOL_CALL)
        async def judge(event: ToolCallEvent, _ctx: HookContext) -> None:
            self.judged.append(event)

    async def __aenter__(self) -> "ExternalDesk":
        return self

    async def __aexit__(self, kind: object, _error: object, _trace: object) -> None:
        await self.kit.close()
        if kind is None:
            self.model.done()

    async def round(self, *calls: ChatCall, results: dict[str, object]) -> list[TextEvent]:
        """One turn with these calls, whose results must be these."""
        events = self.channel.turn("Go on.", room_id="desk", actor_id="ada")
        (await self.model.asked()).answer(*calls)
        (await self.model.asked(results=results)).answer("Done.")
        said = await read(events)
        await settle_down()
        return said

    @property
    def outcomes(self) -> Sequence[OutcomeKind | None]:
        return [report.outcome for report in self.reports]


async def read(events: AsyncIterator[TextEvent]) -> list[TextEvent]:
    with anyio.fail_after(600):
        return [event async for event in events]


async def test_an_approved_call_is_run_by_the_provider_and_its_result_reported() -> None:
    handler = Deciding()
    async with ExternalDesk(handler) as desk:
        said = await desk.round(BASH, results={"b1": "a b c"})
        assert TextCallEnded("b1", "bash", OutcomeKind.SERVED, "a b c") in said
        assert handler.heard == ["asked bash {'command': 'ls'} b1 desk"]
        assert desk.model.ran == [BASH]
        (report,) = desk.reports
        assert (report.tool_name, report.result, report.delivered) == ("bash", "a b c", True)
        assert (report.channel_id, report.room_id, report.actor_id) == ("text", "desk", "ada")
        assert desk.judged == []


@pytest.mark.parametrize("handler", [None, Deciding(ToolDecision(approved=False))])
async def test_a_call_that_the_provider_ran_already_is_reported_and_nothing_is_read_from_its_arguments(
    handler: ExternalToolHandler | None,
) -> None:
    async with ExternalDesk(handler) as desk:
        await desk.round(RAN, results={"b2": '{"files": 3}'})
        (report,) = desk.reports
        assert (report.outcome, report.result) == (OutcomeKind.SERVED, '{"files": 3}')
        assert desk.model.ran == []


async def test_a_result_key_in_the_arguments_is_just_an_argument_and_the_call_goes_through_the_gate() -> None:
    async with ExternalDesk(Deciding()) as desk:

        @desk.kit.hook(HookTrigger.BEFORE_TOOL_USE)
        async def gate(_event: ToolCallEvent, _ctx: HookContext) -> HookResult:
            return HookResult.block("Not here.")

        await desk.round(
            ChatCall("c1", "look_up", '{"q": "x", "_result": "y"}'), results={"c1": re.compile("Not here")}
        )
        assert desk.outcomes == [OutcomeKind.REFUSED]


async def test_a_refused_call_is_not_run_and_reported_to_those_who_watch_only() -> None:
    async with ExternalDesk(Deciding(ToolDecision(approved=False, reason="Too risky.", detail="disk full"))) as desk:
        await desk.round(BASH, results={"b1": '{"error": "Too risky."}'})
        (report,) = desk.reports
        assert (report.refused, report.error_detail, report.result) == (True, "disk full", "Too risky.")
        assert desk.model.ran == []
        assert desk.judged == []


async def test_an_override_that_takes_no_detail_is_not_given_one() -> None:
    heard: list[str] = []

    class Old(Deciding):
        async def on_tool_refused(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride] - as users write it
            self, tool_name: str, tool_input: object, reason: str, *, tool_call_id: str, room_id: str
        ) -> None:
            heard.append(f"{tool_name} {reason} {tool_call_id} {room_id}")

    async with ExternalDesk(Old(ToolDecision(approved=False, reason="No.", detail="why"))) as desk:
        await desk.round(BASH, results={"b1": '{"error": "No."}'})
    assert heard == ["bash No. b1 desk"]
    assert takes_detail(Deciding().on_tool_refused)
    assert not takes_detail(Old().on_tool_refused)


async def test_a_handler_that_raises_or_returns_nonsense_fails_the_call_and_the_channel_reports_it() -> None:
    class Nonsense(Deciding):
        async def process_tool_call(
            self, tool_name: str, tool_input: dict[str, object], **_more: object
        ) -> ToolDecision:
            return True  # type: ignore[return-value]  # pyright: ignore[reportReturnType] - that is the test

    for handler, detail in (
        (Deciding(KeyError("x")), "KeyError"),
        (Nonsense(), "ToolDecision"),
        (ExternalToolHandler(), "NotImplementedError"),
    ):
        async with ExternalDesk(handler) as desk:
            await desk.round(BASH, results={"b1": re.compile("failed")})
            (report,) = desk.reports
            assert report.outcome is OutcomeKind.FAILED
            assert detail in str(report.error_detail)


async def test_arguments_that_were_cut_are_refused_and_nobody_is_asked() -> None:
    handler = Deciding()
    async with ExternalDesk(handler) as desk:
        await desk.round(ChatCall("b1", "bash", '{"comm'), results={"b1": re.compile("could not be read")})
        assert handler.heard == []
        assert desk.outcomes == [OutcomeKind.REFUSED]


async def test_a_call_that_comes_twice_is_one_and_one_without_an_id_is_not_run() -> None:
    handler = Deciding()
    async with ExternalDesk(handler) as desk:
        cut = ChatCall("b3", "bash", "{")
        calls = (BASH, BASH, cut, cut, ChatCall("", "bash", "{}"))
        await desk.round(*calls, results={"b1": "a b c", "b3": re.compile("could not be read")})
        assert len(handler.heard) == 1
        assert sorted(map(str, desk.outcomes)) == ["refused", "refused", "served"]


async def test_a_tool_that_the_provider_fails_or_does_not_have_is_a_failure() -> None:
    async with ExternalDesk(Deciding()) as desk:
        calls = (ChatCall("b1", "broken", "{}"), ChatCall("b2", "absent", "{}"))
        await desk.round(*calls, results={"b1": '{"error": "no"}', "b2": re.compile("ProviderError")})
        assert sorted(map(str, desk.outcomes)) == ["failed", "failed"]
        assert ProviderError.__name__ in str([report.error_detail for report in desk.reports])


async def test_a_turn_cancelled_while_it_waits_cancels_the_decision_and_tells_the_handler_once() -> None:
    handler = Deciding(wait_s=60)
    async with ExternalDesk(handler) as desk:
        events = desk.channel.turn("Go on.", room_id="desk")
        (await desk.model.asked()).answer(BASH)
        await settle_down(1)
        await desk.channel.cancel_turn("desk")
        assert (await read(events))[-1] == TextEnded("cancelled")
        await settle_down()
        assert handler.heard[1:] == ["cancelled bash b1"]
        assert [(report.outcome, report.delivered) for report in desk.reports] == [(OutcomeKind.CANCELLED, False)]


async def test_a_call_cut_before_anybody_was_asked_comes_there_too() -> None:
    handler, tasks = Deciding(), Tasks("turn")
    reports = ExternalReporting("text", Hooks, lambda room_id: HookContext(None, None, None, room_id), tasks)
    calls = ExternalCalls(
        handler=handler,
        model=ScriptedChat(),
        reports=reports,
        context=ToolCallContext(room_id="desk"),
        tasks=tasks,
        ended=lambda _event: None,
    )
    assert calls.begin(BASH, {}, "round 1")
    await calls.end(but=())
    assert handler.heard == ["cancelled bash b1"]
    await tasks.close()


async def test_a_turn_cancelled_while_the_provider_runs_a_tool_cancels_the_call_and_reports_it() -> None:
    class Slow(ScriptedChat):
        async def run_tool(self, call: ChatCall) -> ServedCall:
            await anyio.sleep(60)
            return await super().run_tool(call)

    handler = Deciding()
    async with ExternalDesk(handler, Slow()) as desk:
        events = desk.channel.turn("Go on.", room_id="desk")
        (await desk.model.asked()).answer(BASH)
        await settle_down(1)
        await desk.channel.cancel_turn("desk")
        await read(events)
        await settle_down()
        assert handler.heard[1:] == ["cancelled bash b1"]
        assert [(report.outcome, report.delivered) for report in desk.reports] == [(OutcomeKind.CANCELLED, False)]


async def test_a_turn_cancelled_while_the_handler_hears_of_a_result_reports_what_the_provider_ran() -> None:
    class Slow(Deciding):
        async def on_tool_result(self, *_arguments: object, **_more: object) -> None:
            await anyio.sleep(60)

    async with ExternalDesk(Slow()) as desk:
        events = desk.channel.turn("Go on.", room_id="desk")
        (await desk.model.asked()).answer(RAN)
        await settle_down(1)
        await desk.channel.cancel_turn("desk")
        await read(events)
        await settle_down()
        (report,) = desk.reports
        assert (report.outcome, report.result, report.delivered) == (OutcomeKind.SERVED, '{"files": 3}', False)


async def test_a_decision_that_cancels_its_own_turn_runs_to_its_report() -> None:
    class Ending(Deciding):
        async def process_tool_call(
            self, tool_name: str, tool_input: dict[str, object], *, room_id: str | None = None, **kwargs: object
        ) -> ToolDecision:
            await desk.channel.cancel_turn("desk")
            return ToolDecision(approved=False, reason="Enough.")

    handler = Ending()
    async with ExternalDesk(handler) as desk:
        events = desk.channel.turn("Go on.", room_id="desk")
        (await desk.model.asked()).answer(BASH)
        assert (await read(events))[-1] == TextEnded("cancelled")
        await settle_down(1)
        assert handler.heard == []
        assert [(report.outcome, report.result) for report in desk.reports] == [(OutcomeKind.REFUSED, "Enough.")]


async def test_a_ghost_of_a_call_of_an_earlier_round_is_not_run() -> None:
    async with ExternalDesk(Deciding()) as desk:
        events = desk.channel.turn("Go on.", room_id="desk")
        (await desk.model.asked()).answer(BASH)
        (await desk.model.asked(results={"b1": "a b c"})).answer(ChatCall("b1", "bash", "{}"))
        await read(events)
        assert desk.model.ran == [BASH]
        assert len(desk.reports) == 1


async def test_what_cannot_be_answered_is_reported_as_not_delivered_and_what_cannot_be_read_as_it_came() -> None:
    async with ExternalDesk(Deciding()) as desk:
        calls = (ChatCall("", "bash", "{}"), ChatCall("b1", "bash", '{"comm'))
        await desk.round(*calls, results={"b1": re.compile("could not be read")})
        told = [(report.tool_call_id, report.delivered, report.raw_arguments) for report in desk.reports]
        assert told == [("", False, None), ("b1", True, '{"comm')]


async def test_a_handler_that_raises_when_it_hears_of_a_cancellation_does_not_hold_the_turn() -> None:
    class Broken(Deciding):
        async def on_tool_cancelled(self, tool_name: str, tool_input: dict[str, object], **_more: object) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - as users write it
            if tool_name == "bash":
                raise KeyError(tool_name)
            await anyio.sleep(600)

    async with ExternalDesk(Broken(wait_s=600)) as desk:
        events = desk.channel.turn("Go on.", room_id="desk")
        (await desk.model.asked()).answer(BASH, ChatCall("b2", "hang", "{}"))
        await settle_down(1)
        with anyio.fail_after(5):
            await desk.channel.cancel_turn("desk")
        assert (await read(events))[-1] == TextEnded("cancelled")
        await settle_down()
        assert [report.outcome for report in desk.reports] == [OutcomeKind.CANCELLED, OutcomeKind.CANCELLED]


async def test_steering_and_a_reader_that_goes_away_let_a_pending_decision_finish() -> None:
    handler = Deciding(wait_s=5)
    async with ExternalDesk(handler) as desk:
        desk.channel.turn("Go on.", room_id="desk")
        (await desk.model.asked()).call(BASH)
        await settle_down(1)
        desk.channel.steer("desk", "And quickly.")
        asked = await desk.model.asked(last="And quickly.")
        asked.answer("Done.")
        await settle_down()
        assert desk.outcomes == [OutcomeKind.SERVED]
        assert len(handler.heard) == 1


async def test_a_person_can_be_asked_inside_the_handler() -> None:
    people = HumanInputHandler()

    class Asking(ExternalToolHandler):
        async def process_tool_call(
            self, tool_name: str, tool_input: dict[str, object], *, room_id: str | None = None, **kwargs: object
        ) -> ToolDecision:
            request = await people.create(tool_name, tool_input, room_id=room_id or "", channel_id="text")
            assert request.actor_id == "ada"
            try:
                await people.wait(request.pending_id)
            except HumanInputRejectedError as rejected:
                return ToolDecision(approved=False, reason=f"Rejected: {rejected}")
            return ToolDecision(approved=True)

    async with ExternalDesk(Asking()) as desk:
        events = desk.channel.turn("Go on.", room_id="desk", actor_id="ada")
        (await desk.model.asked()).answer(BASH)
        await settle_down(100)
        (pending_id,) = people.pending
        people.reject(pending_id, "not on Fridays")
        (await desk.model.asked(results={"b1": re.compile("Rejected: not on Fridays")})).answer("Well.")
        await read(events)
    await people.close()


# --- PolicyExternalToolHandler ---------------------------------------------------------------------------------------


async def test_the_policy_decides_and_then_the_hooks() -> None:
    async with ExternalDesk(PolicyExternalToolHandler(ToolPolicy(deny=["rm*"]))) as desk:
        watched: list[str] = []

        @desk.kit.hook(HookTrigger.BEFORE_TOOL_USE, HookExecution.ASYNC)
        async def watch(event: ToolCallEvent, _ctx: HookContext) -> None:
            watched.append(event.tool_call_id)

        @desk.kit.hook(HookTrigger.BEFORE_TOOL_USE)
        async def gate(event: ToolCallEvent, _ctx: HookContext) -> HookResult | None:
            match event.tool_call_id:
                case "block":
                    return HookResult.block("Not today.")
                case "raise":
                    raise KeyError("broken")
                case "rewrite":
                    return HookResult.allow({"arguments": {}})
                case "in place":
                    event.arguments["command"] = "rm"
                case _:
                    pass
            return None

        ids = ("fine", "block", "raise", "rewrite", "in place")
        calls = [ChatCall(call_id, "bash", '{"command": "ls"}') for call_id in ids]
        not_run = '{"error": "The tool \'bash\' was not run."}'
        results: dict[str, object] = {"fine": "a b c", "block": '{"error": "Not today."}', "raise": not_run}
        results |= {"rewrite": not_run, "in place": not_run, "denied": re.compile("not allowed")}
        await desk.round(*calls, ChatCall("denied", "rm_all", "{}"), results=results)
        details = {report.tool_call_id: report.error_detail for report in desk.reports}
        assert "KeyError" in str(details["raise"])
        assert "rewrote" in str(details["rewrite"])
        assert "rewrote" in str(details["in place"])
        assert details["block"] is details["denied"] is details["fine"] is None
        assert sorted(watched) == sorted(ids)


async def test_without_a_channel_only_the_policy_decides() -> None:
    handler = PolicyExternalToolHandler(ToolPolicy(allow=["bash"]))
    assert (await handler.process_tool_call("bash", {}, tool_call_id="b1")).approved
    assert not (await handler.process_tool_call("rm", {}, tool_call_id="b1")).approved
    await handler.on_tool_result("bash", {}, "x", tool_call_id="b1")


async def test_a_handler_serves_one_channel() -> None:
    handler = Deciding()
    AIChannel("a", provider=ScriptedChat(), external_tool_handler=handler)
    with pytest.raises(ValueError, match="one channel"):
        AIChannel("b", provider=ScriptedChat(), external_tool_handler=handler)


async def test_what_is_told_of_a_call_twice_is_reported_once() -> None:
    class Twice(Deciding):
        async def on_tool_result(
            self, tool_name: str, tool_input: dict[str, object], result: object, **more: object
        ) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - as users write it
            for _ in range(2):
                await super().on_tool_result(tool_name, tool_input, result, tool_call_id="b1", room_id="desk")

    async with ExternalDesk(Twice()) as desk:
        await desk.round(BASH, results={"b1": "a b c"})
        await desk.round(BASH, results={"b1": "a b c"})
        assert len(desk.reports) == 2


async def test_calls_that_a_handler_tells_of_by_itself_are_not_remembered_for_ever() -> None:
    kit = VoiceKit()
    reports = kept(kit, ToolCallEvent, HookTrigger.ON_TOOL_CALL)
    watching = Tasks("hooks")
    reporting = ExternalReporting("text", lambda: kit.hooks, lambda room: HookContext(kit, None, None, room), watching)
    for number in range(REMEMBERED + 1):
        reporting.begin("desk", f"b{number}", ToolCallContext(session_id="turn"))
    for number in (0, 1):
        reporting.report(ExternalCall("bash", {}, f"b{number}", "desk"), Outcome(OutcomeKind.SERVED, "a"))
    await watching.close(patience_s=1)
    assert [report.session_id for report in reports] == ["", "turn"]
