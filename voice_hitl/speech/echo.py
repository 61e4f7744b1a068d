"""Our own voice coming back: words of ours that a microphone heard a moment after they were played.

An agent's echoed prompt has approved its own proposal, and an echoed "don't" has vetoed an approval. So words that we
played 50 to 800 ms before they were heard, in that order, in a run of three or more, are ours; one or two words only
while that very word plays, or within 150 ms after it. What began later than that after our last word never is.
"""

import re
from collections import deque
from dataclasses import dataclass

LEAST_S = 0.05
MOST_S = 0.8
"""The lag, in seconds, at which an echo is heard."""

SHORT_MOST_S = 0.15
"""The lag beyond the word's own end at which one or two words may be an echo."""

RUN = 3
REMEMBERED_WORDS = 200

SECONDS_A_CHARACTER = 0.065
"""How long a character takes to say, where the whole of a sentence was not heard to tell."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class TimedWord:
    """A word and when it was said, in seconds of the leg's clock."""

    word: str
    began: float
    ended: float


@dataclass(frozen=True, slots=True)
class OwnWords:
    """What is left of an utterance once our own words are taken out of it."""

    text: str
    began: float
    echoed: tuple[str, ...]
    """The words that were ours."""


def timed(text: str, began: float, ended: float) -> list[TimedWord]:
    """The words of `text` with their times, by their length: nobody tells better."""
    spans = [(match.start(), match.end(), match.group().casefold()) for match in _WORD.finditer(text)]
    if not spans:
        return []
    first, last = spans[0][0], spans[-1][1]
    scale = max(0.0, ended - began) / max(1, last - first)
    return [TimedWord(word, began + (a - first) * scale, began + (b - first) * scale) for a, b, word in spans]


class Echo:
    """Knows what was played, and finds it in what is heard.

    Args:
        slack_s: How far the times of heard words may be off, in seconds: they are usually not known word by word.
    """

    def __init__(self, *, slack_s: float = 0.3) -> None:
        self._slack_s = slack_s
        self._played: deque[TimedWord] = deque(maxlen=REMEMBERED_WORDS)
        self._now: tuple[str, float] | None = None
        self._pace = SECONDS_A_CHARACTER

    def playing(self, text: str, began: float) -> None:
        """Note a sentence whose first sound was heard."""
        self._now = text, began

    def played(self, text: str, began: float, ended: float) -> None:
        """Note a sentence that was heard whole: it tells the voice's pace too."""
        self._now = None
        self._pace = (ended - began) / max(1, len(text))
        self._played.extend(timed(text, began, ended))

    def cut(self, text: str, began: float, at: float) -> None:
        """Note a sentence of which only the beginning was heard."""
        self._now = None
        self._played.extend(self._begun(text, began, at))

    def _begun(self, text: str, began: float, by: float) -> list[TimedWord]:
        words = timed(text, began, began + self._pace * len(text))
        return [word for word in words if word.began < by]

    def sift(self, text: str, began: float, ended: float) -> OwnWords:
        """Take our own words out of what was heard between `began` and `ended`."""
        heard = timed(text, began, ended)
        now = self._begun(*self._now, ended) if self._now is not None else []
        ours = self._ours(heard, [*self._played, *now])
        if not ours:
            return OwnWords(text, began, ())
        left = [word for index, word in enumerate(heard) if index not in ours]
        words = [match.group() for match in _WORD.finditer(text)]
        kept = " ".join(word for index, word in enumerate(words) if index not in ours)
        echoed = tuple(heard[index].word for index in sorted(ours))
        return OwnWords(kept, left[0].began if left else began, echoed)

    def _ours(self, heard: list[TimedWord], played: list[TimedWord]) -> set[int]:
        if not played or not heard or heard[0].began > played[-1].ended + SHORT_MOST_S:
            return set()
        ours: set[int] = set()
        for start in range(len(heard)):
            for place in range(len(played)):
                run = self._run(heard, start, played, place)
                if run >= RUN:
                    ours.update(range(start, start + run))
        if len(heard) < RUN and all(self._plays_now(word, played) for word in heard):
            ours.update(range(len(heard)))
        return ours

    def _run(self, heard: list[TimedWord], start: int, played: list[TimedWord], place: int) -> int:
        """How many words from `start` on are those played from `place` on, each at the lag of an echo."""
        count = 0
        while start + count < len(heard) and place + count < len(played):
            mine, theirs = played[place + count], heard[start + count]
            lag = theirs.began - mine.began
            if mine.word != theirs.word or not LEAST_S - self._slack_s <= lag <= MOST_S + self._slack_s:
                break
            count += 1
        return count

    def _plays_now(self, heard: TimedWord, played: list[TimedWord]) -> bool:
        return any(
            word.word == heard.word
            and word.began <= heard.began + self._slack_s
            and heard.began <= word.ended + SHORT_MOST_S
            for word in played
        )
