"""Calls that we place, against sipp as the telephone that is called."""

from collections.abc import Generator
from pathlib import Path

import anyio
import pytest

from tests.transports.sip_phone import (
    ANSWER_TO_BYE,
    OK,
    RATE,
    Answering,
    Media,
    answer,
    callee,
    event_of,
    offer,
    pause,
    pitch,
    play,
    sipp_callee,
    tone,
)
from voice_hitl.audio.frame import frame_bytes
from voice_hitl.audio.g711 import decode_ulaw
from voice_hitl.errors import CallNotAnswered, InvalidOffer
from voice_hitl.testing.ports import unused_port
from voice_hitl.transport import AudioIn, Digit, HungUp

pytestmark = pytest.mark.anyio

ACK = '<recv request="ACK"/>'
RINGING = answer("180 Ringing")
CANCEL = '<recv request="CANCEL"/>'
TERMINATED = answer("487 Request Terminated", cseq="CSeq: 1 INVITE")
BYE_OF_THEIRS = """<send retrans="500"><![CDATA[

BYE [next_url] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
From: <sip:ops@[local_ip]:[local_port]>;tag=[call_number]
To: [$caller]
Call-ID: [call_id]
CSeq: 7 BYE
Max-Forwards: 70
Content-Length: 0

]]></send>"""
WHO = (
    '<recv request="INVITE" rrs="true"><action><ereg regexp=".*" search_in="hdr" header="From:" assign_to="caller"/>'
    "</action></recv>"
)


@pytest.fixture
def media() -> Generator[Media]:
    media = Media()
    yield media
    media.socket.close()


def taken(rtp_port: int, *after: str) -> str:
    """Rings, is taken, and goes on."""
    return callee(RINGING, answer("200 OK", body=accepted(rtp_port)), ACK, *after)


def accepted(rtp_port: int) -> str:
    """What they say of their audio: their own payload types for what we offered."""
    return offer(rtp_port, digits=101)


async def test_who_is_called_hears_and_is_heard_and_presses_keys(tmp_path: Path, media: Media) -> None:
    port, rang = unused_port(), anyio.Event()
    async with Answering() as desk, sipp_callee(tmp_path, port, taken(media.port, ANSWER_TO_BYE)):
        call = await desk.transport.dial(f"sip:ops@127.0.0.1:{port}", on_ringing=rang.set)
        assert rang.is_set()
        leg = await desk.transport.accept(call, rate=RATE)
        assert (leg.info.direction, leg.info.to) == ("outgoing", f"sip:ops@127.0.0.1:{port}")
        play(leg, tone(RATE, 600), "question")
        heard, there = await media.hear_voice()
        for _ in range(20):
            heard += (await media.hear())[0]
        assert abs(pitch(decode_ulaw(heard)[1600:], 8_000) - 440) < 25
        await media.speak(tone(8_000, 600), there)
        said = b""
        while len(said) < 15 * frame_bytes(RATE):
            event = await event_of(leg, AudioIn)
            assert isinstance(event, AudioIn)
            said += event.pcm
        assert abs(pitch(said[6400:], RATE) - 440) < 30
        await media.press(1, there, payload=101)
        digit = await event_of(leg, Digit)
        assert isinstance(digit, Digit)
        assert (digit.digit, digit.duration_ms) == ("1", 100)
        await leg.hang_up()
        hung = await event_of(leg, HungUp)
        assert isinstance(hung, HungUp)
        assert hung.reason == "us"


async def test_early_media_are_not_heard(tmp_path: Path, media: Media) -> None:
    port, ringing = unused_port(), anyio.Event()
    early = answer("183 Session Progress", body=accepted(media.port))
    xml = callee(early, pause(300), answer("200 OK", body=accepted(media.port)), ACK, ANSWER_TO_BYE)
    async with Answering() as desk, sipp_callee(tmp_path, port, xml):
        call = await desk.transport.dial(f"sip:ops@127.0.0.1:{port}", on_ringing=ringing.set)
        assert ringing.is_set()
        leg = await desk.transport.accept(call, rate=RATE)
        await media.hear()
        await leg.hang_up()


async def test_who_was_called_hangs_up(tmp_path: Path, media: Media) -> None:
    port = unused_port()
    xml = taken(media.port, pause(200), BYE_OF_THEIRS, OK).replace('<recv request="INVITE"/>', WHO)
    async with Answering() as desk, sipp_callee(tmp_path, port, xml):
        call = await desk.transport.dial(f"sip:ops@127.0.0.1:{port}")
        leg = await desk.transport.accept(call, rate=RATE)
        hung = await event_of(leg, HungUp)
        assert isinstance(hung, HungUp)
        assert hung.reason == "caller"


@pytest.mark.parametrize(
    ("status", "why"),
    [
        ("486 Busy Here", "busy"),
        ("603 Decline", "declined"),
        ("404 Not Found", "no such number"),
        ("480 Temporarily Unavailable", "no answer"),
        ("500 Server Internal Error", "failed"),
    ],
)
async def test_a_call_that_is_not_taken_says_why(tmp_path: Path, status: str, why: str) -> None:
    port = unused_port()
    async with Answering() as desk, sipp_callee(tmp_path, port, callee(RINGING, answer(status), ACK)):
        with pytest.raises(CallNotAnswered) as told:
            await desk.transport.dial(f"sip:ops@127.0.0.1:{port}")
        assert (told.value.code, told.value.why) == (int(status[:3]), why)


async def test_what_rings_too_long_is_cancelled(tmp_path: Path) -> None:
    port = unused_port()
    xml = callee(RINGING, CANCEL, answer("200 OK"), TERMINATED, ACK)
    async with Answering() as desk, sipp_callee(tmp_path, port, xml):
        with pytest.raises(CallNotAnswered) as told:
            await desk.transport.dial(f"sip:ops@127.0.0.1:{port}", answer_within_s=2)
        assert told.value.why == "no answer"


async def test_cancelling_who_dials_cancels_the_call(tmp_path: Path) -> None:
    port = unused_port()
    xml = callee(RINGING, CANCEL, answer("200 OK"), TERMINATED, ACK)
    async with Answering() as desk, sipp_callee(tmp_path, port, xml):
        with anyio.CancelScope() as scope:
            await desk.transport.dial(f"sip:ops@127.0.0.1:{port}", on_ringing=scope.cancel)
        assert scope.cancelled_caught


async def test_a_call_taken_as_it_is_cancelled_is_hung_up(tmp_path: Path, media: Media) -> None:
    port = unused_port()
    yes = answer("200 OK", body=accepted(media.port), cseq="CSeq: 1 INVITE")
    xml = callee(RINGING, CANCEL, yes, ACK, ANSWER_TO_BYE)
    async with Answering() as desk, sipp_callee(tmp_path, port, xml):
        with anyio.CancelScope() as scope:
            await desk.transport.dial(f"sip:ops@127.0.0.1:{port}", on_ringing=scope.cancel)


async def test_closing_the_port_hangs_up_who_was_called(tmp_path: Path, media: Media) -> None:
    port = unused_port()
    async with sipp_callee(tmp_path, port, taken(media.port, ANSWER_TO_BYE)), Answering() as desk:
        await desk.transport.dial(f"sip:ops@127.0.0.1:{port}")


async def test_a_call_that_ended_before_it_was_accepted_cannot_be(tmp_path: Path, media: Media) -> None:
    port = unused_port()
    xml = taken(media.port, BYE_OF_THEIRS, OK).replace('<recv request="INVITE"/>', WHO)
    async with Answering() as desk:

        async def called() -> None:
            async with sipp_callee(tmp_path, port, xml):
                call = await desk.transport.dial(f"sip:ops@127.0.0.1:{port}")
            await desk.transport.accept(call, rate=RATE)

        # Their BYE may come before `dial` has returned: then it is the one that says so.
        with pytest.raises(InvalidOffer):
            await called()


async def test_only_sip_addresses_can_be_called() -> None:
    async with Answering() as desk:
        with pytest.raises(ValueError, match="sip:ops@"):
            await desk.transport.dial("+4930123456")
        with pytest.raises(CallNotAnswered, match="no address"):
            await desk.transport.dial("sip:ops@nowhere.invalid")


async def test_a_port_that_is_not_open_calls_nobody() -> None:
    desk = Answering()
    with pytest.raises(RuntimeError, match="start"):
        await desk.transport.dial("sip:ops@127.0.0.1")
    desk.legs.close()
    desk.taken.close()
