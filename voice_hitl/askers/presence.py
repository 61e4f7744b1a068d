"""`Presence`: in which roles somebody is watching. Pure: times come in, as monotonic seconds."""

from collections import Counter
from collections.abc import Collection
from typing import Final

GRACE_S: Final = 5.0
"""How long somebody who has just left still counts as there, in seconds: a page that is loaded again comes back."""


class Presence:
    """Counts who watches, by role; one person with two pages counts twice."""

    def __init__(self) -> None:
        self._watching: Counter[str] = Counter()
        self._left: dict[str, float] = {}

    def arrive(self, roles: Collection[str]) -> None:
        """Somebody in these roles begins to watch."""
        self._watching.update(roles)

    def leave(self, roles: Collection[str], now: float) -> None:
        """They have stopped."""
        self._watching.subtract(roles)
        self._watching += Counter()
        self._left |= {role: now for role in roles if not self._watching[role]}

    def count(self, role: str) -> int:
        """How many watch in this role now."""
        return self._watching[role]

    @property
    def roles(self) -> frozenset[str]:
        """The roles in which somebody watches now."""
        return frozenset(self._watching)

    def is_there(self, role: str, now: float) -> bool:
        """Whether somebody watches in this role, or has left so lately that they may be coming back."""
        gone_at = self.gone_at(role)
        return gone_at is None or now < gone_at

    def gone_at(self, role: str) -> float | None:
        """From when on nobody counts as there. None: somebody is."""
        if self._watching[role]:
            return None
        left = self._left.get(role)
        return left + GRACE_S if left is not None else 0.0
