"""A little faster or slower without a click or another pitch: whole periods of the voice are taken out or repeated."""

import numpy as np
from numpy.typing import NDArray

SHORTEST_MS = 2.5
"""The shortest period looked for: a voice of 400 Hz."""

FADE_MS = 4.0
"""One period fades into the next over this long."""

QUIET = 200.0
"""Below this level (root mean square of int16, -44 dBFS) any length may be taken out: the longest is."""

Samples = NDArray[np.int16]

_NONE = np.zeros(1, dtype=np.float32)


def shorten(pcm: bytes, rate: int) -> bytes:
    """Take one period out of a frame (mono int16); at least 4 ms of it stays."""
    samples = np.frombuffer(pcm, dtype=np.int16)
    fade, lag = _fit(samples, rate)
    if not lag:
        return pcm
    joined = _fade(samples[:fade], samples[lag : lag + fade])
    return joined.tobytes() + samples[lag + fade :].tobytes()


def lengthen(pcm: bytes, rate: int) -> bytes:
    """Repeat one period of a frame (mono int16)."""
    samples = np.frombuffer(pcm, dtype=np.int16)
    fade, lag = _fit(samples, rate)
    if not lag:
        return pcm
    joined = _fade(samples[lag : lag + fade], samples[:fade])
    return samples[:lag].tobytes() + joined.tobytes() + samples[fade:].tobytes()


def _fit(samples: Samples, rate: int) -> tuple[int, int]:
    """How long to fade and how far to jump: where the frame is most like its own beginning. No room: a jump of 0."""
    fade = int(rate * FADE_MS / 1000)
    shortest = int(rate * SHORTEST_MS / 1000)
    longest = len(samples) - fade
    if longest <= shortest:
        return fade, 0
    signal = samples.astype(np.float32)
    squares = signal * signal
    if float(squares.sum()) < QUIET * QUIET * len(samples):
        return fade, longest
    energy = np.concatenate((_NONE, squares.cumsum()))
    alike = np.correlate(signal[shortest:], signal[:fade], "valid")
    there = energy[shortest + fade :] - energy[shortest:-fade]
    return fade, shortest + int((alike / np.sqrt(there + 1)).argmax())


def _fade(out: Samples, into: Samples) -> Samples:
    """Fade from one to the other, linearly: they are alike, so that the sum keeps their level."""
    weight = np.arange(1, len(out) + 1) / (len(out) + 1)
    return np.rint(out * (1 - weight) + into * weight).astype(np.int16)
