"""What every store does: the same rules, over memory, a file and a real Redis server."""

from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from tests.stores.conftest import Connect
from voice_hitl.human_input.holding import RENEW_S
from voice_hitl.store import LEASE_S, Letter, Row, RowState, Store
from voice_hitl.stores.memory import MemoryStore
from voice_hitl.stores.sqlite import POLL_S, SQLiteStore

pytestmark = pytest.mark.anyio

OPEN = Row("r1", 1, RowState.OPEN, "desk", '{"question":"Wie heißt du? \\u0000 🙂"}')
SETTLED = replace(OPEN, version=2, state=RowState.SETTLED)
LETTER = Letter("desk", "r1", "k1", '{"value":"ja"}')


def later(row: Row, *, holder: str = "", state: RowState | None = None, body: str = "") -> Row:
    return replace(
        row, version=row.version + 1, holder=holder or row.holder, state=state or row.state, body=body or row.body
    )


# --- rows ------------------------------------------------------------------------------------------------------------


async def test_what_was_written_is_read_as_it_was_by_everybody(store: Store, connect: Connect) -> None:
    assert await store.read("r1") is None
    assert await store.write(OPEN)
    assert await store.read("r1") == OPEN
    assert await connect().read("r1") == OPEN


async def test_a_write_takes_the_place_of_the_version_before_it_and_of_no_other(store: Store) -> None:
    assert not await store.write(SETTLED)
    assert await store.write(OPEN)
    assert not await store.write(replace(OPEN, body="{}"))
    assert not await store.write(replace(OPEN, version=3))
    assert await store.write(SETTLED)
    assert not await store.write(replace(SETTLED, body="{}"))
    assert await store.read("r1") == SETTLED


async def test_the_same_write_again_is_no_other_write(store: Store) -> None:
    assert await store.write(OPEN)
    assert await store.write(OPEN)
    assert await store.write(SETTLED)
    assert await store.write(SETTLED)


async def test_of_many_who_write_the_next_version_at_once_one_does(connect: Connect) -> None:
    stores = [connect() for _ in range(5)]
    await stores[0].write(OPEN)
    wrote: list[bool] = []

    async def write(store: Store, name: str) -> None:
        wrote.append(await store.write(later(OPEN, holder=name)))

    async with anyio.create_task_group() as group:
        for index, store in enumerate(stores):
            group.start_soon(write, store, f"p{index}")
    assert sorted(wrote) == [False, False, False, False, True]


async def test_what_is_open_or_claimed_is_listed_and_what_is_over_is_not(store: Store) -> None:
    claimed = replace(OPEN, id="r2", state=RowState.CLAIMED)
    for row in (OPEN, claimed, replace(OPEN, id="r3"), replace(OPEN, id="r4", state=RowState.FAILED)):
        assert await store.write(row)
    assert await store.write(replace(SETTLED, id="r3"))
    listing = await store.unsettled()
    assert sorted(listing.rows, key=lambda row: row.id) == [OPEN, claimed]
    assert not listing.unreadable
    assert await store.read("r3") == replace(SETTLED, id="r3")


async def test_many_rows_are_listed_whole(store: Store) -> None:
    for number in range(1100):
        await store.write(replace(OPEN, id=f"r{number}"))
    assert len({row.id for row in (await store.unsettled()).rows}) == 1100


# --- leases ----------------------------------------------------------------------------------------------------------


async def test_a_lease_runs_out_unless_it_is_renewed(store: Store) -> None:
    assert not await store.renew("desk", 0.3)
    assert await store.alive(("desk", "other")) == {"desk"}
    assert await store.renew("desk", 0.3)
    with anyio.fail_after(30):
        while await store.alive(("desk",)):  # noqa: ASYNC110 - nothing but time tells that a lease has run out
            await anyio.sleep(0.05)
    assert not await store.renew("desk", 0.3)
    await store.lapse("desk")
    assert not await store.alive(("desk",))
    assert not await store.alive(())


async def test_an_orphan_is_taken_only_when_the_lease_of_its_holder_has_run_out(store: Store, connect: Connect) -> None:
    await store.renew("desk", 60)
    await store.write(OPEN)
    taken = later(OPEN, holder="other", state=RowState.CLAIMED)
    other = connect()
    assert not await other.write(taken, orphan_of="desk")
    await store.lapse("desk")
    assert await other.write(taken, orphan_of="desk")
    assert not await store.write(SETTLED)


# --- letters ---------------------------------------------------------------------------------------------------------


async def test_a_letter_is_taken_once_by_whom_it_is_for(store: Store, connect: Connect) -> None:
    await connect().post(LETTER)
    assert not await store.letters("other", timeout_s=0.05)
    assert list(await store.letters("desk", timeout_s=5)) == [LETTER]
    assert not await store.letters("desk", timeout_s=0.05)


async def test_letters_come_in_order(store: Store) -> None:
    sent = [replace(LETTER, key=f"k{number}") for number in range(5)]
    for letter in sent:
        await store.post(letter)
    came: list[Letter] = []
    while len(came) < 5:
        came += await store.letters("desk", timeout_s=5)
    assert came == sent


async def test_a_letter_to_a_holder_that_is_gone_does_not_stay(tmp_path: Path) -> None:
    # A Redis server forgets it by itself.
    for store in (MemoryStore(), SQLiteStore(tmp_path / "requests.db")):
        await store.renew("desk", 0.01)
        await store.post(LETTER)
        await anyio.sleep(0.05)
        await store.renew("other", 0.01)
        assert not await store.letters("desk", timeout_s=0.05)
        await store.aclose()


async def test_a_letter_and_its_verdict_wake_whoever_waits(store: Store, connect: Connect) -> None:
    other = connect()

    async def hold() -> None:
        for letter in await store.letters("desk", timeout_s=10):
            await store.reply(letter, "accepted")

    said = None
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(hold)
            await other.post(LETTER)
            while said is None:
                said = await other.verdict("r1", "k1", timeout_s=2)
    assert said == "accepted"


async def test_what_was_said_first_stays(store: Store, connect: Connect) -> None:
    assert await store.verdict("r1", "k1", timeout_s=0) is None
    assert await store.verdict("r1", "k1", timeout_s=0.05) is None
    await store.reply(LETTER, "accepted")
    await store.reply(LETTER, "duplicate")
    assert await connect().verdict("r1", "k1", timeout_s=0) == "accepted"
    assert await store.verdict("r1", "k2", timeout_s=0) is None


async def test_it_may_be_closed_twice(store: Store) -> None:
    await store.write(OPEN)
    await store.aclose()
    await store.aclose()


def test_a_holder_is_given_up_after_fifteen_seconds_and_an_answer_is_looked_for_ten_times_a_second() -> None:
    assert LEASE_S == 15
    assert RENEW_S <= LEASE_S / 2, "one renewal may be lost"
    assert POLL_S <= 0.1
