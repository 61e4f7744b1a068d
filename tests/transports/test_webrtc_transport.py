import re
from dataclasses import dataclass

import pytest
from aiortc import RTCConfiguration, RTCPeerConnection
from aiortc.mediastreams import AudioStreamTrack

from tests.transports.webrtc_agent import RATE
from voice_hitl.errors import InvalidOffer
from voice_hitl.transport import CallRejected, Incoming, LegInfo
from voice_hitl_webrtc import Caller, WebRTCOffer, WebRTCTransport, ice, sdp

pytestmark = pytest.mark.anyio


async def an_offer() -> WebRTCOffer:
    peer = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    peer.addTrack(AudioStreamTrack())
    await ice.gather(peer)
    await peer.setLocalDescription(await peer.createOffer())
    offer = WebRTCOffer(sdp=peer.localDescription.sdp, caller=Caller("ann"), call_id="c1")
    await peer.close()
    return offer


async def test_an_offer_is_answered_on_its_own_and_knows_its_answer() -> None:
    transport = WebRTCTransport()
    offer = await an_offer()
    leg = await transport.accept(offer, rate=24_000)
    assert offer.answer is not None
    assert sdp.audio(sdp.read(offer.answer)).direction == "sendrecv"
    assert offer.leg is leg
    with pytest.raises(ValueError, match="accepted already"):
        await transport.accept(offer, rate=24_000)
    await leg.aclose()


async def test_an_offer_without_opus_is_refused_and_leaves_no_leg() -> None:
    offer = await an_offer()
    offer.sdp = re.sub(r"a=rtpmap:96 opus/48000/2\r\n", "", offer.sdp).replace("SAVPF 96", "SAVPF")
    with pytest.raises(InvalidOffer, match="no Opus"):
        await WebRTCTransport().accept(offer, rate=RATE)
    assert offer.leg is not None
    assert offer.leg.ended


async def test_an_offer_that_aiortc_trips_over_is_an_invalid_offer() -> None:
    offer = await an_offer()
    offer.sdp = offer.sdp.replace("a=rtcp-mux\r\n", "")
    with pytest.raises(InvalidOffer, match="cannot be used"):
        await WebRTCTransport().accept(offer, rate=RATE)


async def test_a_closed_transport_accepts_nothing() -> None:
    transport = WebRTCTransport()
    await transport.aclose()
    with pytest.raises(CallRejected):
        await transport.accept(await an_offer(), rate=RATE)


async def test_a_call_of_another_transport_is_the_programmers_mistake() -> None:
    @dataclass
    class Foreign:
        info: LegInfo

    foreign: Incoming = Foreign(LegInfo(call_id="x"))
    with pytest.raises(TypeError, match="Foreign"):
        await WebRTCTransport().accept(foreign, rate=RATE)


async def test_a_rate_that_cannot_be_had_is_refused() -> None:
    with pytest.raises(ValueError, match="not 44100"):
        await WebRTCTransport().accept(await an_offer(), rate=44_100)
