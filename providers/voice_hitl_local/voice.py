"""The voice: a sentence as audio, as a process of its own makes it (`EngineProcess`).

Nothing of the library is imported here: that alone would take the process a second.
"""

from collections.abc import Callable

import numpy as np
import soxr

from voice_hitl_local.engines import Piper

VOICE_RATE = 16_000
PAUSE_MS = 200
"""The silence after each sentence."""

_PAUSE = bytes(2 * VOICE_RATE * PAUSE_MS // 1000)
_INT16 = np.iinfo(np.int16)


def load_voice() -> Callable[[str], bytes]:
    """Load Piper; what is returned speaks a sentence: mono int16 at `VOICE_RATE`, with the pause that follows it."""
    engine = Piper()

    def speak(sentence: str) -> bytes:
        spoken = np.frombuffer(engine.synthesize(sentence), dtype=np.int16).astype(np.float32)
        # Floats: soxr's int16 output is dithered, so that silence would not stay silence.
        resampled = np.rint(soxr.resample(spoken, engine.rate, VOICE_RATE, quality="HQ"))
        pcm: bytes = resampled.clip(_INT16.min, _INT16.max).astype(np.int16).tobytes()
        return pcm + _PAUSE

    return speak
