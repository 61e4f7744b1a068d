"""A local server that speaks the Realtime protocol of OpenAI, to test an agent against without a key.

It is a state machine, not a playback: sessions, voice activity in the audio it gets, turns, responses, items, parallel
function calls, cancellation, truncation; it says a tone as long as its words are, faster than real time, its
transcript ahead of its audio; and it refuses what the service refuses. The test writes what its model says::

    async with OpenAIRealtimeServer() as server:
        server.on_turn(lambda turn: [Say("One moment."), Call("ask_human", {"question": "May I?"})])
        provider = OpenAIRealtimeProvider(api_key=server.api_key, base_url=server.base_url)
        ...
        session = await server.session()
        session.caller_says("yes please")
        output = await session.received("conversation.item.create")

The refusals, with the codes of the service: an output for an unknown or answered call, a second active response, a
truncation at 0 or beyond the audio, a cancellation with nothing active, a change of a fixed field, ids too long,
fields that the API reference does not have, a wrong key (HTTP 401), a message too large (close code 1009), a session
that is too long (`session_expired`, close code 1001).

Faults: `tamper` changes, drops, repeats or reorders what the server says; a session's `send` adds an event of the
test's own, `send_text` what is not even JSON, `close` and `drop` end the connection in the middle of anything, and
`expire` ends it as the time limit does.

Needs `websockets` (the extra `openai` has it). Source of the protocol: the OpenAI API reference (Realtime, GA), and
what the service was seen to do; where the two leave something open, this is a guess and not the service.
"""

import itertools
import json
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from types import TracebackType
from typing import Final, Self, TypeVar, cast
from urllib.parse import parse_qs, urlsplit

import anyio

from voice_hitl.errors import PluginMissing
from voice_hitl.tasks import Mailbox, Tasks, Timer, current_time
from voice_hitl.testing.openai.machine import Machine
from voice_hitl.testing.openai.script import Call, Fail, Habits, Pause, RunOut, Say, Script, Step, Turn, Utterance
from voice_hitl.testing.openai.wire import Close

try:
    from websockets.asyncio.server import Server, ServerConnection, serve
    from websockets.exceptions import ConnectionClosed
    from websockets.http11 import Request, Response
except ImportError as missing:
    raise PluginMissing("this server needs websockets: pip install 'voice-hitl[openai]'") from missing

__all__ = [
    "Call",
    "Fail",
    "OpenAIRealtimeServer",
    "Pause",
    "RealtimeServerSession",
    "RunOut",
    "Say",
    "Step",
    "Turn",
    "Utterance",
]

MOST_MESSAGE_BYTES: Final = 21 * 2**20
"""15 MiB of audio in base64, and something around it."""

MOST_KEPT: Final = 10_000
"""Events of the client that are remembered; audio is only counted."""

PATH: Final = "/v1/realtime"

M = TypeVar("M", bound=Machine)
Event = Mapping[str, object]
Tamper = Callable[[dict[str, object]], Sequence[Event | str]]


class RealtimeServerSession:
    """One session, as the test sees it: what the client sent, and what the caller and the network do."""

    def __init__(self, socket: ServerConnection, machine: Machine, tamper: Callable[[], Tamper | None]) -> None:
        self._socket = socket
        self._machine = machine
        self._tamper = tamper
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

    @property
    def items(self) -> list[Event]:
        """The conversation as the service has it, oldest first."""
        return self._machine.items.shown

    @property
    def configuration(self) -> Event:
        """The session's fields as the service has them."""
        return self._machine.configuration.shown()

    # --- what the caller does ----------------------------------------------------------------------------------------

    def caller_says(self, text: str | None) -> None:
        """The caller says something, without audio; None: what cannot be transcribed."""
        self.caller_starts()
        self.caller_stops(text)

    def caller_starts(self) -> None:
        """The caller begins to speak."""
        self.do(self._machine.caller.start)

    def caller_stops(self, text: str | None) -> None:
        """The caller stops, having said this; None: what cannot be transcribed."""
        self.do(lambda: self._machine.caller.stop(text))

    # --- what the service and the network do -------------------------------------------------------------------------

    def release(self, pause: Pause) -> None:
        """Let the model go on from a pause."""
        pause.released = True
        self.do(lambda: None)

    def send(self, event: Event) -> None:
        """Say something of the test's own."""
        self._out.put(json.dumps(event))

    def send_text(self, text: str) -> None:
        """Send this as it stands, JSON or not."""
        self._out.put(text)

    def expire(self) -> None:
        """End the session as its time limit does."""
        self.do(self._machine.expire)

    def close(self, code: int = 1011, reason: str = "internal error") -> None:
        """End the connection, after what was said already."""
        self._out.put(Close(code, reason))

    def drop(self) -> None:
        """Cut the connection, with no goodbye."""
        self._socket.transport.abort()

    # --- the socket --------------------------------------------------------------------------------------------------

    async def serve(self) -> None:
        """Speak with the client until the connection ends."""
        self._flush()
        tasks = Tasks("openai realtime server")
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
        except Exception as failure:  # noqa: BLE001 - the test's script is users' code: told when the server closes
            self._fail(failure)
            return
        self._flush()
        if event is None:
            return
        if event.get("type") == "input_audio_buffer.append":
            self.frames += 1
        else:
            self._events.append(event)
        self._tell()

    def do(self, act: Callable[[], None]) -> None:
        """Have the machine do something, and say what comes of it."""
        try:
            act()
            self._machine.tick(current_time())
        except Exception as failure:  # noqa: BLE001 - as in _receive
            self._fail(failure)
        else:
            self._flush()

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


class OpenAIRealtimeServer:
    """The server. An async context manager; leaving it raises what the test's script raised.

    Args:
        api_key: The key it takes; any other is refused.
        port: Where it listens, on 127.0.0.1; 0 is any free port.
        speed: How many times faster than heard the model's audio is sent; None: all at once.
        latency_s: From the end of a turn to the first event of its response.
        transcription_s: From the end of a turn to its transcript (the service was seen to take 0.5).
        session_limit_s: How long a session may last.
        max_message_bytes: The longest message it takes.
    """

    def __init__(
        self,
        *,
        api_key: str = "sk-test",
        port: int = 0,
        speed: float | None = 20.0,
        latency_s: float = 0.0,
        transcription_s: float = 0.0,
        session_limit_s: float = 3600.0,
        max_message_bytes: int = MOST_MESSAGE_BYTES,
    ) -> None:
        self.api_key = api_key
        self._port = port
        self._habits = Habits(
            speed=speed, latency_s=latency_s, transcription_s=transcription_s, session_limit_s=session_limit_s
        )
        self._max_message_bytes = max_message_bytes
        self._script = Script()
        self._change: Tamper | None = None
        self._server: Server | None = None
        self._numbers = itertools.count(1)
        self._opened = anyio.Event()
        self.sessions: list[RealtimeServerSession] = []
        """Every session there was, oldest first."""

    @property
    def base_url(self) -> str:
        """What to give a client as its `base_url`."""
        if self._server is None:
            raise RuntimeError("the server is not running: enter it (`async with`) first")
        host, port = next(iter(self._server.sockets)).getsockname()[:2]
        return f"http://{host}:{port}/v1"

    async def session(self, index: int = 0) -> RealtimeServerSession:
        """Wait for the session of this number, from 0, and return it."""
        while len(self.sessions) <= index:
            opened = self._opened
            await opened.wait()
        return self.sessions[index]

    # --- the script --------------------------------------------------------------------------------------------------

    def on_turn(self, answer: Callable[[Turn], Sequence[Step]]) -> None:
        """Say what the model answers; else it repeats what it heard."""
        self._script.turn = answer

    def on_saying(self, speak: Callable[[str], str]) -> None:
        """Say what becomes of words that the model is to say as they stand; else it says them as they stand."""
        self._script.saying = speak

    def on_utterance(self, understand: Callable[[Utterance], str | None]) -> None:
        """Say what the audio of a turn means (None: nothing that can be transcribed); else it is "hello"."""
        self._script.utterance = understand

    def tamper(self, change: Tamper | None) -> None:
        """Pass every event of the service through `change`, which returns what is sent in its place."""
        self._change = change

    # --- running -----------------------------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        self._server = await serve(
            self._handle,
            "127.0.0.1",
            self._port,
            process_request=self._admit,
            max_size=self._max_message_bytes,
            compression=None,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
        failure = next((session.failure for session in self.sessions if session.failure is not None), None)
        if failure is not None and error is None:
            raise failure

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        url = urlsplit(request.path)
        if url.path != PATH:
            return connection.respond(HTTPStatus.NOT_FOUND, "there is nothing here\n")
        if request.headers.get("Authorization") != f"Bearer {self.api_key}":
            return connection.respond(HTTPStatus.UNAUTHORIZED, "Incorrect API key provided.\n")
        return self.admit(connection, _query(request))

    def admit(self, connection: ServerConnection, query: Mapping[str, str]) -> Response | None:
        """Refuse a session for what its address asks for; None: it is welcome."""
        if not query.get("model"):
            return connection.respond(HTTPStatus.BAD_REQUEST, "You must provide a model parameter.\n")
        return None

    def machine(self, query: Mapping[str, str], session_id: str) -> Machine:
        """What serves a session that was let in."""
        return self.make(Machine, query["model"], session_id)

    def opened(self, session: RealtimeServerSession, query: Mapping[str, str]) -> None:
        """A session begins."""

    def make(self, kind: type[M], model: str, session_id: str) -> M:
        """A machine of this kind, with the server's script and habits."""
        return kind(
            session_id=session_id,
            model=model,
            script=self._script,
            habits=self._habits,
            now=current_time(),
            epoch=time.time(),
        )

    async def _handle(self, socket: ServerConnection) -> None:
        request = cast("Request", socket.request)
        machine = self.machine(_query(request), f"sess_{next(self._numbers):06d}")
        session = RealtimeServerSession(socket, machine, lambda: self._change)
        self.sessions.append(session)
        self.opened(session, _query(request))
        opened, self._opened = self._opened, anyio.Event()
        opened.set()
        await session.serve()


def _query(request: Request) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(request.path).query).items()}
