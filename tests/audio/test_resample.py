"""A resampled stream is one signal, however it was cut."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voice_hitl.audio.resample import Quality, Resampler

RATES = st.sampled_from([8_000, 16_000, 24_000, 48_000])
QUALITIES = st.sampled_from(["QQ", "LQ", "HQ"])


def tone(hertz: float, rate: int, seconds: float = 0.5) -> bytes:
    return (10_000 * np.sin(2 * np.pi * hertz * np.arange(int(rate * seconds)) / rate)).astype(np.int16).tobytes()


def loudness(pcm: bytes) -> float:
    """The root mean square of the middle of it."""
    samples = np.frombuffer(pcm, dtype=np.int16).astype(float)
    quarter = len(samples) // 4
    return float(np.sqrt(np.mean(samples[quarter:-quarter] ** 2)))


@given(from_rate=RATES, to_rate=RATES, quality=QUALITIES, cuts=st.lists(st.integers(0, 1_600), max_size=12).map(sorted))
@settings(max_examples=40, deadline=None)
def test_the_size_of_the_chunks_does_not_matter(
    from_rate: int, to_rate: int, quality: Quality, cuts: list[int]
) -> None:
    speech = tone(440, from_rate, 0.2)
    whole = Resampler(from_rate, to_rate, quality=quality)
    expected = whole.push(speech) + whole.flush()
    chunked = Resampler(from_rate, to_rate, quality=quality)
    edges = [0, *(2 * cut for cut in cuts), len(speech)]
    chunks = [chunked.push(speech[start:end]) for start, end in pairwise(edges)]
    assert b"".join(chunks) + chunked.flush() == expected


@given(from_rate=RATES, to_rate=RATES, quality=QUALITIES)
@settings(deadline=None)
def test_what_comes_out_lasts_as_long_as_what_went_in(from_rate: int, to_rate: int, quality: Quality) -> None:
    resampler = Resampler(from_rate, to_rate, quality=quality)
    out = resampler.push(bytes(2 * from_rate)) + resampler.flush()
    assert len(out) == 2 * to_rate


def test_equal_rates_change_nothing() -> None:
    same = Resampler(16_000, 16_000)
    assert same.push(b"\x01\x02") == b"\x01\x02"
    assert same.flush() == b""
    same.reset()


def test_half_a_sample_is_refused() -> None:
    for resampler in (Resampler(16_000, 16_000), Resampler(48_000, 16_000)):
        with pytest.raises(ValueError, match="multiple of element size"):
            resampler.push(b"\x01")


def test_a_tone_that_both_rates_carry_stays_as_loud() -> None:
    resampler = Resampler(48_000, 16_000)
    assert loudness(resampler.push(tone(1_000, 48_000))) == pytest.approx(10_000 / np.sqrt(2), rel=0.02)


def test_live_quality_does_not_fold_what_the_lower_rate_cannot_carry_into_the_voice() -> None:
    resampler = Resampler(48_000, 16_000, quality="LQ")
    assert loudness(resampler.push(tone(11_000, 48_000))) < 50


@pytest.mark.parametrize("rate", [16_000, 24_000, 48_000])
def test_down_to_a_telephone_nothing_is_folded_into_its_band_and_all_of_it_is_carried(rate: int) -> None:
    full = loudness(tone(1_000, rate))
    for hertz in (100, 1_000, 2_000, 3_000, 3_400):
        carried = loudness(Resampler(rate, 8_000, quality="QQ").push(tone(hertz, rate)))
        assert 20 * np.log10(carried / full) == pytest.approx(0, abs=1)
    for hertz in range(4_600, rate // 2, 200):
        folded = loudness(Resampler(rate, 8_000, quality="QQ").push(tone(hertz, rate)))
        assert 20 * np.log10((folded + 1) / full) < -50, hertz


def test_the_low_pass_to_a_telephone_is_late_by_a_millisecond() -> None:
    click = np.zeros(2_400, np.int16)
    click[1_200] = 10_000
    heard = np.frombuffer(Resampler(24_000, 8_000, quality="QQ").push(click.tobytes()), np.int16)
    assert int(np.abs(heard).argmax()) == 400 + 8


@pytest.mark.parametrize(("from_rate", "to_rate"), [(8_000, 16_000), (24_000, 8_000)])
def test_quick_quality_holds_nothing_back(from_rate: int, to_rate: int) -> None:
    resampler = Resampler(from_rate, to_rate, quality="QQ")
    resampler.push(bytes(from_rate // 25))
    assert len(resampler.push(bytes(from_rate // 25))) == to_rate // 25


def test_silence_stays_silence() -> None:
    resampler = Resampler(48_000, 16_000)
    assert not any(resampler.push(bytes(96_000)) + resampler.flush())


def test_what_is_too_loud_is_cut_and_does_not_wrap_round() -> None:
    square = np.where(np.arange(48_000) // 100 % 2, 32_767, -32_768).astype(np.int16).tobytes()
    samples = np.frombuffer(Resampler(48_000, 24_000, quality="HQ").push(square), dtype=np.int16).astype(int)
    assert samples.max() == 32_767
    assert np.abs(np.diff(samples[np.abs(samples) > 30_000])).max() > 30_000
    assert np.abs(np.diff(samples)).max() < 65_535


@pytest.mark.parametrize("quality", ["QQ", "LQ"])
def test_after_a_reset_no_old_speech_leaks_out(quality: Quality) -> None:
    resampler = Resampler(48_000, 24_000, quality=quality)
    resampler.push(tone(440, 48_000))
    resampler.reset()
    assert loudness(resampler.push(bytes(48_000)) + resampler.flush()) == 0


@pytest.mark.parametrize("quality", ["QQ", "LQ"])
def test_after_a_flush_it_takes_a_new_stream(quality: Quality) -> None:
    resampler = Resampler(48_000, 24_000, quality=quality)
    first = resampler.push(tone(440, 48_000)) + resampler.flush()
    assert resampler.push(tone(440, 48_000)) + resampler.flush() == first
