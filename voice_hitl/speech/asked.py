"""What a question already says: its words and the values in them, to tell an echo from something new."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from voice_hitl.questions.model import Approval, Confirm
from voice_hitl.speech.binders import binders_before, role_before
from voice_hitl.speech.languages.pack import Kind
from voice_hitl.speech.lexicon import Lexicon, Tag, lexicon_for
from voice_hitl.speech.marks import Mark, marks_of
from voice_hitl.speech.words import Words, split

_ISO_DAY = re.compile(r"\b\d{4}-(\d\d)-(\d\d)\b")
_NAMES = frozenset({Tag.OTHER, Tag.FACT, Tag.THING, Tag.DEED})
DEEDS = frozenset({Tag.HALT, Tag.ALTER})
"""Verbs that refuse or alter what is asked, unless they are what is asked."""
_BENT = DEEDS | {Tag.NO, Tag.HOLD, Tag.CHANGE, Tag.NEGATION, Tag.UNSURE, Tag.CONDITION, Tag.WITHOUT}
_NEUTRAL = frozenset({Tag.PLAIN, Tag.FILLER})
_DENIALS = frozenset({Tag.NO, Tag.NEGATION, Tag.CHANGE})
_WHEN: frozenset[Kind] = frozenset({"day", "time"})
_NOUNS = frozenset({Tag.OTHER, Tag.UNIT, Tag.FACT, Tag.THING})
Numbers = tuple[float, ...]
"""A number; of a clock time its hours and minutes."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as a reply is compared with it.

    Args:
        run: Its words in order, folded, a space around each: what our own voice would say.
        stems: The stems of its words, and of the words that mean the same.
        rivals: The stems of what a thing that it names is not ("train", of a bus).
        values: The numbers it names, each with what it may be about; a clock time as one. A day or a time that is not
            to be had ("Seven is full. How about eight?") is not among them.
        places: By a day or a clock time where it names it first, and where last.
        kinds: What the values it names are about.
        bound: By a value (a stem, or a number) the prepositions that it stands behind.
        binders: All those prepositions.
        roles: By a number the roles that it has ("PICK up on the 4th").
        counted: By the stem of a noun the numbers that stand before it, an article ("a table") for one.
        counts: By a number the stems of the nouns that it counts, where it always counts one.
        halves: By a clock time the halves of the day that it is said with.
        deeds: The stems of its verbs of ending or altering ("Shall I CANCEL it?").
        without: The stems that it takes away ("WITHOUT subtitles").
        implied: What a reply may name though the question does not: a thing where it names none, a deed where it only
            reads values back.
        names_deed: Whether it says what would be done, by a verb of the pack.
        straight: Whether nothing in it refuses, alters or takes away, so that to tell what it says is to agree.
        open: Whether it proposes a deed and no value, so that to tell one is no change.
        offers: Whether it offers something, rather than to tell what would be done.
        open_choice: Whether it offers a choice ("red OR blue"), so that an echo of it chooses.
    """

    run: str
    stems: frozenset[str]
    rivals: frozenset[str]
    values: frozenset[tuple[Kind, Numbers]]
    places: Mapping[Numbers, tuple[int, int]]
    kinds: frozenset[Kind]
    bound: Mapping[str | Numbers, frozenset[str]]
    binders: frozenset[str]
    roles: Mapping[Numbers, frozenset[str]]
    counted: Mapping[str, frozenset[float]]
    counts: Mapping[Numbers, frozenset[str]]
    halves: Mapping[Numbers, frozenset[str]]
    deeds: frozenset[str]
    without: frozenset[str]
    implied: frozenset[Tag]
    names_deed: bool
    straight: bool
    open: bool
    offers: bool
    open_choice: bool


def asked_by(question: Confirm | Approval, language: str) -> Asked:
    """What that question says, as it is asked in that language; remembered, so that each reply to it costs little."""
    if isinstance(question, Confirm):
        texts = (question.prompt, question.action or "", *_values(question.details))
    else:
        texts = (
            question.title or "",
            question.tool.replace("_", " "),
            question.speak or "",
            *_values(question.arguments),
        )
    return _asked(texts, language)


def _values(details: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(text for key, value in details.items() for text in (key.replace("_", " "), str(value)))


@lru_cache(maxsize=512)
def _asked(texts: tuple[str, ...], language: str) -> Asked:
    lexicon = lexicon_for(language)
    text = ". ".join(_ISO_DAY.sub(lambda day: _spoken_day(day, lexicon), text) for text in texts if text)
    words = split(text, elides=lexicon.pack.elides)
    marks = marks_of(words, lexicon)
    kinds: set[Kind] = {kind for mark in marks for kind in mark.kinds}
    if _names_something(words, marks):
        kinds.add("name")
    bound = _bound(words, marks, lexicon)
    denied = _denied(words, marks)
    stems, rivals = _stems(words, denied, lexicon)
    return Asked(
        run=f" {' '.join(words.folded)} ",
        stems=stems,
        rivals=rivals,
        values=frozenset(
            (kind, mark.values) for mark in marks for kind in mark.kinds if mark.values and mark not in denied
        ),
        places=_places(marks),
        kinds=frozenset(kinds),
        bound={value: frozenset(binders) for value, binders in bound.items()},
        binders=frozenset(binder for binders in bound.values() for binder in binders),
        roles=_roles(words, marks, lexicon),
        counted=_counted(words, marks, lexicon),
        counts=_counts(words, marks, lexicon),
        halves=_halves(words, marks, lexicon),
        deeds=frozenset(lexicon.stem(words.folded[mark.start]) for mark in marks if mark.tag in DEEDS),
        without=_without(words, marks, lexicon),
        implied=_implied(words, marks, lexicon),
        names_deed=any(mark.tag is Tag.DEED for mark in marks),
        straight=_BENT.isdisjoint(mark.tag for mark in marks),
        open=kinds <= {"name"} and lexicon.read_backs.isdisjoint(words.folded),
        offers=_offers(words, marks, lexicon),
        open_choice=any((word,) in lexicon.either for word in words.folded),
    )


def _spoken_day(day: re.Match[str], lexicon: Lexicon) -> str:
    month = int(day[1]) - 1
    if not 0 <= month < len(lexicon.pack.months):
        return day[0]
    return f"{lexicon.pack.months[month]} {int(day[2])}"


def _stems(words: Words, denied: list[Mark], lexicon: Lexicon) -> tuple[frozenset[str], frozenset[str]]:
    """The stems of its words and of those that mean the same, and the stems that none of its things is."""
    none = frozenset[str]()
    own = {lexicon.stem(word) for word in words.folded}
    own -= {lexicon.stem(words.folded[mark.start]) for mark in denied}
    rivals = none.union(*(lexicon.rivals.get(stem, none) for stem in own)) - own
    return none.union(own, *(lexicon.kin.get(stem, none) for stem in own)) - rivals, rivals


def _denied(words: Words, marks: list[Mark]) -> list[Mark]:
    """The days and times in a sentence that says what is not to be had, where another sentence offers others."""
    sentences: list[list[Mark]] = [[]]
    for mark in marks:
        if sentences[-1] and words.gaps[mark.start] == ".":
            sentences.append([])
        sentences[-1].append(mark)
    denying = [one for one in sentences if not _DENIALS.isdisjoint(mark.tag for mark in one)]
    offered = [mark for one in sentences if one not in denying for mark in one]
    kinds = {kind for mark in offered for kind in mark.kinds} & _WHEN
    named = {(mark.values or words.folded[mark.start]) for mark in offered}
    return [
        mark
        for one in denying
        for mark in one
        if not kinds.isdisjoint(mark.kinds) and (mark.values or words.folded[mark.start]) not in named
    ]


def _places(marks: list[Mark]) -> dict[Numbers, tuple[int, int]]:
    places: dict[Numbers, tuple[int, int]] = {}
    for place, mark in enumerate(marks):
        if mark.values and _WHEN.issuperset(mark.kinds):
            places[mark.values] = places.get(mark.values, (place, place))[0], place
    return places


def _implied(words: Words, marks: list[Mark], lexicon: Lexicon) -> frozenset[Tag]:
    named = {mark.tag for mark in marks}
    implied: set[Tag] = set() if Tag.THING in named else {Tag.THING}
    if Tag.DEED not in named and not lexicon.read_backs.isdisjoint(words.folded):
        implied.add(Tag.DEED)
    return frozenset(implied)


def _offers(words: Words, marks: list[Mark], lexicon: Lexicon) -> bool:
    if not lexicon.read_backs.isdisjoint(words.folded) or any(mark.tag is Tag.GO for mark in marks):
        return False
    return any(lexicon.offers.at(words.folded, index) for index in range(len(words.folded)))


def _names_something(words: Words, marks: list[Mark]) -> bool:
    """Whether a word that is in no list is written as a name: a capital inside a sentence, or after a colon."""
    for mark in marks:
        first = words.text[words.start(mark.start)]
        if mark.tag in _NAMES and first.isupper() and mark.start > 0 and words.gaps[mark.start] != ".":
            return True
    return False


def key_of(mark: Mark, words: Words, lexicon: Lexicon) -> str | Numbers:
    """A value as it is compared between question and reply: its numbers, or its first word's stem."""
    return mark.values or lexicon.stem(words.folded[mark.start])


def half_after(mark: Mark, words: Words, lexicon: Lexicon) -> str | None:
    """The half of the day that a clock time is said with ("7 PM")."""
    return lexicon.pack.day_halves.get(words.folded[mark.end]) if mark.end < len(words.folded) else None


def _bound(words: Words, marks: list[Mark], lexicon: Lexicon) -> dict[str | Numbers, set[str]]:
    bound: dict[str | Numbers, set[str]] = {}
    for mark in marks:
        binders = [] if mark.tag in _NEUTRAL else binders_before(mark, words, lexicon)
        if binders:
            bound.setdefault(key_of(mark, words, lexicon), set()).update(binders)
    return bound


def _roles(words: Words, marks: list[Mark], lexicon: Lexicon) -> dict[Numbers, frozenset[str]]:
    roles: dict[Numbers, frozenset[str]] = {}
    for mark in marks:
        role = role_before(mark, words, lexicon) if mark.values and _WHEN.issuperset(mark.kinds) else None
        if role is not None:
            roles[mark.values] = roles.get(mark.values, frozenset()) | {role}
    return roles


def counted_by(place: int, marks: list[Mark], words: Words, lexicon: Lexicon) -> list[str]:
    """The stems of what a number counts: of the nouns after it ("2 ECONOMY TICKETS"), or of a sign beside it ("$")."""
    mark = marks[place]
    for sign in (words.spaces[mark.start][-1:], words.spaces[mark.end].lstrip()[:1]):
        if sign in lexicon.signs:
            return [lexicon.signs[sign]]
    nouns: list[str] = []
    for after in marks[place + 1 :]:
        if words.gaps[after.start] or (after.tag not in _NOUNS and after.kinds != ("extra",)):
            break
        nouns.append(lexicon.stem(words.folded[after.start]))
    return nouns


def _counted(words: Words, marks: list[Mark], lexicon: Lexicon) -> dict[str, frozenset[float]]:
    own: dict[str, frozenset[float]] = {}
    kin: dict[str, frozenset[float]] = {}
    for place, mark in enumerate(marks):
        if mark.values or words.folded[mark.start] in lexicon.ones:
            numbers = frozenset(mark.values or (1.0,))
            for noun in counted_by(place, marks, words, lexicon):
                own[noun] = own.get(noun, frozenset()) | numbers
                for stem in lexicon.kin.get(noun, frozenset()):
                    kin[stem] = kin.get(stem, frozenset()) | numbers
    return {**kin, **own}


def _counts(words: Words, marks: list[Mark], lexicon: Lexicon) -> dict[Numbers, frozenset[str]]:
    counts: dict[Numbers, frozenset[str]] = {}
    loose: set[Numbers] = set()
    for place, mark in enumerate(marks):
        if not mark.values:
            continue
        nouns = counted_by(place, marks, words, lexicon)
        if nouns:
            known = counts.get(mark.values, frozenset())
            counts[mark.values] = known.union(nouns, *(lexicon.kin.get(noun, frozenset()) for noun in nouns))
        else:
            loose.add(mark.values)
    return {value: nouns for value, nouns in counts.items() if value not in loose}


def _halves(words: Words, marks: list[Mark], lexicon: Lexicon) -> dict[Numbers, frozenset[str]]:
    halves: dict[Numbers, frozenset[str]] = {}
    for mark in marks:
        half = half_after(mark, words, lexicon) if mark.values else None
        if half is not None:
            halves[mark.values] = halves.get(mark.values, frozenset()) | {half}
    return halves


def _without(words: Words, marks: list[Mark], lexicon: Lexicon) -> frozenset[str]:
    taken = (mark for place, mark in enumerate(marks) if is_taken_away(place, marks, words, lexicon))
    return frozenset(lexicon.stem(words.folded[mark.start]) for mark in taken)


def is_taken_away(place: int, marks: list[Mark], words: Words, lexicon: Lexicon) -> bool:
    """Whether a "without" or a "no" stands before that mark, an article between them left out."""
    back = place - 1
    while back >= 0 and words.folded[marks[back].start] in lexicon.articles:
        back -= 1
    return back >= 0 and words.folded[marks[back].end - 1] in lexicon.without and not words.gaps[marks[back].end]
