"""A table booking as data: what is known of it, and how it is said."""

from dataclasses import dataclass, replace
from typing import Literal

Field = Literal["party", "day", "time", "name"]

ORDER: tuple[Field, ...] = ("party", "day", "time", "name")
"""In which order what is missing is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Booking:
    """What is known of a booking so far."""

    party: int | None = None
    """How many people."""
    day: str | None = None
    """As it was said: "tomorrow", "Friday", "the 5th", "June 5"."""
    time: str | None = None
    """On a twelve-hour clock: "7 pm", "7:30 pm"."""
    name: str | None = None

    def __bool__(self) -> bool:
        return any(getattr(self, field) is not None for field in ORDER)

    @property
    def missing(self) -> Field | None:
        """What to ask for next; None when all is known."""
        return next((field for field in ORDER if getattr(self, field) is None), None)

    def updated(self, said: "Booking") -> "Booking":
        """This booking with what was said now; what was not spoken of stays."""
        return Booking(
            party=self.party if said.party is None else said.party,
            day=self.day if said.day is None else said.day,
            time=self.time if said.time is None else said.time,
            name=self.name if said.name is None else said.name,
        )

    def without(self, field: Field) -> "Booking":
        """This booking with one thing to be asked for again."""
        return replace(self, **{field: None})

    @property
    def arguments(self) -> dict[str, object]:
        """As a tool takes it: `name`, `party_size`, `day`, `time`."""
        return {"name": self.name, "party_size": self.party, "day": self.day, "time": self.time}

    @property
    def words(self) -> str:
        """As it is said: "a table for 4 tomorrow at 7 pm under the name Lee". Only when nothing is missing."""
        day = self.day or ""
        dated = day[:1].isupper() or any(character.isdigit() for character in day)
        return f"a table for {self.party} {'on ' if dated else ''}{day} at {self.time} under the name {self.name}"
