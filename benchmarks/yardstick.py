"""How fast this machine is at what a call is made of, beside figures that are counted in cores.

    python benchmarks/yardstick.py

A core is not a measure: whoever reads "so many calls a core" compares these three with their own machine's. Each is the
best of some rounds, so that what else runs here is not in it.
"""

import asyncio
import time

from call_lines import RATE, VOICE

from voice_hitl_webrtc import opus

ROUNDS = 7
STEPS = 200_000
DATAGRAMS = 2_000
PACKET = bytes(172)
"""As long as 20 ms of G.711 in RTP."""


class PingPong(asyncio.DatagramProtocol):
    """Sends a datagram to itself, and the next one when it has come."""

    def __init__(self) -> None:
        self.left = DATAGRAMS
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.DatagramTransport) -> None:  # type: ignore[override]  # a UDP one's
        """Begin."""
        self.transport = transport
        self.address = transport.get_extra_info("sockname")
        transport.sendto(PACKET, self.address)

    def datagram_received(self, data: bytes, addr: object) -> None:
        """Go on, or be done."""
        self.left -= 1
        if self.left:
            self.transport.sendto(data, self.address)
        else:
            self.done.set_result(None)


def python_ns() -> float:
    """Nanoseconds of one step of a loop in Python."""
    total, began = 0, time.perf_counter()
    for step in range(STEPS):
        total += step & 7
    return (time.perf_counter() - began) / STEPS * 1e9


async def datagram_us() -> float:
    """Microseconds of a datagram, sent and taken by the event loop."""
    began = time.perf_counter()
    transport, ping_pong = await asyncio.get_running_loop().create_datagram_endpoint(
        PingPong, local_addr=("127.0.0.1", 0)
    )
    await ping_pong.done
    taken = time.perf_counter() - began
    transport.close()
    return taken / DATAGRAMS * 1e6


def opus_us() -> float:
    """Microseconds of 20 ms of voice, encoded as a WebRTC leg does."""
    encoder = opus.Encoder(RATE)
    began = time.perf_counter()
    for frame in VOICE:
        encoder.encode(frame)
    return (time.perf_counter() - began) / len(VOICE) * 1e6


async def this_machine() -> str:
    """The three figures, in a line."""
    steps = min(python_ns() for _ in range(ROUNDS))
    datagrams = min([await datagram_us() for _ in range(ROUNDS)])
    frames = min(opus_us() for _ in range(ROUNDS))
    return (
        f"This machine: {steps:.0f} ns a step of a Python loop, {datagrams:.0f} us a datagram through the event loop, "
        f"{frames:.0f} us to encode 20 ms in Opus."
    )


if __name__ == "__main__":
    print(asyncio.run(this_machine()))
