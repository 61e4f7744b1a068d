from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.playback import MAX_QUEUED_MS, Playback
from voice_hitl.transport import Heard, Played

RATE = 16_000
FRAME = bytes([1, 0]) * 320


def ticks(playback: Playback, count: int, start: int = 0) -> list[Played]:
    return [played for tick in range(start, start + count) for played in playback.tick(tick * 0.02).played]


def queued(*items: tuple[str, int]) -> Playback:
    playback = Playback(RATE)
    for item, frames in items:
        for _ in range(frames):
            assert playback.push(FRAME, item)
    return playback


def test_frames_come_in_order_and_then_silence() -> None:
    playback = Playback(RATE)
    playback.push(b"\1\0" * 320, "a")
    playback.push(b"\2\0" * 320, "a")
    assert [playback.tick(0).pcm for _ in range(3)] == [b"\1\0" * 320, b"\2\0" * 320, None]


def test_a_frame_is_heard_when_its_twenty_milliseconds_are_over() -> None:
    playback = queued(("a", 1))
    assert playback.tick(1.0).played == ()
    assert not playback.idle
    assert playback.tick(1.02).played == (Played("a", 20, 1.02, last=True),)
    assert playback.idle


def test_played_comes_every_100_ms_and_at_the_end_of_an_item() -> None:
    playback = queued(("a", 12), ("b", 1))
    assert [(p.item, p.ms, p.last) for p in ticks(playback, 20)] == [
        ("a", 100, False),
        ("a", 200, False),
        ("a", 240, False),
        ("b", 20, True),
    ]


def test_a_short_last_frame_is_heard_for_what_it_is_and_sent_whole() -> None:
    playback = Playback(RATE)
    playback.push(FRAME + FRAME[:320], "a")
    playback.tick(0)
    short = playback.tick(0.02).pcm
    assert short is not None
    assert len(short) == len(FRAME)
    assert playback.tick(0.04).played == (Played("a", 30, 0.04, last=True),)


def test_an_item_that_goes_on_after_a_pause_goes_on_counting() -> None:
    playback = queued(("a", 2))
    ticks(playback, 5)
    playback.push(FRAME, "prompt")
    ticks(playback, 5)
    playback.push(FRAME, "a")
    assert ticks(playback, 5)[-1].ms == 60


def test_clear_tells_what_was_heard_and_what_was_not() -> None:
    playback = queued(("a", 10), ("b", 3), ("c", 1))
    ticks(playback, 4)
    assert playback.clear() == Heard("a", 80, ("b", "c"))
    assert playback.idle
    assert playback.tick(1).pcm is None


def test_clear_at_the_seam_of_two_items_tells_of_the_one_being_heard() -> None:
    playback = queued(("a", 2), ("b", 3))
    ticks(playback, 2)
    assert playback.clear() == Heard("a", 40, ("b",))


def test_clear_before_anything_was_heard_names_no_item() -> None:
    assert queued(("a", 3)).clear() == Heard(dropped=("a",))
    assert Playback(RATE).clear() == Heard()


def test_clear_of_an_item_that_waits_for_more_of_itself_tells_its_position() -> None:
    playback = queued(("a", 2))
    ticks(playback, 5)
    playback.push(FRAME, "a")
    assert playback.clear() == Heard("a", 40)


def test_more_than_ten_minutes_are_not_queued() -> None:
    playback = Playback(RATE)
    while playback.push(FRAME * 100, "a"):
        pass
    assert playback.queued_ms == MAX_QUEUED_MS


@given(st.lists(st.one_of(st.tuples(st.sampled_from("abc"), st.integers(1, 900)), st.none()), max_size=60))
def test_every_millisecond_is_reported_or_dropped_and_positions_never_go_back(
    steps: list[tuple[str, int] | None],
) -> None:
    playback = Playback(RATE)
    queued_samples = dict.fromkeys("abc", 0)
    position = dict.fromkeys("abc", 0.0)
    now = 0.0

    def listen(count: int) -> None:
        nonlocal now
        for _ in range(count):
            now += 0.02
            for played in playback.tick(now).played:
                assert played.ms >= position[played.item]
                position[played.item] = played.ms

    for step in steps:
        if step is None:
            listen(3)
        else:
            item, samples = step
            playback.push(b"\0\0" * samples, item)
            queued_samples[item] += samples
    while not playback.idle:
        listen(1)
    assert {item: round(ms * 16) for item, ms in position.items()} == queued_samples
