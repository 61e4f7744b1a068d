"""A call in one direction, carried in two ways and measured at its end: our media path, and aiortc's own.

Real peers on this machine (ICE, DTLS, SRTP), on one event loop; what the network does to a packet is done where it
would be done, below everything of ours.
"""

import asyncio
import time
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from random import Random
from statistics import median
from typing import Protocol, cast

import av
import numpy as np
from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from rough_network import Fate

from voice_hitl.errors import ConnectionEnded
from voice_hitl.transport import AudioIn, Digit, Incoming, LegInfo, Played
from voice_hitl_webrtc import Caller, WebRTCLeg, WebRTCTransport, ice, place, rtp, seam
from voice_hitl_webrtc.clock import PERIOD_S
from voice_hitl_webrtc.digits import KEYS
from voice_hitl_webrtc.direct import EVENTS_PAYLOAD_TYPE

RATE = 16_000
FRAME = 640
BEEP_HZ, BEEP_FRAMES = 2_500, 3
BEEP_LEVEL = 2_000.0
"""The least of a beep in a frame (amplitude, int16): a frame that is at least half a beep is above."""


def voice(seconds: int) -> list[bytes]:
    """Frames of a buzz that sings up and down and never pauses; every second begins with a beep, to time it by."""
    at = np.arange(RATE * seconds) / RATE
    phase = np.cumsum(2 * np.pi * (140 + 40 * np.sin(2 * np.pi * 2 * at)) / RATE)
    buzz = np.sum([np.sin(harmonic * phase) / harmonic for harmonic in range(1, 12)], axis=0) * 4_000
    beeping = at % 1 < BEEP_FRAMES * 0.02
    pcm = np.where(beeping, 9_000 * np.sin(2 * np.pi * BEEP_HZ * at), buzz).astype(np.int16).tobytes()
    return [pcm[start : start + FRAME] for start in range(0, len(pcm), FRAME)]


VOICE = voice(4)
A_SECOND = VOICE[:50]
_BEEP = np.exp(2j * np.pi * BEEP_HZ * np.arange(FRAME // 2) / RATE)


def beeps(pcm: bytes) -> bool:
    """Whether there is a beep in this frame."""
    samples = np.frombuffer(pcm, np.int16).astype(float)
    return bool(2 * abs(np.dot(samples, _BEEP[: samples.size])) / max(samples.size, 1) > BEEP_LEVEL)


@dataclass
class Beeps:
    """When beeps were sent and when they were heard."""

    sent: list[float] = field(default_factory=list[float])
    heard: list[float] = field(default_factory=list[float])
    _beeped_at: float = 0.0

    def hear(self, pcm: bytes, now: float) -> None:
        """A frame is there to be played from now on."""
        if beeps(pcm):
            if now - self._beeped_at > 0.3:
                self.heard.append(now)
            self._beeped_at = now

    def latency_ms(self) -> float | None:
        """Half of them took at most so long from the microphone's end to the loudspeaker's."""
        took = [now - max(before) for now in self.heard if (before := [at for at in self.sent if at <= now])]
        return median(took) * 1000 if took else None


@dataclass(frozen=True)
class Result:
    """What came out at the end of a line."""

    sent: int
    """Frames that were sent."""
    frames: int
    """Frames of voice that came, as they were sent or recovered."""
    concealed: float | None
    """The share of what was played that was made up; None: this path makes nothing up."""
    longest_stall_ms: float
    """The longest time without the voice."""
    latency_ms: float | None
    keyed: int = 0
    keys_right: int = 0


class Line(Protocol):
    """A call in one direction."""

    async def open(self, fate: Fate) -> None:
        """Connect, over a network that does this to each packet of audio."""
        ...

    def result(self) -> Result:
        """What was heard until now."""
        ...

    async def close(self) -> None:
        """Hang up."""
        ...


@dataclass
class Sent:
    """How many packets of audio went into a network."""

    packets: int = 0


def through(peer: RTCPeerConnection, fate: Fate) -> Sent:
    """Put a network before a peer."""
    sent = Sent()
    agent, loop = seam.agent_of(peer.getReceivers()[0].transport), asyncio.get_running_loop()
    deliver: seam.Arrived = getattr(agent, seam.ARRIVED)

    def network(datagram: bytes, component: int) -> None:
        if not rtp.is_rtp(datagram):
            deliver(datagram, component)
            return
        sent.packets += datagram[1] & 0x7F != EVENTS_PAYLOAD_TYPE
        delay_s = fate(loop.time())
        if delay_s is not None and delay_s < 0.0005:
            deliver(datagram, component)
        elif delay_s is not None:
            loop.call_later(delay_s, deliver, datagram, component)

    setattr(agent, seam.ARRIVED, network)
    return sent


class OurLine:
    """Two of our legs.

    Args:
        talking: Whether both talk all the time.
        timed: Whether the beeps in the voice are listened for.
        keys: How many keys the caller presses meanwhile, as fast as they go.
    """

    def __init__(self, *, talking: bool, timed: bool = False, keys: int = 0) -> None:
        self._talking = talking
        self._timed = timed
        self._keys = "".join(Random(11).choices(KEYS[:12], k=keys))
        self._arrived = ""
        self._beeps = Beeps()
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self, fate: Fate) -> None:
        """Connect through `WebRTCTransport` and `place`."""
        self._transport = WebRTCTransport()
        taken: list[WebRTCLeg] = []

        async def take(incoming: Incoming) -> None:
            taken.append(await self._transport.accept(incoming, rate=RATE))

        self._transport.listen(take)
        caller = Caller("caller")
        info = LegInfo(call_id="outgoing", direction="outgoing")
        self.legs = [await place(lambda offer: self._transport.answer(offer, caller), info, rate=RATE), *taken]
        self._sent = through(taken[0]._connection, fate)  # pyright: ignore[reportPrivateUsage] - the network below it
        for leg in self.legs:
            self._tasks.append(asyncio.create_task(self._read(leg)))
            if self._talking:
                self._tasks.append(asyncio.create_task(self._talk(leg)))
        if self._keys:
            self._tasks.append(asyncio.create_task(self.legs[0].press(self._keys)))

    async def _talk(self, leg: WebRTCLeg) -> None:
        for second in range(1_000_000):
            for frame in A_SECOND:
                leg.send_audio(frame, str(second))
            await asyncio.sleep(0.9 if second % 20 == 0 else 1.0)

    async def _read(self, leg: WebRTCLeg) -> None:
        is_caller = leg is self.legs[0]
        try:
            while True:
                match await leg.events().get():
                    case AudioIn(pcm, _) if self._timed and not is_caller:
                        self._beeps.hear(pcm, time.monotonic())
                    case Played(_, ms, at) if is_caller and ms == 1_000:
                        self._beeps.sent.append(at)  # the next second's beep was handed out in this tick
                    case Digit(digit) if not is_caller:
                        self._arrived += digit
                    case _:
                        pass
        except ConnectionEnded:
            return

    def result(self) -> Result:
        """By the counts of the playout buffer: concealed is not heard."""
        counts = self.legs[1].counts
        played = counts.decoded + counts.recovered
        right = sum(key == came for key, came in zip(self._keys, self._arrived, strict=False))
        return Result(
            sent=self._sent.packets,
            frames=played,
            concealed=counts.concealed / max(played + counts.concealed, 1),
            longest_stall_ms=counts.longest_concealed * 20,
            latency_ms=self._beeps.latency_ms(),
            keyed=len(self._keys),
            keys_right=right if len(self._arrived) <= len(self._keys) else 0,
        )

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
        self._began: float | None = None
        self._next = 0
        self._talking = talking
        self.beeped_at: list[float] = []

    async def recv(self) -> av.AudioFrame:
        """Give the next frame."""
        loop = asyncio.get_running_loop()
        tick, self._next = self._next, self._next + 1
        self._began = loop.time() if self._began is None else self._began
        await asyncio.sleep(self._began + tick * PERIOD_S - loop.time())
        if tick % len(A_SECOND) == 0:
            self.beeped_at.append(loop.time())
        frame = av.AudioFrame(format="s16", layout="mono", samples=FRAME // 2)
        frame.planes[0].update(A_SECOND[tick % len(A_SECOND)] if self._talking else bytes(FRAME))
        frame.pts, frame.sample_rate, frame.time_base = tick * FRAME // 2, RATE, Fraction(1, RATE)
        return frame


class StockLine:
    """Two peers of aiortc as it is, resampled to our rate. It has no keys."""

    def __init__(self, *, talking: bool, timed: bool = False, keys: int = 0) -> None:
        self._talking = talking
        self._timed = timed
        self._keys = keys
        self._beeps = Beeps()
        self._tasks: list[asyncio.Task[None]] = []
        self._came: list[float] = []

    async def open(self, fate: Fate) -> None:
        """Connect."""
        self._peers = [RTCPeerConnection(RTCConfiguration(iceServers=[])) for _ in range(2)]
        caller, callee = self._peers
        tracks = [StockTrack(talking=self._talking) for _ in self._peers]
        for peer, track in zip(self._peers, tracks, strict=True):
            peer.addTrack(track)
        self._beeps.sent = tracks[0].beeped_at
        await ice.gather(caller)
        await caller.setLocalDescription(await caller.createOffer())
        await callee.setRemoteDescription(caller.localDescription)
        await ice.gather(callee)
        await callee.setLocalDescription(await callee.createAnswer())
        await caller.setRemoteDescription(RTCSessionDescription(callee.localDescription.sdp, "answer"))
        self._sent = through(callee, fate)
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
                        if self._timed:
                            self._beeps.hear(parts[0][:FRAME], time.monotonic())
        except MediaStreamError:
            return

    def result(self) -> Result:
        """By the frames that came."""
        gaps = [(later - earlier) * 1000 - 20 for earlier, later in pairwise(self._came)]
        return Result(
            sent=self._sent.packets,
            frames=len(self._came),
            concealed=None,
            longest_stall_ms=max(0.0, *gaps) if gaps else 0.0,
            latency_ms=self._beeps.latency_ms(),
            keyed=self._keys,
        )

    async def close(self) -> None:
        """Hang up."""
        for peer in self._peers:
            await peer.close()
        await asyncio.gather(*self._tasks)


WAYS: dict[str, type[OurLine] | type[StockLine]] = {"ours": OurLine, "aiortc's": StockLine}
