"""Tones, and what of them is left at the other end of a wire: a pitch and a duration survive every telephone codec."""

from typing import Final

import numpy as np

from voice_hitl.audio.frame import FRAME_MS, frame_bytes

RATE: Final = 16_000
"""Samples a second of all the audio here: mono int16."""

LEVEL: Final = 12_000
LOUD: Final = 1_500.0
"""Root mean square of a frame that is voice; a codec's noise, or its echo of a tone's end, is below."""

RAMP_MS: Final = 40


def tone(hz: float, ms: int) -> bytes:
    """A sine at a third of full scale."""
    at = np.arange(RATE * ms // 1000) / RATE
    return (np.sin(2 * np.pi * hz * at) * LEVEL).astype(np.int16).tobytes()


def pitch(pcm: bytes) -> float:
    """The frequency in Hz that is strongest in it, its beginning left out (a codec's or resampler's ramp)."""
    samples = np.frombuffer(pcm, np.int16)[RATE * RAMP_MS // 1000 :]
    if not samples.size:
        return 0.0
    return float(np.argmax(np.abs(np.fft.rfft(samples)))) * RATE / samples.size


def voiced(pcm: bytes) -> bytes:
    """The frames of it that are not silence, one after another."""
    size = frame_bytes(RATE)
    frames = (pcm[start : start + size] for start in range(0, len(pcm), size))
    return b"".join(frame for frame in frames if loudness(frame) > LOUD)


def loudness(pcm: bytes) -> float:
    """Root mean square, in steps of int16."""
    samples = np.frombuffer(pcm, np.int16).astype(float)
    return float(np.sqrt(np.mean(np.square(samples)))) if samples.size else 0.0


def duration_ms(pcm: bytes) -> int:
    """How long it is, in milliseconds of whole frames."""
    return len(pcm) // frame_bytes(RATE) * FRAME_MS
