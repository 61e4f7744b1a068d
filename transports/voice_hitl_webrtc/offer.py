"""A call that wants to come in over WebRTC: who it is, and its SDP."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from voice_hitl.transport import LegInfo
from voice_hitl_webrtc.leg import WebRTCLeg

if TYPE_CHECKING:
    from starlette.requests import Request


@dataclass(frozen=True, slots=True)
class Caller:
    """Who the application says is calling, from the request that brought the offer."""

    participant_id: str
    room_id: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    """Whatever the session should know of the call; becomes the `headers` of the leg."""


Authorize = Callable[["Request"], Awaitable[Caller | None]]
"""Says who is calling by the request that brings the offer; None: nobody who may."""


@dataclass(slots=True, kw_only=True)
class WebRTCOffer:
    """An incoming call: `WebRTCTransport.accept` answers it."""

    sdp: str
    caller: Caller
    call_id: str
    answer: str | None = None
    """The SDP that answers it, once accepted."""
    leg: WebRTCLeg | None = None
    """The leg it became."""

    @property
    def info(self) -> LegInfo:
        """Where the call comes from."""
        return LegInfo(
            call_id=self.call_id,
            from_=self.caller.participant_id,
            participant_id=self.caller.participant_id,
            room_id=self.caller.room_id,
            headers=self.caller.metadata,
        )

    @property
    def may_be_replaced(self) -> bool:
        """Whether its caller may come back with a new offer: its leg has vanished or is over."""
        return self.leg is not None and (self.leg.lost or self.leg.ended)
