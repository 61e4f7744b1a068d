"""What the library adds to one tool call, at every door, in microseconds.

    python benchmarks/doors.py [--calls 1000]

The same three spans as in `tool_call.py`, with one hook of each kind, at each door in one run:

- plain: a host's handler, from the call handed in to its outcome delivered;
- open: a person's tool, from the call handed in to its request open (answerable);
- answer: from the answer to its outcome delivered.

A call is handed in by a connection's codec, by a chat model in the middle of its answer, or by a backend's
`execute_tool_call`; what brought the chat model or the backend to it is not measured. A door delivers in its own way:
an output, a line of text, the next request to a chat model, a return value. In words, a call is found in a transcript
first; a text turn carries its whole conversation, so each call has a room of its own.
"""

import json
import statistics
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Annotated, Protocol

import anyio
import tool_call
import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from voice_hitl import (
    AIChannel,
    AIToolCall,
    Answer,
    ConferenceChannel,
    ConferenceRealtimeConfig,
    HumanInputToolHandler,
    RealtimeVoiceChannel,
    Settlement,
    ToolPolicy,
    VoiceKit,
    confirm_action,
)
from voice_hitl.chat import ChatCall, ChatEnded, ChatEvent, ChatRequest
from voice_hitl.errors import ConnectionEnded
from voice_hitl.human_input.new_request import NewRequest
from voice_hitl.provider import (
    Delegated,
    InjectRole,
    ProviderCapabilities,
    ResponseEnded,
    ResponseStarted,
    ToolCalled,
    Transcript,
)
from voice_hitl.reasoning import ReasoningOutput, ReasoningRequest
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tasks import Latch, Mailbox
from voice_hitl.testing import LoopbackTransport, ScriptedConference

WARM_UP = 100
POLICY = ToolPolicy(deny=("admin_*",))


class Delivered:
    """When the call in hand was handed in, and when its outcome was delivered."""

    def __init__(self) -> None:
        self.latch = Latch()
        self.began = 0
        self.at = 0

    def begin(self) -> None:
        """The call is handed in now."""
        self.began = time.perf_counter_ns()

    def note(self) -> None:
        """It is there."""
        self.at = time.perf_counter_ns()
        self.latch.set()


class Door(Protocol):
    """A way a call comes in."""

    human: HumanInputToolHandler
    delivered: Delivered

    def issue(self, call_id: str, name: str, arguments: str) -> None:
        """The model makes the call."""
        ...


def people() -> HumanInputToolHandler:
    """Who answers the tool that asks."""
    return HumanInputToolHandler({"ConfirmAction"}, tool_definitions=[confirm_action()], timeout=3600)


# --- the doors -------------------------------------------------------------------------------------------------------


class Wire(tool_call.WireConnection):
    """A connection that notes when an outcome goes out, as an output or as text."""

    delivered: Delivered

    async def send_tool_result(self, call_id: str, name: str, text: str, *, failed: bool) -> None:
        """Encode it, and note it."""
        await super().send_tool_result(call_id, name, text, failed=failed)
        self.delivered.note()

    async def inject(self, text: str, *, role: InjectRole = "system", silent: bool = True) -> str:
        """Encode it, and note it where it is an outcome and not the notice that a person is being asked."""
        item = await super().inject(text, role=role, silent=silent)
        if "has returned" in text:
            self.delivered.note()
        return item


class WireProvider(tool_call.WireProvider):
    """Gives one `Wire`."""

    def __init__(self, *, delegates: bool = False) -> None:
        self.wire = Wire()
        self.connection = self.wire
        self.capabilities = ProviderCapabilities(delegates=delegates)


class ProviderDoor:
    """The model issues the call."""

    def __init__(self, wire: Wire, human: HumanInputToolHandler) -> None:
        self.human = human
        self.delivered = wire.delivered = Delivered()
        self._wire = wire

    def issue(self, call_id: str, name: str, arguments: str) -> None:
        """As the codec would hand it in."""
        self.delivered.begin()
        self._wire.events_in.put(ToolCalled(call_id, name, arguments, call_id))


class SpokenDoor(ProviderDoor):
    """The model says the call."""

    def issue(self, call_id: str, name: str, arguments: str) -> None:
        """As the codec would hand it in; the response ends behind it."""
        self.delivered.begin()
        self._wire.events_in.put(ResponseStarted(call_id))
        self._wire.events_in.put(Transcript("assistant", f"{name}({arguments})", final=True, item_id=call_id))
        self._wire.events_in.put(ResponseEnded(call_id))


@asynccontextmanager
async def on_a_call(kit: VoiceKit, make: Callable[[Wire, HumanInputToolHandler], Door]) -> AsyncGenerator[Door]:
    """A voice call whose model issues its calls, or says them."""
    provider, transport, human = WireProvider(), LoopbackTransport(), people()
    channel = RealtimeVoiceChannel(
        "voice",
        provider=provider,
        transport=transport,
        tools=[tool_call.TRANSFER],
        tool_handler=tool_call.transfer,
        human_input_handler=human,
        tool_policy=POLICY,
    )
    kit.register_channel(channel)
    door = make(provider.wire, human)
    await transport.call(participant_id="ada", room_id="desk")
    yield door


@asynccontextmanager
async def in_a_conference(kit: VoiceKit) -> AsyncGenerator[Door]:
    """A room with one participant."""
    provider, human = WireProvider(), people()

    async def transfer(_room: str, _name: str, _arguments: Mapping[str, object]) -> str:
        return "ok"

    backend = ScriptedConference()
    channel = ConferenceChannel(
        "room",
        backend=backend,
        realtime=ConferenceRealtimeConfig(
            provider, tools=[tool_call.TRANSFER], tool_handler=transfer, human_input_handler=human
        ),
        tool_policy=POLICY,
    )
    kit.register_channel(channel)
    door = ProviderDoor(provider.wire, human)
    await channel.attach("desk")
    yield door


class DelegationDoor:
    """A reasoning backend's model makes the calls, all in one delegation."""

    def __init__(self, human: HumanInputToolHandler) -> None:
        self.human = human
        self.delivered = Delivered()
        self._calls: Mailbox[AIToolCall] = Mailbox()

    def issue(self, call_id: str, name: str, arguments: str) -> None:
        """The backend's model has made it."""
        self._calls.put(AIToolCall(id=call_id, name=name, arguments=json.loads(arguments)))

    async def reason(self, request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        """Run each call as the session's own."""
        async for call in self._calls:
            self.delivered.begin()
            await request.execute_tool_call(call)
            self.delivered.note()
        yield ReasoningOutput("done", is_final=True)

    def end(self) -> None:
        """No more calls."""
        self._calls.close()


@asynccontextmanager
async def in_a_delegation(kit: VoiceKit) -> AsyncGenerator[Door]:
    """A model that hands over."""
    provider, transport, human = WireProvider(delegates=True), LoopbackTransport(), people()
    door = DelegationDoor(human)
    channel = RealtimeVoiceChannel(
        "voice",
        provider=provider,
        transport=transport,
        tools=[tool_call.TRANSFER],
        tool_handler=tool_call.transfer,
        human_input_handler=human,
        tool_policy=POLICY,
        reasoning_backend=door,
    )
    kit.register_channel(channel)
    provider.wire.delivered = Delivered()
    await transport.call(participant_id="ada", room_id="desk")
    provider.wire.events_in.put(Delegated("d1", "client"))
    yield door
    door.end()


class Written:
    """One answer of the chat model, all of it there."""

    def __init__(self, delivered: Delivered, *events: ChatEvent) -> None:
        self._delivered = delivered
        self._events = list(events)

    async def get(self) -> ChatEvent:
        """The next event."""
        if not self._events:
            raise ConnectionEnded("the answer is over")
        event = self._events.pop(0)
        if isinstance(event, ChatCall):
            self._delivered.begin()
        return event

    async def aclose(self) -> None:
        """Nothing to let go."""


class TextDoor:
    """A chat model makes one call a turn."""

    name = "written"

    def __init__(self, human: HumanInputToolHandler, turns: Mailbox[str]) -> None:
        self.human = human
        self.delivered = Delivered()
        self._turns = turns
        self._call: ChatCall | None = None

    def issue(self, call_id: str, name: str, arguments: str) -> None:
        """The model's answer to the next turn, which begins now."""
        self._call = ChatCall(call_id, name, arguments)
        self._turns.put(call_id)

    async def reply(self, request: ChatRequest) -> Written:
        """Make the call, then say that it was done."""
        call, self._call = self._call, None
        if call is not None:
            return Written(self.delivered, call, ChatEnded("calls"))
        self.delivered.note()
        return Written(self.delivered, ChatEnded("stop"))


@asynccontextmanager
async def in_a_text_turn(kit: VoiceKit) -> AsyncGenerator[Door]:
    """A room a call: a turn carries its whole conversation."""
    human, turns = people(), Mailbox[str]()
    door = TextDoor(human, turns)
    channel = AIChannel(
        "text",
        provider=door,
        tools=[tool_call.TRANSFER],
        tool_handler=tool_call.transfer,
        human_input_handler=human,
        tool_policy=POLICY,
    )
    kit.register_channel(channel)

    async def serve() -> None:
        async for room in turns:
            async for _event in channel.turn("Go on.", room_id=room):
                pass

    async with anyio.create_task_group() as group:
        group.start_soon(serve)
        yield door
        turns.close()


DOORS: Mapping[str, Callable[[VoiceKit], AbstractAsyncContextManager[Door]]] = {
    "provider call": partial(on_a_call, make=ProviderDoor),
    "spoken call": partial(on_a_call, make=SpokenDoor),
    "conference": in_a_conference,
    "delegation": in_a_delegation,
    "text turn": in_a_text_turn,
}


# --- the spans -------------------------------------------------------------------------------------------------------


class Openings:
    """When a request was opened."""

    def __init__(self, human: HumanInputToolHandler) -> None:
        self.at = 0
        self.latch = Latch()
        self.pending: PendingInput | None = None
        self._open = human.handler.open
        object.__setattr__(human.handler, "open", self._watched)

    def _watched(self, new: NewRequest) -> PendingInput:
        self.pending = self._open(new)
        self.at = time.perf_counter_ns()
        self.latch.set()
        return self.pending

    def reset(self) -> None:
        """Wait for the next."""
        self.latch = Latch()


async def measure(door: Door, calls: int, advance: Callable[[], None]) -> tool_call.Spans:
    """The three spans at one door, in nanoseconds."""
    spans: tool_call.Spans = {name: [] for name in tool_call.BARS_US}
    openings = Openings(door.human)
    for number in range(calls + WARM_UP):
        door.delivered.latch = Latch()
        door.issue(f"plain-{number}", "transfer", tool_call.ARGUMENTS)
        await door.delivered.latch.wait()
        spans["plain"].append(door.delivered.at - door.delivered.began)
        await tool_call.settle_down()

        door.delivered.latch = Latch()
        openings.reset()
        door.issue(f"asked-{number}", "ConfirmAction", tool_call.ACTION)
        await openings.latch.wait()
        spans["open"].append(openings.at - door.delivered.began)
        await tool_call.settle_down()
        pending = openings.pending
        answered = time.perf_counter_ns()
        settlement = await door.human.handler.answer(pending.pending_id if pending else "", Answer(True, by="ada"))
        if settlement != Settlement.ACCEPTED:
            raise RuntimeError(f"the answer was {settlement}")
        await door.delivered.latch.wait()
        spans["answer"].append(door.delivered.at - answered)
        await tool_call.settle_down()
        advance()
    return {name: taken[WARM_UP:] for name, taken in spans.items()}


async def at(name: str, calls: int, advance: Callable[[], None]) -> tool_call.Spans:
    """The spans at the door of this name."""
    async with AsyncExitStack() as stack:
        kit = await stack.enter_async_context(VoiceKit())
        tool_call.a_hook_of_each_kind(kit)
        door = await stack.enter_async_context(DOORS[name](kit))
        return await measure(door, calls, advance)


def main(calls: Annotated[int, typer.Option(help="Calls of each kind at each door.")] = 1_000) -> None:
    """Measure and print the table."""
    table = Table(title=f"One tool call at each door, microseconds ({calls} calls, Python {sys.version.split()[0]})")
    table.add_column("door")
    for span, bar in tool_call.BARS_US.items():
        table.add_column(f"{span} p50", justify="right")
        table.add_column(f"p99 (bar p50 {bar})", justify="right")
    with Progress(console=Console(stderr=True)) as progress:
        for name in DOORS:
            task = progress.add_task(name, total=calls + WARM_UP)
            spans = anyio.run(partial(at, name, calls, partial(progress.advance, task)))
            cells = [
                f"{figure:.1f}"
                for span in tool_call.BARS_US
                for figure in (statistics.median(spans[span]) / 1000, tool_call.quantile(spans[span], 0.99))
            ]
            table.add_row(name, *cells)
    Console().print(table)


if __name__ == "__main__":
    typer.run(main)
