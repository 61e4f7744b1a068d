"""How many people a caller speaks of, and under what name. Pure."""

import re

from voice_hitl_local.front_desk.when import WEEKDAYS

_PARTIES = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(\d\d?) (?:people|persons|guests|of us|adults|diners|seats)\b",
        r"\b(?:table|booking|reservation|party|group) (?:for|of|4) (\d\d?)\b",
        r"\b(?:for|we are|were|we will be|well be|there are|there will be|therell be) (\d\d?)\b",
    )
)
_BARE_PARTY = re.compile(r"\b(\d\d?)\b")


def find_party(plain: str, *, bare: bool) -> int | None:
    """Return how many people are spoken of, in plain words without the day and the time.

    Args:
        plain: What was said apart from them.
        bare: Whether a number by itself is a party (it was asked for).
    """
    for pattern in (*_PARTIES, _BARE_PARTY) if bare else _PARTIES:
        if (found := pattern.search(plain)) and int(found[1]) > 0:
            return int(found[1])
    return None


_LETTERS = r"[^\W\d_](?:[^\W\d_]|['’-](?=[^\W\d_]))*"
_CAPITAL = r"[A-ZÀ-Þ](?:[^\W\d_]|['’-](?=[^\W\d_]))*"
_SURE = re.compile(
    rf"\b(?i:my name is|my name's|the name is|the name to|name's|under the name(?: of)?|in the name of|under)[ ,:]+"
    rf"({_LETTERS}(?: {_LETTERS})?)"
)
_LIKELY = re.compile(rf"\b(?:[Tt]his is|[Ii]t's|I'm|I am)[ ,]+({_CAPITAL}(?: {_CAPITAL})?)")
_BARE_NAME = re.compile(
    rf"(?i:(?:no|it's|it is|that's|um|uh)[ ,]+)*({_LETTERS}(?: {_LETTERS}){{0,2}})(?:,? please)?[.!]?"
)
_OTHER_WORDS = """
    a an the and for at on in of i i'm i'd i'll it it's is that that's this to my name please yes yeah yep no nope ok
    okay sorry tomorrow today tonight what what's which who how when where why hello hi hey thanks thank just only table
    sure right correct never don't not can could wait again pardon make book cancel
"""
_NO_NAME = frozenset((*WEEKDAYS, *_OTHER_WORDS.split()))


def find_name(text: str, *, bare: bool) -> str | None:
    """Return the name that is given, spelled as the recogniser did.

    Args:
        text: The caller's words as recognised: a capital helps to tell a name.
        bare: Whether a few words by themselves are a name (it was asked for).
    """
    found = _SURE.search(text) or _LIKELY.search(text) or (_BARE_NAME.fullmatch(text.strip()) if bare else None)
    return _as_name(found[1].split()) if found else None


def _as_name(words: list[str]) -> str | None:
    name: list[str] = []
    for word in words:
        # "Lee and": a second word belongs to the name only where the recogniser wrote it as one.
        if word.lower().replace("’", "'") in _NO_NAME or (name and not word[0].isupper()):
            break
        name.append(word[0].upper() + word[1:])
    return " ".join(name) or None
