"""An utterance as words that can be compared, each with its place in what was said."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

# Digits and letters apart: "7pm" and "5th" are two words, "7:30" and "1,500" are one.
_WORD = re.compile(r"(\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’ʼ`´][^\W\d_]+)*)")
_ELIDED = re.compile(r"(\d+(?:[.,:]\d+)*|[^\W\d_]+['’ʼ`´]?)")
_APOSTROPHES = "'’ʼ`´"
_WITHOUT_APOSTROPHES = str.maketrans("", "", _APOSTROPHES)
_JOINS = frozenset(("", " ", "-"))
_PAUSES = frozenset(".,;:!?…—–-\n¿¡()")
_SENTENCE_ENDS = frozenset(".;!?…\n")


@dataclass(frozen=True, slots=True)
class Words:
    """What was said, word by word.

    Args:
        text: All of it, in Unicode's composed form.
        spoken: Each word as it stands in the text (in lower case, where the text is ASCII).
        raw: Each word in lower case, accents and all.
        folded: Each word without case, accents and apostrophes.
        spaces: What stands in the text before each word, and after the last one.
        gaps: What that is: `""` (the word goes on), `","` (a pause) or `"."` (a sentence has ended).
        asked: The words that a question mark follows.
    """

    text: str
    spoken: tuple[str, ...]
    raw: tuple[str, ...]
    folded: tuple[str, ...]
    spaces: tuple[str, ...]
    gaps: tuple[str, ...]
    asked: frozenset[int]

    def start(self, index: int) -> int:
        """Where a word begins in the text."""
        return sum(map(len, self.spaces[: index + 1])) + sum(map(len, self.spoken[:index]))

    def since(self, index: int) -> str | None:
        """What was said from that word on; None where nothing was."""
        return self.between(index, len(self.folded))

    def between(self, start: int, end: int) -> str | None:
        """What was said from the word `start` to before the word `end`; None where nothing was."""
        if start >= end:
            return None
        stop = self.start(end) if end < len(self.folded) else len(self.text)
        return self.text[self.start(start) : stop].strip(" ,;:-–—\n\t") or None


@lru_cache(maxsize=8192)
def fold(word: str) -> str:
    """A word without case, accents and apostrophes: "L’été" is "lete", "weiß" is "weiss"."""
    plain = word.translate(_WITHOUT_APOSTROPHES).casefold()
    if plain.isascii():
        return plain
    return "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))


def split(text: str, *, elides: bool = False) -> Words:
    """Cut an utterance into words.

    Args:
        text: What was said; anything at all.
        elides: Whether an apostrophe ends a word ("d'accord" is "d" and "accord"), as in French and Italian.
    """
    pattern = _ELIDED if elides else _WORD
    if text.isascii():
        parts = pattern.split(text.lower())
        spoken = raw = folded = tuple(parts[1::2])
        if "'" in text or "`" in text:
            folded = tuple(map(fold, raw))
    else:
        # Lower case may have another length than the text: only of ASCII the places are the same.
        text = unicodedata.normalize("NFC", text)
        parts = pattern.split(text)
        spoken = tuple(parts[1::2])
        raw = tuple(word.lower() for word in spoken)
        folded = tuple(map(fold, raw))
    spaces = tuple(parts[0::2])
    gaps = tuple("" if space in _JOINS else _gap(space) for space in spaces[:-1])
    asked = (
        frozenset(index - 1 for index, space in enumerate(spaces) if index and "?" in space) if "?" in text else _NONE
    )
    return Words(text, spoken, raw, folded, spaces, gaps, asked)


_NONE: frozenset[int] = frozenset()


def _gap(space: str) -> str:
    marks = _PAUSES.intersection(space)
    if not marks:
        return ""
    return "." if marks & _SENTENCE_ENDS else ","
