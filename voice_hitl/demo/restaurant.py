"""The restaurant that the demo calls: what its agent is told, and its tools besides the person's."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast

import anyio

from voice_hitl.errors import UnservedToolCallError
from voice_hitl.tools.definition import AITool

SYSTEM_PROMPT: Final = (
    "You are the front desk of a small restaurant, on the phone. Take table bookings: for how many people, on which "
    "day, at what time, under what name. Where you have pick_time and no time was said, call it once you know the day: "
    "the caller chooses on their page. Before you book, call ConfirmAction with what you are about to do, and book "
    "only if it was confirmed. Then call book_table. For eight people or more it asks a supervisor by itself: say that "
    "you have to ask. Speak in short sentences, and never say that something is done before its tool says so."
)

PICK_TIME: Final = "pick_time"
"""The tool of the page in the call: the caller chooses a time there (`static/picker.js`)."""

LARGE: Final = 8
"""From so many people on a booking is not the agent's, and not the caller's, to decide."""

SUPERVISORS: Final = "supervisors"
"""Who decides it, at the operators' console."""


def is_large(arguments: Mapping[str, object]) -> bool:
    """Whether a booking needs an approval of its own."""
    party = arguments.get("party_size")
    return isinstance(party, int) and party >= LARGE


BOOK_TABLE: Final = AITool(
    "book_table",
    "Book a table. Only after ConfirmAction confirmed exactly this booking.",
    {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "party_size": {"type": "integer", "minimum": 1, "maximum": 20},
            "day": {"type": "string", "minLength": 1},
            "time": {"type": "string", "minLength": 1},
        },
        "required": ["name", "party_size", "day", "time"],
        "additionalProperties": False,
    },
    title="Take this large party",
    speak="A large party: {party_size} people, {day} at {time}, for {name}.",
    requires_approval=is_large,
    approvers=(SUPERVISORS,),
)


class Restaurant:
    """Takes bookings.

    Args:
        book: The file they are written to, a line each; None: they last as long as this run of the demo.
    """

    def __init__(self, book: Path | None = None) -> None:
        self._book = book
        self.bookings: list[Mapping[str, object]] = _read(book) if book is not None and book.exists() else []

    async def serve(self, name: str, arguments: Mapping[str, object]) -> Mapping[str, object]:
        """Serve a tool call: take the booking."""
        if name != BOOK_TABLE.name:
            raise UnservedToolCallError(f"the restaurant has no tool {name!r}")
        booking = dict(arguments)
        self.bookings.append(booking)
        reference = f"T-{1040 + len(self.bookings)}"
        if self._book is not None:
            async with await anyio.open_file(self._book, "a") as book:
                await book.write(json.dumps(booking) + "\n")
        return {"booked": True, "reference": reference, **arguments}


def _read(book: Path) -> list[Mapping[str, object]]:
    # A line that was cut when the machine went down is no booking.
    lines = [line for line in book.read_text().splitlines(keepends=True) if line.endswith("\n")]
    return [cast("Mapping[str, object]", json.loads(line)) for line in lines]
