"""The same call both said and issued runs once: what was said, and what was issued, a moment ago."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from voice_hitl.errors import InvalidArguments
from voice_hitl.tools.schema import read_arguments

SAME_CALL_S: Final = 3.0
"""Within this time, in seconds, or in one response, they are the same call."""

REMEMBERED: Final = 64


@dataclass(frozen=True, slots=True)
class Made:
    """A call that was made, in whichever way."""

    name: str
    arguments: Mapping[str, object]
    response_id: str
    at: float
    bare: bool = False
    """Said with bare keys and values, so that a word with a colon may be no key at all."""

    def is_twin_of(self, other: "Made") -> bool:
        """Whether both are the same call."""
        close = abs(self.at - other.at) <= SAME_CALL_S or (self.response_id and self.response_id == other.response_id)
        return bool(close) and (self.name, self.arguments) == (other.name, other.arguments)


class Recent:
    """The last calls that were made in one of the two ways. Each is the twin of one call at most."""

    def __init__(self) -> None:
        self._made: deque[Made] = deque(maxlen=REMEMBERED)

    def add(self, made: Made) -> None:
        """One more."""
        self._made.append(made)

    def take_twin(self, of: Made) -> bool:
        """Whether the twin of this call is among them; it is then taken out."""
        for made in self._made:
            if made.is_twin_of(of):
                self._made.remove(made)
                return True
        return False


def issued(name: str, raw: str | Mapping[str, object] | None, response_id: str, at: float) -> Made | None:
    """A call as the provider issued it; None: its arguments cannot be read, so it is like no other."""
    try:
        return Made(name, read_arguments(raw), response_id, at)
    except InvalidArguments:
        return None
