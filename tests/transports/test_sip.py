"""The SIP leg against sipp, with RTP packets made by hand."""

from collections.abc import Generator
from pathlib import Path

import anyio
import pytest

from tests.transports.sip_phone import (
    ANSWER_TO_BYE,
    BYE,
    INFO,
    OK,
    PROVISIONAL,
    RATE,
    Answering,
    Media,
    event_of,
    pause,
    pitch,
    play,
    request,
    scenario,
    sipp,
    tone,
)
from voice_hitl.audio.frame import frame_bytes
from voice_hitl.audio.g711 import decode_ulaw
from voice_hitl.transport import AudioIn, CallRejected, Digit, HungUp, Incoming, Played
from voice_hitl_sip.info import read_info

pytestmark = pytest.mark.anyio


@pytest.fixture
def media() -> Generator[Media]:
    media = Media()
    yield media
    media.socket.close()


async def test_speech_goes_both_ways_and_what_was_heard_is_told(tmp_path: Path, media: Media) -> None:
    async with Answering() as port, sipp(tmp_path, port.transport.port, scenario(media.port, pause(3000), BYE)):
        leg = await port.leg()
        assert "ann" in leg.info.from_
        play(leg, tone(RATE, 600), "greeting")
        ulaw, there = b"", ("", 0)
        for _ in range(25):
            payload, there = await media.hear()
            ulaw += payload
        assert abs(pitch(decode_ulaw(ulaw)[1600:], 8_000) - 440) < 20
        played = None
        while not (isinstance(played, Played) and played.last):
            played = await event_of(leg, Played)
        assert (played.item, played.ms) == ("greeting", 600)
        await media.speak(tone(8_000, 800), there)
        heard = b""
        while len(heard) < 20 * frame_bytes(RATE):
            event = await event_of(leg, AudioIn)
            assert isinstance(event, AudioIn)
            heard += event.pcm
        assert abs(pitch(heard[6400:], RATE) - 440) < 25
        hung = await event_of(leg, HungUp)
        assert isinstance(hung, HungUp)
        assert hung.reason == "caller"


async def test_three_end_packets_of_the_offers_payload_type_are_one_digit(tmp_path: Path, media: Media) -> None:
    async with Answering() as port, sipp(tmp_path, port.transport.port, scenario(media.port, pause(2500), BYE)):
        leg = await port.leg()
        play(leg, tone(RATE, 100), "beep")
        _, there = await media.hear()
        await media.speak(tone(8_000, 100), there)
        for digit in (4, 2):
            await media.press(digit, there)
        digits: list[str] = []
        with anyio.fail_after(30):
            while True:
                event = await leg.events().get()
                if isinstance(event, Digit):
                    digits.append(event.digit)
                if isinstance(event, HungUp):
                    break
        assert digits == ["4", "2"]


async def test_a_digit_comes_by_info_too(tmp_path: Path, media: Media) -> None:
    xml = scenario(media.port, pause(200), INFO, OK, pause(300), BYE)
    async with Answering() as port, sipp(tmp_path, port.transport.port, xml):
        leg = await port.leg()
        digit = await event_of(leg, Digit)
        assert isinstance(digit, Digit)
        assert (digit.digit, digit.duration_ms) == ("5", 200)


async def test_we_hang_up_with_a_bye(tmp_path: Path, media: Media) -> None:
    xml = scenario(media.port, ANSWER_TO_BYE)
    async with Answering() as port, sipp(tmp_path, port.transport.port, xml):
        leg = await port.leg()
        await anyio.sleep(0.2)  # the ACK is on its way: a BYE before it is not sent
        await leg.hang_up()
        hung = await event_of(leg, HungUp)
        assert isinstance(hung, HungUp)
        assert hung.reason == "us"


@pytest.mark.parametrize("code", [403, 486, 503])
async def test_a_refused_call_is_refused_with_its_code(tmp_path: Path, media: Media, code: int) -> None:
    refused = f'{PROVISIONAL}<recv response="{code}"/>{request("ACK", 1)}'
    async with Answering() as port:

        async def refuse(_call: Incoming) -> None:
            raise CallRejected(code)

        port.transport.listen(refuse if code != 503 else None)
        async with sipp(tmp_path, port.transport.port, scenario(media.port, refused, answered=False)):
            pass


async def test_a_cancel_before_the_answer_ends_the_offer(tmp_path: Path, media: Media) -> None:
    cancelled = anyio.Event()

    async def never(_call: Incoming) -> None:
        try:
            await anyio.sleep_forever()
        finally:
            cancelled.set()

    cancel = (
        '<recv response="100" optional="true"/><recv response="180"/>'
        + request("CANCEL", 1, in_dialog=False)
        + '<recv response="200"/><recv response="487"/>'
        + request("ACK", 1)
    )
    async with Answering() as port:
        port.transport.listen(never)
        async with sipp(tmp_path, port.transport.port, scenario(media.port, cancel, answered=False)):
            with anyio.fail_after(30):
                await cancelled.wait()


def test_a_relayed_digit_is_read_with_its_duration() -> None:
    assert read_info("application/dtmf-relay; x=y", "Signal= # \r\nDuration=250\r\n") == ("#", 250)
    assert read_info("application/dtmf", "7") == ("7", 160)
    assert read_info("application/dtmf-relay", "Signal=99") is None
    assert read_info("text/plain", "Signal=1") is None
