"""SIP over UDP on anyio: one datagram is one message (RFC 3261, 18)."""

import logging

import anyio
from aiosipua import SipRequest, SipResponse
from aiosipua.transport import SipTransport as SipMessages
from anyio.abc import UDPSocket

from voice_hitl.tasks import Mailbox, Tasks

log = logging.getLogger(__name__)

WAITING = 1024
"""Messages that wait for the socket; the oldest go first, and are retransmitted by who needs them."""

MAX_DATAGRAM = 16 * 1024
"""Bytes of a message; no call of ours needs more."""


class UdpMessages(SipMessages):
    """The user agent's messages on one UDP port."""

    def __init__(self, host: str, port: int) -> None:
        self.local_addr = (host, port)
        self._tasks = Tasks(f"SIP port {port}")
        self._out: Mailbox[tuple[bytes, tuple[str, int]]] = Mailbox(limit=WAITING, droppable=lambda _message: True)
        self._socket: UDPSocket | None = None

    async def start(self) -> None:
        """Open the port; `OSError` where it is taken."""
        host, port = self.local_addr
        udp = self._socket = await anyio.create_udp_socket(local_host=host, local_port=port)
        self._tasks.spawn(self._receive(udp), "receiving")
        self._tasks.spawn(self._send(udp), "sending")

    def send(self, message: SipRequest | SipResponse, addr: tuple[str, int]) -> None:
        """Send one message; never waits."""
        self._out.put((bytes(message), addr))

    async def stop(self) -> None:
        """Send what is left, close the port."""
        self._out.close()
        await self._tasks.close(patience_s=0.2)
        if self._socket is not None:
            await self._socket.aclose()

    async def _receive(self, udp: UDPSocket) -> None:
        async for data, (host, port) in udp:
            if len(data) <= MAX_DATAGRAM:
                self._dispatch(data, (host, port))

    async def _send(self, udp: UDPSocket) -> None:
        async for data, (host, port) in self._out:
            try:
                await udp.sendto(data, host, port)
            except OSError as error:
                log.warning("a SIP message to %s:%d was not sent: %s", host, port, error)
