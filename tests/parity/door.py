"""What a door is to the rules: how a call comes in, how the model's answer is read, how a caller hangs up.

A rule is one test, run over every door that has it. A new door is one `Door` in `doors.py`, no more.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Final, Protocol

import anyio

from tests.channels.desk import look_up
from tests.channels.kept import LOOK_UP, RunningTasks, kept, settle_down
from voice_hitl.asker import Asker
from voice_hitl.enums import ChannelType, DoorName, HookTrigger
from voice_hitl.events import ErrorEvent, ToolCallEvent
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.provider import ProviderCapabilities
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.pending import PendingInput, PendingInputEvent
from voice_hitl.requests.settlement import Settlement
from voice_hitl.tools.asking import confirm_action
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler
from voice_hitl.tools.policy import ToolPolicy

CHANNEL: Final = "door"
ROOM: Final = "desk"
ACTOR: Final = "ada"
CONFIRM: Final[Mapping[str, object]] = {"action": "Book a table for four."}
SEATS: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {"seats": {"type": "integer"}},
    "required": ["seats"],
}
BOOK: Final = AITool("book", "Book a table.", SEATS, requires_approval=True, approvers=(ACTOR,))
WORDS: Final = AITool("AskUser", "Ask for words.", {"type": "object", "properties": {"question": {"type": "string"}}})


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What a channel is made with, the same at every door.

    Args:
        tools: The host's tools.
        handler: Serves them.
        policy: Which tools are admitted.
        persons: Whether the channel has a person's tools at all.
        timeout: What a person has, in seconds.
        timeouts: Bounds by tool name.
        askers: The ways to reach a person; none: a hook does.
        people: A handler to share; by default one of its own.
        withdrawable: Whether the model may call a question off.
        defined: Whether the person's tools come with their definitions.
        capabilities: What a realtime provider can do.
        kit: Whether the channel is in a kit.
    """

    tools: Sequence[AITool] = (LOOK_UP, BOOK)
    handler: ToolHandler | None = look_up
    policy: ToolPolicy | None = None
    persons: bool = True
    timeout: float = 60
    timeouts: Mapping[str, float] = field(default_factory=dict[str, float])
    askers: Sequence[Asker] = ()
    people: HumanInputHandler | None = None
    withdrawable: bool = False
    defined: bool = True
    capabilities: ProviderCapabilities = field(default_factory=ProviderCapabilities)
    kit: bool = True


class Place(ABC):
    """One session at a door, and what its hooks hear. As a context manager: nothing may be left when it closes."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.kit = VoiceKit()
        self.people = HumanInputToolHandler(
            {"ConfirmAction", "AskUser"},
            timeout=setup.timeout,
            tool_definitions=[confirm_action(), WORDS] if setup.defined else [],
            askers=setup.askers,
            handler=setup.people,
            withdrawable=setup.withdrawable,
        )
        self.reports = kept(self.kit, ToolCallEvent, HookTrigger.ON_TOOL_CALL)
        self.required: list[PendingInputEvent] = []
        self.settled = kept(self.kit, PendingInputEvent, HookTrigger.ON_USER_INPUT_SETTLED)
        self.errors = kept(self.kit, ErrorEvent, HookTrigger.ON_ERROR)
        if not setup.askers:
            self.required = kept(self.kit, PendingInputEvent, HookTrigger.ON_USER_INPUT_REQUIRED)

    # --- the door's own ----------------------------------------------------------------------------------------------

    @abstractmethod
    async def start(self) -> None:
        """Begin the session. The channel, whose id is `CHANNEL`, is in the kit unless the setup says otherwise."""

    @abstractmethod
    async def issue(
        self, name: str, arguments: Mapping[str, object] | str = "{}", *, call_id: str | None = None
    ) -> None:
        """The model calls a tool, in the response that it is giving, or in a new one. `call_id`: "" is none."""

    @abstractmethod
    async def end_response(self) -> None:
        """The response is over."""

    @abstractmethod
    async def read(self) -> str:
        """End the response, and return the next outcome that the model reads, which must come within a while."""

    @abstractmethod
    async def reads_nothing(self, for_s: float = 1.0) -> None:
        """For so long the model must read no outcome."""

    @abstractmethod
    async def declared(self) -> set[str]:
        """The names of the tools that the model knows."""

    @abstractmethod
    async def hang_up(self) -> None:
        """The caller goes; returns when everything of the session has ended."""

    @abstractmethod
    async def end_session(self) -> None:
        """The application ends it, from wherever this is called."""

    @abstractmethod
    async def close(self) -> None:
        """The application closes the channel."""

    @abstractmethod
    def serve(self, handler: ToolHandler) -> None:
        """This handler serves from now on."""

    @abstractmethod
    def done(self) -> None:
        """Nothing was sent that was not read."""

    # --- what not every door has -------------------------------------------------------------------------------------

    async def goes_on(self) -> bool:
        """Whether the model was asked to go on, once, since this was last asked."""
        raise NotImplementedError

    def caller_speaks(self) -> AbstractAsyncContextManager[None]:
        """Within, the caller speaks."""
        raise NotImplementedError

    def floor_taken(self) -> AbstractAsyncContextManager[None]:
        """Within, an asker has the floor."""
        raise NotImplementedError

    async def notes(self) -> list[str]:
        """What the model was told so far of calls that wait."""
        raise NotImplementedError

    @property
    def notes_taken_back(self) -> int:
        """How much of it was taken out again."""
        raise NotImplementedError

    async def caller_said(self, text: str) -> None:
        """What the caller said is written down; the model's call may come in the same tick."""
        raise NotImplementedError

    async def lose_leg(self) -> None:
        """The caller vanishes without a word."""
        raise NotImplementedError

    async def rejoin(self) -> None:
        """The caller is back."""
        raise NotImplementedError

    async def fail_model(self, *, fatal: bool = True) -> None:
        """The model's service fails, for good or not."""
        raise NotImplementedError

    async def cancel_calls(self, *call_ids: str) -> None:
        """The provider gives these calls up."""
        raise NotImplementedError

    async def replace_connection(self, *, kept: tuple[str, ...] | None = None) -> None:
        """The connection is lost, and another stands, which may say whose outputs it still takes."""
        raise NotImplementedError

    async def reconfigure(self, *tools: AITool) -> None:
        """The session has other tools of the host's from now on."""
        raise NotImplementedError

    async def take_role(self, role: str) -> None:
        """Who is in the session has this role from now on."""
        raise NotImplementedError

    async def renew_connection(self) -> None:
        """The model's service says that it will end the connection soon; returns when another stands."""
        raise NotImplementedError

    async def unplug(self) -> None:
        """The model is taken out of the room, which goes on."""
        raise NotImplementedError

    async def barge_in(self) -> None:
        """The caller has something new to say."""
        raise NotImplementedError

    async def ask_too(self) -> PendingInput:
        """The model asks a person, and has not said all that it has to say."""
        return await self.ask()

    # --- what every door has -----------------------------------------------------------------------------------------

    @property
    def requests(self) -> list[PendingInput]:
        """What is open, oldest first."""
        people = self.people.handler
        sessions = dict.fromkeys(request.session_id for request in people.pending.values())
        return [request for session_id in sessions for request in people.open_in(session_id)]

    @property
    def request(self) -> PendingInput:
        """The one request that is open."""
        (request,) = self.requests
        return request

    async def ask(self, arguments: Mapping[str, object] = CONFIRM, *, call_id: str | None = None) -> PendingInput:
        """The model asks a person; return the request, live."""
        before = {request.pending_id for request in self.requests}
        await self.issue("ConfirmAction", arguments, call_id=call_id)
        await self.end_response()
        await settle_down()
        (request,) = (request for request in self.requests if request.pending_id not in before)
        return request

    async def approval(self, arguments: Mapping[str, object] | None = None) -> PendingInput:
        """The model calls a tool that has to be approved; return the request, live."""
        await self.issue("book", arguments or {"seats": 4})
        await self.end_response()
        await settle_down()
        return self.request

    async def answer(self, value: object = True, *, by: str = ACTOR) -> Settlement:
        """A person answers the one open request."""
        return await self.people.handler.answer(self.request.pending_id, Answer(value, by=by))

    async def report(self) -> ToolCallEvent:
        """The one report so far."""
        await settle_down()
        (report,) = self.reports
        return report

    async def __aenter__(self) -> "Place":
        self._tasks = RunningTasks()
        await self.start()
        await settle_down()
        return self

    async def __aexit__(self, kind: object, _error: object, _trace: object) -> None:
        with anyio.fail_after(60):
            await self.close()
            await self.kit.close()
        if kind is None:
            self._tasks.check()
            assert self.people.handler.pending == {}
            self.done()


class Door(Protocol):
    """A way a call comes in."""

    @property
    def title(self) -> str:
        """What its column is called."""
        ...

    @property
    def name(self) -> DoorName:
        """What events say of it."""
        ...

    @property
    def channel_type(self) -> ChannelType:
        """Its channel's."""
        ...

    @property
    def lacks(self) -> Mapping[str, str]:
        """The rules that it does not have, by number or the beginning of one, and why."""
        ...

    def place(self, setup: Setup) -> Place:
        """A session at this door."""
        ...


def error(text: str) -> str:
    """The words of an error, as the model reads it."""
    words: object = json.loads(text)["error"]
    assert isinstance(words, str)
    return words


def why_not(door: Door, number: str) -> str | None:
    """Why this door does not have this rule; None: it has."""

    def covers(begin: str) -> bool:
        inside_a_number = begin[-1].isdigit() and number[len(begin) :][:1].isdigit()
        return number.startswith(begin) and not inside_a_number

    found = [begin for begin in door.lacks if covers(begin)]
    longest = max(found, key=len, default=None)
    return None if longest is None else door.lacks[longest]
