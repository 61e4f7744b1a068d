"""`MemoryStore`: requests that live as long as the process. For one process, and for tests of several in one."""

import threading
from collections import OrderedDict
from collections.abc import Collection, Sequence
from typing import Final

import anyio

from voice_hitl.store import UNSETTLED, Letter, Listing, Row, Unreadable
from voice_hitl.tasks import Latch, current_time

OUTCOMES: Final = 4096
"""How many outcomes, and how many verdicts, are kept unless said otherwise: the newest."""


class MemoryStore:
    """A store in memory. Handlers that share it see each other's requests, on whatever event loop they run.

    Args:
        outcomes: How many settled rows are kept, and how many verdicts: the newest.
    """

    def __init__(self, *, outcomes: int = OUTCOMES) -> None:
        self._lock = threading.Lock()
        self._unsettled: dict[str, Row] = {}
        self._settled: OrderedDict[str, Row] = OrderedDict()
        self._leases: dict[str, float] = {}
        self._letters: dict[str, list[Letter]] = {}
        self._verdicts: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._waiting: dict[object, Latch] = {}
        self._outcomes = outcomes

    async def write(self, row: Row, *, orphan_of: str | None = None) -> bool:
        """See `Store.write`."""
        now = current_time()
        with self._lock:
            there = self._find(row.id)
            if there == row:
                return True
            if (there.version if there is not None else 0) != row.version - 1:
                return False
            if orphan_of is not None and self._runs(orphan_of, now):
                return False
            if row.state in UNSETTLED:
                self._unsettled[row.id] = row
            else:
                self._unsettled.pop(row.id, None)
                self._settled[row.id] = row
                while len(self._settled) > self._outcomes:
                    self._settled.popitem(last=False)
            return True

    async def read(self, request_id: str) -> Row | Unreadable | None:
        """See `Store.read`."""
        with self._lock:
            return self._find(request_id)

    async def unsettled(self) -> Listing:
        """See `Store.unsettled`."""
        with self._lock:
            return Listing(tuple(self._unsettled.values()))

    async def renew(self, holder: str, seconds: float) -> bool:
        """See `Store.renew`."""
        now = current_time()
        with self._lock:
            ran = self._runs(holder, now)
            self._leases = {each: until for each, until in self._leases.items() if until > now}
            self._leases[holder] = now + seconds
            self._letters = {each: sent for each, sent in self._letters.items() if each in self._leases}
            return ran

    async def lapse(self, holder: str) -> None:
        """See `Store.lapse`."""
        with self._lock:
            self._leases.pop(holder, None)
            self._letters.pop(holder, None)

    async def alive(self, holders: Collection[str]) -> frozenset[str]:
        """See `Store.alive`."""
        now = current_time()
        with self._lock:
            return frozenset(holder for holder in holders if self._runs(holder, now))

    async def post(self, letter: Letter) -> None:
        """See `Store.post`."""
        with self._lock:
            self._letters.setdefault(letter.holder, []).append(letter)
        self._wake(letter.holder)

    async def letters(self, holder: str, *, timeout_s: float) -> Sequence[Letter]:
        """See `Store.letters`."""
        with self._lock:
            came = self._letters.pop(holder, [])
            latch = self._waiting.setdefault(holder, Latch())
        if not came:
            with anyio.move_on_after(timeout_s):
                await latch.wait()
            with self._lock:
                came = self._letters.pop(holder, [])
        return came

    async def reply(self, letter: Letter, verdict: str) -> None:
        """See `Store.reply`."""
        key = (letter.request_id, letter.key)
        with self._lock:
            self._verdicts.setdefault(key, verdict)
            while len(self._verdicts) > self._outcomes:
                self._verdicts.popitem(last=False)
        self._wake(key)

    async def verdict(self, request_id: str, key: str, *, timeout_s: float) -> str | None:
        """See `Store.verdict`."""
        name = (request_id, key)
        with self._lock:
            said = self._verdicts.get(name)
            if said is not None or timeout_s <= 0:
                return said
            latch = self._waiting.setdefault(name, Latch())
        with anyio.move_on_after(timeout_s):
            await latch.wait()
        with self._lock:
            self._waiting.pop(name, None)
            return self._verdicts.get(name)

    async def aclose(self) -> None:
        """There is nothing to let go of: what was kept stays, for the next handler."""

    def _find(self, request_id: str) -> Row | None:
        return self._unsettled.get(request_id) or self._settled.get(request_id)

    def _runs(self, holder: str, now: float) -> bool:
        return self._leases.get(holder, now) > now

    def _wake(self, name: object) -> None:
        with self._lock:
            latch = self._waiting.pop(name, None)
        if latch is not None:
            latch.set()
