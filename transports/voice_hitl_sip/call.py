"""A call that has no leg yet: it rings here, or was taken where we called."""

from dataclasses import dataclass

from aiosipua import IncomingCall

from voice_hitl.transport import LegInfo
from voice_hitl_sip.leg import SipLeg
from voice_hitl_sip.media import Media


@dataclass(slots=True, eq=False)
class SipCall:
    """A call to be accepted: one that came in and rings, or one that we placed and that was taken (`dial`)."""

    info: LegInfo
    call: IncomingCall
    media: Media | None = None
    """Its RTP, once it runs."""
    leg: SipLeg | None = None
    over: bool = False

    async def ended(self) -> None:
        """The far end has left."""
        self.over = True
        if self.leg is not None:
            await self.leg.ended("caller")
        elif self.media is not None:
            await self.media.close()
