"""The front desk's brain: takes a booking, has it confirmed, makes it by calling tools, and tells how it ended. Pure.

It calls `ConfirmAction` (`{"action": ..., "details": {...}}`) and then `book_table` (`name`, `party_size`, `day`,
`time`), and asks for the time by `pick_time` (`day`, `party_size`), each where it is declared. It never says that
something is done before the result of the call says so.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from voice_hitl.tools.definition import AITool
from voice_hitl_local.front_desk.booking import ORDER, Booking, Field
from voice_hitl_local.front_desk.results import ToolResult, read_choice, read_confirmation, read_result
from voice_hitl_local.front_desk.understanding import Intent, understand

CONFIRM, BOOK, PICK = "ConfirmAction", "book_table", "pick_time"


@dataclass(frozen=True, slots=True)
class Say:
    """Say these sentences."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """Call a tool."""

    name: str
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Give the open call up: the caller said what it was to find out."""


Act = Say | Call | GiveUp

Asked = Field | Literal["confirm", "retry", "change"]
"""What the caller was asked last."""

GREETING = "Hello, this is the front desk. How can I help you?"
HELP = "I can book a table for you. Tell me for how many people, on which day, at what time, and your name."
WAITING = "I am still waiting for your answer to what I asked. Nothing has been booked yet."
BOOKING = "I am still waiting to hear about your booking. Nothing has been booked yet."
PICKING = "Pick a time on your page, or just tell me one."
ONE_MOMENT = "One moment, please."
THANK_YOU = "Thank you. I am booking it now."
BOOKED = "Your table is booked."
NOT_BOOKED = "All right, nothing has been booked."
NO_TIME = "All right."
SORRY = "Sorry, I did not understand."
EXPECTED = "For two or four people, at seven or eight. No, make it eight. Cancel that."
"""What callers say here: tells the recogniser which words to expect.

No word of assent is among them: nothing is to be heard as a yes for having been expected.
"""
UNCLEAR = "(unclear)"
"""Stands for words that could not be made out."""
QUESTIONS: dict[Asked, str] = {
    "party": "For how many people?",
    "day": "For which day?",
    "time": "At what time?",
    "name": "Under what name?",
    "retry": "Shall I try again?",
    "change": "What should I change?",
}
READY = (GREETING, ONE_MOMENT, THANK_YOU, BOOKED)
"""What is said in the same words in every booking, in order: worth having ready as audio."""

_AFTER_CONFIRMATION: dict[str, tuple[str, Asked]] = {
    "no": (NOT_BOOKED, "change"),
    "refused": ("That was refused, so nothing has been booked.", "change"),
    "undecided": ("Nobody answered in time, so nothing has been booked.", "retry"),
    "unanswered": ("Nobody answered in time, so nothing has been booked.", "retry"),
    "failed": ("Sorry, something went wrong. Nothing has been booked.", "retry"),
}
_AFTER_BOOKING: dict[str, tuple[str, Asked]] = {
    "refused": ("That was refused, so your table is not booked.", "change"),
    "undecided": ("Nobody is there to decide on that just now, so your table is not booked.", "retry"),
    # Whether it was done is not known: so neither is claimed.
    "unanswered": ("The booking system did not answer, so I cannot say that your table is booked.", "retry"),
    "failed": ("Sorry, your table could not be booked.", "retry"),
}


class FrontDesk:
    """One caller's booking, from the greeting on.

    Args:
        tools: What may be called.
    """

    def __init__(self, tools: Iterable[AITool] = ()) -> None:
        self._tools: dict[str, AITool] = {}
        self.declare(tools)
        self._booking = Booking()
        self._booked: Booking | None = None
        self._asked: Asked | None = None
        self._open: Call | None = None
        self._offered_times = False
        self._result: tuple[Call, ToolResult] | None = None
        self._last: Say | None = None

    @property
    def has_spoken(self) -> bool:
        """Whether it has said anything yet."""
        return self._last is not None

    # --- what comes in ------------------------------------------------------------------------------------------------

    def declare(self, tools: Iterable[AITool]) -> None:
        """From now on these may be called."""
        self._tools = {tool.name: tool for tool in tools}

    def issued(self, call: Call) -> None:
        """An act of calling was carried out: its result is owed."""
        self._open = call

    def take_result(self, text: str, *, failed: bool) -> None:
        """Take the result of the open call; what to say of it comes with the next `respond`."""
        if self._open is not None:
            read = {CONFIRM: read_confirmation, PICK: read_choice}.get(self._open.name, read_result)
            self._result = self._open, read(text, failed=failed)
            self._open = None

    def cut(self) -> None:
        """The end of what was said last was not heard: no yes to its question counts."""
        if self._asked in {"confirm", "retry"}:
            self._asked = None

    # --- what comes out -----------------------------------------------------------------------------------------------

    def respond(self, said: Sequence[str] = ()) -> tuple[Act, ...]:
        """Go on: with the result that came, with what the caller `said` since, or by asking again what is open."""
        acts = self._respond(said)
        self._last = next((act for act in acts if isinstance(act, Say)), self._last)
        return acts

    def _respond(self, said: Sequence[str]) -> tuple[Act, ...]:
        words = " ".join(said)
        if self._result is not None:
            (call, result), self._result = self._result, None
            return self._after(call, result, words)
        if said:
            return self._answer(words)
        if self._last is None:
            return (Say(GREETING),)
        waits = self._open is not None or (self._asked is None and not self._booking)
        return () if waits else self._again()

    def _after(self, call: Call, result: ToolResult, words: str) -> tuple[Act, ...]:
        if result.verdict == "interrupted":
            return self._answer(words) if words else self._again()
        if call.name == PICK:
            return self._picked(result, words)
        if call.name == CONFIRM:
            if result.verdict == "done":
                return self._confirmed()
            if change := understand(result.said or words).said:
                self._booking = self._booking.updated(change)
                return self._next()
            sentence, asked = _AFTER_CONFIRMATION[result.verdict]
        elif result.verdict == "done":
            return (Say(f"{BOOKED} {self._close()}"),)
        else:
            sentence, asked = _AFTER_BOOKING[result.verdict]
        return self._ask(asked, " ".join(filter(None, (sentence, result.reason))))

    def _picked(self, result: ToolResult, words: str) -> tuple[Act, ...]:
        picked = understand(result.said, asked="time").said if result.verdict == "done" else Booking()
        # What was said meanwhile is the caller's newest word.
        self._booking = self._booking.updated(picked).updated(understand(words, asked="time").said)
        return self._next("" if self._booking.time else NO_TIME)

    def _confirmed(self) -> tuple[Act, ...]:
        if BOOK in self._tools:
            return Say(THANK_YOU), Call(BOOK, self._booking.arguments)
        return (Say(f"Thank you, that is confirmed. {self._close()}"),)

    def _close(self) -> str:
        """The booking is made: forget it, so that the next one begins anew, and return it as a sentence."""
        self._booked, self._booking = self._booking, Booking()
        self._asked, self._offered_times = None, False
        return f"A{self._booked.words[1:]}."

    def _answer(self, words: str) -> tuple[Act, ...]:
        if self._open is not None and self._open.name == PICK:
            return self._told_instead(words)
        if self._open is not None:
            # What is being confirmed must stay what was asked: a change is for the answer, or for afterwards.
            return (Say(WAITING if self._open.name == CONFIRM else BOOKING),)
        understood = understand(words, asked=next((field for field in ORDER if field == self._asked), None))
        if understood.said:
            self._booking = self._booking.updated(understood.said)
            return self._next()
        if understood.unsaid is not None and self._booking:
            self._booking = self._booking.without(understood.unsaid)
            return self._next()
        return self._wish(understood.intent)

    def _told_instead(self, words: str) -> tuple[Act, ...]:
        """The caller speaks while the times are offered: a time, or anything else of the booking, is as good."""
        understood = understand(words, asked="time")
        if understood.said:
            self._open, self._booking = None, self._booking.updated(understood.said)
            return GiveUp(), *self._next()
        if understood.intent in {"cancel", "goodbye"}:
            self._open = None
            return GiveUp(), *self._wish(understood.intent)
        return (Say(self._status() if understood.intent == "status" else PICKING),)

    def _wish(self, intent: Intent | None) -> tuple[Act, ...]:
        match intent:
            case "yes" | "no" if self._asked is not None:
                return self._agreed() if intent == "yes" else self._declined()
            case "book":
                return self._next()
            case "repeat" if self._last is not None:
                return (self._last,)
            case "status":
                return (Say(self._status()),)
            case "cancel" | "goodbye":
                return self._leave(intent)
            case "thanks":
                return (Say("You are welcome."),)
            case "greeting" if not self._booking:
                return (Say("Hello. How can I help you?"),)
            case _:
                return self._again(SORRY)

    def _status(self) -> str:
        if self._booking:
            return "No, it is not booked yet."
        return BOOKED if self._booked is not None else "No, nothing has been booked yet."

    def _agreed(self) -> tuple[Act, ...]:
        if self._asked == "confirm":
            return Say(THANK_YOU), Call(BOOK, self._booking.arguments)
        return self._propose() if self._asked == "retry" else self._again()

    def _declined(self) -> tuple[Act, ...]:
        if self._asked == "confirm":
            return self._ask("change", NOT_BOOKED)
        return self._leave("cancel") if self._asked in {"retry", "change"} else self._again()

    def _leave(self, intent: Literal["cancel", "goodbye"]) -> tuple[Act, ...]:
        dropped, self._booking = self._booking, Booking()
        self._asked, self._offered_times = None, False
        if intent == "goodbye":
            return (Say(f"{NOT_BOOKED} Goodbye." if dropped else "Goodbye."),)
        if self._booked is not None and not dropped:
            return (Say(f"{BOOKED} I am sorry, I cannot cancel it here."),)
        return (Say(NOT_BOOKED),)

    # --- asking and proposing -----------------------------------------------------------------------------------------

    def _ask(self, asked: Asked, before: str = "") -> tuple[Act, ...]:
        self._asked = asked
        question = f"Shall I book {self._booking.words}?" if asked == "confirm" else QUESTIONS[asked]
        return (Say(f"{before} {question}".strip()),)

    def _again(self, before: str = "") -> tuple[Act, ...]:
        """Ask once more what is open; with nothing open, say what can be done here."""
        if self._asked is None and self._booking:
            return self._next()
        return self._ask(self._asked, before) if self._asked is not None else (Say(f"{before} {HELP}".strip()),)

    def _next(self, before: str = "") -> tuple[Act, ...]:
        missing = self._booking.missing
        if missing == "time" and PICK in self._tools and not self._offered_times:
            return self._offer_times()
        return self._propose() if missing is None else self._ask(missing, before)

    def _offer_times(self) -> tuple[Act, ...]:
        self._offered_times, self._asked = True, "time"
        offer = {"day": self._booking.day, "party_size": self._booking.party}
        return Say(f"{QUESTIONS['time']} {PICKING}"), Call(PICK, offer)

    def _propose(self) -> tuple[Act, ...]:
        self._asked = None
        if CONFIRM in self._tools:
            action = f"Book {self._booking.words}"
            return Say(ONE_MOMENT), Call(CONFIRM, {"action": action, "details": self._booking.arguments})
        if BOOK not in self._tools:
            noted, self._booking = self._booking, Booking()
            return (Say(f"I have noted {noted.words}. But I cannot book it from here, so nothing has been booked."),)
        if self._tools[BOOK].requires_approval:
            return Say(ONE_MOMENT), Call(BOOK, self._booking.arguments)
        return self._ask("confirm")
