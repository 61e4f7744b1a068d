"""Speech to text: one recogniser and one thread for the whole process."""

import math
import zlib

import numpy as np

from voice_hitl.audio.frame import duration_ms
from voice_hitl.speech_ports import Transcription
from voice_hitl_local.engines import WHISPER_RATE, Decoded, Whisper, require_engines
from voice_hitl_local.worker import Pending, Worker

_SHORT_WINDOW_S, _WINDOW_S = 15, 30
_FITS_SHORT_S = 13.0
"""Speech up to this long is read in the short window, four times as fast."""
_DOUBT = -0.75
"""Below this mean log probability the short window was not sure, and the whole one is read as well."""
_GUESS = -1.0
_NO_SPEECH = 0.6
_REPETITIVE = 2.4
"""How well a text can be compressed that has lost itself in a loop (Whisper's own bound)."""


class Recognizer:
    """Whisper in a thread of its own, loaded with the first work."""

    def __init__(self) -> None:
        self._worker = Worker("voice-hitl-ear")
        self._engine: Whisper | None = None
        self._loaded: Pending[Whisper] | None = None

    def load(self) -> Pending[Whisper]:
        """Have the weights ready, and warm: the first utterance is then as fast as any other."""
        if self._loaded is None:
            self._loaded = self._worker.submit(self._whisper)
        return self._loaded

    def recognize(self, pcm: bytes, *, hint: str = "") -> Pending[Transcription | None]:
        """Recognise one utterance (mono int16, 16 kHz, at most 30 s); None where nothing can be made out.

        `hint`: sentences with the words that are likely to be said.
        """
        return self._worker.submit(lambda: _recognize(self._whisper(), pcm, hint))

    def _whisper(self) -> Whisper:
        # Only ever run in the worker's thread, so that nothing is loaded twice.
        if self._engine is None:
            self._engine = Whisper()
            _recognize(self._engine, bytes(2 * WHISPER_RATE))
        return self._engine


RECOGNIZER = Recognizer()
"""The process's one: weights and thread are too dear to have per call."""


def _recognize(engine: Whisper, pcm: bytes, hint: str = "") -> Transcription | None:
    samples = np.frombuffer(pcm, dtype=np.int16).astype(np.float32) / np.float32(32_768)
    seconds = duration_ms(pcm, WHISPER_RATE) / 1000
    # Nobody says more in a second: a text that does is a loop, which is slow and wrong.
    max_tokens = 8 + int(8 * seconds)
    window_s = _SHORT_WINDOW_S if seconds <= _FITS_SHORT_S else _WINDOW_S
    decoded = engine.decode(samples, window_s=window_s, max_tokens=max_tokens, hint=hint)
    if window_s == _SHORT_WINDOW_S and _doubtful(decoded):
        decoded = engine.decode(samples, window_s=_WINDOW_S, max_tokens=max_tokens, hint=hint)
    if _is_nothing(decoded):
        return None
    return Transcription(decoded.text, round(math.exp(decoded.log_probability), 3))


def _doubtful(decoded: Decoded) -> bool:
    text = decoded.text.encode()
    return decoded.log_probability < _DOUBT or len(text) > _REPETITIVE * len(zlib.compress(text))


def _is_nothing(decoded: Decoded) -> bool:
    silent = decoded.no_speech > _NO_SPEECH and decoded.log_probability < _GUESS
    return silent or not any(character.isalnum() for character in decoded.text)


class LocalListener:
    """A `Listener` with no key and no network: Whisper `tiny.en`. English only.

    Raises:
        PluginMissing: An engine's package is not installed.
    """

    rate = WHISPER_RATE
    stays_here = True

    def __init__(self) -> None:
        require_engines()

    async def transcribe(self, pcm: bytes, *, language: str = "en") -> Transcription | None:
        """Return what is said in `pcm` (one utterance, mono int16, at most 30 s), None for nothing intelligible."""
        if language.partition("-")[0] != "en":
            raise ValueError(f"the embedded listener understands English only, not {language!r}")
        pending = RECOGNIZER.recognize(pcm)
        try:
            return await pending.get()
        finally:
            pending.drop()
