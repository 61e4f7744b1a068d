"""Answering calls over WebRTC: an SDP offer in, an SDP answer out, and a leg for whoever took the call."""

from collections.abc import Sequence
from typing import TYPE_CHECKING
from uuid import uuid4

from aiortc import RTCPeerConnection, RTCRtpTransceiver
from aiortc.mediastreams import MediaStreamTrack

from voice_hitl.transport import CallRejected, Incoming, OnIncoming
from voice_hitl_webrtc import ice, sdp
from voice_hitl_webrtc.direct import DirectMedia
from voice_hitl_webrtc.ice import IceServer
from voice_hitl_webrtc.leg import CONNECT_WITHIN_S, LOST_AFTER_S, WebRTCLeg
from voice_hitl_webrtc.media import OpenMedia
from voice_hitl_webrtc.offer import Authorize, Caller, WebRTCOffer

if TYPE_CHECKING:
    from starlette.routing import Route


class WebRTCTransport:
    """Calls come in over WebRTC, from a browser's page or another program.

    Args:
        ice_servers: STUN and TURN servers, for callers behind a NAT. None is needed on one network.
        authorize: asked for every offer that comes by `routes`; without it there are no routes, only `answer`.
        lost_after_s: no packet of the far end for so long while it should send: the leg is lost.
        connect_within_s: how long after the answer the connection may take to stand.
        open_media: another way to carry the audio (see `media.py`).
    """

    name = "webrtc"

    def __init__(
        self,
        ice_servers: Sequence[IceServer | str] = (),
        authorize: Authorize | None = None,
        *,
        lost_after_s: float = LOST_AFTER_S,
        connect_within_s: float = CONNECT_WITHIN_S,
        open_media: OpenMedia = DirectMedia,
    ) -> None:
        self._ice = ice.configuration(ice_servers)
        self._authorize = authorize
        self._lost_after_s = lost_after_s
        self._connect_within_s = connect_within_s
        self._open_media = open_media
        self._on_incoming: OnIncoming | None = None
        self._calls: dict[str, WebRTCOffer] = {}
        self._closed = False

    def listen(self, on_incoming: OnIncoming | None) -> None:
        """Offer every incoming call to `on_incoming`; None: to nobody. A call nobody takes is refused (503)."""
        self._on_incoming = on_incoming

    def routes(self, path: str = "/offer") -> "list[Route]":
        """The route a page posts its offer to: `Starlette(routes=[*transport.routes(), ...])`.

        `POST` of `{"sdp": ..., "type": "offer"}` (and a `call_id` of the page's own, to come back to a lost call) gives
        `{"sdp", "type": "answer", "call_id"}`; 401 where `authorize` gives None, 400 for what is no offer, 413 too
        large, 409 for a second offer on a live call, 503 where nobody takes the call, or the code it was rejected with.
        Every refusal is `{"error": sentence}`.
        """
        from voice_hitl_webrtc.routes import offer_route  # noqa: PLC0415 - Starlette is needed by routes alone

        if self._authorize is None:
            raise ValueError(
                "say who may call: WebRTCTransport(authorize=...), an async function of the request that gives a Caller"
            )
        return [offer_route(path, self._authorize, self.take)]

    async def answer(self, sdp_offer: str, caller: Caller) -> str:
        """Answer an offer that came by a way of your own; return the SDP to send back.

        Raises `InvalidOffer` for what is no offer, `CallRejected` where the call is refused or nobody takes it.
        """
        return (await self.take(sdp_offer, caller)).answer or ""

    async def take(self, sdp_offer: str, caller: Caller, call_id: str = "") -> WebRTCOffer:
        """Offer a call to whoever listens; return the offer, answered. `call_id`: the page's own, to come back with.

        Raises `InvalidOffer`, and `CallRejected` (409 where this call is live, 503 where nobody takes it).
        """
        sdp.read(sdp_offer)
        if self._on_incoming is None or self._closed:
            raise CallRejected(503, "nobody takes calls here at the moment: try again later")
        offer = WebRTCOffer(sdp=sdp_offer, caller=caller, call_id=call_id or uuid4().hex)
        before = self._calls.get(offer.call_id)
        if before is not None and not (
            before.may_be_replaced and before.caller.participant_id == caller.participant_id
        ):
            raise CallRejected(409, f"call {offer.call_id} is live: hang it up first, or offer without a call_id")
        self._calls[offer.call_id] = offer
        try:
            await self._on_incoming(offer)
            if offer.answer is None:
                raise CallRejected(503, "nobody took the call: try again later")
        except BaseException:
            self._forget(offer)
            if offer.leg is not None:
                await offer.leg.aclose()
            raise
        return offer

    async def accept(self, connection: Incoming, *, rate: int) -> WebRTCLeg:
        """Answer a call. The leg is there before its connection is; its events tell. `InvalidOffer` if it cannot be.

        The leg's audio is mono int16 at `rate`.
        """
        offer = connection
        if not isinstance(offer, WebRTCOffer):
            raise TypeError(f"WebRTCTransport accepts the offers it made, not a {type(connection).__name__}")
        if self._closed:
            raise CallRejected(503, "the transport is closed")
        if offer.leg is not None:
            raise ValueError(f"call {offer.call_id} was accepted already")
        description = sdp.read(offer.sdp)
        peer = RTCPeerConnection(self._ice)
        offer.leg = leg = WebRTCLeg(
            peer,
            self._open_media,
            offer.info,
            rate=rate,
            lost_after_s=self._lost_after_s,
            connect_within_s=self._connect_within_s,
            on_closed=lambda: self._forget(offer),
        )
        try:
            await sdp.set_remote(peer, offer.sdp, "offer")
            leg.begin(
                _audio_of(peer, leg.media.track), sdp.audio(description), messages=sdp.has_data_channel(description)
            )
            await ice.gather(peer)
            await peer.setLocalDescription(await peer.createAnswer())
        except BaseException:
            await leg.aclose()
            raise
        offer.answer = peer.localDescription.sdp
        return leg

    async def aclose(self) -> None:
        """Hang up every leg and take no more calls."""
        self._closed = True
        self._on_incoming = None
        for offer in list(self._calls.values()):
            if offer.leg is not None:
                await offer.leg.aclose()

    def _forget(self, offer: WebRTCOffer) -> None:
        if self._calls.get(offer.call_id) is offer:
            del self._calls[offer.call_id]


def _audio_of(peer: RTCPeerConnection, track: MediaStreamTrack) -> RTCRtpTransceiver:
    """The transceiver that carries the call; whatever else was offered (a second stream, video) is declined."""
    for transceiver in peer.getTransceivers():
        if transceiver.sender.track is not track:
            transceiver.direction = "inactive"
    return next(transceiver for transceiver in peer.getTransceivers() if transceiver.sender.track is track)
