"""Whether a voice that is asked for certain words says them: by its transcript, number by number and name by name.

A speech model may say "Shall I transfer five hundred to Ann?" where it was given another amount, or answer the question
that it was to ask. A yes to that would be a yes to something else.
"""

from typing import NamedTuple

from voice_hitl.speech.languages import pack_for
from voice_hitl.speech.lexicon import Tag, lexicon_for
from voice_hitl.speech.marks import marks_of
from voice_hitl.speech.words import split

_FREE = frozenset({Tag.PLAIN, Tag.FILLER})


def says(text: str, said: str, *, language: str = "en") -> bool:
    """Whether `said` has every number, name and option of `text`, in that order, and nothing more.

    A number is the same in words and in digits. Small words that say nothing by themselves may come and go, but none
    after the end.
    """
    wanted, heard = _said(text, language), _said(said, language)
    return wanted.all == heard.all and wanted.last == heard.last


class _Said(NamedTuple):
    all: list[str | float]
    """Words and numbers, without the small words."""
    last: str | float | None


def _said(text: str, language: str) -> _Said:
    lexicon = lexicon_for(pack_for(language).code)
    words = split(text, elides=lexicon.pack.elides)
    everything: list[str | float] = []
    last: str | float | None = None
    for mark in marks_of(words, lexicon):
        said = mark.values or words.folded[mark.start : mark.end]
        last = said[-1]
        if mark.values or mark.tag not in _FREE:
            everything += said
    return _Said(everything, last)
