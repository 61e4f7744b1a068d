"""A conference that a test plays: rooms whose participants speak, press keys, hold pages, come, go, and vanish.

::

    with ScriptedConference() as conference:
        ada = conference.room("standup").join("ada")
        ...a channel attaches to "standup"...
        await ada.speak(voice)
        card = await ada.message(type="request.opened")
        answer = {"action": "answer", "value": True}
        ada.send({"v": 1, "type": "request.answer", "pending_id": card["pending_id"], "answer": answer})
        await ada.message(type="request.settled")
        await conference.room("standup").hears(1_000)

Strict: a message that was not the next one expected, one that never came, one that nobody expected, and a room that the
agent is still in at the end fail the test, saying what was expected and what came.
"""

from types import TracebackType

from voice_hitl.conference import ConferenceCapabilities, Joining
from voice_hitl.errors import ConferenceError
from voice_hitl.testing.faults import Faults
from voice_hitl.testing.scripted_room import ScriptedPresence, ScriptedRoom


class ScriptedConference:
    """A conference's backend whose rooms are in the test.

    As a context manager it calls `done` at the end, unless the test has failed already.

    Args:
        capabilities: What it claims to be able to do: by default all but private audio.
        name: What to call it.
    """

    def __init__(self, *, capabilities: ConferenceCapabilities | None = None, name: str = "scripted") -> None:
        self._name = name
        self._capabilities = capabilities or ConferenceCapabilities()
        self._rooms: dict[str, ScriptedRoom] = {}
        self._closed = False
        self.faults = Faults()
        """What `join` is to suffer: delays, hanging, errors."""

    # --- the test's side ---------------------------------------------------------------------------------------------

    def room(self, room_id: str) -> ScriptedRoom:
        """A room, whether or not the agent is in it."""
        if room_id not in self._rooms:
            self._rooms[room_id] = ScriptedRoom(room_id, self._capabilities)
        return self._rooms[room_id]

    def done(self) -> None:
        """Every message must have been expected, and the agent have left every room; `AssertionError` otherwise."""
        self.faults.done()
        for room in self._rooms.values():
            room.done()

    def __enter__(self) -> "ScriptedConference":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.done()

    # --- the library's side: the port --------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """What to call it."""
        return self._name

    @property
    def capabilities(self) -> ConferenceCapabilities:
        """What it claims to be able to do."""
        return self._capabilities

    async def join(self, room_id: str, joining: Joining) -> ScriptedPresence:
        """Let the agent into a room; `ConferenceError` where its identity is taken, or the backend is closed."""
        await self.faults.suffer("join")
        if self._closed:
            raise ConferenceError(f"{self._name} is closed")
        return self.room(room_id).admit(joining)

    async def aclose(self) -> None:
        """Leave every room."""
        self._closed = True
        for room in self._rooms.values():
            room.remove_agent("the backend was closed")
