"""What is being asked aloud, or was last, and how far it was heard."""

from dataclasses import dataclass

from voice_hitl.speech.effects import Sentence

OVERLAP_S = 0.3
"""How much before the question's decisive end a yes may begin."""

ECHOES_S = 0.15
"""How long after our last frame something may still be our own voice."""


@dataclass(slots=True)
class PlayedPrompt:
    """Sentences on their way to the caller. Times are seconds of the leg's clock."""

    sentences: tuple[Sentence, ...]
    decides: bool = True
    """Whether all that a yes would say yes to is in it."""
    began: float | None = None
    reached: int = 0
    """The sentence that is being heard, or was when it was cut."""
    decisive_end: float | None = None
    """When the last sentence with a decisive argument had been heard."""
    ended: float | None = None
    """When our voice ended, whole or cut."""
    stopped: bool = False

    @property
    def playing(self) -> bool:
        """Whether it is being heard, or about to be."""
        return bool(self.sentences) and self.ended is None and not self.stopped

    @property
    def was_cut(self) -> bool:
        """Whether it was stopped before its decisive end was heard."""
        return not self.playing and self.decisive_end is None

    @property
    def rest(self) -> tuple[Sentence, ...]:
        """What was not heard, from the beginning of the sentence that was cut."""
        return self.sentences[self.reached :]

    def starts(self, index: int, at: float) -> None:
        """The first sound of a sentence was heard."""
        self.began = at if self.began is None else self.began
        self.reached = index

    def heard(self, index: int, began: float, at: float) -> None:
        """A sentence was heard whole."""
        self.starts(index, began)
        if index == self._last_decisive:
            self.decisive_end = at
        if index == len(self.sentences) - 1:
            self.ended = at

    def cut(self, index: int, began: float, at: float, left: float | None) -> None:
        """The voice was stopped in a sentence, of which `left` seconds were not heard (None: nobody knows)."""
        self.starts(index, began)
        self.stopped = True
        self.ended = at
        if index == self._last_decisive and left is not None and left <= OVERLAP_S:
            self.decisive_end = at + left

    def may_echo(self, began: float) -> bool:
        """Whether what began then was said while we spoke, or so soon after that it may be our own voice."""
        if self.began is None or began < self.began:
            return False
        return self.ended is None or began < self.ended + ECHOES_S

    @property
    def _last_decisive(self) -> int:
        decisive = [index for index, sentence in enumerate(self.sentences) if sentence.decisive]
        return decisive[-1] if decisive else len(self.sentences) - 1
