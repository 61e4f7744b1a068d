"""A connection to the local Realtime server, what it told, and the session behind it."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

import anyio
import numpy as np

from voice_hitl.provider import ProviderConfig, ProviderEvent
from voice_hitl.testing.openai_realtime import OpenAIRealtimeServer, RealtimeServerSession, Say, Step, Turn
from voice_hitl.tools.definition import AITool
from voice_hitl_openai import OpenAIRealtimeProvider
from voice_hitl_openai.connection import OpenAIRealtimeConnection

E = TypeVar("E", bound=ProviderEvent)

ASK = AITool("ask_human", "Asks a person.", {"type": "object", "properties": {"question": {"type": "string"}}})
CONFIG = ProviderConfig(instructions="You take bookings.", tools=[ASK])


class Line:
    """A connection, what it told, and the session behind it."""

    def __init__(self, connection: OpenAIRealtimeConnection, session: RealtimeServerSession) -> None:
        self.connection = connection
        self.session = session
        self.told: list[ProviderEvent] = []

    async def until(self, kind: type[E], which: Callable[[E], bool] = lambda _event: True) -> E:
        with anyio.fail_after(30):
            while True:
                event = await self.connection.events().get()
                self.told.append(event)
                if isinstance(event, kind) and which(event):
                    return event

    async def rest(self) -> list[ProviderEvent]:
        """Everything up to the end of the connection."""
        with anyio.fail_after(30):
            async for event in self.connection.events():
                self.told.append(event)
        return self.told

    def all(self, kind: type[E]) -> list[E]:
        return [event for event in self.told if isinstance(event, kind)]

    async def received(self, kind: str, count: int = 1) -> dict[str, object]:
        with anyio.fail_after(30):
            return dict(await self.session.received(kind, count=count))

    async def settled(self) -> None:
        """Everything sent so far has been taken by the service, and told: it confirms in order."""
        before = len(self.session.sent("session.update"))
        await self.connection.reconfigure(CONFIG)
        assert len(self.session.sent("session.update")) == before + 1

    def outputs(self) -> list[tuple[object, object]]:
        items = [item for item in self.session.items if item["type"] == "function_call_output"]
        return [(item["call_id"], item["output"]) for item in items]


@asynccontextmanager
async def calling(
    server: OpenAIRealtimeServer, config: ProviderConfig = CONFIG, **settings: object
) -> AsyncGenerator[Line]:
    transcription_model = str(settings.get("transcription_model", "gpt-transcribe"))
    provider = OpenAIRealtimeProvider(
        api_key=server.api_key, base_url=server.base_url, transcription_model=transcription_model
    )
    number = len(server.sessions)
    with anyio.fail_after(30):
        connection = await provider.connect(config)
        line = Line(connection, await server.session(number))
    try:
        yield line
    finally:
        await connection.aclose()


def turns(*answers: Sequence[Step]) -> Callable[[Turn], Sequence[Step]]:
    """Answer so, turn by turn."""
    return lambda turn: answers[turn.number]


def once(*steps: Step) -> Callable[[Turn], Sequence[Step]]:
    """Answer the first turn so, and the others with a word."""
    return lambda turn: steps if turn.number == 0 else [Say("Done.")]


def tone(ms: int) -> list[bytes]:
    samples = (np.sin(np.arange(ms * 24) * 0.06) * 12_000).astype("<i2").tobytes()
    return [samples[start : start + 960] for start in range(0, len(samples), 960)]
