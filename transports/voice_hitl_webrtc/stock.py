"""The media path that aiortc brings: its jitter buffer, its codecs, its decoder thread."""

import asyncio
from fractions import Fraction
from typing import cast

import av
from aiortc import RTCRtpTransceiver
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from aiortc.sdp import MediaDescription

from voice_hitl.audio.frame import Framer, frame_bytes, frame_samples
from voice_hitl_webrtc.media import MediaPorts
from voice_hitl_webrtc.pacer import Pacer


class _Outgoing(MediaStreamTrack):
    kind = "audio"

    def __init__(self, rate: int, ports: MediaPorts) -> None:
        super().__init__()
        self._rate = rate
        self._samples = frame_samples(rate)
        self._silence = bytes(frame_bytes(rate))
        self._time_base = Fraction(1, rate)
        self._ports = ports
        self._pacer = Pacer()

    async def recv(self) -> av.AudioFrame:
        if self.readyState != "live":
            raise MediaStreamError
        tick = await self._pacer.tick()
        frame = av.AudioFrame(format="s16", layout="mono", samples=self._samples)
        frame.planes[0].update(self._ports.next_frame(self._pacer.now) or self._silence)
        frame.pts = tick * self._samples
        frame.sample_rate = self._rate
        frame.time_base = self._time_base
        return frame


class StockMedia:
    """Frames through aiortc as it is: loses audio when packets are lost."""

    digits = False

    def __init__(self, rate: int, ports: MediaPorts) -> None:
        self._ports = ports
        self._framer = Framer(rate)
        self._resampler = av.AudioResampler(format="s16", layout="mono", rate=rate)
        self._loop = asyncio.get_running_loop()
        self._reading: asyncio.Task[None] | None = None
        self.track: MediaStreamTrack = _Outgoing(rate, ports)
        self.codec = ""
        self.last_packet_at: float | None = None

    def negotiate(self, transceiver: RTCRtpTransceiver, remote: MediaDescription) -> None:
        """Begin to read."""
        self.codec = str(remote.rtp.codecs[0])
        track = cast("MediaStreamTrack | None", transceiver.receiver.track)
        if track is not None:
            self._reading = self._loop.create_task(self._read(track), name="media path")

    def clear(self) -> None:
        """The encoder keeps nothing that would be heard."""

    def close(self) -> None:
        """Stop sending and reading."""
        self.track.stop()
        if self._reading is not None:
            self._reading.cancel()

    async def _read(self, track: MediaStreamTrack) -> None:
        while True:
            try:
                frame = cast("object", await track.recv())
            except MediaStreamError:
                return
            now = self._loop.time()
            self.last_packet_at = now
            if isinstance(frame, av.AudioFrame):
                for part in self._resampler.resample(frame):
                    for pcm in self._framer.push(bytes(part.planes[0])[: part.samples * 2]):
                        self._ports.on_audio(pcm, now)
