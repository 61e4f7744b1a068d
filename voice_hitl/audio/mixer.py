"""The mix of a room: what several people say, in windows of 20 ms, as one voice that does not clip."""

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from voice_hitl.audio.frame import frame_bytes

WAITING: Final = 5
"""Frames of one lane that may wait for their window (100 ms): one that runs ahead loses its oldest."""

AUDIBLE: Final = 64
"""The loudest sample below which a lane is silent and takes no headroom (54 dB below full scale)."""

_LOWEST, _HIGHEST = -32_768, 32_767


@dataclass(frozen=True, slots=True)
class Window:
    """20 ms of a room: the mix of all, and what each lane had, in the order in which the lanes first came."""

    mix: bytes
    lanes: tuple[tuple[str, bytes], ...]


class Mixer:
    """Takes frames of each lane as they come, and gives one window after another.

    The sum is divided by the square root of the number of those who are audible: voices that have nothing to do with
    each other add up so, and the mix is as loud as one voice, however many there are. How much is taken off moves over
    one window, so that somebody who joins in makes no click.

    Args:
        rate: Samples a second.
    """

    def __init__(self, rate: int) -> None:
        self._frame_bytes = frame_bytes(rate)
        self._lanes: dict[str, deque[bytes]] = {}
        self._gain = 1.0
        self.dropped = 0
        """Frames that were let go because their lane ran ahead."""

    def push(self, lane: str, frame: bytes) -> None:
        """Add 20 ms of a lane (mono int16); `ValueError` where it is not a frame."""
        if len(frame) != self._frame_bytes:
            raise ValueError(f"a frame of this mixer has {self._frame_bytes} bytes, not {len(frame)}")
        waiting = self._lanes.setdefault(lane, deque())
        waiting.append(frame)
        if len(waiting) > WAITING:
            waiting.popleft()
            self.dropped += 1

    def remove(self, lane: str) -> None:
        """Forget a lane, with what waits of it."""
        self._lanes.pop(lane, None)

    def take(self) -> Window | None:
        """The next window; None where no lane has anything: an empty window is not heard."""
        lanes = tuple((lane, waiting.popleft()) for lane, waiting in self._lanes.items() if waiting)
        if not lanes:
            self._gain = 1.0
            return None
        return Window(self._mixed([frame for _, frame in lanes]), lanes)

    def _mixed(self, frames: Sequence[bytes]) -> bytes:
        if len(frames) == 1 and self._gain == 1.0:
            return frames[0]
        samples = np.frombuffer(b"".join(frames), dtype=np.int16).reshape(len(frames), -1)
        audible = (samples.max(axis=1) >= AUDIBLE) | (samples.min(axis=1) <= -AUDIBLE)
        before, self._gain = self._gain, 1.0 / math.sqrt(max(1, int(np.count_nonzero(audible))))
        total: NDArray[np.float32] = samples.sum(axis=0, dtype=np.int32).astype(np.float32)
        if before == self._gain:
            total *= np.float32(self._gain)
        else:
            total *= np.linspace(before, self._gain, samples.shape[1], dtype=np.float32)
        return np.rint(total).clip(_LOWEST, _HIGHEST).astype(np.int16).tobytes()
