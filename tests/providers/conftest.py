from collections.abc import AsyncIterator

import pytest

from tests.providers.connected import Line, calling
from tests.providers.talk import Talk
from voice_hitl.testing.openai_realtime import OpenAIRealtimeServer


@pytest.fixture
def talk() -> Talk:
    return Talk()


@pytest.fixture
async def server() -> AsyncIterator[OpenAIRealtimeServer]:
    async with OpenAIRealtimeServer(speed=200) as running:
        yield running


@pytest.fixture
async def line(server: OpenAIRealtimeServer) -> AsyncIterator[Line]:
    async with calling(server) as connected:
        yield connected
