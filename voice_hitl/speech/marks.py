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
    """A value's numbers."""


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


def marks_of(words: Words, lexicon: Lexicon) -> list[Mark]:
    """Mark an utterance from its first word to its last, the longest phrase first."""
    folded = words.folded
    numbers = numbers_in(words, lexicon.pack)
    broken = "." in words.gaps
    marks: list[Mark] = []
    index = 0
    leads = True
    while index < len(folded):
        leads = leads or words.gaps[index] != ""
        found = _phrase(words, index, lexicon, leads=leads, broken=broken)
        if index in numbers and (found is None or numbers[index].end > found[1]):
            number = numbers[index]
            mark = Mark(_VALUE, index, number.end, _kinds(number, folded, lexicon), number.values)
        elif found is not None:
            mark = Mark(found[0].tag, index, found[1], found[0].kinds)
        else:
            mark = Mark(_OTHER, index, index + 1)
        marks.append(mark)
        leads = mark.tag in _OPENERS or folded[index] in lexicon.joints
        index = mark.end
    return marks


def _phrase(words: Words, index: int, lexicon: Lexicon, *, leads: bool, broken: bool) -> tuple[Entry, int] | None:
    """The phrase that begins at that word, and the word after it.

    Args:
        words: What was said.
        index: The word.
        lexicon: The phrases.
        leads: Whether a clause begins there.
        broken: Whether a sentence ends anywhere before the last word.
    """
    folded = words.folded
    found = lexicon.anywhere.at(folded, index)
    if broken and found is not None and "." in words.gaps[index + 1 : found[1]]:
        # "Yes. No" is no set phrase: a sentence ends within it.
        entry = lexicon.anywhere.single.get(folded[index])
        found = None if entry is None else (entry, index + 1)
    if leads and folded[index] in lexicon.leading.lengths:
        leading = lexicon.leading.at(folded, index)
        if leading is not None and (found is None or leading[1] >= found[1]):
            found = leading
    if found is not None and found[1] > index + 1:
        return found
    if words.raw[index] in lexicon.accented:
        return lexicon.accented[words.raw[index]], index + 1
    if folded[index] in lexicon.alone and (index + 1 == len(folded) or words.gaps[index + 1]):
        return _YES, index + 1
    return found


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
    unit = lexicon.anywhere.single.get(after)
    return _NUMBER if unit is not None and unit.tag is Tag.UNIT else _NUMBER_OR_TIME
