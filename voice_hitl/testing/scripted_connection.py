"""One session with the scripted model: the library's side of the port, and the test's side of it."""

import json
from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import fields as dataclass_fields
from typing import TypeVar, cast

from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.provider import (
    InjectRole,
    ProviderConfig,
    ProviderEvent,
    ProviderFailed,
    Receiver,
    ResponseEnded,
    ResponseStarted,
    ToolCalled,
    ToolCallStarted,
)
from voice_hitl.tasks import Latch, Mailbox
from voice_hitl.testing.commands import (
    Closed,
    Command,
    DelegationOutput,
    Forgot,
    Held,
    Injected,
    Interrupted,
    Reconfigured,
    Responded,
    Said,
    SentAudio,
    SentToolResult,
)
from voice_hitl.testing.record import WITHIN_S, Record, differences, show

C = TypeVar("C", bound=Command)


class ScriptedConnection:
    """One session with the scripted model. The test calls its first half, the library its second."""

    def __init__(self, config: ProviderConfig, *, label: str, ignore: Collection[type[Command]]) -> None:
        self.config = config
        self.label = label
        self.counts: Counter[type[Command]] = Counter()
        """How many commands of each kind came, ignored ones too."""
        self._events: Mailbox[ProviderEvent] = Mailbox()
        self._commands: Record[Command] = Record(label)
        self._ignored = set(ignore)
        self._hung: dict[type[Command], Latch] = {}
        self._raising: dict[type[Command], Exception] = {}
        self._ids: Counter[str] = Counter()

    @property
    def ended(self) -> bool:
        """Whether the connection is gone, from whichever side."""
        return self._events.closed

    # --- the test's side ---------------------------------------------------------------------------------------------

    def emit(self, *events: ProviderEvent) -> None:
        """The model reports these events. On an ended connection nobody hears them: late is not wrong."""
        for event in events:
            self._events.put(event)

    def call_tool(self, name: str, arguments: Mapping[str, object] | str = "{}", *, call_id: str = "") -> str:
        """The model responds with this one call; return the call's id.

        Args:
            name: The tool.
            arguments: A mapping, sent as JSON text, or a text sent as it is.
            call_id: The id it names the call by; minted when empty.
        """
        call_id = call_id or self._mint("call")
        response_id = self._mint("response")
        text = arguments if isinstance(arguments, str) else json.dumps(dict(arguments))
        self.emit(
            ResponseStarted(response_id),
            ToolCallStarted(call_id, name),
            ToolCalled(call_id, name, text, response_id),
            ResponseEnded(response_id),
        )
        return call_id

    async def expect(self, kind: type[C], *, within_s: float = WITHIN_S, **fields: object) -> C:
        """Return the next command, which must be of this kind with these fields.

        Args:
            kind: One of the dataclasses of `voice_hitl.testing.commands`.
            within_s: How long to wait for it, in seconds of the loop's clock.
            fields: What its fields must be; those not named may be anything. A compiled pattern is searched for.

        Raises:
            AssertionError: Another command came, or none did.
        """
        names = {field.name for field in dataclass_fields(kind)}
        if not fields.keys() <= names:
            raise TypeError(f"{kind.__name__} has no {', '.join(sorted(fields.keys() - names))}")

        def differs(command: Command) -> list[str]:
            if not isinstance(command, kind):
                return [f"it is no {kind.__name__}"]
            return differences(fields, {name: getattr(command, name) for name in names})

        return cast("C", await self._commands.expect(show(kind.__name__, fields), differs, within_s=within_s))

    async def take(self, *, within_s: float = WITHIN_S) -> Command:
        """Return the next command, whichever it is; `AssertionError` when none comes in time."""
        return await self._commands.expect("a command", lambda _command: [], within_s=within_s)

    async def expect_nothing(self, *, for_s: float) -> None:
        """Wait so many seconds of the loop's clock, in which no command must come; `AssertionError` otherwise."""
        await self._commands.expect_nothing(for_s=for_s)

    def ignore(self, *kinds: type[Command]) -> None:
        """Only count commands of these kinds from now on (audio is ignored from the start)."""
        self._ignored.update(kinds)

    def watch(self, *kinds: type[Command]) -> None:
        """Expect commands of these kinds again from now on."""
        self._ignored.difference_update(kinds)

    def fail(self, *, fatal: bool, code: str = "scripted", message: str = "the script says so") -> None:
        """The model reports an error; a fatal one ends the connection."""
        self.emit(ProviderFailed(fatal, code, message))
        if fatal:
            self.drop()

    def drop(self) -> None:
        """The connection is gone without a word: its events end, and every command raises `ConnectionEnded`."""
        self._events.close()
        for latch in self._hung.values():
            latch.set()

    def hang(self, kind: type[Command]) -> None:
        """Commands of this kind arrive and do not return, until `mend` or until the connection is gone."""
        if kind is SentAudio:
            raise ValueError("sending audio never waits, so it cannot hang")
        self._hung[kind] = Latch()

    def raise_on(self, kind: type[Command], error: Exception | None = None) -> None:
        """Commands of this kind arrive and raise `error` (a `ProviderError` unless given), until `mend`."""
        self._raising[kind] = error or ProviderError(f"the script refuses {kind.__name__}")

    def mend(self, kind: type[Command]) -> None:
        """Commands of this kind work again; those that hang return."""
        self._raising.pop(kind, None)
        latch = self._hung.pop(kind, None)
        if latch is not None:
            latch.set()

    def done(self) -> None:
        """Every command but a last `Closed` must have been expected; `AssertionError` otherwise."""
        self._commands.done(unless=lambda command: isinstance(command, Closed))

    # --- the library's side: the port --------------------------------------------------------------------------------

    def events(self) -> Receiver[ProviderEvent]:
        """The events that the test emits."""
        return self._events

    def send_audio(self, pcm: bytes) -> None:
        """Record 20 ms of the caller's voice."""
        self._take(SentAudio(pcm))

    async def send_tool_result(self, call_id: str, name: str, text: str, *, failed: bool) -> None:
        """Record the output of a call."""
        await self._do(SentToolResult(call_id, name, text, failed))

    async def say(self, text: str) -> None:
        """Record words to speak."""
        await self._do(Said(text))

    async def inject(self, text: str, *, role: InjectRole = "system", silent: bool = True) -> str:
        """Record a text item; return the id minted for it."""
        item_id = self._mint("item")
        await self._do(Injected(text, role, silent, item_id))
        return item_id

    async def respond(self) -> None:
        """Record that the model was asked to go on."""
        await self._do(Responded())

    async def interrupt(self, response_id: str | None = None, *, item_id: str = "", played_ms: float = 0) -> None:
        """Record that the model was stopped."""
        await self._do(Interrupted(response_id, item_id, played_ms))

    async def hold(self, *, on: bool) -> None:
        """Record that the model was held, or let go."""
        await self._do(Held(on))

    async def forget(self, item_id: str) -> None:
        """Record that an item was taken out."""
        await self._do(Forgot(item_id))

    async def reconfigure(self, config: ProviderConfig) -> None:
        """Record new instructions and tools."""
        await self._do(Reconfigured(config))
        self.config = config

    async def delegation_output(self, delegation_id: str, text: str, *, final: bool, spoken: bool = True) -> None:
        """Record some of a delegation's output."""
        await self._do(DelegationOutput(delegation_id, text, final, spoken))

    async def aclose(self) -> None:
        """Record the end, once, and end the events."""
        if not self.ended:
            try:
                with suppress(ConnectionEnded):
                    await self._do(Closed())
            finally:
                self.drop()

    async def _do(self, command: Command) -> None:
        self._take(command)
        hung = self._hung.get(type(command))
        if hung is not None:
            await hung.wait()
            if self.ended:
                raise ConnectionEnded(f"{self.label} is gone")

    def _take(self, command: Command) -> None:
        if self.ended:
            raise ConnectionEnded(f"{self.label} is gone")
        kind = type(command)
        self.counts[kind] += 1
        if kind not in self._ignored:
            self._commands.add(command)
        error = self._raising.get(kind)
        if error is not None:
            raise error

    def _mint(self, what: str) -> str:
        self._ids[what] += 1
        return f"{what}-{self._ids[what]}"
