"""A console over a desk of its own, and requests on it, for the tests beside this file."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count

import anyio
import anyio.lowlevel
import httpx

from voice_hitl import Confirm, HumanInputHandler, PendingInput, Question
from voice_hitl.asker import Asker
from voice_hitl.askers.console import ConsoleAsker
from voice_hitl.askers.desk import Desk
from voice_hitl.console.app import Console
from voice_hitl.console.operators import Limits
from voice_hitl.console.signed_tokens import SignedTokens
from voice_hitl.human_input.new_request import NewRequest, new_pending

SECRET = "a secret of a console that nobody else knows, and long enough for any way to sign"
TOKENS = SignedTokens(SECRET)
ORIGIN = "http://console.test"
SUPERVISORS = ("supervisors",)


def bearer(user: str, *roles: str) -> dict[str, str]:
    return {"authorization": f"Bearer {TOKENS.issue(user, roles)}"}


ANN = bearer("ann", "supervisors")
BOB = bearer("bob", "supervisors")
EVE = bearer("eve", "sales")


@dataclass
class Office:
    """A console, and somebody of each role who watches it."""

    desk: Desk
    console: Console
    http: httpx.AsyncClient
    handler: HumanInputHandler = field(default_factory=HumanInputHandler)
    numbers: Iterator[int] = field(default_factory=count)

    async def ask(
        self,
        question: Question | None = None,
        *,
        role: str = "supervisors",
        audience: Sequence[str] = SUPERVISORS,
        timeout: float | None = 60,
        askers: Sequence[Asker] = (),
        room: str = "front",
        channel: str = "desk",
    ) -> PendingInput:
        """Open a request for a role; it is on the board when this returns."""
        pending = new_pending(
            "ask",
            {"number": next(self.numbers)},  # two that are the same would share their asking
            audience=audience,
            question=question or Confirm(prompt="Pay it back?"),
            room_id=room,
            channel_id=channel,
            session_id="s1",
            actor_id="ada",
        )
        asks = askers or (ConsoleAsker(role, self.desk),)
        self.handler.open(NewRequest(pending, timeout, askers=asks))
        await self.settle_down()
        return pending

    async def settle_down(self) -> None:
        for _ in range(30):
            await anyio.lowlevel.checkpoint()


@asynccontextmanager
async def office(
    *,
    watched: Sequence[str] = ("supervisors", "sales"),
    limits: Limits | None = None,
    origins: Sequence[str] = (),
) -> AsyncGenerator[Office]:
    desk = Desk()
    console = Console(TOKENS, desk=desk, limits=limits, origins=origins)
    transport = httpx.ASGITransport(app=console.app)
    async with httpx.AsyncClient(transport=transport, base_url=ORIGIN) as http:
        made = Office(desk, console, http)
        with desk.watch(watched):
            yield made
        await made.handler.close()
    await console.close()
