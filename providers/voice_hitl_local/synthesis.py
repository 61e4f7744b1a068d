"""Text to speech, sentence by sentence: one voice for the whole process, which runs in one of its own."""

from collections import deque
from collections.abc import Sequence

from voice_hitl.errors import ConnectionEnded
from voice_hitl.questions.language import language_of
from voice_hitl.speech_ports import SpeechChunk
from voice_hitl_local.engine_process import EngineProcess, require_engines
from voice_hitl_local.sentences import sentences
from voice_hitl_local.voice import VOICE_RATE, load_voice
from voice_hitl_local.worker import Pending, Worker

RATE = VOICE_RATE


class Synthesizer:
    """Piper in a process of its own, loaded with the first work."""

    def __init__(self) -> None:
        self._worker = Worker("voice-hitl-voice")
        self._process = EngineProcess(load_voice)
        self._ready: dict[str, bytes] = {}
        self._loaded: Pending[bytes] | None = None

    def load(self, first: str) -> Pending[bytes]:
        """Have the voice ready, and the sentence that is said first."""
        if self._loaded is None:
            self._loaded = self._worker.submit(lambda: self._keep(first))
        return self._loaded

    def keep(self, fixed: Sequence[str]) -> None:
        """Have sentences ready that are said in the same words again and again; what is wanted now goes first."""
        left = deque(sentence for sentence in fixed if sentence not in self._ready)

        def one() -> None:
            self._keep(left.popleft())
            if left:
                self._worker.submit(one)

        if left:
            self._worker.submit(one)

    def speak(self, sentence: str) -> Pending[bytes]:
        """Speak one sentence; mono int16 at `RATE`, with the pause that follows it."""
        return self._worker.submit(lambda: self._ready.get(sentence) or self._process.do(sentence))

    def _keep(self, sentence: str) -> bytes:
        if sentence not in self._ready:
            self._ready[sentence] = self._process.do(sentence)
        return self._ready[sentence]


SYNTHESIZER = Synthesizer()
"""The process's one: a voice is too dear to have per call."""


class Speech:
    """A text being spoken: `get` gives the next sentence, one ahead of which is already being made."""

    def __init__(self, text: str) -> None:
        self._left = deque(enumerate(sentences(text)))
        self._next: tuple[int, str, Pending[bytes]] | None = None
        self._advance()

    async def get(self) -> SpeechChunk:
        """Return the next sentence; `ConnectionEnded` after the last."""
        if self._next is None:
            raise ConnectionEnded("all has been said")
        index, sentence, pending = self._next
        self._advance()
        return SpeechChunk(await pending.get(), index, sentence)

    def __aiter__(self) -> "Speech":
        return self

    async def __anext__(self) -> SpeechChunk:
        try:
            return await self.get()
        except ConnectionEnded:
            raise StopAsyncIteration from None

    def drop(self) -> None:
        """Nobody listens any more."""
        self._left.clear()
        if self._next is not None:
            self._next[2].drop()
            self._next = None

    def _advance(self) -> None:
        self._next = None
        if self._left:
            index, sentence = self._left.popleft()
            self._next = (index, sentence, SYNTHESIZER.speak(sentence))


class LocalSpeaker:
    """A `Speaker` with no key and no network: Piper's "joe". English only.

    Raises:
        PluginMissing: An engine's package is not installed.
    """

    rate = RATE

    def __init__(self) -> None:
        require_engines()

    async def speak(self, text: str, *, voice: str | None = None, language: str = "en") -> Speech:
        """Speak `text`, a chunk a sentence; `ValueError` for another voice or language than its own."""
        if voice not in {None, "joe"}:
            raise ValueError(f"the embedded speaker has the voice 'joe' only, not {voice!r}")
        if language_of(language) != "en":
            raise ValueError(f"the embedded speaker speaks English only, not {language!r}")
        return Speech(text)
