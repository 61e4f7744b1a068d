"""The Live model's voice: it speaks as time passes, and time passes with the audio that it hears."""

from collections import deque

from voice_hitl.testing.openai.voice import BYTES_PER_MS, Word, speak


class LiveVoice:
    """What the model is saying."""

    def __init__(self) -> None:
        self._words: deque[Word] = deque()
        self._left = b""

    @property
    def speaks(self) -> bool:
        """Whether there is more to say."""
        return bool(self._words or self._left)

    def say(self, text: str) -> None:
        """Say this, after what is being said."""
        self._words.extend(speak(text + " "))

    def stop(self) -> None:
        """Say nothing more: the caller speaks."""
        self._words.clear()
        self._left = b""

    def pass_time(self, ms: float) -> tuple[str, bytes]:
        """So much time passes: the words that begin in it, and the audio of it."""
        wanted, words, pcm = int(ms) * BYTES_PER_MS, "", b""
        while len(pcm) < wanted and self.speaks:
            if not self._left:
                word = self._words.popleft()
                words += word.text
                self._left = word.pcm
            piece = self._left[: wanted - len(pcm)]
            self._left = self._left[len(piece) :]
            pcm += piece
        return words, pcm
