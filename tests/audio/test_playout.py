"""The playout buffer against a network that loses, delays, reorders and repeats."""

from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.audio.playout import (
    AT_MOST_S,
    AT_REST_S,
    IDLE_AFTER_S,
    SLACK_S,
    Conceal,
    Decode,
    Idle,
    Pace,
    Playout,
    Recover,
    Step,
)

FRAME = 960
FRAME_S = 0.02
PACED_S = {Pace.NORMAL: 0.02, Pace.SHORTER: 0.012, Pace.LONGER: 0.028}


@dataclass
class Listener:
    """Asks for audio on a 20 ms clock and keeps what it was told to play."""

    playout: Playout = field(default_factory=Playout)
    origin: int = 4_294_960_000  # close to the end of 32 bits
    steps: list[Step] = field(default_factory=list[Step])
    delays: list[float] = field(default_factory=list[float])
    _left_s: float = 0.0
    _next_at: float | None = None

    def receive(self, number: int, at: float, samples: int = FRAME) -> None:
        """Packet `number` comes."""
        if self._next_at is None:
            self._next_at = at + AT_REST_S
        self.listen(at)
        timestamp = (self.origin + number * samples) % 2**32
        self.playout.push(timestamp, str(number).encode(), samples, at)

    def listen(self, until: float) -> None:
        """Let the clock tick."""
        assert self._next_at is not None
        while self._next_at <= until + 1e-9:
            while self._left_s < FRAME_S - 1e-9:
                self._left_s += self._play(self.playout.pull(self._next_at + self._left_s))
            self._left_s -= FRAME_S
            self._next_at += FRAME_S

    def _play(self, step: Step) -> float:
        self.steps.append(step)
        if isinstance(step, Decode):
            assert self._next_at is not None
            self.delays.append(self.playout.delay_s(self._next_at + self._left_s + FRAME_S))
            return PACED_S[step.pace]
        return FRAME_S if isinstance(step, Idle) else step.samples / 48_000

    @property
    def decoded(self) -> list[int]:
        return [int(step.payload) for step in self.steps if isinstance(step, Decode)]

    @property
    def recovered(self) -> list[int]:
        return [int(step.payload) - 1 for step in self.steps if isinstance(step, Recover)]

    @property
    def concealed(self) -> int:
        return sum(isinstance(step, Conceal) for step in self.steps)


def heard(arrivals: list[tuple[float, int]], rest_s: float = 0.3) -> Listener:
    """Play packets, each with when it came."""
    listener = Listener()
    for at, number in sorted(arrivals):
        listener.receive(number, at)
    listener.listen(max(at for at, _ in arrivals) + rest_s)
    return listener


def on_time(count: int, delay_s: float = 0.05) -> list[tuple[float, int]]:
    return [(number * FRAME_S + delay_s, number) for number in range(count)]


def test_at_rest_every_packet_is_played_two_frames_after_it_came() -> None:
    listener = heard(on_time(100), rest_s=0)
    assert listener.decoded == list(range(98))
    assert not listener.concealed
    assert listener.delays == pytest.approx([AT_REST_S] * 98)


def test_one_lost_packet_is_recovered_from_the_next() -> None:
    listener = heard([arrival for arrival in on_time(50) if arrival[1] not in {10, 20, 21, 30}])
    assert listener.recovered == [10, 21, 30]
    assert listener.decoded == [number for number in range(50) if number not in {10, 20, 21, 30}]


def test_a_packet_is_never_played_twice_nor_out_of_order_and_a_late_one_not_at_all() -> None:
    arrivals = [*on_time(40), (0.5, 3), (0.6, 30)]
    arrivals[12] = (12 * FRAME_S + 0.25, 12)
    listener = heard(arrivals)
    assert listener.decoded == [number for number in range(40) if number != 12]
    assert (listener.playout.counts.late, listener.playout.counts.duplicate) == (2, 1)


def test_a_stall_of_the_network_is_played_late_and_caught_up() -> None:
    arrivals = [(max(at, 0.7) if number >= 20 else at, number) for at, number in on_time(400)]
    listener = heard(arrivals)
    assert sorted(listener.decoded + listener.recovered) == list(range(400))
    assert listener.delays[25] > 0.1
    assert listener.delays[-1] <= listener.playout.target_s + SLACK_S + 1e-9


def test_a_sender_that_pauses_and_goes_on_is_played_from_where_it_goes_on() -> None:
    spoken = [*range(20), *range(120, 140)]
    listener = heard([(number * FRAME_S, number) for number in spoken])
    assert listener.decoded == spoken
    between = listener.steps[20:-20]
    assert sum(isinstance(step, Idle) for step in between) > 20
    assert sum(isinstance(step, Conceal) for step in between) <= IDLE_AFTER_S / FRAME_S


def test_a_pause_shorter_than_that_is_concealed_in_its_own_time() -> None:
    spoken = [*range(20), *range(28, 60)]
    listener = heard([(number * FRAME_S, number) for number in spoken])
    assert listener.decoded == spoken
    assert listener.delays[-1] <= AT_REST_S + FRAME_S + SLACK_S + 1e-9


def test_a_sender_that_begins_anew_far_back_is_followed() -> None:
    listener = heard(on_time(50), rest_s=0)
    listener.origin = 3_000_000_000
    for number in range(50):
        listener.receive(number, 1.05 + number * FRAME_S)
    listener.listen(2.3)
    assert listener.decoded[-50:] == list(range(50))


def test_a_leap_ahead_of_the_timestamps_is_not_waited_for() -> None:
    arrivals = [(at, number if number < 30 else number + 500) for at, number in on_time(60)]
    listener = heard(arrivals)
    assert listener.decoded == [number for _, number in arrivals]


def test_a_process_that_stood_still_leaps_to_the_present() -> None:
    listener = heard(on_time(20), rest_s=0)
    for number in range(20, 120):
        listener.playout.push(
            (listener.origin + number * FRAME) % 2**32, str(number).encode(), FRAME, 2.0 + number / 1e4
        )
    assert isinstance(listener.playout.pull(2.45), Decode)
    assert listener.playout.counts.leapt > 50


@pytest.mark.parametrize("samples", [480, 1_920, 2_880])
def test_packets_of_another_length_are_played_and_recovered_as_well(samples: int) -> None:
    listener = Listener()
    seconds = samples / 48_000
    sent = [number for number in range(100) if number % 10 != 7]
    for number in sent:
        listener.receive(number, number * seconds, samples)
    listener.listen(100 * seconds + 0.5)
    # The clock asks for whole frames of 20 ms; what a longer packet holds is played for as long as it lasts.
    assert set(listener.decoded) == set(sent)
    assert set(listener.recovered) <= {number for number in range(100) if number % 10 == 7}


@pytest.mark.parametrize("ppm", [-200, 200])
def test_the_delay_follows_the_drift_of_two_clocks(ppm: int) -> None:
    arrivals = [(number * FRAME_S * (1 - ppm / 1e6), number) for number in range(15_000)]
    listener = heard(arrivals)
    assert listener.decoded == list(range(15_000))
    assert not [step for step in listener.steps[:-20] if isinstance(step, Conceal)]
    assert max(listener.delays) <= AT_REST_S + SLACK_S + 0.001
    assert min(listener.delays) >= AT_REST_S - SLACK_S - 0.001


def test_the_delay_grows_with_the_jitter_and_shrinks_when_it_is_over() -> None:
    jitter = [(number * 7 % 13) / 13 * 0.06 for number in range(500)] + [0.0] * 1_000
    listener = heard([(number * FRAME_S + late, number) for number, late in enumerate(jitter)])
    assert listener.delays[480] > 0.06
    assert listener.delays[-1] <= AT_REST_S + SLACK_S + 1e-9


def test_the_delay_never_grows_beyond_its_bound() -> None:
    jitter = [0.5 if number % 20 == 0 else 0.0 for number in range(500)]
    listener = heard([(number * FRAME_S + late, number) for number, late in enumerate(jitter)])
    assert listener.playout.target_s == AT_MOST_S


def test_what_comes_on_top_of_five_seconds_at_once_is_let_go() -> None:
    playout = Playout()
    for number in range(300):
        playout.push(number * FRAME, b"", FRAME, 1.0)
    assert playout.counts.leapt == 44


def test_another_stream_starts_from_nothing() -> None:
    listener = heard(on_time(10), rest_s=0)
    listener.playout.reset()
    assert listener.playout.delay_s(5.0) == 0
    assert isinstance(listener.playout.pull(5.0), Idle)


@given(
    lost=st.sets(st.integers(1, 150), max_size=60),
    late_ms=st.lists(st.integers(0, 300), min_size=151, max_size=151),
    calm=st.booleans(),
    twice=st.sets(st.integers(0, 150), max_size=10),
)
def test_every_packet_is_decoded_at_most_once_in_order_whatever_the_network_does(
    lost: set[int], late_ms: list[int], calm: bool, twice: set[int]
) -> None:
    arrivals = [
        (number * FRAME_S + (late_ms[number] // (20 if calm else 1)) / 1000, number)
        for number in range(151)
        if number not in lost
    ]
    arrivals += [(at + 0.01, number) for at, number in arrivals if number in twice]
    listener = heard(arrivals, rest_s=0.6)
    played = [(n, "decoded") for n in listener.decoded] + [(n, "recovered") for n in listener.recovered]
    assert len({number for number, _ in played}) == len(played)
    assert all(earlier < later for earlier, later in pairwise(listener.decoded))
    assert set(listener.decoded).isdisjoint(lost)
    counts = listener.playout.counts
    assert counts.received == counts.decoded + counts.late + counts.duplicate + counts.leapt
    assert (counts.decoded, counts.recovered) == (len(listener.decoded), len(listener.recovered))
    if calm:
        assert counts.late == 0


@given(lost=st.sets(st.integers(1, 148)))
def test_without_jitter_only_what_has_no_packet_behind_it_is_not_heard(lost: set[int]) -> None:
    alone = {number for number in lost if number + 1 not in lost}
    listener = heard([arrival for arrival in on_time(150) if arrival[1] not in lost])
    assert set(listener.decoded) == set(range(150)) - lost
    assert alone >= set(listener.recovered)
    bursts = [number for number in alone if number - 1 in lost]
    assert len(alone) - len(listener.recovered) <= len(bursts)
