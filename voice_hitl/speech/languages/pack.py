"""One language's words: what `interpret` and the prompts know about it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Literal

from voice_hitl.speech.reading import CommandName

Kind = Literal["day", "time", "number", "device", "name", "extra"]
"""What a value is about. `name`: a person, place or title; `extra`: one of a few ways ("with subtitles", "economy")."""

Phrases = tuple[str, ...]

_CHOICE = re.compile(r"\(([^()]*)\)")


def phrases(text: str) -> Phrases:
    """Phrases from a list with commas, where `(a|b)` stands for either: `"not (now|yet)"` is two of them.

    Args:
        text: The list; an empty alternative is allowed (`"thanks( a lot|)"`), alternatives do not nest.
    """
    found: list[str] = []
    for item in re.split(r",\s+", " ".join(text.split()).strip(" ,")):
        parts = _CHOICE.split(item)
        choices = [part.split("|") if index % 2 else [part] for index, part in enumerate(parts)]
        found += [" ".join("".join(words).split()) for words in product(*choices)]
    if any(mark in phrase for phrase in found for mark in "()|"):
        raise ValueError(f"alternatives in phrases do not nest: {text!r}")
    return tuple(phrase for phrase in dict.fromkeys(found) if phrase)


def _none() -> Mapping[str, str]:
    return {}


def _no_kinds() -> Mapping[Kind, Phrases]:
    return {}


def _no_commands() -> Mapping[CommandName, Phrases]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguagePack:
    """The words of one language, in its own spelling; case, accents and apostrophes are ignored.

    Where a phrase is in several lists the earlier field wins; a longer phrase wins over a shorter one.

    Args:
        code: ISO 639-1.
        speaks_numbers: Whether numbers in words are read (`text_to_num` knows the language).
        decimal: The decimal separator.
        elides: Whether an apostrophe ends a word ("d'accord").
        contractions: Short forms and what they stand for; a phrase with one is known in both forms.
        harmless: Set phrases of assent that only look negative ("no problem", "why not").
        unsure: Neither yes nor no, and never a yes ("I don't know", "maybe", "yes or no").
        no: A refusal by itself ("no", "not now", "I'm good").
        forbids: A refusal where a clause begins with it ("don't").
        holds: Not yet ("wait", "later").
        beforehand: Not yet, where a clause begins with it ("first tell me the price").
        first: Not yet, where a clause ends with it ("tell me the price first").
        changes: Announces something else ("but", "instead").
        conditions: A condition or an alternative ("if", "or"); inside a question it is part of what is asked.
        negations: Turns round what it stands by ("not", "never").
        halts: Verbs of ending ("stop", "cancel"): a refusal where they end what is asked about, else an aside.
        alters: Verbs of altering ("change", "add"): never part of a yes, but where the question itself has them.
        yes: Assent that means nothing else ("yes", "of course").
        alone: Assent only where a pause or the end follows: else the word means something else ("si").
        clauses: Assent only where they are a whole clause: "I do", "it is", "why not", "handle it".
        goes: Assent that tells to do it ("go ahead").
        agree: Assent by judgement ("fine", "that works").
        tepid: Assent that to an offer may as well mean "don't trouble yourself" ("that's okay").
        offers: Begins an offer ("would you like").
        searches: Verbs of looking for something new ("find", "show me").
        praised: What a judgement may be followed by and say no more ("excellent CHOICE").
        judges: Who judges, after a judgement ("fine TO ME").
        wholes: All that is asked, where it is judged ("EVERYTHING is fine").
        past: In a clause with one of these a judgement is about something else ("it WAS great").
        tells_to: Before a verb of the question they tell to do it ("I WANT TO book it", "YOU CAN book it").
        takes: Before a thing of the question they take it ("I'LL TAKE the room").
        themselves: Before a deed they say who does it: not we ("I CAN do it", "LET ME").
        performs: Verbs that stand for any deed, with the thing that is done ("MAKE the reservation").
        it: What stands for the thing that is done ("book IT").
        unfinished: Words that no sentence ends in: what ends in one was cut off.
        acknowledges: Assent where nothing else is said, else only "I heard you" ("okay").
        closings: Ends the matter: part of a yes, by itself a no ("that's all").
        fillers: Says nothing ("uh", "please", "thank you").
        tells: Asks for information without a question word ("tell me", "let me know").
        asks: Begins a question wherever it stands ("what"). A single word with an accent must be said with it: "qué"
            asks, "que" does not.
        inversions: Begins a question where a clause begins with it ("is there").
        requests: Asks for a deed ("can you"): what follows is wanted, and is no question.
        fetches: Verbs that ask for a fact where one follows ("give", "need").
        facts: What one asks for without wanting it done ("address", "price").
        kinds: The words that show what a value is about.
        things: Names for a kind of thing ("movie", "ticket"): nothing new where the question names none.
        matters: What is asked, whatever it is about ("go ahead with the BOOKING").
        deeds: Verbs for what is commonly done, nothing new where a question that only reads values back names none.
        read_backs: What such a question says ("confirm", "correct").
        units: What numbers count, and no value by themselves ("people", "days").
        clock: Makes the number before it a clock time ("pm").
        day_halves: Words after a clock time that say which of two times of that number it is, and which ("am", "pm").
        plain: Adds nothing by itself (articles, pronouns, auxiliaries, "I'd like").
        pointers: Points at what is asked ("that flight").
        halted: What a halt may be said of and still refuse ("it", "that", "everything").
        without: Takes away the noun that follows ("without", "no").
        spans: From or up to the value that follows ("until").
        binders: Prepositions that tell two values of a kind apart ("from", "to").
        opposites: Pairs of prepositions of which one turns the other round ("from to").
        time_leads: A bare number after it is a clock time ("at").
        day_leads: A bare number after it is a day of the month ("EL nueve").
        articles: Stand between a preposition and its noun ("the").
        ones: Articles that are the number one ("a").
        months: The twelve, from January.
        of: Between a day's number and its month ("the 5th OF March").
        synonyms: Groups of words that mean the same deed or thing.
        rivals: Kinds of things; of each the things that are not one another, with their names ("train, flight plane").
        roles: Of what begins and ends the words that tell a day or a time of the one from one of the other, each side
            with its words ("pick pickup, drop return").
        signs: Signs beside a number, and the unit that each is.
        endings: Inflections, longest first, that do not make another word.
        number_joints: Words inside a spoken number ("and", "point").
        ordinal_marks: What follows digits to make an ordinal ("th").
        zeros: Words for the digit 0 that are no numbers by themselves ("oh").
        repeats: "double" and "triple", and how often the next digit counts.
        minus: Before a negative number.
        halves: Half of one more ("and a half").
        placers: Before a place in the order ("number", "option").
        last: The last of the options.
        both: Both of two.
        every: All the options.
        none: None of the options.
        apart_from: Takes options out of the rest ("except").
        corrections: Between a thing said and what is meant instead ("no", "I mean").
        joins: Between two chosen options ("and").
        either: Between two options neither of which is chosen yet ("or").
        leave_it: The person leaves the answer to us ("whatever", "you decide").
        leads: Politeness before a command ("can you").
        commands: Steers the dialogue.
        prompts: Sentences by key (see `voice_hitl.speech.prompts`).
    """

    code: str
    speaks_numbers: bool = True
    decimal: str = "."
    elides: bool = False
    contractions: Mapping[str, str] = field(default_factory=dict[str, str])
    harmless: Phrases = ()
    unsure: Phrases = ()
    no: Phrases = ()
    forbids: Phrases = ()
    holds: Phrases = ()
    beforehand: Phrases = ()
    first: Phrases = ()
    changes: Phrases = ()
    conditions: Phrases = ()
    negations: Phrases = ()
    halts: Phrases = ()
    alters: Phrases = ()
    yes: Phrases = ()
    alone: Phrases = ()
    clauses: Phrases = ()
    goes: Phrases = ()
    agree: Phrases = ()
    tepid: Phrases = ()
    offers: Phrases = ()
    searches: Phrases = ()
    praised: Phrases = ()
    judges: Phrases = ()
    wholes: Phrases = ()
    past: Phrases = ()
    tells_to: Phrases = ()
    takes: Phrases = ()
    themselves: Phrases = ()
    performs: Phrases = ()
    it: Phrases = ()
    unfinished: Phrases = ()
    acknowledges: Phrases = ()
    closings: Phrases = ()
    fillers: Phrases = ()
    tells: Phrases = ()
    asks: Phrases = ()
    inversions: Phrases = ()
    requests: Phrases = ()
    fetches: Phrases = ()
    facts: Phrases = ()
    kinds: Mapping[Kind, Phrases] = field(default_factory=_no_kinds)
    things: Phrases = ()
    matters: Phrases = ()
    deeds: Phrases = ()
    read_backs: Phrases = ()
    units: Phrases = ()
    clock: Phrases = ()
    day_halves: Mapping[str, str] = field(default_factory=dict[str, str])
    plain: Phrases = ()
    pointers: Phrases = ()
    halted: Phrases = ()
    without: Phrases = ()
    spans: Phrases = ()
    binders: Phrases = ()
    opposites: Phrases = ()
    time_leads: Phrases = ()
    day_leads: Phrases = ()
    articles: Phrases = ()
    ones: Phrases = ()
    months: Phrases = ()
    of: Phrases = ()
    synonyms: Phrases = ()
    rivals: tuple[Phrases, ...] = ()
    roles: tuple[Phrases, ...] = ()
    signs: Mapping[str, str] = field(default_factory=_none)
    endings: Phrases = ()
    number_joints: Phrases = ()
    ordinal_marks: Phrases = ()
    zeros: Phrases = ()
    repeats: Mapping[str, int] = field(default_factory=dict[str, int])
    minus: Phrases = ()
    halves: Phrases = ()
    placers: Phrases = ()
    last: Phrases = ()
    both: Phrases = ()
    every: Phrases = ()
    none: Phrases = ()
    apart_from: Phrases = ()
    corrections: Phrases = ()
    joins: Phrases = ()
    either: Phrases = ()
    leave_it: Phrases = ()
    leads: Phrases = ()
    commands: Mapping[CommandName, Phrases] = field(default_factory=_no_commands)
    prompts: Mapping[str, str] = field(default_factory=_none)
