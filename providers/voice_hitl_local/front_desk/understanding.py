"""What a caller's words mean to a front desk. Pure.

The words come from a small recogniser, so what it is known to mishear is read as what was said ("make a date" as "make
it eight"). A wrong guess does no harm: the caller confirms every booking before it is made.
"""

import re
from dataclasses import dataclass
from typing import Literal

from voice_hitl_local.front_desk.booking import Booking, Field
from voice_hitl_local.front_desk.plain import first_match, plain_words
from voice_hitl_local.front_desk.when import clock, take_day, take_time
from voice_hitl_local.front_desk.who import find_name, find_party

Intent = Literal["repeat", "status", "cancel", "no", "yes", "goodbye", "book", "thanks", "greeting"]


@dataclass(frozen=True, slots=True)
class Understood:
    """What was made out: something about a booking, something the caller wants, both, or neither."""

    said: Booking
    intent: Intent | None = None
    unsaid: Field | None = None
    """What the caller wants to be asked for again ("the time is wrong")."""


def understand(text: str, *, asked: Field | None = None) -> Understood:
    """Read what the caller said.

    Args:
        text: Their words, as recognised.
        asked: What they were asked for just before, so that a bare "four" or "Lee" is an answer to it.
    """
    plain = plain_words(text)
    day, rest = take_day(plain)
    time, rest = take_time(rest, bare=asked == "time")
    party = find_party(rest, bare=asked == "party")
    if time is None and party is None:
        time = _changed_number(rest)
    said = Booking(party=party, day=day, time=time, name=find_name(text, bare=asked == "name"))
    return Understood(said, first_match(_INTENTS, plain), first_match(_FIELDS, plain))


_CHANGED = re.compile(r"\b(?:make it|make that|change (?:it|that) to|no|rather) (\d\d?)\b|\b(\d\d?) instead\b")


def _changed_number(rest: str) -> str | None:
    """Return a number that stands for one before it and names no kind ("make it eight") as the hour it may be."""
    found = _CHANGED.search(rest)
    hour = int(found[1] or found[2]) if found else 0
    return clock(hour) if 1 <= hour <= 12 else None


_FIELDS: dict[Field, re.Pattern[str]] = {
    "time": re.compile(r"\bthe (?:time|hour)\b"),
    "day": re.compile(r"\bthe (?:day|date)\b"),
    "name": re.compile(r"\b(?:the|my) name\b"),
    "party": re.compile(r"\b(?:the number|how many|number of people)\b"),
}

_AGREES = "yes|yeah|yep|yup|sure|ok|okay|correct|right|exactly|absolutely|of course|go ahead|please do|book it|confirm"
_ADDS_NOTHING = "please|thanks|thank you|that is|thats|it is|its|do it|do that|fine|great|perfect|good|i|do"
_INTENTS: dict[Intent, re.Pattern[str]] = {
    "repeat": re.compile(r"\b(?:say (?:that )?again|repeat|pardon|come again|what did you say)\b|^sorry$"),
    "status": re.compile(r"\b(?:is|was|did|have|has|are)\b.*\b(?:booked|booking|reserved|confirmed|go through)$"),
    "cancel": re.compile(r"\b(?:never ?mind|forget (?:it|about it)|cancel\w*|dont book|do not book|leave it)\b"),
    "no": re.compile(r"\b(?:no|nope|not|dont|wrong|stop|wait)\b"),
    # A yes says nothing but yes: with anything beside it, it is none.
    "yes": re.compile(rf"^(?=.*\b(?:{_AGREES})\b)(?:(?:{_AGREES}|{_ADDS_NOTHING})(?: |$))+$"),
    "goodbye": re.compile(r"\b(?:good ?bye|bye|thats all|see you)\b"),
    "book": re.compile(r"\b(?:book|booking|table|reserve|reservation)\b"),
    "thanks": re.compile(r"\b(?:thanks|thank you)\b"),
    "greeting": re.compile(r"^(?:hello|hi|hey|good (?:morning|afternoon|evening))\b"),
}
"""What a caller may want, the first that matches."""
