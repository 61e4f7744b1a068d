"""An echo is told from a caller by its sound: real speech, its echo, and somebody else's over it."""

import wave
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from voice_hitl.audio.frame import frame_samples
from voice_hitl.audio.own_voice import LONGEST_S, MOST_LAG_S, OwnVoice
from voice_hitl.audio.resample import Resampler

RATE = 16_000
FRAME = frame_samples(RATE)
BEGAN_S, ENDED_S = 0.9, 3.4
"""What is looked at of the call: our voice plays all the while."""

Sound = NDArray[np.float64]


def recorded(name: str) -> Sound:
    """A recording, as loud as the others."""
    path = Path(__file__).parents[1] / "fixtures" / "audio" / f"{name}.wav"
    with wave.open(str(path)) as file:
        pcm = Resampler(file.getframerate(), RATE).push(file.readframes(file.getnframes()))
    sound = np.frombuffer(pcm, dtype=np.int16).astype(np.float64)
    spoken = sound[np.abs(sound) > 200]
    return sound * (3000 / float(np.sqrt(np.mean(spoken * spoken))))


OURS = np.tile(recorded("booking"), 3)[: 4 * RATE]
THEIRS = np.resize(recorded("make_it_eight"), 4 * RATE)
NOISE = np.random.default_rng(1).normal(size=4 * RATE) * 25


def echo(delay_s: float, down_db: float) -> Sound:
    """Our voice as a room gives it back."""
    room = np.random.default_rng(2).normal(size=RATE // 50) * np.exp(-np.arange(RATE // 50) / (RATE / 250))
    room[0] = 3
    coloured = np.convolve(OURS, room)[: len(OURS)] / np.linalg.norm(room)
    return np.concatenate((np.zeros(int(delay_s * RATE)), coloured))[: len(OURS)] * 10 ** (-down_db / 20)


def pcm(sound: Sound) -> bytes:
    return np.clip(sound, -32_768, 32_767).astype(np.int16).tobytes()


def call(heard: Sound, *, played: Sound = OURS, played_until: float = 4.0) -> OwnVoice:
    """A call in which this was heard while that played."""
    own = OwnVoice(RATE)
    for place in range(0, len(heard) - FRAME + 1, FRAME):
        at = place / RATE
        if at < played_until:
            own.played(pcm(played[place : place + FRAME]), at)
        own.heard(pcm(heard[place : place + FRAME]), at)
    return own


@pytest.mark.parametrize("down_db", [6, 12, 20])
@pytest.mark.parametrize("delay_s", [0.0, 0.05, 0.2, 0.4, 0.75])
def test_an_echo_is_ours_however_late_and_low(delay_s: float, down_db: float) -> None:
    assert call(echo(delay_s, down_db) + NOISE).came_back(BEGAN_S, ENDED_S)


def test_somebody_elses_voice_is_not_ours() -> None:
    assert not call(THEIRS + NOISE).came_back(BEGAN_S, ENDED_S)


@pytest.mark.parametrize("down_db", [6, 12, 20, 30])
def test_who_speaks_over_an_echo_is_not_dropped_with_it(down_db: float) -> None:
    assert not call(THEIRS + echo(0.2, down_db) + NOISE).came_back(BEGAN_S, ENDED_S)


def test_who_joins_in_after_an_echo_is_not_dropped_with_it() -> None:
    heard = echo(0.2, 12) + NOISE
    heard[2 * RATE :] += THEIRS[2 * RATE :]
    assert not call(heard).came_back(BEGAN_S, ENDED_S)


def test_the_same_words_much_later_are_the_callers() -> None:
    heard = np.concatenate((np.zeros(RATE), OURS))[: len(OURS)]
    own = call(heard + NOISE, played_until=1.0)
    assert not own.came_back(1.0 + MOST_LAG_S + 0.2, 3.9)


@pytest.mark.parametrize("pause_s", [0.0, 0.1, 0.3, MOST_LAG_S - 0.05])
@pytest.mark.parametrize("down_db", [None, 12, 30])
def test_who_answers_in_noise_when_our_voice_has_just_ended_is_not_ours(pause_s: float, down_db: float | None) -> None:
    heard = np.random.default_rng(4).normal(size=4 * RATE) * 900
    began = int((1.5 + pause_s) * RATE)
    heard[began:] += THEIRS[: len(heard) - began]
    if down_db is not None:
        heard[: RATE * 2] += echo(0.2, down_db)[: RATE * 2]
    own = call(heard, played_until=1.5)
    assert not own.came_back(1.5 + pause_s, 3.9)


def test_who_was_speaking_before_our_voice_began_is_not_ours() -> None:
    own = OwnVoice(RATE)
    heard = echo(0.1, 12) + NOISE
    heard[: RATE * 2] = THEIRS[: RATE * 2]
    for place in range(0, len(heard) - FRAME + 1, FRAME):
        at = place / RATE
        if at >= 2.0:
            own.played(pcm(OURS[place : place + FRAME]), at)
        own.heard(pcm(heard[place : place + FRAME]), at)
    assert not own.came_back(0.1, 3.9)


def test_silence_and_noise_are_not_ours() -> None:
    assert not call(np.zeros(4 * RATE)).came_back(BEGAN_S, ENDED_S)
    assert not call(NOISE).came_back(BEGAN_S, ENDED_S)


def test_where_nothing_was_played_nothing_is_ours() -> None:
    assert not call(OURS, played=np.zeros(4 * RATE)).came_back(BEGAN_S, ENDED_S)
    assert not call(OURS, played_until=0.0).came_back(BEGAN_S, ENDED_S)


def test_what_is_too_long_or_no_time_at_all_is_not_compared() -> None:
    own = call(echo(0.2, 6))
    assert not own.came_back(BEGAN_S, BEGAN_S + LONGEST_S + 0.1)
    assert not own.came_back(BEGAN_S, BEGAN_S)
    assert not own.came_back(ENDED_S, BEGAN_S)


def test_what_is_short_is_compared_whole() -> None:
    own = call(echo(0.2, 6))
    assert own.came_back(BEGAN_S, BEGAN_S + 0.3)


def test_what_was_long_ago_is_forgotten() -> None:
    own = call(echo(0.2, 6))
    assert own.came_back(BEGAN_S, ENDED_S)
    own.played(bytes(2 * RATE * 10), 4.0)
    own.played(bytes(2 * RATE), 14.0)
    assert not own.came_back(BEGAN_S, ENDED_S)
