"""The items of the conversation: which are ours, what the service has taken, what is gone. Pure."""

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


def replayed(metadata: Mapping[str, object]) -> list[Said | OwedCall]:
    """What a renewed session is told: `metadata["history"]`, without what is malformed.

    Its entries are `{"role", "text"}` (`user`, `assistant`, `system`), or `{"call_id", "name", "arguments"}` for a call
    that is owed its output.
    """
    entries = metadata.get("history")
    if not isinstance(entries, Sequence) or isinstance(entries, str):
        return []
    newest = cast("Sequence[object]", entries)[-MOST_REPLAYED:]
    read = (_entry(cast("Mapping[str, object]", entry)) for entry in newest if isinstance(entry, Mapping))
    return [entry for entry in read if entry is not None]


def _entry(entry: Mapping[str, object]) -> Said | OwedCall | None:
    call_id, name, arguments = entry.get("call_id"), entry.get("name"), entry.get("arguments")
    if isinstance(call_id, str) and isinstance(name, str) and isinstance(arguments, str) and call_id and name:
        return OwedCall(call_id, name, arguments)
    role, text = entry.get("role"), entry.get("text")
    if isinstance(role, str) and role in _ROLES and isinstance(text, str) and text.strip():
        return Said(_ROLES[role], text[:MOST_REPLAYED_CHARS])
    return None


class History:
    """What is in the conversation, as far as it must be known."""

    def __init__(self) -> None:
        self._taken = 0
        self._sent: OrderedDict[str, None] = OrderedDict()
        self._turns: OrderedDict[str, None] = OrderedDict()
        self._forgotten: OrderedDict[str, None] = OrderedDict()
        self._answered: OrderedDict[str, None] = OrderedDict()
        self._replaying: dict[str, str] | None = None
        self._kept: list[str] = []

    @property
    def taken(self) -> int:
        """How many entries the service has taken that a new response reads: ours and the caller's, not the model's."""
        return self._taken

    @property
    def length(self) -> int:
        """How many there will be when everything that was sent is taken."""
        return self._taken + len(self._sent)

    def send(self, item_id: str) -> None:
        """An item of ours is on its way."""
        self._sent[item_id] = None

    def take(self, item: Item) -> Literal["ours", "caller"] | None:
        """The service has added an item; whose it is, or None where it is the model's or no news."""
        if item.item_id in self._sent:
            del self._sent[item.item_id]
            self._taken += 1
            self._settle_replayed(item.item_id, kept=True)
            return "ours"
        if item.role != "user" or item.item_id in self._turns:
            return None
        _remember(self._turns, item.item_id)
        self._taken += 1
        return "caller"

    def refuse(self, item_id: str) -> bool:
        """The service has refused an item of ours; whether there was one."""
        if item_id not in self._sent:
            return False
        del self._sent[item_id]
        self._settle_replayed(item_id, kept=False)
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

    def _settle_replayed(self, item_id: str, *, kept: bool) -> None:
        if self._replaying is None:
            return
        call_id = self._replaying.pop(item_id, "")
        if kept and call_id:
            self._kept.append(call_id)


def _remember(seen: OrderedDict[str, None], key: str) -> None:
    seen[key] = None
    while len(seen) > MOST_REMEMBERED:
        seen.popitem(last=False)
