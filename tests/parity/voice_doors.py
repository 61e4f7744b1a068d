"""The doors of a voice channel: a provider's function call, and a call that the model says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from tests.channels.kept import settle_down
from tests.parity.door import ACTOR, CHANNEL, ROOM, Place, Setup
from tests.parity.realtime import IssuesCalls, RealtimePlace, SaysCalls
from voice_hitl.channels.session import VoiceSession
from voice_hitl.channels.voice import RealtimeVoiceChannel
from voice_hitl.enums import ChannelType, DoorName
from voice_hitl.provider import ProviderCapabilities
from voice_hitl.reasoning import ReasoningBackend
from voice_hitl.testing import LoopbackCaller, LoopbackTransport
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler


class VoicePlace(RealtimePlace):
    """A call that is up, on a realtime voice channel."""

    caller: LoopbackCaller

    def __init__(
        self,
        setup: Setup,
        capabilities: ProviderCapabilities | None = None,
        reasoning_backend: ReasoningBackend | None = None,
    ) -> None:
        super().__init__(setup, capabilities)
        self.transport = LoopbackTransport()
        self.channel = RealtimeVoiceChannel(
            CHANNEL,
            provider=self.provider,
            transport=self.transport,
            tools=setup.tools,
            tool_handler=setup.handler,
            human_input_handler=self.people if setup.persons else None,
            tool_policy=setup.policy,
            tool_timeouts=setup.timeouts,
            reasoning_backend=reasoning_backend,
        )

    async def come_in(self) -> VoiceSession:
        if self.setup.kit:
            self.kit.register_channel(self.channel)
        self.caller = await self.transport.call(participant_id=ACTOR, room_id=ROOM)
        self.caller.ignore("request.opened", "request.changed", "request.settled", "ok", "refused")
        (session,) = self.channel.sessions
        return session

    def serve(self, handler: ToolHandler) -> None:
        self.channel.tool_handler = handler

    async def lose_leg(self) -> None:
        self.caller.vanish()
        await settle_down()

    async def rejoin(self) -> None:
        await self.caller.rejoin()
        await settle_down()

    async def reconfigure(self, *tools: AITool) -> None:
        await self.channel.reconfigure_session(self.session, tools=tools)

    async def take_role(self, role: str) -> None:
        await self.channel.reconfigure_session(self.session, role=role)

    async def hang_up(self) -> None:
        self.caller.hang_up()
        await self.session.closed.wait()
        await settle_down()

    async def end_session(self) -> None:
        await self.channel.end_session(self.session)

    async def close(self) -> None:
        await self.channel.close()
        await self.reads_nothing(0)

    def done(self) -> None:
        super().done()
        self.transport.done()


class ProviderCallPlace(IssuesCalls, VoicePlace):
    """A voice call whose model issues function calls."""


class SpokenCallPlace(SaysCalls, VoicePlace):
    """A voice call whose model says its calls."""


_NAMED: Final = "the model's service names its calls"
_OUR_IDS: Final = "a call that is said has no id but ours"
_SPEECH: Final = "what names no declared tool, or does not parse, is speech and no call"

NOT_IN_A_ROOM: Final = "only a model in a room with several people can be taken out of it"

PROVIDER_LACKS: Final[Mapping[str, str]] = {"C2.7": _NAMED, "E11": NOT_IN_A_ROOM}
SPOKEN_LACKS: Final[Mapping[str, str]] = {
    "C2.1": _OUR_IDS,
    "C1a": _SPEECH,
    "C1b": _SPEECH,
    "C2.2": _OUR_IDS,
    "C2.2a": _OUR_IDS,
    "C2.3": _OUR_IDS,
    "C2.3a": _OUR_IDS,
    "C2.5": _OUR_IDS,
    "C4": _OUR_IDS,
    "C5": _SPEECH,
    "C6": _SPEECH,
    "D2": _SPEECH,
    "E6": _OUR_IDS,
    "E11": NOT_IN_A_ROOM,
    "E7a": "its outcome is told as text on whichever connection stands",
    "E8": "its outcome is told as text, and no output is waited for",
    "C20a": "each is told by itself, as text, and the model is asked on for each",
}


@dataclass(frozen=True, slots=True)
class ProviderCallDoor:
    """A realtime provider's function call."""

    title: str = "Provider call"
    name: DoorName = DoorName.PROVIDER_CALL
    channel_type: ChannelType = ChannelType.REALTIME_VOICE
    lacks: Mapping[str, str] = field(default_factory=lambda: PROVIDER_LACKS)

    def place(self, setup: Setup) -> Place:
        return ProviderCallPlace(setup)


@dataclass(frozen=True, slots=True)
class SpokenCallDoor:
    """A call that a realtime model says."""

    title: str = "Spoken call"
    name: DoorName = DoorName.SPOKEN_CALL
    channel_type: ChannelType = ChannelType.REALTIME_VOICE
    lacks: Mapping[str, str] = field(default_factory=lambda: SPOKEN_LACKS)

    def place(self, setup: Setup) -> Place:
        return SpokenCallPlace(setup)
