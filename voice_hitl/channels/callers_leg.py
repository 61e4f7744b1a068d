"""The caller's side of a session: the leg that carries it now, and what happens when that is lost."""

import logging
from collections.abc import Callable

import anyio

from voice_hitl.channels.letting_go import let_go
from voice_hitl.errors import ConnectionEnded
from voice_hitl.tasks import Job, Mailbox, Tasks
from voice_hitl.transport import HangUpReason, HungUp, Leg, LegEvent, LegLost

log = logging.getLogger(__name__)

MESSAGES_QUEUED = 256
"""How many messages to the page may wait for a leg that is slow to take them; the oldest go first."""


class CallersLeg:
    """One caller, on one leg after another.

    Args:
        leg: The leg, accepted.
        rejoin_s: How long the caller may take to come back on another one, in seconds; 0: not at all.
        tasks: Runs what nobody waits for.
        on_event: Is told what the caller does.
        on_lost: Is told that the leg is lost, and the caller may come back.
        on_gone: Is told that the call is over, and why.
    """

    def __init__(
        self,
        leg: Leg,
        *,
        rejoin_s: float,
        tasks: Tasks,
        on_event: Callable[[LegEvent], None],
        on_lost: Callable[[], None],
        on_gone: Callable[[HangUpReason], None],
    ) -> None:
        self.leg = leg
        self.is_lost = False
        self._rejoin_s = rejoin_s
        self._tasks = tasks
        self._on_event = on_event
        self._on_lost = on_lost
        self._on_gone = on_gone
        self._messages = _messages()
        self._serving: anyio.CancelScope | None = None
        self._waiting: Job | None = None

    async def serve(self) -> None:
        """Serve the leg, and the one that replaces it, until cancelled."""
        while True:
            with anyio.CancelScope() as self._serving:
                async with anyio.create_task_group() as group:
                    group.start_soon(self._send_messages, self.leg)
                    await self._receive(self.leg)
                    await anyio.sleep_forever()

    def rejoin(self, leg: Leg) -> None:
        """The caller is back on this leg. What still waited for the page of the old one is let go: it is told anew."""
        old, self.leg = self.leg, leg
        self._messages = _messages()
        self.is_lost = False
        if self._waiting is not None:
            self._waiting.cancel()
        self._tasks.spawn(let_go("letting the lost leg go", old.aclose), "letting the lost leg go")
        if self._serving is not None:
            self._serving.cancel()

    def send_message(self, text: str) -> None:
        """Send a text to the page; never waits."""
        self._messages.put(text)

    async def close(self) -> None:
        """Hang up; what is still to be told to the page goes out first, if the leg takes it at once."""
        leg = self.leg
        await let_go("the last messages to the page", self._send_the_rest)
        self._messages.close()
        await let_go("hanging up", leg.hang_up)
        await let_go("letting the leg go", leg.aclose)

    # --- the leg of now ----------------------------------------------------------------------------------------------

    async def _receive(self, leg: Leg) -> None:
        try:
            while True:
                event = await leg.events().get()
                match event:
                    case LegLost():
                        self._lost(leg)
                    case HungUp(reason):
                        if reason == "lost":
                            self._lost(leg)
                        else:
                            self._on_gone(reason)
                            return
                    case _:
                        self._on_event(event)
        except ConnectionEnded:
            self._lost(leg)

    async def _send_messages(self, leg: Leg) -> None:
        async for text in self._messages:
            await _send(leg, text)

    async def _send_the_rest(self) -> None:
        while len(self._messages):
            await _send(self.leg, await self._messages.get())

    def _lost(self, leg: Leg) -> None:
        if self.is_lost or leg is not self.leg:
            return
        self.is_lost = True
        if self._rejoin_s <= 0:
            self._on_gone("lost")
        elif not self._tasks.closed:
            self._on_lost()
            self._waiting = self._tasks.spawn(self._wait_for_the_caller(), "waiting for the caller to rejoin")

    async def _wait_for_the_caller(self) -> None:
        await anyio.sleep(self._rejoin_s)
        self._on_gone("lost")


def _messages() -> Mailbox[str]:
    return Mailbox(limit=MESSAGES_QUEUED, droppable=lambda _text: True)


async def _send(leg: Leg, text: str) -> None:
    try:
        await leg.send_message(text)
    except Exception as error:  # noqa: BLE001 - a transport that fails to reach its page must not cost the call
        log.warning("a message to the page was lost: %s", error)
