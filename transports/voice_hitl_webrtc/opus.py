"""Opus (RFC 6716) by ctypes, from the library that PyAV's wheel brings along.

PyAV's own codec objects cannot recover a lost packet from the next one, nor conceal one, and only speak 48 kHz stereo;
libopus does all of it, straight at 8 to 48 kHz mono.
"""

import ctypes
import ctypes.util
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from voice_hitl.audio.frame import BYTES_PER_SAMPLE, FRAME_MS, frame_bytes, frame_samples
from voice_hitl.errors import PluginMissing

RATES = (8_000, 12_000, 16_000, 24_000, 48_000)
"""What Opus encodes and decodes without resampling."""

CLOCK_RATE = 48_000
"""The RTP clock of Opus, whatever the rate of the audio (RFC 7587 4.1)."""

BITRATE = 32_000
EXPECTED_LOSS_PERCENT = 10
"""How much of a packet's bits go into repeating the one before: enough at 5 % loss."""

COMPLEXITY = 5
MAX_PACKET_BYTES = 1_275
MAX_PACKET_MS = 120
GRAIN_MS = 2.5
"""What is concealed is a multiple of this."""

SILENCE = b"\x48"
"""A packet with 20 ms of nothing to say: wide-band SILK, no data (RFC 6716 3.1, RFC 7587 3.1.3)."""

_APPLICATION_VOIP = 2048
_SET_BITRATE, _SET_INBAND_FEC, _SET_PACKET_LOSS_PERC, _SET_COMPLEXITY, _SET_SIGNAL = 4002, 4012, 4014, 4010, 4024
_SIGNAL_VOICE = 3001
_RESET_STATE = 4028

_FRAME_MS = {"silk": (10, 20, 40, 60), "hybrid": (10, 20), "celt": (2.5, 5, 10, 20)}


class OpusError(ValueError):
    """A packet that cannot be decoded."""


def packet_samples(payload: bytes) -> int:
    """How much audio a packet holds, in units of the 48 kHz clock (RFC 6716 3.1); 0 for what is no packet."""
    if not payload:
        return 0
    config, frames_code = payload[0] >> 3, payload[0] & 3
    if config < 12:
        frame_ms: float = _FRAME_MS["silk"][config & 3]
    elif config < 16:
        frame_ms = _FRAME_MS["hybrid"][config & 1]
    else:
        frame_ms = _FRAME_MS["celt"][config & 3]
    frames = (1, 2, 2, payload[1] & 0x3F if len(payload) > 1 else 0)[frames_code]
    samples = int(frames * frame_ms * CLOCK_RATE / 1000)
    return samples if samples <= MAX_PACKET_MS * CLOCK_RATE // 1000 else 0


class Encoder:
    """20 ms of mono int16 in, one packet out, with what is needed to recover the packet before it."""

    def __init__(self, rate: int) -> None:
        self._lib = library()
        self._samples = frame_samples(rate)
        self._bytes = frame_bytes(rate)
        error = ctypes.c_int()
        self._state = ctypes.c_void_p(self._lib.opus_encoder_create(rate, 1, _APPLICATION_VOIP, ctypes.byref(error)))
        _check(error.value, f"an Opus encoder at {rate} Hz")
        for request, value in (
            (_SET_BITRATE, BITRATE),
            (_SET_INBAND_FEC, 1),
            (_SET_PACKET_LOSS_PERC, EXPECTED_LOSS_PERCENT),
            (_SET_COMPLEXITY, COMPLEXITY),
            (_SET_SIGNAL, _SIGNAL_VOICE),
        ):
            _check(self._lib.opus_encoder_ctl(self._state, request, ctypes.c_int(value)), f"Opus setting {request}")
        self._packet = ctypes.create_string_buffer(MAX_PACKET_BYTES)

    def encode(self, pcm: bytes) -> bytes:
        """Encode one frame (20 ms, mono int16)."""
        if len(pcm) != self._bytes:
            raise ValueError(f"an Opus frame of {FRAME_MS} ms has {self._bytes} bytes here, not {len(pcm)}")
        size = self._lib.opus_encode(self._state, pcm, self._samples, self._packet, MAX_PACKET_BYTES)
        _check(size, "encoding a frame")
        return ctypes.string_at(self._packet, size)

    def __del__(self) -> None:
        if state := getattr(self, "_state", None):
            self._lib.opus_encoder_destroy(state)


class Decoder:
    """Packets in, mono int16 at `rate` out; what is lost is recovered or concealed."""

    def __init__(self, rate: int) -> None:
        self._lib = library()
        self._rate = rate
        error = ctypes.c_int()
        self._state = ctypes.c_void_p(self._lib.opus_decoder_create(rate, 1, ctypes.byref(error)))
        _check(error.value, f"an Opus decoder at {rate} Hz")
        self._room = rate * MAX_PACKET_MS // 1000
        self._pcm = ctypes.create_string_buffer(self._room * BYTES_PER_SAMPLE)

    def decode(self, payload: bytes) -> bytes:
        """Decode a packet. `OpusError` where it is none."""
        return self._run(payload, self._room, recover=0)

    def recover(self, payload: bytes, samples: int) -> bytes:
        """Decode what `payload`, the packet after a lost one, carries of it; without that it is concealed.

        `samples`: how much was lost, in units of the 48 kHz clock.
        """
        return self._run(payload, self._wanted(samples), recover=1)

    def conceal(self, samples: int) -> bytes:
        """Carry on from what was decoded last, for `samples` units of the 48 kHz clock."""
        return self._run(None, self._wanted(samples), recover=0)

    def reset(self) -> None:
        """Another stream begins."""
        self._lib.opus_decoder_ctl(self._state, _RESET_STATE)

    def _wanted(self, samples: int) -> int:
        grain = int(CLOCK_RATE * GRAIN_MS / 1000)
        rounded = max(grain, min(round(samples / grain) * grain, MAX_PACKET_MS * CLOCK_RATE // 1000))
        return rounded * self._rate // CLOCK_RATE

    def _run(self, payload: bytes | None, samples: int, *, recover: int) -> bytes:
        size = len(payload) if payload else 0
        count = self._lib.opus_decode(self._state, payload, size, self._pcm, samples, recover)
        _check(count, "decoding a packet")
        return ctypes.string_at(self._pcm, count * BYTES_PER_SAMPLE)

    def __del__(self) -> None:
        if state := getattr(self, "_state", None):
            self._lib.opus_decoder_destroy(state)


@cache
def library() -> ctypes.PyDLL:
    """Libopus: PyAV's own, else the system's. `PluginMissing` where there is none.

    Called with the interpreter's lock held: a frame takes less than the wait for getting it back from a busy thread.
    """
    for path in _candidates():
        try:
            return _declare(ctypes.PyDLL(path))
        except (OSError, AttributeError):
            continue
    raise PluginMissing(
        "libopus was not found, neither in PyAV's wheel nor on this system: pip install --force-reinstall av, "
        "or install it (Debian: apt install libopus0; macOS: brew install opus)"
    )


def _candidates() -> Iterator[str]:
    spec = find_spec("av")
    if spec is not None and spec.origin is not None:
        package = Path(spec.origin).parent
        for path in (*package.parent.glob("av.libs/*opus*"), *package.glob(".dylibs/*opus*")):
            yield str(path)
    for path in Path(sys.prefix, "lib").glob("libopus*"):
        yield str(path)
    system = ctypes.util.find_library("opus")
    if system is not None:
        yield system


def _declare(lib: ctypes.PyDLL) -> ctypes.PyDLL:
    state, size = ctypes.c_void_p, ctypes.c_int32
    lib.opus_encoder_create.argtypes = [size, ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_int)]
    lib.opus_decoder_create.argtypes = [size, ctypes.c_int, ctypes.POINTER(ctypes.c_int)]
    lib.opus_encoder_create.restype = lib.opus_decoder_create.restype = state
    lib.opus_encode.argtypes = [state, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p, size]
    lib.opus_decode.argtypes = [state, ctypes.c_char_p, size, ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
    # The rest of a ctl's arguments is variadic, which some ABIs pass in another place: ctypes sees it by what is named.
    lib.opus_encoder_ctl.argtypes = lib.opus_decoder_ctl.argtypes = [state, ctypes.c_int]
    lib.opus_encoder_destroy.argtypes = lib.opus_decoder_destroy.argtypes = [state]
    lib.opus_encoder_destroy.restype = lib.opus_decoder_destroy.restype = None
    return lib


def _check(code: int, doing: str) -> None:
    if code < 0:
        raise OpusError(f"libopus refused {doing} (error {code})")
