"""A low-pass of little delay, before the rate of a live stream goes down."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

REACH: Final = 8
"""How many samples of the lower rate it looks at on either side, by which it is late: 1 ms at 8 kHz."""

_EDGE: Final = 0.48
_KAISER: Final = 4.25
_UNIT: Final = 2.0**15


class LowPass:
    """Takes out of a stream what a lower rate cannot carry, which would be folded back into the voice.

    A windowed sinc. At 8 kHz it keeps the telephone's band (300 to 3,400 Hz, ITU-T G.712) within 1 dB, and what would
    be folded into that is taken down by 50 dB and more.

    Args:
        from_rate: Samples a second of the stream.
        to_rate: The lower rate.
    """

    def __init__(self, from_rate: int, to_rate: int) -> None:
        reach = round(REACH * from_rate / to_rate)
        taps = np.sinc(2 * _EDGE * to_rate / from_rate * np.arange(-reach, reach + 1)) * np.kaiser(
            2 * reach + 1, _KAISER
        )
        # With taps of 16 bits no double is rounded: the sums are the same in whatever order, and however it is cut.
        self._taps: NDArray[np.float64] = np.rint(taps / taps.sum() * _UNIT) / _UNIT
        self._past: NDArray[np.float64] = np.zeros(2 * reach)

    def push(self, samples: NDArray[np.int16]) -> NDArray[np.float64]:
        """Add audio; as much of it, filtered, as late as `REACH` says."""
        seen: NDArray[np.float64] = np.concatenate((self._past, samples.astype(np.float64)))
        self._past = seen[len(samples) :]
        filtered: NDArray[np.float64] = np.correlate(seen, self._taps, "valid") if len(samples) else seen[:0]
        return filtered

    def reset(self) -> None:
        """Forget what came."""
        self._past = np.zeros_like(self._past)
