"""How much audio of each of the model's items came: what can be cut out of the history is never more. Pure."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from voice_hitl_openai.responses import Responses

MOST_ITEMS: Final = 256
"""How many items are remembered, the newest."""

BYTES_PER_MS: Final = 48
"""Mono int16 at 24 kHz."""


@dataclass(slots=True)
class SpokenItem:
    """An item of the model's that has a voice."""

    response_id: str
    index: int
    bytes: int = 0
    complete: bool = False

    @property
    def ms(self) -> int:
        """How long it is, in whole milliseconds."""
        return self.bytes // BYTES_PER_MS


@dataclass(frozen=True, slots=True)
class Cut:
    """What is to be taken out of the history of an item: all but `heard_ms` of part `index`, or, at 0, the item."""

    item_id: str
    index: int = 0
    heard_ms: int = 0


class SpokenItems:
    """What came of each item."""

    def __init__(self) -> None:
        self._items: OrderedDict[str, SpokenItem] = OrderedDict()
        self.any = False
        """Whether the model has ever been heard."""

    def add(self, item_id: str, response_id: str, index: int, size: int) -> None:
        """Some audio of the item came."""
        self.any = True
        item = self._items.get(item_id)
        if item is None:
            item = self._items[item_id] = SpokenItem(response_id, index)
            while len(self._items) > MOST_ITEMS:
                self._items.popitem(last=False)
        item.bytes += size

    def complete(self, item_id: str) -> None:
        """No more audio of the item comes."""
        if (item := self._items.get(item_id)) is not None:
            item.complete = True

    def forget(self, item_id: str) -> None:
        """The item is gone from the history."""
        self._items.pop(item_id, None)

    def cut(self, item_id: str, heard_ms: int, responses: Responses) -> list[Cut]:
        """Keep of the item what was heard, at most what came; and nothing of what its response said after it."""
        item = self._items.get(item_id)
        if item is None:
            return []
        response = responses.find(item.response_id)
        if response is not None and not response.in_conversation:
            return []
        # The service takes no truncation at 0: an item of which nothing was heard goes.
        cuts = [Cut(item_id)] if heard_ms <= 0 else _truncate(item_id, item, heard_ms)
        if response is not None and item_id in response.items:
            later = response.items[response.items.index(item_id) + 1 :]
            cuts += [Cut(unheard) for unheard in later if unheard in self._items]
        return cuts

    def __len__(self) -> int:
        return len(self._items)


def _truncate(item_id: str, item: SpokenItem, heard_ms: int) -> list[Cut]:
    if item.ms <= 0 or (item.complete and heard_ms >= item.ms):
        return []
    kept = min(heard_ms, item.ms)
    item.bytes = kept * BYTES_PER_MS
    item.complete = True
    return [Cut(item_id, item.index, kept)]
