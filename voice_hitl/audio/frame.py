"""The one audio format inside: mono, signed 16-bit, 20 ms a frame, at the provider's rate."""

FRAME_MS = 20
"""How long one frame lasts, in milliseconds."""

BYTES_PER_SAMPLE = 2
"""Mono int16, native (little-endian) byte order."""


def frame_samples(rate: int) -> int:
    """Samples in one frame at `rate` samples a second."""
    return rate * FRAME_MS // 1000


def frame_bytes(rate: int) -> int:
    """Bytes in one frame at `rate` samples a second."""
    return frame_samples(rate) * BYTES_PER_SAMPLE


def duration_ms(pcm: bytes, rate: int) -> float:
    """How long `pcm` (mono int16) lasts at `rate`, in milliseconds."""
    return len(pcm) * 1000 / (BYTES_PER_SAMPLE * rate)


class Framer:
    """Cuts a stream of PCM of any chunk size into whole frames; keeps what is left for the next chunk."""

    def __init__(self, rate: int) -> None:
        self._size = frame_bytes(rate)
        self._rest = b""

    def push(self, pcm: bytes) -> list[bytes]:
        """Add `pcm`; return the frames that are now whole."""
        data = self._rest + pcm if self._rest else pcm
        whole = len(data) - len(data) % self._size
        self._rest = data[whole:]
        return [data[i : i + self._size] for i in range(0, whole, self._size)]

    def flush(self) -> bytes | None:
        """Return the rest as one frame, padded with silence, or None when nothing is left."""
        if not self._rest:
            return None
        frame = self._rest.ljust(self._size, b"\0")
        self._rest = b""
        return frame

    def reset(self) -> None:
        """Forget the rest, so that no old audio leaks into what comes next."""
        self._rest = b""
