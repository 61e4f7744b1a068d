"""A bound that stands still for a while."""

import anyio
import pytest

from voice_hitl.channels.pausing_bound import PausingBound

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


async def test_it_expires_once_after_its_time() -> None:
    expired: list[float] = []
    PausingBound(5, lambda: expired.append(anyio.current_time()))
    began = anyio.current_time()
    await anyio.sleep(20)
    assert expired == [began + 5]


async def test_it_does_not_run_while_it_is_paused_however_often_it_is_told() -> None:
    expired: list[float] = []
    bound, began = PausingBound(5, lambda: expired.append(anyio.current_time())), anyio.current_time()
    await anyio.sleep(2)
    for _ in range(2):
        bound.pause()
    await anyio.sleep(100)
    for _ in range(2):
        bound.resume()
    await anyio.sleep(10)
    assert expired == [began + 105]


async def test_one_that_is_stopped_never_expires_and_no_bound_is_none() -> None:
    expired: list[str] = []
    stopped = PausingBound(5, lambda: expired.append("stopped"))
    stopped.stop()
    stopped.resume()
    none = PausingBound(None, lambda: expired.append("none"))
    none.pause()
    none.resume()
    await anyio.sleep(100)
    assert expired == []
