"""A session's link to its model: the connection it has now, and the one that replaces it when it is lost or expires."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

import anyio

from voice_hitl.channels.letting_go import let_go
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.provider import (
    Connected,
    GoingAway,
    Provider,
    ProviderConfig,
    ProviderConnection,
    ProviderEvent,
    ProviderFailed,
)
from voice_hitl.tasks import Job, Latch, Tasks, current_time
from voice_hitl.tools.definition import AITool

log = logging.getLogger(__name__)

CONNECT_S = 20.0
"""How long a provider may take to connect, in seconds, whatever its own bound."""

RETRY_AFTER_S = (0.0, 0.5, 2.0)
"""How long to wait before each try to replace a lost connection; after the last one the session is lost."""

RENEW_BEFORE_S = 60.0
"""How long before its end a connection is replaced at the latest, quiet moment or not; twice as long before, in one.

Of a short life, or a short notice, a quarter.
"""

LOOK_S = 1.0
"""How often to look whether the moment is quiet."""


async def _as_it_is(_connection: ProviderConnection) -> None:
    return


class Link:
    """Keeps one connection to the model standing for a whole call.

    Args:
        provider: The model.
        config: What the session is configured with.
        tasks: Runs what nobody waits for.
        quiet: Whether nobody speaks now, so that a connection can be renewed unheard.
        carried_over: What a new connection is told of the conversation, as entries of its config's `metadata`.
        prepare: Makes a new connection what the old one was, before it takes anything else.
    """

    def __init__(
        self,
        provider: Provider,
        config: ProviderConfig,
        *,
        tasks: Tasks,
        quiet: Callable[[], bool],
        carried_over: Callable[[], Mapping[str, object]] = dict,
        prepare: Callable[[ProviderConnection], Awaitable[None]] = _as_it_is,
    ) -> None:
        self._provider = provider
        self._config = config
        self._tasks = tasks
        self._quiet = quiet
        self._carried_over = carried_over
        self._prepare = prepare
        self._reading: ProviderConnection | None = None
        self._connection: ProviderConnection | None = None
        self._ready = Latch()
        self._renewal: Job | None = None
        self._closed = False
        self.fatal: ProviderFailed | None = None
        """Why the model is lost for good, where it is."""

    @property
    def connection(self) -> ProviderConnection | None:
        """The connection that takes commands now; None while it is being replaced."""
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
        self._take(await self._connect(self._config))

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
        connection = self._reading
        if connection is None:
            raise ConnectionEnded("the session with the model is over")
        try:
            event = await connection.events().get()
        except ConnectionEnded:
            if self._closed or self.fatal is not None:
                self._end()
                raise
            await self._replace(connection)
            return None
        match event:
            case Connected(expires_at) if expires_at is not None:
                self._renew(connection, expires_at - current_time(), urgent=False)
            case GoingAway(in_s):
                self._renew(connection, in_s, urgent=True)
            case ProviderFailed(fatal=True):
                self.fatal = event
            case _:
                pass
        return event

    # --- the connection after this one -------------------------------------------------------------------------------

    def gone(self, connection: ProviderConnection) -> None:
        """A command found that this connection has ended: the next one is waited for."""
        if connection is self._connection:
            self._connection, self._ready = None, Latch()

    def _renew(self, connection: ProviderConnection, life_s: float, *, urgent: bool) -> None:
        if self._renewal is not None:
            self._renewal.cancel()
        before = min(RENEW_BEFORE_S, life_s / 4)
        latest = current_time() + life_s - before
        earliest = current_time() if urgent else latest - before
        work = self._renew_between(connection, earliest, latest)
        self._renewal = self._tasks.spawn(work, "renewing the connection to the model")

    async def _renew_between(self, connection: ProviderConnection, earliest: float, latest: float) -> None:
        await anyio.sleep_until(earliest)
        while current_time() < latest and not self._quiet():  # noqa: ASYNC110 - nobody says when a moment is quiet
            await anyio.sleep(LOOK_S)
        await self._leave(connection)

    async def _leave(self, connection: ProviderConnection) -> None:
        """Have this connection replaced: its events end, and whoever reads them connects again."""
        self.gone(connection)
        await let_go("closing a connection to the model", connection.aclose)

    async def _replace(self, old: ProviderConnection) -> None:
        self.gone(old)
        await let_go("closing a lost connection to the model", old.aclose)
        for delay in RETRY_AFTER_S:
            await anyio.sleep(delay)
            metadata = {**self._config.metadata, **self._carried_over()}
            try:
                connection = await self._connect(replace(self._config, metadata=metadata))
            except ProviderError as error:
                log.warning("the connection to %s could not be replaced: %s", self._provider.name, error)
                continue
            try:
                await self._prepare(connection)
            except BaseException:
                # Nobody else knows of it yet.
                await let_go("closing a connection that was not needed any more", connection.aclose)
                raise
            self._take(connection)
            return
        self.fatal = ProviderFailed(fatal=True, code="lost", message="the connection was lost and not to be had again")
        self._end()
        raise ConnectionEnded("the connection to the model was lost")

    async def _connect(self, config: ProviderConfig) -> ProviderConnection:
        with anyio.move_on_after(CONNECT_S):
            return await self._provider.connect(config)
        raise ProviderError(f"{self._provider.name} did not answer within {CONNECT_S:g} s")

    def _take(self, connection: ProviderConnection) -> None:
        if self._renewal is not None:
            self._renewal.cancel()
            self._renewal = None
        self._reading = self._connection = connection
        self._ready.set()

    def _end(self) -> None:
        self._closed = True
        self._connection = self._reading = None
        self._ready.set()

    # --- commands ----------------------------------------------------------------------------------------------------

    def hear(self, pcm: bytes) -> None:
        """Give the model 20 ms of the caller's voice. While there is no connection it is let go."""
        connection = self._connection
        if connection is not None:
            try:
                connection.send_audio(pcm)
            except ConnectionEnded:
                self.gone(connection)

    def tell(
        self,
        command: Callable[[ProviderConnection], Awaitable[object]],
        what: str,
        *,
        lost: Callable[[], None] = lambda: None,
    ) -> None:
        """Send a command that nobody waits for.

        A connection that has gone does not get it (then `lost` is called), and one that refuses it goes on without.
        """
        connection = self._connection
        if connection is None:
            lost()
        elif not self._tasks.closed:
            self._tasks.spawn(self._try(connection, command, what, lost), what)

    async def _try(
        self,
        connection: ProviderConnection,
        command: Callable[[ProviderConnection], Awaitable[object]],
        what: str,
        lost: Callable[[], None],
    ) -> None:
        try:
            await command(connection)
        except ConnectionEnded:
            self.gone(connection)
            lost()
        except ProviderError as error:
            log.warning("%s: the model refused it: %s", what, error)

    async def reconfigure(self, config: ProviderConfig) -> None:
        """Change instructions and tools: in place where the provider can, else with a new connection.

        Raises:
            ProviderError: The provider refuses it.
            ConnectionEnded: The session is over.
        """
        before, self._config = self._config, config
        connection = await self.ready()
        if self._provider.capabilities.reconfigures != "in_place":
            await self._leave(connection)
            await self.ready()
            return
        try:
            await connection.reconfigure(config)
        except ConnectionEnded:
            # The next connection is opened with it.
            self.gone(connection)
            await self.ready()
        except ProviderError:
            self._config = before
            raise

    async def aclose(self) -> None:
        """End the connection for good."""
        connection = self._reading
        self._end()
        if connection is not None:
            await connection.aclose()
