"""Serving the demo: a port, a web server on it, and a clean end."""

import errno
import socket
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

import anyio
import uvicorn
from starlette.types import ASGIApp

from voice_hitl.demo.app import Demo
from voice_hitl.errors import VoiceHitlError
from voice_hitl.tasks import Tasks

GOODBYE_S = 2
"""How long open HTTP requests may take to end once the server does."""


class PortBusy(VoiceHitlError):  # noqa: N818 - named by its cause
    """Another program listens on the port already."""


class CannotListen(VoiceHitlError):  # noqa: N818 - named by its cause
    """This machine has no such address, or the port is not for everybody to open."""


class WebServerEnded(VoiceHitlError):  # noqa: N818 - named by its cause
    """The web server takes no connections any more, and nobody had asked it to end."""


class _Server(uvicorn.Server):
    """A web server that leaves signals to whoever runs it, and ends when its socket does; `should_exit` ends it."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Signals are the program's: the demo hangs its calls up before the server ends."""
        yield

    async def on_tick(self, counter: int) -> bool:
        """Whether to end, ten times a second.

        A listening socket that something outside closed (`ss -K`) refuses everybody, and would be asked for
        connections without a pause.
        """
        listening = (each for server in self.servers for each in server.sockets)
        is_open = all(each.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) for each in listening)
        return await super().on_tick(counter) or not is_open


def listen(host: str, port: int) -> socket.socket:
    """Open the port (0: any free one).

    Raises:
        PortBusy: Somebody else has it.
        CannotListen: This machine has no such address, or the port takes an administrator.
        OSError: Whatever else keeps it from being opened.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortBusy(f"port {port} is in use by another program: choose another one with --port") from error
        if error.errno == errno.EACCES:
            raise CannotListen(f"port {port} takes an administrator: choose one above 1023 with --port") from error
        if error.errno in {errno.EADDRNOTAVAIL, socket.EAI_NONAME, socket.EAI_AGAIN}:
            raise CannotListen(
                f"{host} is no address of this machine: name one with --host, such as 127.0.0.1 (for this machine "
                "alone) or 0.0.0.0 (for every network that it is on)"
            ) from error
        raise


def address(listener: socket.socket) -> str:
    """Where a browser finds what is served on `listener`."""
    host, port = str(listener.getsockname()[0]), int(listener.getsockname()[1])
    # A program listens on every address, and a browser asks for one.
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


@asynccontextmanager
async def web_serving(app: ASGIApp, listener: socket.socket, *, websockets: bool = False) -> AsyncGenerator[str]:
    """Serve `app` for as long as the block runs; gives its address.

    Raises:
        WebServerEnded: The server ended first, and the block was cancelled.
    """
    where = address(listener)
    server = _Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=GOODBYE_S,
            ws="websockets-sansio" if websockets else "none",
        )
    )
    tasks = Tasks(f"web server at {where}")
    job = tasks.spawn(server.serve(sockets=[listener]), "serving")

    async def end_with_it(block: anyio.CancelScope) -> None:
        await job.wait()
        if not server.should_exit:
            block.cancel()

    with anyio.CancelScope() as block:
        tasks.spawn(end_with_it(block), "watching")
        try:
            yield where
        finally:
            with anyio.CancelScope(shield=True):
                server.should_exit = True
                await job.wait()
    if block.cancelled_caught:
        raise WebServerEnded(f"the web server at {where} has ended, unasked: nobody can call there any more")


@asynccontextmanager
async def serving(demo: Demo, listener: socket.socket) -> AsyncGenerator[str]:
    """Serve the demo for as long as the block runs; gives its address. At the end every call is hung up.

    Raises:
        WebServerEnded: See `web_serving`.
    """
    async with web_serving(demo.app, listener) as url:
        try:
            yield url
        finally:
            with anyio.CancelScope(shield=True):
                await demo.close()
