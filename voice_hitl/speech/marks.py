"""An utterance as stretches, each marked with what it does in the language; the question plays no part yet."""

from typing import NamedTuple

from voice_hitl.speech.languages.pack import Kind
from voice_hitl.speech.lexicon import Entry, Lexicon, Tag
from voice_hitl.speech.numbers import Spoken, numbers_in
from voice_hitl.speech.words import Words


class Mark(NamedTuple):
    """A stretch of an utterance: the words `start` to before `end`."""

    tag: Tag
    start: int
    end: int
    kinds: tuple[Kind, ...] = ()
    """What a value may be about; a bare number may be a number or a clock time."""
    values: tuple[float, ...] = ()
    """A value's numbers; of a clock time its hours, and its minutes where they are not zero."""


# After these a new clause may begin without a pause: transcripts often have no punctuation.
_OPENERS = frozenset(
    {Tag.YES, Tag.GO, Tag.AGREE, Tag.ACKNOWLEDGE, Tag.NO, Tag.FILLER, Tag.HOLD, Tag.CHANGE, Tag.CLOSING}
)


_DAY: tuple[Kind, ...] = ("day",)
_TIME: tuple[Kind, ...] = ("time",)
_NUMBER: tuple[Kind, ...] = ("number",)
_NUMBER_OR_TIME: tuple[Kind, ...] = ("number", "time")
# Looked up once: a member of an enumeration costs more than the rest of a mark.
_YES = Entry(Tag.YES)
_VALUE = Tag.VALUE
_OTHER = Tag.OTHER
_ASSENTS = frozenset({Tag.YES, Tag.GO})
_NO = Tag.NO
_FILLER = Tag.FILLER
_UNIT = Tag.UNIT
_THING = Tag.THING


def marks_of(words: Words, lexicon: Lexicon) -> list[Mark]:
    """Mark an utterance from its first word to its last, the longest phrase first."""
    folded = words.folded
    numbers = numbers_in(words, lexicon.pack)
    broken = "." in words.gaps
    marks: list[Mark] = []
    index = 0
    leads = True
    denied = False
    while index < len(folded):
        if words.gaps[index]:
            leads, denied = True, False
        found = _phrase(words, index, lexicon, leads=leads, denied=denied, broken=broken)
        if index in numbers and (found is None or numbers[index].end > found[1]):
            mark = _value(words, numbers, index, lexicon)
        elif found is not None:
            mark = Mark(found[0].tag, index, found[1], found[0].kinds)
        else:
            mark = Mark(_OTHER, index, index + 1)
        marks.append(mark)
        leads = mark.tag in _OPENERS or folded[index] in lexicon.joints
        denied = mark.tag is _NO
        index = mark.end
    return marks


def _phrase(
    words: Words, index: int, lexicon: Lexicon, *, leads: bool, denied: bool, broken: bool
) -> tuple[Entry, int] | None:
    """The phrase that begins at that word, and the word after it.

    Args:
        words: What was said.
        index: The word.
        lexicon: The phrases.
        leads: Whether a clause begins there.
        denied: Whether a no stands right before it ("no lo quiero").
        broken: Whether a sentence ends anywhere before the last word.
    """
    folded = words.folded
    word = folded[index]
    found = lexicon.anywhere.at(folded, index)
    if broken and found is not None and "." in words.gaps[index + 1 : found[1]]:
        # "Yes. No" is no set phrase: a sentence ends within it.
        found = lexicon.anywhere.at(folded[: words.gaps.index(".", index + 1)], index)
    if leads:
        if word in lexicon.leading.first:
            found = _longer(found, lexicon.leading.at(folded, index))
        if not denied and word in lexicon.clauses.first:
            clause = lexicon.clauses.at(folded, index)
            if clause is not None and _is_whole(index, clause[1], words, lexicon):
                found = _longer(found, clause)
    if found is not None and found[1] > index + 1:
        return found
    if words.raw[index] in lexicon.accented:
        return lexicon.accented[words.raw[index]], index + 1
    if word in lexicon.alone and (index + 1 == len(folded) or words.gaps[index + 1]):
        return _YES, index + 1
    return found


def _longer(found: tuple[Entry, int] | None, other: tuple[Entry, int] | None) -> tuple[Entry, int] | None:
    """The phrase that goes further; of two alike the other."""
    return other if other is not None and (found is None or other[1] >= found[1]) else found


def _is_whole(start: int, end: int, words: Words, lexicon: Lexicon) -> bool:
    """Whether those words are a clause: no pause within, and a pause or another assent after them."""
    if any(words.gaps[start + 1 : end]):
        return False
    if end == len(words.folded) or words.gaps[end]:
        return True
    after = lexicon.anywhere.at(words.folded, end)
    if after is None:
        return False
    polite = after[0].tag is _FILLER and (after[1] == len(words.folded) or words.gaps[after[1]] != "")
    return polite or after[0].tag in _ASSENTS


def _value(words: Words, numbers: dict[int, Spoken], index: int, lexicon: Lexicon) -> Mark:
    """The number that begins at that word, with the minutes after it ("seven thirty", "neunzehn Uhr dreißig")."""
    number = numbers[index]
    folded = words.folded
    end = number.end
    if number.ordinal and folded[index] in lexicon.first and _ends_a_clause(index, words, lexicon):
        return Mark(Tag.HOLD, index, end)
    if number.ordinal and _is_one_of_several(number, words, lexicon):
        return Mark(_OTHER, index, end)
    at = end + 1 if end < len(folded) and folded[end] in lexicon.clock else end
    minutes = numbers.get(at)
    if (
        minutes is not None
        and "" == words.gaps[end] == words.gaps[at]
        and _is_clock(number, minutes)
        and not _counts(minutes.end, folded, lexicon)
    ):
        return Mark(_VALUE, index, minutes.end, _TIME, (*number.values, *minutes.values))
    values = number.values
    while len(values) > 1 and values[-1] == 0:
        values = values[:-1]
    return Mark(_VALUE, index, end, _kinds(number, folded, lexicon), values)


def _ends_a_clause(index: int, words: Words, lexicon: Lexicon) -> bool:
    """Whether that word ends a clause and is no day of a month ("tell me the price FIRST")."""
    if index + 1 < len(words.folded) and not words.gaps[index + 1]:
        return False
    before = words.folded[index - 1] if index else ""
    return before not in lexicon.articles and before not in lexicon.months and before not in lexicon.binders


def _is_of_several(index: int, folded: tuple[str, ...], lexicon: Lexicon) -> bool:
    """Whether it is some of several ("three of us"), and no hour of a part of the day ("siete de la tarde")."""
    while index < len(folded) and folded[index] in lexicon.articles:
        index += 1
    entry = lexicon.anywhere.word(folded[index]) if index < len(folded) else None
    return entry is None or "time" not in entry.kinds


def _is_one_of_several(number: Spoken, words: Words, lexicon: Lexicon) -> bool:
    """Whether a word for a place in an order stands before what is ordered, and is no day ("the SECOND show")."""
    folded, end = words.folded, number.end
    if end == len(folded) or words.gaps[end] or folded[number.start].isdecimal():
        return False
    if number.start and folded[number.start - 1] in lexicon.months:
        return False
    after = folded[end]
    return not any(after in of_a_day for of_a_day in (lexicon.plain, lexicon.months, lexicon.binders, lexicon.clock))


def _is_clock(hours: Spoken, minutes: Spoken) -> bool:
    if hours.ordinal or minutes.ordinal or len(hours.values) != 1 or len(minutes.values) != 1:
        return False
    hour, minute = hours.values[0], minutes.values[0]
    return 1 <= hour <= 24 and 10 <= minute <= 59 and hour.is_integer() and minute.is_integer()


def _counts(index: int, folded: tuple[str, ...], lexicon: Lexicon) -> bool:
    """Whether a number before that word counts something: people, tables."""
    entry = lexicon.anywhere.word(folded[index]) if index < len(folded) else None
    return entry is not None and (entry.tag is _UNIT or entry.tag is _THING)


def _kinds(number: Spoken, folded: tuple[str, ...], lexicon: Lexicon) -> tuple[Kind, ...]:
    before = folded[number.start - 1] if number.start else ""
    after = folded[number.end] if number.end < len(folded) else ""
    months = lexicon.months
    if number.ordinal or before in months or after in months:
        return _DAY
    if after in lexicon.of and number.end + 1 < len(folded) and folded[number.end + 1] in months:
        return _DAY
    if len(number.values) > 1 or after in lexicon.clock or before in lexicon.time_leads:
        return _TIME
    if before in lexicon.day_leads and not _counts(number.end, folded, lexicon):
        return _DAY
    some = after in lexicon.of and _is_of_several(number.end + 1, folded, lexicon)
    return _NUMBER if some or _counts(number.end, folded, lexicon) else _NUMBER_OR_TIME
