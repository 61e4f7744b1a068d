"""One timer for everybody who has something to do every 20 ms."""

from collections.abc import Callable

import anyio
import pytest

from voice_hitl.tasks import BEAT_S, CATCH_UP_S, Beat, current_time, this_loop

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


def noting(times: list[float]) -> Callable[[float], None]:
    began = current_time()
    return lambda due: times.append(round(due - began, 6))


async def test_the_first_is_called_at_once_and_then_every_20_ms() -> None:
    times: list[float] = []
    place = Beat(noting(times), "test")
    await anyio.sleep(2.5 * BEAT_S)
    place.leave()
    place.leave()
    await anyio.sleep(1)
    assert times == [0.0, 0.02, 0.04]


async def test_who_joins_later_is_called_with_the_others_and_behind_them() -> None:
    calls: list[str] = []
    first = Beat(lambda _due: calls.append("first"), "test")
    await anyio.sleep(0.5 * BEAT_S)
    second = Beat(lambda _due: calls.append("second"), "test")
    await anyio.sleep(BEAT_S)
    first.leave()
    await anyio.sleep(BEAT_S)
    second.leave()
    assert calls == ["first", "first", "second", "second"]


async def test_who_left_in_a_beat_is_not_called_in_it_any_more() -> None:
    calls: list[str] = []
    places: list[Beat] = []
    places.append(Beat(lambda _due: places[1].leave(), "test"))
    places.append(Beat(lambda _due: calls.append("left"), "test"))
    await anyio.sleep(BEAT_S)
    places[0].leave()
    assert calls == []


async def test_one_that_fails_is_told_and_ends_and_the_others_go_on(caplog: pytest.LogCaptureFixture) -> None:
    times: list[float] = []

    def broken(_due: float) -> None:
        raise OSError("unplugged")

    Beat(broken, "a leg")
    place = Beat(noting(times), "test")
    await anyio.sleep(1.5 * BEAT_S)
    place.leave()
    assert times == [0.0, 0.02]
    assert [record.message for record in caplog.records] == ["a leg failed"]


@pytest.mark.parametrize(
    ("stall_s", "times"),
    [(0.05, [0.0, 0.02, 0.04, 0.06]), (1.2, [0.0, 0.02, *(round(1.02 + 0.02 * n, 6) for n in range(10))])],
)
async def test_after_a_stall_what_was_missed_is_made_good_up_to_a_bound(
    stall_s: float, times: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    due: list[float] = []
    loop = this_loop()
    place = Beat(noting(due), "test")
    await anyio.sleep(0.5 * BEAT_S)
    clock = loop.time
    monkeypatch.setattr(loop, "time", lambda: clock() + stall_s)
    await anyio.sleep(0.25 * BEAT_S)
    place.leave()
    assert due == times
    assert stall_s < CATCH_UP_S or due[-1] - due[2] < CATCH_UP_S


async def test_nothing_is_left_of_a_beat_in_which_nobody_has_a_place() -> None:
    times: list[float] = []
    for _ in range(2):
        place = Beat(noting(times), "test")
        await anyio.sleep(0.5 * BEAT_S)
        place.leave()
        await anyio.sleep(0.01 * BEAT_S)
    assert times == [0.0, 0.0]
