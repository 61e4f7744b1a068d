"""`Holding`: a handler's own requests, kept in a store while the handler holds them.

While its lease runs, the holder alone settles. One task renews the lease and writes what could not be written; another
takes the answers that other processes send. What fails here never ends a request: the person is asked all the same.
"""

import logging
import secrets
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

import anyio

from voice_hitl.enums import RequestEnd
from voice_hitl.errors import InvalidAnswer, NotStorable, StoreUnavailable, ToolFailedError, ToolRefusedError
from voice_hitl.human_input.held import Held
from voice_hitl.human_input.letter import answer_of, verdict_body
from voice_hitl.human_input.live import LiveRequest, LiveRequests
from voice_hitl.human_input.record import Record, Run, body_of
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.settlement import Settlement
from voice_hitl.store import LEASE_S, Letter, Row, RowState, Store
from voice_hitl.tasks import GRACE_S, Latch, Loop, Tasks, call_on, current_time, this_loop

log = logging.getLogger(__name__)

SAVE_S: Final = 0.25
"""How long a save may hold up what comes after it, in seconds."""

RENEW_S: Final = LEASE_S / 3
"""How often the lease is renewed, in seconds: two renewals may fail."""

RETRY_S: Final = 1.0
"""How long after a failure the store is tried again, in seconds."""

LETTERS_S: Final = 2.0
"""How long one wait for letters lasts, in seconds."""

NOTHING_EXECUTED: Final = "Nothing was executed."


class Holding:
    """Keeps requests in a store, as their holder.

    Args:
        store: The store.
        requests: The handler's requests.
        answer: Takes an answer to one of them, in this process.
        failed: Is told what failed beside a request.
    """

    def __init__(
        self,
        store: Store,
        requests: LiveRequests,
        *,
        answer: Callable[[str, Answer, str], Awaitable[Settlement]],
        failed: Callable[[LiveRequest, str, BaseException], None],
    ) -> None:
        self.id = secrets.token_urlsafe(12)
        self._store = store
        self._requests = requests
        self._answer = answer
        self._failed = failed
        self._held: dict[str, Held] = {}
        self._behind: dict[str, Held] = {}
        self._tasks = Tasks("requests kept in a store")
        self._home: Loop | None = None
        self._renewing = anyio.Lock()
        self._renewed: float | None = None
        self._had_lapsed = False
        self._is_down = False
        self._reported = False

    # --- the lease ---------------------------------------------------------------------------------------------------

    @property
    def lapsed(self) -> bool:
        """Whether the lease has run out, though the store is there: somebody else may have settled what we hold."""
        if self._home is None or self._renewed is None or self._is_down:
            return False
        return self._home.time() >= self._renewed + LEASE_S

    def holds(self, request_id: str) -> bool:
        """Whether the store may have this request from us."""
        held = self._held.get(request_id)
        return held is not None and held.attempted

    async def reaffirm(self) -> None:
        """Renew a lease that has run out, and give up what was settled elsewhere meanwhile. Waits `SAVE_S` at most."""
        if self.lapsed:
            with anyio.move_on_after(SAVE_S):
                await self._at_home(self._renew_or_note, "lease of requests").wait()

    async def present(self) -> None:
        """Have a lease that runs, before something is claimed.

        Raises:
            StoreUnavailable: The store cannot be used.
        """
        self._begin()
        await self._at_home(self._renew_or_note, "lease of requests").wait()
        if self._is_down:
            raise StoreUnavailable("the lease of what runs late could not be had")

    async def close(self) -> None:
        """Write what is not written yet, for a moment; give the lease up. What is open, nobody holds any more."""
        with anyio.move_on_after(GRACE_S, shield=True):
            await self._at_home(self._give_up, "the end of requests kept in a store").wait()
        await self._tasks.close()

    async def _give_up(self) -> None:
        # All of it, and not only what is behind: what is being written is waited for.
        await self._flush(self._held)
        try:
            if self._renewed is not None:
                await self._store.lapse(self.id)
        except Exception as error:  # noqa: BLE001 - a store may be users' code: the lease runs out by itself
            log.warning("the lease of closed requests could not be given up: %s", error)

    # --- a request ---------------------------------------------------------------------------------------------------

    def begin(self, live: LiveRequest, record: Record) -> None:
        """Hold a request from here on."""
        self._begin()
        self._held[live.pending.pending_id] = Held(live, record)

    async def save(self, request_id: str) -> None:
        """Write the request as it stands now. Waits `SAVE_S` at most; what is late or fails is reported once."""
        held = self._held.get(request_id)
        if held is None:
            return
        written = self._at_home(partial(self._write_or_note, held), "save of a request")
        with anyio.move_on_after(SAVE_S) as waiting:
            await written.wait()
        if waiting.cancelled_caught:
            self._report(held, StoreUnavailable(f"the store takes longer than {SAVE_S:g} s"))

    def save_soon(self, request_id: str) -> None:
        """Have the request written as it stands by then, and wait for nothing. Any thread may say so."""
        held = self._held.get(request_id)
        if held is not None and not held.due:
            held.due = True
            self._at_home(partial(self._write_or_note, held), "save of a request")

    def settled_with(self, request_id: str, answer: Answer, key: str | None) -> None:
        """Note the answer that settles it, under the requests' lock: its key, and the arguments that it edited."""
        held = self._held.get(request_id)
        if held is not None and held.record.key is None:  # else it is a replay of the answer that settled it
            held.record = replace(held.record, key=key, edited=answer.edited_arguments)

    async def claim(self, request_id: str) -> None:
        """Say in the store that an approved tool is about to run.

        Raises:
            ToolRefusedError: Somebody else has settled the request: the tool is theirs.
            ToolFailedError: The store cannot be used, and somebody else might run the tool later.
        """
        held = self._held.get(request_id)
        if held is None:
            return
        await self.save(request_id)
        if held.lost:
            raise ToolRefusedError(f"The approval of {held.live.pending.tool_name!r} was used. {NOTHING_EXECUTED}")
        claimed = held.row is not None and held.row.state is RowState.CLAIMED
        if not claimed and held.attempted and held.record.kept:
            raise ToolFailedError(
                f"The approval of {held.live.pending.tool_name!r} could not be recorded. {NOTHING_EXECUTED}"
            )

    async def ran(self, request_id: str, run: Run) -> None:
        """Record how an approved tool ended."""
        held = self._held.get(request_id)
        if held is not None:
            held.record = replace(held.record, run=run)
            await self.save(request_id)

    # --- writing -----------------------------------------------------------------------------------------------------

    async def _write_or_note(self, held: Held) -> None:
        request_id = held.live.pending.pending_id
        try:
            if self._renewed is None:
                await self._renew()
            await self._write(held)
        except NotStorable as error:
            self._held.pop(request_id, None)
            self._failed(held.live, "store", error)
        except Exception as error:  # noqa: BLE001 - a store may be users' code: the request goes on without it
            self._behind[request_id] = held
            self._is_down = True
            self._report(held, error)
        else:
            self._behind.pop(request_id, None)
            self._is_down = self._reported = False

    async def _write(self, held: Held) -> None:
        """Bring the store up to what the request is now."""
        async with held.lock:
            held.due = False  # before it is looked at: what changes from here on is a save of its own
            while not held.lost:
                state, holder, record = held.wanted(self.id, self._requests.lock)
                row, body = held.row, body_of(record)
                if row is not None and (row.state, row.holder, row.body) == (state, holder, body):
                    break
                version = row.version + 1 if row is not None else 1
                wanted = Row(held.live.pending.pending_id, version, state, holder, body)
                held.attempted = True
                with anyio.fail_after(RENEW_S):
                    stands = await self._store.write(wanted)
                if stands:
                    held.row = wanted
                else:
                    await self._look(held)
            if held.is_over:
                self._held.pop(held.live.pending.pending_id, None)

    async def _look(self, held: Held) -> None:
        """The store has another row than we thought: ours after all, none any more, or somebody else's."""
        found = await self._store.read(held.live.pending.pending_id)
        if found is None:
            held.row = None
        elif isinstance(found, Row) and found.holder == self.id:
            held.row = found
        else:
            held.lost = True
            self._requests.settle(
                held.live.pending.pending_id, RequestEnd.WITHDRAWN, reason="it was settled in another process"
            )

    # --- the tasks ---------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        if self._home is None or (self._home.is_closed() and not self._tasks.closed):
            self._home = this_loop()
            self._renewing = anyio.Lock()
            self._tasks.spawn(self._keep_lease(), "lease of requests")
            self._tasks.spawn(self._take_letters(), "answers from other processes")

    def _at_home(self, work: Callable[[], Coroutine[object, object, None]], label: str) -> Latch:
        """Start work on the event loop that the store belongs to; the latch is set when it has ended."""
        done = Latch()

        async def run() -> None:
            try:
                await work()
            finally:
                done.set()

        def start() -> None:
            if self._tasks.closed:
                done.set()
            else:
                self._tasks.spawn(run(), label)

        if self._home is None or self._home.is_closed():
            done.set()
        else:
            call_on(self._home, start)
        return done

    async def _keep_lease(self) -> None:
        while True:
            await self._renew_or_note()
            if not self._is_down:
                await self._flush(self._behind)
            await anyio.sleep(RETRY_S if self._is_down else RENEW_S)

    async def _renew_or_note(self) -> None:
        try:
            await self._renew()
        except Exception as error:  # noqa: BLE001 - a store may be users' code: the lease is renewed when it is back
            if not self._is_down:
                log.warning("the lease of requests could not be renewed: %s", error)
            self._is_down = True
        else:
            self._is_down = False

    async def _renew(self) -> None:
        async with self._renewing:
            started = current_time()
            with anyio.fail_after(RENEW_S):
                ran = await self._store.renew(self.id, LEASE_S)
            # Until all of them were looked at: what fails meanwhile is done again with the next renewal, which finds
            # the lease running.
            self._had_lapsed = self._had_lapsed or (not ran and self._renewed is not None)
            if self._had_lapsed:
                # Nobody can take more of them now: what was taken was taken before.
                for held in list(self._held.values()):
                    if held.row is not None:
                        async with held.lock:
                            await self._look(held)
                        self._behind[held.live.pending.pending_id] = held
                self._had_lapsed = False
            self._renewed = started

    async def _flush(self, requests: Mapping[str, Held]) -> None:
        for held in list(requests.values()):
            await self._write_or_note(held)
            if self._is_down:
                return

    async def _take_letters(self) -> None:
        while True:
            try:
                letters = await self._store.letters(self.id, timeout_s=LETTERS_S)
            except Exception as error:  # noqa: BLE001 - a store may be users' code: whoever wrote waits for our lease
                log.debug("no answers could be taken from the store: %s", error)
                await anyio.sleep(RETRY_S)
            else:
                for letter in letters:
                    await self._open(letter)

    async def _open(self, letter: Letter) -> None:
        try:
            settlement = await self._answer(letter.request_id, answer_of(letter.body), letter.key)
        except InvalidAnswer as why:
            settlement = Settlement.INVALID(str(why))
        except Exception:
            # Whoever wrote it is not left to wait, and neither are those whose letters come after it.
            log.exception("an answer of another process to request %s could not be taken", letter.request_id)
            settlement = Settlement.INVALID("it could not be taken")
        while True:
            try:
                await self._reply(letter, settlement)
            except Exception as error:  # noqa: BLE001 - as above. A letter comes once, and whoever wrote it waits
                log.debug("a verdict could not be given yet: %s", error)
                await anyio.sleep(RETRY_S)
            else:
                return

    async def _reply(self, letter: Letter, settlement: Settlement) -> None:
        if settlement == Settlement.LATE:
            await self.save(letter.request_id)
            row = await self._store.read(letter.request_id)
            if isinstance(row, Row) and row.state is RowState.OPEN:
                return  # its call is over, and it is kept: whoever wrote finds that nobody holds it
        await self._store.reply(letter, verdict_body(settlement))

    def _report(self, held: Held, error: BaseException) -> None:
        if not self._reported:
            self._reported = True
            self._failed(held.live, "store", error)
