"""How often somebody may do something."""

from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.console.limits import MOST_KNOWN, Limit


def test_so_many_at_once_and_then_so_many_a_second() -> None:
    limit = Limit(burst=2, per_second=0.5)
    assert [limit.wait_for("ann", 0) for _ in range(3)] == [0, 0, 2]
    assert limit.wait_for("bob", 0) == 0
    assert limit.would_wait("ann", 1) == 1
    assert [limit.wait_for("ann", 2), limit.wait_for("ann", 2)] == [0, 2]


def test_of_too_many_who_was_quiet_for_longest_begins_anew() -> None:
    limit = Limit(burst=1, per_second=0.001)
    for who in ("ann", "bob", "ann"):
        limit.wait_for(who, 0)
    for number in range(MOST_KNOWN - 2):
        limit.wait_for(str(number), 1)
    assert limit.would_wait("bob", 2) > 0
    limit.wait_for("one more", 2)
    assert limit.would_wait("bob", 3) == 0
    assert limit.would_wait("ann", 3) > 0


@given(st.lists(st.floats(0, 10), min_size=1, max_size=50))
def test_never_more_than_the_burst_and_what_has_come_since(times: list[float]) -> None:
    limit = Limit(burst=3, per_second=1)
    taken = [at for at in sorted(times) if not limit.wait_for("ann", at)]
    for first, at in enumerate(taken):
        for count, later in enumerate(taken[first:], 1):
            assert count <= 3 + (later - at) + 1e-6
