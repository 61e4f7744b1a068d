import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from voice_hitl.audio.tempo import FADE_MS, SHORTEST_MS, lengthen, shorten

RATE = 16_000
RATES = st.sampled_from([8_000, 16_000, 24_000, 48_000])


def wave(hz: float, seconds: float = 0.02, rate: int = RATE, phase: float = 0.0) -> NDArray[np.int16]:
    time = np.arange(int(rate * seconds)) / rate
    return (np.sin(2 * np.pi * hz * time + phase) * 10_000).astype(np.int16)


def steepest(samples: NDArray[np.int16]) -> int:
    return int(np.max(np.abs(np.diff(samples.astype(int)))))


@pytest.mark.parametrize("hz", [110, 200, 310])
def test_whole_periods_of_a_voice_are_taken_out_without_a_click(hz: int) -> None:
    frames = wave(hz, 0.06)
    before, frame, after = frames[:320], frames[320:640], frames[640:]
    shorter = np.frombuffer(shorten(frame.tobytes(), RATE), dtype=np.int16)
    assert len(shorter) < 320
    whole = np.concatenate([before, shorter, after])
    assert steepest(whole) <= steepest(frames) * 1.2


@pytest.mark.parametrize("hz", [110, 200, 310])
def test_whole_periods_of_a_voice_are_repeated_without_a_click(hz: int) -> None:
    frames = wave(hz, 0.06)
    before, frame, after = frames[:320], frames[320:640], frames[640:]
    longer = np.frombuffer(lengthen(frame.tobytes(), RATE), dtype=np.int16)
    assert len(longer) > 320
    whole = np.concatenate([before, longer, after])
    assert steepest(whole) <= steepest(frames) * 1.2


def test_of_silence_as_much_as_possible_is_taken_out() -> None:
    assert len(shorten(bytes(640), RATE)) == 2 * int(RATE * FADE_MS / 1000)


def test_a_frame_with_no_room_for_a_period_is_left_as_it_is() -> None:
    tiny = bytes(2 * int(RATE * (FADE_MS + SHORTEST_MS) / 1000))
    assert shorten(tiny, RATE) == tiny
    assert lengthen(tiny, RATE) == tiny


@given(st.binary(min_size=640, max_size=1920).map(lambda b: b[: len(b) // 2 * 2]), RATES)
def test_whatever_it_is_given_it_gives_a_little_less_or_more(pcm: bytes, rate: int) -> None:
    assert len(shorten(pcm, rate)) <= len(pcm) <= len(lengthen(pcm, rate)) <= 2 * len(pcm)
