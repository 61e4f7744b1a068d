"""A state machine of the service's, at the end of a socket: what the client sends goes in, what it says goes out."""

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

import anyio

from voice_hitl.errors import PluginMissing
from voice_hitl.tasks import Mailbox, Tasks, Timer, current_time
from voice_hitl.testing.openai.fields import Json
from voice_hitl.testing.openai.wire import Close

try:
    from websockets.asyncio.server import ServerConnection
    from websockets.exceptions import ConnectionClosed
except ImportError as missing:
    raise PluginMissing("this server needs websockets: pip install 'voice-hitl[openai]'") from missing

MOST_KEPT: Final = 10_000
"""Events of the client that are remembered; audio is only counted."""

Event = Mapping[str, object]
Tamper = Callable[[dict[str, object]], Sequence[Event | str]]


class ServiceMachine(Protocol):
    """One session from the service's side. Times are the caller's clock, in seconds."""

    def receive(self, text: str | bytes, now: float) -> Json | None:
        """Take in one event of the client; return it, or None where it is none."""
        ...

    def take(self) -> list[dict[str, object] | Close]:
        """What the service says, in this order."""
        ...

    def deadline(self) -> float | None:
        """When to call `tick`; None: never again."""
        ...

    def tick(self, now: float) -> None:
        """Do what is due."""
        ...


class MachineSocket:
    """The service's end of one connection.

    Args:
        socket: The connection.
        machine: What speaks there.
        tamper: What passes every event of the service, as it is now.
        audio_kind: The type of the client's audio, which is only counted.
    """

    def __init__(
        self, socket: ServerConnection, machine: ServiceMachine, tamper: Callable[[], Tamper | None], *, audio_kind: str
    ) -> None:
        self._socket = socket
        self._machine = machine
        self._tamper = tamper
        self._audio_kind = audio_kind
        self._out: Mailbox[str | Close] = Mailbox()
        self._timer: Timer | None = None
        self._events: deque[Event] = deque(maxlen=MOST_KEPT)
        self._news = anyio.Event()
        self.frames = 0
        """How many pieces of audio the client sent."""
        self.failure: Exception | None = None
        """What the test's script raised, if it did."""

    # --- what the client did -----------------------------------------------------------------------------------------

    @property
    def events(self) -> list[Event]:
        """What the client sent, without its audio."""
        return list(self._events)

    def sent(self, kind: str) -> list[Event]:
        """What the client sent of this type."""
        return [event for event in self._events if event.get("type") == kind]

    async def received(self, kind: str, *, count: int = 1) -> Event:
        """Wait until the client has sent `count` events of this type; return the last of them."""
        await self.until(lambda: len(self.sent(kind)) >= count)
        return self.sent(kind)[count - 1]

    async def until(self, happened: Callable[[], bool]) -> None:
        """Wait until this is so; it is asked whenever the client has sent something."""
        while not happened():
            news = self._news
            await news.wait()

    # --- what the service and the network do -------------------------------------------------------------------------

    def do(self, act: Callable[[], None]) -> None:
        """Something happens at the service: what follows from it is said."""
        try:
            act()
            self._machine.tick(current_time())
        except Exception as failure:  # noqa: BLE001 - the test's script is users' code: told when the server closes
            self._fail(failure)
        else:
            self._flush()

    def send(self, event: Event) -> None:
        """Say something of the test's own."""
        self._out.put(json.dumps(event))

    def send_text(self, text: str) -> None:
        """Send this as it stands, JSON or not."""
        self._out.put(text)

    def close(self, code: int, reason: str) -> None:
        """End the connection, after what was said already."""
        self._out.put(Close(code, reason))

    def drop(self) -> None:
        """Cut the connection, with no goodbye."""
        self._socket.transport.abort()

    # --- the socket --------------------------------------------------------------------------------------------------

    async def serve(self) -> None:
        """Speak with the client until the connection ends."""
        self._flush()
        tasks = Tasks("openai server")
        tasks.spawn(self._write(), "writer")
        try:
            async for text in self._socket:
                self._receive(text)
        except ConnectionClosed:
            pass
        finally:
            if self._timer is not None:
                self._timer.cancel()
            self._out.close()
            await tasks.close()
            self._tell()

    def _receive(self, text: str | bytes) -> None:
        try:
            event = self._machine.receive(text, current_time())
        except Exception as failure:  # noqa: BLE001 - as in `do`
            self._fail(failure)
            return
        self._flush()
        if event is None:
            return
        if event.get("type") == self._audio_kind:
            self.frames += 1
        else:
            self._events.append(event)
        self._tell()

    def _fail(self, failure: Exception) -> None:
        self.failure = self.failure or failure
        self.close(1011, "the script raised")

    def _flush(self) -> None:
        for said in self._machine.take():
            if isinstance(said, Close):
                self._out.put(said)
                continue
            tamper = self._tamper()
            for event in tamper(said) if tamper is not None else [said]:
                self._out.put(event if isinstance(event, str) else json.dumps(event))
        if self._timer is not None:
            self._timer.cancel()
        deadline = self._machine.deadline()
        self._timer = None
        if deadline is not None:
            self._timer = Timer(max(0.0, deadline - current_time()), lambda: self.do(lambda: None))

    async def _write(self) -> None:
        try:
            async for said in self._out:
                if isinstance(said, Close):
                    await self._socket.close(said.code, said.reason)
                    return
                await self._socket.send(said)
        except ConnectionClosed:
            return

    def _tell(self) -> None:
        news, self._news = self._news, anyio.Event()
        news.set()
