"""The history of the conversation: which items the service takes, and which it lets go or cut."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from voice_hitl.testing.openai.fields import Json, list_of, object_of, text_of, whole_of
from voice_hitl.testing.openai.refused import Refused, invalid, missing

MOST_ID_CHARS: Final = 32
_CALL_ID: Final = re.compile(r"[a-zA-Z0-9_-]+")
_CONTENT: Final = {"system": "input_text", "user": "input_text", "assistant": "output_text"}


@dataclass(slots=True)
class Entry:
    """One item, and what the protocol does not show of it."""

    item: dict[str, object]
    audio_ms: int = 0
    """How much audio of the model's it has."""

    @property
    def item_id(self) -> str:
        """Its id."""
        return str(self.item["id"])


class Items:
    """The conversation's items, oldest first."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}

    @property
    def shown(self) -> list[Mapping[str, object]]:
        """The items as the protocol has them."""
        return [entry.item for entry in self._entries.values()]

    @property
    def last_id(self) -> str | None:
        """The newest item's id."""
        return next(reversed(self._entries), None)

    def add(self, entry: Entry) -> None:
        """Add an item of the service's own."""
        self._entries[entry.item_id] = entry

    def has(self, item_id: str) -> bool:
        """Whether it is in the history."""
        return item_id in self._entries

    def create(self, message: Json, made_id: str) -> tuple[dict[str, object], str | None]:
        """Add what the client sent; return the item and the id of the one before it.

        Raises:
            Refused: It is not an item, or its place in the history is not there.
        """
        item = {**object_of(message, "item"), "object": "realtime.item", "status": "completed"}
        item_id = str(item.setdefault("id", made_id))
        if not 0 < len(item_id) <= MOST_ID_CHARS:
            raise _too_long("item.id", item_id)
        if item_id in self._entries:
            raise Refused("item_create_duplicate_id", f"Item with id '{item_id}' already exists.", "item.id")
        self._check(item)
        before = self._place(message.get("previous_item_id"))
        entries = list(self._entries.values())
        entries.insert(before, Entry(item))
        self._entries = {entry.item_id: entry for entry in entries}
        return item, entries[before - 1].item_id if before else None

    def _place(self, previous: object) -> int:
        if previous is None:
            return len(self._entries)
        if previous == "root":
            return 0
        if previous not in self._entries:
            raise invalid("previous_item_id", f"the item {previous!r} does not exist")
        return list(self._entries).index(str(previous)) + 1

    def _check(self, item: Json) -> None:
        match text_of(item, "type", "item."):
            case "message":
                _check_message(item)
            case "function_call":
                text_of(item, "name", "item.")
                text_of(item, "arguments", "item.")
                call_id = _check_call_id(item)
                if self._count("function_call", call_id):
                    raise invalid("item.call_id", f"the call {call_id!r} exists")
            case "function_call_output":
                self._check_output(_check_call_id(item))
                text_of(item, "output", "item.")
            case kind:
                raise invalid("item.type", f"{kind!r}")

    def _check_output(self, call_id: str) -> None:
        calls = self._count("function_call", call_id)
        if not calls:
            raise Refused("invalid_tool_call_id", f"Tool call ID '{call_id}' not found in conversation.")
        if self._count("function_call_output", call_id) >= calls:
            raise Refused("invalid_tool_call_id", f"Tool call ID '{call_id}' already has an output.")

    def _count(self, kind: str, call_id: str) -> int:
        return sum(item["type"] == kind and item.get("call_id") == call_id for item in self.shown)

    def delete(self, item_id: str) -> None:
        """Take an item out.

        Raises:
            Refused: There is none.
        """
        if item_id not in self._entries:
            why = f"Error deleting item: the item with id '{item_id}' does not exist."
            raise Refused("item_delete_invalid_item_id", why)
        del self._entries[item_id]

    def truncate(self, message: Json) -> tuple[str, int]:
        """Cut the audio of a message of the model's; return its id and how much is left.

        Raises:
            Refused: There is none, it has no audio, or the cut is at 0 or beyond its end.
        """
        item_id, end_ms = text_of(message, "item_id"), whole_of(message, "audio_end_ms")
        entry = self._entries.get(item_id)
        if entry is None:
            raise Refused("item_truncate_invalid_item_id", f"Item with item_id not found: {item_id}")
        if entry.item.get("role") != "assistant" or entry.audio_ms == 0:
            raise invalid("item_id", "Only model output audio messages can be truncated")
        if message.get("content_index") != 0:
            raise invalid("content_index", "only the part 0 has audio")
        if end_ms <= 0:
            raise invalid("audio_end_ms", "it must be greater than 0")
        if end_ms > entry.audio_ms:
            why = f"Audio content of {entry.audio_ms}ms is already shorter than {end_ms}ms"
            raise Refused("invalid_value", why, "audio_end_ms")
        entry.audio_ms = end_ms
        entry.item["content"] = [{"type": "output_audio", "transcript": ""}]
        return item_id, end_ms


def _check_call_id(item: Json) -> str:
    call_id = text_of(item, "call_id", "item.")
    if len(call_id) > MOST_ID_CHARS:
        raise _too_long("item.call_id", call_id)
    if not _CALL_ID.fullmatch(call_id):
        raise invalid("item.call_id", f"{call_id!r} does not match ^[a-zA-Z0-9_-]+$")
    return call_id


def _check_message(item: Json) -> None:
    role = text_of(item, "role", "item.")
    if role not in _CONTENT:
        raise invalid("item.role", f"{role!r}")
    content = list_of(item, "content", "item.")
    if not content:
        raise missing("item.content")
    for index, part in enumerate(content):
        where = f"item.content[{index}]."
        if not isinstance(part, dict):
            raise invalid(where.rstrip("."), "expected an object")
        known = cast("Json", part)
        if known.get("type") != _CONTENT[role]:
            raise invalid(f"{where}type", f"a message of the role {role!r} takes {_CONTENT[role]!r}")
        text_of(known, "text", where)


def _too_long(param: str, value: str) -> Refused:
    why = f"Invalid '{param}': string too long. Expected at most {MOST_ID_CHARS} characters, got {len(value)} instead."
    return Refused("string_above_max_length", why, param)
