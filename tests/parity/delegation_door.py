"""The door of a reasoning backend: a call that it makes while it works on what a full-duplex model handed over."""

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import anyio

from tests.channels.kept import settle_down
from tests.parity.door import Place, Setup
from tests.parity.voice_doors import NOT_IN_A_ROOM, VoicePlace
from voice_hitl.channels.session import VoiceSession
from voice_hitl.doors.delegation import DelegationDoor as DelegationDoorOfCalls
from voice_hitl.enums import ChannelType, DoorName
from voice_hitl.provider import Delegated
from voice_hitl.reasoning import ReasoningOutput, ReasoningRequest
from voice_hitl.tasks import Mailbox
from voice_hitl.testing import Command, SentToolResult
from voice_hitl.tools.calls import AIToolCall


@dataclass(frozen=True, slots=True)
class Made:
    """A call, and the response of the backend's model that it is of."""

    call: AIToolCall
    response_id: str


class Works:
    """A backend that makes the calls it is given, and notes what its model reads."""

    def __init__(self) -> None:
        self.made: Mailbox[Made] = Mailbox()
        self.tools: set[str] = set()
        self.read: Mailbox[str] = Mailbox()
        self._first: dict[tuple[str, str], str] = {}

    async def reason(self, request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        """Make them, each by itself, for as long as there are any."""

        self.tools = {tool.name for tool in request.tools}

        async def run(made: Made) -> None:
            text = await request.execute_tool_call(made.call, response_id=made.response_id)
            key = (made.call.id, made.response_id)
            if text == DelegationDoorOfCalls.given_up:
                return  # what it belonged to is over, and so is whoever would have read it
            if made.call.id and key in self._first:
                assert text == self._first[key], "a replay returns what the call returned"
            else:
                self._first[key] = text
                self.read.put(text)

        async with anyio.create_task_group() as group:
            async for made in self.made:
                group.start_soon(run, made)
        yield ReasoningOutput("Done.", is_final=True)


class DelegationPlace(VoicePlace):
    """A call whose model hands over, and whose backend calls tools."""

    def __init__(self, setup: Setup) -> None:
        self.backend = Works()
        live = replace(setup.capabilities, hold="deaf", delegates=True, speech_events=False)
        super().__init__(setup, live, self.backend)

    async def come_in(self) -> VoiceSession:
        session = await super().come_in()
        self.provider.connections[-1].emit(Delegated("d1"))
        await settle_down()
        return session

    def respond(self) -> str:
        if not self.response:
            self._responses += 1
            self.response = f"r{self._responses}"
        return self.response

    async def end_response(self) -> None:
        self.response = ""
        await settle_down()

    async def issue(
        self, name: str, arguments: Mapping[str, object] | str = "{}", *, call_id: str | None = None
    ) -> None:
        text = arguments if isinstance(arguments, str) else json.dumps(dict(arguments))
        call = AIToolCall(self.an_id() if call_id is None else call_id, name, text)
        self.backend.made.put(Made(call, self.respond()))
        await settle_down()

    async def declared(self) -> set[str]:
        return self.backend.tools

    async def read(self) -> str:
        await self.end_response()
        with anyio.fail_after(400):
            return await self.backend.read.get()

    async def reads_nothing(self, for_s: float = 1.0) -> None:
        await super().reads_nothing(for_s)
        assert not len(self.backend.read), "the backend's model reads something"

    def outcome(self, command: Command) -> str | None:
        assert not isinstance(command, SentToolResult), (
            "the speech model gets an output of a call that it did not issue"
        )
        return super().outcome(command)


_RETURNS: Final = "`execute_tool_call` returns to whoever called it: of a call that is none, what is to be said of it"
_ENDS_ITS_WAIT: Final = "a backend gives a call up by ending its own wait"
_GOES_ON: Final = "a backend goes on by itself when its call returns"
_RETURNED: Final = "its outcome returns to the backend, whatever becomes of the connection to the speech model"

DELEGATION_LACKS: Final[Mapping[str, str]] = {
    "C2.1": _ENDS_ITS_WAIT,
    "C2.2a": _RETURNS,
    "C2.3": _RETURNS,
    "C2.3a": _RETURNS,
    "C2.4": "what a backend calls is of no response of the speech model's",
    "C4": _RETURNS,
    "C18b": "a backend says of no length that it cannot take it",
    "C20": _GOES_ON,
    "E6": _ENDS_ITS_WAIT,
    "E7a": _RETURNED,
    "E7b": _RETURNED,
    "E8": "a backend waits as long as a person is asked: its own bound stands still meanwhile",
    "E11": NOT_IN_A_ROOM,
}


@dataclass(frozen=True, slots=True)
class DelegationDoor:
    """A call that a reasoning backend makes."""

    title: str = "Delegation"
    name: DoorName = DoorName.DELEGATION
    channel_type: ChannelType = ChannelType.REALTIME_VOICE
    lacks: Mapping[str, str] = field(default_factory=lambda: DELEGATION_LACKS)

    def place(self, setup: Setup) -> Place:
        return DelegationPlace(setup)
