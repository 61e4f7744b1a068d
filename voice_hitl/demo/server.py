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


class Server(uvicorn.Server):
    """A web server that leaves signals to whoever runs it; `should_exit` ends it."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Signals are the program's: the demo hangs its calls up before the server ends."""
        yield


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


def web_server(app: ASGIApp, *, websockets: bool = False) -> Server:
    """A server for `app`: `await server.serve(sockets=[listener])`, and `server.should_exit = True` to end it."""
    return Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=GOODBYE_S,
            ws="websockets-sansio" if websockets else "none",
        )
    )


@asynccontextmanager
async def serving(demo: Demo, listener: socket.socket) -> AsyncGenerator[str]:
    """Serve the demo for as long as the block runs; gives its address. At the end every call is hung up."""
    server = web_server(demo.app)
    tasks = Tasks("demo server")
    job = tasks.spawn(server.serve(sockets=[listener]), "web server")
    try:
        yield address(listener)
    finally:
        with anyio.CancelScope(shield=True):
            await demo.close()
            server.should_exit = True
            await job.wait()
