"""Users' code of the worst kind."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Generator
from typing import TypeVar

import anyio
import pytest

T = TypeVar("T")


class Swallower:
    """Users' code that swallows every cancellation until it is told to stop."""

    def __init__(self) -> None:
        self.cancellations = 0
        self.stop = asyncio.Event()

    async def __call__(self) -> None:
        while not self.stop.is_set():
            try:
                await self.stop.wait()
            except asyncio.CancelledError:
                self.cancellations += 1


@pytest.fixture
async def swallower() -> AsyncIterator[Swallower]:
    swallower = Swallower()
    yield swallower
    swallower.stop.set()
    await anyio.sleep(0.1)


@pytest.fixture
async def task_factory() -> AsyncIterator[list[str]]:
    """A host's own task factory, as eager ones are; the names of the tasks that it made."""
    loop, made = asyncio.get_running_loop(), list[str]()
    before = loop.get_task_factory()

    def make(
        loop: asyncio.AbstractEventLoop,
        work: Coroutine[object, None, T] | Generator[object, None, T],
        /,
        **options: object,
    ) -> "asyncio.Task[T]":
        made.append(f"{options.get('name')}")
        assert isinstance(work, Coroutine)
        return asyncio.Task(work, loop=loop)

    loop.set_task_factory(make)
    yield made
    loop.set_task_factory(before)
