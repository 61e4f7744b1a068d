"""The port to stores: what outlives a process. A store keeps rows, leases and letters, and understands none of them.

A row is one request to a person. While its holder's lease runs, the holder alone writes it; whoever else has an answer
posts a letter and waits for the verdict. Once the lease has run out anybody may write the row, one of them in vain: a
row has a version, and a write names the one that it replaces.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

LEASE_S: Final = 15.0
"""How long a holder that is not heard of counts as there, in seconds."""

SETTLED_FOR_S: Final = 7 * 86_400.0
"""How long an outcome is kept after it was recorded, in seconds, unless said otherwise."""


class RowState(StrEnum):
    """Where a row stands. `open -> claimed -> settled | failed`, or `open -> settled`."""

    OPEN = "open"
    """It may be answered: by way of its holder; by anybody, where it has none."""
    CLAIMED = "claimed"
    """Approved, and its tool may be running. Without a result, and its holder gone, nobody knows what happened."""
    FAILED = "failed"
    """Approved, and its tool failed, or was not run. It does not open again."""
    SETTLED = "settled"
    """Its outcome is recorded."""


UNSETTLED: Final = frozenset({RowState.OPEN, RowState.CLAIMED})
"""What a process that has come back has to look at."""


@dataclass(frozen=True, slots=True)
class Row:
    """One request as a store keeps it.

    Args:
        id: The request's id.
        version: 1 when it is first written, and one more with every write.
        state: Where it stands.
        holder: Who alone writes it while its lease runs; empty: nobody.
        body: Everything else, JSON.
    """

    id: str
    version: int
    state: RowState
    holder: str
    body: str


@dataclass(frozen=True, slots=True)
class Letter:
    """An answer on its way to the holder of a request. `key` names it: the same key is the same answer."""

    holder: str
    request_id: str
    key: str
    body: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A row that was passed over: whose it is, and what is wrong with it."""

    id: str
    why: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The rows of a store that are open or claimed, and those that could not be read."""

    rows: Sequence[Row]
    unreadable: Sequence[Unreadable] = ()


class Store(Protocol):
    """Where requests outlive a process.

    Every method may raise `StoreUnavailable`: then nobody knows whether it did what it was to do. All belong to one
    event loop.
    """

    async def write(self, row: Row, *, orphan_of: str | None = None) -> bool:
        """Write a row in the place of its version before; True where it stands as given.

        False: another version is there (nothing, where `row.version` is more than 1). With `orphan_of` it is False as
        well while the lease of that holder runs; both are checked in the same instant. A row that is no longer open or
        claimed is kept for as long as the store keeps outcomes. A claim is on the disk when this returns, where the
        store has a disk.
        """
        ...

    async def read(self, request_id: str) -> Row | Unreadable | None:
        """The row of a request."""
        ...

    async def unsettled(self) -> Listing:
        """Every row that is open or claimed, whoever holds it."""
        ...

    async def renew(self, holder: str, seconds: float) -> bool:
        """Let a holder's lease run from now. True: it was still running. False: it had run out, or is its first."""
        ...

    async def lapse(self, holder: str) -> None:
        """End a holder's lease now."""
        ...

    async def alive(self, holders: Collection[str]) -> frozenset[str]:
        """Those of the holders whose lease runs."""
        ...

    async def post(self, letter: Letter) -> None:
        """Send an answer to the holder of a request. It goes with its holder: it is what a person said."""
        ...

    async def letters(self, holder: str, *, timeout_s: float) -> Sequence[Letter]:
        """Take what came for a holder, once; wait for it so long."""
        ...

    async def reply(self, letter: Letter, verdict: str) -> None:
        """Say what became of an answer. What was said first stays."""
        ...

    async def verdict(self, request_id: str, key: str, *, timeout_s: float) -> str | None:
        """What became of an answer; wait for it so long (0: only look). None: nobody has said yet."""
        ...

    async def aclose(self) -> None:
        """Let go of the file or the connections. Closing again does nothing."""
        ...
