"""What the library adds to one tool call, at every door, in microseconds.

    python benchmarks/doors.py [--calls 1000] [--door "text turn"]

The same three spans as in `tool_call.py`, with one hook of each kind, at each door in one run, alone and with 1,000
other requests open that came through the same door:

- plain: a host's handler, from the call handed in to its outcome delivered;
- open: a person's tool, from the call handed in to its request open (answerable);
- answer: from the answer to its outcome delivered.

A call is handed in by a connection's codec, by a chat model in the middle of its answer, or by a backend's
`execute_tool_call`; what brought the chat model or the backend to it is not measured. A door delivers in its own way:
an output, a line of text, the next request to a chat model, a return value. In words, a call is found in a transcript
first; a text turn carries its whole conversation, so each call has a room of its own.

A second table says how long a person's call takes from where it is handed in to its BEFORE_TOOL_USE hook, and from its
ON_TOOL_CALL hook to where its outcome is sent: what lies between is the same at every door.

The bars were set on one machine; the first line says how fast this one is at what a call is made of.
"""

import asyncio
import gc
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
import yardstick
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
from voice_hitl.tasks import Mailbox
from voice_hitl.testing import LoopbackTransport, ScriptedConference

WARM_UP = 100
THE_DOORS: Mapping[str, str] = {"in": "handed in to its hook", "out": "its hook to sent"}
"""What of a person's call is the door's own, beside what it has in common with the others."""
POLICY = ToolPolicy(deny=("admin_*",))


class Door(Protocol):
    """A way a call comes in."""

    human: HumanInputToolHandler
    began: int
    """When the last call was handed in (nanoseconds)."""
    delivered: tool_call.Moment

    async def issue(self, call_id: str, name: str, arguments: str) -> None:
        """The model makes the call."""
        ...


def people() -> HumanInputToolHandler:
    """Who answers the tool that asks."""
    return HumanInputToolHandler({"ConfirmAction"}, tool_definitions=[confirm_action()], timeout=3600)


# --- the doors -------------------------------------------------------------------------------------------------------


class Wire(tool_call.WireConnection):
    """A connection that notes when an outcome goes out, also as text."""

    async def inject(self, text: str, *, role: InjectRole = "system", silent: bool = True) -> str:
        """Encode it, and note it where it is an outcome and not the notice that a person is being asked."""
        item = await super().inject(text, role=role, silent=silent)
        if "has returned" in text:
            self.sent.note()
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
        self.began = 0
        self.delivered = wire.sent
        self._wire = wire

    async def issue(self, call_id: str, name: str, arguments: str) -> None:
        """As the codec would hand it in."""
        self.began = time.perf_counter_ns()
        self._wire.events_in.put(ToolCalled(call_id, name, arguments, call_id))


class SpokenDoor(ProviderDoor):
    """The model says the call."""

    async def issue(self, call_id: str, name: str, arguments: str) -> None:
        """As the codec would hand it in, in a response that goes on, and ends behind it."""
        self._wire.events_in.put(ResponseStarted(call_id))
        await tool_call.settle_down()
        self.began = time.perf_counter_ns()
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
        self.began = 0
        self.delivered = tool_call.Moment()
        self._calls: Mailbox[AIToolCall] = Mailbox()

    async def issue(self, call_id: str, name: str, arguments: str) -> None:
        """The backend's model has made it."""
        self._calls.put(AIToolCall(id=call_id, name=name, arguments=json.loads(arguments)))

    async def reason(self, request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        """Run the calls as the session's own, each beside the others."""
        async with anyio.create_task_group() as group:
            async for call in self._calls:
                group.start_soon(self._run, request, call)
        yield ReasoningOutput("done", is_final=True)

    async def _run(self, request: ReasoningRequest, call: AIToolCall) -> None:
        self.began = time.perf_counter_ns()
        await request.execute_tool_call(call)
        self.delivered.note()

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
    await transport.call(participant_id="ada", room_id="desk")
    provider.wire.events_in.put(Delegated("d1", "client"))
    yield door
    door.end()


class Written:
    """One answer of the chat model. Each piece of it comes in a tick of its own, as from a stream."""

    def __init__(self, begins: Callable[[], None], *events: ChatEvent) -> None:
        self._begins = begins
        self._events = list(events)

    async def get(self) -> ChatEvent:
        """The next event."""
        if not self._events:
            raise ConnectionEnded("the answer is over")
        await asyncio.sleep(0)
        event = self._events.pop(0)
        if isinstance(event, ChatCall):
            self._begins()
        return event

    async def aclose(self) -> None:
        """Nothing to let go."""


class TextDoor:
    """A chat model makes one call a turn."""

    name = "written"

    def __init__(self, human: HumanInputToolHandler, begin_turn: Callable[[str], object]) -> None:
        self.human = human
        self.began = 0
        self.delivered = tool_call.Moment()
        self._begin_turn = begin_turn
        self._call: ChatCall | None = None

    async def issue(self, call_id: str, name: str, arguments: str) -> None:
        """The model's answer to the next turn, which begins now, in a room of its own."""
        self._call = ChatCall(call_id, name, arguments)
        self._begin_turn(call_id)

    async def reply(self, request: ChatRequest) -> Written:
        """Make the call, then say that it was done."""
        call, self._call = self._call, None
        if call is not None:
            return Written(self._begins, call, ChatEnded("calls"))
        self.delivered.note()
        return Written(self._begins, ChatEnded("stop"))

    def _begins(self) -> None:
        self.began = time.perf_counter_ns()


@asynccontextmanager
async def in_a_text_turn(kit: VoiceKit) -> AsyncGenerator[Door]:
    """A room a call: a turn carries its whole conversation."""
    human = people()

    async def turn(room: str) -> None:
        async for _event in channel.turn("Go on.", room_id=room):
            pass

    async with anyio.create_task_group() as group:
        door = TextDoor(human, lambda room: group.start_soon(turn, room))
        channel = AIChannel(
            "text",
            provider=door,
            tools=[tool_call.TRANSFER],
            tool_handler=tool_call.transfer,
            human_input_handler=human,
            tool_policy=POLICY,
        )
        kit.register_channel(channel)
        yield door
        group.cancel_scope.cancel()


DOORS: Mapping[str, Callable[[VoiceKit], AbstractAsyncContextManager[Door]]] = {
    "provider call": partial(on_a_call, make=ProviderDoor),
    "spoken call": partial(on_a_call, make=SpokenDoor),
    "conference": in_a_conference,
    "delegation": in_a_delegation,
    "text turn": in_a_text_turn,
}


# --- the spans -------------------------------------------------------------------------------------------------------


async def measure(
    door: Door, hooked: tool_call.Hooked, calls: int, others: int, advance: Callable[[], None]
) -> tool_call.Spans:
    """The three spans at one door with `others` requests open, and what of them is the door's, in nanoseconds."""
    spans: tool_call.Spans = {name: [] for name in (*tool_call.BARS_US, *THE_DOORS)}
    openings = tool_call.Openings(door.human)
    for number in range(others):
        openings.opened.expect()
        await door.issue(f"other-{number}", "ConfirmAction", tool_call.ACTION)
        await openings.wait()
    for number in range(calls + WARM_UP):
        door.delivered.expect()
        await door.issue(f"plain-{number}", "transfer", tool_call.ARGUMENTS)
        await door.delivered.wait()
        spans["plain"].append(door.delivered.at - door.began)
        await tool_call.settle_down()

        openings.opened.expect()
        await door.issue(f"asked-{number}", "ConfirmAction", tool_call.ACTION)
        pending = await openings.wait()
        spans["open"].append(openings.opened.at - door.began)
        spans["in"].append(hooked.before - door.began)
        await tool_call.settle_down()

        door.delivered.expect()
        answered = time.perf_counter_ns()
        settlement = await door.human.handler.answer(pending.pending_id, Answer(True, by="ada"))
        if settlement != Settlement.ACCEPTED:
            raise RuntimeError(f"the answer was {settlement}")
        await door.delivered.wait()
        spans["answer"].append(door.delivered.at - answered)
        spans["out"].append(door.delivered.at - hooked.judging)
        await tool_call.settle_down()
        advance()
    return {name: taken[WARM_UP:] for name, taken in spans.items()}


async def at(name: str, calls: int, others: int, advance: Callable[[], None]) -> tool_call.Spans:
    """The spans at the door of this name."""
    async with AsyncExitStack() as stack:
        kit = await stack.enter_async_context(VoiceKit())
        hooked = tool_call.a_hook_of_each_kind(kit)
        door = await stack.enter_async_context(DOORS[name](kit))
        return await measure(door, hooked, calls, others, advance)


def main(
    calls: Annotated[int, typer.Option(help="Calls of each kind at each door.")] = 1_000,
    door: Annotated[list[str] | None, typer.Option(help="Only at this door; may be given again.")] = None,
) -> None:
    """Measure and print the table."""
    Console().print(anyio.run(yardstick.this_machine))
    title = f"One tool call at each door: us, p50 / p99 ({calls} calls, Python {sys.version.split()[0]})"
    table = Table("door", "requests open", title=title)
    for span, bar in tool_call.BARS_US.items():
        table.add_column(f"{span}\n(bar {bar})", justify="right", no_wrap=True)
    own = Table("door", "requests open", *THE_DOORS.values(), title="What of it differs from door to door: p50")
    with Progress(console=Console(stderr=True)) as progress:
        for name in door or DOORS:
            for others in (0, tool_call.OTHERS):
                task = progress.add_task(f"{name}, {others} open", total=calls + WARM_UP)
                gc.collect()
                spans = anyio.run(partial(at, name, calls, others, partial(progress.advance, task)))
                middle = {span: f"{statistics.median(taken) / 1000:.1f}" for span, taken in spans.items()}
                p99 = {span: f"{tool_call.quantile(taken, 0.99):.1f}" for span, taken in spans.items()}
                table.add_row(name, f"{others}", *(f"{middle[span]} / {p99[span]}" for span in tool_call.BARS_US))
                own.add_row(name, f"{others}", *(middle[span] for span in THE_DOORS))
    Console().print(table, own)


if __name__ == "__main__":
    typer.run(main)
