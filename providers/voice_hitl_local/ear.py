"""The ear: what an utterance says, as a process of its own makes it out (`EngineProcess`).

Nothing of the library is imported here: that alone would take the process a second.
"""

import math
import zlib
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from voice_hitl_local.engines import WHISPER_RATE, Decoded, Whisper

Utterance = tuple[bytes, str]
"""Mono int16 at `WHISPER_RATE`, at most 30 s; sentences with the words that are likely to be said."""

Heard = tuple[str, float]
"""The words, and how sure they are, from 0 to 1: less where they were said in noise."""

_SHORT_WINDOW_S, _WINDOW_S = 15, 30
_FITS_SHORT_S = 13.0
"""Speech up to this long is read in the short window, four times as fast."""
_DOUBT = -0.75
"""Below this mean log probability the short window was not sure, and the whole one is read as well."""
_GUESS = -1.0
_NO_SPEECH = 0.6
_CLEAR_DB = 15.0
"""By so much a voice stands out from what is under it where that is no noise: by 20 and more on a clean line, and by 8
to 14 in noise 10 dB below the voice."""
_FRAME = WHISPER_RATE // 50
_LOUD, _LOW = 95, 30
"""Percentiles of the levels of frames of 20 ms: the voice, and what is heard in its pauses and around it."""
_SILENCE = 1e-5
"""The level below which there is nothing (full scale is 1)."""
_REPETITIVE = 2.4
"""How well a text can be compressed that has lost itself in a loop (Whisper's own bound)."""


def load_ear() -> Callable[[Utterance], Heard | None]:
    """Load Whisper; what is returned recognises an utterance, and gives None where nothing can be made out."""
    engine = Whisper()
    _recognize(engine, bytes(2 * WHISPER_RATE))
    return lambda utterance: _recognize(engine, *utterance)


def _recognize(engine: Whisper, pcm: bytes, hint: str = "") -> Heard | None:
    samples = np.frombuffer(pcm, dtype=np.int16).astype(np.float32) / np.float32(32_768)
    seconds = len(samples) / WHISPER_RATE
    # Nobody says more in a second: a text that does is a loop, which is slow and wrong.
    max_tokens = 8 + int(8 * seconds)
    window_s = _SHORT_WINDOW_S if seconds <= _FITS_SHORT_S else _WINDOW_S
    decoded = engine.decode(samples, window_s=window_s, max_tokens=max_tokens, hint=hint)
    if window_s == _SHORT_WINDOW_S and _doubtful(decoded):
        decoded = engine.decode(samples, window_s=_WINDOW_S, max_tokens=max_tokens, hint=hint)
    if _is_nothing(decoded):
        return None
    return decoded.text, round(math.exp(decoded.log_probability) * _clarity(samples), 3)


def _clarity(samples: NDArray[np.float32]) -> float:
    """How clearly a voice stands out from what is under it, from 0 to 1: in noise Whisper is surer than it is right."""
    frames = samples[: len(samples) // _FRAME * _FRAME].reshape(-1, _FRAME)
    levels = np.sqrt(np.mean(frames * frames, axis=1))
    voice, under = np.percentile(levels, (_LOUD, _LOW)) if len(levels) else (0.0, 0.0)
    stands_out_db = 20 * math.log10(max(float(voice), _SILENCE) / max(float(under), _SILENCE))
    return min(1.0, stands_out_db / _CLEAR_DB)


def _doubtful(decoded: Decoded) -> bool:
    text = decoded.text.encode()
    return decoded.log_probability < _DOUBT or len(text) > _REPETITIVE * len(zlib.compress(text))


def _is_nothing(decoded: Decoded) -> bool:
    silent = decoded.no_speech > _NO_SPEECH and decoded.log_probability < _GUESS
    return silent or not any(character.isalnum() for character in decoded.text)
