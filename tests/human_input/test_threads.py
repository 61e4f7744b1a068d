"""`HumanInputHandler` from real threads and on several event loops."""

import threading
from collections.abc import Callable, Generator
from functools import partial

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from tests.human_input.told import Told, Waits
from voice_hitl.asker import AskerSession, Asking, GaveUp
from voice_hitl.enums import RequestEnd
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.human_input.new_request import NewRequest, new_pending
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Text
from voice_hitl.requests.pending import PendingInput, PendingInputEvent
from voice_hitl.requests.settlement import Settlement
from voice_hitl.tasks import current_time
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.human_tool import human_tool

pytestmark = pytest.mark.anyio

THREADS = 8


@pytest.fixture
def elsewhere() -> Generator[BlockingPortal]:
    """Another event loop, in a thread of its own."""
    with start_blocking_portal() as portal:
        yield portal


async def result_of(call: Callable[[], object]) -> object:
    """Let a thread wait for it."""
    with anyio.fail_after(10):
        return await anyio.to_thread.run_sync(call)


@pytest.mark.parametrize("settles", ["resolve", "reject", "release"])
async def test_any_thread_may_settle_a_request_and_wakes_its_waiters(
    handler: HumanInputHandler, told: Told, waits: Waits, settles: str
) -> None:
    pending = await handler.create("AskUser", {}, channel_id="voice", timeout=60)
    ways: dict[str, Callable[[str], bool]] = {
        "resolve": lambda pending_id: handler.resolve(pending_id, "Monday"),
        "reject": handler.reject,
        "release": handler.release,
    }
    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(waits, pending.pending_id)
            await anyio.wait_all_tasks_blocked()
            assert await anyio.to_thread.run_sync(ways[settles], pending.pending_id)
        await handler.close()
    assert len(waits.came_to) == len(told.ends) == 1


async def test_of_many_threads_at_once_exactly_one_settles_each_request(
    handler: HumanInputHandler, told: Told, waits: Waits
) -> None:
    requests = [await handler.create("AskUser", {}, channel_id="voice", timeout=60) for _ in range(50)]
    start = threading.Barrier(THREADS)
    taken: list[str] = []

    def settle_all(number: int) -> None:
        start.wait()
        for pending in requests:
            if number % 3 == 0 and handler.reject(pending.pending_id):
                taken.append(pending.pending_id)
            elif number % 3 == 1 and handler.release(pending.pending_id):
                assert pending.end is not None
            elif handler.resolve(pending.pending_id, "Monday"):
                taken.append(pending.pending_id)
            assert pending.pending_id not in handler.pending

    threads = [threading.Thread(target=settle_all, args=(number,)) for number in range(THREADS)]
    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            for pending in requests:
                group.start_soon(waits, pending.pending_id)
            await anyio.wait_all_tasks_blocked()
            for thread in threads:
                thread.start()
        for thread in threads:
            await anyio.to_thread.run_sync(thread.join)
        await handler.close()
    by_hand = [pending.pending_id for pending in requests if pending.end is not RequestEnd.WITHDRAWN]
    assert sorted(taken) == sorted(by_hand)
    assert sorted(event.pending_id for event in told.settled_events) == sorted(each.pending_id for each in requests)
    assert len(waits.came_to) == 50


async def test_a_request_may_be_waited_for_on_another_loop(
    handler: HumanInputHandler, waits: Waits, elsewhere: BlockingPortal
) -> None:
    pending = await handler.create("AskUser", {}, timeout=60)
    waiting = threading.Event()

    async def wait() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(waits, pending.pending_id)
            await anyio.wait_all_tasks_blocked()
            waiting.set()

    waited = elsewhere.start_task_soon(wait)
    await result_of(waiting.wait)
    assert handler.resolve(pending.pending_id, "Monday")
    await result_of(waited.result)
    assert waits.came_to == ["Monday"]


async def test_what_runs_alongside_a_request_runs_on_its_own_loop(
    handler: HumanInputHandler, told: Told, elsewhere: BlockingPortal
) -> None:
    threads: list[int] = []

    class Noting(Told):
        async def settled(self, event: PendingInputEvent) -> None:
            threads.append(threading.get_ident())
            await super().settled(event)

    noting = Noting()
    handler.register_channel("elsewhere", noting)
    pending = elsewhere.call(partial(handler.create, "AskUser", {}, channel_id="elsewhere", session_id="s1"))
    assert handler.resolve(pending.pending_id, "Monday")
    with anyio.fail_after(10):
        await handler.close(session_id="s1")
    assert threads == [elsewhere.call(_thread)]
    assert (noting.ends, told.ends) == ([RequestEnd.ANSWERED], [])


async def test_closing_waits_for_requests_of_other_loops_to_end(
    handler: HumanInputHandler, elsewhere: BlockingPortal
) -> None:
    told, asker = Told(), Patient()
    handler.register_channel("voice", told)
    mine, others = await opened(handler, asker), elsewhere.call(opened, handler, asker)
    while asker.asking < 2:
        await anyio.lowlevel.checkpoint()
    with anyio.fail_after(10):
        await handler.close()
    assert [mine.end, others.end] == [RequestEnd.WITHDRAWN] * 2
    assert sorted(event.pending_id for event in told.settled_events) == sorted([mine.pending_id, others.pending_id])
    assert asker.asking == 0


async def test_closing_does_not_hang_on_a_loop_that_is_stuck(
    handler: HumanInputHandler, told: Told, elsewhere: BlockingPortal
) -> None:
    pending = elsewhere.call(opened, handler, Patient())
    stuck, go_on = threading.Event(), threading.Event()

    async def block() -> None:
        stuck.set()
        go_on.wait()

    blocked = elsewhere.start_task_soon(block)
    await result_of(stuck.wait)
    began = current_time()
    await handler.close()
    assert 1 < current_time() - began < 5
    assert (pending.end, told.ends) == (RequestEnd.WITHDRAWN, [])
    go_on.set()
    await result_of(blocked.result)


async def test_a_request_whose_loop_goes_down_is_withdrawn(handler: HumanInputHandler, told: Told) -> None:
    pending = await anyio.to_thread.run_sync(anyio.run, opened, handler, Patient())
    assert pending.end is RequestEnd.WITHDRAWN
    assert handler.pending == {}
    await handler.close()


async def test_a_request_outlives_its_loop_where_nothing_runs_alongside_it(handler: HumanInputHandler) -> None:
    async def create() -> PendingInput:
        return await handler.create("AskUser", {}, channel_id="voice", timeout=60)

    pending = await anyio.to_thread.run_sync(anyio.run, create)
    told = Told()
    handler.register_channel("voice", told)
    assert handler.resolve(pending.pending_id, "Monday")
    assert await handler.wait(pending.pending_id) == "Monday"
    await handler.close()


class Patient:
    """An asker that asks until it is withdrawn."""

    name = "patient"

    def __init__(self) -> None:
        self.asking = 0

    def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
        return True

    async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
        self.asking += 1
        try:
            await anyio.sleep_forever()
            return None
        finally:
            self.asking -= 1


async def opened(handler: HumanInputHandler, asker: Patient) -> PendingInput:
    return handler.open(NewRequest(new_pending("AskUser", {}, channel_id="voice"), 60, askers=[asker]))


async def _thread() -> int:
    return threading.get_ident()


async def test_of_two_late_answers_on_two_loops_at_once_one_is_told(elsewhere: BlockingPortal) -> None:
    handler, told = HumanInputHandler(), Told()
    handler.register_channel("voice", told)

    def result(answer: Answer) -> str:
        if answer.value == "first":  # while it is read, the other one is given
            assert elsewhere.call(handler.answer, pending.pending_id, Answer("second")) == Settlement.LATE
        return str(answer.value)

    new = new_pending("AskUser", {}, channel_id="voice", session_id="s1", question=Text(prompt="Which?"))
    pending = handler.open(NewRequest(new, tool=human_tool(AITool("AskUser"), result=result)))
    handler.release(pending.pending_id)
    assert await handler.answer(pending.pending_id, Answer("first")) == Settlement.LATE
    with anyio.fail_after(10):
        while not told.late_answers:  # noqa: ASYNC110 - it is told from another loop
            await anyio.sleep(0.01)
    await handler.close()
    assert len(told.late_answers) == 1
