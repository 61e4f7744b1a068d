"""The event loop itself: its clock, its timers, a call on it, and a signal that crosses loops and threads."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial

Loop = asyncio.AbstractEventLoop
"""An event loop, named here so that nobody else needs asyncio to say so."""


class Latch:
    """A one-shot signal that any thread may set and that tasks of any event loop may wait for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._set = False
        self._waiters: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []

    @property
    def is_set(self) -> bool:
        """Whether the signal was given."""
        return self._set

    def set(self) -> None:
        """Give the signal; waiters of this thread's loop wake in this tick, others as soon as their loop runs."""
        with self._lock:
            self._set = True
            waiters, self._waiters = self._waiters, []
        if not waiters:
            return
        try:
            here: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:
            here = None
        for loop, future in waiters:
            if loop is here:
                _resolve(future)
            else:
                _soon(loop, partial(_resolve, future))

    async def wait(self) -> None:
        """Wait for the signal; returns at once when it was given."""
        if self._set:
            return
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        entry = (loop, future)
        with self._lock:
            if self._set:
                return
            self._waiters.append(entry)
        try:
            await future
        except BaseException:
            with self._lock:
                if entry in self._waiters:
                    self._waiters.remove(entry)
            raise


def _resolve(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)


class Timer:
    """Calls a function once at a time of the event loop's clock, unless cancelled first. Any thread may cancel."""

    def __init__(self, delay_s: float, call: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._handle = self._loop.call_later(delay_s, call)

    def cancel(self) -> None:
        """Do not call; harmless once called."""
        if threading.get_ident() == self._thread:
            self._handle.cancel()
        else:
            _soon(self._loop, self._handle.cancel)


def current_time() -> float:
    """The running loop's monotonic clock, in seconds (virtual in tests)."""
    return asyncio.get_running_loop().time()


def on_loop() -> bool:
    """Whether the calling thread is running an event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def call_on(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    """Run `call` on `loop`: at once when this is its thread, else as soon as it runs."""
    try:
        here = asyncio.get_running_loop() is loop
    except RuntimeError:
        here = False
    if here:
        call()
    else:
        _soon(loop, call)


def _soon(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    """Run `call` as soon as another thread's loop runs; never, where that has closed, perhaps just now."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(call)


def this_loop() -> asyncio.AbstractEventLoop:
    """The running event loop, to hand to `call_on` later."""
    return asyncio.get_running_loop()
