"""The doors of a conference: a function call, and a call that is said, of the model in a room with several people."""

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from tests.channels.kept import settle_down
from tests.channels.meeting import CARDS, voice
from tests.parity.door import ACTOR, CHANNEL, ROOM, Place, Setup
from tests.parity.realtime import IssuesCalls, RealtimePlace, SaysCalls
from tests.parity.voice_doors import NOT_IN_A_ROOM, PROVIDER_LACKS, SPOKEN_LACKS
from voice_hitl.channels.conference import ConferenceChannel
from voice_hitl.channels.plug import ConferenceRealtimeConfig
from voice_hitl.channels.session import VoiceSession
from voice_hitl.enums import ChannelType, DoorName
from voice_hitl.testing import ScriptedConference, ScriptedParticipant
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler


class RoomPlace(RealtimePlace):
    """A room with two people and the agent in it, of whom one has just spoken."""

    caller: ScriptedParticipant

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.handler = setup.handler
        self.conference = ScriptedConference()
        self.channel = ConferenceChannel(CHANNEL, backend=self.conference, tool_policy=setup.policy)

    async def come_in(self) -> VoiceSession:
        if self.setup.kit:
            self.kit.register_channel(self.channel)
        room = self.conference.room(ROOM)
        self.caller, ben = room.join(ACTOR), room.join("ben")
        for participant in (self.caller, ben):
            participant.ignore(*CARDS)
        await self.channel.plug_realtime(self.config())
        await self.channel.attach(ROOM)
        room.active_speaker(ACTOR)
        await settle_down()
        session = self.channel.session(ROOM)
        assert session is not None
        return session

    def config(self) -> ConferenceRealtimeConfig:
        setup = self.setup
        return ConferenceRealtimeConfig(
            self.provider,
            tools=setup.tools,
            tool_handler=self.run if setup.handler is not None else None,
            human_input_handler=self.people if setup.persons else None,
            tool_timeouts=setup.timeouts,
        )

    async def run(self, room_id: str, name: str, arguments: dict[str, object]) -> object:
        """The host's handler of now, which is told the room besides."""
        assert room_id == ROOM
        handler = self.handler
        assert handler is not None
        result = handler(name, arguments)
        return await cast("Awaitable[object]", result) if isinstance(result, Awaitable) else result

    def serve(self, handler: ToolHandler) -> None:
        self.handler = handler

    async def barge_in(self) -> None:
        await self.caller.speak(voice(400))
        await self.caller.stay_silent(1_000)
        await settle_down()

    async def reconfigure(self, *tools: AITool) -> None:
        await self.channel.reconfigure_session(self.session, tools=tools)

    async def take_role(self, role: str) -> None:
        await self.channel.reconfigure_session(self.session, role=role)

    async def unplug(self) -> None:
        await self.channel.unplug_realtime()

    async def hang_up(self) -> None:
        self.conference.room(ROOM).remove_agent()
        await self.session.closed.wait()
        await settle_down()

    async def end_session(self) -> None:
        await self.channel.detach(ROOM)

    async def close(self) -> None:
        await self.channel.close()
        await self.reads_nothing(0)

    def done(self) -> None:
        super().done()
        self.conference.done()


class ConferenceCallPlace(IssuesCalls, RoomPlace):
    """A room whose model issues function calls."""


class ConferenceSpokenPlace(SaysCalls, RoomPlace):
    """A room whose model says its calls."""


ROOM_LACKS: Final[Mapping[str, str]] = {
    "D4": "its host's handler is told the room besides, and so is no handler of a person's tools",
    "E2": "nobody's leg carries a room: who leaves settles what was asked of them alone, and the others go on",
    "E3": "an agent that is not in the room any more has left it at once, and that ends the session",
}


def _in_a_room(lacks: Mapping[str, str]) -> Mapping[str, str]:
    return {**{number: why for number, why in lacks.items() if why != NOT_IN_A_ROOM}, **ROOM_LACKS}


@dataclass(frozen=True, slots=True)
class ConferenceCallDoor:
    """A function call of a conference's model."""

    title: str = "Conference call"
    name: DoorName = DoorName.CONFERENCE_CALL
    channel_type: ChannelType = ChannelType.CONFERENCE
    lacks: Mapping[str, str] = field(default_factory=lambda: _in_a_room(PROVIDER_LACKS))

    def place(self, setup: Setup) -> Place:
        return ConferenceCallPlace(setup)


@dataclass(frozen=True, slots=True)
class ConferenceSpokenDoor:
    """A call that a conference's model says."""

    title: str = "Spoken in a conference"
    name: DoorName = DoorName.SPOKEN_CALL
    channel_type: ChannelType = ChannelType.CONFERENCE
    lacks: Mapping[str, str] = field(default_factory=lambda: _in_a_room(SPOKEN_LACKS))

    def place(self, setup: Setup) -> Place:
        return ConferenceSpokenPlace(setup)
