"""Ports for servers that must be told theirs before they start: for everything else, bind port 0."""

import itertools
import os
import socket
from typing import Final

FIRST: Final = 25_200
LAST: Final = 32_500
"""Below what Linux gives by default to outgoing connections and port 0 (32,768 to 60,999), and above our media ports:
what is unused here now is not taken, and not still held in TIME_WAIT, by a connection made between look and start."""
APART: Final = 101
"""How far apart two processes begin: tests side by side seldom look at the same port at the same moment."""

_turns = itertools.count(os.getpid() * APART)


def unused_port(host: str = "127.0.0.1") -> int:
    """An even port that nobody has now, nor the one above it (RTCP, SIP over TLS), UDP or TCP; each in its turn.

    Raises:
        OSError: Every one is taken, or `host` is no address of this machine.
    """
    error: OSError | None = None
    pairs = (LAST - FIRST) // 2
    for turn in itertools.islice(_turns, pairs):
        port = FIRST + 2 * (turn % pairs)
        try:
            _look(host, port)
            _look(host, port + 1)
        except OSError as taken:
            error = taken
        else:
            return port
    raise OSError(f"no port from {FIRST} to {LAST} is free on {host}") from error


def _look(host: str, port: int) -> None:
    for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
        with socket.socket(socket.AF_INET, kind) as probe:
            probe.bind((host, port))
