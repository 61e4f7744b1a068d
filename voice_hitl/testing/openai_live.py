"""A local server that speaks the Live protocol of OpenAI, to test an agent against without a key.

It is a state machine, not a playback: a session that must be started first and is fixed from then on; a model that
lives by the audio it hears (without any it neither speaks nor takes in what it is told); transcripts in pieces; what is
handed over, to the client or to a backend of the service's own with function calls; sidebands. The test writes what the
model does::

    async with OpenAILiveServer() as server:
        server.on_turn(lambda turn: [Say("One moment."), HandOver()])
        provider = OpenAILiveProvider(api_key=server.api_key, base_url=server.base_url)
        ...
        session = await server.session()
        session.caller_says("a table for four, please")
        told = await session.received("session.commentary.append")

It refuses what the service refuses: anything before `session.start`, or a second one; fields that the API reference
does not have; an append of more than 500 tokens (counted in bytes, of which a text has more), without `delegation_id`,
to a delegation that is none, or in the other kind of delegation; items of a backend that the client is itself; an
output for a call that waits for none, and going on before every call has its own; audio and a start on a sideband; a
changed owner of delegations; a wrong key (HTTP 401), an unknown session (HTTP 404).

Needs `websockets` (the extra `openai` has it). Source of the protocol: the OpenAI API reference (Live) as its SDK 3.57
has it, and reports of what the service was seen to do; where they leave something open, this is a guess and not the
service.
"""

import itertools
import re
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Final, Self, cast
from urllib.parse import urlsplit

from voice_hitl.errors import PluginMissing
from voice_hitl.tasks import current_time
from voice_hitl.testing.openai.live_machine import LiveMachine, SidebandMachine
from voice_hitl.testing.openai.live_script import BackendTurn, HandOver, LiveScript, LiveStep, LiveTurn
from voice_hitl.testing.openai.machine_socket import Event, MachineSocket, Tamper
from voice_hitl.testing.openai.script import Call, Say
from voice_hitl.testing.openai.service import Served, Service

try:
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response
except ImportError as missing:
    raise PluginMissing("this server needs websockets: pip install 'voice-hitl[openai]'") from missing

__all__ = [
    "BackendTurn",
    "Call",
    "HandOver",
    "LiveServerSession",
    "LiveStep",
    "LiveTurn",
    "OpenAILiveServer",
    "Say",
]

PATH: Final = "/v1/live/sessions"
AUDIO: Final = "session.input_audio.append"
_ATTACH: Final = re.compile(PATH + r"/([\w-]+)/attach")


class LiveServerSession:
    """One session, as the test sees it: what the client sent, and what the caller and the network do."""

    def __init__(self, socket: ServerConnection, machine: LiveMachine, tamper: Callable[[], Tamper | None]) -> None:
        self.machine = machine
        """The session itself."""
        self.socket = MachineSocket(socket, machine, tamper, audio_kind=AUDIO)
        """The service's end of the primary connection."""
        self.sidebands: list[MachineSocket] = []
        """Those of the sidebands, oldest first."""

    @property
    def session_id(self) -> str:
        """Its id, to attach to."""
        return self.machine.session_id

    def sent(self, kind: str) -> list[Event]:
        """What the client sent of this type, on the primary connection."""
        return self.socket.sent(kind)

    async def received(self, kind: str, *, count: int = 1) -> Event:
        """Wait until the client has sent `count` events of this type; return the last of them."""
        return await self.socket.received(kind, count=count)

    async def until(self, happened: Callable[[], bool]) -> None:
        """Wait until this is so; it is asked whenever the client has sent something."""
        await self.socket.until(happened)

    def caller_says(self, text: str) -> None:
        """The caller says something, without audio."""
        self.socket.do(lambda: self.machine.caller_says(text))

    def press(self, key: str) -> None:
        """The caller presses a key; the sidebands hear of it."""
        self.socket.do(lambda: self.machine.press(key))

    def end(self, reason: str) -> None:
        """The session ends: `expired`, `content`, `remote_hangup`, `connection_lost`."""
        self.socket.do(lambda: self.machine.end(reason))

    def send(self, event: Event) -> None:
        """Say something of the test's own, on the primary connection."""
        self.socket.send(event)

    def drop(self) -> None:
        """Cut the primary connection, with no goodbye."""
        self.socket.drop()

    def flush(self) -> None:
        """Send every connection what there is for it."""
        for socket in (self.socket, *self.sidebands):
            socket.do(lambda: None)


class OpenAILiveServer(Served[LiveServerSession]):
    """The server. An async context manager; leaving it raises what the test's script raised.

    Args:
        api_key: The key it takes; any other is refused.
        port: Where it listens, on 127.0.0.1; 0 is any free port.
        session_limit_s: How long a session may last.
    """

    def __init__(self, *, api_key: str = "sk-test", port: int = 0, session_limit_s: float = 3600.0) -> None:
        super().__init__(api_key, Service(api_key, port))
        self._session_limit_s = session_limit_s
        self._script = LiveScript()
        self._numbers = itertools.count(1)

    # --- the script --------------------------------------------------------------------------------------------------

    def on_turn(self, answer: Callable[[LiveTurn], Sequence[LiveStep]]) -> None:
        """Say what the model does when the caller has said something; else it repeats what it heard."""
        self._script.turn = answer

    def on_commentary(self, tell: Callable[[str], str]) -> None:
        """Say what it makes of something to tell; else it says it as it stands."""
        self._script.commentary = tell

    def on_backend(self, work: Callable[[BackendTurn], Sequence[Call | Say]]) -> None:
        """Say what the service's own backend does."""
        self._script.backend = work

    # --- running -----------------------------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        await self._service.start(self._handle, self._admit)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sockets = (socket for session in self.sessions for socket in (session.socket, *session.sidebands))
        await self._service.stop(sockets, error)

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        path = urlsplit(request.path).path
        known = path == PATH or self._attached_to(path) is not None
        return self._service.refusal(connection, request, known=known)

    def _attached_to(self, path: str) -> LiveServerSession | None:
        match = _ATTACH.fullmatch(path)
        wanted = match.group(1) if match is not None else ""
        running = (session for session in self.sessions if not session.machine.closed)
        return next((session for session in running if session.session_id == wanted), None)

    async def _handle(self, socket: ServerConnection) -> None:
        attached = self._attached_to(urlsplit(cast("Request", socket.request).path).path)
        if attached is not None:
            machine = SidebandMachine(attached.machine, current_time())
            sideband = MachineSocket(socket, machine, lambda: self._service.change, audio_kind=AUDIO)
            attached.sidebands.append(sideband)
            await sideband.serve()
            return
        session = self._new_session(socket)
        self._service.add(session)
        await session.socket.serve()

    def _new_session(self, socket: ServerConnection) -> LiveServerSession:
        machine = LiveMachine(
            session_id=f"live_{next(self._numbers):06d}",
            script=self._script,
            limit_s=self._session_limit_s,
            now=current_time(),
            epoch=time.time(),
        )
        session = LiveServerSession(socket, machine, lambda: self._service.change)
        machine.tell = session.flush
        return session
