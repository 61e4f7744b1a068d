"""SIP over UDP on anyio: one datagram is one message (RFC 3261, 18)."""

import logging
from collections import OrderedDict

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

REPLIES_KEPT = 1024
"""Responses to INVITEs that are kept to be said again."""

Address = tuple[str, int]


class UdpMessages(SipMessages):
    """The user agent's messages on one UDP port."""

    def __init__(self, host: str, port: int) -> None:
        self.local_addr = (host, port)
        self._tasks = Tasks(f"SIP port {port}")
        self._out: Mailbox[tuple[bytes, tuple[str, int]]] = Mailbox(limit=WAITING, droppable=lambda _message: True)
        self._socket: UDPSocket | None = None
        self._replies: OrderedDict[str, SipResponse] = OrderedDict()

    async def start(self) -> None:
        """Open the port; `OSError` where it is taken."""
        host, port = self.local_addr
        udp = self._socket = await anyio.create_udp_socket(local_host=host, local_port=port)
        self._tasks.spawn(self._receive(udp), "receiving")
        self._tasks.spawn(self._send(udp), "sending")

    def send(self, message: SipRequest | SipResponse, addr: tuple[str, int]) -> None:
        """Send one message; never waits."""
        self._out.put((bytes(message), addr))

    def send_reply(self, response: SipResponse) -> None:
        """Answer a request; what answers an INVITE is kept."""
        cseq = response.cseq
        if cseq is not None and cseq.method.upper() == "INVITE":
            self._replies[branch_of(response)] = response
            self._replies.move_to_end(branch_of(response))
            if len(self._replies) > REPLIES_KEPT:
                self._replies.popitem(last=False)
        super().send_reply(response)

    def reply_again(self, branch: str) -> None:
        """Say again what was said last to the INVITE of this branch."""
        response = self._replies.get(branch)
        if response is not None:
            super().send_reply(response)

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


def branch_of(message: SipRequest | SipResponse) -> str:
    """What names the transaction of a message (RFC 3261, 17.2.3)."""
    vias = message.via
    return (vias[0].branch if vias else None) or ""
