"""`Held`: a request as the store has it, and as it should."""

import threading
from dataclasses import dataclass, field, replace

import anyio

from voice_hitl.enums import PendingInputStatus, RequestEnd
from voice_hitl.human_input.live import LiveRequest
from voice_hitl.human_input.record import Record
from voice_hitl.store import Row, RowState


@dataclass(slots=True, eq=False)
class Held:
    """One request of ours, and what was written of it."""

    live: LiveRequest
    record: Record
    """What is kept of it beside the request itself."""
    lock: anyio.Lock = field(default_factory=anyio.Lock)
    row: Row | None = None
    """What was last written. None: nothing, as far as anybody knows."""
    attempted: bool = False
    """Whether it may be in the store."""
    due: bool = False
    """Whether a save that nobody waits for is on its way: what changes before it writes goes with it."""
    lost: bool = False
    """Somebody else has settled it, when our lease had run out."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to be written; a lost approval is kept until its tool would have run."""
        if self.lost:
            return not self.record.runs or self.record.run is not None
        row = self.row
        return row is not None and (row.state in (RowState.SETTLED, RowState.FAILED) or not row.holder)

    def wanted(self, holder: str, lock: threading.RLock) -> tuple[RowState, str, Record]:
        """What the store should have of it: the state, the holder (`holder`, or nobody) and the record."""
        with lock:  # what settles it, and with what, is one thing
            pending = replace(self.live.pending)
            record = replace(self.record, pending=pending)
        if pending.end is None:
            return RowState.OPEN, holder, record
        if pending.end is RequestEnd.WITHDRAWN and self.live.cut_off and record.kept:
            # Its call is over; nobody holds it, and it may still be answered.
            still_open = replace(pending, status=PendingInputStatus.PENDING, end=None)
            return RowState.OPEN, "", replace(record, pending=still_open)
        if record.runs and pending.end is RequestEnd.ANSWERED:
            if record.run is None:
                return RowState.CLAIMED, holder, record
            return (RowState.SETTLED if record.run.error is None else RowState.FAILED), holder, record
        return RowState.SETTLED, holder, record
