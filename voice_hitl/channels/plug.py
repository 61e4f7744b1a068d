"""A model plugged into a conference: what it is configured with, and the sessions that it has."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import partial

from voice_hitl.channels.agent import Agent, AgentParts
from voice_hitl.channels.options import SessionOptions
from voice_hitl.channels.session import VoiceSession
from voice_hitl.doors.conference_call import ConferenceCallDoor
from voice_hitl.doors.pipeline import Door
from voice_hitl.doors.serving import Bounds
from voice_hitl.enums import DoorName
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.provider import Provider
from voice_hitl.speech.languages import pack_for
from voice_hitl.tasks import Latch
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler
from voice_hitl.tools.policy import ToolPolicy

TOOL_TIMEOUT_S = 10.0

RoomToolHandler = Callable[[str, str, dict[str, object]], object]
"""`(room_id, name, arguments) -> str | JSON`, sync (it then runs in a worker thread) or async."""


@dataclass(frozen=True, slots=True)
class ConferenceRealtimeConfig:
    """The model of a conference, its tools, and who serves them.

    Args:
        provider: The model, or a local pipeline that behaves as one. It has a session of its own in each room.
        system_prompt: What the model is told it is.
        voice: The model's voice, where it has several.
        language: The language spoken, as a tag (`en`, `pt-BR`).
        tools: The host's tools, served by `tool_handler`.
        tool_handler: `(room_id, name, arguments) -> str | JSON`, sync or async.
        human_input_handler: The tools that ask a person; declared in every room, served before `tool_handler`.
        tool_timeout_seconds: The bound of a host's tool; None: no bound. A person's tool has its own timeout.
        tool_timeouts: Bounds by tool name, also for a person's tool.
        tool_recovery: Whether a call that the model says, instead of issuing it, is run.

    Raises:
        ValueError: What is no language.
    """

    provider: Provider
    _: KW_ONLY
    system_prompt: str = ""
    voice: str | None = None
    language: str = "en"
    tools: Sequence[AITool] = ()
    tool_handler: RoomToolHandler | None = None
    human_input_handler: HumanInputToolHandler | None = None
    tool_timeout_seconds: float | None = TOOL_TIMEOUT_S
    tool_timeouts: Mapping[str, float] = field(default_factory=dict[str, float])
    tool_recovery: bool = True

    def __post_init__(self) -> None:
        """Refuse what is no language here, before it is plugged in."""
        pack_for(self.language)

    def host(self, room_id: str) -> ToolHandler | None:
        """Who serves the host's tools in a room."""
        return partial(self.tool_handler, room_id) if self.tool_handler is not None else None

    def parts(self, tool_policy: ToolPolicy | None) -> AgentParts:
        """What an agent is made of it.

        Raises:
            ValueError: A host tool under a name the human-input handler defines, a schema that does not compile, or an
                asker that this provider gives no way to ask through.
        """
        return AgentParts(
            provider=self.provider,
            options=SessionOptions(
                system_prompt=self.system_prompt,
                voice=self.voice,
                language=self.language,
                tools=tuple(self.tools),
                tool_policy=tool_policy,
            ),
            human=self.human_input_handler,
            host=self.host,
            bounds=Bounds(default_s=self.tool_timeout_seconds, named=dict(self.tool_timeouts)),
            tool_recovery=self.tool_recovery,
            door=_named,
        )


@dataclass(slots=True, eq=False)
class Plug:
    """A model in the conference's slot, until everything of it has ended."""

    agent: Agent
    unplugged: Latch = field(default_factory=Latch)
    is_ending: bool = False


def _named(door: Door, session: VoiceSession) -> Door:
    """The same door, whose model is also told who of those in the room has answered."""
    name = DoorName.CONFERENCE_CALL if door.name is DoorName.PROVIDER_CALL else door.name
    return ConferenceCallDoor(door, session.outputs.inject, name=name)
