import json

import pytest
from aiortc import RTCConfiguration, RTCPeerConnection
from aiortc.mediastreams import AudioStreamTrack
from httpx import ASGITransport, AsyncClient, Response
from starlette.applications import Starlette

from tests.transports.webrtc_agent import RATE, authorize
from voice_hitl.transport import CallRejected, Incoming
from voice_hitl_webrtc import WebRTCLeg, WebRTCTransport, ice, sdp

pytestmark = pytest.mark.anyio


class Desk:
    """A transport behind its route, and what it took."""

    def __init__(self) -> None:
        self.transport = WebRTCTransport(authorize=authorize)
        self.legs: list[WebRTCLeg] = []
        self.transport.listen(self.take)

    async def take(self, incoming: Incoming) -> None:
        self.legs.append(await self.transport.accept(incoming, rate=RATE))

    async def post(self, content: bytes | str, name: str | None = "ann") -> Response:
        app = Starlette(routes=[*self.transport.routes("/call")])
        async with AsyncClient(transport=ASGITransport(app), base_url="http://desk") as client:
            return await client.post("/call", content=content, headers={"x-name": name} if name else {})

    async def offer(self, **fields: object) -> Response:
        return await self.post(json.dumps({"type": "offer", "sdp": await an_offer(), **fields}))


async def an_offer() -> str:
    peer = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    peer.addTrack(AudioStreamTrack())
    await ice.gather(peer)
    await peer.setLocalDescription(await peer.createOffer())
    offer = peer.localDescription.sdp
    await peer.close()
    return offer


def why(response: Response) -> str:
    return str(response.json()["error"])


async def test_an_offer_is_answered_with_an_sdp_and_a_call_id() -> None:
    desk = Desk()
    response = await desk.offer()
    assert response.status_code == 200
    answer = response.json()
    assert set(answer) == {"sdp", "type", "call_id"}
    assert answer["type"] == "answer"
    assert answer["call_id"] == desk.legs[0].info.call_id
    audio = sdp.audio(sdp.read(answer["sdp"]))
    assert [codec.name.lower() for codec in audio.rtp.codecs] == ["opus"]
    assert audio.rtp.codecs[0].parameters["useinbandfec"] == 1
    await desk.transport.aclose()


async def test_nobody_calls_who_is_not_authorized() -> None:
    response = await Desk().post(b"whatever", name=None)
    assert (response.status_code, "sign in" in why(response)) == (401, True)


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"[" * 50_000, "no JSON"),
        (b'{"sdp": "v=0", "call_id": "\\ud800"}', "no JSON"),
        (b"[1]", "no JSON object"),
        (b"{}", "no text sdp"),
        (b'{"sdp": 3}', "no text sdp"),
        (b'{"sdp": "v=0", "type": "answer"}', "of type 'answer'"),
        (b'{"sdp": "v=0", "call_id": 7}', "call_id"),
        (json.dumps({"sdp": "v=0", "call_id": "x" * 129}).encode(), "call_id"),
        (b'{"sdp": "hello"}', "no SDP"),
        (b'{"sdp": "v=0\\r\\nm=audio\\r\\n"}', "cannot be read"),
        (b'{"sdp": "v=0\\r\\ns=-\\r\\n"}', "no audio"),
    ],
)
async def test_what_is_no_offer_is_refused_with_what_to_send(body: bytes, hint: str) -> None:
    response = await Desk().post(body)
    assert response.status_code == 400
    assert hint in why(response)


async def test_an_offer_too_large_is_not_even_read() -> None:
    response = await Desk().post(json.dumps({"sdp": "v=0\r\n" + "a=x\r\n" * 40_000}))
    assert (response.status_code, "at most" in why(response)) == (413, True)


async def test_a_second_offer_on_a_live_call_is_refused() -> None:
    desk = Desk()
    assert (await desk.offer(call_id="mine")).status_code == 200
    second = await desk.offer(call_id="mine")
    assert (second.status_code, "call mine is live" in why(second)) == (409, True)
    assert (await desk.offer(call_id="another")).status_code == 200
    await desk.transport.aclose()


async def test_a_call_that_was_hung_up_may_be_made_again() -> None:
    desk = Desk()
    await desk.offer(call_id="mine")
    await desk.legs[0].hang_up()
    assert (await desk.offer(call_id="mine")).status_code == 200
    await desk.transport.aclose()


async def test_a_call_nobody_takes_is_refused() -> None:
    desk = Desk()
    desk.transport.listen(None)
    response = await desk.offer()
    assert (response.status_code, "try again later" in why(response)) == (503, True)

    async def ignore(_incoming: Incoming) -> None:
        """Neither take the call nor refuse it."""

    desk.transport.listen(ignore)
    assert (await desk.offer()).status_code == 503


async def test_a_refusal_keeps_its_code_and_its_words() -> None:
    desk = Desk()

    async def refuse(_incoming: Incoming) -> None:
        raise CallRejected(486, "busy here")

    desk.transport.listen(refuse)
    response = await desk.offer()
    assert (response.status_code, why(response)) == (486, "busy here")


async def test_a_call_refused_after_it_was_accepted_leaves_no_leg() -> None:
    desk = Desk()

    async def change_its_mind(incoming: Incoming) -> None:
        await desk.take(incoming)
        raise CallRejected(503, "the model cannot be reached")

    desk.transport.listen(change_its_mind)
    assert (await desk.offer(call_id="mine")).status_code == 503
    assert desk.legs[0].ended
    desk.transport.listen(desk.take)
    assert (await desk.offer(call_id="mine")).status_code == 200
    await desk.transport.aclose()


async def test_there_is_no_route_without_saying_who_may_call() -> None:
    with pytest.raises(ValueError, match="authorize"):
        WebRTCTransport().routes()
