"""`OfSession`: the requests of one session, found without a look at those of the others."""

from collections.abc import Iterable
from typing import Generic, TypeVar

T = TypeVar("T")


class OfSession(Generic[T]):
    """What is kept of requests, by their session; in each the oldest first."""

    def __init__(self) -> None:
        self._sessions: dict[str, dict[str, T]] = {}

    def __getitem__(self, session_id: str) -> Iterable[T]:
        return self._sessions.get(session_id, {}).values()

    def add(self, session_id: str, pending_id: str, kept: T) -> None:
        """Keep this of a request."""
        self._sessions.setdefault(session_id, {})[pending_id] = kept

    def remove(self, session_id: str, pending_id: str) -> None:
        """Keep it no longer."""
        kept = self._sessions[session_id]
        del kept[pending_id]
        if not kept:
            del self._sessions[session_id]
