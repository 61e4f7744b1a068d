"""Text as people see it: stripped of Unicode white space, and blank where nothing of it can be seen."""

import unicodedata
from typing import Final

WHITE_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""The property White_Space of Unicode's PropList. `str.strip` takes U+001C to U+001F too, which are no white space."""

_UNSEEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Zs", "Zl", "Zp"})

# Default_Ignorable_Code_Point of DerivedCoreProperties, where the category does not say it; and the blank of Braille.
_UNSEEN: Final = frozenset(
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2065, 0x2800, 0x3164, 0xFFA0}
    | {*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xFFF0, 0xFFF9), *range(0xE0000, 0xE1000)}
)


def strip(text: str) -> str:
    """Strip both ends of Unicode white space; inner space, case and composition are left alone."""
    return text.strip(WHITE_SPACE)


def is_blank(text: str) -> bool:
    """Whether nothing in it can be seen: white space, controls, zero width characters."""
    return not any(map(_seen, text))


def is_unicode(text: str) -> bool:
    """Whether it can be written as UTF-8: it has no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def as_unicode(text: str) -> str:
    """The text as it can be written as UTF-8: half of a surrogate pair, as in the name of a file, becomes "?"."""
    return text if text.isascii() or is_unicode(text) else text.encode(errors="replace").decode()


def plain_text(value: object, *, maximum: int) -> str:
    """Return `value` stripped, if it is text with something to see, of at most `maximum` code points.

    Raises:
        ValueError: It is not. Its text goes on where the name of the value ends: "is blank".
    """
    if not isinstance(value, str):
        raise ValueError("must be text")
    text = strip(value)
    if not text.isascii() and not is_unicode(text):
        raise ValueError("must be Unicode text: it has half of a surrogate pair")
    if is_blank(text):
        raise ValueError("is blank: it needs something to read")
    if len(text) > maximum:
        raise ValueError(f"is {len(text)} characters long: at most {maximum} are allowed")
    return text


def _seen(character: str) -> bool:
    return unicodedata.category(character) not in _UNSEEN_CATEGORIES and ord(character) not in _UNSEEN
