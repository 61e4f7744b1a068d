"""The media path on a clock of our own: packets in, frames out, without a network."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from types import SimpleNamespace

import anyio
import pytest
from aiortc import RTCConfiguration, RTCPeerConnection
from aiortc.mediastreams import MediaStreamError
from aiortc.rtcrtpparameters import RTCRtpCodecParameters
from aiortc.sdp import MediaDescription, SessionDescription

from tests.transports.webrtc_agent import RATE, loudness, tone
from voice_hitl.errors import InvalidOffer
from voice_hitl_webrtc import opus, rtp, sdp, seam
from voice_hitl_webrtc.direct import DirectMedia
from voice_hitl_webrtc.media import MediaPorts

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

OPUS, EVENTS = 96, 110
THERE = ("192.0.2.1", 9)


@dataclass
class Leg:
    """What a media path calls."""

    to_say: list[bytes] = field(default_factory=list[bytes])
    heard: list[tuple[bytes, float]] = field(default_factory=list[tuple[bytes, float]])
    digits: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])

    def ports(self) -> MediaPorts:
        return MediaPorts(
            next_frame=lambda _now: self.to_say.pop(0) if self.to_say else None,
            on_audio=lambda pcm, at: self.heard.append((pcm, at)),
            on_digit=lambda key, ms, _at: self.digits.append((key, ms)),
        )


class Unprotected:
    """SRTP that changes nothing."""

    def protect(self, packet: bytes) -> bytes:
        return packet

    def unprotect(self, packet: bytes) -> bytes:
        return packet


class Wire:
    """The network below a media path."""

    def __init__(self, media: DirectMedia, peer: RTCPeerConnection) -> None:
        self.media = media
        self.peer = peer
        self.taken: list[tuple[float, rtp.Packet]] = []
        self.sent = 0
        self._encoder = opus.Encoder(RATE)
        self._voice = tone(440, 30)
        transport = peer.getReceivers()[0].transport
        self._agent = seam.agent_of(transport)
        for direction in (seam.PROTECTS, seam.UNPROTECTS):
            setattr(transport, direction, Unprotected())
        socket = SimpleNamespace(transport=SimpleNamespace(sendto=self._take))
        getattr(self._agent, seam.NOMINATED)[seam.COMPONENT] = SimpleNamespace(protocol=socket, remote_addr=THERE)

    def _take(self, datagram: bytes, address: tuple[str, int]) -> None:
        packet = rtp.read(datagram)
        assert packet is not None
        assert address == THERE
        self.taken.append((anyio.current_time(), packet))

    async def send(self) -> None:
        """The connection stands: aiortc asks for a first frame, until the path is closed."""
        with pytest.raises(MediaStreamError):
            await self.media.track.recv()

    def deliver(self, payload: bytes, timestamp: int, source: int = 1, payload_type: int = OPUS) -> None:
        packet = rtp.Stream(source, sequence=self.sent, origin=0).write(payload_type, timestamp, payload)
        getattr(self._agent, seam.ARRIVED)(packet, seam.COMPONENT)

    async def speak(self, frames: int, source: int = 1) -> None:
        for _ in range(frames):
            self.deliver(
                self._encoder.encode(self._voice[self.sent * 640 : self.sent * 640 + 640]), self.sent * 960, source
            )
            self.sent += 1
            await anyio.sleep(0.02)


def described(*codecs: tuple[str, int, int]) -> MediaDescription:
    media = MediaDescription("audio", 9, "UDP/TLS/RTP/SAVPF", [payload_type for _, _, payload_type in codecs])
    media.rtp.codecs = [
        RTCRtpCodecParameters(mimeType=f"audio/{name}", clockRate=rate, channels=1, payloadType=payload_type)
        for name, rate, payload_type in codecs
    ]
    return media


@asynccontextmanager
async def a_path(leg: Leg, *events: tuple[str, int, int]) -> AsyncGenerator[Wire]:
    peer = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    media = DirectMedia(RATE, leg.ports())
    peer.addTrack(media.track)
    transceiver = peer.getTransceivers()[0]
    seam.settle_on(
        transceiver, [RTCRtpCodecParameters(mimeType="audio/opus", clockRate=48_000, channels=2, payloadType=OPUS)]
    )
    media.negotiate(transceiver, described(("opus", 48_000, OPUS), *events))
    yield Wire(media, peer)
    media.close()
    await peer.close()


async def test_a_packet_is_heard_forty_milliseconds_after_it_came_and_then_every_twenty() -> None:
    leg = Leg()
    async with a_path(leg) as wire:
        began = anyio.current_time()
        await wire.speak(50)
        assert leg.heard[0][1] - began == pytest.approx(0.04)
        assert [later - earlier for (_, earlier), (_, later) in pairwise(leg.heard)] == pytest.approx([0.02] * 48)
        assert all(loudness(pcm) > 1_000 for pcm, _ in leg.heard[1:])


async def test_one_packet_in_a_hundred_lost_is_neither_missed_nor_a_stall() -> None:
    """reports.md 38: at least 98 % is heard, and nothing is made up for longer than 60 ms."""
    leg, chance = Leg(), Random(7)
    async with a_path(leg) as wire:
        for _ in range(1_400):
            if chance.random() < 0.01:
                wire.sent += 1
                await anyio.sleep(0.02)
            else:
                await wire.speak(1)
        counts = wire.media.counts
        heard = (counts.decoded + counts.recovered) / wire.sent
        assert counts.recovered >= 5
        assert heard >= 0.98
        assert counts.longest_concealed * 20 <= 60


async def test_a_caller_who_falls_silent_is_silence_and_heard_again_when_it_speaks() -> None:
    leg = Leg()
    async with a_path(leg) as wire:
        await wire.speak(20)
        await anyio.sleep(2)
        assert loudness(leg.heard[-1][0]) == 0
        wire.sent += 100
        await wire.speak(20)
        assert loudness(leg.heard[-1][0]) > 1_000
        assert wire.media.last_packet_at == pytest.approx(anyio.current_time(), abs=0.05)


async def test_another_source_is_heard_from_its_first_packet_on() -> None:
    leg = Leg()
    async with a_path(leg) as wire:
        await wire.speak(20)
        wire.sent = 5
        await wire.speak(20, source=2)
        assert loudness(b"".join(pcm for pcm, _ in leg.heard[-10:])) > 1_000
        assert wire.media.counts.late == 0


async def test_what_is_no_opus_is_dropped_or_concealed() -> None:
    leg = Leg()
    async with a_path(leg) as wire:
        await wire.speak(20)
        wire.deliver(b"", 20 * 960)
        wire.deliver(b"\x03", 21 * 960)  # says that its frames are counted, and ends
        wire.deliver(b"\x4b\x41" + b"\xff" * 3, 22 * 960)  # one frame, said to be padded beyond its end
        wire.deliver(b"noise", 23 * 960, payload_type=13)
        wire.sent = 23
        await wire.speak(20)
        assert wire.media.counts.received == 41
        assert {len(pcm) for pcm, _ in leg.heard} == {640}


async def test_digits_are_read_on_the_clock_they_were_offered_with() -> None:
    leg = Leg()
    async with a_path(leg, ("telephone-event", 8_000, 126)) as wire:
        assert wire.media.digits
        await wire.speak(5)
        wire.deliver(bytes([4, 0x8A, 0x03, 0x20]), 9_000, payload_type=126)
        wire.deliver(bytes([11, 0x0A, 0x01, 0x90]), 19_000, payload_type=126)
        assert leg.digits == [("4", 100)]
        await wire.speak(20)
        assert leg.digits == [("4", 100), ("#", 50)]


async def test_digits_beside_opus_are_preferred_on_its_clock() -> None:
    async with a_path(Leg(), ("telephone-event", 8_000, 126), ("telephone-event", 48_000, EVENTS)) as wire:
        codecs = seam.negotiated(wire.peer.getTransceivers()[0])
        assert [codec.payloadType for codec in codecs] == [OPUS, EVENTS]
        assert codecs[0].parameters["useinbandfec"] == 1


async def test_without_opus_there_is_no_call() -> None:
    peer = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    media = DirectMedia(RATE, Leg().ports())
    peer.addTrack(media.track)
    with pytest.raises(InvalidOffer, match="no Opus"):
        media.negotiate(peer.getTransceivers()[0], described(("PCMU", 8_000, 0)))
    media.close()
    await peer.close()


async def test_an_offer_of_our_own_takes_digits_and_error_correction() -> None:
    peer = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    media = DirectMedia(RATE, Leg().ports())
    peer.addTrack(media.track)
    description = SessionDescription.parse((await peer.createOffer()).sdp)
    media.offer(sdp.audio(description))
    offered = str(description)
    assert "a=fmtp:96 minptime=10;useinbandfec=1" in offered
    assert "a=rtpmap:110 telephone-event/48000" in offered
    assert "PCMU" not in offered
    media.close()
    await peer.close()


async def test_nothing_is_called_on_a_leg_after_close() -> None:
    leg = Leg()
    async with a_path(leg) as wire:
        await wire.speak(10)
        wire.media.close()
        heard = len(leg.heard)
        await wire.speak(10)
        assert len(leg.heard) == heard
        with pytest.raises(MediaStreamError):
            await wire.media.track.recv()


async def test_frames_are_sent_every_twenty_milliseconds_and_the_encoder_rests_in_silence() -> None:
    leg = Leg(to_say=[tone(440, 0.02)] * 5)
    async with a_path(leg) as wire, anyio.create_task_group() as group:
        group.start_soon(wire.send)
        await anyio.sleep(0.79)
        wire.media.close()
    times, packets = [at for at, _ in wire.taken], [packet for _, packet in wire.taken]
    assert [later - earlier for earlier, later in pairwise(times)] == pytest.approx([0.02] * 39)
    assert [(later.timestamp - earlier.timestamp) % (1 << 32) for earlier, later in pairwise(packets)] == [960] * 39
    assert [later.sequence_number - earlier.sequence_number for earlier, later in pairwise(packets)] == [1] * 39
    assert [packet.payload == opus.SILENCE for packet in packets] == [False] * 15 + [True] * 25
    assert [packet.marker for packet in packets] == [True] + [False] * 39


async def test_keys_are_sent_beside_the_audio_in_its_numbers_and_its_time() -> None:
    async with a_path(Leg(), ("telephone-event", 48_000, EVENTS)) as wire, anyio.create_task_group() as group:
        group.start_soon(wire.send)
        await anyio.sleep(0.05)
        await wire.media.press("7")
        wire.media.close()
    packets = [packet for _, packet in wire.taken]
    events = [packet for packet in packets if packet.payload_type == EVENTS]
    assert [later.sequence_number - earlier.sequence_number for earlier, later in pairwise(packets)] == [1] * (
        len(packets) - 1
    )
    assert {packet.payload[0] for packet in events} == {7}
    assert [packet.marker for packet in events] == [True] + [False] * 7
    before = packets[packets.index(events[0]) - 1]
    assert {packet.timestamp for packet in events} == {before.timestamp}


async def test_what_the_far_end_has_no_connection_for_is_let_go() -> None:
    async with a_path(Leg()) as wire, anyio.create_task_group() as group:
        group.start_soon(wire.send)
        await anyio.sleep(0.05)
        getattr(seam.agent_of(wire.peer.getSenders()[0].transport), seam.NOMINATED).clear()
        await anyio.sleep(0.1)
        assert len(wire.taken) == 3
        wire.media.close()


def test_a_rate_that_opus_does_not_speak_is_refused() -> None:
    with pytest.raises(ValueError, match="not 44100"):
        DirectMedia(44_100, Leg().ports())
