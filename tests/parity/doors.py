"""The doors there are. A new one is one more here."""

import json
import re
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final, get_args

from tests.channels.desk import settle_down
from tests.channels.meeting import CARDS, voice
from tests.parity.door import ACTOR, CHANNEL, CONFIRM, ROOM, Door, Place, Setup
from voice_hitl.channels.ai import AIChannel
from voice_hitl.channels.conference import ConferenceChannel
from voice_hitl.channels.plug import ConferenceRealtimeConfig
from voice_hitl.channels.session import VoiceSession
from voice_hitl.channels.text_events import TextEvent
from voice_hitl.channels.voice import RealtimeVoiceChannel
from voice_hitl.chat import ChatCall, ChatEnded, ChatMessage, ChatResult
from voice_hitl.enums import ChannelType, DoorName
from voice_hitl.human_input.external import PolicyExternalToolHandler
from voice_hitl.provider import (
    ResponseEnded,
    ResponseStarted,
    Resumed,
    SpeechStarted,
    SpeechStopped,
    ToolCalled,
    ToolCancelled,
    Transcript,
)
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tasks import Mailbox, run_users_code
from voice_hitl.testing import (
    Closed,
    Command,
    Forgot,
    Injected,
    LoopbackCaller,
    LoopbackTransport,
    Responded,
    ScriptedAnswer,
    ScriptedChat,
    ScriptedConference,
    ScriptedConnection,
    ScriptedParticipant,
    ScriptedProvider,
    SentToolResult,
)
from voice_hitl.tools.calls import ServedCall
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler
from voice_hitl.tools.schema import read_arguments

# --- realtime voice --------------------------------------------------------------------------------------------------


_TOLD: Final = re.compile(
    r"The tool \S+ has returned:\n(?P<fence>`+)\n(?P<fenced>.*)\n(?P=fence)"
    r"|The result of your earlier call of the tool \S+ \(\S+\) has come:\n(?P<plain>.*)",
    re.DOTALL,
)


class RealtimePlace(Place):
    """A session with a realtime model."""

    session: VoiceSession
    model: ScriptedConnection

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.provider = ScriptedProvider(capabilities=setup.capabilities)
        self.response = ""
        self._responses = 0
        self._asked_on = 0
        self._taken = 0
        self._outcomes: deque[str] = deque()
        self._notes: list[str] = []
        self._ids = 0

    async def connected(self) -> ScriptedConnection:
        """The connection that the provider gives next."""
        model = await self.provider.connected()
        model.ignore(*(kind for kind in get_args(Command) if kind not in (SentToolResult, Injected, Closed)))
        self._taken = self._asked_on = 0
        return model

    async def read(self) -> str:
        await self.end_response()
        while not self._outcomes:
            await self._take(within_s=400)
        return self._outcomes.popleft()

    async def reads_nothing(self, for_s: float = 1.0) -> None:
        await self.end_response()
        await settle_down(for_s)
        await self._take_all()
        assert not self._outcomes, f"the model reads {self._outcomes}"

    async def notes(self) -> list[str]:
        await self._take_all()
        return self._notes

    async def _take_all(self) -> None:
        while self.model.counts[SentToolResult] + self.model.counts[Injected] > self._taken:
            await self._take(within_s=1)

    async def _take(self, *, within_s: float) -> None:
        command = await self.model.take(within_s=within_s)
        self._taken += 1
        outcome = self.outcome(command)
        if outcome is not None:
            self._outcomes.append(outcome)
        elif isinstance(command, Injected):
            self._notes.append(command.text)

    def outcome(self, command: Command) -> str | None:
        """The outcome of a call that the model reads in this command, if any."""
        match command:
            case SentToolResult(text=text):
                return text
            case Injected(text=text) if told := _TOLD.fullmatch(text):
                return told["fenced"] or told["plain"]
            case _:
                return None

    def respond(self) -> str:
        """The response that the model is giving, begun where there is none."""
        if not self.response:
            self._responses += 1
            self.response = f"r{self._responses}"
            self.model.emit(ResponseStarted(self.response))
        return self.response

    async def end_response(self) -> None:
        if self.response:
            self.model.emit(ResponseEnded(self.response))
            self.response = ""
        await settle_down()

    def an_id(self) -> str:
        self._ids += 1
        return f"call_{self._ids}"

    async def goes_on(self) -> bool:
        await settle_down()
        before, self._asked_on = self._asked_on, self.model.counts[Responded]
        assert self._asked_on <= before + 1, "it was asked to go on more than once"
        return self._asked_on > before

    @property
    def notes_taken_back(self) -> int:
        return self.model.counts[Forgot]

    async def caller_said(self, text: str) -> None:
        self.model.emit(Transcript("user", text, final=True, item_id=self.an_id()))

    async def fail_model(self, *, fatal: bool = True) -> None:
        await self.end_response()
        self.model.fail(fatal=fatal)
        await settle_down()

    async def cancel_calls(self, *call_ids: str) -> None:
        self.model.emit(ToolCancelled(call_ids))
        await settle_down()

    async def replace_connection(self, *, kept: tuple[str, ...] | None = None) -> None:
        await self._take_all()
        self.model.drop()
        self.model, self.response = await self.connected(), ""
        if kept is not None:
            self.model.emit(Resumed(kept))
        await settle_down()


class VoicePlace(RealtimePlace):
    """A call that is up, on a realtime voice channel."""

    caller: LoopbackCaller

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
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
        )

    async def start(self) -> None:
        if self.setup.kit:
            self.kit.register_channel(self.channel)
        self.caller = await self.transport.call(participant_id=ACTOR, room_id=ROOM)
        self.caller.ignore("request.opened", "request.changed", "request.settled", "ok", "refused")
        (self.session,) = self.channel.sessions
        self.model = await self.connected()

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

    async def barge_in(self) -> None:
        self.model.emit(SpeechStarted(), SpeechStopped())
        await settle_down()

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
        self.provider.done()
        self.transport.done()


class IssuesCalls(RealtimePlace):
    """Its model issues function calls."""

    async def issue(
        self, name: str, arguments: Mapping[str, object] | str = "{}", *, call_id: str | None = None
    ) -> None:
        text = arguments if isinstance(arguments, str) else json.dumps(dict(arguments))
        self.model.emit(ToolCalled(self.an_id() if call_id is None else call_id, name, text, self.respond()))
        await settle_down()


class SaysCalls(RealtimePlace):
    """Its model says its calls."""

    async def issue(
        self, name: str, arguments: Mapping[str, object] | str = "{}", *, call_id: str | None = None
    ) -> None:
        assert call_id is None, "a call that is said has no id of the model's"
        text = arguments if isinstance(arguments, str) else json.dumps(dict(arguments))
        self.respond()
        self.model.emit(Transcript("assistant", f"{name}({text})", final=True, item_id=self.an_id()))
        await settle_down()

    def outcome(self, command: Command) -> str | None:
        assert not isinstance(command, SentToolResult), "the model gets an output of a call that it did not issue"
        return super().outcome(command)


class ProviderCallPlace(IssuesCalls, VoicePlace):
    """A voice call whose model issues function calls."""


class SpokenCallPlace(SaysCalls, VoicePlace):
    """A voice call whose model says its calls."""


# --- conference ------------------------------------------------------------------------------------------------------


class RoomPlace(RealtimePlace):
    """A room with one participant, who has just spoken, on a conference channel."""

    person: ScriptedParticipant

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.handler = setup.handler
        self.conference = ScriptedConference()
        self.config = ConferenceRealtimeConfig(
            self.provider,
            tools=setup.tools,
            tool_handler=self._serve if setup.handler is not None else None,
            human_input_handler=self.people if setup.persons else None,
            tool_timeouts=setup.timeouts,
        )
        self.channel = ConferenceChannel(CHANNEL, backend=self.conference, tool_policy=setup.policy)

    async def _serve(self, _room_id: str, name: str, arguments: dict[str, object]) -> object:
        assert self.handler is not None
        call: Callable[[], Awaitable[object] | object] = partial(self.handler, name, arguments)
        return await run_users_code(call, label=name)

    async def start(self) -> None:
        if self.setup.kit:
            self.kit.register_channel(self.channel)
        self.person = self.conference.room(ROOM).join(ACTOR)
        self.person.ignore(*CARDS)
        await self.channel.plug_realtime(self.config)
        await self.channel.attach(ROOM)
        (self.session,) = self.channel.sessions
        self.model = await self.connected()
        await self.barge_in()

    def serve(self, handler: ToolHandler) -> None:
        self.handler = handler

    async def barge_in(self) -> None:
        await self.person.speak(voice(300))
        await self.person.stay_silent(400)

    async def reconfigure(self, *tools: AITool) -> None:
        await self.channel.reconfigure_session(self.session, tools=tools)

    async def hang_up(self) -> None:
        self.conference.room(ROOM).remove_agent("the meeting is over")
        await self.session.closed.wait()
        await settle_down()

    async def end_session(self) -> None:
        await self.channel.detach(ROOM)

    async def close(self) -> None:
        await self.channel.close()
        await self.reads_nothing(0)

    def done(self) -> None:
        self.provider.done()
        self.conference.done()


class ConferenceCallPlace(IssuesCalls, RoomPlace):
    """A room whose model issues function calls."""


class ConferenceSpokenPlace(SaysCalls, RoomPlace):
    """A room whose model says its calls."""


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


@dataclass(frozen=True, slots=True)
class ConferenceCallDoor:
    """A function call of a conference's model."""

    title: str = "Conference call"
    name: DoorName = DoorName.CONFERENCE_CALL
    channel_type: ChannelType = ChannelType.CONFERENCE
    lacks: Mapping[str, str] = field(default_factory=lambda: {**PROVIDER_LACKS, **ROOM_LACKS})

    def place(self, setup: Setup) -> Place:
        return ConferenceCallPlace(setup)


@dataclass(frozen=True, slots=True)
class ConferenceSpokenDoor:
    """A call that a conference's model says."""

    title: str = "Spoken in a conference"
    name: DoorName = DoorName.SPOKEN_CALL
    channel_type: ChannelType = ChannelType.CONFERENCE
    lacks: Mapping[str, str] = field(default_factory=lambda: {**SPOKEN_LACKS, **ROOM_LACKS})

    def place(self, setup: Setup) -> Place:
        return ConferenceSpokenPlace(setup)


# --- text ------------------------------------------------------------------------------------------------------------


class RunsTools(ScriptedChat):
    """A chat model whose provider runs tools itself."""

    def __init__(self, setup: Setup) -> None:
        super().__init__()
        self.handler = setup.handler

    async def run_tool(self, call: ChatCall) -> ServedCall:
        """Run the host's handler in the provider's place."""
        self.ran.append(call)
        assert self.handler is not None
        arguments = read_arguments(call.arguments)
        return ServedCall(await run_users_code(partial(self.handler, call.name, arguments), label=call.name))


class TextPlace(Place):
    """A text channel whose turns call tools."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.model = RunsTools(setup)
        self.channel = self.make()
        self._asked: ScriptedAnswer | None = None
        self._called = False
        self._turn: Mailbox[TextEvent] | None = None
        self._results: deque[str] = deque()
        self._ids = 0

    def make(self) -> AIChannel:
        """The channel."""
        setup = self.setup
        return AIChannel(
            CHANNEL,
            provider=self.model,
            tools=setup.tools,
            tool_handler=setup.handler,
            human_input_handler=self.people if setup.persons else None,
            tool_policy=setup.policy,
            tool_timeouts=setup.timeouts,
        )

    async def start(self) -> None:
        if self.setup.kit:
            self.kit.register_channel(self.channel)

    async def answering(self) -> ScriptedAnswer:
        """The answer that the model is giving, begun where there is none, and a turn where none runs."""
        if self._turn is None or self._turn.closed:
            turn = self.channel.turn("Please.", room_id=ROOM, actor_id=ACTOR)
            assert isinstance(turn, Mailbox)
            self._turn = turn
        if self._asked is None or self._asked.ended:
            self._asked = await self.model.asked()
            self._called = False
        return self._asked

    async def issue(
        self, name: str, arguments: Mapping[str, object] | str = "{}", *, call_id: str | None = None
    ) -> None:
        text = arguments if isinstance(arguments, str) else json.dumps(dict(arguments))
        if call_id is None:
            self._ids += 1
            call_id = f"call_{self._ids}"
        (await self.answering()).call(ChatCall(call_id, name, text))
        self._called = True
        await settle_down()

    async def end_response(self) -> None:
        if self._called and self._asked is not None and not self._asked.ended:
            self._asked.answer(end=ChatEnded("calls"))
        await settle_down()

    async def read(self) -> str:
        await self.end_response()
        if not self._results:
            self._asked = await self.model.asked(within_s=400)
            self._called = False
            items = list(self._asked.request.items)
            while isinstance(items[-1], ChatMessage):
                items.pop()
            for item in reversed(items):
                if not isinstance(item, ChatResult):
                    break
                self._results.appendleft(item.text)
        return self._results.popleft()

    async def reads_nothing(self, for_s: float = 1.0) -> None:
        await self.end_response()
        assert not self._results
        await self.model.expect_nothing(for_s=for_s)

    def serve(self, handler: ToolHandler) -> None:
        self.channel.tool_handler = self.model.handler = handler

    async def fail_model(self, *, fatal: bool = True) -> None:
        assert fatal
        assert self._asked is not None
        self._asked.break_off()
        await settle_down()

    async def barge_in(self) -> None:
        self.channel.steer(ROOM, "And quickly.")
        await settle_down()

    async def ask_too(self) -> PendingInput:
        await self.issue("ConfirmAction", CONFIRM)
        return self.request

    async def hang_up(self) -> None:
        await self.end_session()
        await settle_down()

    async def end_session(self) -> None:
        await self.channel.cancel_turn(ROOM)

    async def close(self) -> None:
        await self.channel.close()

    def done(self) -> None:
        assert not self._results, f"results that nobody read: {self._results}"
        self.model.done()


class ExternalPlace(TextPlace):
    """A text channel whose provider runs the tools, once a policy and the hooks allowed it."""

    def make(self) -> AIChannel:
        return AIChannel(
            CHANNEL, provider=self.model, external_tool_handler=PolicyExternalToolHandler(self.setup.policy)
        )


@dataclass(frozen=True, slots=True)
class TextDoor:
    """A call of a text turn."""

    title: str = "Text turn"
    name: DoorName = DoorName.TEXT_CALL
    channel_type: ChannelType = ChannelType.AI
    lacks: Mapping[str, str] = field(default_factory=lambda: TEXT_LACKS)

    def place(self, setup: Setup) -> Place:
        return TextPlace(setup)


@dataclass(frozen=True, slots=True)
class ExternalDoor:
    """A call of a text turn to a tool that the provider runs itself."""

    title: str = "Provider-run tool"
    name: DoorName = DoorName.TEXT_CALL
    channel_type: ChannelType = ChannelType.AI
    lacks: Mapping[str, str] = field(default_factory=lambda: EXTERNAL_LACKS)

    def place(self, setup: Setup) -> Place:
        return ExternalPlace(setup)


# --- what they lack, and why -----------------------------------------------------------------------------------------

_NAMED: Final = "the model's service names its calls"
_OUR_IDS: Final = "a call that is said has no id but ours"
_ROUNDS: Final = "the rounds of a turn run one after another, each when every call of the one before is over"
_SPEECH: Final = "what names no declared tool, or does not parse, is speech and no call"
_PROPOSED: Final = "the provider runs the call as it proposed it, by a schema of its own"
_DECIDES: Final = "the handler decides whether the call may run, however it likes"
_RUNS: Final = "the provider serves the call, and bounds it"
_THEIRS: Final = "a person is asked by whoever writes the handler, through a `HumanInputHandler` of their own"
_NO_LEG: Final = "nobody is on a leg"
_NO_CONNECTION: Final = "a chat model is asked anew for each round: there is no connection to lose"
_QUIET: Final = "its model says nothing while a call of its round is open"

PROVIDER_LACKS: Final[Mapping[str, str]] = {"C2.7": _NAMED}
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
    "E6": _OUR_IDS,
    "E7a": "its outcome is told as text on whichever connection stands",
    "E8": "its outcome is told as text, and no output is waited for",
    "C20a": "each is told by itself, as text, and the model is asked on for each",
}
ROOM_LACKS: Final[Mapping[str, str]] = {
    "E2": "nobody's leg carries a room: who leaves settles what was asked of them alone, and the others go on",
    "E3": "an agent that is not in the room any more has left it at once, and that ends the session",
}
TEXT_LACKS: Final[Mapping[str, str]] = {
    "C2.1": "a chat model does not give up a call of its own: its turn is cancelled",
    "C2.3a": _ROUNDS,
    "C2.4": _NO_LEG,
    "C3": "what the user wrote is what its turn begins with",
    "C2.7": _NAMED,
    "C5a": "its model knows no tools but the channel's",
    "C18b": "a chat model says of no length that it cannot take it",
    "C20": _ROUNDS,
    "C21": _QUIET,
    "E2": _NO_LEG,
    "E3": _NO_LEG,
    "E5": _NO_CONNECTION,
    "E6": "a chat model does not give up a call of its own: its turn is cancelled",
    "E7": _NO_CONNECTION,
    "E8": _NO_CONNECTION,
    "E9": "a turn is a session of its own, with the tools that its channel has when it begins",
}
EXTERNAL_LACKS: Final[Mapping[str, str]] = {
    "C2.1": "a chat model does not give up a call of its own: its turn is cancelled",
    "C2.3a": _ROUNDS,
    "C2.4": _NO_LEG,
    "C3": "what the user wrote is what its turn begins with",
    "C2.7": _NAMED,
    "C5": "it is for the tools that the channel does not declare",
    "C7": _PROPOSED,
    "C8": _PROPOSED,
    "C9b": "what a hook rewrites cannot be passed on, so that such a call is refused",
    "C10": _DECIDES,
    "C12": _RUNS,
    "C13a": _RUNS,
    "C14": _RUNS,
    "C15": _RUNS,
    "C16a": _RUNS,
    "C17": "what the provider ran is what the model has read: it is reported to those who watch, and not judged",
    "C18": "what the provider ran is its own: nothing of it is cut",
    "C20": _ROUNDS,
    "C21": _QUIET,
    **dict.fromkeys(("E1a", "E1b", "E1d", "E4a", "E10a", "E15"), _THEIRS),
    "E2": _NO_LEG,
    "E3": _NO_LEG,
    "E5": _NO_CONNECTION,
    "E6": "a chat model does not give up a call of its own: its turn is cancelled",
    "E7": _NO_CONNECTION,
    "E8": _NO_CONNECTION,
    "E9": "a turn is a session of its own, with the tools that its channel has when it begins",
}

DOORS: Final[tuple[Door, ...]] = (
    ProviderCallDoor(),
    SpokenCallDoor(),
    ConferenceCallDoor(),
    ConferenceSpokenDoor(),
    TextDoor(),
    ExternalDoor(),
)
