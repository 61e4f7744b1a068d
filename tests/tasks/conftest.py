"""Users' code of the worst kind."""

import asyncio
from collections.abc import AsyncIterator

import anyio
import pytest


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
