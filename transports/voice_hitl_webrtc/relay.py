"""A network in this process between the two ends of a call, which loses packets: for checks and measurements.

It stands in for each end towards the other: the addresses in the offer and the answer become its own, so that every
packet of the call passes through it. Lost are packets of media and of the data channel; the few that set the
connection up pass.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random
from typing import cast

from voice_hitl.errors import InvalidOffer

Exchange = Callable[[str], Awaitable[str]]
"""Takes the SDP of an offer and gives that of the answer."""

Address = tuple[str, int]

_CANDIDATE = re.compile(r"^a=candidate:(\S+ \d+ udp \d+) (\d+\.\d+\.\d+\.\d+) (\d+) typ host.*$", re.MULTILINE | re.I)
_ANY_CANDIDATE = re.compile(r"^a=candidate:.*\r?\n", re.MULTILINE)

_APPLICATION_DATA = 23


@dataclass(slots=True)
class Passed:
    """What went through, both directions together: packets of media and of the data channel."""

    sent: int = 0
    lost: int = 0


def losing(share: float) -> Callable[[], bool]:
    """Loses this share of the packets (0 to 1), each by its own chance."""
    if not 0 <= share < 1:
        raise ValueError(f"a share of packets to lose is from 0 to below 1, not {share:g}")
    chance = Random()
    return lambda: chance.random() < share


class Relay:
    """One call's network.

    Args:
        lose: Asked for every packet of media and of the data channel whether it is lost.
    """

    def __init__(self, lose: Callable[[], bool]) -> None:
        self.passed = Passed()
        self._lose = lose
        self._ports: list[_Port] = []

    def between(self, exchange: Exchange) -> Exchange:
        """An exchange of offer and answer by which each end is told the relay's address for the other's.

        It raises `InvalidOffer` where one of them offers no IPv4 address of its own.
        """

        async def relayed(offer: str) -> str:
            caller = _address(offer)
            for_caller, for_callee = [await self._open(caller[0]) for _ in range(2)]
            for_caller.other, for_callee.other = for_callee, for_caller
            for_caller.end = caller
            answer = await exchange(_at(offer, for_callee.address))
            for_callee.end = _address(answer)
            return _at(answer, for_caller.address)

        return relayed

    def close(self) -> None:
        """Close its ports; what is sent to it from now on is lost."""
        for port in self._ports:
            port.close()

    async def _open(self, host: str) -> "_Port":
        _, port = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: _Port(self._passes), local_addr=(host, 0)
        )
        self._ports.append(port)
        return port

    def _passes(self, packet: bytes) -> bool:
        # By the first byte (RFC 7983): RTP and RTCP, and of DTLS what is not its handshake.
        if not packet or not (128 <= packet[0] < 192 or packet[0] == _APPLICATION_DATA):
            return True
        self.passed.sent += 1
        lost = self._lose()
        self.passed.lost += lost
        return not lost


class _Port(asyncio.DatagramProtocol):
    """The relay's socket for one end: what that end sends comes in here and goes out at the other one."""

    def __init__(self, passes: Callable[[bytes], bool]) -> None:
        self.other: _Port | None = None
        self.end: Address | None = None
        """Where the end is that it stands before; until that was told, where something came from."""
        self._passes = passes
        self._transport: asyncio.DatagramTransport | None = None

    @property
    def address(self) -> Address:
        """Where it listens."""
        assert self._transport is not None
        host, port = self._transport.get_extra_info("sockname")[:2]
        return str(host), int(port)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The socket is open."""
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: Address) -> None:
        """The end that this socket stands before sent something.

        Whoever answers begins to look for the other end before that has the answer: a lost first try costs 0.5 s.
        """
        self.end = self.end or addr
        if self.other is not None and self._passes(data):
            self.other.send(data)

    def send(self, data: bytes) -> None:
        """Send something to the end that this socket stands before."""
        if self._transport is not None and self.end is not None:
            self._transport.sendto(data, self.end)

    def close(self) -> None:
        """Take nothing more."""
        self.other = None
        if self._transport is not None:
            self._transport.close()


def _address(sdp: str) -> Address:
    """The first address of its own that an end offers."""
    found = _CANDIDATE.search(sdp)
    if found is None:
        raise InvalidOffer("there is no IPv4 host candidate in the SDP, which is what the relay goes between")
    return found[2], int(found[3])


def _at(sdp: str, address: Address) -> str:
    """The description with this address as its only one."""
    host, port = address

    def moved(section: str) -> str:
        found = _CANDIDATE.search(section)
        bare = _ANY_CANDIDATE.sub("", section)
        if found is None:
            return bare
        at = section.index("a=candidate:")
        return f"{section[:at]}a=candidate:{found[1]} {host} {port} typ host\r\n{bare[at:]}"

    head, *sections = re.split(r"^(?=m=)", sdp, flags=re.MULTILINE)
    return head + "".join(moved(section) for section in sections)
