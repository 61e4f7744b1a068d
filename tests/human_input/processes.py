"""Handlers that share a store are the processes here; virtual time is theirs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import anyio

from voice_hitl.enums import ChannelType
from voice_hitl.errors import StoreUnavailable
from voice_hitl.human_input.approvals import open_approval
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.human_input.tool_handler import Caller, HumanInputToolHandler
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Choice, Confirm, Form, Option, Question
from voice_hitl.requests.pending import PendingInput, PendingInputEvent
from voice_hitl.store import LEASE_S, Letter, Row, Unreadable
from voice_hitl.stores.memory import MemoryStore
from voice_hitl.tools.context import ToolCallContext
from voice_hitl.tools.definition import AITool

BOOK = Confirm(prompt="Book it?")
PIZZA = Form(
    questions=(
        Choice(prompt="Which size?", options=(Option(label="Small"), Option(label="Large"))),
        Choice(prompt="Which crust?", options=(Option(label="Thin"), Option(label="Thick"))),
    )
)
REFUND = AITool(
    "refund",
    "Refund an order.",
    {"type": "object", "properties": {"amount": {"type": "integer"}}, "required": ["amount"]},
    requires_approval=True,
    approvers=("caller", "manager"),
    allow_edits=True,
)
APPROVED = Answer(by="manager", decision="approve")


@dataclass
class Unsteady(MemoryStore):
    """A store that can go away, or be slow, with what it has."""

    away: bool = False
    takes_s: float = 0.0
    fails_to: set[str] = field(default_factory=set[str])
    """What it does not do, by the names of its methods, while it does the rest."""

    def __post_init__(self) -> None:
        super().__init__()

    async def write(self, row: Row, *, orphan_of: str | None = None) -> bool:
        await self._there()
        return await super().write(row, orphan_of=orphan_of)

    async def read(self, request_id: str) -> Row | Unreadable | None:
        await self._there("read")
        return await super().read(request_id)

    async def renew(self, holder: str, seconds: float) -> bool:
        await self._there("renew")
        return await super().renew(holder, seconds)

    async def letters(self, holder: str, *, timeout_s: float) -> Sequence[Letter]:
        await self._there()
        return await super().letters(holder, timeout_s=timeout_s)

    def lose(self, pending: PendingInput) -> None:
        """It has the row of an open request no more, as a server that was started again without its data."""
        del self._unsettled[pending.pending_id]

    async def reply(self, letter: Letter, verdict: str) -> None:
        await self._there("reply")
        await super().reply(letter, verdict)

    async def _there(self, method: str = "") -> None:
        await anyio.sleep(self.takes_s)
        if self.away or method in self.fails_to:
            raise StoreUnavailable("it is away")


@dataclass
class Counter:
    """The tools of an application: how often each ran, with what, and what it returns or raises."""

    ran: list[Mapping[str, object]] = field(default_factory=list[Mapping[str, object]])
    error: Exception | None = None
    takes_s: float = 0.0

    async def __call__(self, name: str, arguments: dict[str, object]) -> object:
        self.ran.append(arguments)
        await anyio.sleep(self.takes_s)
        if self.error is not None:
            raise self.error
        return {"refunded": arguments["amount"]}


@dataclass
class Results:
    """What an application is told of late results."""

    told: list[tuple[PendingInputEvent, Answer]] = field(default_factory=list[tuple[PendingInputEvent, Answer]])

    async def __call__(self, request: PendingInputEvent, answer: Answer) -> None:
        self.told.append((request, answer))


Process = Callable[..., HumanInputHandler]


async def ask(handler: HumanInputHandler, question: Question = BOOK, tool: str = "Ask") -> PendingInput:
    pending = await handler.create(tool, {"q": "?"}, channel_id="voice", session_id="s1", question=question)
    await anyio.sleep(0.1)
    return pending


def killed(handler: HumanInputHandler) -> None:
    """The process of a handler dies: nothing of it runs any more, and nothing was said."""
    stand_still(handler)
    for job in handler._alongside._tasks._jobs.values():  # pyright: ignore[reportPrivateUsage] - as below
        job.cancel()


def stand_still(handler: HumanInputHandler) -> None:
    """The process of a handler is stopped: it renews nothing and reads nothing."""
    holding = handler._with_store.holding  # pyright: ignore[reportPrivateUsage] - this process cannot be killed
    for job in holding._tasks._jobs.values():  # pyright: ignore[reportPrivateUsage] - as above
        job.cancel()


async def gone(handler: HumanInputHandler) -> None:
    """The process of a handler dies, and its lease runs out."""
    killed(handler)
    await anyio.sleep(LEASE_S + 1)


def approval(handler: HumanInputHandler, amount: int = 5) -> PendingInput:
    human = HumanInputToolHandler(["Ask"], handler=handler)
    caller = Caller.of(ToolCallContext(session_id="s1", call_id="c1", room_id="desk"))
    return open_approval(human, caller, REFUND, {"amount": amount}, channel_type=ChannelType.REALTIME_VOICE)


async def row_of(store: Unsteady, pending: PendingInput) -> Row:
    row = await store.read(pending.pending_id)
    assert isinstance(row, Row)
    return row
