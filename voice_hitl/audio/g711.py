"""ITU-T G.711: mu-law and A-law, 8 bits a sample, as on every telephone line.

Both directions are look-ups in tables built once from the recommendation's segments, about a microsecond per 20 ms.
Linear samples are int16: the 14 bits of mu-law and the 13 of A-law are their upper bits.
"""

import numpy as np
from numpy.typing import NDArray

_Samples = NDArray[np.int16]
_Codes = NDArray[np.uint8]

_ULAW_BIAS = 132
"""What mu-law adds to a magnitude, so that the segments become octaves (33 of 14 bits)."""
_ULAW_CLIP = 32_767 - _ULAW_BIAS
_ALAW_EVEN_BITS = 0x55
"""A-law turns every other bit of a code round, so that silence has edges for the line's clock."""


def _ulaw_decoding() -> _Samples:
    code = ~np.arange(256, dtype=np.int32) & 0xFF
    segment, step = (code >> 4) & 7, code & 0x0F
    magnitude = (((step << 3) + _ULAW_BIAS) << segment) - _ULAW_BIAS
    return np.where(code & 0x80, -magnitude, magnitude).astype(np.int16)


def _ulaw_encoding() -> _Codes:
    linear = _every_sample()
    # The two lowest bits of a 16-bit sample are beyond mu-law's 14: cut towards minus infinity, as a shift does.
    magnitude = np.minimum(np.abs(linear >> 2 << 2), _ULAW_CLIP) + _ULAW_BIAS
    segment = _octave(magnitude) - 7
    code = (segment << 4) | ((magnitude >> (segment + 3)) & 0x0F) | np.where(linear < 0, 0x80, 0)
    return np.asarray(~code & 0xFF, dtype=np.uint8)


def _alaw_decoding() -> _Samples:
    code = np.arange(256, dtype=np.int32) ^ _ALAW_EVEN_BITS
    segment, step = (code >> 4) & 7, code & 0x0F
    # The first two segments share one step size; from then on each doubles it. A code stands for its step's middle.
    magnitude = np.where(segment == 0, (step << 4) + 8, ((step << 4) + 0x108) << np.maximum(segment - 1, 0))
    return np.where(code & 0x80, magnitude, -magnitude).astype(np.int16)


def _alaw_encoding() -> _Codes:
    linear = _every_sample() >> 3
    # Of a negative 13-bit number the magnitude is that of its complement: there is no minus zero to waste a code on.
    magnitude = np.where(linear < 0, ~linear, linear)
    segment = np.maximum(_octave(np.maximum(magnitude, 1)) - 4, 0)
    step = (magnitude >> np.maximum(segment, 1)) & 0x0F
    code = (segment << 4) | step | np.where(linear < 0, 0, 0x80)
    return np.asarray(code ^ _ALAW_EVEN_BITS, dtype=np.uint8)


def _every_sample() -> NDArray[np.int32]:
    """Every int16, at the place that its bits have when they are read as uint16: the index of the encoding tables."""
    return np.arange(65_536, dtype=np.uint16).view(np.int16).astype(np.int32)


def _octave(magnitude: NDArray[np.int32]) -> NDArray[np.int32]:
    """The place of the highest bit that is set."""
    return np.floor(np.log2(magnitude)).astype(np.int32)


_ULAW_TO_LINEAR, _LINEAR_TO_ULAW = _ulaw_decoding(), _ulaw_encoding()
_ALAW_TO_LINEAR, _LINEAR_TO_ALAW = _alaw_decoding(), _alaw_encoding()


def encode_ulaw(pcm: bytes) -> bytes:
    """Mono int16 to mu-law, a byte a sample (RTP payload type 0, PCMU); `ValueError` for half a sample."""
    return _LINEAR_TO_ULAW[np.frombuffer(pcm, dtype=np.uint16)].tobytes()


def decode_ulaw(data: bytes) -> bytes:
    """Mu-law to mono int16."""
    return _ULAW_TO_LINEAR[np.frombuffer(data, dtype=np.uint8)].tobytes()


def encode_alaw(pcm: bytes) -> bytes:
    """Mono int16 to A-law, a byte a sample (RTP payload type 8, PCMA); `ValueError` for half a sample."""
    return _LINEAR_TO_ALAW[np.frombuffer(pcm, dtype=np.uint16)].tobytes()


def decode_alaw(data: bytes) -> bytes:
    """A-law to mono int16."""
    return _ALAW_TO_LINEAR[np.frombuffer(data, dtype=np.uint8)].tobytes()
