"""`EventStream`: what happens on a board as server-sent events (WHATWG HTML, 9.2), for one page."""

import json
import re
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from typing import Final, Protocol

import anyio
from starlette.types import Receive, Scope, Send

from voice_hitl.console.board import Board, Happened

_NUMBER: Final = re.compile("[0-9]{1,18}")
"""One that is longer than any that we have counted to is none of ours."""

ALIVE_S: Final = 15.0
"""How often a stream that has nothing to tell says that it is there, in seconds: proxies cut what is silent."""

COME_BACK_MS: Final = 1_000
"""After how long a page that was cut off connects again."""


class Reader(Protocol):
    """Who reads a stream."""

    @property
    def names(self) -> Collection[str]:
        """What a request's audience may call them."""
        ...

    @property
    def is_welcome(self) -> bool:
        """Whether they may still be told."""
        ...

    @property
    def watching(self) -> Mapping[str, int]:
        """How many watch in each of their roles."""
        ...


class EventStream:
    """A response that goes on for as long as its page is there.

    A page that has nothing yet, or has missed something, is told to `sync`: to read the list.

    Args:
        board: What happens.
        news: What is set when something happens next.
        reader: Who reads.
        run: Which board the numbers are of.
        last_event: The id of the last event that the page has.
        present: Counts the reader as watching, meanwhile.
    """

    def __init__(
        self,
        board: Board,
        news: Callable[[], anyio.Event],
        reader: Reader,
        *,
        run: str,
        last_event: str | None,
        present: AbstractContextManager[None],
    ) -> None:
        self._board = board
        self._news = news
        self._reader = reader
        self._run = run
        self._present = present
        run_of, _, number = (last_event or "").rpartition("-")
        self._at = int(number) if run_of == run and _NUMBER.fullmatch(number) else -1

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the page leaves, is no longer welcome, or the console closes."""
        headers = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"x-accel-buffering", b"no")]
        # Present before the page can know that its stream is open: what is asked from that instant on finds it there.
        with self._present:
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            async with anyio.create_task_group() as group:

                async def until_it_leaves() -> None:
                    while (await receive())["type"] != "http.disconnect":
                        pass
                    group.cancel_scope.cancel()

                group.start_soon(until_it_leaves)
                await self._tell(send)
                await send({"type": "http.response.body", "body": b"", "more_body": False})
                group.cancel_scope.cancel()

    async def _tell(self, send: Send) -> None:
        text = f"retry: {COME_BACK_MS}\n\n"
        watching: Mapping[str, int] = {}
        while self._reader.is_welcome:
            news = self._news()
            text += self._happened()
            if watching != self._reader.watching:
                watching = self._reader.watching
                text += f"event: presence\ndata: {json.dumps(watching)}\n\n"
            if text:
                await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
            text = ""
            with anyio.move_on_after(ALIVE_S) as silence:
                await news.wait()
            if silence.cancelled_caught:
                text = ": still here\n\n"

    def _happened(self) -> str:
        happened = self._board.since(self._at)
        self._at = self._board.last
        if happened is None:
            return f"id: {self._run}-{self._at}\nevent: sync\ndata: {{}}\n\n"
        return "".join(self._written(each) for each in happened if not each.audience.isdisjoint(self._reader.names))

    def _written(self, each: Happened) -> str:
        return f"id: {self._run}-{each.number}\nevent: {each.name}\ndata: {each.data}\n\n"
