"""The process of an engine: reads how to load it, then one piece of work after another. See `EngineProcess`."""

import os
import pickle
import sys
from collections.abc import Callable
from typing import IO, cast


def main() -> None:
    """Serve the process that started this one, until it closes the pipe or is gone."""
    stand_back()
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever a library prints is no reply
    serve(sys.stdin.buffer, replies)


def stand_back() -> None:
    """Leave real time to the calls, where they run in it: work that takes a second would hold up frames there."""
    if sys.platform == "linux":
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def serve(requests: IO[bytes], replies: IO[bytes]) -> None:
    """Load the engine that the first message names, do the work in every other one; reply whether it was done."""
    work: Callable[[object], object] | None = None
    while True:
        try:
            message = pickle.load(requests)
        except EOFError:
            return
        reply: tuple[bool, object] = True, None
        try:
            if work is None:
                work = cast("Callable[[], Callable[[object], object]]", message)()
            else:
                reply = True, work(message)
        except Exception as error:  # noqa: BLE001 - the border to the engine: whatever it raises is told to who waits
            reply = False, str(error) or type(error).__name__
        pickle.dump(reply, replies)
        replies.flush()


if __name__ == "__main__":
    main()
