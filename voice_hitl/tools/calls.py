"""`AIToolCall`: a call as a chat model or its provider hands it over; `ServedCall`: what it came to there."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServedCall:
    """A call that the provider ran itself: what it gave, and whether that is an error."""

    result: object
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class AIToolCall:
    """One call to a tool. `served` is set only by a provider that ran it itself; nothing is read from `arguments`."""

    id: str
    name: str
    arguments: Mapping[str, object] | str | None
    served: ServedCall | None = None
