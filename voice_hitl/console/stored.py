"""`StoredRequests`: the requests of a store on the board: those of other processes, and of calls that are over.

A store tells nobody what is new, so it is looked at, while anybody watches. Who watches here is said in the store: an
asker in another process then knows that somebody is there.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import anyio

from voice_hitl.asker import CALLER
from voice_hitl.askers.desk import watch_of
from voice_hitl.console.live_board import LiveBoard
from voice_hitl.console.rows import outcome_of, row_of
from voice_hitl.errors import StoreUnavailable
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.human_input.record import Record, record_of
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Question
from voice_hitl.requests.pending import PendingInput
from voice_hitl.requests.settlement import Settlement
from voice_hitl.store import LEASE_S, Row, RowState, Store
from voice_hitl.tasks import Tasks, current_time

log = logging.getLogger(__name__)

LOOK_S: Final = 1.0
"""How often the store is looked at, in seconds."""


@dataclass(slots=True, eq=False)
class StoredAsking:
    """A request of a store, as an asking."""

    handler: HumanInputHandler
    request: PendingInput
    question: Question
    version: int = 0
    asked_by: tuple[str, ...] = field(default=("console",), init=False)
    asks_others: bool = field(default=True, init=False)

    def put(self) -> None:
        """Its clock is its holder's."""

    def progress(self, answers: Mapping[str, object]) -> None:
        """What was answered so far is its holder's to keep."""

    def hand_on(self) -> bool:
        """Nobody else is asked from here."""
        return False

    async def answer(self, answer: Answer) -> Settlement:
        """Answer it, whoever holds it."""
        return await self.handler.answer(self.request.pending_id, answer)


class StoredRequests:
    """Shows the open requests of a store whose audience names somebody, and how they end.

    Args:
        live: Where they are shown.
        handler: Answers them.
        store: Where they are.
    """

    def __init__(self, live: LiveBoard, handler: HumanInputHandler, store: Store) -> None:
        self._live = live
        self._handler = handler
        self._store = store
        self._tasks = Tasks("requests of a store")
        self._shown: dict[str, StoredAsking] = {}
        self._looking = anyio.Lock()
        self._is_down = False
        self._renew_at = 0.0

    async def watch(self) -> None:
        """Look at the store from now on; the first look is over when this returns."""
        if not len(self._tasks) and not self._tasks.closed:
            await self.look()
            if not len(self._tasks):
                self._tasks.spawn(self._watch(), "watching the store")

    async def close(self) -> None:
        """Look no more."""
        await self._tasks.close()

    async def look(self) -> None:
        """Show what is in the store now."""
        async with self._looking:
            try:
                listing = await self._store.unsettled()
                await self._show([row for row in listing.rows if row.state is RowState.OPEN])
                self._is_down = False
            except StoreUnavailable as error:
                if not self._is_down:
                    log.warning("the requests of other processes cannot be seen: %s", error)
                self._is_down = True

    async def _watch(self) -> None:
        while True:
            await self.look()
            await self._say_who_watches()
            await anyio.sleep(LOOK_S)

    async def _say_who_watches(self) -> None:
        now = current_time()
        if now < self._renew_at or self._is_down:
            return
        self._renew_at = now + LEASE_S / 3
        try:
            for role in self._live.desk.watched_roles:
                await self._store.renew(watch_of(role), LEASE_S)
        except StoreUnavailable as error:
            log.warning("other processes cannot be told who watches here: %s", error)

    async def _show(self, rows: list[Row]) -> None:
        ids = {row.id for row in rows}
        for row in rows:
            shown = self._shown.get(row.id)
            if shown is None or shown.version != row.version:
                self._show_one(row)
        for request_id in [each for each in self._shown if each not in ids]:
            await self._settle(request_id)

    def _show_one(self, row: Row) -> None:
        on_the_desk = row.id not in self._shown and self._live.board.find(row.id) is not None
        record = None if on_the_desk else _record(row)
        question = record.pending.question if record is not None else None
        if record is None or question is None:
            return
        names = {name for name in record.pending.audience if name != CALLER}
        if not names:
            return
        asking = StoredAsking(self._handler, record.pending, question, row.version)
        self._shown[row.id] = asking

        async def answer(given: Answer, key: str | None) -> Settlement:
            settlement = await self._handler.answer(row.id, given, key=key)
            await self.look()
            return settlement

        shown = row_of(asking, answer, id=row.id, caller=record.participant, language="", roles=names, transcript=[])
        self._live.show(shown)

    async def _settle(self, request_id: str) -> None:
        asking = self._shown[request_id]
        row = await self._store.read(request_id)
        record = _record(row) if isinstance(row, Row) else None
        if record is not None:
            asking.request = record.pending
        del self._shown[request_id]
        self._live.settle(request_id, outcome_of(asking.request, asking.question))


def _record(row: Row) -> Record | None:
    try:
        return record_of(row.id, row.body)
    except ValueError as why:
        log.warning("request %s is in the store, and cannot be read: %s", row.id, why)
        return None
