"""What a WebRTC leg costs, ours and aiortc's own, and how fast it falls silent.

    python benchmarks/webrtc_leg.py [--legs 10] [--seconds 10]

Three tables: microseconds a frame of our own code, piece by piece; the processor time of a standing call leg, beside
that of aiortc's own path in one run; and barge-in, from the decision to the last frame of voice handed to the network.
What is heard over a rough network: `loss_matrix.py`. How many calls a core carries: `calls_a_core.py`.
"""

import argparse
import asyncio
import time
from collections.abc import Callable
from random import Random
from statistics import median, quantiles

from call_lines import RATE, VOICE, WAYS, OurLine
from rich.console import Console
from rich.table import Table
from rough_network import perfect

from voice_hitl.audio.playout import Playout
from voice_hitl.audio.tempo import lengthen, shorten
from voice_hitl.playback import Playback, Tick
from voice_hitl_webrtc import WebRTCLeg, opus, rtp, seam
from voice_hitl_webrtc.digits import DigitReader

PACKETS = [encode for encoder in [opus.Encoder(RATE)] for encode in map(encoder.encode, VOICE)]
console = Console()


# --- a frame ----------------------------------------------------------------------------------------------------------


def cost(name: str, work: Callable[[int], object], table: Table, rounds: int = 4_000) -> None:
    """Time one piece of work, many times."""
    for number in range(200):
        work(number)
    took: list[float] = []
    for number in range(200, 200 + rounds):
        began = time.perf_counter()
        work(number)
        took.append((time.perf_counter() - began) * 1e6)
    table.add_row(name, f"{median(took):.1f}", f"{quantiles(took, n=100)[98]:.1f}")


def a_frame() -> None:
    """What each piece costs."""
    table = Table("a frame of 20 ms", "p50 us", "p99 us", title="our own code, piece by piece")
    playback, playout, decoder, encoder = Playback(RATE), Playout(), opus.Decoder(RATE), opus.Encoder(RATE)

    def play(number: int) -> None:
        playback.push(VOICE[number % len(VOICE)], "item")
        playback.tick(number * 0.02)

    def receive(number: int) -> None:
        playout.push(number * 960 % (1 << 32), PACKETS[number % len(PACKETS)], 960, number * 0.02)
        playout.pull(number * 0.02)

    reader = DigitReader(48_000)
    cost("queue, count what was heard", play, table)
    cost("playout buffer, push and pull", receive, table)
    cost("digits: look whether a press is over", lambda number: reader.tick(number * 0.02), table)
    cost("a packet's length from its first bytes", lambda number: opus.packet_samples(PACKETS[number % 200]), table)
    cost("play one frame faster (now and then)", lambda number: shorten(VOICE[number % 200], RATE), table)
    cost("play one frame slower (now and then)", lambda number: lengthen(VOICE[number % 200], RATE), table)
    table.add_section()
    cost("libopus: decode at 16 kHz", lambda number: decoder.decode(PACKETS[number % 200]), table)
    cost("libopus: recover a lost packet", lambda number: decoder.recover(PACKETS[number % 200], 960), table)
    cost("libopus: conceal", lambda number: decoder.conceal(960), table)
    cost("libopus: encode a voice at 16 kHz", lambda number: encoder.encode(VOICE[number % 200]), table, rounds=1_000)
    console.print(table)


# --- a call ----------------------------------------------------------------------------------------------------------


async def processor(legs: int, seconds: float) -> None:
    """How much of a core a standing leg takes."""
    ways = (f"{way}: % of a core" for way in WAYS)
    table = Table("a call leg", *ways, "ours / aiortc's", title=f"{legs} legs, both directions")
    for name, talking in (("everybody talks", True), ("nobody talks", False)):
        shares: list[float] = []
        for kind in WAYS.values():
            lines = [kind(talking=talking) for _ in range(legs // 2)]
            for line in lines:
                await line.open(perfect)
            await asyncio.sleep(2)
            began, used = time.monotonic(), time.process_time()
            await asyncio.sleep(seconds)
            shares.append((time.process_time() - used) / (time.monotonic() - began) / legs)
            for line in lines:
                await line.close()
        table.add_row(name, *(f"{share:.2%}" for share in shares), f"{shares[0] / shares[1]:.2f}")
    console.print(table)


def watch_voice(leg: WebRTCLeg) -> list[float]:
    """When packets of voice were handed to the network: grows as they are."""
    handed: list[float] = []
    playback = leg._playback  # pyright: ignore[reportPrivateUsage] - where voice comes from
    sender = leg._connection.getSenders()[0]  # pyright: ignore[reportPrivateUsage] - where it goes
    socket = getattr(seam.agent_of(sender.transport), seam.NOMINATED)[seam.COMPONENT].protocol.transport
    tick = playback.tick
    send: Callable[[bytes, object], None] = socket.sendto
    has_voice = [False]

    def watched(now: float) -> Tick:
        given = tick(now)
        has_voice[0] = given.pcm is not None
        return given

    def sending(data: bytes, address: object) -> None:
        send(data, address)
        if has_voice[0] and rtp.is_rtp(data):
            handed.append(time.monotonic())

    object.__setattr__(playback, "tick", watched)  # the leg asks this very object
    setattr(socket, "sendto", sending)  # noqa: B010 - the loop's own object
    return handed


async def barge_in(seconds: float) -> None:
    """How long voice is still handed to the network after the decision that it stops."""
    line, chance, took = OurLine(talking=False), Random(3), list[float]()
    await line.open(perfect)
    leg = line.legs[0]
    await asyncio.sleep(1)
    handed = watch_voice(leg)
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        for frame in VOICE[:20]:
            leg.send_audio(frame, "voice")
        await asyncio.sleep(0.1 + chance.random() * 0.02)
        decided = time.monotonic()
        leg.clear()
        await asyncio.sleep(0.06)
        took.append(max(0.0, handed[-1] - decided) * 1000)
    await line.close()
    table = Table("decisions", "p50 ms", "most ms", title="barge-in: to the last frame handed to the network")
    table.add_row(str(len(took)), f"{median(took):.2f}", f"{max(took):.2f}")
    console.print(table)


async def main() -> None:
    """Print the tables."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    arguments.add_argument("--legs", type=int, default=10)
    arguments.add_argument("--seconds", type=float, default=10.0)
    chosen = arguments.parse_args()
    a_frame()
    await processor(chosen.legs, chosen.seconds)
    await barge_in(chosen.seconds)


if __name__ == "__main__":
    asyncio.run(main())
