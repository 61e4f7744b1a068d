"""A number: digit by digit, or as it is counted."""

from voice_hitl.questions.model import Number
from voice_hitl.speech.lexicon import Lexicon, Tag
from voice_hitl.speech.marks import Mark
from voice_hitl.speech.numbers import Spoken, numbers_in
from voice_hitl.speech.reading import Match, NoMatch
from voice_hitl.speech.words import Words

_FORBIDS = frozenset({Tag.NO, Tag.CONDITION, Tag.NEGATION, Tag.UNSURE, Tag.HOLD})
_STRANGERS = 4


def read_number(question: Number, words: Words, marks: list[Mark], lexicon: Lexicon) -> Match | NoMatch:
    """Read a reply to a number; the value is an int, a float, or with `digits` the digits as text."""
    start = _after_correction(words, lexicon)
    numbers = [one for _, one in sorted(numbers_in(words, lexicon.pack).items()) if one.start >= start]
    digits = _digit_by_digit(words, numbers, start, lexicon)
    if not numbers and not digits:
        return NoMatch(rule="aside: no number")
    marks = [mark for mark in marks if mark.start >= start]
    if any(mark.tag in _FORBIDS and not _is_part(words, mark.start, lexicon) for mark in marks):
        return NoMatch(rule="a number, and a doubt")
    if sum(mark.tag is Tag.OTHER and not _is_part(words, mark.start, lexicon) for mark in marks) > _STRANGERS:
        return NoMatch(rule="aside: a number in something longer")
    if question.digits is not None:
        return _code(question, question.digits, digits)
    return _amount(question, words, numbers, digits, lexicon)


def _after_correction(words: Words, lexicon: Lexicon) -> int:
    """Where the last correction ends that a number follows: "four two five, no, four two nine" is the second."""
    numbers = numbers_in(words, lexicon.pack)
    last = max(numbers, default=-1)
    start = 0
    for index in range(len(words.folded)):
        for phrase in lexicon.corrections:
            end = index + len(phrase)
            if words.folded[index:end] == phrase and end <= last:
                start = max(start, end)
    return start


def _is_part(words: Words, index: int, lexicon: Lexicon) -> bool:
    word = words.folded[index]
    return word in lexicon.zeros or word in lexicon.pack.repeats or word in lexicon.minus


def _digit_by_digit(words: Words, numbers: list[Spoken], start: int, lexicon: Lexicon) -> str | None:
    """All that was said as one row of digits; None where something else stands between them."""
    by_start = {one.start: one for one in numbers}
    row = ""
    times = 1
    index = start
    last = -1
    while index < len(words.folded):
        word = words.folded[index]
        number = by_start.get(index)
        digits = number.digits if number is not None else "0" if word in lexicon.zeros else None
        if number is not None and (number.ordinal or len(number.values) > 1):
            return None
        if digits is not None and digits.isdecimal():
            if row and last != index:
                return None
            row += digits[0] * times + digits[1:]
            times = 1
            index = last = number.end if number is not None else index + 1
        elif word in lexicon.pack.repeats:
            times = lexicon.pack.repeats[word]
            last = index + 1 if last in {-1, index} else last
            index += 1
        else:
            index += 1
    return row or None


def _code(question: Number, count: int, digits: str | None) -> Match | NoMatch:
    if digits is None or len(digits) != count:
        return NoMatch(rule=f"{len(digits or '')} digits instead of {count}")
    if outside := _outside(question, int(digits)):
        return NoMatch(rule=outside)
    return Match(digits, rule="digits")


def _amount(
    question: Number, words: Words, numbers: list[Spoken], digits: str | None, lexicon: Lexicon
) -> Match | NoMatch:
    if len(numbers) == 1 and len(numbers[0].values) == 1 and (digits is None or digits == numbers[0].digits):
        one = numbers[0]
        value = one.values[0] + _half(words, one.end, lexicon)
        if one.start > 0 and words.folded[one.start - 1] in lexicon.minus:
            value = -value
    elif digits is not None:
        value = float(digits)
    else:
        return NoMatch(rule="more than one number")
    if outside := _outside(question, value):
        return NoMatch(rule=outside)
    return Match(int(value) if value.is_integer() else value, rule="a number")


def _half(words: Words, end: int, lexicon: Lexicon) -> float:
    return 0.5 if any(words.folded[end : end + len(half)] == half for half in lexicon.halves) else 0.0


def _outside(question: Number, value: float) -> str | None:
    if question.minimum is not None and value < question.minimum:
        return f"less than {question.minimum:g}"
    if question.maximum is not None and value > question.maximum:
        return f"more than {question.maximum:g}"
    return None
