"""Waits for something to become so."""

import anyio
import pytest

from voice_hitl.testing.waits import Waits

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


async def test_what_is_so_already_is_not_waited_for() -> None:
    assert await Waits().until(lambda: True, 0)


async def test_a_wait_is_over_when_somebody_looks_and_it_is_so() -> None:
    waits, heard, over = Waits(), list[int](), list[bool]()

    async def wait() -> None:
        over.append(await waits.until(lambda: len(heard) == 2, 10))

    async with anyio.create_task_group() as group:
        group.start_soon(wait)
        for number in range(2):
            await anyio.wait_all_tasks_blocked()
            assert over == []
            heard.append(number)
            waits.look()
    assert over == [True]


async def test_a_wait_in_vain_says_so() -> None:
    assert not await Waits().until(lambda: False, 5)
    assert anyio.current_time() == pytest.approx(5)
