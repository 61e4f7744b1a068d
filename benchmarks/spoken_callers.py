"""The callers of `spoken_call.py`: what they say in which voice, and the lines they call over, with noise and loss."""

import base64
import json
import subprocess
import tempfile
import wave
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Literal

import anyio
import numpy as np
import uvicorn
from numpy.typing import NDArray
from starlette.applications import Starlette
from websockets.asyncio.client import ClientConnection, connect

from voice_hitl.audio.frame import frame_bytes
from voice_hitl.audio.g711 import encode_ulaw
from voice_hitl.audio.resample import Resampler
from voice_hitl.errors import ConnectionEnded
from voice_hitl.transport import AudioIn, Incoming, Leg, LegInfo, Played
from voice_hitl_local.engines import Piper
from voice_hitl_twilio import TwilioTransport
from voice_hitl_webrtc import Caller, WebRTCLeg, WebRTCTransport, place, rtp, seam

RATE = 16_000
FRAME_S = 0.02
LOUDNESS = 10_000
SNR_DB = 10.0
LOSS = 0.03

BEFORE_S, AFTER_S = 0.4, 1.0
"""The silence around what is said."""

TONE_HZ, TONE_S = 1_000, 0.3
"""A tone behind that, by which the end is known at the other side however late it comes."""

BUSY_S = 60.0
"""How long a call may stand still on a machine that has other things to do."""

Expected = Literal["yes", "no", "open"]
PHRASES: dict[Expected, tuple[str, ...]] = {
    "yes": (
        "yes", "yes please", "yeah", "sure", "okay", "that's right", "correct", "yes, go ahead", "go ahead",
        "please do", "of course", "absolutely", "sounds good", "yes, book it", "yes, that's fine",
        "that works for me", "perfect, thank you", "yep, do it", "okay, go for it", "yes, that would be great",
    ),
    "no": (
        "no", "no thanks", "nope", "no, don't do that", "don't", "no, make it eight", "please don't",
        "no, for five people", "not at seven", "cancel that",
    ),
    "open": (
        "yes, but make it eight", "yes, but for five people", "okay, wait, don't do it yet", "wait", "not yet",
        "sure, but what does it cost", "what does it cost", "is it far from here", "let me think about it",
        "stop the music", "maybe tomorrow", "I was there yesterday",
    ),
}  # fmt: skip
"""What is said to "Book a table for four at seven?", and what must come of it: `open` is neither."""

VOICES = ("joe", "en-us+m3", "en-us+f3", "en-gb+f2", "en-gb-x-rp+m7")
"""Piper's packaged voice, and four of espeak-ng's."""

PACES = (150, 170, 190)
"""Words a minute, of espeak-ng; Piper says every take a little differently by itself."""


@dataclass(frozen=True)
class Saying:
    """Something to be said."""

    text: str
    voice: str
    pace: int
    expected: Expected


def sayings() -> list[Saying]:
    """All that is said on a line, in an order that mixes all of it."""
    yes = [Saying(text, voice, pace, "yes") for text, voice, pace in product(PHRASES["yes"], VOICES, PACES)]
    others = [
        Saying(text, voice, pace, expected)
        for expected in ("no", "open")
        for text, voice, pace in product(PHRASES[expected], VOICES, PACES)
    ]
    said = [*yes, *others]
    Random(5).shuffle(said)
    return said


@cache
def _piper() -> Piper:
    return Piper()


def spoken(saying: Saying, folder: Path) -> bytes:
    """It in its voice: mono int16 at `RATE`, at a speaking loudness. Kept in `folder`."""
    path = folder / f"{saying.voice}-{saying.pace}-{saying.text}.pcm".replace(" ", "_")
    if not path.exists():
        pcm, rate = _joe(saying.text) if saying.voice == "joe" else _espeak(saying)
        path.write_bytes(_levelled(pcm, rate))
    return path.read_bytes()


def _joe(text: str) -> tuple[bytes, int]:
    return _piper().synthesize(text), _piper().rate


def _espeak(saying: Saying) -> tuple[bytes, int]:
    with tempfile.NamedTemporaryFile(suffix=".wav") as file:
        command = ["espeak-ng", "-v", saying.voice, "-s", str(saying.pace), "-w", file.name, saying.text]
        subprocess.run(command, check=True)
        with wave.open(file.name) as said:
            return said.readframes(said.getnframes()), said.getframerate()


def _levelled(pcm: bytes, rate: int) -> bytes:
    resampler = Resampler(rate, RATE, quality="HQ")
    samples = np.frombuffer(resampler.push(pcm) + resampler.flush(), dtype=np.int16).astype(float)
    levelled: bytes = (samples * LOUDNESS / np.abs(samples).max()).astype(np.int16).tobytes()
    return levelled


def _noise(seconds: float = 20.0) -> NDArray[np.float64]:
    """Pink noise, `SNR_DB` below a voice: equal power in every octave, as of a room full of people."""
    count = int(seconds * RATE)
    spectrum = np.fft.rfft(np.random.default_rng(3).normal(size=count))
    hertz = np.fft.rfftfreq(count, 1 / RATE)
    spectrum[1:] /= np.sqrt(hertz[1:])
    spectrum[hertz < 50] = 0
    noise: NDArray[np.float64] = np.fft.irfft(spectrum, count)
    voice_rms = LOUDNESS * 0.25  # of the active parts of these voices, whose peak is `LOUDNESS`
    noise *= voice_rms / 10 ** (SNR_DB / 20) / float(np.sqrt(np.mean(noise**2)))
    return noise


def on_the_line(pcm: bytes, *, noisy: bool) -> bytes:
    """What a caller's line carries when they say this: silence around it, noise under both, and the tone."""
    line = bytes(int(BEFORE_S * RATE) * 2) + pcm + bytes(int(AFTER_S * RATE) * 2)
    if noisy:
        mixed = np.frombuffer(line, dtype=np.int16) + _noise()[: len(line) // 2]
        line = mixed.clip(-32_768, 32_767).astype(np.int16).tobytes()
    at = np.arange(int(TONE_S * RATE)) / RATE
    line += (np.sin(2 * np.pi * TONE_HZ * at) * LOUDNESS).astype(np.int16).tobytes()
    return line + bytes(-len(line) % frame_bytes(RATE))


def _is_tone(pcm: bytes) -> bool:
    """Whether most of it is the tone."""
    samples = np.frombuffer(pcm, dtype=np.int16).astype(float)
    wave = np.exp(2j * np.pi * TONE_HZ * np.arange(len(samples)) / RATE)
    energy = float(np.sum(samples**2))
    in_tone = 2 * abs(complex(np.sum(samples * wave))) ** 2 / max(1, len(samples))
    return energy > len(samples) * (LOUDNESS / 8) ** 2 and in_tone > 0.7 * energy


TONE_FRAMES = 5
"""By so many frames the tone is known."""


def _frames(pcm: bytes) -> list[bytes]:
    size = frame_bytes(RATE)
    return [pcm[place : place + size] for place in range(0, len(pcm), size)]


Speak = Callable[[bytes], Awaitable[None]]
"""Says something on a line, frame by frame; returns when it was said."""


# --- Opus over WebRTC -------------------------------------------------------------------------------------------------


class LossyWebRTC(WebRTCTransport):
    """Calls whose packets are lost on their way here, as often as `loss` says."""

    def __init__(self, loss: float) -> None:
        super().__init__(lost_after_s=BUSY_S, connect_within_s=BUSY_S)
        self._loss = loss
        self._chance = Random(7)

    async def accept(self, connection: Incoming, *, rate: int) -> WebRTCLeg:
        """Answer the call."""
        leg = await super().accept(connection, rate=rate)
        receiver = leg._connection.getReceivers()[0]  # pyright: ignore[reportPrivateUsage] - the network below it
        agent = seam.agent_of(receiver.transport)
        deliver: seam.Arrived = getattr(agent, seam.ARRIVED)

        def lossy(datagram: bytes, component: int) -> None:
            if not rtp.is_rtp(datagram) or self._chance.random() >= self._loss:
                deliver(datagram, component)

        setattr(agent, seam.ARRIVED, lossy)
        return leg


@asynccontextmanager
async def over_webrtc(loss: float) -> AsyncGenerator[tuple[Leg, Speak]]:
    """A call over WebRTC on this machine (ICE, DTLS, SRTP, Opus): its near end, and the caller's mouth."""
    transport, legs = LossyWebRTC(loss), list[Leg]()

    async def take(call: Incoming) -> None:
        legs.append(await transport.accept(call, rate=RATE))

    transport.listen(take)
    caller = Caller("caller", room_id="desk")
    info = LegInfo(call_id="outgoing", direction="outgoing")
    leg = await place(
        lambda offer: transport.answer(offer, caller),
        info,
        rate=RATE,
        lost_after_s=BUSY_S,
        connect_within_s=BUSY_S,
    )

    number = 0

    async def speak(pcm: bytes) -> None:
        nonlocal number
        number += 1
        for frame in _frames(pcm):
            leg.send_audio(frame, f"utterance {number}")
        while True:
            event = await leg.events().get()
            if isinstance(event, Played) and event.last and event.item == f"utterance {number}":
                return

    yield legs[0], speak
    await leg.aclose()
    await legs[0].aclose()


# --- mu-law over a WebSocket ------------------------------------------------------------------------------------------


@asynccontextmanager
async def serving(app: Starlette) -> AsyncGenerator[int]:
    """Serve on a free port of this machine."""
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", ws="websockets-sansio"))
    async with anyio.create_task_group() as group:
        group.start_soon(server.serve)
        while not server.started:  # noqa: ASYNC110 - uvicorn tells by this flag alone
            await anyio.sleep(0.01)
        yield int(server.servers[0].sockets[0].getsockname()[1])
        server.should_exit = True


@asynccontextmanager
async def over_ulaw(loss: float) -> AsyncGenerator[tuple[Leg, Speak]]:
    """A call over a media stream of mu-law. A lost frame arrives as silence, as a gateway has it."""
    transport = TwilioTransport("https://agent.example")
    legs, taken, chance = list[Leg](), anyio.Event(), Random(7)

    async def take(call: Incoming) -> None:
        legs.append(await transport.accept(call, rate=RATE))
        taken.set()

    transport.listen(take)
    to_line = Resampler(RATE, 8_000)
    line, silence, said = deque[bytes](), bytes(frame_bytes(RATE)), anyio.Event()
    async with (
        serving(Starlette(routes=transport.routes())) as port,
        connect(f"ws://127.0.0.1:{port}/twilio/stream", ping_interval=None) as socket,
    ):
        start = {"callSid": "CA1", "streamSid": "MZ1", "customParameters": {"voice_hitl_from": "caller"}}
        await socket.send(json.dumps({"event": "start", "streamSid": "MZ1", "start": start}))
        await taken.wait()
        chunk = 0

        async def send(frame: bytes) -> None:
            nonlocal chunk
            pcm = to_line.push(frame)
            if chance.random() < loss:
                pcm = bytes(len(pcm))
            chunk += 1
            media = {"payload": base64.b64encode(encode_ulaw(pcm)).decode(), "chunk": str(chunk)}
            await socket.send(json.dumps({"event": "media", "media": media}))

        async def pace() -> None:
            # A media stream has a frame every 20 ms, whether or not somebody speaks.
            due = anyio.current_time()
            while True:
                await send(line.popleft() if line else silence)
                if not line:
                    said.set()
                due += FRAME_S
                await anyio.sleep_until(due)

        async def speak(pcm: bytes) -> None:
            nonlocal said
            said = anyio.Event()
            line.extend(_frames(pcm))
            await said.wait()

        async with anyio.create_task_group() as group:
            group.start_soon(_listen, socket)
            group.start_soon(pace)
            yield legs[0], speak
            group.cancel_scope.cancel()
        await legs[0].aclose()


async def _listen(socket: ClientConnection) -> None:
    async for _message in socket:
        pass


# --- carrying ---------------------------------------------------------------------------------------------------------


async def carry(leg: Leg, speak: Speak, said: AsyncIterator[tuple[Path, bytes]]) -> None:
    """Say each on the line, and write what came out at its near end to its file."""
    heard: list[bytes] = []
    tone, no_tone = anyio.Event(), anyio.Event()

    async def listen() -> None:
        try:
            while True:
                event = await leg.events().get()
                if isinstance(event, AudioIn):
                    heard.append(event.pcm)
                    is_tone = _is_tone(b"".join(heard[-TONE_FRAMES:]))
                    (tone if is_tone else no_tone).set()
        except ConnectionEnded:
            return

    async with anyio.create_task_group() as group:
        group.start_soon(listen)
        await speak(bytes(RATE * 2))  # the media stand, and the playout buffer has found its depth
        async for path, pcm in said:
            heard.clear()
            tone = anyio.Event()
            await speak(pcm)
            with anyio.fail_after(BUSY_S):
                await tone.wait()
                path.write_bytes(b"".join(heard[: -2 * TONE_FRAMES]))
                no_tone = anyio.Event()
                await no_tone.wait()
        group.cancel_scope.cancel()
