"""Speech to text: one recogniser for the whole process, which runs in one of its own."""

from voice_hitl.questions.language import language_of
from voice_hitl.speech_ports import Transcription
from voice_hitl_local.ear import Heard, Utterance, load_ear
from voice_hitl_local.engine_process import EngineProcess, require_engines
from voice_hitl_local.engines import WHISPER_RATE
from voice_hitl_local.worker import Pending, Worker


class Recognizer:
    """Whisper in a process of its own, loaded with the first work."""

    def __init__(self) -> None:
        self._worker = Worker("voice-hitl-ear")
        self._process: EngineProcess[Utterance, Heard | None] = EngineProcess(load_ear)
        self._loaded: Pending[None] | None = None

    def load(self) -> Pending[None]:
        """Have the weights ready, and warm: the first utterance is then as fast as any other."""
        if self._loaded is None:
            self._loaded = self._worker.submit(self._process.start)
        return self._loaded

    def recognize(self, pcm: bytes, *, hint: str = "") -> Pending[Transcription | None]:
        """Recognise one utterance (mono int16, 16 kHz, at most 30 s); None where nothing can be made out.

        `hint`: sentences with the words that are likely to be said.
        """
        return self._worker.submit(lambda: self._recognize(pcm, hint))

    def _recognize(self, pcm: bytes, hint: str) -> Transcription | None:
        heard = self._process.do((pcm, hint))
        return None if heard is None else Transcription(*heard)


RECOGNIZER = Recognizer()
"""The process's one: weights are too dear to have per call."""


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
        if language_of(language) != "en":
            raise ValueError(f"the embedded listener understands English only, not {language!r}")
        pending = RECOGNIZER.recognize(pcm)
        try:
            return await pending.get()
        finally:
            pending.drop()
