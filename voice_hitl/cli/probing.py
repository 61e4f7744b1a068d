"""A model under probe: one session at a time, what it reports, and somebody to speak to it. Over the port only."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, TypeVar

import anyio

from voice_hitl.audio.resample import Resampler
from voice_hitl.cli.checking import caller_speech
from voice_hitl.errors import ConnectionEnded, VoiceHitlError
from voice_hitl.provider import (
    Provider,
    ProviderConfig,
    ProviderConnection,
    ProviderEvent,
    ProviderFailed,
    ResponseEnded,
    ResponseStarted,
    ToolCalled,
    Transcript,
)
from voice_hitl.tasks import Tasks, current_time
from voice_hitl.tools.definition import AITool

E = TypeVar("E")

INSTRUCTIONS: Final = (
    "You are being tested. Do what the newest message of the user or of the system asks, exactly and at once, and "
    "nothing else. Asked to call look_up, call it without a word. When a result has come, say what it is in one short "
    "sentence. To anything else that you hear, say: I heard you."
)
LOOK_UP: Final = AITool("look_up", "Look something up.", {"type": "object", "properties": {"q": {"type": "string"}}})

FRAME_S: Final = 0.02
SILENCE_S: Final = 1.2
"""After the caller's words: longer than any turn detection waits for."""


class Missed(VoiceHitlError):  # noqa: N818 - named by its cause
    """What was waited for did not come, or something came that must not."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How patient a probe is, in seconds."""

    within_s: float = 20.0
    """How long anything may take to come."""
    quiet_s: float = 3.0
    """How long nothing must come for it to be taken as never coming."""
    frame_s: float = FRAME_S
    """How often 20 ms of the caller are sent; less than that is faster than real time."""


class Heard:
    """Everything that one session reported, with when."""

    def __init__(self, connection: ProviderConnection, pace: Pace) -> None:
        self.model = connection
        self.pace = pace
        self.events: list[tuple[float, ProviderEvent]] = []
        self.over = False
        self._news = anyio.Event()

    async def listen(self) -> None:
        """Take the session's events until it ends."""
        try:
            while True:
                self._take(await self.model.events().get())
        except ConnectionEnded:
            self.over = True
            self._tell()

    def _take(self, event: ProviderEvent) -> None:
        self.events.append((current_time(), event))
        self._tell()

    def _tell(self) -> None:
        news, self._news = self._news, anyio.Event()
        news.set()

    # --- what came ---------------------------------------------------------------------------------------------------

    @property
    def mark(self) -> int:
        """How much has come: `since` of what comes from now on."""
        return len(self.events)

    def all(self, kind: type[E], *, since: int = 0) -> list[E]:
        """What came of this kind."""
        return [event for _, event in self.events[since:] if isinstance(event, kind)]

    def when(self, event: object) -> float:
        """When this came, in seconds of the loop's clock."""
        return next(at for at, came in self.events if came is event)

    async def first(self, kind: type[E], is_it: Callable[[E], bool] = lambda _event: True, *, since: int = 0) -> E:
        """The first that it is, come already or still to come; `Missed` where it does not come."""
        with anyio.move_on_after(self.pace.within_s):
            while True:
                found = next((event for event in self.all(kind, since=since) if is_it(event)), None)
                if found is not None:
                    return found
                if self.over:
                    raise Missed(f"the session ended before a {kind.__name__} came")
                await self._news.wait()
        raise Missed(f"no {kind.__name__} within {self.pace.within_s:g} s")

    async def none(self, *kinds: type[ProviderEvent], since: int = 0) -> None:
        """Wait a while in which nothing of these kinds must come; `Missed` where something does, or did."""
        with anyio.move_on_after(self.pace.quiet_s):
            while not self.over:
                await self._news.wait()
        for kind in kinds:
            for event in self.all(kind, since=since):
                raise Missed(event.code if isinstance(event, ProviderFailed) else f"a {kind.__name__} came")
        if self.over:
            raise Missed("the session ended")

    # --- what is asked of it -----------------------------------------------------------------------------------------

    async def ask(self, text: str) -> int:
        """Tell the model what to do, and have it do it; return the mark before."""
        since = self.mark
        await self.model.inject(text, role="user", silent=True)
        await self.model.respond()
        return since

    async def call(self) -> ToolCalled:
        """Have the model call the tool; its output is owed from now on, and the response is over."""
        since = await self.ask("Call look_up now.")
        called = await self.first(ToolCalled, since=since)
        await self.ended(called.response_id, since=since)
        return called

    async def reply(self, *, since: int) -> str:
        """What the model says from there on, in the first response that says something."""
        line = await self.first(Transcript, lambda one: one.role == "assistant" and one.final, since=since)
        return line.text

    async def settled(self, *, since: int) -> None:
        """Wait until every response that began since then is over."""
        for started in self.all(ResponseStarted, since=since):
            await self.ended(started.response_id, since=since)

    async def ended(self, response_id: str, *, since: int) -> ResponseEnded:
        """The end of a response."""
        return await self.first(ResponseEnded, lambda ended: ended.response_id == response_id, since=since)


@dataclass(frozen=True, slots=True)
class Bench:
    """Where a provider is probed."""

    provider: Provider
    pace: Pace = Pace()

    @asynccontextmanager
    async def session(self, **metadata: object) -> AsyncGenerator[Heard]:
        """A session of its own, listened to; `ProviderError` where it cannot be had."""
        config = ProviderConfig(instructions=INSTRUCTIONS, tools=[LOOK_UP], metadata=metadata)
        connection = await self.provider.connect(config)
        heard, tasks = Heard(connection, self.pace), Tasks("probe")
        try:
            tasks.spawn(heard.listen(), "listening")
            yield heard
        finally:
            with anyio.CancelScope(shield=True):
                await connection.aclose()
                await tasks.close()

    async def speak(self, heard: Heard) -> None:
        """The recorded caller speaks to the model, and is silent then."""
        for frame in self._frames():
            heard.model.send_audio(frame)
            await anyio.sleep(self.pace.frame_s)

    def _frames(self) -> Sequence[bytes]:
        rate, frames = caller_speech()
        wanted = self.provider.capabilities.rate
        resampler = Resampler(rate, wanted)
        size = int(wanted * FRAME_S) * 2
        speech = resampler.push(b"".join(frames)) + resampler.flush() + bytes(int(SILENCE_S / FRAME_S) * size)
        return [speech[at : at + size] for at in range(0, len(speech) - size + 1, size)]
