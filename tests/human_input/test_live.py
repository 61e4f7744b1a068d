"""`LiveRequests`: what the handler's own tests do not reach from outside."""

import threading
import time

import anyio
import anyio.to_thread
import pytest

from tests.human_input.told import Told
from voice_hitl.enums import RequestEnd
from voice_hitl.human_input.live import LiveRequest, LiveRequests
from voice_hitl.human_input.new_request import NewRequest, new_pending
from voice_hitl.tasks import this_loop

pytestmark = pytest.mark.anyio


def armed(requests: LiveRequests, timeout: float | None = None) -> LiveRequest:
    quiet = Told(listens=False, hears_ends=False)
    live = LiveRequest(NewRequest(new_pending("AskUser", {}), timeout), this_loop(), quiet)
    requests.arm(live)
    return live


@pytest.fixture
def requests() -> LiveRequests:
    return LiveRequests(retention=128, announce=lambda _live: None)


async def test_a_deadline_that_comes_while_another_thread_settles_changes_nothing(requests: LiveRequests) -> None:
    live = armed(requests, timeout=0.05)
    held = threading.Event()

    def settle() -> None:
        with requests.lock:
            held.set()
            time.sleep(0.15)  # the deadline comes, and waits for the lock
            assert requests.settle(live.pending.pending_id, RequestEnd.ANSWERED, result="Monday")

    thread = threading.Thread(target=settle)
    thread.start()
    await anyio.to_thread.run_sync(held.wait)
    await anyio.to_thread.run_sync(thread.join)
    assert (await requests.wait(live.pending.pending_id, None)).result == "Monday"
    assert live.pending.end is RequestEnd.ANSWERED


async def test_other_loops_may_wait_for_a_request_to_have_ended_altogether(requests: LiveRequests) -> None:
    first, second = armed(requests), armed(requests)
    assert requests.ended(first) is requests.ended(first)
    assert not requests.ended(first).is_set
    for live in (first, second):
        requests.settle(live.pending.pending_id, RequestEnd.ANSWERED)
    assert requests.ended(first).is_set
    assert requests.ended(second).is_set


async def test_putting_what_nobody_knows_does_nothing(requests: LiveRequests) -> None:
    requests.put("nobody")
    assert requests.snapshot() == {}
