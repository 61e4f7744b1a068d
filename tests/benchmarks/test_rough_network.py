"""The networks that the loss matrix runs over do what their names say."""

from itertools import groupby
from random import Random

import pytest
from rough_network import CONDITIONS, Condition, Network

PACKETS = 50_000


def delays(condition: Condition) -> list[float | None]:
    network = Network(condition, Random(3))
    return [network.delay_s(number * 0.02) for number in range(PACKETS)]


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda condition: condition.name)
def test_a_network_loses_the_share_that_it_says_in_bursts_of_their_length(condition: Condition) -> None:
    came = delays(condition)
    lost = [delay is None for delay in came]
    assert sum(lost) / PACKETS == pytest.approx(condition.loss, rel=0.25)
    bursts = [len(list(run)) for is_lost, run in groupby(lost) if is_lost]
    if bursts and condition.burst > 1:
        assert sum(bursts) / len(bursts) == pytest.approx(condition.burst, rel=0.25)


def test_jitter_is_within_its_bound_and_keeps_the_order() -> None:
    came = [delay for delay in delays(Condition(name="jitter", jitter_ms=60)) if delay is not None]
    arrivals = [number * 0.02 + delay for number, delay in enumerate(came)]
    assert 0.055 < max(came) <= 0.06 + 1e-9
    assert arrivals == sorted(arrivals)


def test_a_reordered_packet_comes_behind_the_next_and_a_drift_grows() -> None:
    came = delays(Condition(name="reordered", reordered=0.05))
    assert sum(delay == 0.03 for delay in came) / PACKETS == pytest.approx(0.05, rel=0.1)
    drifted = delays(Condition(name="drift", drift_ppm=200))
    assert drifted[-1] == pytest.approx(PACKETS * 0.02 * 200e-6, rel=0.01)
