"""Numbers in an utterance, in digits or in words."""

from functools import lru_cache
from typing import NamedTuple, Protocol, cast

import text_to_num

from voice_hitl.speech.languages.pack import LanguagePack
from voice_hitl.speech.words import Words


class Spoken(NamedTuple):
    """One number as it was said, by the words `start` to before `end`."""

    values: tuple[float, ...]
    """The number; for a clock time its hours and minutes."""
    digits: str
    """As digits, leading zeros kept: `"007"`."""
    ordinal: bool
    """Whether it is a place in an order ("third")."""
    start: int
    end: int


class _Occurrence(Protocol):
    """What `text_to_num` finds (it ships no types)."""

    start: int
    end: int
    text: str
    value: float
    is_ordinal: bool


class _Token:
    """A word as `text_to_num` wants it."""

    __slots__ = ("_after_pause", "_text")

    def __init__(self, text: str, *, after_pause: bool) -> None:
        self._text = text
        self._after_pause = after_pause

    def text(self) -> str:
        return self._text

    def nt_separated(self, previous: "_Token") -> bool:
        return self._after_pause

    def not_a_number_part(self) -> bool:
        return False


@lru_cache(maxsize=8192)
def _by_itself(word: str, language: str) -> tuple[float, str, bool] | None:
    """The number that one word in lower case is: its value, its digits and whether it is an ordinal."""
    found = _found([_Token(word, after_pause=False)], language)
    return (found[0].value, _digits(found[0].text), found[0].is_ordinal) if found else None


def _found(tokens: list[_Token], language: str) -> list[_Occurrence]:
    return cast("list[_Occurrence]", text_to_num.find_numbers(tokens, language, threshold=0))


def _digits(text: str) -> str:
    return "".join(c for c in text if c.isdecimal() or c in ".,").rstrip(".").replace(",", ".")


def numbers_in(words: Words, pack: LanguagePack) -> dict[int, Spoken]:
    """The numbers that were said, by the index of their first word."""
    found: dict[int, Spoken] = {}
    spelled: list[int] = []
    code = pack.code
    speaks = pack.speaks_numbers
    for index, word in enumerate(words.raw):
        if word[0].isdecimal():
            found[index] = _from_digits(words, index, pack)
        elif speaks and _by_itself(word, code) is not None:
            spelled.append(index)
    position = 0
    while position < len(spelled):
        start = end = spelled[position]
        # Between number words only a joint ("four hundred AND twenty", "three POINT five") belongs to the number.
        while position < len(spelled) and _goes_on(words, end, spelled[position], pack):
            end = spelled[position]
            position += 1
        _from_words(words, start, end + 1, code, found)
    return found


def _goes_on(words: Words, last: int, index: int, pack: LanguagePack) -> bool:
    return index <= last + 1 or (index == last + 2 and words.raw[last + 1] in pack.number_joints)


def _from_words(words: Words, start: int, end: int, language: str, found: dict[int, Spoken]) -> None:
    if end == start + 1 and (one := _by_itself(words.raw[start], language)):
        found[start] = Spoken((one[0],), one[1], one[2], start, end)
        return
    tokens = [_Token(words.raw[i], after_pause=i > start and words.gaps[i] != "") for i in range(start, end)]
    for occurrence in _found(tokens, language):
        at = start + occurrence.start
        digits = _digits(occurrence.text)
        found[at] = Spoken((occurrence.value,), digits, occurrence.is_ordinal, at, start + occurrence.end)


def _from_digits(words: Words, index: int, pack: LanguagePack) -> Spoken:
    word = words.raw[index]
    end = index + 1
    if ":" in word:
        parts = word.replace(",", ":").replace(".", ":").split(":")
        return Spoken(tuple(map(float, parts)), "".join(parts), False, index, end)
    thousands = "," if pack.decimal == "." else "."
    head, *groups = word.split(thousands)
    if groups and all(len(group.split(pack.decimal)[0]) == 3 for group in groups):
        word = head + "".join(groups)
    number = word.replace(",", ".")
    if number.count(".") > 1:
        return Spoken(tuple(map(float, number.split("."))), number.replace(".", ""), False, index, end)
    ordinal = end < len(words.folded) and words.spaces[end] == "" and words.folded[end] in pack.ordinal_marks
    return Spoken((float(number),), number, ordinal, index, end + ordinal)
