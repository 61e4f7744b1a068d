"""`SQLiteStore`: requests in one file, for the processes of one machine. The standard library's sqlite3, in a thread.

The journal is a write-ahead log, synced at its checkpoints: what was written survives the process that wrote it, killed
at any point; a loss of power can take the last moments, but never a claim, which is synced at once.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Final, TypeVar, cast

import anyio
import anyio.to_thread

from voice_hitl.errors import StoreUnavailable
from voice_hitl.store import SETTLED_FOR_S, UNSETTLED, Letter, Listing, Row, RowState, Unreadable

T = TypeVar("T")

POLL_S: Final = 0.04
"""How often letters and verdicts are looked for, in seconds: SQLite cannot tell another process that it wrote."""

BUSY_S: Final = 5.0
"""How long another process may hold the file, in seconds."""

LAYOUT: Final = 1
"""The version of the tables (`PRAGMA user_version`). The rows' own is in their bodies."""

_TABLES: Final = """
create table if not exists requests (
    id text primary key, version integer not null, state text not null, holder text not null, body text not null,
    done_at real) without rowid;
create index if not exists unsettled on requests (id) where done_at is null;
create index if not exists settled on requests (done_at) where done_at is not null;
create table if not exists leases (holder text primary key, until real not null) without rowid;
create table if not exists letters (
    number integer primary key, holder text not null, request_id text not null, key text not null, body text not null);
create index if not exists letters_of on letters (holder);
create table if not exists verdicts (
    request_id text not null, key text not null, body text not null, at real not null,
    primary key (request_id, key)) without rowid;
"""

_WRITE: Final = """
insert into requests (id, version, state, holder, body, done_at) values (?, ?, ?, ?, ?, ?)
on conflict (id) do update set
    version = excluded.version, state = excluded.state, holder = excluded.holder, body = excluded.body,
    done_at = excluded.done_at
"""


class SQLiteStore:
    """A store in one file. Several processes of one machine may share it.

    Args:
        path: The file; made where it is missing, its folder is not.
        settled_for_s: How long outcomes and verdicts are kept, in seconds.
    """

    def __init__(self, path: str | Path, *, settled_for_s: float = SETTLED_FOR_S) -> None:
        self._path = Path(path)
        self._settled_for_s = settled_for_s
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._limiter: anyio.CapacityLimiter | None = None

    async def write(self, row: Row, *, orphan_of: str | None = None) -> bool:
        """See `Store.write`."""

        def write(db: sqlite3.Connection) -> bool:
            # It may be set between transactions only. One of the modes costs a sync, the other none.
            db.execute(f"pragma synchronous = {'full' if row.state is RowState.CLAIMED else 'normal'}")
            db.execute("begin immediate")
            there = cast(
                "tuple[object, ...] | None",
                db.execute("select version, state, holder, body from requests where id = ?", (row.id,)).fetchone(),
            )
            if there == (row.version, row.state, row.holder, row.body):
                return True
            if (there[0] if there is not None else 0) != row.version - 1:
                return False
            if orphan_of is not None and _runs(db, orphan_of, time.time()):
                return False
            done_at = None if row.state in UNSETTLED else time.time()
            db.execute(_WRITE, (row.id, row.version, row.state, row.holder, row.body, done_at))
            return True

        return await self._run(write)

    async def read(self, request_id: str) -> Row | Unreadable | None:
        """See `Store.read`."""

        def read(db: sqlite3.Connection) -> Row | Unreadable | None:
            query = "select id, version, state, holder, body from requests where id = ?"
            found = cast("tuple[object, ...] | None", db.execute(query, (request_id,)).fetchone())
            return _row(found) if found is not None else None

        return await self._run(read)

    async def unsettled(self) -> Listing:
        """See `Store.unsettled`."""

        def read(db: sqlite3.Connection) -> Listing:
            query = "select id, version, state, holder, body from requests where done_at is null"
            found = [_row(cast("tuple[object, ...]", each)) for each in db.execute(query)]
            return Listing(
                [each for each in found if isinstance(each, Row)],
                [each for each in found if isinstance(each, Unreadable)],
            )

        return await self._run(read)

    async def renew(self, holder: str, seconds: float) -> bool:
        """See `Store.renew`. What has been kept long enough goes, too."""

        def renew(db: sqlite3.Connection) -> bool:
            now = time.time()
            db.execute("begin immediate")
            ran = _runs(db, holder, now)
            db.execute("insert or replace into leases (holder, until) values (?, ?)", (holder, now + seconds))
            db.execute("delete from leases where until < ?", (now - seconds,))
            db.execute("delete from letters where holder not in (select holder from leases)")
            db.execute("delete from requests where done_at < ?", (now - self._settled_for_s,))
            db.execute("delete from verdicts where at < ?", (now - self._settled_for_s,))
            return ran

        return await self._run(renew)

    async def lapse(self, holder: str) -> None:
        """See `Store.lapse`."""

        def lapse(db: sqlite3.Connection) -> None:
            db.execute("begin immediate")
            db.execute("delete from leases where holder = ?", (holder,))
            db.execute("delete from letters where holder = ?", (holder,))

        await self._run(lapse)

    async def alive(self, holders: Collection[str]) -> frozenset[str]:
        """See `Store.alive`."""

        def alive(db: sqlite3.Connection) -> frozenset[str]:
            rows = db.execute("select holder from leases where until > ?", (time.time(),))
            return frozenset(str(row[0]) for row in rows) & frozenset(holders)

        return await self._run(alive)

    async def post(self, letter: Letter) -> None:
        """See `Store.post`."""

        def post(db: sqlite3.Connection) -> None:
            db.execute(
                "insert into letters (holder, request_id, key, body) values (?, ?, ?, ?)",
                (letter.holder, letter.request_id, letter.key, letter.body),
            )

        await self._run(post)

    async def letters(self, holder: str, *, timeout_s: float) -> Sequence[Letter]:
        """See `Store.letters`."""

        def take(db: sqlite3.Connection) -> list[Letter]:
            query = "select 1 from letters where holder = ?"
            if db.execute(query, (holder,)).fetchone() is None:
                return []
            # What was said in an answer does not stay behind in the free pages of the file.
            query = "delete from letters where holder = ? returning number, request_id, key, body"
            rows = cast("list[tuple[int, str, str, str]]", db.execute(query, (holder,)).fetchall())
            return [Letter(holder, *row[1:]) for row in sorted(rows)]

        came: list[Letter] = []
        with anyio.move_on_after(timeout_s):
            while not came:
                with anyio.CancelScope(shield=True):
                    came = await self._run(take)
                if not came:
                    await anyio.sleep(POLL_S)
        return came

    async def reply(self, letter: Letter, verdict: str) -> None:
        """See `Store.reply`."""

        def reply(db: sqlite3.Connection) -> None:
            db.execute(
                "insert or ignore into verdicts (request_id, key, body, at) values (?, ?, ?, ?)",
                (letter.request_id, letter.key, verdict, time.time()),
            )

        await self._run(reply)

    async def verdict(self, request_id: str, key: str, *, timeout_s: float) -> str | None:
        """See `Store.verdict`."""

        def look(db: sqlite3.Connection) -> str | None:
            query = "select body from verdicts where request_id = ? and key = ?"
            found = cast("tuple[str] | None", db.execute(query, (request_id, key)).fetchone())
            return found[0] if found is not None else None

        said = await self._run(look)
        with anyio.move_on_after(max(timeout_s, 0)):
            while said is None and timeout_s > 0:
                await anyio.sleep(POLL_S)
                said = await self._run(look)
        return said

    async def aclose(self) -> None:
        """Close the file; the next use opens it again."""

        def close() -> None:
            with self._lock:
                connection, self._connection = self._connection, None
                if connection is not None:
                    connection.close()

        await anyio.to_thread.run_sync(close)

    # --- the thread --------------------------------------------------------------------------------------------------

    async def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if self._limiter is None:
            # Its own: users' handlers may have taken every thread that there is by default.
            self._limiter = anyio.CapacityLimiter(1)
        return await anyio.to_thread.run_sync(self._in_thread, work, limiter=self._limiter)

    def _in_thread(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock:
            try:
                connection = self._connection = self._connection or _connect(self._path)
                with connection:
                    return work(connection)
            except sqlite3.Error as error:
                raise StoreUnavailable(f"the store {self._path} cannot be used: {error}") from error


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_S, check_same_thread=False, isolation_level=None)
    try:
        layout = int(connection.execute("pragma user_version").fetchone()[0])
        if layout > LAYOUT:
            raise StoreUnavailable(
                f"the store {path} was written by a newer version (layout {layout}, where this one knows {LAYOUT})"
            )
        _write_ahead(connection)
        connection.execute("pragma secure_delete = on")
        connection.executescript(f"begin immediate; {_TABLES} pragma user_version = {LAYOUT}; commit;")
    except BaseException:
        connection.close()
        raise
    return connection


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Set the journal. Who makes the file at the same time holds it, and in this SQLite waits for nobody by itself."""
    until = time.monotonic() + BUSY_S
    while True:
        try:
            connection.execute("pragma journal_mode = wal")
            return
        except sqlite3.OperationalError as error:
            is_busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not is_busy or time.monotonic() > until:
                raise
        time.sleep(POLL_S)


def _runs(db: sqlite3.Connection, holder: str, now: float) -> bool:
    return db.execute("select 1 from leases where holder = ? and until > ?", (holder, now)).fetchone() is not None


def _row(found: tuple[object, ...]) -> Row | Unreadable:
    request_id, version, state, holder, body = found
    if not isinstance(version, int) or not isinstance(body, str):
        return Unreadable(str(request_id), "it is damaged")
    try:
        return Row(str(request_id), version, RowState(str(state)), str(holder), body)
    except ValueError:
        return Unreadable(str(request_id), f"its state is {str(state)[:40]!r}, which this version does not know")
