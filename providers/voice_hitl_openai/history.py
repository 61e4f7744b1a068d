"""The items of the conversation: which are ours, what the service has taken, what is gone. Pure."""

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

from voice_hitl.provider import InjectRole
from voice_hitl_openai.messages import Item

MOST_REMEMBERED: Final = 1024
"""How many forgotten items, answered calls and turns taken are remembered."""

MOST_REPLAYED: Final = 256
"""How many items of an old session a new one is told, the newest."""

MOST_REPLAYED_CHARS: Final = 16_384
"""How much of each."""


_ROLES: Final[dict[str, InjectRole]] = {"user": "user", "assistant": "assistant", "system": "system"}


@dataclass(frozen=True, slots=True)
class Said:
    """Something that was said in the session that this one carries on."""

    role: InjectRole
    text: str


@dataclass(frozen=True, slots=True)
class OwedCall:
    """A call of the session that this one carries on, whose output is still owed."""

    call_id: str
    name: str
    arguments: str


def replayed(metadata: Mapping[str, object]) -> list[Said | OwedCall] | None:
    """What a renewed session is told, without what is malformed; None where it renews nothing.

    `metadata["history"]` is what was said, `{"role", "text"}` (`user`, `assistant`, `system`), and
    `metadata["owed_calls"]` the calls that are owed their output, `{"call_id", "name", "arguments"}`, which come after
    it. Either may have both.
    """
    if "history" not in metadata and "owed_calls" not in metadata:
        return None
    entries = [*_entries(metadata.get("history")), *_entries(metadata.get("owed_calls"))]
    read = (_entry(cast("Mapping[str, object]", entry)) for entry in entries if isinstance(entry, Mapping))
    return [entry for entry in read if entry is not None]


def _entries(entries: object) -> Sequence[object]:
    if not isinstance(entries, Sequence) or isinstance(entries, str):
        return ()
    return cast("Sequence[object]", entries)[-MOST_REPLAYED:]


def _entry(entry: Mapping[str, object]) -> Said | OwedCall | None:
    call_id, name, arguments = entry.get("call_id"), entry.get("name"), entry.get("arguments")
    if isinstance(call_id, str) and isinstance(name, str) and call_id and name:
        if isinstance(arguments, Mapping):
            arguments = json.dumps(dict(cast("Mapping[str, object]", arguments)))
        return OwedCall(call_id, name, arguments if isinstance(arguments, str) else "{}")
    role, text = entry.get("role"), entry.get("text")
    if isinstance(role, str) and role in _ROLES and isinstance(text, str) and text.strip():
        return Said(_ROLES[role], text[:MOST_REPLAYED_CHARS])
    return None


@dataclass(frozen=True, slots=True)
class Mark:
    """How far the conversation is: entries of ours and of the caller's. The model's own do not count."""

    ours: int = 0
    callers: int = 0

    def reaches(self, other: "Mark") -> bool:
        """Whether whoever has read this far has read as far as `other`. Neither order between the two is known."""
        return self.ours >= other.ours and self.callers >= other.callers

    def join(self, other: "Mark | None") -> "Mark":
        """As far as both."""
        return self if other is None else Mark(max(self.ours, other.ours), max(self.callers, other.callers))


class History:
    """What is in the conversation, as far as it must be known."""

    def __init__(self) -> None:
        self._taken = Mark()
        self._sent: OrderedDict[str, None] = OrderedDict()
        self._turns: OrderedDict[str, None] = OrderedDict()
        self._forgotten: OrderedDict[str, None] = OrderedDict()
        self._answered: OrderedDict[str, None] = OrderedDict()
        self._replaying: dict[str, str] | None = None
        self._kept: list[str] = []

    @property
    def taken(self) -> Mark:
        """What a response that begins now has read: what the service has taken (or refused)."""
        return self._taken

    @property
    def known(self) -> Mark:
        """All that we know of: what it will have taken when everything that was sent has arrived."""
        return Mark(self._taken.ours + len(self._sent), self._taken.callers)

    def send(self, item_id: str) -> None:
        """An item of ours is on its way."""
        self._sent[item_id] = None

    def take(self, item: Item) -> Literal["ours", "caller"] | None:
        """The service has added an item; whose it is, or None where it is the model's or no news."""
        if self._settle(item.item_id, kept=True):
            return "ours"
        if item.role != "user" or item.item_id in self._turns:
            return None
        _remember(self._turns, item.item_id)
        self._taken = Mark(self._taken.ours, self._taken.callers + 1)
        return "caller"

    def refuse(self, item_id: str) -> None:
        """The service has refused an item of ours, if it was one."""
        self._settle(item_id, kept=False)

    def _settle(self, item_id: str, *, kept: bool) -> bool:
        if item_id not in self._sent:
            return False
        del self._sent[item_id]
        self._taken = Mark(self._taken.ours + 1, self._taken.callers)
        call_id = self._replaying.pop(item_id, "") if self._replaying is not None else ""
        if kept and call_id:
            self._kept.append(call_id)
        return True

    # --- what is gone and what is given ------------------------------------------------------------------------------

    def forget(self, item_id: str) -> None:
        """The item is taken out: nothing more of it is news."""
        _remember(self._forgotten, item_id)

    def is_forgotten(self, item_id: str) -> bool:
        """Whether it was taken out."""
        return item_id in self._forgotten

    def owe(self, call_id: str) -> None:
        """The model issued a call under this id: an output is owed, even where an older call had the same id."""
        self._answered.pop(call_id, None)

    def answer(self, call_id: str) -> bool:
        """A call gets its output; False where it had one: there is no second."""
        if call_id in self._answered:
            return False
        _remember(self._answered, call_id)
        return True

    # --- carrying an old session on ----------------------------------------------------------------------------------

    def replay(self, call_ids: Mapping[str, str]) -> None:
        """These items (id, and the call's id or "") carry an old session on."""
        self._replaying = dict(call_ids)

    def carried_on(self) -> tuple[str, ...] | None:
        """The ids of the calls kept, once, when every replayed item is taken or refused."""
        if self._replaying is None or self._replaying:
            return None
        self._replaying = None
        return tuple(self._kept)


def _remember(seen: OrderedDict[str, None], key: str) -> None:
    seen[key] = None
    while len(seen) > MOST_REMEMBERED:
        seen.popitem(last=False)
