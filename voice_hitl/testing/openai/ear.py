"""The service's ear: the audio that the client sends, and where in it somebody speaks."""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

BYTES_PER_MS: Final = 48
FRAME_MS: Final = 20
_FRAME_BYTES: Final = FRAME_MS * BYTES_PER_MS

LOUD_ENOUGH: Final = 2_000
"""The root mean square, of 32,768, above which a frame is speech at a threshold of 1."""

MOST_KEPT_MS: Final = 120_000
"""Audio that nobody commits is kept for two minutes."""


@dataclass(frozen=True, slots=True)
class Onset:
    """Speech started or stopped, at so many milliseconds of all audio sent."""

    kind: Literal["started", "stopped"]
    at_ms: int


class Ear:
    """The input buffer, and voice activity by loudness."""

    def __init__(self) -> None:
        self._frames = bytearray()
        self._buffer = bytearray()
        self._heard_ms = 0
        self._silent_ms = 0
        self.speaking = False

    @property
    def buffered_ms(self) -> float:
        """How much audio waits to be committed."""
        return len(self._buffer) / BYTES_PER_MS

    @property
    def heard_ms(self) -> int:
        """How much audio was sent in all."""
        return self._heard_ms

    def take(self) -> bytes:
        """Take what waits: it is committed."""
        pcm = bytes(self._buffer)
        self.clear()
        return pcm

    def clear(self) -> None:
        """Let go what waits."""
        self._buffer.clear()
        self.speaking = False
        self._silent_ms = 0

    def append(self, pcm: bytes) -> None:
        """Add audio, to be listened to."""
        self._frames += pcm

    def listen(self, turn_detection: dict[str, object] | None) -> Onset | None:
        """Listen on, up to where speech starts or stops; None: all that was added is heard."""
        while len(self._frames) >= _FRAME_BYTES:
            frame = bytes(self._frames[:_FRAME_BYTES])
            del self._frames[:_FRAME_BYTES]
            self._buffer += frame
            self._heard_ms += FRAME_MS
            self._keep(MOST_KEPT_MS)
            onset = self._judge(frame, turn_detection) if turn_detection is not None else None
            if onset is not None:
                return onset
        return None

    def _keep(self, ms: int) -> None:
        del self._buffer[: max(0, len(self._buffer) - ms * BYTES_PER_MS)]

    def _judge(self, frame: bytes, turn_detection: dict[str, object]) -> Onset | None:
        samples = np.frombuffer(frame, "<i2").astype(np.float64)
        threshold = _number(turn_detection.get("threshold"), 0.5)
        loud = float(np.sqrt(np.mean(samples * samples))) > LOUD_ENOUGH * threshold
        self._silent_ms = 0 if loud else self._silent_ms + FRAME_MS
        if loud and not self.speaking:
            self.speaking = True
            padding = int(_number(turn_detection.get("prefix_padding_ms"), 300))
            self._keep(FRAME_MS + padding)
            return Onset("started", max(0, self._heard_ms - FRAME_MS - padding))
        if self.speaking and self._silent_ms >= _number(turn_detection.get("silence_duration_ms"), 200):
            self.speaking = False
            return Onset("stopped", self._heard_ms)
        return None


def _number(value: object, default: float) -> float:
    return float(value) if isinstance(value, int | float) else default
