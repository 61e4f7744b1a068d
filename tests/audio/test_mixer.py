import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.audio.frame import frame_bytes, frame_samples
from voice_hitl.audio.mixer import AUDIBLE, WAITING, Mixer, Window

RATE = 8_000
SAMPLES = frame_samples(RATE)
SILENCE = bytes(frame_bytes(RATE))

levels = st.integers(-32_768, 32_767)
voices = st.lists(st.lists(levels, min_size=4, max_size=4), min_size=1, max_size=8)


def frame(level: int) -> bytes:
    return np.full(SAMPLES, level, dtype=np.int16).tobytes()


def loud(pattern: list[int]) -> bytes:
    return np.resize(np.array(pattern, dtype=np.int16), SAMPLES).tobytes()


def levels_of(pcm: bytes) -> list[int]:
    return [int(level) for level in np.frombuffer(pcm, dtype=np.int16)]


def taken(mixer: Mixer) -> Window:
    window = mixer.take()
    assert window is not None
    return window


def settled(frames: dict[str, bytes]) -> Window:
    """The second window of the same: its headroom does not move any more."""
    mixer = Mixer(RATE)
    for _ in range(2):
        for lane, pcm in frames.items():
            mixer.push(lane, pcm)
    taken(mixer)
    return taken(mixer)


def test_a_window_in_which_nobody_sent_anything_is_none() -> None:
    assert Mixer(RATE).take() is None


def test_one_voice_comes_out_as_it_went_in() -> None:
    mixer = Mixer(RATE)
    mixer.push("ada", frame(1_000))
    assert taken(mixer) == Window(frame(1_000), (("ada", frame(1_000)),))
    assert mixer.take() is None


def test_silence_that_was_sent_is_a_window_of_silence() -> None:
    mixer = Mixer(RATE)
    mixer.push("ada", SILENCE)
    assert taken(mixer).mix == SILENCE


@pytest.mark.parametrize("people", [2, 3, 4, 9])
def test_headroom_is_the_square_root_of_those_who_are_heard(people: int) -> None:
    window = settled({f"p{n}": frame(1_000) for n in range(people)})
    assert set(levels_of(window.mix)) == {round(1_000 * people / math.sqrt(people))}


def test_who_is_silent_takes_no_headroom() -> None:
    window = settled({"ada": frame(1_000), "ben": SILENCE, "cyd": frame(AUDIBLE - 1), "dee": frame(-AUDIBLE + 1)})
    assert set(levels_of(window.mix)) == {1_000}


def test_who_joins_in_makes_no_click() -> None:
    mixer = Mixer(RATE)
    mixer.push("ada", frame(10_000))
    taken(mixer)
    mixer.push("ada", frame(10_000))
    mixer.push("ben", frame(AUDIBLE))
    mixed = levels_of(taken(mixer).mix)
    assert mixed[0] == 10_000 + AUDIBLE
    assert mixed[-1] == round((10_000 + AUDIBLE) / math.sqrt(2))
    assert max(abs(np.diff(mixed))) < 30


def test_after_a_pause_the_headroom_is_whole_again() -> None:
    mixer = Mixer(RATE)
    for lane in ("ada", "ben"):
        mixer.push(lane, frame(1_000))
    taken(mixer)
    assert mixer.take() is None
    mixer.push("ada", frame(1_000))
    assert taken(mixer).mix == frame(1_000)


def test_each_lane_keeps_its_own_frame_one_a_window() -> None:
    mixer = Mixer(RATE)
    mixer.push("ada", frame(1))
    mixer.push("ada", frame(2))
    mixer.push("ben", frame(3))
    assert taken(mixer).lanes == (("ada", frame(1)), ("ben", frame(3)))
    assert taken(mixer).lanes == (("ada", frame(2)),)


def test_a_lane_that_runs_ahead_loses_its_oldest_and_that_is_counted() -> None:
    mixer = Mixer(RATE)
    for level in range(WAITING + 2):
        mixer.push("ada", frame(level))
    assert mixer.dropped == 2
    assert taken(mixer).mix == frame(2)


def test_who_left_is_not_heard_any_more() -> None:
    mixer = Mixer(RATE)
    mixer.push("ada", frame(1_000))
    mixer.remove("ada")
    mixer.remove("ben")
    assert mixer.take() is None


def test_what_is_no_frame_is_refused() -> None:
    with pytest.raises(ValueError, match="320 bytes, not 4"):
        Mixer(RATE).push("ada", b"\0\0\0\0")


@given(voices)
def test_the_mix_never_wraps_around(patterns: list[list[int]]) -> None:
    window = settled({f"p{n}": loud(pattern) for n, pattern in enumerate(patterns)})
    heard = [pattern for pattern in patterns if max(pattern) >= AUDIBLE or min(pattern) <= -AUDIBLE]
    whole = [sum(column) / math.sqrt(max(1, len(heard))) for column in zip(*patterns, strict=True)]
    wanted = np.clip(np.resize(np.array(whole), SAMPLES), -32_768, 32_767)
    assert np.max(np.abs(np.array(levels_of(window.mix)) - wanted)) <= 1


@given(voices)
def test_who_came_first_makes_no_difference_to_the_mix(patterns: list[list[int]]) -> None:
    lanes = {f"p{n}": loud(pattern) for n, pattern in enumerate(patterns)}
    backwards = dict(reversed(lanes.items()))
    assert settled(lanes).mix == settled(backwards).mix
