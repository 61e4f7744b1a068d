"""Many calls at once on one core: how late frames are, what memory does, and what is left when they end.

    python benchmarks/hundred_calls.py [--calls 100] [--seconds 180]

Every call is a real session: a loopback leg that gives 20 ms of the caller's voice every 20 ms, a scripted model that
answers each frame with one of its own, the session between them with its playback and its leg's clock. A frame is late
when the model gets it later than 20 ms after the caller's clock gave it. The process is bound to one core.
"""

import asyncio  # to count what is left
import gc
import os
import resource
import struct
import sys
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated

import anyio
import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from voice_hitl import RealtimeVoiceChannel
from voice_hitl.audio.frame import FRAME_MS, frame_bytes
from voice_hitl.provider import AudioOut, InjectRole, ProviderCapabilities, ProviderConfig, ProviderEvent, Receiver
from voice_hitl.tasks import Mailbox
from voice_hitl.testing import LoopbackTransport
from voice_hitl.transport import AudioIn

RATE = 24_000
LATE_MS = 20
LATE_SHARE_BAR = 0.01
MEMORY_BAR_MB = 2.0
SETTLED_AFTER_S = 60

DUE = struct.Struct("d")
"""When a frame was due, in seconds, carried by the frame itself in place of its first samples."""


@dataclass
class EchoConnection:
    """A model that gives back what it hears, and notes when it heard it."""

    events_in: Mailbox[ProviderEvent] = field(default_factory=Mailbox[ProviderEvent])
    frames: int = 0
    late: int = 0

    def events(self) -> Receiver[ProviderEvent]:
        """Its voice."""
        return self.events_in

    def send_audio(self, pcm: bytes) -> None:
        """Hear a frame; say it."""
        self.frames += 1
        (due,) = DUE.unpack_from(pcm)
        self.late += (time.monotonic() - due) * 1000 > LATE_MS
        self.events_in.put(AudioOut(pcm, f"item-{self.frames // 500}", response_id="r"))

    async def send_tool_result(self, call_id: str, name: str, text: str, *, failed: bool) -> None:
        """No calls here."""

    async def say(self, text: str) -> None:
        """Nothing is said here."""

    async def inject(self, text: str, *, role: InjectRole = "system", silent: bool = True) -> str:
        """Nothing is injected here."""
        return "item"

    async def respond(self) -> None:
        """It never stops."""

    async def interrupt(self, response_id: str | None = None, *, item_id: str = "", played_ms: float = 0) -> None:
        """Nobody barges in."""

    async def hold(self, *, on: bool) -> None:
        """Nobody holds here."""

    async def forget(self, item_id: str) -> None:
        """It has no memory."""

    async def reconfigure(self, config: ProviderConfig) -> None:
        """Nothing changes here."""

    async def delegation_output(self, delegation_id: str, text: str, *, final: bool, spoken: bool = True) -> None:
        """Nothing delegates here."""

    async def aclose(self) -> None:
        """End the stream."""
        self.events_in.close()


class EchoProvider:
    """Gives each session an `EchoConnection`."""

    name = "echo"
    capabilities = ProviderCapabilities(rate=RATE)

    def __init__(self) -> None:
        self.connections: list[EchoConnection] = []

    async def connect(self, config: ProviderConfig) -> EchoConnection:
        """Open one."""
        connection = EchoConnection()
        self.connections.append(connection)
        return connection


def memory_mb() -> float:
    """What the process holds in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


async def speak(transport: LoopbackTransport, number: int, until: float) -> None:
    """One caller: a call, a frame every 20 ms, a hang-up."""
    caller = await transport.call(participant_id=f"caller-{number}", room_id=f"room-{number}")
    frame = bytearray(frame_bytes(RATE))
    due = time.monotonic() + (number % FRAME_MS) / 1000
    while due < until:
        await anyio.sleep(max(0.0, due - time.monotonic()))
        DUE.pack_into(frame, 0, due)
        caller.leg.deliver(AudioIn(bytes(frame), due))
        due += FRAME_MS / 1000
    caller.hang_up()


async def measure(calls: int, seconds: int) -> dict[str, float]:
    """Run the calls; return the figures."""
    provider = EchoProvider()
    transport = LoopbackTransport()
    channel = RealtimeVoiceChannel("voice", provider=provider, transport=transport)
    began, cpu = time.monotonic(), time.process_time()
    memory: list[tuple[float, float]] = []
    with Progress(transient=True) as progress:
        bar = progress.add_task(f"{calls} calls", total=seconds)
        async with anyio.create_task_group() as group:
            for number in range(calls):
                group.start_soon(speak, transport, number, began + seconds)
                await anyio.sleep(0.005)
            while time.monotonic() < began + seconds - 1:
                await anyio.sleep(1)
                memory.append((time.monotonic() - began, memory_mb()))
                progress.update(bar, completed=time.monotonic() - began)
    busy = (time.process_time() - cpu) / (time.monotonic() - began)
    await channel.close()
    gc.collect()
    settled = [used for at, used in memory if at >= min(SETTLED_AFTER_S, seconds / 3)]
    return {
        "frames": sum(each.frames for each in provider.connections),
        "late": sum(each.late for each in provider.connections),
        "core": busy,
        "memory_then": settled[0],
        "memory_end": settled[-1],
        "tasks": len(asyncio.all_tasks()) - 1,
    }


def main(
    calls: Annotated[int, typer.Option(help="How many at once.")] = 100,
    seconds: Annotated[int, typer.Option(help="For how long.")] = 180,
) -> None:
    """Measure and print the table."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    figures = anyio.run(partial(measure, calls, seconds))
    share = figures["late"] / max(1, figures["frames"])
    grown = figures["memory_end"] - figures["memory_then"]
    table = Table(title=f"{calls} calls on one core for {seconds} s (Python {sys.version.split()[0]})")
    for column in ("what", "measured", "bar", ""):
        table.add_column(column)
    rows = [
        ("frames late by more than 20 ms", f"{share:.2%}", f"{LATE_SHARE_BAR:.0%}", share <= LATE_SHARE_BAR),
        ("memory at the end less at 60 s", f"{grown:+.1f} MB", f"{MEMORY_BAR_MB:g} MB", grown <= MEMORY_BAR_MB),
        ("tasks left", f"{figures['tasks']:.0f}", "0", figures["tasks"] == 0),
        ("of one core", f"{figures['core']:.0%}", "", True),
        ("frames", f"{figures['frames']:.0f}", "", True),
    ]
    for what, measured, bar, held in rows:
        table.add_row(what, measured, bar, "ok" if held else "MISSED")
    Console().print(table)
    raise typer.Exit(0 if all(held for *_, held in rows) else 1)


if __name__ == "__main__":
    typer.run(main)
