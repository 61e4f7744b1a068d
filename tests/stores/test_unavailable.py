"""Stores that go away, are full, or are damaged."""

import sqlite3
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import pytest

from tests.human_input.told import Told
from tests.stores.test_contract import OPEN
from voice_hitl.enums import RequestEnd
from voice_hitl.errors import StoreUnavailable
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.requests.pending import PendingInput
from voice_hitl.store import Row, RowState, Store, Unreadable
from voice_hitl.stores.redis import RedisStore
from voice_hitl.stores.sqlite import LAYOUT, SQLiteStore
from voice_hitl.testing.redis_server import redis_server

pytestmark = pytest.mark.anyio


async def there(store: Store, request: PendingInput) -> None:
    """Return once it is saved, which a store tells nobody."""
    while await store.read(request.pending_id) is None:  # noqa: ASYNC110 - nothing tells of it
        await anyio.sleep(0.01)


@pytest.mark.parametrize("is_let_go", [True, False])
async def test_who_makes_the_file_at_the_same_time_is_waited_for_and_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_let_go: bool
) -> None:
    path = tmp_path / "requests.db"
    maker = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    maker.execute("begin immediate")
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if is_let_go:
            maker.execute("commit")

    monkeypatch.setattr("voice_hitl.stores.sqlite.time.sleep", wait)
    monkeypatch.setattr("voice_hitl.stores.sqlite.BUSY_S", 0.5)
    store = SQLiteStore(path)
    if is_let_go:
        assert await store.read("r1") is None
        assert len(waits) == 1
    else:
        with pytest.raises(StoreUnavailable, match="locked"):
            await store.read("r1")
    await store.aclose()
    maker.close()


async def test_a_redis_server_that_goes_away_in_the_middle_of_a_call_ends_no_request(tmp_path: Path) -> None:
    with redis_server(tmp_path) as url:
        store = RedisStore(url)
        handler = HumanInputHandler(store=store)
        saved = await handler.create("Ask", {})
        with anyio.fail_after(30):
            await there(store, saved)
    unsaved = await handler.create("Ask", {})
    with pytest.raises(StoreUnavailable):
        await store.read(saved.pending_id)
    for request in (saved, unsaved):
        assert handler.resolve(request.pending_id, "yes")
        assert await handler.wait(request.pending_id) == "yes"
    await handler.close()
    await store.aclose()


async def test_a_redis_server_that_comes_back_has_everything_again_and_its_loss_was_reported_once(
    tmp_path: Path,
) -> None:
    told = Told()
    with redis_server(tmp_path) as url:
        port = urlsplit(url).port
        store = RedisStore(url)
        handler = HumanInputHandler(store=store)
        handler.register_channel("voice", told)
        saved = await handler.create("Ask", {}, channel_id="voice")
        with anyio.fail_after(30):
            await there(store, saved)
    unsaved = [await handler.create("Ask", {"number": number}, channel_id="voice") for number in range(3)]
    with anyio.fail_after(30):
        while len(told.required_events) < 4:  # noqa: ASYNC110 - nothing tells of it
            await anyio.sleep(0.01)
    assert [source for _, source, _ in told.failures] == ["store"]
    with redis_server(tmp_path, port=port), anyio.fail_after(20):
        for request in unsaved:
            await there(store, request)
        assert handler.resolve(saved.pending_id, "yes")
        await there(store, saved)
        await handler.close()
        await store.aclose()


async def test_a_write_to_a_server_that_was_started_again_meanwhile_is_no_failure(tmp_path: Path) -> None:
    with redis_server(tmp_path) as url:
        store = RedisStore(url)
        assert await store.write(OPEN)
    with redis_server(tmp_path, port=urlsplit(url).port):
        assert await store.write(OPEN)
        assert await store.read(OPEN.id) == OPEN
        await store.aclose()


async def test_damaged_rows_of_redis_are_reported_and_passed_over(redis_url: str) -> None:
    store = RedisStore(redis_url, prefix="{damaged}")
    await store.write(OPEN)
    server = store._redis  # pyright: ignore[reportPrivateUsage] - somebody else's writes
    await server.hset("{damaged}:request:no-body", "version", "1")
    await server.hset("{damaged}:request:odd", mapping={"version": "1", "state": "odd", "holder": "", "body": "{}"})
    await server.set("{damaged}:request:text", "what is this")
    await server.sadd("{damaged}:unsettled", "no-body", "odd", "text", "gone")
    listing = await store.unsettled()
    assert list(listing.rows) == [OPEN]
    assert [each.id for each in listing.unreadable] == ["no-body", "odd", "text"]
    await store.aclose()


async def test_damaged_rows_of_a_file_are_reported_and_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "requests.db"
    store = SQLiteStore(path)
    await store.write(OPEN)
    with sqlite3.connect(path) as file:
        file.execute("insert into requests values ('bytes', 1, 'open', '', x'ff00', null)")
        file.execute("insert into requests values ('odd', 1, 'odd', '', '{}', null)")
    file.close()
    listing = await store.unsettled()
    assert list(listing.rows) == [OPEN]
    assert [each.id for each in listing.unreadable] == ["bytes", "odd"]
    assert isinstance(await store.read("odd"), Unreadable)
    await store.aclose()


async def test_a_file_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "requests.db"
    with sqlite3.connect(path) as file:
        file.execute(f"pragma user_version = {LAYOUT + 1}")
    file.close()
    store = SQLiteStore(path)
    with pytest.raises(StoreUnavailable, match="newer version"):
        await store.read("r1")
    with sqlite3.connect(path) as file:
        assert file.execute("select count(*) from sqlite_master").fetchone() == (0,)
    file.close()


async def test_a_file_that_is_none_of_ours_or_nowhere_is_unavailable(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("these are notes, and no data base at all" * 100)
    for store in (SQLiteStore(path), SQLiteStore(tmp_path / "no folder" / "requests.db")):
        with pytest.raises(StoreUnavailable):
            await store.write(OPEN)


async def test_a_full_disk_ends_no_request_and_saving_goes_on_when_there_is_room(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "requests.db")
    await store.write(OPEN)
    file = store._connection  # pyright: ignore[reportPrivateUsage] - a disk of a few pages
    assert file is not None
    pages = int(file.execute("pragma page_count").fetchone()[0])
    file.execute(f"pragma max_page_count = {pages}")
    big = replace(OPEN, id="big", body=f'"{"x" * 100_000}"')
    with pytest.raises(StoreUnavailable, match="full"):
        await store.write(big)
    handler = HumanInputHandler(store=store)
    pending = await handler.create("Ask", {"text": "x" * 100_000})
    await anyio.sleep(0.1)
    assert await store.read(pending.pending_id) is None
    file.execute("pragma max_page_count = 1000000")
    with anyio.fail_after(30):
        await there(store, pending)
    assert handler.reject(pending.pending_id, "no")
    assert pending.end is RequestEnd.REFUSED
    await handler.close()
    row = await store.read(pending.pending_id)
    assert isinstance(row, Row)
    assert row.state is RowState.SETTLED
    await store.aclose()


async def test_what_was_settled_is_kept_for_so_long(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "requests.db", settled_for_s=0)
    await store.write(OPEN)
    await store.write(replace(OPEN, version=2, state=RowState.SETTLED))
    await store.renew("desk", 1)
    assert await store.read("r1") is None
    await store.aclose()
