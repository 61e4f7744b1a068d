"""Everything that we use of aiortc and aioice beyond their public interface, in one place, held by a contract test.

Present from aiortc 1.9 to 1.16; the package pins `aiortc>=1.14,<1.17`. What is used, and why:

- an RTP receiver's packet handler, replaced on the instance: to see packets before the jitter buffer that loses audio;
- its disconnect handler, called once: to end the decoder thread that nobody needs then; and its jitter buffer, taken
  out, which would sort every packet for nothing;
- a transceiver's negotiated codecs: to ask for Opus' error correction and take telephone-event, for this call alone
  (aiortc's list of codecs belongs to the whole process, which may run other WebRTC code);
- an ICE agent's candidates: to add the loopback address where there is no other.
"""

from collections.abc import Awaitable, Callable

from aiortc import RTCRtpReceiver, RTCRtpTransceiver
from aiortc.rtcicetransport import RTCIceGatherer
from aiortc.rtcrtpparameters import RTCRtpCodecParameters
from aiortc.rtp import RtpPacket

HANDLER = "_handle_rtp_packet"
DISCONNECT = "_handle_disconnect"
JITTER_BUFFER = "_RTCRtpReceiver__jitter_buffer"

LOOPBACK = "127.0.0.1"

_Handler = Callable[[RtpPacket, int], Awaitable[None]]


class _NoJitterBuffer:
    """Keeps nothing."""

    def add(self, _packet: RtpPacket) -> tuple[bool, None]:
        """No picture is lost, and no frame complete."""
        return False, None


def tap(receiver: RTCRtpReceiver, on_packet: Callable[[RtpPacket], None]) -> None:
    """Call `on_packet` for every RTP packet that comes. aiortc keeps counting them for RTCP, but decodes none."""
    count: _Handler = getattr(receiver, HANDLER)
    disconnect: Callable[[], None] = getattr(receiver, DISCONNECT)
    decoding = True

    async def handle(packet: RtpPacket, arrival_time_ms: int) -> None:
        nonlocal decoding
        if decoding:
            decoding = False
            disconnect()
            setattr(receiver, JITTER_BUFFER, _NoJitterBuffer())
        on_packet(packet)
        await count(packet, arrival_time_ms)

    setattr(receiver, HANDLER, handle)


def negotiated(transceiver: RTCRtpTransceiver) -> list[RTCRtpCodecParameters]:
    """The codecs in common with the far end, after the remote description was set."""
    return transceiver._codecs  # pyright: ignore[reportPrivateUsage] - see the module


def settle_on(transceiver: RTCRtpTransceiver, codecs: list[RTCRtpCodecParameters]) -> None:
    """Use exactly these codecs, the first one to send; before the answer is made, or before media flow."""
    transceiver._codecs = codecs  # pyright: ignore[reportPrivateUsage] - see the module


async def offer_loopback(gatherer: RTCIceGatherer) -> None:
    """Add the loopback address to the local candidates."""
    agent = gatherer._connection  # pyright: ignore[reportPrivateUsage] - see the module
    found = await agent.get_component_candidates(component=1, addresses=[LOOPBACK])
    agent._local_candidates += found  # pyright: ignore[reportPrivateUsage] - see the module
