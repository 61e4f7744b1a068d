"""The 20 ms clock of one direction of a leg."""

from itertools import pairwise

import anyio
import pytest

from voice_hitl.tasks import current_time, this_loop
from voice_hitl_webrtc.clock import CATCH_UP_S, PERIOD_S, Clock

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


async def test_it_calls_every_twenty_milliseconds_from_its_start_until_it_is_stopped() -> None:
    times: list[float] = []
    clock = Clock(times.append)
    assert not clock.runs
    began = current_time()
    clock.start(began + 0.01)
    assert clock.runs
    await anyio.sleep(0.055)
    clock.stop()
    clock.stop()
    await anyio.sleep(1)
    assert [at - began for at in times] == pytest.approx([0.01, 0.03, 0.05])


@pytest.mark.parametrize(
    ("stall_s", "periods"),
    [(0.09, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]), (1.0, [1.0, 1.0, 50.0])],
    ids=["what is missed in a short one comes in a burst", "a long one is left out"],
)
async def test_after_a_standstill_of_the_process_it_goes_on_in_the_present(
    stall_s: float, periods: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    times: list[float] = []
    clock, loop = Clock(times.append), this_loop()
    clock.start(current_time())
    await anyio.sleep(PERIOD_S + 0.005)
    time = loop.time
    monkeypatch.setattr(loop, "time", lambda: time() + stall_s)
    await anyio.sleep(0.02)
    clock.stop()
    gaps = [(later - earlier) / PERIOD_S for earlier, later in pairwise(times)]
    assert gaps == pytest.approx(periods)
    assert current_time() - times[-1] < CATCH_UP_S
