"""Voice activity: when somebody began and ceased to speak, on the caller's own clock."""

from dataclasses import dataclass
from typing import Literal, Protocol, cast

import numpy as np
import webrtcvad
from numpy.typing import NDArray

from voice_hitl.audio.frame import FRAME_MS, frame_bytes

Mode = Literal[0, 1, 2, 3]

_FRAME_S = FRAME_MS / 1000
_TINY_S = 1e-6
"""Less than any real difference between two times: what adding floats up may lose."""


@dataclass(frozen=True, slots=True)
class SpeechBegan:
    """Somebody speaks, since `at`: the beginning of the first frame of it, not when that became certain."""

    at: float


@dataclass(frozen=True, slots=True)
class SpeechEnded:
    """Nobody speaks any more, since `at`: the end of the last frame with voice, not when that became certain.

    The detector holds on a little: `at` is 0 to 120 ms after the last sound, never before it.
    """

    at: float


class VoiceActivity:
    """Finds speech in a stream of 20 ms frames. Frames and their times go in, beginnings and ends come out.

    Args:
        rate: Samples a second: 8, 16, 24, 32 or 48 kHz.
        mode: How sure WebRTC's detector must be to call a frame voice, 0 to 3.
        onset_ms: Voice counts once it has lasted this long. A click keeps the detector on for 80 ms.
        silence_ms: Speech has ended once no voice came for this long.
    """

    def __init__(self, rate: int, *, mode: Mode = 3, onset_ms: int = 100, silence_ms: int = 200) -> None:
        self._is_voice = _Detector(rate, mode)
        self._onset_s = onset_ms / 1000 - _TINY_S
        self._silence_s = silence_ms / 1000 - _TINY_S
        self._began: float | None = None
        """When the voice now heard began; None in a frame without."""
        self._end: float | None = None
        """The end of the last voice that counted as speech; None while nobody speaks."""

    @property
    def speaking(self) -> bool:
        """Whether somebody speaks: between `SpeechBegan` and `SpeechEnded`."""
        return self._end is not None

    @property
    def voiced(self) -> bool:
        """Whether there is voice in this very frame, be it long enough to count or not."""
        return self._began is not None

    def push(self, frame: bytes, at: float) -> SpeechBegan | SpeechEnded | None:
        """Hear one frame that began `at` (seconds, on any clock that goes forward); say what became certain by it."""
        end = at + _FRAME_S
        if self._is_voice(frame):
            return self._voice(at if self._began is None else self._began, end)
        self._began = None
        if self._end is not None and end - self._end >= self._silence_s:
            ended, self._end = SpeechEnded(self._end), None
            return ended
        return None

    def _voice(self, began: float, end: float) -> SpeechBegan | None:
        self._began = began
        lasts = end - began >= self._onset_s
        if self._end is None:
            if not lasts:
                return None
            self._end = end
            return SpeechBegan(began)
        # A blip in the silence after speech does not put its end off; one right behind it is the word's last sound.
        if lasts or began - self._end < self._onset_s:
            self._end = end
        return None


class _WebRTCDetector(Protocol):
    """What is used of the `webrtcvad` module, which has no types."""

    def is_speech(self, buf: bytes, sample_rate: int) -> bool: ...


class _Detector:
    """Says of one frame whether it has voice in it; knows rates that WebRTC's detector does not."""

    def __init__(self, rate: int, mode: Mode) -> None:
        if rate not in {8_000, 16_000, 24_000, 32_000, 48_000}:
            raise ValueError(f"no voice activity at {rate} Hz: use 8, 16, 24, 32 or 48 kHz")
        self._vad = cast("_WebRTCDetector", webrtcvad.Vad(mode))
        self._rate = rate
        self._frame_bytes = frame_bytes(rate)

    def __call__(self, frame: bytes) -> bool:
        if len(frame) != self._frame_bytes:
            raise ValueError(
                f"a frame at {self._rate} Hz has {self._frame_bytes} bytes ({FRAME_MS} ms), not {len(frame)}"
            )
        if self._rate == 24_000:
            return self._vad.is_speech(_third(frame), 8_000)
        return self._vad.is_speech(frame, self._rate)


def _third(frame: bytes) -> bytes:
    """24 kHz to the 8 kHz at which WebRTC's detector works inside; it takes no 24, and a filter would hold samples."""
    samples = np.frombuffer(frame, dtype=np.int16)
    thirds: NDArray[np.int16] = (samples[0::3] >> 2) + (samples[1::3] >> 1) + (samples[2::3] >> 2)
    return thirds.tobytes()
