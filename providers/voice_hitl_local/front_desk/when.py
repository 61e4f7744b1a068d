"""The day and the time of day that a caller speaks of. Pure."""

import re

from voice_hitl_local.front_desk.plain import without

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY = "|".join(WEEKDAYS)
_MONTH = "january|february|march|april|may|june|july|august|september|october|november|december"
_TH = r"(?: ?(?:st|nd|rd|th))"
_DAYS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?:the )?(?P<named>day after tomorrow)\b",
        r"\b(?P<named>tomorrow|today|tonight|this evening)\b",
        rf"\b(?P<which>next |this )?(?P<weekday>{_WEEKDAY})\b",
        rf"\b(?:the )?(?P<date>\d\d?){_TH}?(?: of)? (?P<month>{_MONTH})\b",
        rf"\b(?P<month>{_MONTH}) (?:the )?(?P<date>\d\d?)\b{_TH}?",
        rf"\b(?:the )?(?P<date>\d\d?){_TH}\b",
    )
)
_NAMED_DAYS = {"tonight": "today", "this evening": "today", "day after tomorrow": "the day after tomorrow"}
_ENDINGS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}


def take_day(plain: str) -> tuple[str | None, str]:
    """Return the day that is spoken of ("tomorrow", "next Friday", "the 5th", "June 5"), and the other words."""
    for pattern in _DAYS:
        if found := pattern.search(plain):
            return _day(found.groupdict()), without(plain, found)
    return None, plain


def _day(said: dict[str, str | None]) -> str:
    if named := said.get("named"):
        return _NAMED_DAYS.get(named, named)
    if weekday := said.get("weekday"):
        return (said.get("which") or "") + weekday.capitalize()
    date = int(said["date"] or 0)
    month = said.get("month")
    return f"{month.capitalize()} {date}" if month else f"the {date}{_ENDINGS.get(date, 'th')}"


_PART = r"(?: (?P<part>am|pm|in the morning|in the afternoon|in the evening|at night))"
_HOUR, _QUARTER = r"(?P<hour>\d\d?)", r"(?P<minute>00|15|30|45)"
_LEAD = r"\b(?:at|around|about|by|from)(?: about)? "
_OF_PEOPLE = r" (?:people|persons|guests|of us|adults)\b"
_TIMES = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?P<named>noon|midday|midnight)\b",
        rf"\b(?P<offset>half past|quarter past|quarter to) {_HOUR}\b(?: oclock)?{_PART}?",
        rf"\b{_HOUR}:(?P<minute>\d\d)\b{_PART}?",
        rf"\b{_HOUR} {_QUARTER}\b{_PART}?",
        # "730": the recogniser runs hours and minutes together.
        rf"(?:{_LEAD}|\bfor |\bit |tomorrow |today |\| ){_HOUR}{_QUARTER}\b{_PART}?",
        rf"\b{_HOUR}{_QUARTER}{_PART}",
        rf"\b{_HOUR} oclock\b{_PART}?",
        rf"\b{_HOUR}{_PART}",
        rf"{_LEAD}{_HOUR}\b(?!{_OF_PEOPLE})",
    )
)
_BARE_TIME = re.compile(rf"\b(?P<hour>\d\d??){_QUARTER}?\b{_PART}?")
_NAMED_TIMES = {"noon": "12 pm", "midday": "12 pm", "midnight": "12 am"}
_OFFSETS = {"half past": (0, 30), "quarter past": (0, 15), "quarter to": (-1, 45)}


def take_time(plain: str, *, bare: bool) -> tuple[str | None, str]:
    """Return the time of day that is spoken of ("7 pm", "7:30 pm"), and the other words.

    Args:
        plain: Plain words.
        bare: Whether a number by itself is a time (it was asked for).
    """
    for pattern in (*_TIMES, _BARE_TIME) if bare else _TIMES:
        if (found := pattern.search(plain)) and (time := _time(found.groupdict())):
            return time, without(plain, found)
    return None, plain


def _time(said: dict[str, str | None]) -> str | None:
    if named := said.get("named"):
        return _NAMED_TIMES[named]
    hour, minute = int(said["hour"] or 0), int(said.get("minute") or 0)
    if offset := said.get("offset"):
        shift, minute = _OFFSETS[offset]
        hour = hour + shift or 12
    return clock(hour, minute, part=said.get("part") or "") if 1 <= hour <= 23 and minute < 60 else None


def clock(hour: int, minute: int = 0, *, part: str = "") -> str:
    """Return a time on the twelve-hour clock. A table is for noon or later, unless the caller says "in the morning"."""
    morning = part in {"am", "in the morning"} and hour <= 12
    minutes = f":{minute:02}" if minute else ""
    return f"{hour - 12 if hour > 12 else hour}{minutes} {'am' if morning else 'pm'}"
