"""A whole voice channel under everything at once, in virtual time: nothing is lost, said twice or left."""

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import ClassVar, Final, Literal, get_args

from hypothesis.stateful import initialize

from tests.channels.desk import Desk
from tests.channels.machine.account import Account, Live
from tests.channels.machine.application import Application, tools
from tests.channels.machine.drawing import SEEDS, Event
from tests.channels.machine.machine import REACHED_BY_EVERY_CHANNEL, ChannelMachine, run_machine
from tests.channels.machine.model import Models
from tests.channels.machine.people import People
from tests.human_input.told import ScriptedAsker
from voice_hitl.asker import Asker, GaveUp
from voice_hitl.askers.card import CardAsker
from voice_hitl.channels.session import VoiceSession
from voice_hitl.provider import ProviderCapabilities
from voice_hitl.requests.pending import PendingInput
from voice_hitl.testing import Command, Injected, LoopbackCaller, LoopbackLeg, ScriptedProvider, SentToolResult
from voice_hitl.transport import CallRejected, LegCapabilities

TOOLS: Final = tools("hang_up", "close", approver="caller")

RESUMES: Final[tuple[Literal["none", "replay", "native"], ...]] = ("none", "none", "replay", "native")
RECONFIGURES: Final[tuple[Literal["in_place", "reconnects"], ...]] = ("in_place", "reconnects")

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


class OnTheLine(Live):
    """One call that is up, or was."""

    def __init__(self, session: VoiceSession, caller: LoopbackCaller) -> None:
        super().__init__(session)
        self.caller = caller
        self.leg: LoopbackLeg = caller.leg

    @property
    def leg_is_over(self) -> bool:
        return self.leg.over


class VoiceMachine(ChannelMachine):
    """People call, are cut off, come back and hang up."""

    reached: ClassVar[Counter[str]] = Counter()

    @initialize(seed=SEEDS)
    def make(self, seed: int) -> None:
        chance = self.open_loop(seed)
        application = Application({"hang_up": self.hang_up_from_inside, "close": self.close_from_inside})
        provider = ScriptedProvider(
            capabilities=ProviderCapabilities(
                resumes=chance.choice(RESUMES),
                reconfigures=chance.choice(RECONFIGURES),
                owes_output_within_s=chance.choice([None, None, 8.0]),
                replies_to_results=chance.choice([True, False]),
            ),
            ignore=[kind for kind in get_args(Command) if kind not in (SentToolResult, Injected)],
        )
        asker = ScriptedAsker(tries_s=6, gave_up=GaveUp(2))
        askers: list[Asker] = [asker] if chance.choice([True, False]) else [CardAsker(), asker]
        leg = LegCapabilities(messages=True, rejoin_s=chance.choice([15.0, 15.0, 0.0]))
        self.lives: list[OnTheLine] = []

        async def desk() -> Desk:
            return Desk(
                tools=TOOLS,
                handler=application.serve,
                provider=provider,
                leg=leg,
                timeout=20,
                askers=askers,
            )

        self.desk = self.run(desk())
        account = Account(self.loop, self.desk, lambda: self.desk.channel.sessions, self.reached)
        people = People(account, right=self.caller_of, send=self.answer_on_the_page)
        self.start(account, application, Models(account, ["hang_up"]), people)

    # --- what may happen ---------------------------------------------------------------------------------------------

    def of_the_channel(self) -> list[Event]:
        events: list[Event] = []
        up = self.account.up
        if self.account.closing or len(up) < 2:
            events += [self.somebody_calls] * (1 if up or self.account.closing else 6)
        if up:
            events += [self.the_leg_is_lost, self.the_leg_is_lost]
            events += [self.the_session_ends] * (self.account.steps > 8)
        if any(live.session.leg_is_lost for live in self.lives):
            events += [self.the_caller_is_back] * 12
        return events

    def somebody_calls(self, chance: Random) -> None:
        participant = chance.choice(["ada", "bob", "cy"])
        caller = self.desk.transport.caller(participant_id=participant, room_id="desk", ignore=_MESSAGES)

        async def dial() -> None:
            before = set(self.desk.channel.sessions)
            try:
                await caller.dial()
            except CallRejected:
                self.reached["a call was rejected"] += 1
                return
            self.keep(caller, before)

        self.account.begin(dial())

    def keep(self, caller: LoopbackCaller, before: set[VoiceSession]) -> None:
        """Remember the sessions that have come since."""
        for session in self.desk.channel.sessions:
            if session not in before and all(session is not live.session for live in self.lives):
                live = OnTheLine(session, caller)
                self.lives.append(live)
                self.account.lives.append(live)
                self.reached["a call was answered"] += 1

    def the_leg_is_lost(self, chance: Random) -> None:
        live = self.live(chance)
        if live.caller.in_call and not live.caller.leg.lost:
            live.caller.vanish()
            self.reached["a leg was lost"] += 1

    def the_caller_is_back(self, chance: Random) -> None:
        caller = chance.choice([live for live in self.lives if live.session.leg_is_lost]).caller

        async def rejoin() -> None:
            if not caller.leg.lost:
                return
            try:
                await caller.rejoin()
            except CallRejected:
                return
            self.keep(caller, set())
            for each in self.lives:
                # Of two lost calls of theirs they may be back in either.
                if each.session.info is caller.leg.info and each.leg is not caller.leg:
                    each.caller, each.leg = caller, caller.leg
                    self.reached["a caller came back"] += each.is_up

        self.account.begin(rejoin())

    def the_session_ends(self, chance: Random) -> None:
        live = self.live(chance)
        how = chance.choice(["hangs up", "hangs up", "end_session", "end_session twice"])
        self.reached[f"a session ended: {how}"] += 1
        if how == "hangs up":
            live.caller.hang_up()
            return

        async def end() -> None:
            await self.desk.channel.end_session(live.session)
            self.all_closed([live])

        for _ in range(1 + (how == "end_session twice")):
            self.account.begin(end())

    async def hang_up_from_inside(self) -> None:
        self.reached["a session ended from inside its call"] += 1
        for live in self.account.up:
            await self.desk.channel.end_session(live.session)

    async def close(self) -> None:
        await self.desk.channel.close()

    async def reconfigure(self, session: VoiceSession) -> None:
        await self.desk.channel.reconfigure_session(session, system_prompt="Be brief.", tools=TOOLS)

    # --- drawing -----------------------------------------------------------------------------------------------------

    def live(self, chance: Random) -> OnTheLine:
        return chance.choice([live for live in self.lives if live.is_up])

    def caller_of(self, pending: PendingInput) -> str:
        return self.account.live_of(pending).session.participant_id

    def answer_on_the_page(self, pending: PendingInput, message: Mapping[str, object], _chance: Random) -> bool:
        live = next((live for live in self.lives if live.is_up and live.session.id == pending.session_id), None)
        if live is None or not live.caller.in_call:
            return False
        live.caller.send(message)
        return True

    def agree_in_the_end(self) -> None:
        self.desk.transport.done()


EVERYTHING: Final = {
    *REACHED_BY_EVERY_CHANNEL,
    *("a leg was lost", "a caller came back", "a call was answered", "a call was rejected"),
    *(f"a session ended: {how}" for how in ("hangs up", "end_session", "end_session twice", "caller")),
    "a session ended from inside its call",
}


def test_whatever_happens_nothing_is_lost_said_twice_or_left() -> None:
    run_machine(VoiceMachine, EVERYTHING, times=45)
