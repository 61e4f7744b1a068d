"""The restaurant that the demo calls: what its agent is told, and its tools besides the person's."""

from collections.abc import Mapping
from typing import Final

from voice_hitl.errors import UnservedToolCallError
from voice_hitl.tools.definition import AITool

SYSTEM_PROMPT: Final = (
    "You are the front desk of a small restaurant, on the phone. Take table bookings: for how many people, on which "
    "day, at what time, under what name. Where you have pick_time and no time was said, call it once you know the day: "
    "the caller chooses on their page. Before you book, call ConfirmAction with what you are about to do, and book "
    "only if it was confirmed. Then call book_table. Speak in short sentences, and never say that something is done "
    "before its tool says so."
)

PICK_TIME: Final = "pick_time"
"""The tool of the page in the call: the caller chooses a time there (`static/picker.js`)."""

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
    title="Book a table",
)


class Restaurant:
    """Keeps the bookings of one run of the demo."""

    def __init__(self) -> None:
        self.bookings: list[Mapping[str, object]] = []

    async def serve(self, name: str, arguments: Mapping[str, object]) -> Mapping[str, object]:
        """Serve a tool call: take the booking."""
        if name != BOOK_TABLE.name:
            raise UnservedToolCallError(f"the restaurant has no tool {name!r}")
        self.bookings.append(dict(arguments))
        return {"booked": True, "reference": f"T-{1040 + len(self.bookings)}", **arguments}
