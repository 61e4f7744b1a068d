"""Everything that we use of aiortc and aioice beyond their public interface, in one place, held by a contract test.

Present from aiortc 1.9 to 1.16; the package pins `aiortc>=1.14,<1.17`. What is used, and why:

- an RTP receiver's packet handler, replaced on the instance: to see packets before the jitter buffer that loses audio;
- its disconnect handler, called once: to end the decoder thread that nobody needs then; and its jitter buffer, taken
  out, which would sort every packet for nothing;
- a transceiver's negotiated codecs: to ask for Opus' error correction and take telephone-event, for this call alone
  (aiortc's list of codecs belongs to the whole process, which may run other WebRTC code);
- an RTP sender's next frame, and its transport's way out: to send telephone-events in the stream of the audio, which
  aiortc numbers but has one payload type for;
- an ICE agent's candidates: to add the loopback address where there is no other.
"""

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from aiortc import RTCRtpReceiver, RTCRtpTransceiver
from aiortc.rtcicetransport import RTCIceGatherer
from aiortc.rtcrtpparameters import RTCRtpCodecParameters
from aiortc.rtcrtpsender import RTCRtpSender
from aiortc.rtp import RtpPacket

HANDLER = "_handle_rtp_packet"
DISCONNECT = "_handle_disconnect"
JITTER_BUFFER = "_RTCRtpReceiver__jitter_buffer"
NEXT_FRAME = "_next_encoded_frame"
SEND = "_send_rtp"

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


@dataclass(frozen=True, slots=True)
class Beside:
    """A packet to send beside a frame of audio."""

    payload_type: int
    payload: bytes
    marker: bool
    before: int
    """How far its timestamp lies before that of the frame."""


class _Frame(Protocol):
    """aiortc's encoded frame: each payload becomes a packet with the next sequence number."""

    payloads: list[bytes]


def send_beside(sender: RTCRtpSender, next_packet: Callable[[], Beside | None]) -> None:
    """Ask `next_packet` with every frame of audio; send what it gives in the same stream.

    It goes through aiortc as one more payload of the frame, so that sequence numbers (and with them SRTP) stay whole,
    behind a mark by which it is found again on its way out, where its header is set.
    """
    mark = secrets.token_bytes(16)
    dtls = sender.transport
    encode: Callable[[RTCRtpCodecParameters], Awaitable[_Frame | None]] = getattr(sender, NEXT_FRAME)
    send: Callable[[bytes], Awaitable[None]] = getattr(dtls, SEND)
    packet: Beside | None = None

    async def next_frame(codec: RTCRtpCodecParameters) -> _Frame | None:
        nonlocal packet
        frame = await encode(codec)
        packet = next_packet()
        if frame is not None and packet is not None:
            frame.payloads = [*frame.payloads, mark + packet.payload]
        return frame

    async def send_rtp(data: bytes) -> None:
        header, found, _ = data.partition(mark)
        await send(_with_header(packet, header) if packet is not None and found else data)

    setattr(sender, NEXT_FRAME, next_frame)
    setattr(dtls, SEND, send_rtp)


def _with_header(packet: Beside, audio: bytes) -> bytes:
    """The packet, with the header that aiortc made for one of audio (RFC 3550 5.1)."""
    header = bytearray(audio)
    header[1] = packet.payload_type | (0x80 if packet.marker else 0)
    header[4:8] = ((int.from_bytes(header[4:8], "big") - packet.before) % (1 << 32)).to_bytes(4, "big")
    return bytes(header) + packet.payload


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
