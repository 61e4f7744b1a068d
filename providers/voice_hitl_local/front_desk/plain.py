"""A caller's words made plain: lower case, no punctuation, numbers in digits, mishearings undone. Pure."""

import re
from collections.abc import Mapping
from typing import TypeVar

K = TypeVar("K")

_SMALL = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
_NUMBERS = {word: str(number) for number, word in enumerate(_SMALL.split(), 1)} | {
    "eighteen": "18",
    "nineteen": "19",
    "twenty": "20",
    "thirty": "30",
    "forty five": "45",
}
_NUMBER = re.compile(rf"\b({'|'.join(sorted(_NUMBERS, key=len, reverse=True))})\b")

_SPELLING = (
    (r"[’']", ""),
    (r"\b([ap])\.? ?m\b\.?", r"\1m"),
    (r"\bo clock\b", "oclock"),
    (r"(\d)\.(\d\d)\b", r"\1:\2"),
    (r"(\d)(am|pm|oclock)\b", r"\1 \2"),
    (r"[^a-z0-9: ]+|:(?!\d)", " "),
    (r" +", " "),
)
_SAYINGS = (
    (r"\ba couple( of)?\b", "two"),
    (r"\b(just|only) (me|myself)\b|\bby myself\b|\bon my own\b", "one of us"),
)
_MISHEARD = (
    # What the small recogniser writes for a number that follows a like-sounding word.
    (r"\b(make|made)( it)?( a| at)?( date| ate| hate| aid)\b", "make it eight"),
    (r"\b(for|four) (for|four)\b", "for four"),
    (r"\b(table|booking|party|reservation) for (to|too)\b", r"\1 for two"),
    (r"\bat (ate|hate)\b", "at eight"),
    (r"\bto morrow\b", "tomorrow"),
)
_REPLACED = tuple((re.compile(pattern), by) for pattern, by in (*_SPELLING, *_SAYINGS, *_MISHEARD))


def plain_words(text: str) -> str:
    """Return `text` with words and digits apart by single spaces, and `7:30` for every way to write it."""
    plain = text.lower()
    for pattern, by in _REPLACED:
        plain = pattern.sub(by, plain)
    return _NUMBER.sub(lambda found: _NUMBERS[found.group()], plain).strip()


def without(plain: str, found: re.Match[str]) -> str:
    """Return the words without what was found in them, so that nothing is read twice."""
    return f"{plain[: found.start()]}| {plain[found.end() :]}"


def first_match(patterns: Mapping[K, re.Pattern[str]], plain: str) -> K | None:
    """Return the key of the first pattern that is found in the words."""
    for key, pattern in patterns.items():
        if pattern.search(plain):
            return key
    return None
