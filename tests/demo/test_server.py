"""A port for the demo."""

import socket

import pytest

from voice_hitl.demo.server import CannotListen, PortBusy, address, listen


def test_a_busy_port_says_which_option_helps() -> None:
    with listen("127.0.0.1", 0) as taken, pytest.raises(PortBusy, match="--port"):
        listen("127.0.0.1", taken.getsockname()[1])


def test_an_address_this_machine_does_not_have_says_which_option_helps() -> None:
    with pytest.raises(CannotListen, match="--host"):
        listen("203.0.113.1", 0)


def test_the_address_is_one_that_a_browser_can_open() -> None:
    with listen("127.0.0.1", 0) as here, listen("0.0.0.0", 0) as everywhere:
        assert address(here) == f"http://127.0.0.1:{here.getsockname()[1]}"
        assert address(everywhere) == f"http://127.0.0.1:{everywhere.getsockname()[1]}"


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
def test_an_ipv6_address_is_written_in_brackets() -> None:
    with listen("::1", 0) as here:
        assert address(here) == f"http://[::1]:{here.getsockname()[1]}"
