"""The options of a choice as they are listened for, and which of them an utterance names."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeVar

from voice_hitl.questions.model import Option
from voice_hitl.speech.lexicon import Lexicon, Tag, lexicon_for
from voice_hitl.speech.numbers import Spoken, numbers_in
from voice_hitl.speech.words import Words, split

_Key = TypeVar("_Key", bound=Hashable)


class Mention(NamedTuple):
    """An option that was named, by the words `start` to before `end`."""

    option: int
    start: int
    end: int
    whole: bool
    """All of its label was said, or its place in the order; else a word that only its label has."""
    counted: bool = False
    """Its place, said as a bare number ("two")."""


@dataclass(frozen=True, slots=True)
class Labels:
    """The options of a choice, made ready.

    Args:
        stems: Of each label the stems of its words, without articles and the like (all, where nothing else is left).
        spelled: By what a label folds to the options whose label it is.
        own: By a stem that only one label has its option.
        numbers: By a number that only one label has its option.
    """

    stems: tuple[tuple[str, ...], ...]
    spelled: dict[tuple[str, ...], tuple[int, ...]]
    own: dict[str, int]
    numbers: dict[float, int]


@lru_cache(maxsize=512)
def labels_of(options: tuple[Option, ...], language: str) -> Labels:
    """The labels of these options as words of that language; remembered."""
    lexicon = lexicon_for(language)
    words = [split(option.label, elides=lexicon.pack.elides) for option in options]
    stems = [_stems(one, lexicon) for one in words]
    spelled: dict[tuple[str, ...], tuple[int, ...]] = {}
    for index, one in enumerate(words):
        spelled[one.folded] = (*spelled.get(one.folded, ()), index)
    numbers = [[value for one in numbers_in(label, lexicon.pack).values() for value in one.values] for label in words]
    return Labels(tuple(stems), spelled, _only_one(stems), _only_one(numbers))


def _stems(words: Words, lexicon: Lexicon) -> tuple[str, ...]:
    telling = tuple(lexicon.stem(word) for word in words.folded if not _is_plain(word, lexicon))
    return telling or tuple(lexicon.stem(word) for word in words.folded)


def _is_plain(word: str, lexicon: Lexicon) -> bool:
    entry = lexicon.anywhere.word(word)
    return entry is not None and entry.tag in {Tag.PLAIN, Tag.FILLER}


def _only_one(sets: Sequence[Sequence[_Key]]) -> dict[_Key, int]:
    owners: dict[_Key, set[int]] = {}
    for index, keys in enumerate(sets):
        for key in keys:
            owners.setdefault(key, set()).add(index)
    return {key: next(iter(indexes)) for key, indexes in owners.items() if len(indexes) == 1}


def mentions(words: Words, labels: Labels, lexicon: Lexicon) -> list[Mention]:
    """The options that an utterance names, in the order they were said: by label, by a word of it, by their place."""
    by_label: list[Mention] = []
    by_place: list[Mention] = []
    numbers = numbers_in(words, lexicon.pack)
    index = 0
    while index < len(words.folded):
        place = _place(words, index, labels, lexicon, numbers)
        label = _whole(words, index, labels, lexicon) or _part(words, index, labels, lexicon)
        if label is not None and (place is None or label.end >= place.end):
            by_label.append(label)
            index = label.end
        elif place is not None:
            by_place.append(place)
            index = place.end
        else:
            index += 1
    if not by_label:
        return by_place
    # Beside a label a number is a place only where it is pointed at: "red and THE third", not "red, call me first".
    places = [
        one for one in by_place if not one.counted and one.start and words.folded[one.start - 1] in lexicon.articles
    ]
    return sorted((*by_label, *places), key=lambda one: one.start)


def _whole(words: Words, index: int, labels: Labels, lexicon: Lexicon) -> Mention | None:
    """The longest label that begins at that word, articles between its words left out."""
    best: Mention | None = None
    for option, stems in enumerate(labels.stems):
        end = _run(words, index, stems, lexicon)
        if end is not None and (best is None or end > best.end):
            best = Mention(option, index, end, whole=True)
    return best


def _run(words: Words, index: int, stems: tuple[str, ...], lexicon: Lexicon) -> int | None:
    position = index
    for count, stem in enumerate(stems):
        while count and position < len(words.folded) and _is_plain(words.folded[position], lexicon):
            position += 1
        if position >= len(words.folded) or lexicon.stem(words.folded[position]) != stem:
            return None
        position += 1
    return position if stems else None


def _part(words: Words, index: int, labels: Labels, lexicon: Lexicon) -> Mention | None:
    option = labels.own.get(lexicon.stem(words.folded[index]))
    return None if option is None else Mention(option, index, index + 1, whole=False)


def _place(words: Words, index: int, labels: Labels, lexicon: Lexicon, numbers: dict[int, Spoken]) -> Mention | None:
    """A number that one label has, or a place in the order: "two", "number two", "the second", "the last one"."""
    for phrase in sorted(lexicon.last, key=len, reverse=True):
        if words.folded[index : index + len(phrase)] == phrase:
            return Mention(len(labels.stems) - 1, index, index + len(phrase), whole=True)
    number = numbers.get(index)
    if number is None or len(number.values) != 1:
        return None
    value = number.values[0]
    named = index > 0 and words.folded[index - 1] in lexicon.placers
    if not number.ordinal and not named and value in labels.numbers:
        return Mention(labels.numbers[value], index, number.end, whole=True)
    if 1 <= value <= len(labels.stems) and value.is_integer():
        return Mention(int(value) - 1, index, number.end, whole=True, counted=not (number.ordinal or named))
    return None
