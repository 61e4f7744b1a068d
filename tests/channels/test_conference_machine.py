"""A whole conference channel under everything at once, in virtual time: nothing is lost, said twice or left."""

from collections import Counter
from collections.abc import Mapping
from itertools import cycle
from random import Random
from typing import ClassVar, Final, Literal, get_args

from hypothesis.stateful import initialize

from tests.askers.spoken_desk import Tone
from tests.channels.machine.account import Account, Live
from tests.channels.machine.application import GOOD, Application, tools
from tests.channels.machine.drawing import SEEDS, Event
from tests.channels.machine.machine import REACHED_BY_EVERY_CHANNEL, ChannelMachine, run_machine
from tests.channels.machine.model import Models
from tests.channels.machine.people import People
from tests.channels.machine.rooms import PEOPLE, VOICE, Rooms
from tests.channels.meeting import Meeting
from tests.human_input.told import ScriptedAsker
from voice_hitl.asker import Asker, GaveUp
from voice_hitl.askers.card import CardAsker
from voice_hitl.askers.spoken import SpokenAsker
from voice_hitl.channels.session import VoiceSession
from voice_hitl.enums import HookExecution, HookTrigger
from voice_hitl.errors import ConferenceError, ProviderError
from voice_hitl.events import SessionEvent
from voice_hitl.hooks import HookContext
from voice_hitl.provider import ProviderCapabilities
from voice_hitl.speech_ports import Transcription
from voice_hitl.testing import Command, Injected, ScriptedParticipant, ScriptedProvider, ScriptedRoom, SentToolResult
from voice_hitl.tools.context import current_tool_call

TOOLS: Final = tools("leave", "unplug", "close", approver="ada")


RESUMES: Final[tuple[Literal["none", "replay"], ...]] = ("none", "none", "replay")


class Ear:
    """A listener that makes of each voice the next of these."""

    rate = 24_000
    stays_here = True

    def __init__(self) -> None:
        self._next = cycle(["Yes please.", "Yes.", "No.", "What for?"])

    async def transcribe(self, pcm: bytes, *, language: str = "en") -> Transcription:
        return Transcription(next(self._next), 0.9)


class ConferenceMachine(ChannelMachine):
    """Rooms are attached and left, and people come and go, while models are plugged and unplugged."""

    reached: ClassVar[Counter[str]] = Counter()

    @initialize(seed=SEEDS)
    def make(self, seed: int) -> None:
        chance = self.open_loop(seed)
        ways = chance.choice(["aloud", "aloud", "aloud", "cards", "give up"])
        application = Application(
            {"leave": self.leave_from_inside, "unplug": self.unplug_from_inside, "close": self.close_from_inside}
        )
        provider = ScriptedProvider(
            capabilities=ProviderCapabilities(
                resumes=chance.choice(RESUMES),
                owes_output_within_s=chance.choice([None, None, 8.0]),
                reconfigures="in_place",
                hold="quiet" if ways == "aloud" else "none",
            ),
            ignore=[kind for kind in get_args(Command) if kind not in (SentToolResult, Injected)],
        )
        asker = ScriptedAsker(tries_s=6, gave_up=GaveUp(2))
        aloud = SpokenAsker(speaker=Tone(seconds=0.1), listener=Ear(), after="now")
        askers: Mapping[str, list[Asker]] = {"aloud": [CardAsker(), aloud], "cards": [CardAsker(), asker]}

        async def serve(_room_id: str, name: str, arguments: dict[str, object]) -> object:
            return await application.serve(name, arguments)

        async def meeting() -> Meeting:
            return Meeting(
                audience=chance.choice([("ada",), ("ada",), ("ada", "ben"), ()]),
                provider=provider,
                askers=askers.get(ways, [asker]),
                handler=serve,
                tools=TOOLS,
                timeout=20,
            )

        self.meeting = self.run(meeting())
        self.keep_sessions()
        account = Account(self.loop, self.meeting, lambda: self.meeting.channel.sessions, self.reached)
        self.rooms = Rooms(account, self.meeting)
        people = People(account, right=self.rooms.somebody_right, send=self.rooms.send)
        self.start(account, application, Models(account, ["leave", "unplug"]), people)
        self.is_plugged = chance.choice([True, True, False])
        if self.is_plugged:
            self.run(self.meeting.channel.plug_realtime(self.meeting.config))
        for room in self.rooms.all:
            for who in chance.sample(PEOPLE, chance.randrange(3)):
                self.rooms.comes(room, who)
            if chance.choice([True, False]):
                self.run(self.meeting.channel.attach(room.id))

    def keep_sessions(self) -> None:
        @self.meeting.kit.hook(HookTrigger.ON_SESSION_STARTED, HookExecution.ASYNC)
        async def started(_event: SessionEvent, ctx: HookContext) -> None:
            assert isinstance(ctx.session, VoiceSession)
            self.account.lives.append(Live(ctx.session))

    # --- what may happen ---------------------------------------------------------------------------------------------

    def of_the_channel(self) -> list[Event]:
        channel, events = self.meeting.channel, self.rooms.possible()
        events += [self.a_room_is_attached] * (1 if len(channel.rooms) == len(self.rooms.all) else 6)
        events += [self.a_model_is_plugged] * (1 if self.is_plugged else 8)
        if channel.rooms and self.account.steps > 8:
            events += [self.a_room_is_detached]
        if self.account.up and self.rooms.here:
            events += [self.somebody_wants_something] * 8
        if channel.sessions and self.account.steps > 8:
            events += [self.the_model_is_unplugged]
        return events

    def somebody_wants_something(self, chance: Random) -> None:
        live = chance.choice(self.account.up)
        people = self.meeting.room(live.session.room_id).participants
        if people:
            self.account.begin(self.wants_something(live, chance.choice(people)))

    async def wants_something(self, live: Live, person: ScriptedParticipant) -> None:
        await person.speak(VOICE)
        self.models.issue(live, self.account.mint(), "ConfirmAction", GOOD["ConfirmAction"])

    def a_room_is_attached(self, chance: Random) -> None:
        channel = self.meeting.channel
        room = chance.choice(self.rooms.all + [room for room in self.rooms.all if room.id not in channel.rooms] * 4)
        self.trouble_at_the_door(room, chance)

        async def attach() -> None:
            is_there = room.id in channel.rooms
            try:
                await channel.attach(room.id)
            except ConferenceError:
                self.reached["a backend did not let the agent in"] += 1
            except ProviderError:
                self.reached["a room was left again: its model could not be reached"] += 1
            except RuntimeError:
                self.reached["a room was attached twice" if is_there else "a room could not be attached"] += 1
            else:
                assert not is_there
                self.reached["a room was attached"] += 1

        self.account.begin(attach())

    def trouble_at_the_door(self, room: ScriptedRoom, chance: Random) -> None:
        faults = self.meeting.conference.faults
        faults.mend("join")
        if room.id in self.meeting.channel.rooms or self.account.closing:
            return
        match chance.choice(["none"] * 8 + ["refuses", "takes too long", "no model"]):
            case "refuses":
                faults.refuse("join", ConferenceError("the room is full"))
            case "takes too long":
                faults.delay("join", 30.0)
            case "no model":
                self.meeting.provider.refuse()
            case _:
                pass

    def a_room_is_detached(self, chance: Random) -> None:
        room_id = chance.choice(self.meeting.channel.rooms)
        lives = [live for live in self.account.up if live.session.room_id == room_id]

        async def detach() -> None:
            await self.meeting.channel.detach(room_id)
            self.all_closed(lives)

        self.reached["a room was detached"] += 1
        for _ in range(chance.choice([1, 2])):
            self.account.begin(detach())

    def a_model_is_plugged(self, chance: Random) -> None:
        channel = self.meeting.channel
        if channel.rooms and not self.is_plugged and chance.randrange(2) == 0:
            self.meeting.provider.refuse(times=len(channel.rooms))

        async def plug() -> None:
            is_taken = bool(channel.sessions)
            try:
                await channel.plug_realtime(self.meeting.config)
            except ProviderError:
                self.reached["a model was not plugged: it could not be reached"] += 1
            except RuntimeError:
                self.reached["a plug was refused"] += 1
                self.reached["a plug into a taken slot was refused"] += is_taken
            else:
                assert not is_taken
                self.is_plugged = True
                self.reached["a model was plugged"] += 1
                self.reached["a model was plugged while a meeting ran"] += bool(channel.rooms)

        self.account.begin(plug())

    def the_model_is_unplugged(self, chance: Random) -> None:
        lives = list(self.account.up)

        async def unplug() -> None:
            await self.meeting.channel.unplug_realtime()
            self.is_plugged = False
            self.all_closed(lives)

        self.reached["a model was unplugged"] += 1
        for _ in range(chance.choice([1, 2])):
            self.account.begin(unplug())

    async def leave_from_inside(self) -> None:
        call = current_tool_call()
        assert call is not None
        self.reached["a room was left from inside a call"] += 1
        await self.meeting.channel.detach(call.room_id)

    async def unplug_from_inside(self) -> None:
        self.reached["a model was unplugged from inside a call"] += 1
        await self.meeting.channel.unplug_realtime()
        self.is_plugged = False

    async def close(self) -> None:
        await self.meeting.channel.close()

    async def reconfigure(self, session: VoiceSession) -> None:
        await self.meeting.channel.reconfigure_session(session, system_prompt="Be brief.", tools=TOOLS)

    # --- what always holds -------------------------------------------------------------------------------------------

    async def agree_after(self) -> None:
        await self.rooms.agree()
        channel = self.meeting.channel
        served = Counter(session.room_id for session in channel.sessions if session.end_reason is None)
        assert set(served) <= set(channel.rooms), "a model serves a room that the agent is not in"
        assert max(served.values(), default=0) <= 1, "two sessions of one room"

    def agree_in_the_end(self) -> None:
        assert self.meeting.channel.rooms == ()
        for room in self.rooms.all:
            room.done()
        for pending in self.account.known.values():
            assert pending.actor_id in {None, *PEOPLE}
            assert (pending.actor_id is None) == (pending.actor_confidence is None)
            self.reached["whose turn it was: " + ("known" if pending.actor_id else "not known")] += 1


EVERYTHING: Final = {
    *REACHED_BY_EVERY_CHANNEL,
    *("it was answered by voice", "it was answered by key"),
    *("somebody came", "somebody came who was there", "somebody went", "somebody went who was not there"),
    *("who was asked alone went", "a card was shown", "somebody spoke", "a key was pressed", "a page sent junk"),
    *("the backend said who speaks", "the backend had trouble"),
    *("the agent was removed", "the connection to a room was lost", "a backend did not let the agent in"),
    *("a room was attached", "a room was attached twice", "a room could not be attached", "a room was detached"),
    "a room was left again: its model could not be reached",
    *("a model was plugged", "a model was plugged while a meeting ran", "a plug into a taken slot was refused"),
    *("a model was unplugged", "a model was not plugged: it could not be reached"),
    *("a room was left from inside a call", "a model was unplugged from inside a call"),
    *("whose turn it was: known", "whose turn it was: not known"),
}


def test_whatever_happens_nothing_is_lost_said_twice_or_left() -> None:
    run_machine(ConferenceMachine, EVERYTHING, times=50)
