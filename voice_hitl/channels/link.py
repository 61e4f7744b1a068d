"""A session's link to its model: the connection it has now, and the one that replaces it when it is lost or expires."""

import logging
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import anyio

from voice_hitl.calls.call import ToolCall
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.provider import (
    Connected,
    GoingAway,
    Provider,
    ProviderConfig,
    ProviderConnection,
    ProviderEvent,
    ProviderFailed,
    Resumed,
    Role,
)
from voice_hitl.tasks import Latch, current_time
from voice_hitl.tools.definition import AITool

log = logging.getLogger(__name__)

RETRY_AFTER_S = (0.0, 0.5, 2.0)
"""How long to wait before each try to replace a lost connection; after the last one the session is lost."""

RENEW_BEFORE_S = 60.0
"""How long before its end a connection is replaced at the latest, quiet moment or not; twice as long before, in one."""

HISTORY_LINES = 200


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the conversation, as a new connection is told it."""

    role: Role
    text: str


class Link:
    """Keeps one connection to the model standing for a whole call.

    Outputs of calls that a connection does not know (any more) are sent as text it can read.
    """

    def __init__(self, provider: Provider, config: ProviderConfig, *, quiet: Callable[[], bool]) -> None:
        self._provider = provider
        self._config = config
        self._quiet = quiet
        self._connection: ProviderConnection | None = None
        self._ready = Latch()
        self._owed: OrderedDict[str, ToolCall] = OrderedDict()
        self._known: set[str] = set()
        self._history: deque[Line] = deque(maxlen=HISTORY_LINES)
        self._expires_at: float | None = None
        self._closed = False
        self.fatal: ProviderFailed | None = None

    @property
    def connection(self) -> ProviderConnection | None:
        """The connection that stands now; None while it is being replaced."""
        return self._connection

    @property
    def config(self) -> ProviderConfig:
        """What the session is configured with now."""
        return self._config

    def declare(self, tools: Sequence[AITool]) -> None:
        """Set the tools of a session that is not open yet."""
        self._config = replace(self._config, tools=tuple(tools))

    async def open(self) -> None:
        """Connect the first time; `ProviderError` says why it cannot be had."""
        self._take(await self._provider.connect(self._config))

    async def ready(self) -> ProviderConnection:
        """The connection, as soon as one stands; `ConnectionEnded` when none will any more."""
        while self._connection is None:
            if self._closed:
                raise ConnectionEnded("the session with the model is over")
            await self._ready.wait()
        return self._connection

    # --- events ------------------------------------------------------------------------------------------------------

    async def next(self) -> ProviderEvent | None:
        """The next event; None when the connection was lost and a new one stands. `ConnectionEnded`: it is over."""
        connection = await self.ready()
        try:
            event = await self._next_within(connection)
        except ConnectionEnded:
            if self._closed or self.fatal is not None:
                self._end()
                raise
            await self._replace(connection)
            return None
        if event is None:
            await self._replace(connection)
            return None
        match event:
            case Connected(expires_at):
                self._expires_at = expires_at
            case GoingAway(in_s):
                self._expires_at = current_time() + in_s
            case Resumed(calls_kept):
                self._known.update(calls_kept)
            case ProviderFailed(fatal=True):
                self.fatal = event
            case _:
                pass
        return event

    async def _next_within(self, connection: ProviderConnection) -> ProviderEvent | None:
        """The next event, or None when it is time to renew the connection."""
        if self._expires_at is None:
            return await connection.events().get()
        while True:
            left = self._expires_at - current_time()
            if left <= RENEW_BEFORE_S or (left <= 2 * RENEW_BEFORE_S and self._quiet()):
                return None
            # In the last stretch, look every second whether the moment is quiet.
            step = left - 2 * RENEW_BEFORE_S if left > 2 * RENEW_BEFORE_S else 1.0
            with anyio.move_on_after(step):
                return await connection.events().get()

    async def _replace(self, old: ProviderConnection) -> None:
        """Open a new connection that carries the conversation on; the calls owed stay owed."""
        self._connection, self._expires_at = None, None
        self._ready = Latch()
        self._known.clear()
        await old.aclose()
        for delay in RETRY_AFTER_S:
            await anyio.sleep(delay)
            try:
                self._take(await self._provider.connect(replace(self._config, metadata=self._carried_over())))
            except ProviderError as error:
                log.warning("the connection to %s could not be replaced: %s", self._provider.name, error)
            else:
                return
        self.fatal = ProviderFailed(fatal=True, code="lost", message="the connection was lost and not to be had again")
        self._end()
        raise ConnectionEnded("the connection to the model was lost")

    def _carried_over(self) -> dict[str, object]:
        owed = [
            {"call_id": call.call_id, "name": call.name, "arguments": dict(call.arguments or {})}
            for call in self._owed.values()
        ]
        history = [{"role": line.role, "text": line.text} for line in self._history]
        return {**self._config.metadata, "history": history, "owed_calls": owed}

    def _take(self, connection: ProviderConnection) -> None:
        self._connection = connection
        self._ready.set()

    def _end(self) -> None:
        self._closed = True
        self._connection = None
        self._ready.set()

    # --- what the conversation was -----------------------------------------------------------------------------------

    def said(self, role: Role, text: str) -> None:
        """Remember a line, for a connection that has to be told what was said."""
        if text:
            self._history.append(Line(role, text))

    def owe(self, call: ToolCall) -> None:
        """The model waits for the output of this call."""
        self._owed[call.call_id] = call
        self._known.add(call.call_id)

    def settle(self, call: ToolCall) -> None:
        """The model waits no longer."""
        if self._owed.get(call.call_id) is call:
            del self._owed[call.call_id]

    # --- commands ----------------------------------------------------------------------------------------------------

    async def send_result(self, call: ToolCall, text: str, failed: bool) -> str:
        """Send a call's outcome: as its output where the connection knows the call, else as text. Says which."""
        connection = await self.ready()
        if call.call_id in self._known:
            await connection.send_tool_result(call.call_id, call.name, text, failed=failed)
            return "output"
        words = f"The result of your earlier call of the tool {call.name} ({call.call_id}) has come:\n{text}"
        await connection.inject(words, role="system", silent=True)
        return "text"

    async def reconfigure(self, config: ProviderConfig) -> None:
        """Change instructions and tools: in place where the provider can, else with a new connection."""
        self._config = config
        connection = await self.ready()
        if self._provider.capabilities.reconfigures == "in_place":
            await connection.reconfigure(config)
        else:
            await connection.aclose()

    async def aclose(self) -> None:
        """End the connection for good."""
        connection = self._connection
        self._end()
        if connection is not None:
            await connection.aclose()
