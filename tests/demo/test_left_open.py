"""What outlives a run of the demo: its bookings, and the approvals that nobody decided."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx
import pytest
from pydantic import TypeAdapter

from tests.demo.test_app import ONLY_COUNTED, called
from voice_hitl.demo.app import Demo, create_demo
from voice_hitl.demo.restaurant import BOOK_TABLE
from voice_hitl.testing import ScriptedProvider

pytestmark = pytest.mark.anyio

PARTY = {"name": "Lee", "party_size": 9, "day": "tomorrow", "time": "7 pm"}
_json: TypeAdapter[dict[str, list[dict[str, object]]]] = TypeAdapter(dict[str, list[dict[str, object]]])


@asynccontextmanager
async def started_again(data: Path) -> AsyncGenerator[tuple[Demo, httpx.AsyncClient]]:
    """The demo after a call in which a large party was not decided."""
    with ScriptedProvider(ignore=ONLY_COUNTED) as provider:
        async with called(create_demo(provider=provider, data=data)) as (_leg, ear):
            model = await provider.connected()
            model.call_tool(BOOK_TABLE.name, PARTY)
            await ear.message(lambda heard: heard.pending_id is not None)
    demo = create_demo(provider=ScriptedProvider(), data=data)
    try:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(demo.app), base_url="http://demo") as client:
            yield demo, client
    finally:
        await demo.close()


async def left(client: httpx.AsyncClient) -> dict[str, list[dict[str, object]]]:
    return _json.validate_json((await client.get("/left")).content)


async def result(client: httpx.AsyncClient) -> dict[str, object]:
    with anyio.fail_after(30):
        while not (ended := (await left(client))["ended"]):  # noqa: ASYNC110 - a page, too, can only look again
            await anyio.sleep(0.01)
    return ended[0]


async def test_an_approval_that_a_call_left_open_is_given_later_and_carried_out_once(tmp_path: Path) -> None:
    async with started_again(tmp_path) as (demo, client):
        [request] = (await left(client))["open"]
        assert (request["tool"], request["kind"], request["status"]) == (BOOK_TABLE.name, "approval", "executing")
        given = await client.post(f"/left/{request['pending_id']}", json={"action": "approve"})
        assert given.json() == {"ok": True}
        assert '"reference": "T-1041"' in str((await result(client))["result"])
        again = await client.post(f"/left/{request['pending_id']}", json={"action": "approve"})
        assert (again.status_code, again.json()["code"]) == (409, "duplicate")
        assert (await left(client))["open"] == []
        assert demo.restaurant.bookings == [PARTY]
    later = create_demo(provider=ScriptedProvider(), data=tmp_path)
    assert later.restaurant.bookings == [PARTY]
    await later.close()


async def test_one_that_is_rejected_books_nothing(tmp_path: Path) -> None:
    async with started_again(tmp_path) as (demo, client):
        [request] = (await left(client))["open"]
        given = await client.post(f"/left/{request['pending_id']}", json={"action": "reject", "reason": "full"})
        assert given.json() == {"ok": True}
        ended = await result(client)
        assert (ended["result"], ended["error"]) == (None, "full")
        assert demo.restaurant.bookings == []


async def test_what_is_no_answer_is_refused_with_why_and_it_stays_open(tmp_path: Path) -> None:
    async with started_again(tmp_path) as (_demo, client):
        [request] = (await left(client))["open"]
        path = f"/left/{request['pending_id']}"
        assert (await client.post(path, json={"action": "answer", "value": True})).status_code == 400
        assert (await client.post(path, content="{")).json()["why"] == "an answer is JSON"
        assert (await client.post("/left/nothing", json={"action": "approve"})).status_code == 404
        elsewhere = {"Origin": "http://elsewhere"}
        assert (await client.post(path, json={"action": "approve"}, headers=elsewhere)).status_code == 403
        assert len((await left(client))["open"]) == 1


async def test_without_a_folder_nothing_is_left() -> None:
    demo = create_demo(provider=ScriptedProvider())
    async with httpx.AsyncClient(transport=httpx.ASGITransport(demo.app), base_url="http://demo") as client:
        assert (await client.get("/left")).status_code == 404
    await demo.close()
