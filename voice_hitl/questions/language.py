"""The language that something is said in, as a tag (BCP 47): `en`, `pt-BR`."""

import re
from typing import Final

TAG: Final = "^[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*$"
"""What a tag looks like. A language is two or three letters: a longer one was never registered (RFC 5646, 2.2.1)."""

_TAG: Final = re.compile(TAG.removesuffix("$") + r"\Z")


def language_of(tag: str) -> str:
    """The language of a tag, whatever the country: `en` of `en`, `en-GB` and `EN_gb`.

    Raises:
        ValueError: It is no tag: a language's name (`english`), or nothing.
    """
    if _TAG.match(tag) is None:
        raise ValueError(f"a language is a tag such as 'en' or 'pt-BR', not {tag!r}")
    return re.split("[-_]", tag, maxsplit=1)[0].lower()
