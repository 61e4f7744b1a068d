"""What runs alongside the wait of a request: its hooks, then its askers, and in the end the announcement."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import anyio
import anyio.lowlevel

from voice_hitl.asker import Asker, can_answer
from voice_hitl.enums import HookTrigger, RequestEnd
from voice_hitl.human_input.asking import SharedAsking, label_of
from voice_hitl.human_input.live import LiveRequest, LiveRequests
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Text
from voice_hitl.requests.pending import PendingInputEvent
from voice_hitl.requests.settlement import Settlement
from voice_hitl.tasks import GRACE_S, Job, Tasks, call_on, end_jobs, this_loop

log = logging.getLogger(__name__)

HOOKS_HOLD_ASKERS_S = 1.0
"""How long the SYNC hooks may hold the askers up; a denial that comes later withdraws what was started."""

ANSWER_FIRST = 3
"""Turns of the event loop by which an answer goes ahead of its announcement: somebody on the line waits for it."""

ELSEWHERE_S = 2 * GRACE_S
"""How long the requests of other event loops may take to end when a scope is closed from this one."""


class Alongside:
    """Reaches people for requests that are open, and tells of their ends. What fails here never ends a request."""

    def __init__(self, requests: LiveRequests, answer: Callable[[str, Answer], Awaitable[Settlement]]) -> None:
        self._requests = requests
        self._answer = answer
        self._tasks = Tasks("human input")

    def begin(self, live: LiveRequest) -> None:
        """Start, in a task of its own; for a request that has settled only its end is told."""
        live.job = self._tasks.spawn(self._run(live), f"request of {live.pending.tool_name}")

    async def end(self, requests: Sequence[LiveRequest]) -> None:
        """Return when the ends of these requests, all settled, are told and their askers gone, or abandoned."""
        here = this_loop()
        for live in requests:
            # It may still be asking for what nobody needs to know any more.
            if live.hooks is not None and not live.hooks.is_current:
                call_on(live.loop, live.hooks.cancel)
        await end_jobs([job for live in requests if live.loop is here for job in _jobs_of(live)])
        with anyio.move_on_after(ELSEWHERE_S, shield=True):
            for live in requests:
                if live.job is None or live.loop is not here:
                    await self._requests.ended(live).wait()

    async def close(self) -> None:
        """End whatever is left."""
        await self._tasks.close()

    def failed(self, live: LiveRequest, source: str, error: BaseException) -> None:
        """Say to the log and to `ON_ERROR` what failed beside a request; of a sensitive one, no words that it used."""
        kind = type(error).__name__
        if live.pending.sensitive:
            log.warning("%s failed (%s)", source, kind)
            message = kind
        else:
            log.warning("%s failed", source, exc_info=error)
            message = f"{kind}: {error}"
        call_on(live.loop, partial(_tell_failure, live, source, message))

    # --- one request -------------------------------------------------------------------------------------------------

    async def _run(self, live: LiveRequest) -> None:
        try:
            if live.pending.end is None:
                await self._tell(live)
                self._reach(live)
                await live.settled.wait()
            if live.asking is not None:
                live.asking.end_if_over()
            for _ in range(ANSWER_FIRST):
                await anyio.lowlevel.checkpoint()
            await self._announce(live)
            if live.asking is not None:
                await live.asking.ended_if_over()
        finally:
            if live.pending.end is None:  # the event loop itself is going down
                self._requests.settle(live.pending.pending_id, RequestEnd.WITHDRAWN)
            if live.hooks is None or live.hooks.done:
                self._requests.forget(live)

    async def _tell(self, live: LiveRequest) -> None:
        """Run the hooks, and go on at once when they have ended, or after a second."""
        if live.callbacks.listens:
            live.hooks = self._tasks.spawn(self._notify(live), f"hooks of {live.pending.tool_name}")
            with anyio.move_on_after(HOOKS_HOLD_ASKERS_S):
                await live.hooks.wait()

    async def _notify(self, live: LiveRequest) -> None:
        try:
            denied = await live.callbacks.required(PendingInputEvent.of(live.pending))
        except Exception as error:  # noqa: BLE001 - a broken hook loses the notification, not the request
            self.failed(live, HookTrigger.ON_USER_INPUT_REQUIRED, error)
            return
        finally:
            if live.job is not None and live.job.done:
                self._requests.forget(live)  # until now whoever closes its scope had these to end
        if denied is not None:
            self._requests.settle(live.pending.pending_id, RequestEnd.BLOCKED, reason=denied)

    async def _announce(self, live: LiveRequest) -> None:
        if not live.callbacks.hears_ends:
            return
        try:
            await live.callbacks.settled(PendingInputEvent.of(live.pending))
        except Exception as error:  # noqa: BLE001 - it was told, and nothing else depends on it
            self.failed(live, HookTrigger.ON_USER_INPUT_SETTLED, error)

    # --- askers ------------------------------------------------------------------------------------------------------

    def _reach(self, live: LiveRequest) -> None:
        """Start the askers that reach somebody, or join those of an identical question."""
        pending, session = live.pending, live.new.session
        if not live.new.askers or pending.end is not None:
            return
        live.asking = self._requests.asking_of_a_twin(live)
        if live.asking is not None:
            live.asking.join(pending)
            return
        reached = [asker for asker in live.new.askers if self._reaches(asker, live)]
        if pending.end is not None:
            return
        if any(can_answer(asker) for asker in reached):
            live.asking = SharedAsking(
                pending,
                pending.question or Text(prompt=pending.tool_name),
                requests=self._requests,
                answer=self._answer,
                failed=partial(self.failed, live),
            )
            live.asking.start(reached, session, self._tasks)
        elif live.callbacks.listens:
            self._requests.put(pending.pending_id)  # it is for the hooks to reach somebody, and they were told
        else:
            self._requests.give_up(pending.pending_id, tries=0)

    def _reaches(self, asker: Asker, live: LiveRequest) -> bool:
        try:
            return asker.reaches(live.pending, live.new.session)
        except Exception as error:  # noqa: BLE001 - the border to users' code: the other askers are asked
            self.failed(live, label_of(asker), error)
            return False


def _tell_failure(live: LiveRequest, source: str, message: str) -> None:
    try:
        live.callbacks.failed(live.pending, source, message)
    except Exception:
        log.exception("the failure of %s could not be told", source)


def _jobs_of(live: LiveRequest) -> list[Job]:
    asking = live.asking.jobs if live.asking is not None and live.asking.is_over else ()
    return [job for job in (live.job, live.hooks, *asking) if job is not None]
