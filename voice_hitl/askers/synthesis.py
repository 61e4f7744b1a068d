"""A text as audio at the rate of a line."""

from functools import partial

import anyio
import anyio.to_thread

from voice_hitl.audio.resample import Resampler
from voice_hitl.errors import ConnectionEnded
from voice_hitl.provider import Receiver
from voice_hitl.speech_ports import Speaker, SpeechChunk


class Synthesis:
    """The audio of a text, chunk by chunk, mono int16 at `rate`. It may be left at any point."""

    def __init__(self, chunks: Receiver[SpeechChunk], resampler: Resampler) -> None:
        self._chunks = chunks
        self._resampler = resampler

    @classmethod
    async def of(cls, speaker: Speaker, text: str, *, language: str, rate: int) -> "Synthesis":
        """Begin; `ValueError` for a language that the speaker does not have."""
        return cls(await speaker.speak(text, language=language), Resampler(speaker.rate, rate))

    async def next(self) -> bytes | None:
        """Some more of it; None at its end."""
        try:
            chunk = await self._chunks.get()
        except ConnectionEnded:
            return None
        return await anyio.to_thread.run_sync(partial(self._resampler.push, chunk.pcm))

    def rest(self) -> bytes:
        """What the resampler still holds once all came."""
        return self._resampler.flush()

    async def whole(self) -> bytes:
        """All of it."""
        pcm = bytearray()
        while (more := await self.next()) is not None:
            pcm += more
        return bytes(pcm + self.rest())
