"""Our own voice coming back, as sound: what is heard is compared with what was played a moment before.

An echo that a recogniser mishears is no word of ours any more (`speech/echo.py`), but its sound still follows ours, at
the lag of its way through the far end's room. Both are looked at below 2 kHz, where most of a voice is, and their
normalised cross-correlation is taken in windows of half a second. How often that is right: `benchmarks/own_voice.py`.
"""

from collections import deque
from typing import Final

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float32]

LOOKED_AT_RATE: Final = 4_000
WINDOW_S: Final = 0.5
LEAST_LAG_S: Final = -0.1
"""Less than nothing: the round trip is taken off the caller's times, and is sometimes a little less than that."""
MOST_LAG_S: Final = 0.8

ALIKE: Final = 0.5
"""From this median on it is ours."""
NOT_ALIKE: Final = 0.35
"""Below this in any window with a voice in it, somebody else speaks, too."""
INAUDIBLE: Final = 1e-6
"""A stretch with less than this share of what was played has no voice of ours in it."""
QUIET: Final = 0.1
"""A window with less than this share of the loudest one's level has no voice in it."""

LONGEST_S: Final = 6.0
"""What lasts longer is not compared, which would take longer than a frame; its words tell enough."""


class OwnVoice:
    """Remembers what was played and what was heard; tells whether the one is the other.

    Args:
        rate: Samples a second of both: a multiple of `LOOKED_AT_RATE`.
    """

    def __init__(self, rate: int) -> None:
        self._played = _Track(rate, LONGEST_S + MOST_LAG_S - LEAST_LAG_S)
        self._heard = _Track(rate, LONGEST_S + WINDOW_S)

    def played(self, pcm: bytes, at: float) -> None:
        """Mono int16 that was heard at the far end from `at` on, in seconds."""
        self._played.put(pcm, at)

    def heard(self, pcm: bytes, at: float) -> None:
        """Mono int16 of the far end, on the same clock: all of it. What goes on where ours cannot be is not ours."""
        self._heard.put(pcm, at)

    def came_back(self, began: float, ended: float) -> bool:
        """Whether what was heard between these times is our own voice, and nobody else's with it."""
        if not 0 < ended - began <= LONGEST_S or began - self._played.until > MOST_LAG_S:
            return False
        heard = _windows(self._heard.between(began, ended))
        played = self._played.between(began - MOST_LAG_S, ended - LEAST_LAG_S)
        levels = [_level(window) for _, window in heard]
        least = max(QUIET * max(levels, default=0.0), 1.0)
        lags = round((MOST_LAG_S - LEAST_LAG_S) * LOOKED_AT_RATE)
        alike = [
            _alike(window, played[place : place + lags + len(window)])
            for (place, window), level in zip(heard, levels, strict=True)
            if level >= least
        ]
        return bool(alike) and min(alike) >= NOT_ALIKE and float(np.median(alike)) >= ALIKE


class _Track:
    """The last seconds of a sound, at `LOOKED_AT_RATE`, and when each piece of it was."""

    def __init__(self, rate: int, seconds: float) -> None:
        self._step = rate // LOOKED_AT_RATE
        self._seconds = seconds
        self._pieces: deque[tuple[float, Samples]] = deque()
        self.until = -np.inf

    def put(self, pcm: bytes, at: float) -> None:
        samples = np.frombuffer(pcm, dtype=np.int16)
        whole = len(samples) // self._step * self._step
        piece = samples[:whole].reshape(-1, self._step).mean(axis=1, dtype=np.float32)
        self._pieces.append((at, piece))
        self.until = _end(self._pieces[-1])
        while self.until - _end(self._pieces[0]) > self._seconds:
            self._pieces.popleft()

    def between(self, since: float, until: float) -> Samples:
        """The sound of that time; silence where there was none. Its differences: they weigh high and low more alike."""
        found = np.zeros(max(1, round((until - since) * LOOKED_AT_RATE)), dtype=np.float32)
        for at, piece in self._pieces:
            place = round((at - since) * LOOKED_AT_RATE)
            first, last = max(0, place), min(len(found), place + len(piece))
            if first < last:
                found[first:last] = piece[first - place : last - place]
        return np.diff(found, prepend=found[:1])


def _end(piece: tuple[float, Samples]) -> float:
    return piece[0] + len(piece[1]) / LOOKED_AT_RATE


def _windows(samples: Samples) -> list[tuple[int, Samples]]:
    """Windows, and where each begins; less than half a window at the end belongs to the one before."""
    size = round(WINDOW_S * LOOKED_AT_RATE)
    count = max(1, round(len(samples) / size))
    return [(n * size, samples[n * size : (n + 1) * size if n + 1 < count else None]) for n in range(count)]


def _level(samples: Samples) -> float:
    return float(np.sqrt(np.mean(samples * samples)))


def _alike(heard: Samples, played: Samples) -> float:
    """The largest normalised cross-correlation of what was heard with any stretch of what was played."""
    size, length = len(heard), 1 << (len(played) - 1).bit_length()
    theirs, ours = heard.astype(np.float64), played.astype(np.float64)
    products = np.fft.irfft(np.fft.rfft(ours, length) * np.conj(np.fft.rfft(theirs, length)), length)
    sums = np.cumsum(np.concatenate(([0.0], ours**2)))
    stretches = sums[size:] - sums[:-size]
    # A stretch in which nothing was played is like nothing: what is left of it there is the transform's rounding.
    there = stretches > INAUDIBLE * sums[-1]
    if not there.any():
        return 0.0
    energies = stretches[there] * float(np.sum(theirs**2))
    return float((np.abs(products[: len(stretches)][there]) / np.sqrt(energies)).max())
