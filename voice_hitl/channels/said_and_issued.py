"""The same call both said and issued runs once: what was said, and what was issued, a moment ago."""

from collections import deque
from collections.abc import Callable, Mapping
from typing import Final, Generic, TypeVar

from voice_hitl.errors import InvalidArguments
from voice_hitl.frozen import frozen
from voice_hitl.tools.schema import read_arguments

SAME_CALL_S: Final = 3.0
"""Within this time, in seconds, or in one response, they are the same call."""

REMEMBERED: Final = 64


@frozen()
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


@frozen()
class Issued:
    """A call as the provider issued it. Its arguments are read when there is something to compare it with."""

    name: str
    raw: str | Mapping[str, object] | None
    response_id: str
    at: float

    def is_twin_of(self, other: Made) -> bool:
        """Whether both are the same call. One whose arguments cannot be read is like no other."""
        if self.name != other.name:
            return False
        try:
            return Made(self.name, read_arguments(self.raw), self.response_id, self.at).is_twin_of(other)
        except InvalidArguments:
            return False


C = TypeVar("C", Made, Issued)


class Recent(Generic[C]):
    """The last calls that were made in one of the two ways. Each is the twin of one call at most."""

    def __init__(self) -> None:
        self._made: deque[C] = deque(maxlen=REMEMBERED)

    def add(self, made: C) -> None:
        """One more."""
        self._made.append(made)

    def take_twin(self, is_twin: Callable[[C], bool]) -> bool:
        """Whether one of them is the twin of a call; it is then taken out."""
        for made in self._made:
            if is_twin(made):
                self._made.remove(made)
                return True
        return False
