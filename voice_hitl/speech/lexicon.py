"""A language pack, made ready to mark an utterance with what its stretches do."""

from dataclasses import dataclass
from enum import IntEnum, auto
from functools import lru_cache
from typing import NamedTuple

from voice_hitl.speech.languages import pack_for
from voice_hitl.speech.languages.pack import Kind, LanguagePack, Phrases
from voice_hitl.speech.reading import CommandName
from voice_hitl.speech.words import split


class Tag(IntEnum):
    """What a stretch of an utterance does."""

    YES = auto()
    GO = auto()
    AGREE = auto()
    NO = auto()
    HOLD = auto()
    CHANGE = auto()
    NEGATION = auto()
    UNSURE = auto()
    CONDITION = auto()
    HALT = auto()
    ALTER = auto()
    ACKNOWLEDGE = auto()
    CLOSING = auto()
    FILLER = auto()
    PLAIN = auto()
    WITHOUT = auto()
    TELL = auto()
    ASK = auto()
    FACT = auto()
    THING = auto()
    DEED = auto()
    UNIT = auto()
    VALUE = auto()
    OTHER = auto()
    """In no list: a word of the question, or something new."""


PhraseSet = frozenset[tuple[str, ...]]
"""Phrases as the folded words that they are."""


class Entry(NamedTuple):
    """What a phrase does."""

    tag: Tag
    kinds: tuple[Kind, ...] = ()


class Node(NamedTuple):
    """What the words up to here do as a phrase, and the words that may follow in a longer one."""

    entry: Entry | None
    longer: "dict[str, Node]"


@dataclass(frozen=True, slots=True)
class Table:
    """Phrases word by word, so that the longest one at a place in an utterance is found in one walk.

    Args:
        first: By the first word of a phrase the rest of it.
    """

    first: dict[str, Node]

    def at(self, folded: tuple[str, ...], index: int) -> tuple[Entry, int] | None:
        """The longest phrase that begins at that word, and the word after it."""
        node = self.first.get(folded[index])
        if node is None:
            return None
        entry, longer = node
        end = index + 1
        found = None if entry is None else (entry, end)
        while longer and end < len(folded) and (node := longer.get(folded[end])) is not None:
            entry, longer = node
            end += 1
            if entry is not None:
                found = entry, end
        return found

    def word(self, word: str) -> Entry | None:
        """What that word does by itself."""
        node = self.first.get(word)
        return None if node is None else node.entry


@dataclass(frozen=True, slots=True)
class Lexicon:
    """A pack as tables of folded words.

    Args:
        pack: What it was made of.
        anywhere: Phrases that do what they do wherever they stand.
        leading: Phrases that do it only where a clause begins.
        accented: What a single word does where it is said with its accents ("qué", not "que").
        alone: Words that assent where a pause or the end follows.
        clauses: Phrases that assent where they are a whole clause.
        kin: For a stem the stems that mean the same.
        rivals: For a stem the stems of the other things of its kind.
        roles: For the stem of a role the stems of its opposites.
        opposites: For a preposition those that turn it round.
        signs: For a sign beside a number the stem of its unit.
        months: These and the fields after it: the pack's lists of that name, as single words.
    """

    pack: LanguagePack
    anywhere: Table
    leading: Table
    accented: dict[str, Entry]
    alone: frozenset[str]
    clauses: Table
    kin: dict[str, frozenset[str]]
    rivals: dict[str, frozenset[str]]
    roles: dict[str, frozenset[str]]
    opposites: dict[str, frozenset[str]]
    signs: dict[str, str]
    commands: dict[tuple[str, ...], CommandName]
    months: frozenset[str]
    of: frozenset[str]
    clock: frozenset[str]
    time_leads: frozenset[str]
    day_leads: frozenset[str]
    articles: frozenset[str]
    ones: frozenset[str]
    binders: frozenset[str]
    spans: frozenset[str]
    pointers: frozenset[str]
    halted: frozenset[str]
    joints: frozenset[str]
    requests: frozenset[str]
    fetches: frozenset[str]
    read_backs: frozenset[str]
    plain: frozenset[str]
    without: frozenset[str]
    first: frozenset[str]
    praised: frozenset[str]
    searches: frozenset[str]
    wholes: frozenset[str]
    past: frozenset[str]
    performs: frozenset[str]
    matters: frozenset[str]
    deeds: frozenset[str]
    it: frozenset[str]
    unfinished: frozenset[str]
    placers: frozenset[str]
    zeros: frozenset[str]
    minus: frozenset[str]
    halves: PhraseSet
    last: PhraseSet
    both: PhraseSet
    every: PhraseSet
    none: PhraseSet
    apart_from: PhraseSet
    corrections: PhraseSet
    joins: PhraseSet
    either: PhraseSet
    leave_it: PhraseSet
    leads: PhraseSet
    judges: PhraseSet
    tepid: PhraseSet
    offers: Table
    tells_to: PhraseSet
    takes: PhraseSet
    themselves: PhraseSet

    def stem(self, word: str) -> str:
        """The word without its inflection: "booked" and "bookings" are "book"."""
        return _stem(word, self.pack.endings)


def lexicon_for(language: str) -> Lexicon:
    """The lexicon of a language ("en", "en-GB"); without a pack, one that knows no words."""
    return _lexicon(pack_for(language).code)


@lru_cache(maxsize=32)
def _lexicon(code: str) -> Lexicon:
    pack = pack_for(code)
    return Lexicon(
        pack=pack,
        anywhere=_table(pack, _anywhere(pack)),
        leading=_table(
            pack, [(pack.forbids, Tag.NO, ()), (pack.beforehand, Tag.HOLD, ()), (pack.inversions, Tag.ASK, ())]
        ),
        accented=_accented(pack),
        alone=_singles(pack, pack.alone),
        clauses=_table(pack, [(pack.clauses, Tag.YES, ())]),
        kin=_kin(pack),
        rivals=_others(pack, pack.rivals),
        roles=_others(pack, pack.roles),
        opposites=_opposites(pack),
        signs={sign: _stem(folded(pack, unit)[0], pack.endings) for sign, unit in pack.signs.items()},
        commands={
            key: name for name, words in pack.commands.items() for phrase in words for key in _forms(pack, phrase)
        },
        months=_singles(pack, pack.months),
        of=_singles(pack, pack.of),
        clock=_singles(pack, pack.clock),
        time_leads=_singles(pack, pack.time_leads),
        day_leads=_singles(pack, pack.day_leads),
        articles=_singles(pack, pack.articles),
        ones=_singles(pack, pack.ones),
        binders=_singles(pack, pack.binders),
        spans=_singles(pack, pack.spans),
        pointers=_singles(pack, pack.pointers),
        halted=_singles(pack, pack.halted),
        requests=_singles(pack, pack.requests),
        fetches=_singles(pack, pack.fetches),
        read_backs=_singles(pack, pack.read_backs),
        without=frozenset(folded(pack, phrase)[-1] for phrase in pack.without),
        first=_singles(pack, pack.first),
        searches=_singles(pack, pack.searches),
        praised=_singles(pack, pack.praised),
        wholes=_singles(pack, pack.wholes),
        past=_singles(pack, pack.past),
        performs=_singles(pack, pack.performs),
        matters=_singles(pack, pack.matters),
        deeds=_singles(pack, pack.deeds),
        it=_singles(pack, pack.it),
        unfinished=_singles(pack, pack.unfinished),
        placers=_singles(pack, pack.placers),
        zeros=_singles(pack, pack.zeros),
        minus=_singles(pack, pack.minus),
        joints=_singles(pack, pack.number_joints),
        plain=_singles(pack, pack.plain) | _singles(pack, pack.fillers),
        halves=_phrases(pack, pack.halves),
        last=_phrases(pack, pack.last),
        both=_phrases(pack, pack.both),
        every=_phrases(pack, pack.every),
        none=_phrases(pack, pack.none),
        apart_from=_phrases(pack, pack.apart_from),
        corrections=_phrases(pack, pack.corrections),
        joins=_phrases(pack, pack.joins),
        either=_phrases(pack, pack.either),
        leave_it=_phrases(pack, pack.leave_it),
        leads=_phrases(pack, pack.leads),
        judges=_phrases(pack, pack.judges),
        tepid=_phrases(pack, pack.tepid),
        offers=_table(pack, [(pack.offers, Tag.ASK, ())]),
        tells_to=_phrases(pack, pack.tells_to),
        takes=_phrases(pack, pack.takes),
        themselves=_phrases(pack, pack.themselves),
    )


_ACCENTED = frozenset({Tag.YES, Tag.ASK})


@lru_cache(maxsize=16384)
def _stem(word: str, endings: Phrases) -> str:
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def folded(pack: LanguagePack, phrase: str) -> tuple[str, ...]:
    """A phrase of the pack as the words that an utterance with it has."""
    # There are thousands, and a call's audio waits meanwhile: most need no more than this.
    if phrase.isascii() and phrase.replace(" ", "").isalpha():
        return tuple(phrase.lower().split())
    return split(phrase, elides=pack.elides).folded


def _forms(pack: LanguagePack, phrase: str) -> list[tuple[str, ...]]:
    """The phrase as written, and with its short forms written out."""
    words = folded(pack, phrase)
    if pack.contractions.keys().isdisjoint(words):
        return [words]
    forms: list[tuple[str, ...]] = [()]
    for word in words:
        long = pack.contractions.get(word)
        forms = [(*form, word) for form in forms] + ([(*form, *long.split()) for form in forms] if long else [])
    return forms


def _singles(pack: LanguagePack, words: Phrases) -> frozenset[str]:
    return frozenset(word for phrase in words for word in folded(pack, phrase))


def _phrases(pack: LanguagePack, words: Phrases) -> PhraseSet:
    return frozenset(form for phrase in words for form in _forms(pack, phrase))


def _anywhere(pack: LanguagePack) -> list[tuple[Phrases, Tag, tuple[Kind, ...]]]:
    # Of a phrase in two lists the first counts: what forbids a yes comes before what makes one.
    return [
        (pack.harmless, Tag.YES, ()),
        (pack.unsure, Tag.UNSURE, ()),
        (pack.no, Tag.NO, ()),
        (pack.without, Tag.WITHOUT, ()),
        (pack.holds, Tag.HOLD, ()),
        (pack.changes, Tag.CHANGE, ()),
        (pack.negations, Tag.NEGATION, ()),
        (pack.conditions, Tag.CONDITION, ()),
        (pack.halts, Tag.HALT, ()),
        (pack.alters, Tag.ALTER, ()),
        (pack.yes, Tag.YES, ()),
        (pack.goes, Tag.GO, ()),
        (pack.agree, Tag.AGREE, ()),
        (pack.acknowledges, Tag.ACKNOWLEDGE, ()),
        (pack.closings, Tag.CLOSING, ()),
        (pack.fillers, Tag.FILLER, ()),
        (pack.tells, Tag.TELL, ()),
        (pack.asks, Tag.ASK, ()),
        *((words, Tag.VALUE, (kind,)) for kind, words in pack.kinds.items()),
        (pack.units, Tag.UNIT, ()),
        (pack.facts, Tag.FACT, ()),
        (pack.plain, Tag.PLAIN, ()),
        (pack.things, Tag.THING, ()),
        (pack.deeds, Tag.DEED, ()),
    ]


def _table(pack: LanguagePack, lists: list[tuple[Phrases, Tag, tuple[Kind, ...]]]) -> Table:
    first: dict[str, Node] = {}
    for words, tag, kinds in lists:
        for key in (key for phrase in words if not _is_accented(phrase, tag) for key in _forms(pack, phrase)):
            longer = first
            for word in key[:-1]:
                longer = longer.setdefault(word, Node(None, {})).longer
            last = longer.get(key[-1])
            if last is None or last.entry is None:
                longer[key[-1]] = Node(Entry(tag, kinds), {} if last is None else last.longer)
    return Table(first)


def _is_accented(phrase: str, tag: Tag) -> bool:
    """Whether the phrase is one word that its accent tells from another one."""
    return tag in _ACCENTED and not phrase.isascii() and phrase.isalpha()


def _accented(pack: LanguagePack) -> dict[str, Entry]:
    lists = ((words, tag) for words, tag, _ in _anywhere(pack))
    return {phrase: Entry(tag) for words, tag in lists for phrase in words if _is_accented(phrase, tag)}


def _kin(pack: LanguagePack) -> dict[str, frozenset[str]]:
    kin: dict[str, frozenset[str]] = {}
    for group in pack.synonyms:
        stems = frozenset(_stem(word, pack.endings) for word in folded(pack, group))
        for stem in stems:
            kin[stem] = kin.get(stem, frozenset()) | stems
    return kin


def _others(pack: LanguagePack, kinds: tuple[Phrases, ...]) -> dict[str, frozenset[str]]:
    """By the stem of each word of a kind the stems of what it is not."""
    found: dict[str, frozenset[str]] = {}
    for kind in kinds:
        things = [frozenset(_stem(word, pack.endings) for word in folded(pack, thing)) for thing in kind]
        for thing in things:
            others = frozenset[str]().union(*things) - thing
            for stem in thing:
                found[stem] = found.get(stem, frozenset()) | others
    return found


def _opposites(pack: LanguagePack) -> dict[str, frozenset[str]]:
    opposites: dict[str, frozenset[str]] = {}
    for pair in pack.opposites:
        one, other = folded(pack, pair)
        opposites[one] = opposites.get(one, frozenset()) | {other}
        opposites[other] = opposites.get(other, frozenset()) | {one}
    return opposites
