"""What was said in one room of a text channel, as its model is told it in each round."""

from collections.abc import Container
from itertools import islice

from voice_hitl.chat import ChatCall, ChatItem, ChatMessage, ChatResult

LONGEST = 400
"""Items that are kept; the oldest turns are forgotten first, whole."""

CUT = '{"error": "This call was cut before it ended."}'
"""The result of a call whose turn was cancelled: a conversation in which a call has none is refused by providers."""


class Conversation:
    """The items of one room, in order; every call in it has its result behind it."""

    def __init__(self) -> None:
        self._items: list[ChatItem] = []

    @property
    def items(self) -> tuple[ChatItem, ...]:
        """All of it, oldest first."""
        return tuple(self._items)

    def user_said(self, text: str) -> None:
        """A message to the model."""
        self._items.append(ChatMessage("user", text))
        while len(self._items) > LONGEST:
            self._forget_oldest_turn()

    def answered(self, text: str, calls: list[ChatCall], results: dict[str, str]) -> None:
        """A round: what the model said, its calls, and their results."""
        if text:
            self._items.append(ChatMessage("assistant", text))
        self._items.extend(calls)
        self._items.extend(ChatResult(call.call_id, results.get(call.call_id, CUT)) for call in calls)

    def told(self, text: str) -> None:
        """Something that nobody says: what a call came to that was written, not issued."""
        self._items.append(ChatMessage("system", text))

    def _forget_oldest_turn(self) -> None:
        del self._items[0]
        while self._items and not _begins_turn(self._items[0]):
            del self._items[0]


class Conversations:
    """The conversations of a channel's rooms; of too many, those that rest longest are forgotten.

    Args:
        most: How many are kept; more only while they are in use.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._by_room: dict[str, Conversation] = {}  # the one used last comes last

    def of(self, room_id: str, *, in_use: Container[str]) -> Conversation:
        """The conversation of this room, which is used now. The rooms `in_use` are used, too."""
        found = self._by_room.pop(room_id, None) or Conversation()
        too_many = max(0, len(self._by_room) + 1 - self._most)
        for resting in list(islice((each for each in self._by_room if each not in in_use), too_many)):
            self.forget(resting)
        self._by_room[room_id] = found
        return found

    def forget(self, room_id: str) -> None:
        """Forget what was said in this room, if anything was."""
        self._by_room.pop(room_id, None)


def _begins_turn(item: ChatItem) -> bool:
    return isinstance(item, ChatMessage) and item.role == "user"
