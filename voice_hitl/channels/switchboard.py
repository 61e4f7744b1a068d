"""`Switchboard`: several transports as one, so that one channel answers the phone and the browser."""

from dataclasses import dataclass

from voice_hitl.channels.letting_go import let_go
from voice_hitl.errors import InvalidOffer
from voice_hitl.transport import Incoming, Leg, LegInfo, OnIncoming, Transport


@dataclass(frozen=True, slots=True)
class Ringing:
    """A call that came in on one of the transports."""

    transport: Transport
    call: Incoming

    @property
    def info(self) -> LegInfo:
        """Where it comes from."""
        return self.call.info


class Switchboard:
    """A transport whose calls come in on any of these: `RealtimeVoiceChannel(..., transport=Switchboard(sip, web))`.

    Each is started, and its routes are served, as without it.
    """

    def __init__(self, *transports: Transport) -> None:
        if not transports:
            raise ValueError("a switchboard joins transports: give it at least one")
        self._transports = transports

    @property
    def name(self) -> str:
        """The names of all of them."""
        return ", ".join(transport.name for transport in self._transports)

    def listen(self, on_incoming: OnIncoming | None) -> None:
        """Offer the calls of every transport to `on_incoming`; None: to nobody."""
        for transport in self._transports:
            transport.listen(None if on_incoming is None else _from(transport, on_incoming))

    async def accept(self, connection: Incoming, *, rate: int) -> Leg:
        """Answer a call on the transport that it came in on; `InvalidOffer` for one that came in on none of them."""
        if not isinstance(connection, Ringing) or connection.transport not in self._transports:
            raise InvalidOffer(f"this is no call of the switchboard ({self.name})")
        return await connection.transport.accept(connection.call, rate=rate)

    async def aclose(self) -> None:
        """Close every transport: one that fails keeps no other one open."""
        for transport in self._transports:
            await let_go(f"closing the transport {transport.name}", transport.aclose)


def _from(transport: Transport, on_incoming: OnIncoming) -> OnIncoming:
    async def offer(call: Incoming) -> None:
        await on_incoming(Ringing(transport, call))

    return offer
