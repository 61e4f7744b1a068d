from random import Random

from hypothesis import given
from hypothesis import strategies as st

from voice_hitl_webrtc.digits import KEYS, LONGEST_SEGMENT, DigitReader, Press

SOURCE = 7


def event(key: str, duration: int, end: bool = False) -> bytes:
    return bytes([KEYS.index(key), 0x80 if end else 0x0A]) + duration.to_bytes(2, "big")


def press(key: str, began: int, steps: int = 4, ends: int = 3) -> list[tuple[int, bytes]]:
    """What a sender makes of one press: growing durations, and the end several times."""
    return [(began, event(key, 960 * step)) for step in range(1, steps)] + [
        (began, event(key, 960 * steps, end=True)) for _ in range(ends)
    ]


def read(packets: list[tuple[int, bytes]]) -> list[Press]:
    reader = DigitReader(48_000)
    found = [
        p for at, (timestamp, payload) in enumerate(packets) for p in reader.push(SOURCE, timestamp, payload, at / 50)
    ]
    return found + reader.tick(len(packets) / 50 + 1)


def test_one_press_is_one_digit_however_often_its_end_is_told() -> None:
    assert read(press("4", 1_000)) == [Press("4", 80)]


def test_the_same_key_twice_is_two_digits() -> None:
    assert read(press("4", 1_000) + press("4", 20_000)) == [Press("4", 80), Press("4", 80)]


def test_a_digit_is_known_at_its_first_end_packet() -> None:
    reader = DigitReader(48_000)
    assert reader.push(SOURCE, 0, event("#", 960), 0.0) == []
    assert reader.push(SOURCE, 0, event("#", 1_920, end=True), 0.1) == [Press("#", 40)]
    assert reader.push(SOURCE, 0, event("#", 1_920, end=True), 0.15) == []


def test_a_press_whose_end_is_lost_is_over_when_the_next_begins() -> None:
    lost = press("4", 1_000)[:3]
    assert read(lost + press("2", 20_000)) == [Press("4", 60), Press("2", 80)]


def test_a_press_whose_end_is_lost_is_over_when_nothing_more_comes() -> None:
    reader = DigitReader(48_000)
    reader.push(SOURCE, 0, event("1", 960), 1.0)
    assert reader.tick(1.1) == []
    assert reader.tick(1.3) == [Press("1", 20)]
    assert reader.tick(2.0) == []


def test_a_press_longer_than_a_segment_is_still_one_digit() -> None:
    first = [(500, event("0", LONGEST_SEGMENT))]
    second = [(500 + LONGEST_SEGMENT, event("0", 960)), *[(500 + LONGEST_SEGMENT, event("0", 1_920, end=True))] * 3]
    assert read(first + second) == [Press("0", round((LONGEST_SEGMENT + 1_920) / 48))]


def test_codes_that_are_no_key_are_dropped_and_so_are_packets_too_short() -> None:
    assert read([(0, bytes([16, 0x80, 0, 10])), (9, b"\1\0")]) == []


def test_another_source_is_another_press() -> None:
    reader = DigitReader(8_000)
    assert reader.push(1, 0, event("5", 800, end=True), 0.0) == [Press("5", 100)]
    assert reader.push(2, 0, event("5", 800, end=True), 0.1) == [Press("5", 100)]


@given(
    keys=st.text(st.sampled_from(KEYS), min_size=1, max_size=8),
    origin=st.integers(0, 2**32 - 1),
    order=st.randoms(use_true_random=False),
    drop=st.sets(st.integers(0, 5), max_size=5),
)
def test_every_key_is_read_once_whatever_is_lost_of_it(keys: str, origin: int, order: Random, drop: set[int]) -> None:
    packets: list[tuple[int, bytes]] = []
    for index, key in enumerate(keys):
        sent = press(key, (origin + index * 9_600) % 2**32)
        kept = [packet for number, packet in enumerate(sent) if number not in drop]
        order.shuffle(kept)
        packets += kept
    assert "".join(p.key for p in read(packets)) == keys
