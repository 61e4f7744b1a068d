"""The ports to speech by itself: a `Speaker` makes audio of text, a `Listener` makes text of audio.

For where no realtime model stands in between: a question spoken word for word, the caller heard while the model must
not hear them.
"""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from voice_hitl.provider import Receiver


@dataclass(frozen=True, slots=True)
class SpeechChunk:
    """Some of a spoken text: mono int16 at the speaker's rate, of any length, ahead of real time."""

    pcm: bytes
    sentence: int
    """Which sentence of the text it belongs to, from 0; a sentence may come in several chunks."""
    text: str
    """The words of that sentence, so that it is known what was heard when its audio was played."""


class Speaker(Protocol):
    """Text to audio, sentence by sentence. One object serves many sessions."""

    @property
    def rate(self) -> int:
        """Samples a second of the audio it gives."""
        ...

    async def speak(self, text: str, *, voice: str | None = None, language: str = "en") -> Receiver[SpeechChunk]:
        """Speak `text`; the audio comes as it is made, then `ConnectionEnded`. It may be left at any point.

        `ValueError` for a voice or a language that it does not have.
        """
        ...


@dataclass(frozen=True, slots=True)
class Transcription:
    """What somebody said."""

    text: str
    confidence: float | None = None
    """0 to 1, where the listener tells."""


@runtime_checkable
class StaysHere(Protocol):
    """A listener that says whether audio stays on this machine: one that does not say so is not trusted to."""

    @property
    def stays_here(self) -> bool:
        """Whether nobody else gets the audio."""
        ...


class Listener(Protocol):
    """Audio to text. One object serves many sessions."""

    @property
    def rate(self) -> int:
        """Samples a second of the audio it takes."""
        ...

    async def transcribe(self, pcm: bytes, *, language: str = "en") -> Transcription | None:
        """Return what is said in `pcm` (one utterance, mono int16); None where nothing can be made out.

        `ValueError` for a language that it does not know.
        """
        ...


def keeps_audio_here(listener: Listener | None) -> bool:
    """Whether it may hear what nobody else may."""
    return isinstance(listener, StaysHere) and listener.stays_here
