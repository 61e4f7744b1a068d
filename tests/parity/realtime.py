"""A session with a speech model, whichever channel it is of: what the model does, and what it reads."""

import json
import re
from abc import abstractmethod
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Final, get_args

from tests.channels.kept import settle_down
from tests.parity.door import Place, Setup
from voice_hitl.channels.session import VoiceSession
from voice_hitl.provider import (
    GoingAway,
    ProviderCapabilities,
    ResponseEnded,
    ResponseStarted,
    Resumed,
    SpeechStarted,
    SpeechStopped,
    ToolCalled,
    ToolCancelled,
    Transcript,
)
from voice_hitl.testing import (
    Closed,
    Command,
    Forgot,
    Injected,
    Responded,
    ScriptedConnection,
    ScriptedProvider,
    SentToolResult,
)

_TOLD: Final = re.compile(
    r"The tool \S+ has returned:\n(?P<fence>`+)\n(?P<fenced>.*)\n(?P=fence)"
    r"|The result of your earlier call of the tool \S+ \(\S+\) has come:\n(?P<plain>.*)",
    re.DOTALL,
)


class RealtimePlace(Place):
    """A session with a speech model."""

    session: VoiceSession
    model: ScriptedConnection

    def __init__(self, setup: Setup, capabilities: ProviderCapabilities | None = None) -> None:
        super().__init__(setup)
        self.provider = ScriptedProvider(capabilities=capabilities or setup.capabilities)
        self.response = ""
        self._responses = 0
        self._asked_on = 0
        self._taken = 0
        self._outcomes: deque[str] = deque()
        self._notes: list[str] = []
        self._ids = 0

    @abstractmethod
    async def come_in(self) -> VoiceSession:
        """Begin the session."""

    async def start(self) -> None:
        self.session = await self.come_in()
        self.model = await self.connected()

    async def connected(self) -> ScriptedConnection:
        """The connection that the provider gives next."""
        model = await self.provider.connected()
        model.ignore(*(kind for kind in get_args(Command) if kind not in (SentToolResult, Injected, Closed)))
        self._taken = self._asked_on = 0
        return model

    async def read(self) -> str:
        await self.end_response()
        while not self._outcomes:
            await self._take(within_s=400)
        return self._outcomes.popleft()

    async def reads_nothing(self, for_s: float = 1.0) -> None:
        await self.end_response()
        await settle_down(for_s)
        await self._take_all()
        assert not self._outcomes, f"the model reads {self._outcomes}"

    async def notes(self) -> list[str]:
        await self._take_all()
        return self._notes

    async def _take_all(self) -> None:
        while self.model.counts[SentToolResult] + self.model.counts[Injected] > self._taken:
            await self._take(within_s=1)

    async def _take(self, *, within_s: float) -> None:
        command = await self.model.take(within_s=within_s)
        self._taken += 1
        outcome = self.outcome(command)
        if outcome is not None:
            self._outcomes.append(outcome)
        elif isinstance(command, Injected):
            self._notes.append(command.text)

    def outcome(self, command: Command) -> str | None:
        """The outcome of a call that the model reads in this command, if any."""
        match command:
            case SentToolResult(text=text):
                return text
            case Injected(text=text) if told := _TOLD.fullmatch(text):
                return told["fenced"] or told["plain"]
            case _:
                return None

    def respond(self) -> str:
        """The response that the model is giving, begun where there is none."""
        if not self.response:
            self._responses += 1
            self.response = f"r{self._responses}"
            self.model.emit(ResponseStarted(self.response))
        return self.response

    async def end_response(self) -> None:
        if self.response:
            self.model.emit(ResponseEnded(self.response))
            self.response = ""
        await settle_down()

    def an_id(self) -> str:
        self._ids += 1
        return f"call_{self._ids}"

    async def goes_on(self) -> bool:
        await settle_down()
        before, self._asked_on = self._asked_on, self.model.counts[Responded]
        assert self._asked_on <= before + 1, "it was asked to go on more than once"
        return self._asked_on > before

    @asynccontextmanager
    async def caller_speaks(self) -> AsyncGenerator[None]:
        self.model.emit(SpeechStarted())
        await settle_down()
        yield
        self.model.emit(SpeechStopped())

    @asynccontextmanager
    async def floor_taken(self) -> AsyncGenerator[None]:
        async with self.session.line.taken_by("another", after="now"):
            yield

    @property
    def notes_taken_back(self) -> int:
        return self.model.counts[Forgot]

    async def caller_said(self, text: str) -> None:
        self.model.emit(Transcript("user", text, final=True, item_id=self.an_id()))

    async def fail_model(self, *, fatal: bool = True) -> None:
        await self.end_response()
        self.model.fail(fatal=fatal)
        await settle_down()

    async def cancel_calls(self, *call_ids: str) -> None:
        self.model.emit(ToolCancelled(call_ids))
        await settle_down()

    async def replace_connection(self, *, kept: tuple[str, ...] | None = None) -> None:
        await self._take_all()
        self.model.drop()
        self.model, self.response = await self.connected(), ""
        if kept is not None:
            self.model.emit(Resumed(kept))
        await settle_down()

    async def renew_connection(self) -> None:
        await self._take_all()
        self.model.emit(GoingAway(5))
        self.model, self.response = await self.connected(), ""
        await settle_down()

    async def declared(self) -> set[str]:
        return {tool.name for tool in self.model.config.tools}

    async def barge_in(self) -> None:
        self.model.emit(SpeechStarted(), SpeechStopped())
        await settle_down()

    def done(self) -> None:
        self.provider.done()


class IssuesCalls(RealtimePlace):
    """Its model issues function calls."""

    async def issue(
        self, name: str, arguments: Mapping[str, object] | str = "{}", *, call_id: str | None = None
    ) -> None:
        text = arguments if isinstance(arguments, str) else json.dumps(dict(arguments))
        self.model.emit(ToolCalled(self.an_id() if call_id is None else call_id, name, text, self.respond()))
        await settle_down()


class SaysCalls(RealtimePlace):
    """Its model says its calls."""

    async def issue(
        self, name: str, arguments: Mapping[str, object] | str = "{}", *, call_id: str | None = None
    ) -> None:
        assert call_id is None, "a call that is said has no id of the model's"
        text = arguments if isinstance(arguments, str) else json.dumps(dict(arguments))
        self.respond()
        self.model.emit(Transcript("assistant", f"{name}({text})", final=True, item_id=self.an_id()))
        await settle_down()

    def outcome(self, command: Command) -> str | None:
        assert not isinstance(command, SentToolResult), "the model gets an output of a call that it did not issue"
        return super().outcome(command)
