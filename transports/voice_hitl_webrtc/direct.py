"""The media path that survives the network: RTP straight from and to the socket, our own clock, libopus.

aiortc's own path has no playout clock and no concealment: one lost packet is a stall of 320 ms, and at 5 % loss a
quarter of the audio never arrives (aiortc issue 543). Here aiortc gives ICE, DTLS, SRTP, RTCP and the SDP, and nothing
else. All that this needs of its insides is in `seam.py`.
"""

import asyncio
from collections.abc import Sequence
from typing import NoReturn, assert_never

from aiortc import RTCRtpTransceiver
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from aiortc.rtcrtpparameters import RTCRtpCodecParameters
from aiortc.rtcrtpsender import RTCRtpSender
from aiortc.sdp import MediaDescription

from voice_hitl.audio.frame import frame_bytes
from voice_hitl.audio.playout import Conceal, Counts, Decode, Idle, Pace, Playout, Recover, Step
from voice_hitl.audio.tempo import lengthen, shorten
from voice_hitl.errors import InvalidOffer
from voice_hitl_webrtc import opus, rtp, seam
from voice_hitl_webrtc.clock import PERIOD_S, Clock
from voice_hitl_webrtc.digits import DigitReader
from voice_hitl_webrtc.keying import Keying
from voice_hitl_webrtc.media import MediaPorts

OPUS_PARAMETERS: dict[str, int | str | None] = {"minptime": 10, "useinbandfec": 1}
"""Without `useinbandfec` a browser sends nothing to recover a lost packet from."""

EVENTS_PAYLOAD_TYPE = 110
"""What we call telephone-event in an offer of our own; in an answer it is what the offer calls it."""

QUIET_FRAMES = 10
"""After so many silent frames in a row the encoder rests, and packets without content are sent."""

_FRAME_UNITS = round(opus.CLOCK_RATE * PERIOD_S)


class DirectMedia:
    """Opus both ways, with digits.

    Args:
        rate: samples a second of the leg's audio; one that Opus speaks (8, 12, 16, 24 or 48 kHz).
        ports: what it calls on the leg.
    """

    def __init__(self, rate: int, ports: MediaPorts) -> None:
        if rate not in opus.RATES:
            raise ValueError(f"a WebRTC leg has a rate of {', '.join(map(str, opus.RATES))}, not {rate}")
        self.codec = ""
        self.digits = False
        self._outgoing = _Outgoing(rate, ports)
        self._incoming = _Incoming(rate, ports)

    @property
    def track(self) -> MediaStreamTrack:
        """What aiortc takes for what we send."""
        return self._outgoing

    @property
    def last_packet_at(self) -> float | None:
        """When the last RTP packet came."""
        return self._incoming.last_packet_at

    @property
    def counts(self) -> Counts:
        """What became of the far end's packets."""
        return self._incoming.playout.counts

    def offer(self, media: MediaDescription) -> None:
        """Say in an offer of our own that we take Opus with error correction, and digits."""
        ours = _opus_in(media.rtp.codecs)
        events = RTCRtpCodecParameters(
            mimeType="audio/telephone-event", clockRate=opus.CLOCK_RATE, channels=1, payloadType=EVENTS_PAYLOAD_TYPE
        )
        media.rtp.codecs = [ours, events]
        media.fmt = [codec.payloadType for codec in media.rtp.codecs]

    def negotiate(self, transceiver: RTCRtpTransceiver, remote: MediaDescription) -> None:
        """Settle on Opus, and on the far end's digits if it has them; `InvalidOffer` without Opus."""
        ours = _opus_in(seam.negotiated(transceiver))
        events = _events_in(remote.rtp.codecs)
        seam.settle_on(transceiver, [ours] if events is None else [ours, events])
        self.codec = f"opus/{ours.clockRate}"
        self.digits = events is not None
        self._outgoing.negotiated(transceiver.sender, ours, events)
        self._incoming.negotiated(ours, events)
        seam.tap(transceiver.receiver, ours.clockRate, self._incoming.receive)

    async def press(self, keys: str) -> None:
        """Press keys, each for a tenth of a second beside the audio; returns when the last one was let go."""
        if not self.digits:
            raise ValueError("the far end takes no digits: it has no telephone-event in its SDP")
        await self._outgoing.press(keys)

    def close(self) -> None:
        """Stop both clocks."""
        self._outgoing.stop()
        self._incoming.close()


def _opus_in(codecs: Sequence[RTCRtpCodecParameters]) -> RTCRtpCodecParameters:
    for codec in codecs:
        if codec.name.lower() == "opus":
            codec.parameters = dict(OPUS_PARAMETERS)
            return codec
    raise InvalidOffer("there is no Opus in the SDP's audio, which every WebRTC endpoint has to offer (RFC 7874)")


def _events_in(codecs: Sequence[RTCRtpCodecParameters]) -> RTCRtpCodecParameters | None:
    """The far end's telephone-event: on the clock of Opus, as it should be; else on the other one (Firefox)."""
    found = [codec for codec in codecs if codec.name.lower() == "telephone-event"]
    return min(found, key=lambda codec: codec.clockRate != opus.CLOCK_RATE, default=None)


class _Outgoing(MediaStreamTrack):
    """Asks for a frame every 20 ms and sends it encoded, from the moment that the connection stands."""

    kind = "audio"

    def __init__(self, rate: int, ports: MediaPorts) -> None:
        super().__init__()
        self._now = asyncio.get_running_loop().time
        self._ports = ports
        self._encoder = opus.Encoder(rate)
        self._silence = bytes(frame_bytes(rate))
        self._silent_frames = 0
        self._clock = Clock(self._tick)
        self._began = 0.0
        self._sender: RTCRtpSender | None = None
        self._outlet: seam.Outlet | None = None
        self._opus_type = 0
        self._events_type = 0
        self._keying = Keying(_FRAME_UNITS)
        self._changed = asyncio.Event()

    def negotiated(
        self, sender: RTCRtpSender, audio: RTCRtpCodecParameters, events: RTCRtpCodecParameters | None
    ) -> None:
        """What to send, and by which sender."""
        self._sender = sender
        self._opus_type = audio.payloadType or 0
        if events is not None:
            self._events_type = events.payloadType or 0
            self._keying.tick_units = round(events.clockRate * PERIOD_S)

    async def recv(self) -> NoReturn:
        """Begin: aiortc asks for a first frame when the connection stands. It gets none, as all is sent from here."""
        if self.readyState == "live" and self._sender is not None:
            self._outlet = seam.Outlet(self._sender)
            self._began = self._now()
            self._clock.start(self._began)
        while self.readyState == "live":
            await self._next_change()
        raise MediaStreamError

    async def press(self, keys: str) -> None:
        """Press keys; returns when the last was let go, or nothing is sent any more."""
        self._keying.press(keys)
        while not self._keying.idle and self.readyState == "live":
            await self._next_change()

    def stop(self) -> None:
        """Send nothing more."""
        super().stop()
        self._clock.stop()
        self._changed.set()

    async def _next_change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    def _tick(self, due: float) -> None:
        assert self._outlet is not None
        elapsed = round((due - self._began) * opus.CLOCK_RATE)
        payload = self._encode(self._ports.next_frame(self._now()))
        self._outlet.send(self._opus_type, elapsed, payload, marker=not elapsed)
        if not self._keying.idle:
            self._press(elapsed)

    def _press(self, elapsed: int) -> None:
        packet = self._keying.tick()
        if packet is not None and self._outlet is not None:
            began = elapsed - packet.age_ticks * _FRAME_UNITS
            self._outlet.send(self._events_type, began, packet.payload, marker=packet.first)
        if self._keying.idle:
            self._changed.set()

    def _encode(self, pcm: bytes | None) -> bytes:
        if pcm is not None:
            self._silent_frames = 0
            return self._encoder.encode(pcm)
        self._silent_frames += 1
        return opus.SILENCE if self._silent_frames > QUIET_FRAMES else self._encoder.encode(self._silence)


class _Incoming:
    """Takes packets as they come and gives a frame every 20 ms, from the first packet on."""

    def __init__(self, rate: int, ports: MediaPorts) -> None:
        self._loop = asyncio.get_running_loop()
        self._rate = rate
        self._ports = ports
        self._frame_bytes = frame_bytes(rate)
        self._decoder = opus.Decoder(rate)
        self._pcm = b""
        self._opus_type: int | None = None
        self._events_type: int | None = None
        self._digits = DigitReader(opus.CLOCK_RATE)
        self._source: int | None = None
        self._clock = Clock(self._tick)
        self._closed = False
        self.playout = Playout(opus.CLOCK_RATE)
        self.last_packet_at: float | None = None

    def negotiated(self, audio: RTCRtpCodecParameters, events: RTCRtpCodecParameters | None) -> None:
        """What to take."""
        self._opus_type = audio.payloadType
        if events is not None:
            self._events_type = events.payloadType
            self._digits = DigitReader(events.clockRate)

    def receive(self, packet: rtp.Packet) -> None:
        """A packet came."""
        if self._closed:
            return
        now = self.last_packet_at = self._loop.time()
        if packet.payload_type == self._opus_type:
            self._receive_audio(packet, now)
        elif packet.payload_type == self._events_type:
            for press in self._digits.push(packet.source, packet.timestamp, packet.payload, now):
                self._ports.on_digit(press.key, press.duration_ms, now)
        if not self._clock.runs:
            self._clock.start(now + self.playout.target_s)

    def close(self) -> None:
        """Stop the clock."""
        self._closed = True
        self._clock.stop()

    def _receive_audio(self, packet: rtp.Packet, now: float) -> None:
        samples = opus.packet_samples(packet.payload)
        if not samples:
            return
        if packet.source != self._source:
            if self._source is not None:
                self.playout.reset()
                self._decoder.reset()
            self._source = packet.source
        self.playout.push(packet.timestamp, packet.payload, samples, now)

    def _tick(self, due: float) -> None:
        self._ports.on_audio(self._frame(due), due)
        for press in self._digits.tick(due):
            self._ports.on_digit(press.key, press.duration_ms, due)

    def _frame(self, at: float) -> bytes:
        while (left := len(self._pcm)) < self._frame_bytes:
            self._pcm += self._play(self.playout.pull(at + left / (2 * self._rate)))
        frame, self._pcm = self._pcm[: self._frame_bytes], self._pcm[self._frame_bytes :]
        return frame

    def _play(self, step: Step) -> bytes:
        try:
            match step:
                case Decode(payload, pace):
                    return _PACED[pace](self._decoder.decode(payload), self._rate)
                case Recover(payload, samples):
                    return self._decoder.recover(payload, samples)
                case Conceal(samples):
                    return self._decoder.conceal(samples)
                case Idle():
                    return bytes(self._frame_bytes)
                case _:
                    assert_never(step)
        except opus.OpusError:
            return self._decoder.conceal(_FRAME_UNITS)


def _as_it_is(pcm: bytes, _rate: int) -> bytes:
    return pcm


_PACED = {Pace.NORMAL: _as_it_is, Pace.SHORTER: shorten, Pace.LONGER: lengthen}
