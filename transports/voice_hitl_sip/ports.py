"""The ports for media: a pair for each call, its own until the call is over."""

import socket
from collections import deque

from voice_hitl.errors import InvalidOffer


class Ports:
    """Even ports between two numbers; the one above each is its RTCP (RFC 3550, 11).

    Args:
        host: The address that they are on.
        first: The lowest.
        last: The highest.
    """

    def __init__(self, host: str, first: int, last: int) -> None:
        self._host = host
        self._free = deque(range(first + first % 2, last, 2))

    def take(self) -> int:
        """A port that nobody has; `InvalidOffer` where there is none. The one that rested longest comes first."""
        for _ in range(len(self._free)):
            port = self._free.popleft()
            if is_free(self._host, port) and is_free(self._host, port + 1):
                return port
            self._free.append(port)
        raise InvalidOffer("every media port is taken: widen rtp_ports")

    def give_back(self, port: int) -> None:
        """The call is over."""
        self._free.append(port)


def is_free(host: str, port: int) -> bool:
    """Whether a UDP port can be bound."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def free_port(host: str) -> int:
    """A UDP port that nobody has now."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])
