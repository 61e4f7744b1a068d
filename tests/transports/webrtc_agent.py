"""An agent that answers calls on this machine, and ears for both ends: what the WebRTC tests are made of."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from socket import socket
from typing import TypeVar

import anyio
import numpy as np
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import BaseRoute

from voice_hitl.errors import ConnectionEnded
from voice_hitl.transport import AudioIn, Incoming, LegEvent
from voice_hitl_webrtc import Caller, WebRTCLeg, WebRTCTransport

RATE = 16_000
FRAME = RATE // 50 * 2
WITHIN_S = 30.0

E = TypeVar("E", bound=LegEvent)


def tone(hz: float, seconds: float, rate: int = RATE) -> bytes:
    """A sine at about a third of full scale."""
    time = np.arange(int(rate * seconds)) / rate
    return (np.sin(2 * np.pi * hz * time) * 12_000).astype(np.int16).tobytes()


def strongest_hz(pcm: bytes, rate: int = RATE) -> float:
    """The frequency that is loudest in it."""
    samples = np.frombuffer(pcm, dtype=np.int16)
    return float(np.argmax(np.abs(np.fft.rfft(samples)))) * rate / len(samples)


def loudness(pcm: bytes) -> float:
    """Root mean square, in int16 steps."""
    return float(np.sqrt(np.mean(np.square(np.frombuffer(pcm, dtype=np.int16).astype(float)))))


def say(leg: WebRTCLeg, pcm: bytes, item: str) -> None:
    """Queue audio on a leg, frame by frame."""
    for start in range(0, len(pcm), FRAME):
        leg.send_audio(pcm[start : start + FRAME], item)


class Ear:
    """Reads a leg's events until it ends, and keeps them."""

    def __init__(self, leg: WebRTCLeg) -> None:
        self.leg = leg
        self.heard: list[AudioIn] = []
        self.events: list[LegEvent] = []
        self.ended = anyio.Event()
        self._changed = anyio.Event()

    async def listen(self) -> None:
        while True:
            try:
                event = await self.leg.events().get()
            except ConnectionEnded:
                self.ended.set()
                return
            if isinstance(event, AudioIn):
                self.heard.append(event)
            else:
                self.events.append(event)
            self._changed.set()

    def of(self, kind: type[E]) -> list[E]:
        """The events of one kind so far."""
        return [event for event in self.events if isinstance(event, kind)]

    async def until(self, enough: Callable[[], bool], what: str) -> None:
        """Wait until something was heard or happened."""
        try:
            with anyio.fail_after(WITHIN_S):
                while not enough():
                    self._changed = anyio.Event()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(f"{what} did not happen within {WITHIN_S} s; there was {self.events}") from None

    async def next(self, kind: type[E], number: int = 1) -> E:
        """Wait for the first (second, ...) event of a kind."""
        await self.until(lambda: len(self.of(kind)) >= number, f"{kind.__name__} number {number}")
        return self.of(kind)[number - 1]

    async def voice(self, seconds: float) -> bytes:
        """Wait for so much audio above silence; return it."""
        frames = round(seconds * 50)

        def loud() -> list[bytes]:
            return [frame.pcm for frame in self.heard if loudness(frame.pcm) > 1_000]

        await self.until(lambda: len(loud()) >= frames, f"{seconds} s of voice")
        return b"".join(loud())


class Agent:
    """Takes every call that comes in."""

    def __init__(self, transport: WebRTCTransport, url: str, ears: "anyio.abc.TaskGroup") -> None:
        self.transport = transport
        self.url = url
        self.legs: list[WebRTCLeg] = []
        self.called = anyio.Event()
        self._ears = ears
        transport.listen(self.take)

    async def take(self, incoming: Incoming) -> None:
        self.legs.append(await self.transport.accept(incoming, rate=RATE))
        self.called.set()

    def ear(self, leg: WebRTCLeg) -> Ear:
        """Listen to a leg from now on."""
        ear = Ear(leg)
        self._ears.start_soon(ear.listen)
        return ear


async def authorize(request: Request) -> Caller | None:
    """Who has a name may call."""
    name = request.headers.get("x-name")
    return Caller(name, "lobby", {"plan": "gold"}) if name else None


class Server(uvicorn.Server):
    """A server that says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = anyio.Event()

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()


@asynccontextmanager
async def serving(routes: list[BaseRoute]) -> AsyncGenerator[str]:
    """Serve on a free port; give the address."""
    server = Server(uvicorn.Config(Starlette(routes=routes), port=0, log_level="warning", ws="none"))
    async with anyio.create_task_group() as group:
        group.start_soon(server.serve)
        await server.listening.wait()
        port = server.servers[0].sockets[0].getsockname()[1]
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True


@asynccontextmanager
async def agent(lost_after_s: float = 5.0) -> AsyncGenerator[Agent]:
    """An agent on a free port."""
    transport = WebRTCTransport(authorize=authorize, lost_after_s=lost_after_s)
    async with serving([*transport.routes()]) as url, anyio.create_task_group() as ears:
        try:
            yield Agent(transport, f"{url}/offer", ears)
        finally:
            with anyio.CancelScope(shield=True):
                await transport.aclose()
            ears.cancel_scope.cancel()
