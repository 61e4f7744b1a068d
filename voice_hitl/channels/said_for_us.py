"""What the model's own voice says for an asker: the parts that it was asked for, and those that it says."""

from collections import deque
from collections.abc import Callable

from voice_hitl.line import PartWorded
from voice_hitl.provider import Transcript


class SaidForUs:
    """Parts that the model is to say, each in a response of its own, in the order in which they were asked for.

    Args:
        tell: Takes the words of each part, once; empty words where nobody knows them.
    """

    def __init__(self, tell: Callable[[PartWorded], None]) -> None:
        self._tell = tell
        self._asked: deque[int] = deque()
        self._saying: dict[str, int] = {}
        self._items: dict[str, int] = {}
        """The items of the model's in which it says a part."""
        self._worded: set[int] = set()
        """The parts whose words were told."""
        self._unwanted = 0
        """Responses that were asked for, have not begun, and are wanted no more."""

    def ask(self, part: int) -> None:
        """The model is asked to say a part."""
        self._asked.append(part)

    def is_unwanted(self) -> bool:
        """Whether a response of ours that begins now was stopped before it began."""
        if self._unwanted:
            self._unwanted -= 1
            return True
        return False

    def began(self, response_id: str) -> int | None:
        """A response of ours begins: the part that it says, if any."""
        if not self._asked:
            return None
        self._saying[response_id] = part = self._asked.popleft()
        return part

    def ended(self, response_id: str) -> int | None:
        """A response is over: the part that it said, if any."""
        return self._saying.pop(response_id, None)

    def said(self, response_id: str, item_id: str) -> int | None:
        """Some of the model's voice: the part that it is of, if any."""
        part = self._saying.get(response_id)
        if part is not None:
            self._items[item_id] = part
        return part

    def part_of(self, item_id: str) -> int | None:
        """The part that an item of the model's says, if any."""
        return self._items.get(item_id)

    def transcribed(self, line: Transcript) -> bool:
        """The final transcript of what the model says: True where it was of a part."""
        part = self._items.get(line.item_id)
        if part is None and len(self._saying) == 1:  # its words came before its voice
            (part,) = self._saying.values()
            self._items[line.item_id] = part
        if part is not None:
            self.worded(part, line.text)
        return part is not None

    def worded(self, part: int, text: str) -> None:
        """The words of a part are these; told unless they were told already."""
        if part not in self._worded:
            self._worded.add(part)
            self._tell(PartWorded(part, text))

    def stop(self) -> set[str]:
        """Nothing of it is wanted any more; returns the responses in which parts are being said."""
        saying, self._saying = set(self._saying), {}
        self._unwanted += len(self._asked)
        self._asked.clear()
        return saying

    def lose(self) -> list[int]:
        """The connection is gone, and with it the parts that this returns: those being said, then those asked for."""
        lost = [*self._saying.values(), *self._asked]
        self._saying.clear()
        self._asked.clear()
        self._unwanted = 0
        return lost
