"""A real Redis server on a free port, for tests of what outlives a process. Needs `redis-server` (Debian's package)."""

import shutil
import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from voice_hitl.testing.ports import unused_port

START_S: Final = 30.0
"""How long it may take to start, in seconds."""


@contextmanager
def redis_server(folder: Path, *, port: int | None = None) -> Generator[str, None, None]:
    """Run a server within the block, in `folder`, on a free port or this one; give its URL. It keeps nothing on disk.

    Raises:
        RuntimeError: `redis-server` is not installed, or does not start.
    """
    executable = shutil.which("redis-server")
    if executable is None:
        raise RuntimeError("redis-server is not installed (apt-get install redis-server)")
    port = port if port is not None else unused_port()
    command = [executable, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    quiet = subprocess.DEVNULL
    server = subprocess.Popen([*command, "--dir", str(folder)], stdin=quiet, stdout=quiet, stderr=quiet)
    try:
        _wait_for(port, server)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait(START_S)


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise RuntimeError("redis-server did not start")
