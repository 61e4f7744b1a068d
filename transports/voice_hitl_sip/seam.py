"""What we use of aiortp beyond its public interface, in one place, held by a contract test.

A session's playout has a clock of its own, a task and a timer a call; ours is one for all calls of a loop (`Beat`). The
clock is stopped, and what it would have called is called in the beat.
"""

from collections.abc import Awaitable, Callable
from typing import Protocol, cast

from aiosipua.rtp_bridge import CallSession

CLOCK = "_playout_clock"
TICK = "_playout_tick"


class _Clock(Protocol):
    def stop(self) -> Awaitable[None]: ...


async def take_over_playout(call: CallSession) -> Callable[[], None]:
    """Stop the clock of a call that has begun; what is returned gives the next 20 ms of its audio, every 20 ms."""
    session = cast("object", call.rtp_session)
    clock: _Clock = getattr(session, CLOCK)
    await clock.stop()
    tick: Callable[[], None] = getattr(session, TICK)
    return tick
