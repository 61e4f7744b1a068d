"""A call through the relay: everything passes, but for what the network loses."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import pytest
from anyio.abc import SocketAttribute, UDPSocket

from tests.transports.webrtc_agent import RATE, Agent, Ear, agent, say, strongest_hz, tone
from voice_hitl.errors import InvalidOffer
from voice_hitl.transport import Digit, LegInfo, Message
from voice_hitl_webrtc import Caller, Relay, WebRTCLeg, call, losing, place

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def a_call(loss: float) -> AsyncGenerator[tuple[WebRTCLeg, WebRTCLeg, Ear, Ear]]:
    async with agent() as there:
        caller = await call(there.url, rate=RATE, headers={"x-name": "ann"}, loss=loss)
        at_callee = there.ear(there.legs[0])
        await caller.send_message("ready?")
        await at_callee.next(Message)
        try:
            yield caller, there.legs[0], there.ear(caller), at_callee
        finally:
            with anyio.CancelScope(shield=True):
                await caller.aclose()


async def test_a_twentieth_lost_is_recovered_both_ways_and_every_key_and_message_arrives() -> None:
    async with a_call(0.05) as (caller, callee, at_caller, at_callee):
        say(caller, tone(440, 3), "question")
        say(callee, tone(660, 3), "answer")
        await caller.press("4271#")
        assert strongest_hz(await at_callee.voice(2.5)) == pytest.approx(440, abs=5)
        assert strongest_hz(await at_caller.voice(2.5)) == pytest.approx(660, abs=5)
        await at_callee.next(Digit, 5)
        assert "".join(digit.digit for digit in at_callee.of(Digit)) == "4271#"
        for number in range(20):
            await callee.send_message(str(number))
        await at_caller.next(Message, 20)
        assert [message.text for message in at_caller.of(Message)] == [str(number) for number in range(20)]
        assert caller.counts.recovered + callee.counts.recovered > 0


async def test_a_relay_that_loses_everything_is_a_far_end_that_vanished() -> None:
    async with agent(lost_after_s=0.5) as there:
        everything = [False]
        relay = Relay(lambda: everything[0])
        caller = await a_relayed_call(there, relay)
        ear = there.ear(there.legs[0])
        await ear.until(lambda: len(ear.heard) > 10, "audio")
        everything[0] = True
        await ear.until(lambda: there.legs[0].lost, "the loss")
        assert relay.passed.lost > 0
        assert relay.passed.sent > relay.passed.lost
        await caller.aclose()


async def a_relayed_call(there: Agent, relay: Relay) -> WebRTCLeg:

    async def exchange(offer: str) -> str:
        return await there.transport.answer(offer, Caller("ann"))

    return await place(exchange, LegInfo(call_id="relayed"), rate=RATE, network=relay)


async def test_whoever_answers_reaches_the_caller_and_is_reached_before_the_answer_is_there() -> None:
    """Its first try would be lost otherwise, and the next one comes half a second later (RFC 8489 6.2.1)."""
    async with (
        await anyio.create_udp_socket(local_host="127.0.0.1") as caller,
        await anyio.create_udp_socket(local_host="127.0.0.1") as callee,
    ):

        async def exchange(offer: str) -> str:
            host, port = offer.split()[-4:-2]
            await callee.sendto(b"check", host, int(port))
            data, there = await caller.receive()
            assert data == b"check"
            await caller.sendto(b"reply", *there)
            assert (await callee.receive())[0] == b"reply"
            return described(callee)

        relay = Relay(losing(0))
        with anyio.fail_after(30):
            await relay.between(exchange)(described(caller))
        relay.close()


def described(end: UDPSocket) -> str:
    """An end's description, as far as a relay reads it."""
    port = end.extra(SocketAttribute.local_port)
    return f"v=0\r\nm=audio 9 RTP 0\r\na=candidate:1 1 udp 1 127.0.0.1 {port} typ host\r\n"


async def test_an_end_without_an_address_cannot_be_relayed() -> None:
    async def exchange(offer: str) -> str:
        return offer

    with pytest.raises(InvalidOffer, match="no IPv4 host candidate"):
        await Relay(losing(0)).between(exchange)("v=0\r\nm=audio 9 RTP 0\r\n")


@pytest.mark.parametrize("share", [-0.1, 1.0, 5.0])
def test_a_share_is_a_share(share: float) -> None:
    with pytest.raises(ValueError, match="share of packets"):
        losing(share)
