"""A text cut into sentences: what is spoken one after another. Pure."""

import re

_END = re.compile(r"(?:(?<=[.!?…])|(?<=[.!?…][\"'”’)]))\s+(?=[\"'“‘(]?[A-Z0-9À-Þ])")
_ABBREVIATION = re.compile(r"(?:^|\s)(?:Mr|Mrs|Ms|Dr|St|No|vs|e\.g|i\.e|approx)\.$")


def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of `text`, without the space between them; nothing where there is nothing to say."""
    found: list[str] = []
    for piece in _END.split(" ".join(text.split())):
        if found and _ABBREVIATION.search(found[-1]):
            found[-1] += f" {piece}"
        else:
            found.append(piece)
    return tuple(sentence for sentence in found if any(character.isalnum() for character in sentence))
