"""A port for a server that is told it before it starts."""

import itertools
import socket

import pytest

from voice_hitl.testing import ports
from voice_hitl.testing.ports import FIRST, LAST, unused_port


def test_no_port_is_given_out_twice_in_a_row() -> None:
    given = [unused_port() for _ in range(50)]
    assert len(set(given)) == 50
    assert all(FIRST <= port < LAST and port % 2 == 0 for port in given)


@pytest.mark.parametrize("kind", [socket.SOCK_DGRAM, socket.SOCK_STREAM])
@pytest.mark.parametrize("above", [0, 1])
def test_a_port_is_passed_over_where_somebody_has_it_or_the_one_above(
    kind: socket.SocketKind, above: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = unused_port()
    monkeypatch.setattr(ports, "_turns", itertools.count((port - FIRST) // 2))
    with socket.socket(socket.AF_INET, kind) as somebody:
        somebody.bind(("127.0.0.1", port + above))
        assert unused_port() != port


def test_an_address_of_somebody_elses_is_refused() -> None:
    with pytest.raises(OSError, match=r"no port .* is free on 192\.0\.2\.1"):
        unused_port("192.0.2.1")
