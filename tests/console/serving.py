"""A console on a real port, with the events that a page of it reads."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
from starlette.types import ASGIApp

from tests.console.office import SUPERVISORS, Office, office
from voice_hitl.console.operators import Limits
from voice_hitl.demo.server import listen, web_serving

WITHIN_S = 30.0


@dataclass(frozen=True)
class Told:
    """One event, as it was sent."""

    id: str
    name: str
    data: str


@asynccontextmanager
async def served(app: ASGIApp) -> AsyncGenerator[str]:
    """Serve an app for as long as the block runs; gives its address."""
    with listen("127.0.0.1", 0) as listener:
        async with web_serving(app, listener) as url:
            yield url


class Events:
    """The events of one page, one after another."""

    def __init__(self, response: httpx.Response) -> None:
        self.lines = response.aiter_lines()
        self.response = response

    async def next(self, name: str) -> Told:
        """The next event of that name."""
        fields: dict[str, str] = {}
        async for line in self.lines:
            if line:
                field, _, value = line.partition(": ")
                fields[field] = value
            elif fields:
                told = Told(fields.get("id", ""), fields.get("event", ""), fields.get("data", ""))
                fields = {}
                if told.name == name:
                    return told
        raise AssertionError(f"the stream ended before {name}")

    async def ended(self) -> None:
        """Return when the stream has ended."""
        async for _ in self.lines:
            pass


@asynccontextmanager
async def events(http: httpx.AsyncClient, headers: dict[str, str]) -> AsyncGenerator[Events]:
    async with http.stream("GET", "/events", headers=headers, timeout=WITHIN_S) as response:
        assert response.status_code == 200
        yield Events(response)


@asynccontextmanager
async def online(
    *, watched: Sequence[str] = SUPERVISORS, limits: Limits | None = None
) -> AsyncGenerator[tuple[Office, httpx.AsyncClient]]:
    """A console on a real port, and a client of it."""
    async with (
        office(watched=watched, limits=limits) as made,
        served(made.console.app) as url,
        httpx.AsyncClient(base_url=url, timeout=WITHIN_S) as http,
    ):
        yield made, http
