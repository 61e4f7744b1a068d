"""The one executor: what becomes of a call, whatever serves it and whatever it is served through."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import anyio
import anyio.lowlevel
import pytest

from voice_hitl.calls.book import Book
from voice_hitl.calls.call import ToolCall
from voice_hitl.doors.gate import Catalogue, Gate
from voice_hitl.doors.pipeline import Pipeline
from voice_hitl.doors.serving import RESULT_CHARS, Bounds, Origin, Servers
from voice_hitl.enums import ChannelType, DoorName, HookExecution, HookTrigger, OutcomeKind, RequestEnd
from voice_hitl.errors import ConnectionEnded, ProviderError, ToolFailedError, ToolRefusedError, UnservedToolCallError
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext, HookResult
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.pending import PendingInput
from voice_hitl.requests.settlement import Settlement, SettlementKind
from voice_hitl.tasks import Latch, Tasks
from voice_hitl.tools.asking import confirm_action
from voice_hitl.tools.context import Actor, current_tool_actor_id, current_tool_call
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler
from voice_hitl.tools.policy import ToolPolicy

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

LOOK_UP = AITool("look_up", "Look something up.", {"type": "object", "properties": {"q": {"type": "string"}}})
SEATS = {"type": "object", "properties": {"seats": {"type": "integer"}}, "required": ["seats"]}
BOOK = AITool("book", "Book.", SEATS, requires_approval=True, approvers=("ada",), allow_edits=True)
CONFIRM = {"action": "Book it."}


@dataclass
class ADoor:
    """A door that keeps what goes through it."""

    name: DoorName = DoorName.PROVIDER_CALL
    sent: list[tuple[str, str, bool]] = field(default_factory=list[tuple[str, str, bool]])
    error: Exception | None = None
    gate: Latch | None = None

    async def deliver(self, call: ToolCall, text: str, *, failed: bool) -> str:
        self.sent.append((call.call_id, text, failed))
        if self.gate is not None:
            await self.gate.wait()
        if self.error is not None:
            raise self.error
        return "output"


@dataclass
class Watched:
    """What the session was told, in order."""

    told: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def asking(self, call: ToolCall, request: PendingInput) -> None:
        assert request.tool_call_id == call.call_id
        self.told.append(("asking", call.call_id))

    def answered(self, call: ToolCall) -> None:
        self.told.append(("answered", call.call_id))

    def delivered(self, call: ToolCall) -> None:
        self.told.append(("delivered", call.call_id))

    def reported(self, call: ToolCall) -> None:
        self.told.append(("reported", call.call_id))


class Bench:
    """One pipeline with everything a test needs to look at."""

    def __init__(
        self,
        handler: ToolHandler | None = None,
        *,
        tools: Sequence[AITool] = (LOOK_UP, BOOK),
        bounds: Bounds | None = None,
        policy: ToolPolicy | None = None,
        max_chars: int | None = None,
        persons: bool = True,
    ) -> None:
        self.door = ADoor()
        self.book = Book()
        self.watched = Watched()
        self.kit = VoiceKit()
        self.tasks = Tasks("calls")
        self.watching = Tasks("hooks")
        self.reports: list[ToolCallEvent] = []
        self.human = HumanInputToolHandler({"ConfirmAction"}, timeout=60, tool_definitions=[confirm_action()])
        human = self.human if persons else None
        definitions = (*tools, *self.human.tool_definitions) if persons else tuple(tools)

        @self.kit.hook(HookTrigger.ON_TOOL_CALL, HookExecution.ASYNC)
        async def report(event: ToolCallEvent, _ctx: HookContext) -> None:
            self.reports.append(event)

        self.pipeline = Pipeline(
            book=self.book,
            door=self.door,
            gate=Gate(Catalogue(definitions), policy),
            origin=Origin(
                channel_id="voice",
                channel_type=ChannelType.REALTIME_VOICE,
                room_id="desk",
                session_id="s1",
                actor=lambda: Actor("ada"),
            ),
            servers=Servers(human=human, host=lambda: handler, bounds=bounds or Bounds(), max_chars=max_chars),
            hooks=lambda: self.kit.hooks,
            hook_context=HookContext(self.kit, None, None, "desk"),
            tasks=self.tasks,
            watching=self.watching,
            watcher=self.watched,
        )

    async def settle(self, for_s: float = 0.0) -> None:
        """Let everything run that is due within so many seconds."""
        await anyio.sleep(for_s)
        for _ in range(30):
            await anyio.lowlevel.checkpoint()

    async def run(
        self, raw: str | Mapping[str, object] | None = "{}", name: str = "look_up", *, for_s: float = 30
    ) -> ToolCallEvent:
        """One call, run to its report."""
        before = len(self.reports)
        self.pipeline.arrive(f"c{before}", name, raw, f"r{before}")
        await self.settle(for_s)
        assert len(self.reports) == before + 1
        return self.reports[-1]

    @property
    def request(self) -> PendingInput:
        """The one request that is open."""
        (request,) = self.human.handler.open_in("s1")
        return request

    async def answer(self, answer: Answer) -> Settlement:
        return await self.human.handler.answer(self.request.pending_id, answer)

    @property
    def sent_error(self) -> str:
        """The words of the error that was sent."""
        (_, text, failed) = self.door.sent[-1]
        assert failed
        return str(json.loads(text)["error"])


async def echo(name: str, arguments: Mapping[str, object]) -> object:
    return {"name": name, **arguments}


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


async def test_an_answer_in_the_tick_of_the_bound_counts_as_its_giver_was_told() -> None:
    bench = Bench(bounds=Bounds(named={"ConfirmAction": 5}))
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


# --- approvals -------------------------------------------------------------------------------------------------------


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


async def test_a_rejection_runs_nothing_and_says_so() -> None:
    bench = Approved()
    await bench.asked()
    await bench.answer(Answer(by="ada", decision="reject", reason="full"))
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


# --- after -----------------------------------------------------------------------------------------------------------


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
