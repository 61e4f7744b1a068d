"""`Desk`: where requests for operators lie. `ConsoleAsker` puts them there; a console shows and answers them.

It is all that the two know of each other. A desk belongs to one event loop.
"""

from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Protocol

import anyio

from voice_hitl.asker import AskerSession, Asking
from voice_hitl.askers.presence import Presence
from voice_hitl.errors import StoreUnavailable
from voice_hitl.store import Store
from voice_hitl.tasks import current_time

LOOK_S: Final = 5.0
"""How often a desk asks the store whether another process's console is still watched, in seconds."""


@dataclass(slots=True, eq=False)
class Lying:
    """A request that lies at the desk.

    Args:
        id: What the console calls it: the id of the request it was put there for.
        asking: How it is answered.
        caller: Who is on the leg of its session.
        language: The language of the session.
        since: When it was put there (UTC).
        roles: Who is asked.
    """

    id: str
    asking: Asking
    caller: str
    language: str
    since: datetime
    roles: list[str] = field(default_factory=list[str])


class DeskListener(Protocol):
    """A console at the desk. Nothing here waits or raises."""

    def opened(self, lying: Lying) -> None:
        """A request was put there, or is there for one more role."""
        ...

    def lifted(self, lying: Lying) -> None:
        """It is gone: its request has settled (`lying.asking.request.end`), or is no longer for operators."""
        ...

    def watched(self) -> None:
        """Somebody began to watch, or stopped."""
        ...


class Desk:
    """Open requests for operators, and who is watching.

    Args:
        store: Where the requests outlive the process; then a console in another process counts as watching, too.
    """

    def __init__(self, *, store: Store | None = None) -> None:
        self._store = store
        self._presence = Presence()
        self._lying: dict[Asking, Lying] = {}
        self._listeners: list[DeskListener] = []
        self._moved = anyio.Event()

    # --- for the asker -----------------------------------------------------------------------------------------------

    @contextmanager
    def holding(self, asking: Asking, role: str, session: AskerSession | None) -> Generator[None]:
        """Have the request lie here for a role, for as long as the block runs. Its clock starts."""
        lying = self._lying.get(asking)
        if lying is None:
            caller, language = (session.participant_id, session.language) if session is not None else ("", "")
            lying = Lying(asking.request.pending_id, asking, caller, language, datetime.now(UTC))
            self._lying[asking] = lying
        lying.roles.append(role)
        asking.put()
        self._tell(lambda listener: listener.opened(lying))
        try:
            yield
        finally:
            lying.roles.remove(role)
            if not lying.roles:
                del self._lying[asking]
                self._tell(lambda listener: listener.lifted(lying))

    async def is_watched(self, role: str, *, elsewhere: bool = False) -> bool:
        """Whether somebody in this role is there: at a console here or, `elsewhere`, in a process of the same store."""
        return self._presence.is_there(role, current_time()) or (elsewhere and await self._watched_elsewhere(role))

    async def deserted(self, role: str, *, elsewhere: bool = False) -> None:
        """Return once nobody in this role is there any more."""
        while await self.is_watched(role, elsewhere=elsewhere):
            gone_at = self._presence.gone_at(role)
            if gone_at is None:
                await self._moved.wait()
            else:
                wait_s = gone_at - current_time()
                with anyio.move_on_after(wait_s if wait_s > 0 else LOOK_S):
                    await self._moved.wait()

    async def _watched_elsewhere(self, role: str) -> bool:
        if self._store is None:
            return False
        try:
            return bool(await self._store.alive((watch_of(role),)))
        except StoreUnavailable:
            return False

    # --- for the console ---------------------------------------------------------------------------------------------

    @property
    def lying(self) -> tuple[Lying, ...]:
        """What lies here, oldest first."""
        return tuple(self._lying.values())

    @property
    def watched_roles(self) -> frozenset[str]:
        """The roles in which somebody watches here now."""
        return self._presence.roles

    def watching(self, role: str) -> int:
        """How many watch in a role here now."""
        return self._presence.count(role)

    async def attended(self, role: str) -> None:
        """Return once somebody in this role watches here."""
        while not self._presence.count(role):
            await self._moved.wait()

    def join(self, listener: DeskListener) -> None:
        """Tell a console what happens here."""
        self._listeners.append(listener)

    def leave(self, listener: DeskListener) -> None:
        """Tell it no more."""
        self._listeners.remove(listener)

    @contextmanager
    def watch(self, roles: Collection[str]) -> Generator[None]:
        """Count somebody as watching in these roles, for as long as the block runs."""
        self._presence.arrive(roles)
        self._tell_watched()
        try:
            yield
        finally:
            self._presence.leave(roles, current_time())
            self._tell_watched()

    def _tell_watched(self) -> None:
        moved, self._moved = self._moved, anyio.Event()
        moved.set()
        self._tell(lambda listener: listener.watched())

    def _tell(self, what: Callable[[DeskListener], None]) -> None:
        for listener in tuple(self._listeners):
            what(listener)


def watch_of(role: str) -> str:
    """The lease in a store that runs while somebody in this role watches a console of any process."""
    return f"watching:{role}"


OWN_DESK: Final = Desk()
"""The desk of this process, for whoever names no other one."""
