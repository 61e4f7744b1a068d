"""`RedisStore`: requests on a Redis server, for processes of several machines (`pip install 'voice-hitl[redis]'`).

A write is one script: the version, the lease and the row are looked at and changed in the same instant. What survives a
crash of the server is what the server is told to keep (`appendonly`).
"""

import hashlib
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from typing import Final, cast

import anyio

from voice_hitl.errors import PluginMissing, StoreUnavailable
from voice_hitl.store import SETTLED_FOR_S, UNSETTLED, Letter, Listing, Row, RowState, Unreadable

try:
    from redis.asyncio import Redis
    from redis.asyncio.connection import AbstractConnection
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff
    from redis.exceptions import ConnectionError as ConnectionLost
    from redis.exceptions import NoScriptError, RedisError
except ImportError as missing:
    raise PluginMissing("RedisStore needs redis: pip install 'voice-hitl[redis]'") from missing

ANSWERS_S: Final = 5.0
"""How long the server may take to answer, in seconds."""

PAGE: Final = 500
"""How many rows are read at once."""

# KEYS: row, unsettled, lease. ARGV: id, version, state, holder, body, lease counts ("1"), seconds until it expires
# ("0": never).
_WRITE: Final = """
local there = redis.call('HMGET', KEYS[1], 'version', 'state', 'holder', 'body')
if there[1] == ARGV[2] and there[2] == ARGV[3] and there[3] == ARGV[4] and there[4] == ARGV[5] then return 1 end
if tonumber(there[1] or '0') ~= tonumber(ARGV[2]) - 1 then return 0 end
if ARGV[6] == '1' and redis.call('EXISTS', KEYS[3]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'state', ARGV[3], 'holder', ARGV[4], 'body', ARGV[5])
if ARGV[7] == '0' then
    redis.call('SADD', KEYS[2], ARGV[1])
    redis.call('PERSIST', KEYS[1])
else
    redis.call('SREM', KEYS[2], ARGV[1])
    redis.call('EXPIRE', KEYS[1], ARGV[7])
end
return 1
"""

_WRITE_SHA: Final = hashlib.sha1(_WRITE.encode(), usedforsecurity=False).hexdigest()

# KEYS: rows. One text for a whole page: the client takes longer to read four texts a row than the server to write one.
_READ: Final = """
local rows = {}
for index, key in ipairs(KEYS) do
    local row = redis.pcall('HMGET', key, 'version', 'state', 'holder', 'body')
    rows[index] = row.err or row
end
return cjson.encode(rows)
"""

# KEYS: verdict. ARGV: what became of the answer, seconds until it expires.
_REPLY: Final = """
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'EX', ARGV[2]) then redis.call('PUBLISH', KEYS[1], ARGV[1]) end
"""


class RedisStore:
    """A store on a Redis server (6.2 or later). Several processes, on several machines, may share it.

    Args:
        url: Where it is, such as `redis://127.0.0.1:6379/0`.
        prefix: What the names of its keys begin with. In braces, so that a cluster has them in one place.
        settled_for_s: How long outcomes and verdicts are kept, in seconds.
    """

    def __init__(self, url: str, *, prefix: str = "{voice_hitl}", settled_for_s: float = SETTLED_FOR_S) -> None:
        self._prefix = prefix
        self._settled_for_s = max(1, int(settled_for_s))
        # Not retried in here: whoever asks knows whether asking again does harm.
        self._redis: Redis = Redis.from_url(
            url,
            decode_responses=True,
            encoding_errors="replace",
            # Bound in `_used`, once: in the client it is a task more for every command, and a third of its time.
            socket_timeout=None,
            socket_connect_timeout=ANSWERS_S,
            retry=Retry(NoBackoff(), 0),
        )
        self._writer = _Writer(self._redis)
        self._read = self._redis.register_script(_READ)
        self._reply = self._redis.register_script(_REPLY)

    async def write(self, row: Row, *, orphan_of: str | None = None) -> bool:
        """See `Store.write`."""
        keys = [self._row(row.id), self._key("unsettled"), self._key("lease", orphan_of or "")]
        expires_in = 0 if row.state in UNSETTLED else self._settled_for_s
        counts = int(orphan_of is not None)
        fields: list[str | int] = [row.id, row.version, row.state, row.holder, row.body, counts, expires_in]
        async with self._used():
            return await self._writer.write(keys, fields)

    async def read(self, request_id: str) -> Row | Unreadable | None:
        """See `Store.read`."""
        async with self._used():
            try:
                found = await self._redis.hmget(self._row(request_id), list(_FIELDS))
            except ConnectionLost:
                # A server that was started again has closed the connection that was kept; reading twice does no harm.
                found = await self._redis.hmget(self._row(request_id), list(_FIELDS))
        return _row(request_id, found)

    async def unsettled(self) -> Listing:
        """See `Store.unsettled`."""
        rows: list[Row] = []
        unreadable: list[Unreadable] = []
        async with self._used():
            ids = sorted(cast("set[str]", await self._redis.smembers(self._key("unsettled"))))
        for first in range(0, len(ids), PAGE):
            page = ids[first : first + PAGE]
            async with self._used():
                found = cast("list[object]", json.loads(await self._read([self._row(each) for each in page])))
            for request_id, each in zip(page, found, strict=True):
                row = _row(request_id, each)
                if isinstance(row, Row):
                    rows.append(row)
                elif row is not None:
                    unreadable.append(row)
        return Listing(rows, unreadable)

    async def renew(self, holder: str, seconds: float) -> bool:
        """See `Store.renew`."""
        async with self._used():
            before = await self._redis.set(self._key("lease", holder), "1", px=int(seconds * 1000), get=True)
            return before is not None

    async def lapse(self, holder: str) -> None:
        """See `Store.lapse`."""
        async with self._used():
            await self._redis.delete(self._key("lease", holder), self._key("letters", holder))

    async def alive(self, holders: Collection[str]) -> frozenset[str]:
        """See `Store.alive`."""
        asked = sorted(holders)
        if not asked:
            return frozenset()
        async with self._used():
            leases = await self._redis.mget([self._key("lease", holder) for holder in asked])
            return frozenset(holder for holder, lease in zip(asked, leases, strict=True) if lease is not None)

    async def post(self, letter: Letter) -> None:
        """See `Store.post`."""
        name = self._key("letters", letter.holder)
        async with self._used(), self._redis.pipeline(transaction=True) as pipeline:
            pipeline.rpush(name, json.dumps([letter.request_id, letter.key, letter.body]))
            pipeline.expire(name, 60)
            await pipeline.execute()

    async def letters(self, holder: str, *, timeout_s: float) -> Sequence[Letter]:
        """See `Store.letters`."""
        async with self._used(waits_s=timeout_s):
            waited = self._redis.blpop([self._key("letters", holder)], timeout=timeout_s)
            came = await cast("Awaitable[tuple[str, str] | None]", waited)
        if came is None:
            return ()
        request_id, key, body = cast("tuple[str, str, str]", json.loads(came[1]))
        return (Letter(holder, request_id, key, body),)

    async def reply(self, letter: Letter, verdict: str) -> None:
        """See `Store.reply`."""
        async with self._used():
            await self._reply([self._key("verdict", letter.request_id, letter.key)], [verdict, self._settled_for_s])

    async def verdict(self, request_id: str, key: str, *, timeout_s: float) -> str | None:
        """See `Store.verdict`."""
        name = self._key("verdict", request_id, key)
        async with self._used(waits_s=timeout_s):
            said = cast("str | None", await self._redis.get(name))
            if said is not None or timeout_s <= 0:
                return said
            async with self._redis.pubsub() as heard:
                await heard.subscribe(name)
                # It may have been said before the server had us on its list.
                with anyio.move_on_after(timeout_s):
                    while said is None:
                        # Whatever it is, that we are on the list or the verdict itself, is a reason to look.
                        await heard.get_message(timeout=timeout_s)
                        said = cast("str | None", await self._redis.get(name))
            return said

    async def aclose(self) -> None:
        """Let go of the connections."""
        await self._writer.aclose()
        await self._redis.aclose()

    def _row(self, request_id: str) -> str:
        return self._key("request", request_id)

    def _key(self, *names: str) -> str:
        return ":".join((self._prefix, *names))

    @asynccontextmanager
    async def _used(self, *, waits_s: float = 0.0) -> AsyncGenerator[None, None]:
        """Use the server: so long as it may wait, and `ANSWERS_S` beside."""
        try:
            with anyio.fail_after(ANSWERS_S + waits_s):
                yield
        except (RedisError, OSError) as error:
            raise StoreUnavailable(f"the Redis server cannot be used: {error}") from error


class _Writer:
    """The writes, one after another, on a connection of their own: half the way of a command is the client's pool.

    Args:
        redis: The client, whose pool gives the connection.
    """

    def __init__(self, redis: Redis) -> None:
        self._pool = redis.connection_pool
        self._turn = anyio.Lock()
        self._connection: AbstractConnection | None = None

    async def write(self, keys: Sequence[str], fields: Sequence[str | int]) -> bool:
        """Run `_WRITE`."""
        async with self._turn:
            was_idle = self._connection is not None
            try:
                return await self._ask(keys, fields)
            except ConnectionLost:
                if not was_idle:
                    raise
                # The server has closed it meanwhile. What was written all the same may be written again: it stands.
                return await self._ask(keys, fields)

    async def aclose(self) -> None:
        """Let the connection go."""
        if self._connection is not None:
            await self._let_go(self._connection)

    async def _ask(self, keys: Sequence[str], fields: Sequence[str | int]) -> bool:
        get = cast("Callable[[], Awaitable[AbstractConnection]]", self._pool.get_connection)
        connection = self._connection or await get()
        # Whatever cuts this off leaves an answer on its way, which is never the next command's.
        self._connection = None
        try:
            given = (len(keys), *keys, *fields)
            try:
                await connection.send_command("EVALSHA", _WRITE_SHA, *given)
                written = cast("object", await connection.read_response())
            except NoScriptError:
                await connection.send_command("EVAL", _WRITE, *given)
                written = cast("object", await connection.read_response())
        except BaseException:
            await self._let_go(connection)
            raise
        self._connection = connection
        return bool(written)

    async def _let_go(self, connection: "AbstractConnection") -> None:
        self._connection = None
        with anyio.move_on_after(1, shield=True):
            await connection.disconnect(nowait=True)
            await self._pool.release(connection)


_FIELDS: Final = ("version", "state", "holder", "body")


def _row(request_id: str, found: object) -> Row | Unreadable | None:
    if isinstance(found, str):
        return Unreadable(request_id, f"it is damaged: {found}")
    # What is not there is None to the client, and false to a script.
    version, state, holder, body = (each if isinstance(each, str) else None for each in cast("list[object]", found))
    if version is None and body is None:
        return None
    if version is None or state is None or holder is None or body is None or not version.isdigit():
        return Unreadable(request_id, "it is damaged")
    try:
        return Row(request_id, int(version), RowState(state), holder, body)
    except ValueError:
        return Unreadable(request_id, f"its state is {state[:40]!r}, which this version does not know")
