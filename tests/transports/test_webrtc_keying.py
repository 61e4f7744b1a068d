"""Keys that we press: what is sent is what our own reader, and the standard, take for one press each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl_webrtc.digits import KEYS, DigitReader, Press
from voice_hitl_webrtc.keying import END_TICKS, EventPacket, Keying

PRESSED = 100


def packets_of(keying: Keying) -> list[tuple[int, EventPacket]]:
    sent: list[tuple[int, EventPacket]] = []
    tick = 0
    while not keying.idle:
        if (packet := keying.tick()) is not None:
            sent.append((tick, packet))
        tick += 1
    return sent


def test_a_press_is_updates_of_one_timestamp_and_three_ends() -> None:
    keying = Keying()
    keying.press("#")
    sent = packets_of(keying)
    assert {tick - packet.age_ticks for tick, packet in sent} == {0}
    assert {packet.payload[0] for _, packet in sent} == {KEYS.index("#")}
    assert [packet.first for _, packet in sent] == [True] + [False] * 7
    assert [bool(packet.payload[1] & 0x80) for _, packet in sent] == [False] * 5 + [True] * END_TICKS
    durations = [int.from_bytes(packet.payload[2:], "big") for _, packet in sent]
    assert durations == [960, 1_920, 2_880, 3_840, 4_800, 4_800, 4_800, 4_800]


@given(st.text(KEYS, min_size=1, max_size=12), st.data())
def test_every_press_is_read_once_whatever_single_packets_are_lost(keys: str, data: st.DataObject) -> None:
    keying, reader = Keying(), DigitReader(48_000)
    keying.press(keys)
    read: list[Press] = []
    sent = packets_of(keying)
    lost = data.draw(st.sets(st.integers(0, len(sent) // 4)).map(lambda some: {4 * one for one in some}))
    for number, (tick, packet) in enumerate(sent):
        now = tick * 0.02
        read += reader.tick(now)
        if number not in lost:
            read += reader.push(1, (tick - packet.age_ticks) * 960, packet.payload, now)
    read += reader.tick(sent[-1][0] * 0.02 + 1)
    assert "".join(press.key for press in read) == keys
    assert {press.duration_ms for press in read} == {PRESSED}


def test_there_is_nothing_to_send_without_a_key() -> None:
    assert Keying().tick() is None


@pytest.mark.parametrize("keys", ["", "x", "12 3", "E"])
def test_what_is_no_key_is_refused(keys: str) -> None:
    with pytest.raises(ValueError, match="keys of a telephone"):
        Keying().press(keys)
