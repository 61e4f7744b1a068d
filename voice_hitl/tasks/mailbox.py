"""`Mailbox`: a queue with one reader."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from voice_hitl.errors import ConnectionEnded

T = TypeVar("T")


def _never(_item: object) -> bool:
    return False


class Mailbox(Generic[T]):
    """A queue with one reader: `put` never waits, `get` waits, `close` lets the reader finish what is there.

    `limit` bounds the items for which `droppable` says yes (audio); beyond it the oldest such item is dropped and
    counted in `dropped`. What is not droppable (a tool call, a hang-up) is never lost. Costs about 2 microseconds a
    hop. `put` and `close` belong to the reader's event loop.
    """

    def __init__(self, *, limit: int = 0, droppable: Callable[[T], bool] = _never) -> None:
        self._items: deque[T] = deque()
        self._limit = limit
        self._droppable = droppable
        self._held = 0
        self._waiter: asyncio.Future[None] | None = None
        self.closed = False
        self.dropped = 0

    def put(self, item: T) -> None:
        """Add an item; after `close` it is let go."""
        if self.closed:
            return
        if self._limit and self._droppable(item):
            if self._held >= self._limit:
                self._drop_oldest()
            self._held += 1
        self._items.append(item)
        self._wake()

    def close(self) -> None:
        """Nothing more comes: the reader gets what is left, then `ConnectionEnded`."""
        self.closed = True
        self._wake()

    async def get(self) -> T:
        """Return the next item; `ConnectionEnded` once closed and empty. One reader at a time."""
        while not self._items:
            if self.closed:
                raise ConnectionEnded("the stream is closed")
            if self._waiter is not None and not self._waiter.done():
                raise RuntimeError("a mailbox has one reader: it is being read already")
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        item = self._items.popleft()
        if self._held and self._droppable(item):
            self._held -= 1
        return item

    def __aiter__(self) -> "Mailbox[T]":
        return self

    async def __anext__(self) -> T:
        try:
            return await self.get()
        except ConnectionEnded:
            raise StopAsyncIteration from None

    def __len__(self) -> int:
        return len(self._items)

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _drop_oldest(self) -> None:
        for index, item in enumerate(self._items):
            if self._droppable(item):
                del self._items[index]
                self._held -= 1
                self.dropped += 1
                return
