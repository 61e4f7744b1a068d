"""Requests of a store: of other processes, and of calls that are over, on the board of a console of this one."""

from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
import httpx
import pytest

from tests.channels.kept import RunningTasks
from tests.console.office import ANN, EVE, ORIGIN, TOKENS
from tests.human_input.told import ScriptedAsker
from voice_hitl import (
    AITool,
    Answer,
    Approval,
    Choice,
    Confirm,
    Form,
    HumanInputHandler,
    Option,
    PendingInputEvent,
    RequestEnd,
)
from voice_hitl.askers.console import ConsoleAsker
from voice_hitl.askers.desk import Desk, watch_of
from voice_hitl.console.app import Console
from voice_hitl.errors import StoreUnavailable
from voice_hitl.human_input.new_request import NewRequest, new_pending
from voice_hitl.questions.digest import digest
from voice_hitl.store import LEASE_S, Listing, Row, Unreadable
from voice_hitl.stores.memory import MemoryStore

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

REFUND = AITool("refund", requires_approval=True, approvers=("supervisors",))
YES = {"action": "answer", "value": True}
SIZE = Choice(prompt="Which size?", options=(Option(label="Small"), Option(label="Large")))


class LosableStore(MemoryStore):
    """A store that cannot be read while it is down."""

    def __init__(self) -> None:
        super().__init__()
        self.is_down = self.has_forgotten = False
        self.asked: Counter[str] = Counter()

    async def read(self, request_id: str) -> Row | Unreadable | None:
        self._ask("read")
        return None if self.has_forgotten else await super().read(request_id)

    async def unsettled(self) -> Listing:
        self._ask("unsettled")
        return await super().unsettled()

    async def renew(self, holder: str, seconds: float) -> bool:
        self._ask(f"renew {holder}")
        return await super().renew(holder, seconds)

    def _ask(self, what: str) -> None:
        if self.is_down:
            raise StoreUnavailable("it is away")
        self.asked[what] += 1


@dataclass
class Processes:
    """An agent's process and a console's, by the handler that each has on one store."""

    store: LosableStore
    agent: HumanInputHandler
    http: httpx.AsyncClient
    desk: Desk


@asynccontextmanager
async def processes(console_handler: HumanInputHandler | None = None) -> AsyncGenerator[Processes]:
    store, tasks = LosableStore(), RunningTasks()
    agent, desk = HumanInputHandler(store=store), Desk()
    handler = console_handler or HumanInputHandler(store=store)
    console = Console(TOKENS, desk=desk, handler=handler, store=store)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=console.app), base_url=ORIGIN) as http:
        yield Processes(store, agent, http, desk)
        await console.close()
        # The page shows what it last knew, and looks for no more.
        looked = store.asked["unsettled"]
        assert (await http.get("/requests", headers=ANN)).status_code == 200
        assert store.asked["unsettled"] == looked
    await agent.close()
    await handler.close()
    tasks.check()


@asynccontextmanager
async def watching(desk: Desk) -> AsyncGenerator[None]:
    with desk.watch(["supervisors"]):
        yield


@asynccontextmanager
async def other_console(store: MemoryStore) -> AsyncGenerator[httpx.AsyncClient]:
    handler = HumanInputHandler(store=store)
    console = Console(TOKENS, desk=Desk(), handler=handler, store=store)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=console.app), base_url=ORIGIN) as http:
        yield http
    await console.close()
    await handler.close()


async def test_what_another_process_holds_is_answered_by_way_of_the_store() -> None:
    async with processes() as both:
        pending = await both.agent.create_detached(
            "ask", {}, question=Confirm(prompt="Sure?"), audience=["supervisors"], timeout=60, room_id="front"
        )
        await anyio.sleep(1)
        (shown,) = (await both.http.get("/requests", headers=ANN)).json()["requests"]
        assert (shown["id"], shown["room"], shown["asked_of"]) == (pending.pending_id, "front", ["supervisors"])
        path = f"/requests/{pending.pending_id}/answer"
        assert (await both.http.post(path, json=YES, headers=EVE)).status_code == 403
        for _ in range(2):
            keyed = ANN | {"idempotency-key": "k1"}
            assert (await both.http.post(path, json=YES, headers=keyed)).status_code == 200
        assert (pending.end, pending.answered_by) == (RequestEnd.ANSWERED, "ann")
        second = await both.http.post(path, json=YES, headers=ANN)
        assert (second.status_code, second.json()["outcome"]["by"]) == (409, "ann")


async def test_a_request_that_ends_elsewhere_settles_on_the_board() -> None:
    async with processes() as both:
        pending = await both.agent.create_detached(
            "ask", {}, question=Confirm(prompt="Sure?"), audience=["supervisors"]
        )
        await anyio.sleep(1)
        assert (await both.http.get(f"/requests/{pending.pending_id}", headers=ANN)).status_code == 200
        both.agent.reject(pending.pending_id, "called off")
        await anyio.sleep(2)
        (settled,) = (await both.http.get("/history", headers=ANN)).json()["requests"]
        assert (settled["outcome"]["end"], settled["outcome"]["reason"]) == ("refused", "called off")
        read = both.store.asked["read"]
        await anyio.sleep(5)
        assert both.store.asked["read"] == read


async def test_a_request_that_the_store_keeps_no_more_is_shown_as_withdrawn() -> None:
    async with processes() as both:
        pending = await both.agent.create_detached(
            "ask", {}, question=Confirm(prompt="Sure?"), audience=["supervisors"]
        )
        await anyio.sleep(1)
        assert (await both.http.get(f"/requests/{pending.pending_id}", headers=ANN)).status_code == 200
        both.agent.reject(pending.pending_id)
        both.store.has_forgotten = True
        await anyio.sleep(2)
        (settled,) = (await both.http.get("/history", headers=ANN)).json()["requests"]
        assert settled["outcome"]["end"] == "withdrawn"


async def test_what_a_form_was_answered_elsewhere_is_shown_as_it_comes_and_masked_where_it_is_confidential() -> None:
    async with processes() as both:
        askers = [ScriptedAsker(), ScriptedAsker()]
        for asker, sensitive in zip(askers, (False, True), strict=True):
            form = Form(questions=(SIZE,), sensitive=sensitive)
            pending = new_pending("ask", {"of": sensitive}, question=form, audience=["supervisors"])
            both.agent.open(NewRequest(pending, 60, askers=[asker]))
        await anyio.sleep(2)
        for shown in (await both.http.get("/requests", headers=ANN)).json()["requests"]:
            assert shown["answered_so_far"] == {}
        for asker in askers:
            asker.askings[0].progress({"Which size?": "Large"})
        await anyio.sleep(2)
        both_shown = (await both.http.get("/requests", headers=ANN)).json()["requests"]
        assert sorted(shown["answered_so_far"]["Which size?"] for shown in both_shown) == ["...", "Large"]


async def test_what_names_nobody_in_its_audience_is_for_the_people_in_its_call() -> None:
    async with processes() as both:
        for audience in ((), ("caller",)):
            pending = await both.agent.create_detached("ask", {}, question=Confirm(prompt="Sure?"), audience=audience)
            await anyio.sleep(1)
            assert (await both.http.get(f"/requests/{pending.pending_id}", headers=ANN)).status_code == 404


async def test_an_approval_whose_call_is_over_is_given_at_the_console_and_runs_once() -> None:
    ran: list[str] = []
    told: list[str | None] = []

    async def refund(name: str, _arguments: object) -> str:
        ran.append(name)
        return "paid back"

    async def late(request: PendingInputEvent, _answer: Answer) -> None:
        told.append(request.result)

    store = MemoryStore()
    agent = HumanInputHandler(store=store)
    arguments = {"amount": 40}
    question = Approval(tool="refund", arguments=arguments, digest=digest("refund", arguments))
    pending = new_pending("refund", arguments, question=question, audience=["supervisors"], session_id="s1")
    agent.open(NewRequest(pending, None, runs=True))
    await anyio.sleep(1)
    await agent.close()
    handler = HumanInputHandler(store=store, tools=[REFUND], tool_handler=refund, on_late_result=late)
    console = Console(TOKENS, desk=Desk(), handler=handler, store=store)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=console.app), base_url=ORIGIN) as http:
        path = f"/requests/{pending.pending_id}/answer"
        first = await http.post(path, json={"action": "approve"}, headers=ANN)
        second = await http.post(path, json={"action": "approve"}, headers=ANN)
        assert (first.status_code, second.status_code) == (200, 409)
        await anyio.sleep(1)
    assert (ran, told) == (["refund"], ["paid back"])
    await console.close()
    await handler.close()


async def test_what_lies_on_the_desk_here_is_shown_once_though_it_is_in_the_store_too() -> None:
    async with processes() as both:
        with both.desk.watch(["supervisors"]):
            pending = new_pending("ask", {}, question=Confirm(prompt="Sure?"), audience=["supervisors", "managers"])
            both.agent.open(NewRequest(pending, 60, askers=[ConsoleAsker("supervisors", both.desk)]))
            await anyio.sleep(1)
            for _ in range(2):
                (shown,) = (await both.http.get("/requests", headers=ANN)).json()["requests"]
                assert (shown["id"], shown["asked_of"]) == (pending.pending_id, ["supervisors"])
                await anyio.sleep(2)


async def test_a_request_that_asks_no_question_is_not_shown() -> None:
    async with processes() as both:
        await both.agent.create_detached("ask", {}, audience=["supervisors"])
        await anyio.sleep(1)
        assert (await both.http.get("/requests", headers=ANN)).json()["requests"] == []


async def test_while_the_store_is_down_the_page_shows_what_it_knows_and_one_warning_is_written(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with processes() as both, watching(both.desk):
        shown: list[int] = []
        for is_down in (False, True, False, True):
            both.store.is_down = False
            await both.agent.create_detached("ask", {"n": len(shown)}, question=SIZE, audience=["supervisors"])
            await anyio.sleep(0.5)
            both.store.is_down = is_down
            await anyio.sleep(5)
            shown.append(len((await both.http.get("/requests", headers=ANN)).json()["requests"]))
        both.store.is_down = False
    assert len([each for each in caplog.records if "of other processes cannot be seen" in each.message]) == 2
    assert "cannot be told who watches" not in caplog.text
    assert shown[0] == 1
    assert shown == sorted(shown)


async def test_who_watches_is_said_in_the_store() -> None:
    async with processes() as both:
        with both.desk.watch(["supervisors"]):
            await both.http.get("/requests", headers=ANN)
            await anyio.sleep(2)
            assert await both.store.alive([watch_of("supervisors"), watch_of("sales")]) == {watch_of("supervisors")}
            await anyio.sleep(60)
            assert await both.store.alive([watch_of("supervisors")])
            assert both.store.asked[f"renew {watch_of('supervisors')}"] <= 62 / (LEASE_S / 3) + 1
        await anyio.sleep(30)
        assert not await both.store.alive([watch_of("supervisors")])


def test_a_store_without_a_handler_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="give both"):
        Console(TOKENS, desk=Desk(), store=MemoryStore())


@pytest.mark.parametrize(("key", "again"), [("k1", 200), (None, 409)])
async def test_the_same_key_gets_the_same_verdict_at_every_console_of_the_store(key: str | None, again: int) -> None:
    async with processes() as both:
        pending = await both.agent.create_detached(
            "ask", {}, question=Confirm(prompt="Sure?"), audience=["supervisors"], timeout=60
        )
        await anyio.sleep(1)
        path, headers = f"/requests/{pending.pending_id}/answer", ANN | ({"idempotency-key": key} if key else {})
        async with other_console(both.store) as other:
            for http in (other, both.http):
                assert (await http.get("/requests", headers=ANN)).status_code == 200
            assert (await other.post(path, json=YES, headers=headers)).status_code == 200
            assert (await both.http.post(path, json=YES, headers=headers)).status_code == again


async def test_while_the_store_is_down_an_answer_is_to_be_tried_again() -> None:
    async with processes() as both:
        pending = await both.agent.create_detached(
            "ask", {}, question=Confirm(prompt="Sure?"), audience=["supervisors"], timeout=60
        )
        await anyio.sleep(1)
        path = f"/requests/{pending.pending_id}/answer"
        assert (await both.http.get("/requests", headers=ANN)).status_code == 200
        both.store.is_down = True
        tried = await both.http.post(path, json=YES, headers=ANN)
        assert (tried.status_code, tried.json()["error"], tried.headers["retry-after"]) == (503, "unavailable", "1")
        both.store.is_down = False
        assert (await both.http.post(path, json=YES, headers=ANN)).status_code == 200
