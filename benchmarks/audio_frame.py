"""The library's own work for 20 ms of a call: transport to provider, and back, in microseconds (Opus apart).

    python benchmarks/audio_frame.py [--frames 20000]

In: the leg's event through its queue and the session's pump to the provider's `send_audio`. Back: the model's audio
through its queue, the session's pump and the playback's framing to the leg's `send_audio`. Each frame is timed alone,
with the loop otherwise idle; both ways together are the figure with the bar.

Beside it the machine itself: a plain loop that takes as long at the median, timed between the frames of the same run.
What its p99 is above its p50 is the machine's (a busy neighbour, an interrupt), and nobody's code can be below it.
"""

import statistics
import sys
import time
from functools import partial
from typing import Annotated

import anyio
import anyio.lowlevel
import typer
from hundred_calls import RATE, EchoConnection, EchoProvider
from rich.console import Console
from rich.table import Table

from voice_hitl import RealtimeVoiceChannel
from voice_hitl.audio.frame import frame_bytes
from voice_hitl.provider import AudioOut, ProviderConfig
from voice_hitl.tasks import Latch
from voice_hitl.testing import LoopbackLeg, LoopbackTransport
from voice_hitl.transport import AudioIn

BAR_P99_US = 60
WARM_UP = 500


class TimedConnection(EchoConnection):
    """Notes when it hears a frame, and says nothing by itself."""

    heard_at: int = 0
    heard: Latch

    def send_audio(self, pcm: bytes) -> None:
        """Note the instant."""
        self.heard_at = time.perf_counter_ns()
        self.heard.set()


class TimedProvider(EchoProvider):
    """Gives one `TimedConnection`."""

    def __init__(self) -> None:
        super().__init__()
        self.connection = TimedConnection()

    async def connect(self, config: ProviderConfig) -> TimedConnection:
        """Hand it out."""
        return self.connection


def spin(rounds: int) -> int:
    """Nanoseconds of a plain loop of so many rounds."""
    began = time.perf_counter_ns()
    total = 0
    for number in range(rounds):
        total += number
    return time.perf_counter_ns() - began


def rounds_of(took_ns: float) -> int:
    """How many rounds of the plain loop take as long."""
    tried = 1_000
    return max(1, int(tried * took_ns / statistics.median(spin(tried) for _ in range(200))))


async def measure(frames: int) -> tuple[list[int], list[int], list[int]]:
    """Nanoseconds a frame: in, back, and of a plain loop between the frames that takes about as long as both."""
    provider = TimedProvider()
    connection = provider.connection
    transport = LoopbackTransport()
    channel = RealtimeVoiceChannel("voice", provider=provider, transport=transport)
    caller = await transport.call(participant_id="ada", room_id="desk")
    leg = caller.leg
    frame = bytes(frame_bytes(RATE))
    inwards: list[int] = []
    back: list[int] = []
    machine: list[int] = []
    rounds = 1
    for number in range(frames + WARM_UP):
        connection.heard = Latch()
        began = time.perf_counter_ns()
        leg.deliver(AudioIn(frame, began / 1e9))
        await connection.heard.wait()
        inwards.append(connection.heard_at - began)
        back.append(await one_back(connection, leg, frame, number))
        if number == WARM_UP:
            rounds = rounds_of(statistics.median(inwards) + statistics.median(back))
        machine.append(spin(rounds))
    await channel.close()
    return inwards[WARM_UP:], back[WARM_UP:], machine[WARM_UP + 1 :]


async def one_back(connection: EchoConnection, leg: LoopbackLeg, frame: bytes, number: int) -> int:
    """Nanoseconds from the model's audio to the leg, whose own work does not count; the queue is dropped again."""
    played: list[int] = []
    plain = leg.send_audio

    def timed(pcm: bytes, item: str) -> None:
        played.append(time.perf_counter_ns())
        plain(pcm, item)

    object.__setattr__(leg, "send_audio", timed)
    began = time.perf_counter_ns()
    connection.events_in.put(AudioOut(frame, f"item-{number // 500}", response_id="r"))
    while not played:
        await anyio.lowlevel.checkpoint()
    object.__delattr__(leg, "send_audio")
    leg.clear()
    return played[0] - began


def main(frames: Annotated[int, typer.Option(help="How many frames each way.")] = 20_000) -> None:
    """Measure and print the table."""
    inwards, back, machine = anyio.run(partial(measure, frames))
    both = [there + here for there, here in zip(inwards, back, strict=True)]
    table = Table(title=f"20 ms of a call, microseconds ({frames} frames, Python {sys.version.split()[0]})")
    for column in ("way", "p50", "p99", "p99 / p50", "bar p99"):
        table.add_column(column, justify="right")
    rows = (("in", inwards, ""), ("back", back, ""), ("both", both, f"{BAR_P99_US}"), ("a plain loop", machine, ""))
    for name, taken, bar in rows:
        p50, p99 = statistics.median(taken) / 1000, sorted(taken)[int(len(taken) * 0.99)] / 1000
        table.add_row(name, f"{p50:.1f}", f"{p99:.1f}", f"{p99 / p50:.1f}", bar)
    Console().print(table)


if __name__ == "__main__":
    typer.run(main)
