"""How many WebRTC calls one core carries before their frames come late.

    python benchmarks/calls_a_core.py [--calls 10 20 30 40 50] [--seconds 10]

The agent's legs are in this process, on one core; their callers are in another one, so that only one end is counted.
Both ends talk all the time. A frame is late when whoever reads the leg gets it more than 20 ms after its moment.
"""

import argparse
import asyncio
import os
import sys
import time
from dataclasses import dataclass

import uvicorn
from call_lines import RATE, VOICE
from starlette.applications import Starlette
from starlette.requests import Request
from yardstick import this_machine

from voice_hitl.cli.memory import keep_loaded
from voice_hitl.errors import ConnectionEnded
from voice_hitl.transport import AudioIn, Incoming
from voice_hitl_webrtc import Caller, WebRTCLeg, WebRTCTransport, call

LATE_S = 0.020
SETTLE_S = 3.0
MOST_LATE = 0.01


@dataclass
class Punctual:
    """How many frames came, and how many of them late."""

    frames: int = 0
    late: int = 0


async def talk(leg: WebRTCLeg) -> None:
    """Say something all the time."""
    while not leg.ended:
        for frame in VOICE:
            leg.send_audio(frame, "voice")
        await asyncio.sleep(len(VOICE) * 0.02)


async def read(leg: WebRTCLeg, punctual: Punctual) -> None:
    """Take the leg's frames and see whether they are late."""
    try:
        while True:
            event = await leg.events().get()
            if isinstance(event, AudioIn):
                punctual.frames += 1
                punctual.late += time.monotonic() - event.at > LATE_S
    except ConnectionEnded:
        return


async def place_calls(url: str, number: int) -> None:
    """The other process: so many callers, until it is ended."""
    for _ in range(number):
        leg = await call(url, rate=RATE)
        for work in (talk(leg), read(leg, Punctual())):
            running.add(asyncio.create_task(work))
    print("all are talking", flush=True)
    await asyncio.Event().wait()


running: set[asyncio.Task[None]] = set()


async def anybody(_request: Request) -> Caller:
    """Every caller is welcome."""
    return Caller("caller")


async def carry(number: int, seconds: float) -> tuple[float, float]:
    """The share of late frames, and of a core, with so many calls."""
    transport, punctual = WebRTCTransport(authorize=anybody), Punctual()

    async def take(incoming: Incoming) -> None:
        leg = await transport.accept(incoming, rate=RATE)
        for work in (talk(leg), read(leg, punctual)):
            running.add(asyncio.create_task(work))

    transport.listen(take)
    app = Starlette(routes=[*transport.routes("/offer")])
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", ws="none"))
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn tells by this flag alone
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    command = [sys.executable, __file__, "--url", f"http://127.0.0.1:{port}/offer", "--calls", str(number)]
    callers = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        assert callers.stdout is not None
        await callers.stdout.readline()
        await asyncio.sleep(SETTLE_S)
        before, began, used = Punctual(punctual.frames, punctual.late), time.monotonic(), time.process_time()
        await asyncio.sleep(seconds)
        core = (time.process_time() - used) / (time.monotonic() - began)
        return (punctual.late - before.late) / max(punctual.frames - before.frames, 1), core
    finally:
        callers.kill()
        await callers.wait()
        await transport.aclose()
        server.should_exit = True
        await serving


async def main() -> None:
    """Print a line for each number of calls."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    arguments.add_argument("--calls", type=int, nargs="+", default=[10, 20, 30, 40, 50])
    arguments.add_argument("--seconds", type=float, default=10.0)
    arguments.add_argument("--url", default="", help=argparse.SUPPRESS)
    chosen = arguments.parse_args()
    if chosen.url:
        await place_calls(chosen.url, chosen.calls[0])
        return
    keep_loaded()  # as `voice-hitl serve` does
    print(await this_machine(), end="\n\n")
    print("| calls | frames late by over 20 ms | of a core |")
    print("|---|---|---|")
    carried = 0
    for number in chosen.calls:
        late, core = await carry(number, chosen.seconds)
        print(f"| {number} | {late:.2%} | {core:.0%} |", flush=True)
        carried = number if late <= MOST_LATE else carried
    print(f"\n{carried} calls with at most {MOST_LATE:.0%} late; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    asyncio.run(main())
