"""The prepositions before a word, which tell what it is of two things of a kind: "FROM Bern TO Rome"."""

from voice_hitl.speech.languages.pack import Kind
from voice_hitl.speech.lexicon import Lexicon, Tag
from voice_hitl.speech.marks import Mark
from voice_hitl.speech.words import Words

_NOUNS = frozenset({Tag.OTHER, Tag.UNIT, Tag.FACT, Tag.THING})
_MEASURES: frozenset[Kind] = frozenset({"day", "time", "number"})


def binders_before(mark: Mark, words: Words, lexicon: Lexicon) -> list[str]:
    """The prepositions before a value or a noun, the nearest one first ("checking IN ON the 8th of March").

    What stands between is left out: articles and the like, the month of a day, and of a noun its attributes ("FROM my
    old savings account").
    """
    found: list[str] = []
    folded, gaps = words.folded, words.gaps
    names = _MEASURES.isdisjoint(mark.kinds)
    index = mark.start
    while index and not gaps[index]:
        index -= 1
        word = folded[index]
        if word in lexicon.binders:
            found.append(word)
        elif found or not (
            word in lexicon.articles or (_is_attribute(word, lexicon) if names else word in lexicon.months)
        ):
            break
    return found


def role_before(mark: Mark, words: Words, lexicon: Lexicon) -> str | None:
    """The stem of the word that tells which of two days or times it is, in its sentence ("DROPPED off on the 9th")."""
    index = mark.start
    while index and words.gaps[index] != ".":
        index -= 1
        stem = lexicon.stem(words.folded[index])
        if stem in lexicon.roles:
            return stem
    return None


def _is_attribute(word: str, lexicon: Lexicon) -> bool:
    if word.isdecimal() or word in lexicon.plain:
        return False
    entry = lexicon.anywhere.word(word)
    return entry is None or entry.tag in _NOUNS
