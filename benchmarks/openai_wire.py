"""What a call costs on OpenAI's wire, in microseconds a frame of 20 ms each way: our own work, and the SDK's beside it.

    python benchmarks/openai_wire.py [--frames 5000]

Ours is measured at the seam with the SDK: from `send_audio` to the SDK's `send_raw`, and from the SDK's `recv_bytes` to
the session's event, tasks and queues included; of each the median of the batch that was disturbed least, and the 99th
percentile of all. Then the same through the SDK and a socket to the local server, and the
SDK's typed calls, which we do not use. The service sends its voice in pieces longer than a frame: what is received is
shown a piece and a frame.
"""

import base64
import gc
import json
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from statistics import median, quantiles
from typing import Annotated, cast

import anyio
import anyio.lowlevel
import typer
from openai.resources.realtime.realtime import AsyncRealtimeConnection
from rich.console import Console
from rich.table import Table

from voice_hitl.provider import AudioOut, ProviderConfig
from voice_hitl.tasks import Latch, Mailbox
from voice_hitl.testing.openai_realtime import OpenAIRealtimeServer
from voice_hitl_openai import OpenAIRealtimeProvider
from voice_hitl_openai.codec import decode
from voice_hitl_openai.commands import append_audio
from voice_hitl_openai.connection import OpenAIRealtimeConnection
from voice_hitl_openai.conversation import Conversation
from voice_hitl_openai.settings import Settings

BAR_US = 15.0
FRAME = b"\1\2" * 480
FRAME_MS = 20
PIECES_MS = (20, 100, 400)
USUAL_PIECE_MS = 100
"""The service's pieces are this long at least; one of a single frame is the worst that could come."""
WARM_UP = 300
BATCH = 100


@dataclass
class Seam:
    """Where the SDK would be: says when something is sent, and hands in what is given."""

    incoming: Mailbox[bytes]
    sent: Latch
    sent_at: int = 0
    received_at: int = 0

    async def send_raw(self, _data: bytes | str) -> None:
        """Something of ours goes to the SDK."""
        self.sent_at = time.perf_counter_ns()
        self.sent.set()

    async def recv_bytes(self) -> bytes:
        """Something of the SDK's comes to us."""
        raw = await self.incoming.get()
        self.received_at = time.perf_counter_ns()
        return raw

    async def close(self) -> None:
        """Nothing to close."""


def piece(ms: int) -> bytes:
    """Some of the model's voice, as the service sends it."""
    delta = base64.b64encode(b"\1\2" * (24 * ms)).decode()
    where = {"response_id": "resp_1", "item_id": "item_1", "output_index": 0, "content_index": 0}
    return json.dumps({"type": "response.output_audio.delta", "event_id": "event_1", **where, "delta": delta}).encode()


def opened_at(seam: Seam) -> OpenAIRealtimeConnection:
    """A connection of ours, on this seam."""
    return OpenAIRealtimeConnection(cast("AsyncRealtimeConnection", seam), Conversation(Settings()))


async def ours_out(frames: int) -> list[float]:
    """From `send_audio` to the SDK."""
    seam = Seam(Mailbox(), Latch())
    connection = await stand(seam)
    times: list[float] = []
    for _ in range(frames):
        seam.sent = Latch()
        begun = time.perf_counter_ns()
        connection.send_audio(FRAME)
        await seam.sent.wait()
        times.append((seam.sent_at - begun) / 1000)
    await connection.aclose()
    return times


async def ours_in(frames: int, ms: int) -> list[float]:
    """From the SDK to the session's event."""
    seam = Seam(Mailbox(), Latch())
    connection = await stand(seam)
    raw = piece(ms)
    times: list[float] = []
    for _ in range(frames):
        seam.incoming.put(raw)
        event = await connection.events().get()
        times.append((time.perf_counter_ns() - seam.received_at) / 1000)
        if not isinstance(event, AudioOut):
            raise TypeError(f"{event} is no audio")
    await connection.aclose()
    return times


async def stand(seam: Seam) -> OpenAIRealtimeConnection:
    """A connection whose session stands."""
    connection = opened_at(seam)
    detection = {"create_response": True, "interrupt_response": True}
    session = {"expires_at": 1, "audio": {"input": {"turn_detection": detection}}}
    seam.incoming.put(json.dumps({"type": "session.updated", "event_id": "event_0", "session": session}).encode())
    await connection.open(ProviderConfig())
    await connection.events().get()
    return connection


def pure(call: Callable[[], object], frames: int) -> list[float]:
    """A function alone."""
    times: list[float] = []
    for _ in range(frames):
        begun = time.perf_counter_ns()
        call()
        times.append((time.perf_counter_ns() - begun) / 1000)
    return times


async def through_the_socket(frames: int) -> dict[str, list[float]]:
    """The same frame through the SDK and a socket, raw and typed."""
    async with OpenAIRealtimeServer() as server:
        provider = OpenAIRealtimeProvider(api_key=server.api_key, base_url=server.base_url)
        connection = await provider.connect(ProviderConfig())
        # The one place where the SDK's own connection is to be had.
        sdk = cast("AsyncRealtimeConnection", connection._wire._socket)  # pyright: ignore[reportPrivateUsage]

        async def raw() -> None:
            await sdk.send_raw(append_audio(FRAME))

        async def typed() -> None:
            await sdk.input_audio_buffer.append(audio=base64.b64encode(FRAME).decode())

        measured = {"raw": await each(raw, frames), "typed": await each(typed, frames)}
        await connection.aclose()
    received = piece(100)
    measured["parsed"] = pure(lambda: sdk.parse_event(received), frames)
    return measured


async def each(call: Callable[[], Awaitable[None]], frames: int) -> list[float]:
    """How long each takes, with room for the other side in between."""
    times: list[float] = []
    for _ in range(frames):
        begun = time.perf_counter_ns()
        await call()
        times.append((time.perf_counter_ns() - begun) / 1000)
        await anyio.lowlevel.checkpoint()
    return times


def undisturbed(times: list[float]) -> float:
    """The median of the batch that other programs of the machine disturbed least."""
    starts = range(WARM_UP, len(times) - BATCH + 1, BATCH)
    return min(median(times[start : start + BATCH]) for start in starts)


async def measure(frames: int) -> bool:
    """Measure and show; whether everything is within its bar."""
    table = Table("", "p50", "p99", "p50 a frame", "bar")
    good = True

    def show(name: str, times: list[float], ms: int = FRAME_MS, *, bar: bool = False) -> None:
        nonlocal good
        typical, worst = undisturbed(times), quantiles(times[WARM_UP:], n=100)[98]
        a_frame = typical * FRAME_MS / ms
        good &= not bar or a_frame <= BAR_US
        table.add_row(name, f"{typical:.1f}", f"{worst:.1f}", f"{a_frame:.1f}", f"{BAR_US:.0f}" if bar else "")

    show("sent, ours", await ours_out(frames), bar=True)
    show("  of it: the message alone", pure(lambda: append_audio(FRAME), frames))
    for ms in PIECES_MS:
        show(f"received, ours, {ms} ms a piece", await ours_in(frames, ms), ms, bar=ms >= USUAL_PIECE_MS)
        raw = piece(ms)
        show("  of it: decoding alone", pure(partial(decode, raw), frames), ms)
    sdk = await through_the_socket(frames)
    show("sent, with the SDK and the socket", sdk["raw"])
    show("sent, with the SDK's typed call", sdk["typed"])
    show("received, the SDK's own parsing, 100 ms a piece", sdk["parsed"], 100)
    Console().print(table)
    return good


def main(frames: Annotated[int, typer.Option(min=1_000, help="frames to measure")] = 5_000) -> None:
    """Print the table; fails when a bar is missed."""
    gc.disable()
    if not anyio.run(measure, frames):
        sys.exit("over the bar")


if __name__ == "__main__":
    typer.run(main)
