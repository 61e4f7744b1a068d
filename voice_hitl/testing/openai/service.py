"""`Service`: a WebSocket server on this machine that takes one key, and the sessions that clients open there."""

from collections.abc import Awaitable, Callable, Iterable
from http import HTTPStatus
from typing import Generic, TypeVar

import anyio

from voice_hitl.errors import PluginMissing
from voice_hitl.testing.openai.machine_socket import MachineSocket, Tamper

try:
    from websockets.asyncio.server import Server, ServerConnection, serve
    from websockets.http11 import Request, Response
except ImportError as missing:
    raise PluginMissing("this server needs websockets: pip install 'voice-hitl[openai]'") from missing

S = TypeVar("S")


class Service(Generic[S]):
    """The server below a protocol, with its sessions as the test sees them.

    Args:
        api_key: The key it takes; any other is refused.
        port: Where it listens, on 127.0.0.1; 0 is any free port.
        max_message_bytes: The longest message it takes; None: any.
    """

    def __init__(self, api_key: str, port: int, *, max_message_bytes: int | None = None) -> None:
        self._api_key = api_key
        self._port = port
        self._max_message_bytes = max_message_bytes
        self._server: Server | None = None
        self._opened = anyio.Event()
        self.sessions: list[S] = []
        """Every session there was, oldest first."""
        self.change: Tamper | None = None
        """What passes every event of the service."""

    @property
    def base_url(self) -> str:
        """What to give a client as its `base_url`."""
        if self._server is None:
            raise RuntimeError("the server is not running: enter it (`async with`) first")
        host, port = next(iter(self._server.sockets)).getsockname()[:2]
        return f"http://{host}:{port}/v1"

    async def session(self, index: int) -> S:
        """Wait for the session of this number, from 0, and return it."""
        while len(self.sessions) <= index:
            opened = self._opened
            await opened.wait()
        return self.sessions[index]

    def add(self, session: S) -> None:
        """A client has opened a session."""
        self.sessions.append(session)
        opened, self._opened = self._opened, anyio.Event()
        opened.set()

    def refusal(self, connection: ServerConnection, request: Request, *, known: bool) -> Response | None:
        """The answer to what asks for nothing that is `known`, or has another key; None: it is welcome."""
        if not known:
            return connection.respond(HTTPStatus.NOT_FOUND, "there is nothing here\n")
        if request.headers.get("Authorization") != f"Bearer {self._api_key}":
            return connection.respond(HTTPStatus.UNAUTHORIZED, "Incorrect API key provided.\n")
        return None

    async def start(
        self,
        handle: Callable[[ServerConnection], Awaitable[None]],
        admit: Callable[[ServerConnection, Request], Response | None],
    ) -> None:
        """Listen."""
        self._server = await serve(
            handle,
            "127.0.0.1",
            self._port,
            process_request=admit,
            max_size=self._max_message_bytes,
            compression=None,
        )

    async def stop(self, sockets: Iterable[MachineSocket], error: BaseException | None) -> None:
        """Listen no more; raise what a script raised at one of the `sockets`, unless there is an `error` already."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
        failure = next((socket.failure for socket in sockets if socket.failure is not None), None)
        if failure is not None and error is None:
            raise failure


class Served(Generic[S]):
    """What a test sees of a server over a `Service`, whatever its protocol."""

    def __init__(self, api_key: str, service: Service[S]) -> None:
        self.api_key = api_key
        self._service = service

    @property
    def sessions(self) -> list[S]:
        """Every session there was, oldest first."""
        return self._service.sessions

    @property
    def base_url(self) -> str:
        """What to give a client as its `base_url`."""
        return self._service.base_url

    async def session(self, index: int = 0) -> S:
        """Wait for the session of this number, from 0, and return it."""
        return await self._service.session(index)

    def tamper(self, change: Tamper | None) -> None:
        """Pass every event of the service through `change`, which returns what is sent in its place."""
        self._service.change = change
