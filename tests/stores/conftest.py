from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AsyncExitStack
from pathlib import Path
from uuid import uuid4

import pytest

from voice_hitl.store import Store
from voice_hitl.stores.memory import MemoryStore
from voice_hitl.stores.redis import RedisStore
from voice_hitl.stores.sqlite import SQLiteStore
from voice_hitl.testing.redis_server import redis_server

Connect = Callable[[], Store]
"""One more connection to the same store, as another process has it. (The memory of a process has only one.)"""


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Generator[str, None, None]:
    with redis_server(tmp_path_factory.mktemp("redis")) as url:
        yield url


@pytest.fixture(params=["memory", "sqlite", "redis"])
async def connect(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Connect, None]:
    memory = MemoryStore()
    url = str(request.getfixturevalue("redis_url")) if request.param == "redis" else ""
    prefix = "{" + uuid4().hex + "}"
    async with AsyncExitStack() as opened:

        def another() -> Store:
            store: Store
            match request.param:
                case "memory":
                    return memory
                case "sqlite":
                    store = SQLiteStore(tmp_path / "requests.db")
                case _:
                    store = RedisStore(url, prefix=prefix)
            opened.push_async_callback(store.aclose)
            return store

        yield another


@pytest.fixture
def store(connect: Connect) -> Store:
    return connect()
