"""A real Redis server on a free port, for the tests."""

import shutil
import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(port: int, folder: Path) -> subprocess.Popen[bytes]:
    """Start a server; return once it takes connections."""
    executable = shutil.which("redis-server")
    assert executable, "the tests need redis-server (apt-get install redis-server)"
    command = [executable, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    server = subprocess.Popen(
        [*command, "--dir", str(folder), "--daemonize", "no"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    until = time.monotonic() + 10
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return server
        time.sleep(0.02)
    stop(server)
    raise AssertionError("redis-server did not start")


def stop(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    server.wait(10)


@contextmanager
def redis_server(folder: Path) -> Generator[str, None, None]:
    """The URL of a server that runs within the block."""
    port = free_port()
    server = start(port, folder)
    try:
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        stop(server)
