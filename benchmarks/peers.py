"""One tool call beside OpenAI Agents' realtime session, both in one run.

    pip install openai-agents   # the benchmark alone needs it
    python benchmarks/peers.py [--calls 2000]

The same three spans as in `tool_call.py`, on their side with a model that only hands the call in and takes the output:
no hooks, no schema beyond their own, no wire encoding, so that their figures are the lower bound of what they add.
RoomKit (Python 3.12 or later) is not among them where it does not install.
"""

import statistics
import sys
import time
from functools import partial
from typing import Annotated, Protocol, cast

import anyio
import anyio.lowlevel
import tool_call
import typer
from rich.console import Console
from rich.table import Table

WARM_UP = 300
SPANS = ("plain", "open", "answer")


class TheirSession(Protocol):
    """What is used of their session."""

    async def approve_tool_call(self, call_id: str) -> None:
        """Let a call that waits for approval run."""
        ...


async def measure_theirs(calls: int) -> tool_call.Spans:  # noqa: C901 - their classes exist in here alone
    """Their spans, in nanoseconds; `ModuleNotFoundError` where the package is not installed."""
    from agents import function_tool  # noqa: PLC0415 - only where it is installed
    from agents.realtime import RealtimeAgent, RealtimeRunner  # noqa: PLC0415 - only where it is installed
    from agents.realtime.events import RealtimeToolApprovalRequired  # noqa: PLC0415 - only where it is installed
    from agents.realtime.model import RealtimeModel, RealtimeModelConfig, RealtimeModelListener  # noqa: PLC0415 - only where it is installed
    from agents.realtime.model_events import RealtimeModelToolCallEvent  # noqa: PLC0415 - only where it is installed
    from agents.realtime.model_inputs import RealtimeModelSendEvent, RealtimeModelSendToolOutput  # noqa: PLC0415 - only where it is installed

    class Model(RealtimeModel):
        """Hands calls in; notes when an output comes back."""

        def __init__(self) -> None:
            self.listeners: list[RealtimeModelListener] = []
            self.sent = tool_call.Moment()

        async def connect(self, options: RealtimeModelConfig) -> None:
            """Nothing to connect to."""

        def add_listener(self, listener: RealtimeModelListener) -> None:
            """Remember the session."""
            self.listeners.append(listener)

        def remove_listener(self, listener: RealtimeModelListener) -> None:
            """Forget the session."""
            self.listeners.remove(listener)

        async def send_event(self, event: RealtimeModelSendEvent) -> None:
            """Note an output."""
            if isinstance(event, RealtimeModelSendToolOutput):
                self.sent.note()

        async def close(self) -> None:
            """Nothing to close."""

        async def call(self, name: str, call_id: str) -> None:
            """The model issues a call."""
            event = RealtimeModelToolCallEvent(name=name, call_id=call_id, arguments=tool_call.ARGUMENTS)
            for listener in self.listeners:
                await listener.on_event(event)

    @function_tool
    async def transfer(amount: float, to: str, when: str) -> str:
        """Transfer money."""
        return "ok"

    @function_tool(needs_approval=True)
    async def gated(amount: float, to: str, when: str) -> str:
        """Transfer money, once approved."""
        return "ok"

    model = Model()
    runner = RealtimeRunner(RealtimeAgent(name="desk", tools=[transfer, gated]), model=model)
    spans: tool_call.Spans = {name: [] for name in SPANS}
    opened = tool_call.Moment()
    asked: list[str] = []

    async with await runner.run() as session:

        async def watch() -> None:
            async for event in session:
                if isinstance(event, RealtimeToolApprovalRequired):
                    asked.append(event.call_id)
                    opened.note()

        async with anyio.create_task_group() as group:
            group.start_soon(watch)
            for number in range(calls + WARM_UP):
                model.sent.expect()
                began = time.perf_counter_ns()
                await model.call("transfer", f"plain-{number}")
                await model.sent.wait()
                spans["plain"].append(model.sent.at - began)
                await tool_call.settle_down()

                opened.expect()
                began = time.perf_counter_ns()
                await model.call("gated", f"gated-{number}")
                await opened.wait()
                spans["open"].append(opened.at - began)
                await tool_call.settle_down()

                model.sent.expect()
                answered = time.perf_counter_ns()
                await cast("TheirSession", session).approve_tool_call(asked.pop())
                await model.sent.wait()
                spans["answer"].append(model.sent.at - answered)
                await tool_call.settle_down()
            group.cancel_scope.cancel()
    return {name: taken[WARM_UP:] for name, taken in spans.items()}


def main(calls: Annotated[int, typer.Option(help="Calls of each kind.")] = 2_000) -> None:
    """Measure both and print the table."""
    ours = anyio.run(partial(tool_call.measure, calls, 0))
    try:
        theirs = anyio.run(partial(measure_theirs, calls))
    except ModuleNotFoundError as missing:
        Console().print(f"{missing.name} is not installed: pip install openai-agents")
        raise typer.Exit(1) from None
    table = Table(title=f"One tool call, microseconds ({calls} calls, Python {sys.version.split()[0]})")
    for column in ("span", "ours p50", "ours p99", "OpenAI Agents p50", "p99"):
        table.add_column(column, justify="right")
    for name in SPANS:
        cells = [
            f"{value:.1f}"
            for spans in (ours, theirs)
            for value in (statistics.median(spans[name]) / 1000, tool_call.quantile(spans[name], 0.99))
        ]
        table.add_row(name, *cells)
    Console().print(table)


if __name__ == "__main__":
    typer.run(main)
