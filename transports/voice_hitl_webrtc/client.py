"""Placing a call over WebRTC, as a browser's page would: for checks, tests and programs that call an agent."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import cast
from urllib.parse import urlsplit
from uuid import uuid4

import anyio.to_thread
from aiortc import RTCPeerConnection, RTCSessionDescription

from voice_hitl.errors import InvalidOffer
from voice_hitl.transport import CallRejected, LegInfo
from voice_hitl_webrtc import ice, sdp
from voice_hitl_webrtc.direct import DirectMedia
from voice_hitl_webrtc.ice import IceServer
from voice_hitl_webrtc.leg import CONNECT_WITHIN_S, LOST_AFTER_S, WebRTCLeg
from voice_hitl_webrtc.media import MediaPath, OpenMedia
from voice_hitl_webrtc.messages import LABEL
from voice_hitl_webrtc.relay import Exchange, Relay, losing

MAX_ANSWER = 4 * sdp.MAX_BYTES


async def call(
    url: str,
    *,
    rate: int = 16_000,
    ice_servers: Sequence[IceServer | str] = (),
    headers: Mapping[str, str] | None = None,
    fields: Mapping[str, object] | None = None,
    call_id: str = "",
    within_s: float = 10.0,
    lost_after_s: float = LOST_AFTER_S,
    open_media: OpenMedia = DirectMedia,
    loss: float = 0.0,
) -> WebRTCLeg:
    """Call whoever answers offers at `url`; return the leg as soon as the offer was answered.

    `headers` and `fields` (beside `sdp`, `type` and `call_id`) go into the request. `loss`: the share of the packets
    (0.05: one in twenty) that a relay in this process loses, each way, to see how the call bears it.

    Raises `CallRejected` with the HTTP status where the call is refused, `ConnectionError` where nobody answers within
    `within_s`, `InvalidOffer` where the answer is none.
    """
    call_id = call_id or uuid4().hex

    async def exchange(offer: str) -> str:
        request = {**(fields or {}), "sdp": offer, "type": "offer", "call_id": call_id}
        return await anyio.to_thread.run_sync(
            partial(_post, url, request, headers or {}, within_s), abandon_on_cancel=True
        )

    info = LegInfo(call_id=call_id, direction="outgoing", to=url)
    return await place(
        exchange,
        info,
        rate=rate,
        ice_servers=ice_servers,
        lost_after_s=lost_after_s,
        open_media=open_media,
        network=Relay(losing(loss)) if loss else None,
    )


async def place(
    exchange: Exchange,
    info: LegInfo,
    *,
    rate: int = 16_000,
    ice_servers: Sequence[IceServer | str] = (),
    lost_after_s: float = LOST_AFTER_S,
    connect_within_s: float = CONNECT_WITHIN_S,
    open_media: OpenMedia = DirectMedia,
    network: Relay | None = None,
) -> WebRTCLeg:
    """Place a call by a way of your own: `exchange` takes the SDP of the offer and gives that of the answer.

    `network`: a relay that the call goes through, closed when the call is over.

    Raises what `exchange` raises, and `InvalidOffer` where the answer is none.
    """
    peer = RTCPeerConnection(ice.configuration(ice_servers))
    leg = WebRTCLeg(
        peer,
        open_media,
        info,
        rate=rate,
        lost_after_s=lost_after_s,
        connect_within_s=connect_within_s,
        on_closed=network.close if network is not None else lambda: None,
    )
    if network is not None:
        exchange = network.between(exchange)
    try:
        leg.open_messages(LABEL)
        await ice.gather(peer)
        await peer.setLocalDescription(_offer(await peer.createOffer(), leg.media))
        answer = await exchange(peer.localDescription.sdp)
        description = sdp.read(answer)
        await sdp.set_remote(peer, answer, "answer")
        leg.begin(peer.getTransceivers()[0], sdp.audio(description), messages=sdp.has_data_channel(description))
    except BaseException:
        await leg.aclose()
        raise
    return leg


def _offer(made: RTCSessionDescription, media: MediaPath) -> RTCSessionDescription:
    """The offer that aiortc made, with what the media path takes."""
    description = sdp.read(made.sdp)
    media.offer(sdp.audio(description))
    return RTCSessionDescription(str(description), made.type)


def _post(url: str, request: Mapping[str, object], headers: Mapping[str, str], within_s: float) -> str:
    """Post an offer; return the SDP of the answer. Blocks."""
    target = urlsplit(url)
    if target.scheme not in {"http", "https"} or not target.hostname:
        raise ValueError(f"{url!r} is no address to call: it begins with http:// or https:// and a host")
    open_connection = HTTPSConnection if target.scheme == "https" else HTTPConnection
    connection = open_connection(target.hostname, target.port, timeout=within_s)
    path = (target.path or "/") + (f"?{target.query}" if target.query else "")
    try:
        connection.request("POST", path, json.dumps(request), {"Content-Type": "application/json", **headers})
        response = connection.getresponse()
        status, body = response.status, response.read(MAX_ANSWER)
    except (OSError, HTTPException) as error:
        raise ConnectionError(f"nobody answers calls at {url} ({error}): is it running?") from error
    finally:
        connection.close()
    fields = _fields(body)
    if status != 200:
        raise CallRejected(status, str(fields.get("error") or f"{url} refused the call ({status})"))
    answer = fields.get("sdp")
    if not isinstance(answer, str):
        raise InvalidOffer(f"{url} does not answer calls: there is no sdp in its response")
    return answer


def _fields(body: bytes) -> dict[str, object]:
    try:
        found: object = json.loads(body)
    except ValueError:
        return {}
    return cast("dict[str, object]", found) if isinstance(found, dict) else {}
