"""When a caller has the turn, and when they are done."""

from itertools import pairwise
from pathlib import Path
from wave import open as open_wave

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voice_hitl_local.turns import TurnBegan, TurnEnded, TurnEvent, TurnPaused, TurnResumed, Turns

AUDIO = Path(__file__).parents[1] / "fixtures" / "audio"
FRAME = 640


def recorded(name: str) -> bytes:
    with open_wave(str(AUDIO / f"{name}.wav")) as file:
        pcm: bytes = file.readframes(file.getnframes())
    return pcm


SPEECH = recorded("booking")[: 32 * 1_400]
"""Silence, then a second without a pause."""
VOICE = SPEECH[32 * 300 :]


def silence(ms: int) -> bytes:
    return bytes(32 * ms)


def hear(turns: Turns, pcm: bytes) -> list[tuple[float, TurnEvent]]:
    """What was told, with the second of the audio at which it was."""
    frames = [pcm[start : start + FRAME].ljust(FRAME, b"\0") for start in range(0, len(pcm), FRAME)]
    return [((place + 1) / 50, event) for place, frame in enumerate(frames) for event in turns.push(frame)]


def kinds(told: list[tuple[float, TurnEvent]]) -> list[type[TurnEvent]]:
    return [type(event) for _, event in told]


def test_a_turn_pauses_after_200_ms_of_silence_and_ends_after_600() -> None:
    told = hear(Turns(16_000), silence(500) + SPEECH + silence(1_500))
    assert kinds(told) == [TurnBegan, TurnPaused, TurnEnded]
    times = {type(event): at for at, event in told}
    assert times[TurnEnded] - times[TurnPaused] == pytest.approx(0.4)
    assert 0.5 + 1.4 + 0.2 <= times[TurnPaused] <= 0.5 + 1.4 + 0.2 + 0.14


def test_what_is_recognised_holds_the_first_sound_of_the_first_word_and_all_the_rest() -> None:
    told = hear(Turns(16_000), silence(2_000) + SPEECH + silence(1_000))
    (paused,) = (event for _, event in told if isinstance(event, TurnPaused))
    assert VOICE in paused.pcm
    assert len(paused.pcm) < len(VOICE) + 32 * 700


def test_a_caller_who_goes_on_after_a_pause_has_one_turn() -> None:
    told = hear(Turns(16_000), SPEECH + silence(450) + VOICE + silence(1_000))
    assert kinds(told) == [TurnBegan, TurnPaused, TurnResumed, TurnPaused, TurnEnded]
    first, last = (event for _, event in told if isinstance(event, TurnPaused))
    assert last.pcm.startswith(first.pcm)


def test_a_caller_who_begins_again_just_before_the_end_is_not_cut_in_two() -> None:
    told = hear(Turns(16_000), SPEECH + silence(620) + VOICE + silence(1_000))
    assert kinds(told) == [TurnBegan, TurnPaused, TurnResumed, TurnPaused, TurnEnded]


def test_a_turn_without_an_end_is_ended_and_the_next_one_goes_on_where_it_was() -> None:
    told = hear(Turns(16_000, longest_ms=1_000), SPEECH + VOICE + silence(1_000))
    assert kinds(told)[:4] == [TurnBegan, TurnPaused, TurnEnded, TurnBegan]
    assert kinds(told)[-1] is TurnEnded
    assert SPEECH[-640:] + VOICE in b"".join(event.pcm for _, event in told if isinstance(event, TurnPaused))


def test_silence_and_noise_are_no_turn() -> None:
    noise = np.random.default_rng(7).normal(0, 60, 32_000).astype(np.int16).tobytes()
    assert hear(Turns(16_000), silence(1_000) + noise) == []


@given(pieces=st.lists(st.tuples(st.booleans(), st.integers(1, 1_200)), max_size=8))
@settings(max_examples=25, deadline=None)
def test_events_come_in_the_order_of_a_turns_life(pieces: list[tuple[bool, int]]) -> None:
    sounds = b"".join(VOICE[: 32 * ms] if voice else silence(ms) for voice, ms in pieces)
    told = kinds(hear(Turns(16_000, longest_ms=2_000), sounds + silence(1_500)))
    allowed: dict[type[TurnEvent], set[type[TurnEvent]]] = {
        TurnBegan: {TurnPaused},
        TurnPaused: {TurnResumed, TurnEnded},
        TurnResumed: {TurnPaused},
        TurnEnded: {TurnBegan},
    }
    assert all(after in allowed[before] for before, after in pairwise(told))
    assert told[:1] in ([], [TurnBegan])
    assert told[-1:] in ([], [TurnEnded])
