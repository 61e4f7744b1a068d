"""RTP packets, read and written: held against aiortc's own."""

import pytest
from aiortc.rtcrtpparameters import RTCRtpHeaderExtensionParameters, RTCRtpParameters
from aiortc.rtp import HeaderExtensionsMap, RtpPacket

from voice_hitl_webrtc import rtp

STUN = bytes.fromhex("000100002112a442") + bytes(12)
DTLS = bytes([22, 254, 253]) + bytes(20)
RTCP = bytes([0x81, 201]) + bytes(20)


def extensions() -> HeaderExtensionsMap:
    known = HeaderExtensionsMap()
    mid = RTCRtpHeaderExtensionParameters(id=1, uri="urn:ietf:params:rtp-hdrext:sdes:mid")
    known.configure(RTCRtpParameters(headerExtensions=[mid]))
    return known


def theirs(*, extended: bool = False, padding: int = 0, sources: int = 0) -> bytes:
    packet = RtpPacket(111, 1, 65_535, 4_294_967_295, 7, b"voice")
    packet.csrc = list(range(sources))
    packet.padding_size = padding
    if extended:
        packet.extensions.mid = "audio"
    return packet.serialize(extensions())


@pytest.mark.parametrize("extended", [False, True])
@pytest.mark.parametrize("padding", [0, 3])
@pytest.mark.parametrize("sources", [0, 2])
def test_a_packet_is_read_whatever_its_header_has(extended: bool, padding: int, sources: int) -> None:
    packet = rtp.read(theirs(extended=extended, padding=padding, sources=sources))
    assert packet == rtp.Packet(111, 65_535, 4_294_967_295, 7, b"voice", marker=True)


@pytest.mark.parametrize("whole", [theirs(extended=True), theirs(sources=15), theirs(padding=200)])
def test_what_ends_too_early_or_says_so_is_no_packet(whole: bytes) -> None:
    for length in range(len(whole) - len(b"voice")):
        assert rtp.read(whole[:length]) is None or whole[0] & 0x20
    assert rtp.read(whole[:12] + b"\xff") is None
    assert rtp.read(b"\x00" + whole[1:]) is None


def test_what_is_written_is_read_by_others_and_numbered_across_the_wrap() -> None:
    stream = rtp.Stream(7, sequence=65_535, origin=4_294_967_295)
    written = [stream.write(111, stream.timestamp(960 * n), b"voice", marker=not n) for n in range(2)]
    read = [RtpPacket.parse(data) for data in written]
    assert [packet.sequence_number for packet in read] == [65_535, 0]
    assert [packet.timestamp for packet in read] == [4_294_967_295, 959]
    assert [packet.marker for packet in read] == [1, 0]
    assert {(packet.payload_type, packet.ssrc, packet.payload) for packet in read} == {(111, 7, b"voice")}


def test_an_extension_goes_into_every_header() -> None:
    stream = rtp.Stream(7, sequence=0, origin=0, extension=theirs(extended=True)[12:-5])
    assert RtpPacket.parse(stream.write(111, 0, b"voice"), extensions()).extensions.mid == "audio"


@pytest.mark.parametrize("other", [STUN, DTLS, RTCP, b"", theirs()[:11]])
def test_rtp_is_told_from_what_else_comes_on_its_port(other: bytes) -> None:
    assert rtp.is_rtp(theirs())
    assert not rtp.is_rtp(other)
