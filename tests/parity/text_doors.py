"""The doors of a text channel: a turn's call, and a call of a tool that the provider runs itself."""

import json
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from tests.channels.kept import settle_down
from tests.parity.door import ACTOR, CHANNEL, CONFIRM, ROOM, Place, Setup
from tests.parity.voice_doors import NOT_IN_A_ROOM
from voice_hitl.channels.ai import AIChannel
from voice_hitl.channels.text_events import TextEvent
from voice_hitl.chat import ChatCall, ChatEnded, ChatMessage, ChatResult
from voice_hitl.enums import ChannelType, DoorName
from voice_hitl.human_input.external import PolicyExternalToolHandler
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tasks import Mailbox, run_users_code
from voice_hitl.testing import ScriptedAnswer, ScriptedChat
from voice_hitl.tools.calls import ServedCall
from voice_hitl.tools.handler import ToolHandler
from voice_hitl.tools.schema import read_arguments


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

    async def declared(self) -> set[str]:
        return {tool.name for tool in (await self.answering()).request.tools}

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


_NAMED: Final = "the model's service names its calls"
_ROUNDS: Final = "the rounds of a turn run one after another, each when every call of the one before is over"
_PROPOSED: Final = "the provider runs the call as it proposed it, by a schema of its own"
_DECIDES: Final = "the handler decides whether the call may run, however it likes"
_RUNS: Final = "the provider serves the call, and bounds it"
_THEIRS: Final = "a person is asked by whoever writes the handler, through a `HumanInputHandler` of their own"
_NO_LEG: Final = "nobody is on a leg"
_NO_CONNECTION: Final = "a chat model is asked anew for each round: there is no connection to lose"
_NO_ROLE: Final = "who writes to a text channel has no role there"
_QUIET: Final = "its model says nothing while a call of its round is open"


TEXT_LACKS: Final[Mapping[str, str]] = {
    "C2.1": "a chat model does not give up a call of its own: its turn is cancelled",
    "C2.3a": _ROUNDS,
    "C2.4": _NO_LEG,
    "C3": "what the user wrote is what its turn begins with",
    "C2.7": _NAMED,
    "C6a": _NO_ROLE,
    "C5a": "its model knows no tools but the channel's",
    "C18b": "a chat model says of no length that it cannot take it",
    "C20": _ROUNDS,
    "C21": _QUIET,
    "E2": _NO_LEG,
    "E3": _NO_LEG,
    "E5": _NO_CONNECTION,
    "E6": "a chat model does not give up a call of its own: its turn is cancelled",
    "E7": _NO_CONNECTION,
    "E11": NOT_IN_A_ROOM,
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
    "C6a": _NO_ROLE,
    "C6b": _THEIRS,
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
    **dict.fromkeys(("D", "E1a", "E1b", "E1d", "E1e", "E4a", "E10a", "E15", "R"), _THEIRS),
    "E2": _NO_LEG,
    "E3": _NO_LEG,
    "E5": _NO_CONNECTION,
    "E6": "a chat model does not give up a call of its own: its turn is cancelled",
    "E7": _NO_CONNECTION,
    "E11": NOT_IN_A_ROOM,
    "E8": _NO_CONNECTION,
    "E9": "a turn is a session of its own, with the tools that its channel has when it begins",
}


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
