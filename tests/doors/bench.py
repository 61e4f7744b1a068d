"""A pipeline with everything around it that a call meets, and what a test needs to look at."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import anyio
import anyio.lowlevel

from voice_hitl.calls.book import Book
from voice_hitl.calls.call import ToolCall
from voice_hitl.doors.gate import Catalogue, Gate
from voice_hitl.doors.pipeline import Pipeline
from voice_hitl.doors.serving import Bounds, Origin, Servers
from voice_hitl.enums import ChannelType, DoorName, HookExecution, HookTrigger
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.ledger import RETENTION
from voice_hitl.requests.pending import PendingInput
from voice_hitl.requests.settlement import Settlement
from voice_hitl.tasks import Latch, Tasks
from voice_hitl.tools.asking import confirm_action
from voice_hitl.tools.context import Actor
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler
from voice_hitl.tools.policy import ToolPolicy

LOOK_UP = AITool("look_up", "Look something up.", {"type": "object", "properties": {"q": {"type": "string"}}})
SEATS = {"type": "object", "properties": {"seats": {"type": "integer"}}, "required": ["seats"]}
BOOK = AITool("book", "Book.", SEATS, requires_approval=True, approvers=("ada",), allow_edits=True)
CONFIRM = {"action": "Book it."}


@dataclass
class ADoor:
    """A door that keeps what goes through it."""

    name: DoorName = DoorName.PROVIDER_CALL
    sent: list[tuple[str, str, bool]] = field(default_factory=list[tuple[str, str, bool]])
    error: Exception | None = None
    gate: Latch | None = None

    async def deliver(self, call: ToolCall, text: str, *, failed: bool) -> str:
        self.sent.append((call.call_id, text, failed))
        if self.gate is not None:
            await self.gate.wait()
        if self.error is not None:
            raise self.error
        return "output"


@dataclass
class Watched:
    """What the session was told, in order."""

    told: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def asking(self, call: ToolCall, request: PendingInput) -> None:
        assert request.tool_call_id == call.call_id
        self.told.append(("asking", call.call_id))

    def answered(self, call: ToolCall) -> None:
        self.told.append(("answered", call.call_id))

    def delivered(self, call: ToolCall) -> None:
        self.told.append(("delivered", call.call_id))

    def reported(self, call: ToolCall) -> None:
        self.told.append(("reported", call.call_id))


class Bench:
    """One pipeline with everything a test needs to look at."""

    def __init__(
        self,
        handler: ToolHandler | None = None,
        *,
        tools: Sequence[AITool] = (LOOK_UP, BOOK),
        bounds: Bounds | None = None,
        policy: ToolPolicy | None = None,
        max_chars: int | None = None,
        persons: bool = True,
        retention: int = RETENTION,
    ) -> None:
        self.door = ADoor()
        self.book = Book()
        self.watched = Watched()
        self.kit = VoiceKit()
        self.tasks = Tasks("calls")
        self.watching = Tasks("hooks")
        self.reports: list[ToolCallEvent] = []
        self.human = HumanInputToolHandler(
            {"ConfirmAction"}, 60, HumanInputHandler(retention=retention), [confirm_action()]
        )
        human = self.human if persons else None
        definitions = (*tools, *self.human.tool_definitions) if persons else tuple(tools)

        @self.kit.hook(HookTrigger.ON_TOOL_CALL, HookExecution.ASYNC)
        async def report(event: ToolCallEvent, _ctx: HookContext) -> None:
            self.reports.append(event)

        self.pipeline = Pipeline(
            book=self.book,
            door=self.door,
            gate=Gate(Catalogue(definitions), policy),
            origin=Origin(
                channel_id="voice",
                channel_type=ChannelType.REALTIME_VOICE,
                room_id="desk",
                session_id="s1",
                actor=lambda: Actor("ada"),
            ),
            servers=Servers(human=human, host=lambda: handler, bounds=bounds or Bounds(), max_chars=max_chars),
            hooks=lambda: self.kit.hooks,
            hook_context=HookContext(self.kit, None, None, "desk"),
            tasks=self.tasks,
            watching=self.watching,
            watcher=self.watched,
        )

    async def settle(self, for_s: float = 0.0) -> None:
        """Let everything run that is due within so many seconds."""
        await anyio.sleep(for_s)
        for _ in range(30):
            await anyio.lowlevel.checkpoint()

    async def run(
        self, raw: str | Mapping[str, object] | None = "{}", name: str = "look_up", *, for_s: float = 30
    ) -> ToolCallEvent:
        """One call, run to its report."""
        before = len(self.reports)
        self.pipeline.arrive(f"c{before}", name, raw, f"r{before}")
        await self.settle(for_s)
        assert len(self.reports) == before + 1
        return self.reports[-1]

    @property
    def request(self) -> PendingInput:
        """The one request that is open."""
        (request,) = self.human.handler.open_in("s1")
        return request

    async def answer(self, answer: Answer) -> Settlement:
        return await self.human.handler.answer(self.request.pending_id, answer)

    @property
    def sent_error(self) -> str:
        """The words of the error that was sent."""
        (_, text, failed) = self.door.sent[-1]
        assert failed
        return str(json.loads(text)["error"])


async def echo(name: str, arguments: Mapping[str, object]) -> object:
    return {"name": name, **arguments}
