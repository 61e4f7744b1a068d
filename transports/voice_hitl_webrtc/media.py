"""The one seam between a leg and RTP: frames in, frames out.

A leg knows nothing of codecs, jitter or packets; a media path knows nothing of items, messages or hang-ups. Another way
to carry the audio (another codec, a relay that drops packets in a test) is another `MediaPath`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from aiortc import RTCRtpTransceiver
from aiortc.mediastreams import MediaStreamTrack
from aiortc.sdp import MediaDescription

from voice_hitl.audio.playout import Counts


@dataclass(frozen=True, slots=True)
class MediaPorts:
    """What a path calls on its leg. Frames are 20 ms of mono int16 at the leg's rate; times are the loop's clock."""

    next_frame: Callable[[float], bytes | None]
    """Asked once every 20 ms for what to send; None is silence."""
    on_audio: Callable[[bytes, float], None]
    """Given 20 ms of the far end's voice."""
    on_digit: Callable[[str, int, float], None]
    """Given a key that was pressed and how long, in milliseconds."""


class MediaPath(Protocol):
    """How the audio of one leg gets in and out."""

    @property
    def track(self) -> MediaStreamTrack:
        """What the peer connection sends."""
        ...

    @property
    def codec(self) -> str:
        """The codec in use, such as `opus/48000`; empty before `negotiate`."""
        ...

    @property
    def digits(self) -> bool:
        """Whether the far end can send keypad digits in its audio stream."""
        ...

    @property
    def last_packet_at(self) -> float | None:
        """When the far end was last heard of, by the loop's clock."""
        ...

    @property
    def counts(self) -> Counts:
        """What became of the far end's packets."""
        ...

    def offer(self, media: MediaDescription) -> None:
        """Put into the audio of an offer of our own what we take."""
        ...

    def negotiate(self, transceiver: RTCRtpTransceiver, remote: MediaDescription) -> None:
        """Take the remote description's audio: called once it was set, and before an answer is made or media flow.

        Raises `InvalidOffer` where there is no codec in common.
        """
        ...

    async def press(self, keys: str) -> None:
        """Press keys of a telephone; returns when the last was let go. `ValueError`: no such key, or none are taken."""
        ...

    def close(self) -> None:
        """Stop the clocks. Nothing is called on the leg afterwards."""
        ...


OpenMedia = Callable[[int, MediaPorts], MediaPath]
"""Makes the media path of a leg: the rate (samples a second, mono) and what it calls."""
