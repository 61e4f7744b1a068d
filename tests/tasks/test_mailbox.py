import asyncio

import anyio
import pytest

from voice_hitl.errors import ConnectionEnded
from voice_hitl.tasks import (
    Mailbox,
)

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


async def test_a_reader_gets_the_items_in_order() -> None:
    mailbox: Mailbox[int] = Mailbox()
    mailbox.put(1)
    mailbox.put(2)
    assert len(mailbox) == 2
    assert [await mailbox.get(), await mailbox.get()] == [1, 2]


async def test_a_waiting_reader_wakes() -> None:
    mailbox: Mailbox[str] = Mailbox()
    got: list[str] = []

    async def read() -> None:
        got.append(await mailbox.get())

    async with anyio.create_task_group() as group:
        group.start_soon(read)
        await anyio.sleep(1)
        mailbox.put("late")
    assert got == ["late"]


async def test_a_closed_mailbox_is_read_to_its_end() -> None:
    mailbox: Mailbox[int] = Mailbox()
    mailbox.put(1)
    mailbox.close()
    mailbox.put(2)
    assert await mailbox.get() == 1
    with pytest.raises(ConnectionEnded):
        await mailbox.get()


async def test_closing_wakes_the_reader() -> None:
    mailbox: Mailbox[int] = Mailbox()
    async with anyio.create_task_group() as group:

        async def read() -> None:
            assert [item async for item in mailbox] == [1]

        group.start_soon(read)
        await anyio.sleep(1)
        mailbox.put(1)
        await anyio.sleep(1)
        mailbox.close()


async def test_over_its_limit_the_oldest_that_may_be_dropped_is_dropped_and_counted() -> None:
    mailbox: Mailbox[str] = Mailbox(limit=2, droppable=lambda item: item.startswith("audio"))
    for item in ("call", "audio 1", "digit", "audio 2", "audio 3", "hang-up", "audio 4"):
        mailbox.put(item)
    mailbox.close()
    assert [item async for item in mailbox] == ["call", "digit", "audio 3", "hang-up", "audio 4"]
    assert mailbox.dropped == 2


async def test_what_was_read_makes_room() -> None:
    mailbox: Mailbox[int] = Mailbox(limit=1, droppable=lambda _item: True)
    for number in range(3):
        mailbox.put(number)
        assert await mailbox.get() == number
    assert mailbox.dropped == 0


async def test_without_a_limit_nothing_is_dropped() -> None:
    mailbox: Mailbox[int] = Mailbox(droppable=lambda _item: True)
    for number in range(100):
        mailbox.put(number)
    assert (len(mailbox), mailbox.dropped) == (100, 0)


async def test_a_mailbox_has_one_reader() -> None:
    mailbox: Mailbox[int] = Mailbox()
    async with anyio.create_task_group() as group:
        group.start_soon(mailbox.get)
        await anyio.sleep(1)
        with pytest.raises(RuntimeError, match="one reader"):
            await mailbox.get()
        mailbox.put(1)


async def test_a_cancelled_reader_loses_nothing() -> None:
    mailbox: Mailbox[int] = Mailbox()
    reader = asyncio.create_task(mailbox.get())
    await anyio.sleep(1)
    mailbox.put(1)
    reader.cancel()
    await asyncio.wait({reader})
    assert reader.cancelled()
    assert await mailbox.get() == 1
