"""When somebody spoke, by the caller's clock."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voice_hitl.audio.frame import FRAME_MS, frame_bytes, frame_samples
from voice_hitl.audio.vad import SpeechBegan, SpeechEnded, VoiceActivity

FRAME_S = FRAME_MS / 1000
RATES = [8_000, 16_000, 24_000, 32_000, 48_000]


def voice(ms: int, rate: int = 16_000, *, seed: int = 0) -> bytes:
    """Something that WebRTC's detector takes for voice: a buzz at the pitch of a man, with the formants of an "ah"."""
    time = np.arange(rate * ms // 1000) / rate
    partials = [
        (n * 120, 1 / (1 + abs(n * 120 - 700) / 200) + 1 / (1 + abs(n * 120 - 1_200) / 200)) for n in range(1, 25)
    ]
    wave = sum(weight * np.sin(2 * np.pi * hertz * time + seed * hertz) for hertz, weight in partials)
    return (np.asarray(wave) * 2_500).astype(np.int16).tobytes()


def silence(ms: int, rate: int = 16_000) -> bytes:
    return bytes(2 * rate * ms // 1000)


def click(rate: int = 16_000) -> bytes:
    samples = np.zeros(frame_samples(rate), dtype=np.int16)
    samples[:40] = np.random.default_rng(1).normal(0, 8_000, 40)
    return samples.tobytes()


def hear(
    activity: VoiceActivity, pcm: bytes, *, rate: int = 16_000, since: float = 0.0
) -> list[SpeechBegan | SpeechEnded]:
    size = frame_bytes(rate)
    told = [
        activity.push(pcm[start : start + size], since + index * FRAME_S)
        for index, start in enumerate(range(0, len(pcm), size))
    ]
    return [event for event in told if event is not None]


@pytest.mark.parametrize("rate", RATES)
def test_speech_begins_at_its_onset_and_ends_after_its_last_sound_never_before(rate: int) -> None:
    activity = VoiceActivity(rate)
    began, ended = hear(activity, silence(400, rate) + voice(800, rate) + silence(600, rate), rate=rate, since=100.0)
    assert isinstance(began, SpeechBegan)
    assert began.at == pytest.approx(100.4, abs=0.04)
    assert isinstance(ended, SpeechEnded)
    assert 101.2 - 0.001 <= ended.at <= 101.32 + 0.001
    assert not activity.speaking
    assert not activity.voiced


def test_speech_is_told_of_when_it_has_lasted_long_enough_and_not_before() -> None:
    activity = VoiceActivity(16_000, onset_ms=100)
    assert hear(activity, silence(200) + voice(80)) == []
    assert activity.voiced
    assert not activity.speaking
    (began,) = hear(activity, voice(40), since=0.28)
    assert isinstance(began, SpeechBegan)
    assert activity.speaking


def test_a_click_is_not_speech() -> None:
    assert hear(VoiceActivity(16_000), silence(400) + click() + silence(400)) == []


def test_a_click_in_the_silence_after_speech_does_not_put_its_end_off() -> None:
    quiet = hear(VoiceActivity(16_000, silence_ms=600), voice(500) + silence(1_000))
    clicked = hear(VoiceActivity(16_000, silence_ms=600), voice(500) + silence(400) + click() + silence(1_000))
    assert clicked == quiet


def test_a_pause_shorter_than_the_silence_is_part_of_the_speech() -> None:
    activity = VoiceActivity(16_000, silence_ms=400)
    told = hear(activity, voice(400) + silence(300) + voice(400) + silence(800))
    assert [type(event) for event in told] == [SpeechBegan, SpeechEnded]
    assert told[1].at > 1.1


def test_a_longer_pause_makes_two_speeches() -> None:
    told = hear(VoiceActivity(16_000, silence_ms=200), voice(400) + silence(600) + voice(400) + silence(600))
    assert [type(event) for event in told] == [SpeechBegan, SpeechEnded, SpeechBegan, SpeechEnded]


def test_a_short_last_sound_right_behind_a_word_belongs_to_it() -> None:
    def last_end(gap_ms: int) -> float:
        told = hear(VoiceActivity(16_000), voice(400) + silence(gap_ms) + click() + silence(800))
        return told[-1].at

    assert last_end(120) > last_end(300)


@pytest.mark.parametrize("rate", [11_025, 22_050, 44_100])
def test_a_rate_it_cannot_hear_is_refused_where_it_is_given(rate: int) -> None:
    with pytest.raises(ValueError, match=f"no voice activity at {rate} Hz"):
        VoiceActivity(rate)


def test_a_frame_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match=r"640 bytes \(20 ms\), not 320"):
        VoiceActivity(16_000).push(bytes(320), 0.0)


@given(pieces=st.lists(st.tuples(st.sampled_from(["voice", "silence", "click"]), st.integers(1, 30)), max_size=25))
@settings(max_examples=60, deadline=None)
def test_beginnings_and_ends_take_turns_and_time_goes_forward(pieces: list[tuple[str, int]]) -> None:
    sounds = b"".join(
        click() if kind == "click" else voice(20 * frames) if kind == "voice" else silence(20 * frames)
        for kind, frames in pieces
    )
    told = hear(VoiceActivity(16_000), sounds)
    assert all(isinstance(event, SpeechBegan if place % 2 == 0 else SpeechEnded) for place, event in enumerate(told))
    assert [event.at for event in told] == sorted(event.at for event in told)
