"""What a WebRTC leg costs, and what it hears over a network that loses packets: ours and aiortc's own path, in one run.

    python benchmarks/webrtc_leg.py [--legs 10] [--seconds 10]

Three tables: microseconds a frame of our own code, piece by piece; the processor time of a standing call leg; and what
is heard at 0 to 10 % loss. Real peers on this machine (ICE, DTLS, SRTP), on one event loop; packets are lost where the
network would lose them, below everything of ours.
"""

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from random import Random
from statistics import median, quantiles
from typing import cast

import av
import numpy as np
from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from aiortc.rtp import RtpPacket
from rich.console import Console
from rich.table import Table

from voice_hitl.audio.playout import Playout
from voice_hitl.audio.tempo import lengthen, shorten
from voice_hitl.errors import ConnectionEnded
from voice_hitl.playback import Playback
from voice_hitl.transport import Incoming, LegInfo
from voice_hitl_webrtc import Caller, WebRTCLeg, WebRTCTransport, ice, opus, place, seam
from voice_hitl_webrtc.digits import DigitReader
from voice_hitl_webrtc.pacer import Pacer

RATE = 16_000
FRAME = 640
console = Console()


def voice(seconds: float, rate: int = RATE) -> bytes:
    """A buzz that sings up and down and never pauses, so that every frame of it can be told from silence."""
    at = np.arange(int(rate * seconds)) / rate
    phase = np.cumsum(2 * np.pi * (140 + 40 * np.sin(2 * np.pi * 2 * at)) / rate)
    buzz = np.sum([np.sin(harmonic * phase) / harmonic for harmonic in range(1, 12)], axis=0)
    return np.asarray(buzz * 5_000, dtype=np.int16).tobytes()


VOICE = [piece for pcm in [voice(4)] for piece in (pcm[at : at + FRAME] for at in range(0, len(pcm), FRAME))]
PACKETS = [encode for encoder in [opus.Encoder(RATE)] for encode in map(encoder.encode, VOICE)]


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


# --- a call -----------------------------------------------------------------------------------------------------------


@dataclass
class Heard:
    """What came out at one end of a call."""

    frames: int = 0
    """Frames of voice, as they were sent."""
    longest_gap_ms: float = 0.0
    """The longest time without one."""


class Line:
    """A call in one direction, measured at its end. One way to carry it each."""

    async def open(self, lose: Callable[[], bool]) -> None:
        """Connect; lose packets by `lose`."""
        raise NotImplementedError

    def result(self) -> Heard:
        """What was heard."""
        raise NotImplementedError

    async def close(self) -> None:
        """Hang up."""
        raise NotImplementedError


def lossy(peer: RTCPeerConnection, lose: Callable[[], bool]) -> None:
    """Lose packets where the network would."""
    receiver = peer.getReceivers()[0]
    deliver: Callable[[RtpPacket, int], Awaitable[None]] = getattr(receiver, seam.HANDLER)

    async def handle(packet: RtpPacket, arrival_time_ms: int) -> None:
        if not lose():
            await deliver(packet, arrival_time_ms)

    setattr(receiver, seam.HANDLER, handle)


class OurLine(Line):
    """Two of our legs; both talk all the time."""

    def __init__(self, *, talking: bool) -> None:
        self._talking = talking
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self, lose: Callable[[], bool]) -> None:
        """Connect through `WebRTCTransport` and `place`."""
        self._transport = WebRTCTransport()
        taken: list[WebRTCLeg] = []

        async def take(incoming: Incoming) -> None:
            taken.append(await self._transport.accept(incoming, rate=RATE))

        self._transport.listen(take)
        caller = Caller("caller")
        info = LegInfo(call_id="outgoing", direction="outgoing")
        self.legs = [await place(lambda offer: self._transport.answer(offer, caller), info, rate=RATE), *taken]
        lossy(taken[0]._connection, lose)  # pyright: ignore[reportPrivateUsage] - the network below it
        for leg in self.legs:
            self._tasks.append(asyncio.create_task(self._read(leg)))
            if self._talking:
                self._tasks.append(asyncio.create_task(self._talk(leg)))

    async def _talk(self, leg: WebRTCLeg) -> None:
        while True:
            for frame in VOICE:
                leg.send_audio(frame, "voice")
            await asyncio.sleep(len(VOICE) * 0.02)

    async def _read(self, leg: WebRTCLeg) -> None:
        try:
            while True:
                await leg.events().get()
        except ConnectionEnded:
            return

    def result(self) -> Heard:
        """By the counts of the playout buffer: concealed is not heard."""
        counts = self.legs[1].media.counts
        return Heard(counts.decoded + counts.recovered, counts.longest_concealed * 20)

    async def close(self) -> None:
        """Hang up."""
        for task in self._tasks:
            task.cancel()
        for leg in self.legs:
            await leg.aclose()


class StockTrack(MediaStreamTrack):
    """The same voice, the way aiortc sends audio."""

    kind = "audio"

    def __init__(self, *, talking: bool) -> None:
        super().__init__()
        self._pacer = Pacer()
        self._talking = talking

    async def recv(self) -> av.AudioFrame:
        """Give the next frame."""
        tick = await self._pacer.tick()
        frame = av.AudioFrame(format="s16", layout="mono", samples=FRAME // 2)
        frame.planes[0].update(VOICE[tick % len(VOICE)] if self._talking else bytes(FRAME))
        frame.pts, frame.sample_rate, frame.time_base = tick * FRAME // 2, RATE, Fraction(1, RATE)
        return frame


class StockLine(Line):
    """Two peers of aiortc as it is, resampled to our rate."""

    def __init__(self, *, talking: bool) -> None:
        self._talking = talking
        self._tasks: list[asyncio.Task[None]] = []
        self._came: list[float] = []

    async def open(self, lose: Callable[[], bool]) -> None:
        """Connect."""
        self._peers = [RTCPeerConnection(RTCConfiguration(iceServers=[])) for _ in range(2)]
        caller, callee = self._peers
        for peer in self._peers:
            peer.addTrack(StockTrack(talking=self._talking))
        await ice.gather(caller)
        await caller.setLocalDescription(await caller.createOffer())
        await callee.setRemoteDescription(caller.localDescription)
        await ice.gather(callee)
        await callee.setLocalDescription(await callee.createAnswer())
        await caller.setRemoteDescription(RTCSessionDescription(callee.localDescription.sdp, "answer"))
        lossy(callee, lose)
        for peer in self._peers:
            self._tasks.append(asyncio.create_task(self._read(peer.getReceivers()[0].track, keep=peer is callee)))

    async def _read(self, track: MediaStreamTrack, *, keep: bool) -> None:
        resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
        try:
            while True:
                frame = cast("object", await track.recv())
                if isinstance(frame, av.AudioFrame):
                    parts = [bytes(part.planes[0]) for part in resampler.resample(frame)]
                    if keep and parts:
                        self._came.append(time.monotonic())
        except MediaStreamError:
            return

    def result(self) -> Heard:
        """By the frames that came."""
        gaps = [(later - earlier) * 1000 for earlier, later in pairwise(self._came)]
        return Heard(len(self._came), max(gaps, default=0.0))

    async def close(self) -> None:
        """Hang up."""
        for peer in self._peers:
            await peer.close()
        await asyncio.gather(*self._tasks)


WAYS: dict[str, type[OurLine] | type[StockLine]] = {"ours": OurLine, "aiortc's": StockLine}


async def losses(seconds: float) -> None:
    """What is heard of a voice when packets are lost at random."""
    table = Table("lost", title="what is heard of a voice")
    for way in WAYS:
        table.add_column(f"{way}: heard")
        table.add_column("longest gap ms")
    for share in (0.0, 0.01, 0.03, 0.05, 0.10):
        row = [f"{share:.0%}"]
        for kind in WAYS.values():
            line, chance, sent = kind(talking=True), Random(7), [0]

            def lose(chance: Random = chance, sent: list[int] = sent, share: float = share) -> bool:
                sent[0] += 1
                return chance.random() < share

            await line.open(lose)
            await asyncio.sleep(seconds)
            heard = line.result()
            row += [f"{min(heard.frames / max(sent[0] - 3, 1), 1):.1%}", f"{heard.longest_gap_ms:.0f}"]
            await line.close()
        table.add_row(*row)
    console.print(table)


async def processor(legs: int, seconds: float) -> None:
    """How much of a core a standing leg takes."""
    table = Table("a call leg", *(f"{way}: % of a core" for way in WAYS), title=f"{legs} legs, both directions")
    for name, talking in (("everybody talks", True), ("nobody talks", False)):
        row = [name]
        for kind in WAYS.values():
            lines = [kind(talking=talking) for _ in range(legs // 2)]
            for line in lines:
                await line.open(lambda: False)
            await asyncio.sleep(2)
            began, used = time.monotonic(), time.process_time()
            await asyncio.sleep(seconds)
            share = (time.process_time() - used) / (time.monotonic() - began) / legs
            row.append(f"{share:.2%}")
            for line in lines:
                await line.close()
        table.add_row(*row)
    console.print(table)


async def main() -> None:
    """Print the tables."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    arguments.add_argument("--legs", type=int, default=10)
    arguments.add_argument("--seconds", type=float, default=10.0)
    chosen = arguments.parse_args()
    a_frame()
    await processor(chosen.legs, chosen.seconds)
    await losses(chosen.seconds)


if __name__ == "__main__":
    asyncio.run(main())
