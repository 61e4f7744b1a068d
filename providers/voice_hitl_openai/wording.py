"""Whether the model said the words it was given. Pure."""

import re
from typing import Final

_WORDS: Final = re.compile(r"\w+")
MOST_BEFORE: Final = 3
"""A word of its own before the text ("Sure.") changes nothing; more than three may."""


def said_as_given(given: str, said: str) -> bool:
    """Whether `said` ends in the words of `given`, in order, none missing, none in between and none after.

    Case, punctuation and spacing do not count. Strict on purpose: "$500" said as "five hundred dollars" is not what was
    given, and whoever asked for the words decides what that means.
    """
    wanted = _WORDS.findall(given.casefold())
    heard = _WORDS.findall(said.casefold())
    before = len(heard) - len(wanted)
    return 0 <= before <= MOST_BEFORE and heard[before:] == wanted
