"""Where a person begins to ask something back."""

from voice_hitl.speech.lexicon import Lexicon, Tag
from voice_hitl.speech.marks import Mark
from voice_hitl.speech.words import Words

_QUESTIONS = frozenset({Tag.ASK, Tag.TELL})
_NO_QUESTION = frozenset({Tag.YES, Tag.GO, Tag.AGREE, Tag.ACKNOWLEDGE, Tag.NO})
_FACT = Tag.FACT
_REACH = 6
"""How many stretches before a fact its verb may stand ("I NEED their full phone NUMBER")."""


def openings(marks: list[Mark], words: Words, lexicon: Lexicon) -> set[int]:
    """The positions of the marks that a question begins with."""
    found: set[int] = set()
    for position, mark in enumerate(marks):
        if mark.tag in _QUESTIONS:
            found.add(position)
        elif mark.tag is _FACT:
            verb = _verb_before(position, marks, words, lexicon)
            if verb is not None:
                found.add(verb)
    if words.asked:
        found |= _sentences(marks, words, lexicon)
    return found


def _sentences(marks: list[Mark], words: Words, lexicon: Lexicon) -> set[int]:
    """Sentences with a question mark that neither answer nor ask for a deed ("can you make it two?")."""
    found: set[int] = set()
    start = 0
    for position, mark in enumerate(marks):
        if position and words.gaps[mark.start] == ".":
            start = position
        if mark.end - 1 in words.asked:
            deed = words.folded[marks[start].start] in lexicon.requests
            if not deed and not any(one.tag in _NO_QUESTION for one in marks[start : position + 1]):
                found.add(start)
    return found


def _verb_before(position: int, marks: list[Mark], words: Words, lexicon: Lexicon) -> int | None:
    """Where a wish for the fact at `position` begins: "I NEED their number", not "send it TO the number"."""
    for back in range(position - 1, max(-1, position - _REACH - 1), -1):
        mark = marks[back]
        if words.gaps[mark.end] == ".":
            return None
        if not lexicon.fetches.isdisjoint(words.folded[mark.start : mark.end]):
            return back
        if mark.kinds or words.folded[mark.start] in lexicon.binders:
            return None
    return None
