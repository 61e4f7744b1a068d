"""A reply beside its yes-or-no question, sorted: assent, refusal, the question's own words, and new ones."""

from dataclasses import dataclass, field

from voice_hitl.speech.asked import DEEDS, Asked, counted_by, half_after, is_taken_away, key_of
from voice_hitl.speech.binders import binders_before, role_before
from voice_hitl.speech.lexicon import Lexicon, Tag
from voice_hitl.speech.marks import Mark
from voice_hitl.speech.openings import openings
from voice_hitl.speech.words import Words

SILENT = frozenset({Tag.FILLER, Tag.PLAIN})
ASSENT = frozenset({Tag.YES, Tag.GO, Tag.AGREE, Tag.ACKNOWLEDGE})
OBSTACLES = frozenset({Tag.NO, Tag.HOLD, Tag.CHANGE, Tag.CONDITION, Tag.NEGATION, Tag.UNSURE, Tag.HALT, Tag.ALTER})
_SKIPPED = SILENT | {Tag.ASK, Tag.TELL}
_POINTED = frozenset({Tag.FACT, Tag.THING, Tag.UNIT})
_WORDS = frozenset({Tag.OTHER, Tag.THING, Tag.DEED})
_UNJUDGED = frozenset({Tag.PLAIN, Tag.FACT})
# Looked up once: a member of an enumeration costs as much as the rest of a comparison.
_CLOSING, _WITHOUT, _UNIT, _HALT, _DEED = Tag.CLOSING, Tag.WITHOUT, Tag.UNIT, Tag.HALT, Tag.DEED
_AGREE, _THING, _GO = Tag.AGREE, Tag.THING, Tag.GO
_JUDGEMENTS = frozenset({Tag.AGREE, Tag.ACKNOWLEDGE})
_NO_BINDER: frozenset[str] = frozenset()


@dataclass(slots=True)
class Heard:
    """What a reply holds, each list in the order it was said.

    Args:
        assents: What agrees, outside of a question.
        refusals: What refuses, outside of a question.
        obstacles: What forbids a yes.
        closings: What ends the matter.
        echoes: Words and values of the question.
        details: Values that the question does not have, outside of a question.
        asked_about: Such values within a question.
        deeds: What is to be done, where the question does not say it ("yes, PLAY it" of "Shall I put it on?").
        strangers: Other words that the question does not have, outside of a question.
        question: The word that the first question begins with.
        contradiction: Why the question's own words say something else.
    """

    words: Words
    marks: list[Mark]
    asked: Asked
    lexicon: Lexicon
    assents: list[Mark] = field(default_factory=list[Mark])
    refusals: list[Mark] = field(default_factory=list[Mark])
    obstacles: list[Mark] = field(default_factory=list[Mark])
    closings: list[Mark] = field(default_factory=list[Mark])
    echoes: list[Mark] = field(default_factory=list[Mark])
    details: list[Mark] = field(default_factory=list[Mark])
    asked_about: list[Mark] = field(default_factory=list[Mark])
    deeds: list[Mark] = field(default_factory=list[Mark])
    strangers: list[Mark] = field(default_factory=list[Mark])
    question: int | None = None
    contradiction: str | None = None

    def sort(self) -> None:
        """Fill the lists."""
        begins = openings(self.marks, self.words, self.lexicon)
        gaps, raw, past_words = self.words.gaps, self.words.raw, self.lexicon.past
        asking = past = False
        for position, mark in enumerate(self.marks):
            tag = mark.tag
            if asking and gaps[mark.start] == ".":
                asking = False
            if position in begins:
                asking = True
                self.question = mark.start if self.question is None else self.question
            past = past and not gaps[mark.start]
            if tag in _SKIPPED:
                past = past or raw[mark.start] in past_words or raw[mark.end - 1] in past_words
                continue
            if tag in ASSENT:
                if tag is _AGREE and self._begins_a_name(position):
                    self.strangers.append(mark)
                elif not asking and not (past and tag is _AGREE) and not (tag is _GO and self._does_it_alone(mark)):
                    self.assents.append(mark)
            elif tag in OBSTACLES:
                self._obstacle(position, mark, asking=asking)
            elif tag is _CLOSING:
                self.closings.append(mark)
            else:
                self._content(position, mark, asking=asking)

    def is_echo(self, mark: Mark) -> bool:
        """Whether the question has it too, a number as what it is about."""
        if self.asked.open_choice:
            return False
        if mark.values:
            # A bare number is a clock time only where the question counts nothing.
            kinds = mark.kinds[:1] if "number" in self.asked.kinds else mark.kinds
            return any((kind, mark.values) in self.asked.values for kind in kinds)
        if mark.end == mark.start + 1:
            return self.lexicon.stem(self.words.folded[mark.start]) in self.asked.stems
        return self.asked.stems.issuperset(map(self.lexicon.stem, self.words.folded[mark.start : mark.end]))

    def _begins_a_name(self, position: int) -> bool:
        """Whether it is judged itself ("GREAT Clips works for me")."""
        following = self.marks[position + 1 : position + 4]
        if not following or following[0].tag is not Tag.OTHER:
            return False
        judged = next((mark for mark in following[1:] if mark.tag is not Tag.PLAIN), None)
        return judged is not None and judged.tag is _AGREE and not any(self.words.gaps[following[0].start : judged.end])

    def _does_it_alone(self, mark: Mark) -> bool:
        """Whether they would do it themselves ("I CAN do it", "LET ME proceed"): nothing that we are told to do."""
        said, start = self.words.folded, mark.start
        return (
            said[start - 1 : start] in self.lexicon.themselves
            or said[max(0, start - 2) : start] in self.lexicon.themselves
        )

    def _obstacle(self, position: int, mark: Mark, *, asking: bool) -> None:
        known = self.asked.deeds if mark.tag is _HALT else self.asked.stems
        if mark.tag in DEEDS and self._stem(mark) in known:
            self.echoes.append(mark)
        elif mark.tag is not Tag.CONDITION or not (asking or self._opens_a_span(position)):
            self.obstacles.append(mark)
            if mark.tag is Tag.NO and not asking:
                self.refusals.append(mark)

    def _opens_a_span(self, position: int) -> bool:
        """Whether it is the "until" of a new value ("until the 8th"): a detail, not a condition."""
        if self.words.folded[self.marks[position].start] not in self.lexicon.spans:
            return False
        value = next((mark for mark in self.marks[position + 1 : position + 3] if mark.kinds), None)
        return value is not None and not self.is_echo(value)

    def _content(self, position: int, mark: Mark, *, asking: bool) -> None:
        before = self.marks[position - 1] if position else None
        if mark.tag is _WITHOUT:
            self._taking_away(position, mark)
        elif before is not None and self._leans_on(mark, before):
            return
        elif self.asked.rivals and self._stem(mark) in self.asked.rivals and not (asking and mark.tag is Tag.FACT):
            self.contradiction = "another of its kind"
        elif self.is_echo(mark):
            self.echoes.append(mark)
            if self.contradiction is None and (mark.kinds or not asking):
                self.contradiction = self._contradiction(position, mark)
        elif mark.kinds:
            (self.asked_about if asking else self.details).append(mark)
        elif not asking and not self._means_what_is_asked(position, mark):
            named = self.asked.names_deed or mark.tag is not _DEED
            (self.strangers if named else self.deeds).append(mark)

    def _leans_on(self, mark: Mark, before: Mark) -> bool:
        """Whether it says nothing beyond the word before it.

        What a number counts, the "one" of "the right one", the "choice" of "an excellent choice", "fine TO ME".
        """
        if mark.tag is _UNIT and before.values:
            return True
        if before.tag not in ASSENT or self.words.gaps[mark.start]:
            return False
        if mark.values == (1.0,):
            return True
        said = self.words.folded[mark.start : mark.end]
        return before.tag is _AGREE and (said in self.lexicon.judges or said[0] in self.lexicon.praised)

    def _taking_away(self, position: int, mark: Mark) -> None:
        taken = self.marks[position + 1] if position + 1 < len(self.marks) else None
        if taken is not None and self._stem(taken) in self.asked.without:
            return
        if taken is not None and self.is_echo(taken):
            self.contradiction = "it takes away what the question has"
        else:
            self.strangers.append(mark)

    def _contradiction(self, position: int, mark: Mark) -> str | None:
        """Why words of the question do not say what it says ("from Rome to Bern" of "from Bern to Rome")."""
        asked, words, lexicon = self.asked, self.words, self.lexicon
        stem = self._stem(mark)
        if asked.without and stem in asked.without and not is_taken_away(position, self.marks, words, lexicon):
            return "it has what the question takes away"
        bound = asked.bound.get(key_of(mark, words, lexicon))
        if bound is not None:
            binders = binders_before(mark, words, lexicon)
            nearest = binders[:1] if asked.binders.issuperset(binders[:1]) else []
            opposed = [one for one in binders if not lexicon.opposites.get(one, _NO_BINDER).isdisjoint(bound)]
            if not bound.issuperset((*nearest, *opposed)):
                return f"another value after {binders[0]!r}"
        if mark.values:
            return (
                self._another_role(mark) or self._another_number(position, mark) or self._out_of_order(position, mark)
            )
        if mark.start and words.folded[mark.start - 1] in lexicon.ones and 1 not in asked.counted.get(stem, {1}):
            return "one of them"
        return None

    def _another_role(self, mark: Mark) -> str | None:
        known = self.asked.roles
        role = role_before(mark, self.words, self.lexicon) if known and "number" not in mark.kinds else None
        roles = known.get(mark.values, frozenset())
        if role is None or role in roles:
            return None
        taken = any(role in others for others in known.values())
        return f"another value of {role!r}" if taken or not self.lexicon.roles[role].isdisjoint(roles) else None

    def _another_number(self, position: int, mark: Mark) -> str | None:
        asked, words = self.asked, self.words
        nouns = counted_by(position, self.marks, words, self.lexicon)
        numbers = [asked.counted[noun] for noun in nouns if noun in asked.counted]
        if numbers and not any(known.issuperset(mark.values) for known in numbers):
            return "another number of them"
        counts = asked.counts.get(mark.values)
        if nouns and counts is not None and counts.isdisjoint(nouns):
            return "as many of something else"
        half = half_after(mark, words, self.lexicon)
        if half is not None and half not in asked.halves.get(mark.values, (half,)):
            return "another half of the day"
        return None

    def _out_of_order(self, position: int, mark: Mark) -> str | None:
        """Days or clock times that stand the other way round in the question ("from the 11th to the 8th")."""
        place = self.asked.places.get(mark.values)
        for before in self.marks[:position] if place is not None else ():
            other = self.asked.places.get(before.values) if before.kinds == mark.kinds else None
            if place is not None and other is not None and place[1] < other[0]:
                return "the other way round"
        return None

    def _means_what_is_asked(self, position: int, mark: Mark) -> bool:
        """Whether a word that the question does not have stands for what it asks about.

        "Book THAT FLIGHT" (after a deed of the question, and pointed at), "THAT TIME works" (judged), "play the MOVIE".
        """
        before = self.words.folded[mark.start - 1] if mark.start else ""
        if mark.tag in self.asked.implied:
            return mark.tag is _DEED or before not in self.lexicon.ones
        pointed = before in self.lexicon.pointers
        if pointed:
            if mark.tag in _POINTED:
                return True
            deed = next((one for one in reversed(self.marks[: position - 1]) if one.tag not in SILENT), None)
            ends = position + 1 == len(self.marks) or self.words.gaps[self.marks[position + 1].start] != ""
            if ends and deed is not None and deed.tag in _WORDS and self.is_echo(deed):
                return True
        if self.words.folded[mark.start] in self.lexicon.matters and before not in self.lexicon.ones:
            return before in self.lexicon.articles or before in self.lexicon.binders or pointed
        if self._stem(mark) in self.lexicon.roles:
            value = next((one for one in self.marks[position + 1 :] if one.tag is not Tag.PLAIN), None)
            return value is not None and value.kinds != () and self.is_echo(value)
        whole = self.words.folded[mark.start] in self.lexicon.wholes
        fact = mark.tag is Tag.FACT and (before in self.lexicon.articles or before in self.lexicon.joints)
        if pointed or whole or fact:
            judged = next((one for one in self.marks[position + 1 :] if one.tag not in _UNJUDGED), None)
            return judged is not None and judged.tag in _JUDGEMENTS
        return False

    def _stem(self, mark: Mark) -> str:
        return self.lexicon.stem(self.words.folded[mark.start])
