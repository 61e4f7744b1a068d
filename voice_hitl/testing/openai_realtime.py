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
import time
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from types import TracebackType
from typing import Final, Self, TypeVar, cast
from urllib.parse import parse_qs, urlsplit

from voice_hitl.errors import PluginMissing
from voice_hitl.tasks import current_time
from voice_hitl.testing.openai.machine import Machine
from voice_hitl.testing.openai.machine_socket import Event, MachineSocket, Tamper
from voice_hitl.testing.openai.script import Call, Fail, Habits, Pause, RunOut, Say, Script, Step, Turn, Utterance
from voice_hitl.testing.openai.service import Served, Service

try:
    from websockets.asyncio.server import ServerConnection
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

PATH: Final = "/v1/realtime"

M = TypeVar("M", bound=Machine)


class RealtimeServerSession:
    """One session, as the test sees it: what the client sent, and what the caller and the network do."""

    def __init__(self, socket: ServerConnection, machine: Machine, tamper: Callable[[], Tamper | None]) -> None:
        self._machine = machine
        self.socket = MachineSocket(socket, machine, tamper, audio_kind="input_audio_buffer.append")
        """The service's end of the connection."""

    # --- what the client did -----------------------------------------------------------------------------------------

    @property
    def events(self) -> list[Event]:
        """What the client sent, without its audio."""
        return self.socket.events

    def sent(self, kind: str) -> list[Event]:
        """What the client sent of this type."""
        return self.socket.sent(kind)

    async def received(self, kind: str, *, count: int = 1) -> Event:
        """Wait until the client has sent `count` events of this type; return the last of them."""
        return await self.socket.received(kind, count=count)

    async def until(self, happened: Callable[[], bool]) -> None:
        """Wait until this is so; it is asked whenever the client has sent something."""
        await self.socket.until(happened)

    @property
    def frames(self) -> int:
        """How many pieces of audio the client sent."""
        return self.socket.frames

    @property
    def failure(self) -> Exception | None:
        """What the test's script raised, if it did."""
        return self.socket.failure

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
        self.socket.do(self._machine.caller.start)

    def caller_stops(self, text: str | None) -> None:
        """The caller stops, having said this; None: what cannot be transcribed."""
        self.socket.do(lambda: self._machine.caller.stop(text))

    # --- what the service and the network do -------------------------------------------------------------------------

    def release(self, pause: Pause) -> None:
        """Let the model go on from a pause."""
        pause.released = True
        self.socket.do(lambda: None)

    def do(self, act: Callable[[], None]) -> None:
        """Have the machine do something, and say what comes of it."""
        self.socket.do(act)

    def send(self, event: Event) -> None:
        """Say something of the test's own."""
        self.socket.send(event)

    def send_text(self, text: str) -> None:
        """Send this as it stands, JSON or not."""
        self.socket.send_text(text)

    def expire(self) -> None:
        """End the session as its time limit does."""
        self.socket.do(self._machine.expire)

    def close(self, code: int = 1011, reason: str = "internal error") -> None:
        """End the connection, after what was said already."""
        self.socket.close(code, reason)

    def drop(self) -> None:
        """Cut the connection, with no goodbye."""
        self.socket.drop()

    async def serve(self) -> None:
        """Speak with the client until the connection ends."""
        await self.socket.serve()


class OpenAIRealtimeServer(Served[RealtimeServerSession]):
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
        super().__init__(api_key, Service(api_key, port, max_message_bytes=max_message_bytes))
        self._habits = Habits(
            speed=speed, latency_s=latency_s, transcription_s=transcription_s, session_limit_s=session_limit_s
        )
        self._script = Script()
        self._numbers = itertools.count(1)

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

    # --- running -----------------------------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        await self._service.start(self._handle, self._admit)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._service.stop((session.socket for session in self.sessions), error)

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        refusal = self._service.refusal(connection, request, known=urlsplit(request.path).path == PATH)
        return refusal if refusal is not None else self.admit(connection, _query(request))

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
        session = RealtimeServerSession(socket, machine, lambda: self._service.change)
        self.opened(session, _query(request))
        self._service.add(session)
        await session.serve()


def _query(request: Request) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(request.path).query).items()}
