"""The contract with aiortc and aioice: fails loudly when something of theirs that `seam.py` stands on moves."""

import inspect

import pytest
from aiortc import RTCConfiguration, RTCPeerConnection, RTCRtpReceiver
from aiortc.codecs.opus import OpusEncoder
from aiortc.mediastreams import AudioStreamTrack
from aiortc.rtcdtlstransport import RTCDtlsTransport
from aiortc.rtcrtpsender import RTCRtpSender
from aiortc.rtp import RtpPacket
from av.packet import Packet

from voice_hitl_webrtc import seam

pytestmark = pytest.mark.anyio


async def a_peer() -> RTCPeerConnection:
    peer = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    peer.addTrack(AudioStreamTrack())
    return peer


def test_a_receiver_is_handed_its_packets_by_the_method_we_replace() -> None:
    handler = getattr(RTCRtpReceiver, seam.HANDLER)
    assert inspect.iscoroutinefunction(handler)
    assert list(inspect.signature(handler).parameters) == ["self", "packet", "arrival_time_ms"]
    assert f"receiver.{seam.HANDLER}(packet, arrival_time_ms=" in inspect.getsource(RTCDtlsTransport)


def test_a_receivers_decoder_ends_at_a_disconnect() -> None:
    disconnect = getattr(RTCRtpReceiver, seam.DISCONNECT)
    assert list(inspect.signature(disconnect).parameters) == ["self"]
    assert "stop_decoder" in inspect.getsource(disconnect)


async def test_a_receiver_keeps_its_jitter_buffer_where_we_take_it_out() -> None:
    peer = await a_peer()
    buffer = getattr(peer.getReceivers()[0], seam.JITTER_BUFFER)
    lost, frame = buffer.add(RtpPacket(payload_type=96))
    assert (lost, frame) == (False, None)
    assert ".__jitter_buffer.add(packet)" in inspect.getsource(RTCRtpReceiver)
    await peer.close()


def test_a_sender_takes_packets_that_are_encoded_already() -> None:
    assert "self.__encoder.pack(data)" in inspect.getsource(RTCRtpSender)
    packet = Packet(b"\x48")
    packet.pts = 1_920
    packet.time_base = OpusEncoder().codec.time_base
    assert OpusEncoder().pack(packet) == ([b"\x48"], 1_920)


async def test_a_tapped_receiver_shows_us_every_packet_and_counts_it_itself() -> None:
    peer = await a_peer()
    receiver = peer.getReceivers()[0]
    seen: list[RtpPacket] = []
    seam.tap(receiver, seen.append)
    packet = RtpPacket(payload_type=96, payload=b"\x48")
    await getattr(receiver, seam.HANDLER)(packet, arrival_time_ms=0)
    assert seen == [packet]
    assert receiver.getSynchronizationSources()[0].source == packet.ssrc
    await peer.close()


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


def test_a_sender_makes_a_packet_of_each_payload_and_hands_it_to_its_transport() -> None:
    source = inspect.getsource(RTCRtpSender)
    assert list(inspect.signature(getattr(RTCRtpSender, seam.NEXT_FRAME)).parameters) == ["self", "codec"]
    assert f"await self.{seam.NEXT_FRAME}(codec)" in source
    assert "enumerate(enc_frame.payloads)" in source
    assert f"await self.transport.{seam.SEND}(packet_bytes)" in source
    assert inspect.iscoroutinefunction(getattr(RTCDtlsTransport, seam.SEND))
