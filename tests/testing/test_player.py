import anyio
import pytest

from voice_hitl.testing.player import Player
from voice_hitl.transport import Heard, Played

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

FRAME = b"\0\0"


class Ear:
    """Keeps what a player says."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.played: list[tuple[str, float, float, bool]] = []
        self.began = anyio.current_time()
        self.player = Player(on_heard=lambda item, _frame: self.heard.append(item), on_played=self._on_played)

    def _on_played(self, played: Played) -> None:
        self.played.append((played.item, played.ms, round((played.at - self.began) * 1000, 6), played.last))

    def add(self, item: str, frames: int) -> None:
        for _ in range(frames):
            self.player.add(FRAME, item)


async def test_frames_are_heard_in_real_time() -> None:
    ear = Ear()
    ear.add("a", 2)
    assert ear.heard == []
    await anyio.sleep(0.019)
    assert ear.heard == []
    await anyio.sleep(0.002)
    assert ear.heard == ["a"]
    await ear.player.dry()
    assert ear.heard == ["a", "a"]


async def test_it_tells_every_100_ms_at_an_items_end_and_when_it_runs_dry() -> None:
    ear = Ear()
    ear.add("a", 7)
    ear.add("b", 1)
    await ear.player.dry()
    assert ear.played == [("a", 100, 100, False), ("a", 140, 140, False), ("b", 20, 160, True)]


async def test_an_item_that_goes_on_after_a_gap_is_counted_on() -> None:
    ear = Ear()
    ear.add("a", 1)
    await ear.player.dry()
    await anyio.sleep(1)
    ear.add("a", 1)
    await ear.player.dry()
    assert ear.played == [("a", 20, 20, True), ("a", 40, 1040, True)]


async def test_clearing_says_what_was_heard_and_what_was_not() -> None:
    ear = Ear()
    ear.add("a", 5)
    ear.add("b", 5)
    ear.add("c", 1)
    await anyio.sleep(0.05)
    assert ear.player.clear() == Heard("a", 50, ("b", "c"))
    await anyio.sleep(1)
    assert ear.heard == ["a", "a"]


async def test_clearing_before_anything_was_heard_drops_all() -> None:
    ear = Ear()
    ear.add("a", 1)
    assert ear.player.clear() == Heard(dropped=("a",))


async def test_clearing_in_the_first_frame_of_a_later_item_counts_that_item() -> None:
    ear = Ear()
    ear.add("a", 1)
    ear.add("b", 1)
    await anyio.sleep(0.025)
    assert ear.player.clear() == Heard("b", 5, ())


async def test_clearing_when_nothing_plays_finds_nothing() -> None:
    ear = Ear()
    assert ear.player.clear() == Heard()
    ear.add("a", 1)
    await ear.player.dry()
    assert ear.player.clear() == Heard()


async def test_waiting_for_the_end_returns_when_it_is_stopped() -> None:
    ear = Ear()
    await ear.player.dry()
    ear.add("a", 100)
    async with anyio.create_task_group() as group:
        group.start_soon(ear.player.dry)
        await anyio.sleep(1)
        ear.player.stop()
    assert len(ear.heard) == 50
