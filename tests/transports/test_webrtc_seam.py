"""The contract with aiortc and aioice: fails loudly when something of theirs that `seam.py` stands on moves."""

import inspect
from collections.abc import Iterable
from typing import cast

import pytest
from aioice.ice import Connection, StunProtocol
from aiortc import RTCConfiguration, RTCPeerConnection, RTCRtpReceiver
from aiortc.mediastreams import AudioStreamTrack
from aiortc.rtcdtlstransport import RTCDtlsTransport
from aiortc.rtcrtpsender import RTCRtpSender
from aiortc.rtcsctptransport import RTCSctpTransport
from aiortc.stats import RTCInboundRtpStreamStats

from voice_hitl_webrtc import rtp, seam

pytestmark = pytest.mark.anyio


async def a_peer() -> RTCPeerConnection:
    peer = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    peer.addTrack(AudioStreamTrack())
    return peer


def test_an_agent_is_handed_what_comes_by_the_method_we_replace() -> None:
    assert f"self.receiver.{seam.ARRIVED}(data, self.local_candidate.component)" in inspect.getsource(StunProtocol)
    assert list(inspect.signature(getattr(Connection, seam.ARRIVED)).parameters) == ["self", "data", "component"]


def test_an_agent_sends_to_the_pair_that_was_nominated() -> None:
    assert f"active_pair = self.{seam.NOMINATED}.get(component)" in inspect.getsource(Connection.sendto)
    assert "active_pair.protocol.send_data(data, active_pair.remote_addr)" in inspect.getsource(Connection.sendto)
    assert "self.transport.sendto(data, addr)" in inspect.getsource(StunProtocol.send_data)


async def test_a_transport_has_srtp_of_its_own_for_each_direction_once_it_stands() -> None:
    peer = await a_peer()
    transport = peer.getReceivers()[0].transport
    assert isinstance(seam.agent_of(transport), Connection)
    for direction, use in ((seam.PROTECTS, "protect"), (seam.UNPROTECTS, "unprotect")):
        assert getattr(transport, direction) is None
        assert f"self.{direction}.{use}(data)" in inspect.getsource(RTCDtlsTransport)
    await peer.close()


async def test_a_receivers_decoder_ends_at_a_disconnect() -> None:
    disconnect = getattr(RTCRtpReceiver, seam.DISCONNECT)
    assert list(inspect.signature(disconnect).parameters) == ["self"]
    assert "stop_decoder" in inspect.getsource(disconnect)
    peer = await a_peer()
    assert getattr(peer.getReceivers()[0], seam.DECODER) is None
    await peer.close()


async def test_a_tapped_receiver_shows_us_every_packet_and_reports_it() -> None:
    peer = await a_peer()
    receiver = peer.getReceivers()[0]
    seen: list[rtp.Packet] = []
    seam.tap(receiver, 48_000, seen.append)
    setattr(receiver.transport, seam.UNPROTECTS, Unprotected())
    stream = rtp.Stream(7, sequence=1, origin=0)
    arrived: seam.Arrived = getattr(seam.agent_of(receiver.transport), seam.ARRIVED)
    for datagram in (stream.write(96, 0, b"\x48"), b"\x80" + bytes(2_000), stream.write(96, 960, b"\x48")):
        arrived(datagram, seam.COMPONENT)
    assert [packet.sequence_number for packet in seen] == [1, 2]
    stats = cast("Iterable[object]", (await receiver.getStats()).values())
    [counted] = [found for found in stats if isinstance(found, RTCInboundRtpStreamStats)]
    assert (counted.ssrc, counted.packetsReceived, counted.packetsLost) == (7, 2, 0)
    await peer.close()


class Unprotected:
    """SRTP that changes nothing, and knows what is too long."""

    def unprotect(self, packet: bytes) -> bytes:
        if len(packet) > 1_500:
            raise ValueError("packet is too long")
        return packet


async def test_a_senders_reports_are_made_from_what_we_count() -> None:
    peer = await a_peer()
    sender = peer.getSenders()[0]
    source = inspect.getsource(RTCRtpSender)
    for count in (seam.PACKETS, seam.OCTETS, seam.RTP_TIME, seam.NTP_TIME):
        assert getattr(sender, count) == 0
        assert f"=self.{count.removeprefix('_RTCRtpSender')}" in source
    for known in (seam.SOURCE, seam.MID, seam.EXTENSIONS):
        assert hasattr(sender, known)
    await peer.close()


async def test_what_is_lost_of_a_data_channel_is_sent_again_soon() -> None:
    peer = await a_peer()
    peer.createDataChannel("messages")
    messages = peer.sctp
    assert messages is not None
    after: list[float] = [getattr(messages, seam.AGAIN_AFTER)]
    seam.hasten(messages)
    after.append(getattr(messages, seam.AGAIN_AFTER))
    for round_trip_s in (0.01, 0.01, 2.0):
        getattr(messages, seam.MEASURE_ROUND_TRIP)(round_trip_s)
        after.append(getattr(messages, seam.AGAIN_AFTER))
    assert after[:-1] == [3.0, 1.0, 0.4, 0.4]
    assert after[-1] > 2.0
    assert f"call_later(self.{seam.AGAIN_AFTER}, self._t3_expired)" in inspect.getsource(RTCSctpTransport)
    assert f"self.{seam.MEASURE_ROUND_TRIP}(" in inspect.getsource(RTCSctpTransport)
    await peer.close()


def test_a_sender_asks_for_its_first_frame_when_its_connection_stands() -> None:
    source = inspect.getsource(RTCRtpSender)
    assert "data = await self.__track.recv()" in source
    assert "except (asyncio.CancelledError, ConnectionError, MediaStreamError):" in source


async def test_what_a_transceiver_settles_on_is_what_its_answer_says() -> None:
    caller, callee = await a_peer(), await a_peer()
    await caller.setLocalDescription(await caller.createOffer())
    await callee.setRemoteDescription(caller.localDescription)
    transceiver = callee.getTransceivers()[0]
    opus = next(codec for codec in seam.negotiated(transceiver) if codec.name == "opus")
    opus.parameters = {"useinbandfec": 1}
    seam.settle_on(transceiver, [opus])
    answer = (await callee.createAnswer()).sdp
    assert "useinbandfec=1" in answer
    assert "PCMU" not in answer
    for peer in (caller, callee):
        await peer.close()


async def test_an_agent_without_a_network_offers_the_loopback_address(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_addresses(*, use_ipv4: bool, use_ipv6: bool) -> list[str]:
        return []

    monkeypatch.setattr("aioice.ice.get_host_addresses", no_addresses)
    peer = await a_peer()
    gatherer = peer.getReceivers()[0].transport.transport.iceGatherer
    await gatherer.gather()
    assert gatherer.getLocalCandidates() == []
    await seam.offer_loopback(gatherer)
    assert [candidate.ip for candidate in gatherer.getLocalCandidates()] == [seam.LOOPBACK]
    await peer.close()
