"""The voice of the service's model: a tone as long as the words are."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

RATE: Final = 24_000
BYTES_PER_MS: Final = 48
MS_PER_CHAR: Final = 60
"""About the pace of a person: 17 characters a second."""

_WORDS: Final = re.compile(r"\S+\s*")


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is sent: its text, and its audio as mono int16 at 24 kHz."""

    text: str
    pcm: bytes

    @property
    def ms(self) -> int:
        """How long it is."""
        return len(self.pcm) // BYTES_PER_MS


def speak(text: str) -> list[Word]:
    """`text` word by word; all texts together are `text` again (but for leading space)."""
    return [Word(word, _tone(len(word) * MS_PER_CHAR)) for word in _WORDS.findall(text)]


@lru_cache(maxsize=64)
def _tone(ms: int) -> bytes:
    time = np.arange(ms * RATE // 1000) / RATE
    return (np.sin(2 * np.pi * 220 * time) * 6_000).astype("<i2").tobytes()
