"""A speech model that a test plays: it pushes events, and expects each command, in order.

::

    with ScriptedProvider() as provider:
        ...start a session with it...
        model = await provider.connected()
        call_id = model.call_tool("ConfirmAction", {"prompt": "Cancel the booking?"})
        ...the person answers...
        await model.expect(SentToolResult, call_id=call_id, text=re.compile("confirmed"))

Strict: a command that was not the next one expected, one that never came, and one that nobody expected fail the test,
saying what was expected and what came.
"""

from collections.abc import Awaitable, Callable, Collection
from types import TracebackType

from voice_hitl.errors import ProviderError
from voice_hitl.provider import Connected, ProviderCapabilities, ProviderConfig
from voice_hitl.tasks import Tasks
from voice_hitl.testing.commands import Command, SentAudio
from voice_hitl.testing.record import WITHIN_S, Record
from voice_hitl.testing.scripted_connection import ScriptedConnection

Script = Callable[[ScriptedConnection], Awaitable[None]]
"""What a provider plays by itself on each of its connections."""


class ScriptedProvider:
    """A speech model that a test plays, by hand or by a script.

    As a context manager it calls `done` at the end, unless the test has failed already.

    Args:
        capabilities: What it claims to be able to do.
        script: Played on every connection, in the background; without one the test takes each by `connected`.
        ignore: Kinds of commands that are only counted.
        name: What to call it.
        greeting: The first event of every connection; None: the test emits its own.
    """

    def __init__(
        self,
        *,
        capabilities: ProviderCapabilities | None = None,
        script: Script | None = None,
        ignore: Collection[type[Command]] = (SentAudio,),
        name: str = "scripted",
        greeting: Connected | None = Connected(),  # noqa: B008 - frozen
    ) -> None:
        self._name = name
        self._capabilities = capabilities or ProviderCapabilities()
        self._script = script
        self._ignore = tuple(ignore)
        self._greeting = greeting
        self._refusals: list[Exception] = []
        self._waiting: Record[ScriptedConnection] = Record(name)
        self._scripts = Tasks(name)
        self._playing = 0
        self._broken: list[Exception] = []
        self.connections: list[ScriptedConnection] = []
        """Every connection so far."""

    @property
    def name(self) -> str:
        """What to call it."""
        return self._name

    @property
    def capabilities(self) -> ProviderCapabilities:
        """What it claims to be able to do."""
        return self._capabilities

    async def connect(self, config: ProviderConfig) -> ScriptedConnection:
        """Open a connection, or refuse it as `refuse` said."""
        if self._refusals:
            raise self._refusals.pop(0)
        label = f"{self._name} connection {len(self.connections) + 1}"
        connection = ScriptedConnection(config, label=label, ignore=self._ignore)
        self.connections.append(connection)
        if self._greeting is not None:
            connection.emit(self._greeting)
        if self._script is None:
            self._waiting.add(connection)
        else:
            self._playing += 1
            self._scripts.spawn(self._play(self._script, connection), f"the script of {label}")
        return connection

    async def connected(self, *, within_s: float = WITHIN_S) -> ScriptedConnection:
        """Return the next connection; `AssertionError` when nobody connects in time."""
        return await self._waiting.expect("a connection", lambda _connection: [], within_s=within_s)

    def refuse(self, error: Exception | None = None, *, times: int = 1) -> None:
        """Refuse the next connects with `error` (a `ProviderError` unless given)."""
        self._refusals.extend([error or ProviderError("the script refuses to connect")] * times)

    def done(self) -> None:
        """Everything must have been expected and played; `AssertionError`, or a script's own error, otherwise."""
        if self._broken:
            raise self._broken[0]
        if self._refusals:
            raise AssertionError(f"{self._name} was to refuse {len(self._refusals)} more connections: nobody tried")
        if self._playing:
            raise AssertionError(f"{self._playing} scripts of {self._name} have not ended")
        self._waiting.done()
        for connection in self.connections:
            connection.done()

    async def _play(self, script: Script, connection: ScriptedConnection) -> None:
        try:
            await script(connection)
        except Exception as error:  # noqa: BLE001 - raised in the test, by `done`
            self._broken.append(error)
        finally:
            self._playing -= 1

    def __enter__(self) -> "ScriptedProvider":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.done()
