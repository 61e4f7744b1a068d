"""Calls with baresip, both ways: what is said, heard and pressed, and who hangs up."""

from pathlib import Path

import anyio
import numpy as np
import pytest

from tests.transports.baresip import Baresip, baresip
from tests.transports.sip_phone import RATE, Answering, event_of, pitch, play, tone
from voice_hitl.audio.frame import frame_bytes
from voice_hitl.transport import AudioIn, Digit, HungUp, Played
from voice_hitl_sip import SipLeg

pytestmark = pytest.mark.anyio

HIGH_HZ = 440


async def they_hear_each_other(leg: SipLeg) -> None:
    """The leg hears the telephone's microphone, and says something of its own to the end."""
    play(leg, tone(RATE, 1500), "greeting")
    said = b""
    while len(said) < 40 * frame_bytes(RATE):
        event = await event_of(leg, AudioIn)
        assert isinstance(event, AudioIn)
        said += event.pcm
    assert abs(pitch(said[len(said) // 2 :], RATE) - HIGH_HZ) < 20
    played = None
    while not (isinstance(played, Played) and played.last):
        played = await event_of(leg, Played)
    assert played.ms == 1500


def it_heard(telephone: Baresip, seconds: float) -> None:
    """The telephone heard about so much of a tone."""
    samples = np.frombuffer(telephone.heard(), np.int16).astype(float)
    frames = samples[: len(samples) // 160 * 160].reshape(-1, 160)
    loud = frames[np.sqrt((frames**2).mean(axis=1)) > 2000]
    # A jitter buffer may skip a little while it finds its depth.
    assert len(loud) * 0.02 > seconds * 0.8
    assert abs(pitch(loud.astype(np.int16).tobytes()[:16_000], 8_000) - HIGH_HZ) < 20


async def keys_of(leg: SipLeg, count: int) -> list[str]:
    digits: list[str] = []
    while len(digits) < count:
        event = await event_of(leg, Digit)
        assert isinstance(event, Digit)
        digits.append(event.digit)
    return digits


async def why_over(leg: SipLeg) -> str:
    event = await event_of(leg, HungUp)
    assert isinstance(event, HungUp)
    return event.reason


async def test_a_telephone_calls_and_hangs_up(tmp_path: Path) -> None:
    async with Answering() as desk, baresip(tmp_path / "phone", microphone=tone(8_000, 20_000)) as telephone:
        await telephone.do("dial", f"sip:desk@127.0.0.1:{desk.transport.port}")
        leg = await desk.leg()
        assert leg.info.from_ == telephone.uri
        await they_hear_each_other(leg)
        for digit in "42#":
            await telephone.press(digit)
            assert await keys_of(leg, 1) == [digit]
        await telephone.do("hangup")
        assert await why_over(leg) == "caller"
        await telephone.until("CALL_CLOSED")  # only then is what it heard written down
        it_heard(telephone, 1.5)


async def test_a_telephone_is_called_and_we_hang_up(tmp_path: Path) -> None:
    async with Answering() as desk, baresip(tmp_path / "phone", microphone=tone(8_000, 20_000)) as telephone:
        call = await desk.transport.dial(telephone.uri)
        leg = await desk.transport.accept(call, rate=RATE)
        await they_hear_each_other(leg)
        await telephone.press("7")
        assert await keys_of(leg, 1) == ["7"]
        await leg.hang_up()
        assert await why_over(leg) == "us"
        await telephone.until("CALL_CLOSED")
        it_heard(telephone, 1.5)


async def test_a_telephone_puts_the_call_on_hold_and_takes_it_back(tmp_path: Path) -> None:
    async with Answering() as desk, baresip(tmp_path / "phone", microphone=tone(8_000, 30_000)) as telephone:
        await telephone.do("dial", f"sip:desk@127.0.0.1:{desk.transport.port}")
        leg = await desk.leg()
        await event_of(leg, AudioIn)
        await telephone.do("hold")
        with anyio.fail_after(20):
            while not leg.on_hold:  # noqa: ASYNC110 - no event tells of it
                await anyio.sleep(0.02)
        await telephone.do("resume")
        with anyio.fail_after(20):
            while leg.on_hold:  # noqa: ASYNC110 - no event tells of it
                await anyio.sleep(0.02)
        await they_hear_each_other(leg)
        await telephone.press("5")
        assert await keys_of(leg, 1) == ["5"]
        await telephone.do("hangup")
        assert await why_over(leg) == "caller"


async def test_two_telephones_at_once_are_two_calls(tmp_path: Path) -> None:
    async with (
        Answering() as desk,
        baresip(tmp_path / "one", microphone=tone(8_000, 20_000)) as one,
        baresip(tmp_path / "other", microphone=tone(8_000, 20_000)) as other,
    ):
        legs: list[SipLeg] = []
        for telephone in (one, other):
            call = await desk.transport.dial(telephone.uri)
            legs.append(await desk.transport.accept(call, rate=RATE))
        for telephone, leg, digit in zip((one, other), legs, "19", strict=True):
            await event_of(leg, AudioIn)
            await telephone.press(digit)
            assert await keys_of(leg, 1) == [digit]
        await other.do("hangup")
        assert await why_over(legs[1]) == "caller"
        assert not legs[0].over
        await legs[0].hang_up()
        await one.until("CALL_CLOSED")
