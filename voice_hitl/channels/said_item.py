"""One item of the model's speech while it is being said: how much of it was passed on, and what is held back."""

from bisect import bisect_right
from dataclasses import dataclass, field

from voice_hitl.provider import AudioOut
from voice_hitl.tasks import Timer


@dataclass(slots=True)
class SaidItem:
    """What came of an item so far. Each piece of its text is paired with the audio that had come before it."""

    response_id: str
    text: str = ""
    passed_on: int = 0
    """Characters that went to the transcript."""
    samples: int = 0
    let_go: int | None = None
    """Where a sentence began that was held back for its time already."""
    cut_at: int | None = None
    """Where a call begins that was recognised: nothing from here on is heard or written down."""
    holding: bool = False
    audio: list[AudioOut] = field(default_factory=list[AudioOut])
    """What came while the end of the text is held back."""
    timer: Timer | None = None
    _ends: list[int] = field(default_factory=list[int])
    _marks: list[int] = field(default_factory=list[int])

    def append(self, text: str) -> None:
        """The next words of it."""
        self._ends.append(len(self.text))
        self._marks.append(self.samples)
        self.text += text

    def mark(self, place: int) -> int | None:
        """How many samples had come when the character at `place` did; None: its words came without any mark."""
        index = bisect_right(self._ends, place) - 1
        if index >= 0:
            return self._marks[index]
        return None if place else 0

    def stop_timer(self) -> None:
        """What was to happen in a while does not happen."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
