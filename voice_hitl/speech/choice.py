"""One of some options, or several."""

from collections.abc import Collection
from dataclasses import dataclass

from voice_hitl.questions.model import Choice
from voice_hitl.speech.labels import Mention, labels_of, mentions
from voice_hitl.speech.lexicon import Lexicon, PhraseSet, Tag
from voice_hitl.speech.marks import Mark
from voice_hitl.speech.reading import Command, Match, NoMatch, Reading
from voice_hitl.speech.words import Words

# A word of a label in a long story names nothing; a whole label in it may.
_STRANGERS_BESIDE_A_PART = 3
_STRANGERS_BESIDE_A_LABEL = 8
_QUESTIONS = frozenset({Tag.ASK, Tag.TELL})
_WEIGHTLESS = frozenset(
    {
        *(Tag.YES, Tag.GO, Tag.AGREE, Tag.ACKNOWLEDGE, Tag.NO, Tag.CHANGE, Tag.NEGATION, Tag.WITHOUT),
        *(Tag.FILLER, Tag.PLAIN, Tag.CLOSING),
    }
)


@dataclass(frozen=True, slots=True)
class _Reply:
    """A reply to a choice: its words, and the options that it names, in the order they were said."""

    question: Choice
    words: Words
    marks: list[Mark]
    lexicon: Lexicon
    named: list[Mention]

    def inside(self) -> set[int]:
        """The words that name an option."""
        return {index for mention in self.named for index in range(mention.start, mention.end)}

    def strangers(self) -> list[Mark]:
        """What has weight and names no option."""
        inside = self.inside()
        ends = {mention.end for mention in self.named}
        counted = {mention.end for mention in self.named if mention.counted}
        return [
            mark
            for mark in self.marks
            if mark.tag not in _WEIGHTLESS
            and inside.isdisjoint(range(mark.start, mark.end))
            # The "one" of "the red one" counts nothing, the "nights" of "three nights" say nothing more.
            and not (mark.start in ends and mark.values == (1.0,))
            and not (mark.start in ends - counted and mark.tag is Tag.UNIT)
        ]

    def says(self, phrases: PhraseSet) -> bool:
        """Whether one of these phrases was said, outside of what names an option."""
        inside = self.inside()
        folded = self.words.folded
        return any(
            folded[index : index + len(phrase)] == phrase
            for phrase in phrases
            for index in range(len(folded))
            if index not in inside
        )

    def labels(self, options: Collection[int]) -> tuple[str, ...]:
        """The labels of these options, as the question has them."""
        return tuple(self.question.options[index].label for index in sorted(options))

    def everything(self) -> set[int]:
        """All the options."""
        return set(range(len(self.question.options)))


def read_choice(question: Choice, words: Words, marks: list[Mark], lexicon: Lexicon) -> Reading:
    """Read a reply to a choice; the match has the value of the option, or a list of them in the question's order."""
    labels = labels_of(question.options, lexicon.pack.code)
    reply = _Reply(question, words, marks, lexicon, mentions(words, labels, lexicon))
    spelled = labels.spelled.get(words.folded, ())
    if len(spelled) == 1:
        return _chosen(question, spelled, None, "its label")
    if spelled:
        return NoMatch(reply.labels(spelled), rule="labels that sound the same: by number")
    asked = next((mark.start for mark in marks if mark.tag in _QUESTIONS), len(words.folded))
    named = reply.named
    if not named or named[0].start > asked or (words.asked and not named[0].whole):
        return _without_a_label(reply)
    if all(mention.counted for mention in named) and _is_a_story(reply):
        return NoMatch(rule="aside: a number in something longer")
    taken, refused = _sides(reply)
    if refused and not taken:
        return _the_rest(reply, refused)
    return _named(reply, taken)


def _is_a_story(reply: _Reply) -> bool:
    """Whether something else is said beside a bare number ("I have TWO kids"): a place stands by itself."""
    return any(reply.words.folded[mark.start] not in reply.lexicon.placers for mark in reply.strangers())


def _named(reply: _Reply, taken: list[Mention]) -> Match | NoMatch:
    options = {mention.option for mention in taken}
    if reply.says(reply.lexicon.either):
        return NoMatch(reply.labels(options), rule="one or the other")
    if len(options) > 1 and not reply.question.multi:
        return NoMatch(reply.labels(options), rule="more than one")
    strangers = reply.strangers()
    whole = all(mention.whole for mention in taken)
    if len(strangers) > (_STRANGERS_BESIDE_A_LABEL if whole else _STRANGERS_BESIDE_A_PART):
        return NoMatch(reply.labels(options), rule="aside: a label in something longer")
    end = reply.named[-1].end
    remainder = reply.words.since(end) if any(mark.start >= end for mark in strangers) else None
    return _chosen(reply.question, options, remainder, "its label" if whole else "doubt: a word of its label")


def _chosen(question: Choice, options: Collection[int], remainder: str | None, rule: str) -> Match:
    values = [question.options[index].value for index in sorted(options)]
    return Match(values if question.multi else values[0], remainder, rule=rule)


def _sides(reply: _Reply) -> tuple[list[Mention], list[Mention]]:
    """What is to be taken and what is to be left ("not the red one"; "red, no, blue" leaves red)."""
    words, lexicon = reply.words, reply.lexicon
    taken: list[Mention] = []
    refused: list[Mention] = []
    last = 0
    apart = False
    for mention in reply.named:
        between = words.folded[last : mention.start]
        if taken and _has(between, lexicon.corrections):
            refused += taken
            taken = []
            apart = False
        elif _has(between, lexicon.apart_from):
            apart = True
        elif not _has(between, lexicon.joins) and any(words.gaps[last : mention.start + 1]):
            apart = False
        (refused if apart else taken).append(mention)
        last = mention.end
    left = {mention.option for mention in refused}
    return [mention for mention in taken if mention.option not in left], refused


def _has(between: tuple[str, ...], phrases: PhraseSet) -> bool:
    return any(between[index : index + len(phrase)] == phrase for phrase in phrases for index in range(len(between)))


def _the_rest(reply: _Reply, refused: list[Mention]) -> Match | NoMatch:
    """Only what to leave was named: "all except the second" takes the others, "not the red one" only narrows."""
    rest = reply.everything() - {mention.option for mention in refused}
    if reply.question.multi and rest and reply.says(reply.lexicon.every):
        return _chosen(reply.question, rest, None, "all but what was named")
    return NoMatch(reply.labels(rest), rule="what it is not")


def _without_a_label(reply: _Reply) -> Reading:
    question, lexicon = reply.question, reply.lexicon
    everything = reply.everything()
    if _only(reply, lexicon.none):
        if question.free_text:
            return Match(reply.words.text.strip(), rule="none of them, in their own words")
        return Command("never_mind", rule="none of them")
    if (len(everything) == 2 and _only(reply, lexicon.both)) or _only(reply, lexicon.every):
        if question.multi:
            return _chosen(question, everything, None, "all of them")
        return NoMatch(reply.labels(everything), rule="more than one")
    asks = bool(reply.words.asked) or any(mark.tag in _QUESTIONS for mark in reply.marks)
    if question.free_text and not asks and any(mark.tag not in _WEIGHTLESS for mark in reply.marks):
        return Match(reply.words.text.strip(), rule="their own words")
    return NoMatch(rule="aside: a question" if asks else "aside: none of the options")


def _only(reply: _Reply, phrases: PhraseSet) -> bool:
    """Whether one of these phrases was said, and nothing else of weight."""
    folded = reply.words.folded
    for phrase in phrases:
        for index in range(len(folded) - len(phrase) + 1):
            if folded[index : index + len(phrase)] == phrase:
                inside = set(range(index, index + len(phrase)))
                rest = (mark for mark in reply.marks if inside.isdisjoint(range(mark.start, mark.end)))
                if all(mark.tag in _WEIGHTLESS for mark in rest):
                    return True
    return False
