"""Server-sent events over a real server: what happens, to whom, and where a page goes on that was away."""

import json

import anyio
import httpx
import pytest

from tests.console.office import ANN, BOB, EVE, TOKENS, Office, bearer
from tests.console.serving import WITHIN_S, Events, events, online, served
from voice_hitl import Confirm, HumanInputHandler
from voice_hitl.askers.desk import Desk
from voice_hitl.console.app import Console
from voice_hitl.stores.memory import MemoryStore

pytestmark = pytest.mark.anyio

YES = {"action": "answer", "value": True}


@pytest.fixture(autouse=True)
def only_news_wakes_a_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream looks now and then by itself, so that whoever waits for news in vain would only be late."""
    monkeypatch.setattr("voice_hitl.console.stream.ALIVE_S", 2 * WITHIN_S)


async def asked(made: Office, page: Events) -> tuple[str, str]:
    """Ask, and see it: the request's id and the event's."""
    pending = await made.ask()
    told = await page.next("request.opened")
    assert json.loads(told.data)["request"]["id"] == pending.pending_id
    return pending.pending_id, told.id


async def test_a_page_sees_a_request_open_be_taken_and_settle() -> None:
    async with online() as (made, http), events(http, ANN) as page:
        await page.next("sync")
        request_id, _ = await asked(made, page)
        await http.post(f"/requests/{request_id}/take", headers=BOB)
        changed = json.loads((await page.next("request.changed")).data)["request"]
        assert changed["taken"]["by"] == "bob"
        await http.post(f"/requests/{request_id}/release", headers=BOB)
        assert "taken" not in json.loads((await page.next("request.changed")).data)["request"]
        await http.post(f"/requests/{request_id}/answer", json=YES, headers=BOB)
        settled = json.loads((await page.next("request.settled")).data)["request"]
        assert (settled["outcome"]["by"], settled["outcome"]["end"]) == ("bob", "answered")


async def test_a_page_that_was_away_goes_on_where_it_left_off() -> None:
    async with online() as (made, http):
        async with events(http, ANN) as page:
            await page.next("sync")
            first, last_event = await asked(made, page)
        await http.post(f"/requests/{first}/answer", json=YES, headers=BOB)
        async with events(http, ANN | {"last-event-id": last_event}) as page:
            settled = json.loads((await page.next("request.settled")).data)["request"]
            assert settled["id"] == first


@pytest.mark.parametrize(
    "lost",
    [
        "",
        "another-run-0",
        "nonsense",
        "{run}-999999",
        "{run}--1",
        "{run}-some",
        pytest.param("{run}-" + "9" * 5_000, id="a long number"),
    ],
)
async def test_a_page_that_missed_something_is_told_to_read_the_list(lost: str) -> None:
    async with online() as (made, http):
        await made.ask()
        run = (await http.get("/requests", headers=ANN)).json()["last_event"].rpartition("-")[0]
        async with events(http, ANN | {"last-event-id": lost.replace("{run}", run)}) as page:
            assert (await page.next("sync")).id.startswith(run)


async def test_nobody_is_told_of_a_request_for_somebody_else() -> None:
    async with online() as (made, http), events(http, EVE) as page:
        await page.next("sync")
        await made.ask()
        theirs = await made.ask(role="sales", audience=("sales",))
        assert json.loads((await page.next("request.opened")).data)["request"]["id"] == theirs.pending_id


async def test_an_open_page_is_told_of_what_another_process_holds() -> None:
    store = MemoryStore()
    handler = HumanInputHandler(store=store)
    console = Console(TOKENS, desk=Desk(), handler=handler, store=store)
    async with served(console.app) as url, httpx.AsyncClient(base_url=url, timeout=WITHIN_S) as http:
        async with events(http, ANN) as page:
            await page.next("sync")
            pending = await handler.create_detached(
                "ask", {}, question=Confirm(prompt="Sure?"), audience=["supervisors"], timeout=60
            )
            told = json.loads((await page.next("request.opened")).data)["request"]
            assert told["id"] == pending.pending_id
        await console.close()
    await handler.close()


async def test_an_open_page_is_what_makes_a_role_watched() -> None:
    async with online(watched=()) as (made, http):
        async with events(http, ANN) as page:
            await page.next("sync")
            assert json.loads((await page.next("presence")).data) == {"supervisors": 1}
            async with events(http, BOB) as other:
                await other.next("sync")
                assert json.loads((await page.next("presence")).data) == {"supervisors": 2}
            assert json.loads((await page.next("presence")).data) == {"supervisors": 1}
            assert made.desk.watching("sales") == 0
        with anyio.fail_after(30):
            await made.desk.deserted("supervisors")


async def test_a_stream_in_which_nothing_happens_says_that_it_is_still_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voice_hitl.console.stream.ALIVE_S", 0.01)
    async with online() as (_, http), events(http, ANN) as page:
        await page.next("sync")
        async for line in page.lines:
            if line == ": still here":
                break


async def test_a_stream_ends_when_its_console_closes() -> None:
    async with online() as (made, http), events(http, bearer("cat", "supervisors")) as page:
        await page.next("sync")
        await made.console.close()
        with anyio.fail_after(WITHIN_S):
            await page.ended()


async def test_a_stream_ends_when_its_browser_signs_out() -> None:
    async with online() as (_, http):
        await http.post("/session", json={"token": TOKENS.issue("ann", ["supervisors"])})
        async with events(http, {}) as page:
            await page.next("sync")
            await http.delete("/session")
            with anyio.fail_after(WITHIN_S):
                await page.ended()
