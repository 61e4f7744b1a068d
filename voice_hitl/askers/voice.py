"""The voice that asks: a synthesiser's, or the model's own where that says exactly what it is given."""

from collections.abc import Sequence

import anyio
from anyio.abc import TaskGroup

from voice_hitl.askers.synthesis import Synthesis
from voice_hitl.line import HeldLine
from voice_hitl.speech.effects import Sentence
from voice_hitl.speech_ports import Speaker


class Voice:
    """Says sentences on a held line, each as a part of it.

    Args:
        held: The line.
        speaker: Makes the voice; without one the model's own says it.
        language: The language spoken.
        parting: What may be said as the floor goes back.
    """

    def __init__(self, held: HeldLine, speaker: Speaker | None, language: str, *, parting: Sequence[str] = ()) -> None:
        self._held = held
        self._speaker = speaker
        self._language = language
        self._parting = parting
        self._parts = 0
        self._prepared: dict[str, bytes] = {}
        self._speaking: anyio.CancelScope | None = None

    def say(self, sentences: tuple[Sentence, ...], group: TaskGroup) -> int:
        """Say these in place of whatever is being said; the number of the first part."""
        self.stop()
        first = self._parts + 1
        self._parts += len(sentences)
        self._speaking = anyio.CancelScope()
        group.start_soon(self._speak, sentences, first, self._speaking)
        return first

    def stop(self) -> None:
        """Stop, in this tick."""
        if self._speaking is not None:
            self._speaking.cancel()
            self._speaking = None
        self._held.stop()

    def part_with(self, text: str) -> None:
        """Have this said as the floor goes back, if it is ready."""
        if self._speaker is None:
            self._held.leave_with(text)
        else:
            self._held.leave_playing(self._prepared.get(text, b""))

    async def _speak(self, sentences: tuple[Sentence, ...], first: int, scope: anyio.CancelScope) -> None:
        with scope:
            for part, sentence in enumerate(sentences, start=first):
                if self._speaker is None:
                    await self._held.say(sentence.text, part)
                else:
                    await self._synthesise(self._speaker, sentence.text, part)
            if self._speaker is not None:
                await self._prepare(self._speaker)

    async def _prepare(self, speaker: Speaker) -> None:
        """Make ready what may be said in parting: when it is wanted there is no time left to."""
        for text in self._parting:
            if text not in self._prepared:
                self._prepared[text] = await (await self._synthesis(speaker, text)).whole()

    async def _synthesise(self, speaker: Speaker, text: str, part: int) -> None:
        synthesis = await self._synthesis(speaker, text)
        while (pcm := await synthesis.next()) is not None:
            self._held.play(pcm, part)
        self._held.play(synthesis.rest(), part)
        self._held.end_part(part)

    async def _synthesis(self, speaker: Speaker, text: str) -> Synthesis:
        return await Synthesis.of(speaker, text, language=self._language, rate=self._held.rate)
