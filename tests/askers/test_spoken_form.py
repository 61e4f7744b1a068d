"""A form that is asked aloud: what was answered outlives the call, and whoever is asked next has it."""

from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from tests.askers.spoken_desk import Colleague, Desk, Tone, say
from voice_hitl.asker import AskerSession, Asking, GaveUp
from voice_hitl.askers.escalation import Try
from voice_hitl.askers.spoken import SpokenAsker
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.human_input.record import Record, record_of
from voice_hitl.requests.settlement import Settlement
from voice_hitl.store import Row, Store
from voice_hitl.stores.memory import MemoryStore
from voice_hitl.stores.sqlite import SQLiteStore
from voice_hitl.testing import Held, SentToolResult
from voice_hitl.tools.asking import ask_user_question

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

TOOL = "ask_user_question"
PIZZA = {
    "questions": [
        {
            "question": "Which size?",
            "header": "Size",
            "options": [{"label": "Small", "description": "For one."}, {"label": "Large", "description": "For two."}],
        },
        {
            "question": "Which crust?",
            "header": "Crust",
            "options": [{"label": "Thin", "description": "Crisp."}, {"label": "Thick", "description": "Soft."}],
        },
    ]
}


class Next(Colleague):
    """Who is asked next, and what they find answered."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, object] = {}

    async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
        self.found = {**asking.request.answered_so_far}
        return await super().ask(asking, session)


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Store]:
    store: Store
    if request.param == "memory":
        store = MemoryStore()
    else:
        store = SQLiteStore(tmp_path / "requests.db")
        # The clock of these tests stands still for the default threads only.
        store._limiter = anyio.to_thread.current_default_thread_limiter()  # pyright: ignore[reportPrivateUsage] - as said
    yield store
    await store.aclose()


async def kept(store: Store, request_id: str) -> Record:
    row = await store.read(request_id)
    assert isinstance(row, Row)
    return record_of(row.id, row.body)


async def test_a_call_that_ends_after_the_first_answer_leaves_it_in_the_store(store: Store) -> None:
    handler = HumanInputHandler(store=store, orphans={TOOL: "keep"})
    async with Desk(tool=ask_user_question(), handler=handler) as desk:
        caller, model, _ = await desk.ask(PIZZA)
        (pending,) = handler.pending.values()
        assert (await kept(store, pending.pending_id)).pending.answered_so_far == {}
        await say(caller, model, "Large.", "item-1")
        await desk.spoken()
        await anyio.sleep(1)
        still = await kept(store, pending.pending_id)
        assert (still.pending.end, still.pending.answered_so_far) == (None, {"Which size?": "Large"})
        model.ignore(Held)
        (session,) = desk.channel.sessions
        caller.hang_up()
        with anyio.fail_after(20):
            await session.closed.wait()
    await handler.close()
    other = HumanInputHandler(store=store)
    [orphan] = (await other.recover()).orphans
    assert (orphan.pending_id, orphan.answered_so_far) == (pending.pending_id, {"Which size?": "Large"})
    await other.close()


async def test_whoever_is_asked_next_has_what_the_caller_answered() -> None:
    colleague, voice = Next(), Tone()
    spoken = Try(SpokenAsker(speaker=voice, tries=1), patience=100)
    desk = Desk(Try(colleague, patience=100), spoken=spoken, tool=ask_user_question(), timeout=300)
    desk.voice = voice
    with desk.provider, desk.transport:
        caller, model, call_id = await desk.ask(PIZZA)
        model.ignore(Held)
        await say(caller, model, "Large.", "item-1")
        await desk.spoken()
        await caller.stay_silent(20_000)
        with anyio.fail_after(20):
            await colleague.asked.wait()
        assert colleague.found == {"Which size?": "Large"}
        whole = {"answers": {"Which size?": "Large", "Which crust?": "Thin"}}
        assert await colleague.answers(whole) == Settlement.ACCEPTED
        await model.expect(SentToolResult, call_id=call_id, failed=False)
        await desk.channel.close()
