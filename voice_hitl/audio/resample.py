"""A stream of mono int16 from one rate to another, on libsoxr."""

from typing import Literal

import numpy as np
import soxr
from numpy.typing import NDArray

from voice_hitl.audio.low_pass import LowPass

Quality = Literal["QQ", "LQ", "HQ"]
"""What a resampler gives for its delay. Measured between 8, 16, 24 and 48 kHz:

- `QQ`: none going up; 1 ms down to 8 kHz, 0.5 ms to 16 kHz. Cubic interpolation, behind a low-pass going down.
- `LQ`: 1 to 6 ms between 16, 24 and 48 kHz, but up to 60 ms to and from 8 kHz.
- `HQ`: 15 to 66 ms; for whole recordings, never for a live leg.
"""

_LOWEST, _HIGHEST = np.float32(-32_768), np.float32(32_767)


class Resampler:
    """Resamples chunks of any size as one continuous signal; with equal rates it is the identity.

    Args:
        from_rate: Samples a second of what is pushed.
        to_rate: Samples a second of what comes back.
        quality: See `Quality`. For live audio `LQ` between wide-band rates, `QQ` to and from 8 kHz.
    """

    def __init__(self, from_rate: int, to_rate: int, *, quality: Quality = "LQ") -> None:
        # Floats inside: soxr's int16 output is dithered, so that silence would not stay silence.
        self._stream = (
            None
            if from_rate == to_rate
            else soxr.ResampleStream(from_rate, to_rate, 1, dtype="float32", quality=quality)
        )
        # Of libsoxr's own qualities this one alone has none, and it alone keeps nothing back.
        self._low_pass = LowPass(from_rate, to_rate) if quality == "QQ" and to_rate < from_rate else None

    def push(self, pcm: bytes) -> bytes:
        """Add audio; return what is ready, which may be nothing yet. `ValueError` for half a sample."""
        return self._process(pcm, last=False)

    def flush(self) -> bytes:
        """Return what the filter still holds, and begin anew. What a low-pass is late by is lost."""
        tail = self._process(b"", last=True)
        self.reset()
        return tail

    def reset(self) -> None:
        """Forget what the filter holds, so that no old speech leaks into what comes next."""
        if self._stream is not None:
            self._stream.clear()
        if self._low_pass is not None:
            self._low_pass.reset()

    def _process(self, pcm: bytes, *, last: bool) -> bytes:
        samples = np.frombuffer(pcm, dtype=np.int16)
        if self._stream is None:
            return pcm
        carried = samples if self._low_pass is None else self._low_pass.push(samples)
        out: NDArray[np.float32] = self._stream.resample_chunk(carried.astype(np.float32), last=last)
        return np.rint(out).clip(_LOWEST, _HIGHEST).astype(np.int16).tobytes()
