"""The outputs that a session owes its model: each sent once, on whichever connection stands when it is there."""

from collections import OrderedDict, deque

import anyio

from voice_hitl.calls.call import ToolCall
from voice_hitl.channels.link import Link
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.frozen import frozen
from voice_hitl.provider import InjectRole, ProviderCapabilities
from voice_hitl.tasks import Latch

HISTORY_LINES = 200
"""How much of the conversation a new connection is told, in lines."""

RESUMED_WITHIN_S = 10.0
"""How long a provider that resumes may take to say which calls it still knows, before it is taken for knowing none."""


@frozen()
class Line:
    """One line of the conversation, as a new connection is told it."""

    role: InjectRole
    text: str


class Outputs:
    """What the model is owed, and what it is told when it has to be told again.

    An output goes to the connection that knows its call as the call's output, to another one as text it can read. One
    that a connection drops while it takes it goes to the next.
    """

    def __init__(self, link: Link, capabilities: ProviderCapabilities) -> None:
        self._link = link
        self._resumes = capabilities.resumes
        self._owed: OrderedDict[str, ToolCall] = OrderedDict()
        self._known: set[str] = set()
        self._told: dict[ToolCall, Latch] = {}
        self._history: deque[Line] = deque(maxlen=HISTORY_LINES)
        self._resumed = Latch()
        self._resumed.set()

    # --- what is owed ------------------------------------------------------------------------------------------------

    def owe(self, call: ToolCall) -> None:
        """The model waits for the output of this call."""
        self._owed[call.call_id] = call
        self._known.add(call.call_id)

    def settle(self, call: ToolCall) -> None:
        """The model waits no longer."""
        self._told.pop(call, None)
        if self._owed.get(call.call_id) is call:
            del self._owed[call.call_id]
            self._known.discard(call.call_id)

    @property
    def history(self) -> tuple[Line, ...]:
        """What is remembered of the conversation, oldest first."""
        return tuple(self._history)

    def said(self, role: InjectRole, text: str) -> None:
        """Remember a line, for a connection that has to be told what was said."""
        if text:
            self._history.append(Line(role, text))

    # --- another connection ------------------------------------------------------------------------------------------

    def carried_over(self) -> dict[str, object]:
        """What a new connection is told: `history`, and the `owed_calls` that it may take as its own."""
        owed = [
            {"call_id": call.call_id, "name": call.name, "arguments": dict(call.arguments or {})}
            for call in self._owed.values()
            if call not in self._told
        ]
        return {"history": [{"role": line.role, "text": line.text} for line in self._history], "owed_calls": owed}

    def replaced(self) -> None:
        """A new connection stands. It knows none of the calls, unless it says so (`kept`)."""
        self._known.clear()
        if self._resumes != "none" and self._resumed.is_set:
            self._resumed = Latch()

    def kept(self, call_ids: tuple[str, ...]) -> None:
        """The new connection takes the outputs of these calls."""
        self._known.update(call_id for call_id in call_ids if call_id in self._owed)
        self._resumed.set()

    # --- sending -----------------------------------------------------------------------------------------------------

    async def send(self, call: ToolCall, text: str, failed: bool) -> str:
        """Send a call's outcome, once; say how: as its `"output"`, or as `"text"`.

        Raises:
            ConnectionEnded: The session with the model is over.
            ProviderError: The provider refuses it.
        """
        tried = False
        while True:
            connection = self._link.connection or await self._link.ready()
            if not self._resumed.is_set:
                await self._know_what_is_kept()
            if call in self._told:
                await self._told[call].wait()
            if connection is not self._link.connection:
                continue
            try:
                if call not in self._told and self._knows(call):
                    tried = True
                    await connection.send_tool_result(call.call_id, call.name, text, failed=failed)
                    return "output"
                if tried and self._resumes == "native":
                    return "output"  # the same conversation goes on, and is owed it no longer: it had arrived
                await connection.inject(result_line(call, text), role="system", silent=True)
                return "text"
            except ConnectionEnded:
                self._link.gone(connection)

    async def inject(self, text: str) -> None:
        """Tell the model something as a silent line, on whichever connection stands.

        Raises:
            ConnectionEnded: The session with the model is over.
            ProviderError: The provider refuses it.
        """
        while True:
            connection = self._link.connection or await self._link.ready()
            try:
                await connection.inject(text, role="system", silent=True)
            except ConnectionEnded:
                self._link.gone(connection)
            else:
                return

    async def send_for_now(self, call: ToolCall, text: str) -> bool:
        """Send this as the one output of a call that goes on; its outcome follows as text. False: none is waited for.

        Raises:
            ConnectionEnded: The connection has gone, and the next one does not wait for this output.
            ProviderError: The provider refuses it.
        """
        connection = self._link.connection
        if connection is None or not self._knows(call):
            return False
        told = self._told[call] = Latch()
        try:
            await connection.send_tool_result(call.call_id, call.name, text, failed=False)
        except (ConnectionEnded, ProviderError):
            self._told.pop(call, None)
            raise
        else:
            return True
        finally:
            told.set()

    def _knows(self, call: ToolCall) -> bool:
        return call.call_id in self._known and self._owed.get(call.call_id) is call

    async def _know_what_is_kept(self) -> None:
        with anyio.move_on_after(RESUMED_WITHIN_S):
            await self._resumed.wait()
        self._resumed.set()


def result_line(call: ToolCall, text: str) -> str:
    """A call's outcome as a line of text."""
    return f"The result of your earlier call of the tool {call.name} ({call.call_id}) has come:\n{text}"
