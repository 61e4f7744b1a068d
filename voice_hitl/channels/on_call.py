"""`on_call`: the application decides on an incoming call before it is answered."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from voice_hitl.channels.options import SessionOverrides
from voice_hitl.tasks import BoundExceeded, run_users_code
from voice_hitl.transport import CallRejected, LegInfo

log = logging.getLogger(__name__)

DECIDE_S = 10.0
"""How long `on_call` may take, in seconds, before the caller is refused (503)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSetup:
    """What `on_call` answers for a call that is welcome. An empty room or participant: as its transport gives it."""

    room_id: str = ""
    participant_id: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict[str, object])
    overrides: SessionOverrides = field(default_factory=SessionOverrides)
    """Session overrides, as of `start_session`."""


@dataclass(frozen=True, slots=True)
class Reject:
    """What `on_call` answers for a call that is not. `code` is an HTTP or SIP status, such as 403, 486 or 503."""

    code: int
    reason: str = ""


OnCall = Callable[[LegInfo], Awaitable[CallSetup | Reject] | CallSetup | Reject]
"""Sync (it then runs in a worker thread) or async."""


async def decide(on_call: OnCall | None, info: LegInfo) -> CallSetup:
    """Ask `on_call`; without one every call is welcome.

    Raises:
        CallRejected: It is not; 500 where `on_call` failed, 503 where it took longer than `DECIDE_S`.
    """
    if on_call is None:
        return CallSetup()
    call: Callable[[], Awaitable[object] | object] = partial(on_call, info)
    try:
        decided = await run_users_code(call, label="on_call", bound_s=DECIDE_S)
    except BoundExceeded:
        log.warning("call %s was refused: on_call took longer than %g s", info.call_id, DECIDE_S)
        raise CallRejected(503, "nobody decided on the call in time") from None
    except CallRejected:
        raise
    except Exception as error:
        log.warning("call %s was refused: on_call failed", info.call_id, exc_info=error)
        raise CallRejected(500, "the call could not be decided on") from error
    match decided:
        case CallSetup():
            return decided
        case Reject(code, reason):
            raise CallRejected(code, reason)
        case _:
            kind = type(decided).__name__
            log.warning("call %s was refused: on_call gave %s, not CallSetup or Reject", info.call_id, kind)
            raise CallRejected(500, "the call could not be decided on")
