"""`Record`: what came, in order, each to be expected once. It makes the stand-ins strict."""

import re
from collections import deque
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

import anyio

from voice_hitl.tasks import Mailbox

T = TypeVar("T")

WITHIN_S = 10.0
"""Seconds to wait for what is expected, unless said otherwise. In virtual time they cost nothing."""

_CONTEXT = 5


class Record(Generic[T]):
    """What came, in order, each to be expected once.

    Args:
        of: Who it came to, as it begins a sentence: "the connection", "the caller".
    """

    def __init__(self, of: str) -> None:
        self._of = of
        self._unread: Mailbox[T] = Mailbox()
        self._left: deque[T] = deque()
        self._before: deque[T] = deque(maxlen=_CONTEXT)

    def add(self, item: T) -> None:
        """Something came."""
        self._left.append(item)
        self._unread.put(item)

    async def expect(self, wanted: str, differs: Callable[[T], list[str]], *, within_s: float = WITHIN_S) -> T:
        """Return the next item, which must be the one wanted.

        Args:
            wanted: What is expected, for the message.
            differs: In what an item is not what is wanted; nothing: it is.
            within_s: How long to wait for it, in seconds of the loop's clock.

        Raises:
            AssertionError: Something else came, or nothing did.
        """
        with anyio.move_on_after(within_s):
            item = await self._unread.get()
            self._left.popleft()
            wrong = differs(item)
            if wrong:
                reasons = "".join(f"\n    {reason}" for reason in wrong)
                raise AssertionError(
                    f"{self._of} was to get\n    {wanted}\nbut got\n    {item}\n{self._history()}because{reasons}"
                )
            self._before.append(item)
            return item
        raise AssertionError(
            f"{self._of} was to get\n    {wanted}\nbut got nothing in {within_s:g} s\n{self._history()}"
        )

    async def expect_nothing(self, *, for_s: float) -> None:
        """Wait so many seconds of the loop's clock, in which nothing must come; `AssertionError` otherwise."""
        with anyio.move_on_after(for_s):
            item = await self._unread.get()
            raise AssertionError(
                f"{self._of} was to get nothing for {for_s:g} s but got\n    {item}\n{self._history()}"
            )

    def done(self, *, unless: Callable[[T], bool] = lambda _item: False) -> None:
        """Everything that came must have been expected, but for what `unless` excuses; `AssertionError` otherwise."""
        left = [item for item in self._left if not unless(item)]
        if left:
            items = "".join(f"\n    {item}" for item in left)
            raise AssertionError(f"{self._of} got what nobody expected:{items}\n{self._history()}")

    def _history(self) -> str:
        if not self._before:
            return "nothing came before that\n"
        return "before that, as expected:" + "".join(f"\n    {item}" for item in self._before) + "\n"


def differences(wanted: Mapping[str, object], came: Mapping[str, object]) -> list[str]:
    """In what `came` is not as `wanted`, a sentence each. A compiled pattern is searched for in the text."""
    return [
        f"{name} was to be {_show(value)} but is {came[name]!r}" if name in came else f"there is no {name}"
        for name, value in wanted.items()
        if name not in came or not _fits(value, came[name])
    ]


def show(name: str, fields: Mapping[str, object]) -> str:
    """An expectation in words: `Said(text='hello')`."""
    return f"{name}({', '.join(f'{key}={_show(value)}' for key, value in fields.items())})"


def _fits(wanted: object, came: object) -> bool:
    if isinstance(wanted, re.Pattern):
        return isinstance(came, str) and wanted.search(came) is not None
    return wanted == came


def _show(value: object) -> str:
    return f"/{value.pattern}/" if isinstance(value, re.Pattern) else repr(value)
