"""Turns of a conversation that has none: the Live API tells what is said in pieces, and never where a turn ends. Pure.

Both may speak at once. A speaker's words are one item until there was a pause in them.
"""

from dataclasses import dataclass
from typing import Final

from voice_hitl.provider import Role, Transcript

PAUSE_S: Final = 1.2
"""After so long without a word of a speaker's, in seconds, their item is complete."""


@dataclass(slots=True)
class _Item:
    item_id: str
    last_at: float
    text: str = ""


class LiveTurns:
    """What each of the two is saying. Times are seconds of the loop's clock."""

    def __init__(self) -> None:
        self._count = 0
        self._items: dict[Role, _Item] = {}

    def words(self, role: Role, text: str, now: float) -> Transcript | None:
        """The next words; None where there are none."""
        if not text:
            return None
        item = self._item(role, now)
        item.text += text
        return Transcript(role, text, final=False, item_id=item.item_id)

    def voice(self, role: Role, now: float) -> str:
        """They are heard now: the id of their item."""
        return self._item(role, now).item_id

    def _item(self, role: Role, now: float) -> _Item:
        """Their item, a new one where the last is complete."""
        item = self._items.get(role)
        if item is None:
            self._count += 1
            item = self._items[role] = _Item(f"{'heard' if role == 'user' else 'said'}_{self._count}", now)
        item.last_at = now
        return item

    def last_word_at(self, role: Role) -> float | None:
        """When they were heard last, in an item that is not complete."""
        item = self._items.get(role)
        return item.last_at if item is not None else None

    def due(self, now: float) -> list[Transcript]:
        """Complete what paused long enough."""
        return [
            line for role, item in list(self._items.items()) if now >= item.last_at + PAUSE_S for line in self.end(role)
        ]

    def end(self, role: Role) -> list[Transcript]:
        """Complete what they said."""
        item = self._items.pop(role, None)
        if item is None or not item.text.strip():
            return []
        return [Transcript(role, item.text.strip(), final=True, item_id=item.item_id)]

    def deadline(self) -> float | None:
        """When to look again."""
        return min((item.last_at + PAUSE_S for item in self._items.values()), default=None)
