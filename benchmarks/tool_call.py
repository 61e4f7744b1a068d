"""What the library adds to one tool call, in microseconds: the whole path, wire encoding included.

    python benchmarks/tool_call.py [--calls 3000]

A provider connection hands a call in as its codec would, and encodes the output as JSON;
measured, each alone and with 1,000 other requests open:

- plain: a host's handler, from the call to its result sent;
- open: a person's tool, from the call to its request open (answerable);
- answer: from the answer to its result sent.
"""

import asyncio
import gc
import json
import statistics
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated

import anyio
import anyio.lowlevel
import typer
from rich.console import Console
from rich.table import Table

from voice_hitl import (
    AITool,
    Answer,
    HookExecution,
    HookTrigger,
    HumanInputToolHandler,
    RealtimeVoiceChannel,
    Settlement,
    ToolPolicy,
    VoiceKit,
    confirm_action,
)
from voice_hitl.human_input.live import LiveRequest, LiveRequests
from voice_hitl.provider import (
    InjectRole,
    ProviderCapabilities,
    ProviderConfig,
    ProviderEvent,
    Receiver,
    ToolCalled,
)
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tasks import Mailbox
from voice_hitl.testing import LoopbackTransport

BARS_US = {"plain": 80, "open": 60, "answer": 40}
OTHERS = 1_000
WARM_UP = 300

TRANSFER = AITool(
    "transfer",
    "Transfer money.",
    {
        "type": "object",
        "properties": {
            "amount": {"type": "number", "minimum": 0},
            "to": {"type": "string"},
            "when": {"enum": ["now", "later"]},
        },
        "required": ["amount", "to"],
        "additionalProperties": False,
    },
)
ARGUMENTS = json.dumps({"amount": 500, "to": "Ann Lee", "when": "now"})
ACTION = json.dumps({"action": "Transfer 500 dollars to Ann Lee.", "details": {"amount": 500, "to": "Ann Lee"}})


class Moment:
    """When something happens, for the benchmark that waits for it: at the cost of a bare future."""

    def __init__(self) -> None:
        self.at = 0
        self._happens: asyncio.Future[None] | None = None

    def expect(self) -> None:
        """It is waited for from here."""
        self._happens = asyncio.get_running_loop().create_future()

    def note(self) -> None:
        """It happens now. One that nobody expects is let go."""
        self.at = time.perf_counter_ns()
        if self._happens is not None and not self._happens.done():
            self._happens.set_result(None)

    async def wait(self) -> None:
        """Wait until it has happened."""
        if self._happens is not None:
            await self._happens


@dataclass
class WireConnection:
    """A provider connection that encodes what it sends, and says when an output has gone out."""

    events_in: Mailbox[ProviderEvent] = field(default_factory=Mailbox[ProviderEvent])
    sent: Moment = field(default_factory=Moment)
    wire: bytes = b""

    def events(self) -> Receiver[ProviderEvent]:
        """What the codec has decoded."""
        return self.events_in

    def send_audio(self, pcm: bytes) -> None:
        """No audio here."""

    async def send_tool_result(self, call_id: str, name: str, text: str, *, failed: bool) -> None:
        """Encode the output as it goes over the wire."""
        item = {"type": "function_call_output", "call_id": call_id, "output": text}
        self.wire = json.dumps({"type": "conversation.item.create", "item": item}).encode()
        self.sent.note()

    async def say(self, text: str) -> None:
        """Nothing is said here."""

    async def inject(self, text: str, *, role: InjectRole = "system", silent: bool = True) -> str:
        """Encode the line as it goes over the wire."""
        item = {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}
        self.wire = json.dumps({"type": "conversation.item.create", "item": item}).encode()
        return "item"

    async def respond(self) -> None:
        """Encode the request as it goes over the wire."""
        self.wire = json.dumps({"type": "response.create"}).encode()

    async def interrupt(self, response_id: str | None = None, *, item_id: str = "", played_ms: float = 0) -> None:
        """Nothing plays here."""

    async def hold(self, *, on: bool) -> None:
        """Nobody holds here."""

    async def forget(self, item_id: str) -> None:
        """Encode the deletion as it goes over the wire."""
        self.wire = json.dumps({"type": "conversation.item.delete", "item_id": item_id}).encode()

    async def reconfigure(self, config: ProviderConfig) -> None:
        """Nothing changes here."""

    async def delegation_output(self, delegation_id: str, text: str, *, final: bool, spoken: bool = True) -> None:
        """Nothing delegates here."""

    async def aclose(self) -> None:
        """End the stream."""
        self.events_in.close()


class WireProvider:
    """Gives one `WireConnection`."""

    name = "wire"
    capabilities = ProviderCapabilities()

    def __init__(self) -> None:
        self.connection = WireConnection()

    async def connect(self, config: ProviderConfig) -> WireConnection:
        """Hand out the connection."""
        return self.connection


async def transfer(_name: str, _arguments: Mapping[str, object]) -> str:
    """A host's handler that has nothing to do."""
    return "ok"


@dataclass
class Hooked:
    """When the hooks that may say no ran last (nanoseconds)."""

    before: int = 0
    judging: int = 0


def a_hook_of_each_kind(kit: VoiceKit) -> Hooked:
    """Register a SYNC and an ASYNC hook wherever a tool call or a request has one."""
    ran = Hooked()

    async def before(_event: object, _ctx: object) -> None:
        ran.before = time.perf_counter_ns()

    async def judge(_event: object, _ctx: object) -> None:
        ran.judging = time.perf_counter_ns()

    async def hook(_event: object, _ctx: object) -> None:
        return None

    kit.hook(HookTrigger.BEFORE_TOOL_USE)(before)
    kit.hook(HookTrigger.ON_TOOL_CALL)(judge)
    kit.hook(HookTrigger.ON_TOOL_CALL, HookExecution.ASYNC)(hook)
    kit.hook(HookTrigger.ON_USER_INPUT_REQUIRED)(hook)
    kit.hook(HookTrigger.ON_USER_INPUT_SETTLED, HookExecution.ASYNC)(hook)
    return ran


Spans = dict[str, list[int]]


class Openings:
    """Tells when a request was open at this handler: from when it is armed it can be answered.

    What reaches people starts behind that, beside the call.
    """

    def __init__(self, human: HumanInputToolHandler) -> None:
        self.opened = Moment()
        self.last: PendingInput | None = None
        requests: LiveRequests = vars(human.handler)["_requests"]
        self._arm = requests.arm
        object.__setattr__(requests, "arm", self._watched)

    def _watched(self, live: LiveRequest) -> None:
        self._arm(live)
        self.opened.note()
        self.last = live.pending

    async def wait(self) -> PendingInput:
        """Wait for the one that is expected, and return it."""
        await self.opened.wait()
        if self.last is None:
            raise RuntimeError("what was opened is known")
        return self.last


async def measure(calls: int, others: int) -> Spans:
    """Measure the three spans with `others` requests open."""
    provider = WireProvider()
    wire = provider.connection
    human = HumanInputToolHandler({"ConfirmAction"}, tool_definitions=[confirm_action()], timeout=3600)
    spans: Spans = {"plain": [], "open": [], "answer": []}
    async with VoiceKit() as kit:
        transport = LoopbackTransport()
        channel = RealtimeVoiceChannel(
            "voice",
            provider=provider,
            transport=transport,
            tools=[TRANSFER],
            tool_handler=transfer,
            human_input_handler=human,
            tool_policy=ToolPolicy(deny=("admin_*",)),
        )
        kit.register_channel(channel)
        a_hook_of_each_kind(kit)
        openings = Openings(human)
        await transport.call(participant_id="ada", room_id="desk")
        for number in range(others):
            openings.opened.expect()
            wire.events_in.put(ToolCalled(f"other-{number}", "ConfirmAction", ACTION, "others"))
            await openings.wait()
        for number in range(calls + WARM_UP):
            spans["plain"].append(await plain_call(wire, f"plain-{number}"))
            opened, answered = await asked_call(human, openings, wire, f"asked-{number}")
            spans["open"].append(opened)
            spans["answer"].append(answered)
            await settle_down()
    return {name: taken[WARM_UP:] for name, taken in spans.items()}


async def settle_down() -> None:
    """Let what runs off the path (observers, notes) end before the next measurement."""
    for _ in range(12):
        await anyio.lowlevel.checkpoint()


async def plain_call(wire: WireConnection, call_id: str) -> int:
    """One host's call: nanoseconds from the call to its result sent."""
    wire.sent.expect()
    began = time.perf_counter_ns()
    wire.events_in.put(ToolCalled(call_id, "transfer", ARGUMENTS, call_id))
    await wire.sent.wait()
    await settle_down()
    return wire.sent.at - began


async def asked_call(
    human: HumanInputToolHandler, openings: Openings, wire: WireConnection, call_id: str
) -> tuple[int, int]:
    """One person's call: nanoseconds from the call to its request open, and from the answer to its result sent."""
    openings.opened.expect()
    began = time.perf_counter_ns()
    wire.events_in.put(ToolCalled(call_id, "ConfirmAction", ACTION, call_id))
    pending = await openings.wait()
    opened = openings.opened.at - began
    await settle_down()
    wire.sent.expect()
    answered = time.perf_counter_ns()
    settlement = await human.handler.answer(pending.pending_id, Answer(True, by="ada"))
    if settlement != Settlement.ACCEPTED:
        raise RuntimeError(f"the answer was {settlement}")
    await wire.sent.wait()
    return opened, wire.sent.at - answered


def quantile(values: list[int], share: float) -> float:
    """The value below which `share` of them lie, in microseconds."""
    return sorted(values)[int(len(values) * share)] / 1000


def main(calls: Annotated[int, typer.Option(help="Calls of each kind.")] = 3_000) -> None:
    """Measure and print the table."""
    table = Table(title=f"One tool call, microseconds ({calls} calls, Python {sys.version.split()[0]})")
    for column in ("span", "requests open", "p50", "p99", "p99 / p50", "bar p50"):
        table.add_column(column, justify="right")
    measured: dict[int, Spans] = {}
    for others in (0, OTHERS):
        gc.collect()
        measured[others] = anyio.run(partial(measure, calls, others))
    for name, bar in BARS_US.items():
        for others, spans in measured.items():
            p50, p99 = statistics.median(spans[name]) / 1000, quantile(spans[name], 0.99)
            shown_bar = f"{bar}" if not others else f"{statistics.median(measured[0][name]) / 1000 * 1.25:.0f}"
            table.add_row(name, f"{others}", f"{p50:.1f}", f"{p99:.1f}", f"{p99 / p50:.1f}", shown_bar)
    Console().print(table)


if __name__ == "__main__":
    typer.run(main)
