"""A port, and a web server on it."""

import socket
from collections.abc import Awaitable, Callable

import anyio
import httpx
import pytest
from starlette.applications import Starlette

from voice_hitl.demo.server import CannotListen, PortBusy, WebServerEnded, address, listen, web_serving


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


async def cut(listener: socket.socket) -> None:
    """Once somebody was served there, close it as something outside the program does (`ss -K`)."""
    async with httpx.AsyncClient(timeout=60) as browser:
        await browser.get(address(listener))
    listener.shutdown(socket.SHUT_RDWR)


async def serve_until(event: Callable[[socket.socket], Awaitable[None]], listener: socket.socket) -> None:
    async with web_serving(Starlette(), listener):
        await event(listener)
        with anyio.fail_after(60):
            await anyio.sleep_forever()


def test_a_web_server_whose_socket_is_closed_from_outside_ends_what_is_done_with_it() -> None:
    with listen("127.0.0.1", 0) as listener, pytest.raises(WebServerEnded, match=f"at {address(listener)} has ended"):
        anyio.run(serve_until, cut, listener)


def test_a_web_server_that_cannot_begin_ends_what_is_done_with_it(caplog: pytest.LogCaptureFixture) -> None:
    async def close(listener: socket.socket) -> None:
        listener.close()

    with listen("127.0.0.1", 0) as listener:
        where = address(listener)
        with pytest.raises(WebServerEnded, match=where):
            anyio.run(serve_until, close, listener)
    assert f"web server at {where}: serving failed" in caplog.text
