"""Where requests may still be created: channels, rooms and sessions that are open, or closed for now or for good."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Generic, TypeVar

K = TypeVar("K")

REMEMBERED = 4096
"""How many closed sessions, rooms and channels of each kind are remembered: the latest. A process that lives for
months closes a room a call, and what was closed so long ago has nothing running in it that could still ask."""


class Closed(Generic[K]):
    """The latest `REMEMBERED` things of one kind that were closed and not opened again since."""

    def __init__(self) -> None:
        self.names: OrderedDict[K, None] = OrderedDict()
        """What is closed, the oldest first."""

    def add(self, name: K) -> None:
        """It is closed from now on; the oldest is forgotten beyond the bound."""
        self.names[name] = None
        self.names.move_to_end(name)
        if len(self.names) > REMEMBERED:
            self.names.popitem(last=False)

    def discard(self, name: K) -> None:
        """It is open again, if it was closed."""
        self.names.pop(name, None)


@dataclass(frozen=True, slots=True)
class Scope:
    """What a close concerns: all that is named must match; nothing named means everything."""

    channel_id: str | None = None
    room_id: str | None = None
    session_id: str | None = None

    def covers(self, channel_id: str, room_id: str, session_id: str) -> bool:
        """Whether a request of this channel, room and session is concerned."""
        return (
            (self.channel_id is None or self.channel_id == channel_id)
            and (self.room_id is None or self.room_id == room_id)
            and (self.session_id is None or self.session_id == session_id)
        )


EVERYTHING = Scope()


class Scopes:
    """What is registered and what is closed.

    A session is closed for good; a channel or a room until it is registered or attached again; everything for good.
    A registration token names one registration of a channel: a stale one closes nothing, so that a channel displaced
    by a newer one under its id cannot silence it.
    """

    def __init__(self) -> None:
        self._registrations: dict[str, int] = {}
        self._next_token = 1
        self._sessions = Closed[str]()
        self._channels = Closed[str]()
        self._rooms = Closed[str]()
        self._rooms_of_channels = Closed[tuple[str, str]]()
        self._all_closed = False

    @property
    def registered(self) -> tuple[str, ...]:
        """The ids of the channels registered now."""
        return tuple(self._registrations)

    def register(self, channel_id: str) -> int:
        """Register a channel, re-opening its id; return the token of this registration."""
        token = self._next_token
        self._next_token += 1
        self._registrations[channel_id] = token
        self._channels.discard(channel_id)
        return token

    def attach(self, room_id: str, *, channel_id: str) -> None:
        """Re-open a room, which a channel attaches to."""
        self._rooms.discard(room_id)
        self._rooms_of_channels.discard((channel_id, room_id))

    def holder(self, registration: int) -> str | None:
        """The channel whose registration this token names now; None: the token is stale."""
        return next((channel for channel, token in self._registrations.items() if token == registration), None)

    def close(self, scope: Scope) -> None:
        """Refuse what is created in `scope` from now on."""
        if scope.session_id is not None:
            self._sessions.add(scope.session_id)
        elif scope.channel_id is not None and scope.room_id is not None:
            self._rooms_of_channels.add((scope.channel_id, scope.room_id))
        elif scope.channel_id is not None:
            self._channels.add(scope.channel_id)
            self._registrations.pop(scope.channel_id, None)
        elif scope.room_id is not None:
            self._rooms.add(scope.room_id)
        else:
            self._all_closed = True
            self._registrations.clear()

    def why_closed(self, channel_id: str, room_id: str, session_id: str) -> str | None:
        """Why nothing may be created here; None where it may."""
        if self._all_closed:
            return "the human-input handler is closed"
        if session_id in self._sessions.names:
            return f"session {session_id!r} has ended: it takes no more requests"
        if channel_id in self._channels.names:
            return f"channel {channel_id!r} is closed: register it again to create requests on it"
        if room_id in self._rooms.names or (channel_id, room_id) in self._rooms_of_channels.names:
            return f"room {room_id!r} is closed: attach it again to create requests in it"
        return None
