"""Calls whose audio is described anew: hold, another port, another codec; and messages that come twice."""

from collections.abc import Generator
from pathlib import Path

import anyio
import pytest

from tests.transports.sip_phone import (
    ANSWER_TO_BYE,
    RATE,
    Answering,
    Media,
    event_of,
    offer,
    pause,
    pitch,
    play,
    request,
    scenario,
    sipp,
    tone,
)
from voice_hitl.audio.frame import frame_bytes
from voice_hitl.audio.g711 import decode_alaw, decode_ulaw
from voice_hitl.transport import AudioIn, Digit, Played
from voice_hitl_sip import SipLeg

pytestmark = pytest.mark.anyio


def described_anew(cseq: int, sdp: str, *, code: int = 200) -> str:
    """A re-INVITE, its answer, its ACK."""
    anew = request("INVITE", cseq, body=sdp, content_type="application/sdp")
    return anew + f'<recv response="{code}"/>' + request("ACK", cseq)


@pytest.fixture
def media() -> Generator[Media]:
    media = Media()
    yield media
    media.socket.close()


@pytest.fixture
def elsewhere() -> Generator[Media]:
    media = Media()
    yield media
    media.socket.close()


async def spoken_to(leg: SipLeg, media: Media, there: tuple[str, int]) -> None:
    """Speech and keys of this address reach the leg."""
    await media.speak(tone(8_000, 600), there)
    said = b""
    while len(said) < 15 * frame_bytes(RATE):
        event = await event_of(leg, AudioIn)
        assert isinstance(event, AudioIn)
        said += event.pcm
    assert abs(pitch(said[6400:], RATE) - 440) < 30
    await media.press(7, there)
    digit = await event_of(leg, Digit)
    assert isinstance(digit, Digit)
    assert digit.digit == "7"


def is_voice(payload: bytes) -> bool:
    return len(set(payload)) > 1


@pytest.mark.parametrize("direction", ["sendonly", "inactive"])
async def test_on_hold_nothing_is_played_and_then_it_goes_on_where_it_was(
    tmp_path: Path, media: Media, direction: str
) -> None:
    hold = described_anew(2, offer(media.port, direction=direction))
    back = described_anew(3, offer(media.port))
    xml = scenario(media.port, pause(400), hold, pause(1500), back, ANSWER_TO_BYE)
    async with Answering() as port, sipp(tmp_path, port.transport.port, xml):
        leg = await port.leg()
        play(leg, tone(RATE, 2000), "long")
        voiced = 0
        with anyio.fail_after(30):
            while not leg.on_hold:
                with anyio.move_on_after(0.1):  # nothing comes once it is
                    voiced += is_voice((await media.hear())[0])
            voiced += sum(map(is_voice, media.waiting()))
            assert 0 < voiced < 100
            payload, there = await media.hear()
            assert not leg.on_hold
            voiced += is_voice(payload)
            while voiced < 100:
                voiced += is_voice((await media.hear())[0])
        played = None
        while not (isinstance(played, Played) and played.last):
            played = await event_of(leg, Played)
        assert played.ms == 2000
        await spoken_to(leg, media, there)
        await leg.hang_up()


async def test_music_on_hold_is_nobodys_voice(tmp_path: Path, media: Media) -> None:
    hold = described_anew(2, offer(media.port, direction="sendonly"))
    back = described_anew(3, offer(media.port))
    xml = scenario(media.port, hold, pause(2500), back, ANSWER_TO_BYE)
    async with Answering() as port, sipp(tmp_path, port.transport.port, xml):
        leg = await port.leg()
        _, there = await media.hear()
        with anyio.fail_after(30):
            while not leg.on_hold:
                with anyio.move_on_after(0.1):
                    await media.hear()
        await media.speak(tone(8_000, 600), there)
        assert leg.on_hold
        media.waiting()
        await media.hear()
        assert not leg.on_hold
        await media.press(3, there)
        with anyio.fail_after(30):
            while not isinstance(event := await leg.events().get(), Digit):
                assert not (isinstance(event, AudioIn) and any(event.pcm)), "the music came in"
        await leg.hang_up()


async def test_the_media_move_to_another_port(tmp_path: Path, media: Media, elsewhere: Media) -> None:
    xml = scenario(media.port, pause(300), described_anew(2, offer(elsewhere.port)), ANSWER_TO_BYE)
    async with Answering() as port, sipp(tmp_path, port.transport.port, xml):
        leg = await port.leg()
        play(leg, tone(RATE, 2000), "long")
        await media.hear_voice()
        payload, there = await elsewhere.hear_voice()
        for _ in range(20):
            payload += (await elsewhere.hear())[0]
        assert abs(pitch(decode_ulaw(payload)[1600:], 8_000) - 440) < 25
        await spoken_to(leg, elsewhere, there)
        await leg.hang_up()


async def test_another_codec_and_another_payload_type_for_keys_are_taken_up(
    tmp_path: Path, media: Media, elsewhere: Media
) -> None:
    changed = offer(elsewhere.port, digits=110, laws="8")
    xml = scenario(media.port, pause(300), described_anew(2, changed), ANSWER_TO_BYE)
    async with Answering() as port, sipp(tmp_path, port.transport.port, xml):
        leg = await port.leg()
        play(leg, tone(RATE, 2000), "long")
        await media.hear_voice()
        payload, there = await elsewhere.hear_voice()
        for _ in range(20):
            payload += (await elsewhere.hear())[0]
        assert abs(pitch(decode_alaw(payload)[1600:], 8_000) - 440) < 25
        await elsewhere.press(9, there, payload=110)
        digit = await event_of(leg, Digit)
        assert isinstance(digit, Digit)
        assert digit.digit == "9"
        await leg.hang_up()


async def test_a_change_to_what_we_do_not_speak_is_refused_and_the_call_goes_on(tmp_path: Path, media: Media) -> None:
    refused = described_anew(2, offer(media.port, laws="9"), code=488)
    async with Answering() as port, sipp(tmp_path, port.transport.port, scenario(media.port, refused, ANSWER_TO_BYE)):
        leg = await port.leg()
        _, there = await media.hear()
        await spoken_to(leg, media, there)
        await leg.hang_up()


async def test_an_invite_without_a_description_is_answered_with_ours(tmp_path: Path, media: Media) -> None:
    bare = request("INVITE", 2) + '<recv response="200"/>' + request("ACK", 2)
    async with Answering() as port, sipp(tmp_path, port.transport.port, scenario(media.port, bare, ANSWER_TO_BYE)):
        leg = await port.leg()
        _, there = await media.hear()
        await spoken_to(leg, media, there)
        await leg.hang_up()
