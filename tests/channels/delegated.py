"""Backends that work as a test says, and a desk whose model hands its work over to one."""

from collections.abc import AsyncIterator, Callable, Sequence

import anyio

from tests.channels.desk import CONFIRM, Call, Desk
from tests.channels.kept import LOOK_UP, settle_down
from voice_hitl.channels.delegation_words import InVain, words_for
from voice_hitl.provider import Delegated, ProviderCapabilities, Transcript
from voice_hitl.reasoning import ReasoningOutput, ReasoningRequest
from voice_hitl.testing import DelegationOutput
from voice_hitl.tools.calls import AIToolCall
from voice_hitl.tools.definition import AITool

LIVE = ProviderCapabilities(hold="deaf", delegates=True, speech_events=False)
DELETE = AITool("delete_all", "Delete everything.", {"type": "object"})

Work = Callable[[ReasoningRequest], AsyncIterator[ReasoningOutput]]


class Backend:
    """A backend that works as the test says, and keeps what it was asked."""

    def __init__(self, work: Work | None = None) -> None:
        self.work = work or answer
        self.requests: list[ReasoningRequest] = []
        self.ended: list[str] = []
        self.closed: list[str] = []

    async def reason(self, request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        self.requests.append(request)
        try:
            async for output in self.work(request):
                yield output
        finally:
            self.closed.append(request.delegation_id)

    def session_ended(self, session_id: str) -> None:
        self.ended.append(session_id)


class Nonsense:
    """A backend whose `reason` gives whatever the test says."""

    def __init__(self, given: Callable[[ReasoningRequest], object]) -> None:
        self.reason = given


async def answer(_request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
    yield ReasoningOutput("It is sunny.", is_final=True)


def calls(*made: AIToolCall) -> Work:
    """Make these calls at once, and say what they return."""

    async def work(request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        texts: dict[int, str] = {}

        async def run(number: int, call: AIToolCall) -> None:
            texts[number] = await request.execute_tool_call(call)

        async with anyio.create_task_group() as group:
            for number, call in enumerate(made):
                group.start_soon(run, number, call)
        yield ReasoningOutput(" | ".join(texts[number] for number in sorted(texts)), is_final=True)

    return work


CONFIRMS = AIToolCall("c1", "ConfirmAction", CONFIRM)
LOOKS_UP = AIToolCall("c1", "look_up", '{"q": "menu"}')


def said(text: str, *, by: str = "user", item: str = "i1") -> Transcript:
    return Transcript("user" if by == "user" else "assistant", text, final=True, item_id=item)


def desk(work: Work | None = None, *, timeout_s: float | None = 120, tools: Sequence[AITool] = (LOOK_UP,)) -> Desk:
    backend = Backend(work)
    return Desk(capabilities=LIVE, reasoning_backend=backend, reasoning_timeout_s=timeout_s, tools=tools)


async def hand_over(call: Call, delegation_id: str = "d1", *, target: str = "client") -> None:
    call.model.emit(Delegated(delegation_id, target))
    await settle_down()


async def tells(call: Call, how: InVain, delegation_id: str = "d1", *, language: str = "en") -> None:
    """The caller hears the fixed sentence, once, and nothing else."""
    text = words_for(how, language)
    await call.model.expect(DelegationOutput, delegation_id=delegation_id, text=text, final=True, spoken=True)
    await settle_down(5)
