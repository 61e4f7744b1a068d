"""Everything that we use of aiortc and aioice beyond their public interface, in one place, held by a contract test.

Present from aiortc 1.14 to 1.16, which the package pins. What is used, and why:

- an ICE agent's handler of what comes, replaced on the instance, and what SRTP takes off and puts on: RTP goes straight
  between the socket and us. aiortc's own way is a queue, a task that is woken and a dozen objects for each packet,
  which cost more than the codec, and a jitter buffer that loses audio;
- a sender's and a receiver's counts, which RTCP reports from; the sender's source, and the header extensions that were
  negotiated;
- a receiver's disconnect handler: to end the decoder thread that nobody needs;
- a transceiver's negotiated codecs: to ask for Opus' error correction and take telephone-event, for this call alone
  (aiortc's list of codecs belongs to the whole process, which may run other WebRTC code);
- when an SCTP transport sends again what was lost: a message of a call cannot wait for a second;
- an ICE agent's candidates: to add the loopback address where there is no other.
"""

import secrets
import time
from collections.abc import Callable
from typing import Protocol, cast

import pylibsrtp
from aiortc import RTCRtpReceiver, RTCRtpTransceiver
from aiortc.rtcdtlstransport import RTCDtlsTransport
from aiortc.rtcicetransport import RTCIceGatherer
from aiortc.rtcrtpparameters import RTCRtpCodecParameters
from aiortc.rtcrtpreceiver import StreamStatistics
from aiortc.rtcrtpsender import RTCRtpSender
from aiortc.rtcsctptransport import RTCSctpTransport
from aiortc.rtp import RtpPacket

from voice_hitl_webrtc import rtp

ARRIVED = "data_received"
NOMINATED = "_nominated"
PROTECTS, UNPROTECTS = "_tx_srtp", "_rx_srtp"

DISCONNECT = "_handle_disconnect"
DECODER = "_RTCRtpReceiver__decoder_thread"
STREAMS = "_RTCRtpReceiver__remote_streams"

SOURCE = "_ssrc"
MID, EXTENSIONS = "_RTCRtpSender__mid", "_RTCRtpSender__rtp_header_extensions_map"
PACKETS, OCTETS = "_RTCRtpSender__packet_count", "_RTCRtpSender__octet_count"
NTP_TIME, RTP_TIME = "_RTCRtpSender__ntp_timestamp", "_RTCRtpSender__rtp_timestamp"

AGAIN_AFTER, MEASURE_ROUND_TRIP = "_rto", "_update_rto"
ROUND_TRIP, ITS_VARIANCE = "_srtt", "_rttvar"

FIRST_AGAIN_AFTER_S = 1.0
"""While no round trip is known (RFC 9260 16: RTO.Initial). aiortc waits for 3 s."""
LEAST_AGAIN_AFTER_S = 0.4
"""As Chrome does. aiortc waits for 1 s."""

LOOPBACK = "127.0.0.1"

COMPONENT = 1
"""RTP and RTCP share a port, and so there is one component (RFC 8445)."""

_NTP_EPOCH_S = 2_208_988_800
"""From 1900 to 1970 (RFC 5905)."""

_HEADER_BYTES = 12

Arrived = Callable[[bytes, int], None]
"""What an ICE agent does with a datagram that is not its own; the number is its component."""


class _Srtp(Protocol):
    """One direction of SRTP."""

    def protect(self, packet: bytes) -> bytes: ...

    def unprotect(self, packet: bytes) -> bytes: ...


class _Counts(Protocol):
    """aiortc's counts of one source. It reads the number and the timestamp of its packets, and ours have both."""

    def add(self, packet: rtp.Packet) -> None: ...


def agent_of(transport: RTCDtlsTransport) -> object:
    """The ICE agent below: everything from the network comes to its `ARRIVED`, which may be replaced on it."""
    return transport.transport._connection  # pyright: ignore[reportPrivateUsage] - see the module


def tap(receiver: RTCRtpReceiver, clock_rate: int, on_packet: Callable[[rtp.Packet], None]) -> None:
    """Call `on_packet` for every RTP packet, in the tick that it comes in. aiortc sees none of them.

    They are counted for aiortc's RTCP, by the RTP clock of the audio.
    """
    transport = receiver.transport
    agent = agent_of(transport)
    pass_on: Arrived = getattr(agent, ARRIVED)
    streams: dict[int, _Counts] = getattr(receiver, STREAMS)
    disconnect: Callable[[], None] = getattr(receiver, DISCONNECT)

    def arrived(datagram: bytes, component: int) -> None:
        srtp: _Srtp | None = getattr(transport, UNPROTECTS)
        if srtp is None or not rtp.is_rtp(datagram):
            pass_on(datagram, component)
            return
        try:
            packet = rtp.read(srtp.unprotect(datagram))
        except (pylibsrtp.Error, ValueError):  # forged, sent twice, longer than any packet
            return
        if packet is None:
            return
        if getattr(receiver, DECODER) is not None:
            disconnect()
        if packet.source not in streams:
            streams[packet.source] = cast("_Counts", StreamStatistics(clock_rate))
        streams[packet.source].add(packet)
        on_packet(packet)

    setattr(agent, ARRIVED, arrived)


class Outlet:
    """The way out for the packets of a sender whose connection stands: they go to the socket in the same tick.

    They are counted for aiortc's RTCP.
    """

    def __init__(self, sender: RTCRtpSender) -> None:
        self._sender = sender
        self._transport = sender.transport
        self._agent = agent_of(sender.transport)
        # In the lower half: a number that wraps around while first packets are lost breaks SRTP (RFC 3711 3.3.1).
        self._stream = rtp.Stream(
            getattr(sender, SOURCE),
            sequence=secrets.randbits(15),
            origin=secrets.randbits(32),
            extension=_extension(sender),
        )
        self._packets = 0
        self._octets = 0

    def send(self, payload_type: int, elapsed: int, payload: bytes, *, marker: bool = False) -> None:
        """Send one packet; without a connection it is let go. `elapsed`: its time, in units of the RTP clock."""
        srtp: _Srtp | None = getattr(self._transport, PROTECTS)
        pair = getattr(self._agent, NOMINATED).get(COMPONENT)
        if srtp is None or pair is None:
            return
        timestamp = self._stream.timestamp(elapsed)
        packet = self._stream.write(payload_type, timestamp, payload, marker=marker)
        pair.protocol.transport.sendto(srtp.protect(packet), pair.remote_addr)
        self._count(timestamp, len(payload))

    def _count(self, timestamp: int, octets: int) -> None:
        self._packets += 1
        self._octets += octets
        setattr(self._sender, PACKETS, self._packets)
        setattr(self._sender, OCTETS, self._octets)
        setattr(self._sender, RTP_TIME, timestamp)
        setattr(self._sender, NTP_TIME, int((time.time() + _NTP_EPOCH_S) * (1 << 32)))


def _extension(sender: RTCRtpSender) -> bytes:
    """The extension of the header by which a stream is known among several (RFC 9143 14), as aiortc writes it."""
    packet = RtpPacket()
    packet.extensions.mid = getattr(sender, MID)
    return packet.serialize(getattr(sender, EXTENSIONS))[_HEADER_BYTES:]


def negotiated(transceiver: RTCRtpTransceiver) -> list[RTCRtpCodecParameters]:
    """The codecs in common with the far end, after the remote description was set."""
    return transceiver._codecs  # pyright: ignore[reportPrivateUsage] - see the module


def settle_on(transceiver: RTCRtpTransceiver, codecs: list[RTCRtpCodecParameters]) -> None:
    """Use exactly these codecs, the first one to send; before the answer is made, or before media flow."""
    transceiver._codecs = codecs  # pyright: ignore[reportPrivateUsage] - see the module


def hasten(messages: RTCSctpTransport) -> None:
    """Send again soon what was lost of a data channel: a card that asks comes half a second late then, not a second."""
    measure: Callable[[float], None] = getattr(messages, MEASURE_ROUND_TRIP)

    def measured(round_trip_s: float) -> None:
        measure(round_trip_s)
        expected: float = getattr(messages, ROUND_TRIP) + 4 * getattr(messages, ITS_VARIANCE)
        setattr(messages, AGAIN_AFTER, max(LEAST_AGAIN_AFTER_S, expected))

    setattr(messages, AGAIN_AFTER, FIRST_AGAIN_AFTER_S)
    setattr(messages, MEASURE_ROUND_TRIP, measured)


async def offer_loopback(gatherer: RTCIceGatherer) -> None:
    """Add the loopback address to the local candidates."""
    agent = gatherer._connection  # pyright: ignore[reportPrivateUsage] - see the module
    found = await agent.get_component_candidates(component=1, addresses=[LOOPBACK])
    agent._local_candidates += found  # pyright: ignore[reportPrivateUsage] - see the module
