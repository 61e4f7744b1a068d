"""Being asked to end: Ctrl-C and a polite kill."""

import signal
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager

import anyio


@contextmanager
def end_signals() -> Generator[Callable[[], Awaitable[None]]]:
    """Take Ctrl-C and a polite kill for a wish to end; gives what waits for one."""
    if sys.platform == "win32":
        yield anyio.sleep_forever  # Ctrl-C cancels it: the loop there takes no signals
        return
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:

        async def asked_to_end() -> None:
            async for _ in signals:
                return

        yield asked_to_end
