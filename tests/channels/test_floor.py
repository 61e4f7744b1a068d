"""Who speaks: one holder at a time, in order of arrival."""

import anyio
import anyio.lowlevel
import pytest

from voice_hitl.channels.floor import QUEUE, Floor, FloorFull

pytestmark = pytest.mark.anyio


async def test_one_holds_it_and_gives_it_back_to_the_model() -> None:
    returned: list[str] = []
    floor = Floor(lambda: returned.append("model"))
    async with floor.taken_by("p1"):
        assert (floor.holder, returned) == ("p1", [])
    assert (floor.holder, returned) == (None, ["model"])


async def test_the_others_wait_in_order_of_arrival_and_the_model_is_not_heard_between() -> None:
    order: list[str] = []
    returned: list[str] = []
    floor = Floor(lambda: returned.append("model"))

    async def ask(pending_id: str) -> None:
        async with floor.taken_by(pending_id):
            order.append(pending_id)
            await anyio.lowlevel.checkpoint()
            assert floor.holder == pending_id

    async with anyio.create_task_group() as group:
        for pending_id in ("p1", "p2", "p3"):
            group.start_soon(ask, pending_id)
    assert (order, returned) == (["p1", "p2", "p3"], ["model"])


async def test_one_too_many_fails_at_once() -> None:
    floor = Floor()

    async def ask(number: int) -> None:
        async with floor.taken_by(f"p{number}"):
            await anyio.sleep_forever()

    async with anyio.create_task_group() as group:
        for number in range(QUEUE + 1):
            group.start_soon(ask, number)
        await anyio.lowlevel.checkpoint()
        await anyio.lowlevel.checkpoint()
        with pytest.raises(FloorFull):
            async with floor.taken_by("one more"):
                raise AssertionError
        group.cancel_scope.cancel()
    assert floor.holder is None


async def test_one_that_leaves_the_queue_is_passed_over() -> None:
    floor = Floor()
    got: list[str] = []
    leaves = anyio.CancelScope()

    async def impatient() -> None:
        with leaves:
            async with floor.taken_by("p2"):
                got.append("p2")

    async def patient() -> None:
        async with floor.taken_by("p3"):
            got.append("p3")

    async with anyio.create_task_group() as group, floor.taken_by("p1"):
        group.start_soon(impatient)
        group.start_soon(patient)
        await anyio.lowlevel.checkpoint()
        await anyio.lowlevel.checkpoint()
        leaves.cancel()
        await anyio.lowlevel.checkpoint()
        await anyio.lowlevel.checkpoint()
    assert got == ["p3"]


async def test_one_that_leaves_as_it_is_handed_the_floor_passes_it_on() -> None:
    floor = Floor()
    got: list[str] = []
    leaves = anyio.CancelScope()

    async def impatient() -> None:
        with leaves:
            async with floor.taken_by("p2"):
                await anyio.sleep_forever()

    async def patient() -> None:
        async with floor.taken_by("p3"):
            got.append("p3")

    async with anyio.create_task_group() as group:
        async with floor.taken_by("p1"):
            group.start_soon(impatient)
            group.start_soon(patient)
            await anyio.lowlevel.checkpoint()
            await anyio.lowlevel.checkpoint()
        leaves.cancel()
    assert (got, floor.holder) == (["p3"], None)
