"""A whole voice channel under everything at once, in virtual time: nothing is lost, said twice or left.

After each step: a request has ended once at most, and has when its session is over; a call's outcome was sent once at
most, and its end reported once; each end of a request was told once. After the close: no task, no request, no leg.
"""

import asyncio  # noqa: TID251 - the machine drives an event loop of its own, step by step
import json
import logging
import re
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal, TypeVar, cast, get_args

import anyio
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from tests.channels.desk import Desk
from tests.channels.kept import LOOK_UP, settle_down
from tests.human_input.told import ScriptedAsker
from voice_hitl.asker import GaveUp
from voice_hitl.askers.card import CardAsker
from voice_hitl.channels.session import VoiceSession
from voice_hitl.enums import HookExecution, HookTrigger, OutcomeKind, RequestEnd
from voice_hitl.errors import ProviderError, ToolRefusedError
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext, HookResult
from voice_hitl.provider import (
    AudioOut,
    GoingAway,
    ProviderCapabilities,
    ResponseEnded,
    ResponseStarted,
    Resumed,
    SpeechStarted,
    SpeechStopped,
    ToolCalled,
    ToolCallStarted,
    ToolCancelled,
    Transcript,
)
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.pending import PendingInput, PendingInputEvent
from voice_hitl.testing import (
    Command,
    Injected,
    LoopbackCaller,
    LoopbackLeg,
    ScriptedConnection,
    ScriptedProvider,
    SentToolResult,
    VirtualTimeLoop,
)
from voice_hitl.tools.definition import AITool
from voice_hitl.transport import CallRejected, LegCapabilities

T = TypeVar("T")

TOOLS: Final = (
    LOOK_UP,
    AITool("slow"),
    AITool("boom"),
    AITool("refuse"),
    AITool("deaf"),
    AITool("hang_up"),
    AITool("close"),
    AITool("end_call", runs_when_interrupted=True),
    AITool(
        "book",
        "Book.",
        {"type": "object", "properties": {"seats": {"type": "integer"}}},
        requires_approval=True,
        approvers=("caller",),
    ),
)
GOOD: Final = {"ConfirmAction": '{"action": "Book."}', "book": '{"seats": 4}'}
BAD: Final = ('{"act', "[1]", '{"seats": "many", "q": 7, "action": 3}')
HOST: Final = ("look_up", "slow", "boom", "refuse", "deaf", "end_call")
LATE: Final = {RequestEnd.TIMED_OUT, RequestEnd.UNANSWERED, RequestEnd.WITHDRAWN}
MOST_S: Final = 12.0
"""How long the end of a session may take: its hooks, its handlers and its leg each have a bound of theirs."""


@dataclass(eq=False)
class Live:
    """One call that is up, or was."""

    session: VoiceSession
    caller: LoopbackCaller
    leg: LoopbackLeg
    response: str = ""
    issued: list[ToolCalled] = field(default_factory=list[ToolCalled])
    ended_at: float | None = None

    @property
    def model(self) -> ScriptedConnection | None:
        """The connection that stands now."""
        return cast("ScriptedConnection | None", self.session.link.connection)

    @property
    def is_up(self) -> bool:
        return self.session.end_reason is None


class Errors(logging.Handler):
    """What the library logged as an error: whatever users' code does, there must be none."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.records: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(logging.Formatter().format(record))


@dataclass
class Modes:
    """What the application's hooks do now."""

    before: str = "nothing"
    required: str = "nothing"
    judge: str = "nothing"
    watch: str = "nothing"


class ChannelMachine(RuleBasedStateMachine):
    """Draws what may happen now, one thing or several in one tick, and lets time pass."""

    reached: ClassVar[Counter[str]] = Counter()

    @initialize(
        resumes=st.sampled_from(["none", "none", "replay", "native"]),
        owes_output_within_s=st.sampled_from([None, None, 8.0]),
        reconfigures=st.sampled_from(["in_place", "reconnects"]),
        replies=st.booleans(),
        rejoin_s=st.sampled_from([15.0, 15.0, 0.0]),
        gives_up=st.booleans(),
    )
    def make(
        self,
        resumes: Literal["native", "replay", "none"],
        owes_output_within_s: float | None,
        reconfigures: Literal["in_place", "reconnects"],
        rejoin_s: float,
        *,
        replies: bool,
        gives_up: bool,
    ) -> None:
        self.loop = VirtualTimeLoop()
        self.errors = Errors()
        logging.getLogger().addHandler(self.errors)
        self.modes = Modes()
        self.lives: list[Live] = []
        self.known: dict[str, PendingInput] = {}
        self.ended_as: dict[str, tuple[object, ...]] = {}
        self.ran: Counter[str] = Counter()
        self.sent: Counter[str] = Counter()
        self.told: Counter[str] = Counter()
        self.taken: Counter[str] = Counter()
        self.reports_due: Counter[str] = Counter()
        self.reports_most: Counter[str] = Counter()
        self.unsteady: set[str] = set()
        self.jobs: list[asyncio.Task[object]] = []
        self.ids = self.steps = 0
        self.closing = False
        self.is_raced = False
        capabilities = ProviderCapabilities(
            resumes=resumes,
            reconfigures=reconfigures,
            owes_output_within_s=owes_output_within_s,
            replies_to_results=replies,
        )
        ignored = [kind for kind in get_args(Command) if kind not in (SentToolResult, Injected)]

        async def desk() -> Desk:
            return Desk(
                tools=TOOLS,
                handler=self.serve,
                provider=ScriptedProvider(capabilities=capabilities, ignore=ignored),
                leg=LegCapabilities(messages=True, rejoin_s=rejoin_s),
                timeout=20,
                askers=[CardAsker(), ScriptedAsker(tries_s=6, gave_up=GaveUp(2))]
                if not gives_up
                else [ScriptedAsker(tries_s=6, gave_up=GaveUp(2))],
            )

        self.desk = self.run(desk())
        self.add_hooks()
        self.before = asyncio.all_tasks(self.loop)

    # --- the application ---------------------------------------------------------------------------------------------

    async def serve(self, name: str, arguments: Mapping[str, object]) -> object:
        """The host's tools."""
        match name:
            case "slow":
                await anyio.sleep(3)
            case "boom":
                raise KeyError("secret")
            case "refuse":
                raise ToolRefusedError("No.")
            case "deaf":
                with anyio.CancelScope(shield=True):
                    until = self.loop.time() + 4
                    while self.loop.time() < until:
                        try:
                            await anyio.sleep(until - self.loop.time())
                        except anyio.get_cancelled_exc_class():
                            continue
            case "hang_up":
                self.reached["a session ended from inside its call"] += 1
                for live in self.up:
                    await self.desk.channel.end_session(live.session)
            case "close":
                self.reached["the channel closed from inside a call"] += 1
                self.closing = True
                await self.desk.channel.close()
            case _:
                return dict(arguments)
        return name

    def add_hooks(self) -> None:
        kit, modes = self.desk.kit, self.modes

        @kit.hook(HookTrigger.BEFORE_TOOL_USE, timeout=2)
        async def before(_event: ToolCallEvent, _ctx: HookContext) -> HookResult | None:
            return await act(modes.before)

        @kit.hook(HookTrigger.ON_USER_INPUT_REQUIRED, timeout=2)
        async def required(_event: PendingInputEvent, _ctx: HookContext) -> HookResult | None:
            return await act(modes.required)

        @kit.hook(HookTrigger.ON_TOOL_CALL, timeout=2)
        async def judge(_event: ToolCallEvent, _ctx: HookContext) -> HookResult | None:
            return await act(modes.judge)

        @kit.hook(HookTrigger.ON_TOOL_CALL, HookExecution.ASYNC, timeout=2)
        async def watch(_event: ToolCallEvent, _ctx: HookContext) -> HookResult | None:
            return await act(modes.watch)

        @kit.hook(HookTrigger.ON_USER_INPUT_SETTLED, HookExecution.ASYNC, timeout=2)
        async def settled(_event: PendingInputEvent, _ctx: HookContext) -> HookResult | None:
            return await act(modes.watch)

    # --- what may happen ---------------------------------------------------------------------------------------------

    def run(self, work: Coroutine[object, object, T]) -> T:
        return self.loop.run_until_complete(work)

    @property
    def up(self) -> list[Live]:
        return [live for live in self.lives if live.is_up]

    @property
    def open(self) -> list[PendingInput]:
        return [pending for pending in self.known.values() if pending.end is None]

    @rule(
        data=st.data(),
        many=st.sampled_from([1, 1, 1, 2, 3]),
        wait=st.sampled_from([0.0, 0.0, 0.0, 0.3, 1.5, 5.0, 13.0, 25.0]),
    )
    def step(self, data: st.DataObject, many: int, wait: float) -> None:
        """One thing happens, or several in one tick; then time passes."""

        async def at_once() -> None:
            self.steps += 1
            self.is_raced = many > 1
            for _ in range(many):
                what = data.draw(st.sampled_from(self.possible()))
                what(data)
            await settle_down()
            self.look()
            await settle_down(wait)

        self.run(at_once())

    def possible(self) -> list[Callable[[st.DataObject], None]]:
        """What may happen now, the likelier the more often."""
        events: list[Callable[[st.DataObject], None]] = [self.hooks_change] * 2
        if len(self.up) < 2 and not self.closing:
            events += [self.somebody_calls] * (6 if not self.up else 1)
        if self.up:
            events += [self.the_model_asks] * 6 + [self.the_model_calls] * 4 + [self.the_model_says_a_call] * 2
            events += [self.an_odd_call, self.an_odd_call, self.the_caller_speaks, self.the_model_fails]
            events += [self.the_connection_fails, self.the_session_changes, self.the_leg_is_lost]
            events += [self.the_session_ends, self.the_model_is_lost] * (self.steps > 8)
        if any(live.issued for live in self.up):
            events += [self.calls_are_given_up] * 2 + [self.a_call_comes_again] * 2
        if any(live.session.leg_is_lost for live in self.lives):
            events += [self.the_caller_is_back] * 4
        if self.open:
            events += [self.somebody_answers] * 8 + [self.the_card_is_answered] * 3
        elif self.known:
            events += [self.somebody_answers, self.the_card_is_answered]
        if self.steps > 24:
            events += [self.the_channel_closes] + [self.a_call_closes_the_channel] * 2 * bool(self.up)
        if self.closing:
            events += [self.somebody_calls]
        return events

    # --- calls -------------------------------------------------------------------------------------------------------

    def somebody_calls(self, data: st.DataObject) -> None:
        participant = data.draw(st.sampled_from(["ada", "bob", "cy"]))
        caller = self.desk.transport.caller(participant_id=participant, room_id="desk", ignore=_MESSAGES)

        async def dial() -> None:
            before = set(self.desk.channel.sessions)
            try:
                await caller.dial()
            except CallRejected:
                self.reached["a call was rejected"] += 1
                return
            for session in self.desk.channel.sessions:
                if session not in before and all(session is not live.session for live in self.lives):
                    self.lives.append(Live(session, caller, caller.leg))
                    self.reached["a call was answered"] += 1

        self.begin(dial())

    def the_model_asks(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(["ConfirmAction", "ConfirmAction", "book"]))
        self.issue(self.live(data), self.mint(), name, GOOD[name])

    def the_model_calls(self, data: st.DataObject) -> None:
        name = data.draw(
            st.sampled_from([*HOST, "ConfirmAction", "ConfirmAction", "ConfirmAction", "book", "book", "hang_up"])
        )
        arguments = data.draw(st.sampled_from([GOOD.get(name, "{}")] * 5 + [BAD[0], BAD[2]]))
        self.issue(self.live(data), self.mint(), name, arguments)

    def a_call_closes_the_channel(self, data: st.DataObject) -> None:
        self.issue(self.live(data), self.mint(), "close", "{}")

    def an_odd_call(self, data: st.DataObject) -> None:
        live = self.live(data)
        match data.draw(st.sampled_from(["cancelled first", "no id", "undeclared", "unreadable", "begun"])):
            case "cancelled first":
                call_id = self.mint()
                if live.model is not None:
                    live.model.emit(ToolCancelled((call_id,)))
                    self.issue(live, call_id, "ConfirmAction", GOOD["ConfirmAction"])
                    self.reached["cancelled before it came"] += 1
            case "no id":
                self.issue(live, "", "look_up", "{}")
            case "undeclared":
                self.issue(live, self.mint(), "format_disk", "{}")
            case "unreadable":
                self.issue(live, self.mint(), "ConfirmAction", BAD[1])
            case _:
                if live.model is not None:
                    live.model.emit(ToolCallStarted(self.mint(), "ConfirmAction"))

    def a_call_comes_again(self, data: st.DataObject) -> None:
        live = pick(data, [live for live in self.up if live.issued])
        call = pick(data, live.issued)
        if live.model is None or not call.call_id:
            return
        match data.draw(st.sampled_from(["replay", "ghost", "reused"])):
            case "replay":
                live.model.emit(call)
                self.reached["a replay"] += 1
            case "ghost":
                live.model.emit(ToolCalled(call.call_id, call.name, "{}", self.mint()))
            case _:
                live.model.emit(ToolCalled(call.call_id, "look_up", '{"q": "again"}', self.mint()))
        # After a reconnection, or once it is forgotten, the id may name a new call.
        self.reports_most[call.call_id] += 1

    def the_model_says_a_call(self, data: st.DataObject) -> None:
        live = self.live(data)
        text = data.draw(st.sampled_from(_SAID))
        if live.model is not None:
            self.respond(live)
            live.model.emit(AudioOut(bytes(4800), self.mint(), 0, live.response))
            live.model.emit(Transcript("assistant", text, final=data.draw(st.booleans()), item_id=self.mint()))
            self.reached["a call was said"] += 1
            if data.draw(st.integers(0, 3)) == 0:  # and issued, too
                twin = ToolCalled(self.mint(), "slow", "{}", live.response)
                live.model.emit(Transcript("assistant", "slow()", final=True, item_id=self.mint()), twin)
                self.reports_most[twin.call_id] += 1
                self.reached["a call was said and issued"] += 1

    def calls_are_given_up(self, data: st.DataObject) -> None:
        live = pick(data, [live for live in self.up if live.issued])
        recent = [call.call_id for call in live.issued[-4:]]
        if live.model is not None:
            live.model.emit(ToolCancelled(tuple(data.draw(st.lists(st.sampled_from(recent), max_size=2)))))
            self.reached["the provider gave calls up"] += 1

    def respond(self, live: Live) -> None:
        """Go on with a response, or begin one."""
        if live.model is not None and not live.response:
            live.response = self.mint()
            live.model.emit(ResponseStarted(live.response))

    def issue(self, live: Live, call_id: str, name: str, arguments: str) -> None:
        if live.model is None:
            return
        self.respond(live)
        call = ToolCalled(call_id, name, arguments, live.response)
        live.model.emit(call)
        live.issued.append(call)
        self.reports_most[call_id] += 1
        if not self.is_raced and call_id:
            self.reports_due[call_id] += 1

    # --- the caller --------------------------------------------------------------------------------------------------

    def the_caller_speaks(self, data: st.DataObject) -> None:
        live = self.live(data)
        if live.model is None:
            return
        match data.draw(st.sampled_from(["begins", "ends", "response ends", "response ends"])):
            case "begins":
                live.model.emit(SpeechStarted())
                self.reached["the caller barged in"] += bool(live.response)
            case "ends":
                live.model.emit(SpeechStopped())
            case _:
                if live.response:
                    live.model.emit(ResponseEnded(live.response))
                live.response = ""

    def the_leg_is_lost(self, data: st.DataObject) -> None:
        live = self.live(data)
        if live.caller.in_call and not live.caller.leg.lost:
            live.caller.vanish()
            self.reached["a leg was lost"] += 1

    def the_caller_is_back(self, data: st.DataObject) -> None:
        live = pick(data, [live for live in self.lives if live.session.leg_is_lost])

        async def rejoin() -> None:
            if not live.caller.leg.lost:
                return
            try:
                await live.caller.rejoin()
            except CallRejected:
                return
            for session in self.desk.channel.sessions:
                if all(session is not each.session for each in self.lives):
                    self.lives.append(Live(session, live.caller, live.caller.leg))
            if not live.session.leg_is_lost and live.is_up:
                live.leg = live.caller.leg
                self.reached["a caller came back"] += 1

        self.begin(rejoin())

    # --- people ------------------------------------------------------------------------------------------------------

    def somebody_answers(self, data: st.DataObject) -> None:
        pending = self.drawn(data)
        handler, pending_id = self.desk.human.handler, pending.pending_id
        was = pending.end
        match data.draw(
            st.sampled_from(
                [
                    "yes",
                    "yes",
                    "yes",
                    "no",
                    "nonsense",
                    "decline",
                    "stranger",
                    "stranger",
                    "resolve",
                    "reject",
                    "release",
                ]
            )
        ):
            case "yes":
                self.answer(pending, yes(pending, by=self.caller_of(pending)))
            case "no":
                self.answer(pending, no(pending, by=self.caller_of(pending)))
            case "nonsense":
                self.answer(pending, Answer(value={"x": 1}, by="ada"))
            case "decline":
                self.answer(pending, Answer(decline=True, by="ada"))
            case "stranger":
                self.answer(pending, yes(pending, by="mallory"))
            case "resolve":
                settled = handler.resolve(pending_id, "yes")
                assert settled is (was is None and pending.end is RequestEnd.ANSWERED)
            case "reject":
                assert handler.reject(pending_id, "not now") is (was is None)
            case _:
                assert handler.release(pending_id) >= (was is None)
                self.reached["a request was released"] += was is None

    def answer(self, pending: PendingInput, answer: Answer) -> None:
        async def give() -> None:
            was = pending.end
            settlement = await self.desk.human.handler.answer(pending.pending_id, answer)
            self.reached[f"an answer is {settlement.kind}"] += 1
            if was is not None:
                assert settlement.kind in {"late" if was in LATE else "duplicate", "unknown"}, (was, settlement)
            elif settlement.kind == "accepted":
                assert pending.end in {RequestEnd.ANSWERED, RequestEnd.REFUSED}

        self.begin(give())

    def the_card_is_answered(self, data: st.DataObject) -> None:
        pending = self.drawn(data)
        live = next((live for live in self.up if live.session.id == pending.session_id), None)
        if live is not None and live.caller.in_call:
            wire = (
                {"action": "answer", "value": True} if pending.tool_name == "ConfirmAction" else {"action": "approve"}
            )
            message = {
                "v": 1,
                "type": "request.answer",
                "id": self.mint(),
                "pending_id": pending.pending_id,
                "answer": wire,
            }
            live.caller.send(message)
            self.reached["a card was answered"] += 1

    # --- the model's service -----------------------------------------------------------------------------------------

    def the_model_fails(self, data: st.DataObject) -> None:
        live = self.live(data)
        if live.model is None:
            return
        match data.draw(st.sampled_from(["hiccup", "hiccup", "refuses", "hangs", "mends", "mends"])):
            case "hiccup":
                live.model.fail(fatal=False, code="hiccup")
            case "refuses":
                live.model.raise_on(data.draw(st.sampled_from(_FAIL)), ProviderError("busy"))
                self.unsteady.add(live.model.label)
            case "hangs":
                live.model.hang(data.draw(st.sampled_from(_FAIL)))
                self.unsteady.add(live.model.label)
            case _:
                for kind in _FAIL:
                    live.model.mend(kind)

    def the_model_is_lost(self, data: st.DataObject) -> None:
        live = self.live(data)
        if live.model is not None:
            live.model.fail(fatal=True, code="quota")
            self.reached["the model failed for good"] += 1

    def the_connection_fails(self, data: st.DataObject) -> None:
        live = self.live(data)
        if live.model is None:
            return
        live.response = ""
        match data.draw(st.sampled_from(["drops", "drops", "drops and is refused", "goes away", "resumes"])):
            case "goes away":
                live.model.emit(GoingAway(data.draw(st.sampled_from([2.0, 20.0]))))
            case "drops and is refused":
                self.desk.provider.refuse(times=data.draw(st.sampled_from([1, 4])))
                live.model.drop()
            case "resumes":
                live.model.emit(Resumed(tuple(call.call_id for call in live.issued[-2:])))
            case _:
                live.model.drop()
        self.unsteady.add("a connection")
        self.reached["a connection was lost"] += 1

    # --- sessions ----------------------------------------------------------------------------------------------------

    def the_session_changes(self, data: st.DataObject) -> None:
        live = self.live(data)

        async def reconfigure() -> None:
            try:
                await self.desk.channel.reconfigure_session(live.session, system_prompt="Be brief.", tools=TOOLS)
            except ProviderError:
                return
            except Exception as error:
                if type(error).__name__ != "ConnectionEnded":
                    raise

        self.begin(reconfigure())

    def the_session_ends(self, data: st.DataObject) -> None:
        live = self.live(data)
        how = data.draw(st.sampled_from(["hangs up", "hangs up", "end_session", "end_session twice"]))
        self.reached[f"a session ended: {how}"] += 1
        if how == "hangs up":
            live.caller.hang_up()
            return
        for _ in range(1 + (how == "end_session twice")):
            self.begin(self.desk.channel.end_session(live.session))

    def the_channel_closes(self, data: st.DataObject) -> None:
        self.closing = True
        for _ in range(data.draw(st.sampled_from([1, 2]))):
            self.begin(self.desk.channel.close())
        self.reached["the channel closed"] += 1

    def hooks_change(self, data: st.DataObject) -> None:
        which = data.draw(st.sampled_from(["before", "required", "required", "required", "judge", "judge", "watch"]))
        setattr(
            self.modes, which, data.draw(st.sampled_from(["nothing"] * 4 + ["slow", "block", "block", "raise", "hang"]))
        )

    # --- drawing -----------------------------------------------------------------------------------------------------

    def caller_of(self, pending: PendingInput) -> str:
        return next(live.session.participant_id for live in self.lives if live.session.id == pending.session_id)

    def live(self, data: st.DataObject) -> Live:
        return pick(data, self.up)

    def drawn(self, data: st.DataObject) -> PendingInput:
        """Mostly one that is open; sometimes one that is not."""
        return pick(data, self.open * 4 + list(self.known.values())[-6:])

    def mint(self) -> str:
        self.ids += 1
        return f"x{self.ids}"

    def begin(self, work: Coroutine[object, object, object]) -> None:
        self.jobs.append(self.loop.create_task(work))

    # --- what always holds -------------------------------------------------------------------------------------------

    def look(self) -> None:
        """Take down what there is now."""
        handler = self.desk.human.handler
        for session_id in dict.fromkeys(pending.session_id for pending in handler.pending.values()):
            for pending in handler.open_in(session_id):
                self.known.setdefault(pending.pending_id, pending)

    async def read_commands(self) -> None:
        for connection in self.desk.provider.connections:
            there = connection.counts[SentToolResult] + connection.counts[Injected]
            while self.taken[connection.label] < there:
                self.taken[connection.label] += 1
                command = await connection.take(within_s=1)
                match command:
                    case SentToolResult(call_id=call_id, text=text) if "runs once, as you said it" not in text:
                        self.sent[call_id] += 1
                        self.reached["an interim output"] += "follows as a message" in text
                        self.told[call_id] -= "follows as a message" in text
                    case Injected(text=text) if told := _LATER.match(text):
                        self.told[told["id"]] += 1
                    case _:
                        pass

    @invariant()
    def agree(self) -> None:
        if not hasattr(self, "desk"):
            return
        self.look()
        self.run(self.read_commands())
        assert not self.errors.records, self.errors.records[0]
        self.jobs_went_well()
        self.ends_stay()
        for live in self.lives:
            self.agree_on(live)
        settled = Counter(event.pending_id for event in self.desk.settled)
        assert max(settled.values(), default=0) <= 1, settled
        reports = Counter(report.tool_call_id for report in self.desk.reports)
        for call_id, times in reports.items():
            if not call_id.startswith("said_"):
                assert times <= self.reports_most[call_id], (call_id, times)
        if not self.unsteady:
            for call_id, times in self.sent.items():
                assert times + self.told[call_id] <= self.reports_most[call_id], call_id

    def jobs_went_well(self) -> None:
        for job in self.jobs:
            if job.done() and not job.cancelled() and (error := job.exception()) is not None:
                raise error

    def ends_stay(self) -> None:
        for pending in self.known.values():
            if pending.end is not None:
                ended = (pending.status, pending.end, pending.result, pending.reject_reason, pending.answered_by)
                assert self.ended_as.setdefault(pending.pending_id, ended) == ended

    def agree_on(self, live: Live) -> None:
        session = live.session
        if session.end_reason is None:
            return
        live.ended_at = self.loop.time() if live.ended_at is None else live.ended_at
        assert session.open_requests == []
        if self.loop.time() - live.ended_at > MOST_S:
            assert session.closed.is_set, (
                f"it does not end: {[task.get_name() for task in asyncio.all_tasks(self.loop)]}"
            )
        if session.closed.is_set:
            assert session not in self.desk.channel.sessions
            assert live.leg.over

    def teardown(self) -> None:
        if not hasattr(self, "loop"):
            return
        try:
            self.agree()
            self.closing = True
            self.run(self.close_everything())
            self.agree()
            self.agree_in_the_end()
            left = asyncio.all_tasks(self.loop) - self.before
            assert left == set(), [task.get_name() for task in left]
        finally:
            logging.getLogger().removeHandler(self.errors)
            self.loop.close()

    async def close_everything(self) -> None:
        with anyio.fail_after(3 * MOST_S):
            await self.desk.kit.close()
        assert self.desk.channel.sessions == ()
        assert self.desk.human.handler.pending == {}
        self.desk.transport.done()
        await settle_down(2 * MOST_S)  # what swallowed its cancellation was abandoned, and ends by itself

    def agree_in_the_end(self) -> None:
        assert all(job.done() for job in self.jobs)
        for live in self.lives:
            assert live.session.closed.is_set
            assert len(live.session.tasks) == len(live.session.watching) == 0
        settled = Counter(event.pending_id for event in self.desk.settled)
        assert all(settled[pending_id] == 1 for pending_id in self.known)
        reports = Counter(report.tool_call_id for report in self.desk.reports)
        for call_id, due in self.reports_due.items():
            assert reports[call_id] >= due, f"call {call_id} was reported {reports[call_id]} times: {self.desk.reports}"
        asked = {pending.tool_call_id for pending in self.known.values()}
        assert all(reports[call_id] for call_id in asked)
        for report in self.desk.reports:
            self.reached[f"a call was {report.outcome}"] += 1
            self.reached[f"delivered as {report.delivered_as}"] += report.delivered
            assert not (report.cancelled and report.delivered)
            if report.delivered and report.tool_call_id and not report.tool_call_id.startswith("said_"):
                assert self.sent[report.tool_call_id] + self.told[report.tool_call_id] > 0
        for event in self.desk.settled:
            self.reached[f"a request was {event.end}"] += 1
        for live in self.lives:
            self.reached[f"a session ended: {live.session.end_reason}"] += 1


def yes(pending: PendingInput, *, by: str) -> Answer:
    return Answer(decision="approve", by=by) if pending.tool_name == "book" else Answer(value=True, by=by)


def no(pending: PendingInput, *, by: str) -> Answer:
    reject = Answer(decision="reject", reason="no", by=by)
    return reject if pending.tool_name == "book" else Answer(value=False, by=by)


def pick(data: st.DataObject, items: Sequence[T]) -> T:
    return items[data.draw(st.integers(0, len(items) - 1))]


async def act(mode: str) -> HookResult | None:
    match mode:
        case "slow":
            await anyio.sleep(0.7)
        case "hang":
            await anyio.sleep_forever()
        case "raise":
            raise KeyError("broken")
        case "block":
            return HookResult.block("Not now.")
        case _:
            pass
    return None


_LATER: Final = re.compile(r"The result of your earlier call of the tool \S+ \((?P<id>\S+)\)")
_SAID: Final = ("call:look_up{q:menu}", 'ConfirmAction(action="Book it.")', 'book({"seats": 5})', 'slow({"x": 1})')
_FAIL: Final = (SentToolResult, Injected)
_MESSAGES: Final = (
    "call.state",
    "transcript",
    "heard",
    "request.opened",
    "request.changed",
    "request.settled",
    "ok",
    "refused",
    "tool.call",
)

EVERYTHING: Final = {
    *(f"a call was {kind}" for kind in OutcomeKind if kind is not OutcomeKind.UNSERVED),
    *(f"a request was {end}" for end in RequestEnd),
    *(f"an answer is {kind}" for kind in ("accepted", "duplicate", "late", "not_allowed", "invalid")),
    *("delivered as output", "delivered as text", "an interim output", "a replay", "cancelled before it came"),
    *("a call was said", "a card was answered", "a request was released", "the provider gave calls up"),
    *("a leg was lost", "a caller came back", "a connection was lost", "the model failed for good"),
    *("the caller barged in", "a call was answered", "a call was rejected"),
    *(f"a session ended: {how}" for how in ("hangs up", "end_session", "end_session twice", "us", "caller", "lost")),
    *("a session ended from inside its call", "the channel closed from inside a call", "the channel closed"),
}
"""What the run has to reach, or it shows nothing."""


def test_whatever_happens_nothing_is_lost_said_twice_or_left() -> None:
    reached = ChannelMachine.reached
    reached.clear()
    run_state_machine_as_test(
        ChannelMachine,
        settings=settings(max_examples=100, stateful_step_count=32, deadline=None, derandomize=True),
    )
    print(json.dumps(dict(sorted(reached.items())), indent=1))  # noqa: T201 - the report of the run (pytest -s)
    assert {state for state, times in reached.items() if times} >= EVERYTHING, {
        state for state in EVERYTHING if not reached[state]
    }
