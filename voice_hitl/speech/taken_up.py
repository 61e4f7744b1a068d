"""A reply that takes the question up in its own words: "Book it", "I'd like to make the reservation", "We'll take it".

No word of it means yes by itself; that it tells to do just what was asked does. So nothing may stand in it that the
question does not say, and the question must be a plain one: "play it" of "Shall I stop playing it?" is no yes.
"""

from voice_hitl.speech.heard import SILENT, Heard
from voice_hitl.speech.lexicon import PhraseSet, Tag
from voice_hitl.speech.marks import Mark


def taken_up(heard: Heard) -> list[Mark]:
    """What stands for a yes in it, as a mark that tells to do it; nothing where it tells something else."""
    beyond = (heard.refusals, heard.obstacles, heard.closings, heard.strangers, heard.deeds)
    words = heard.words
    if heard.details and not heard.asked.open:
        return []
    if any(beyond) or heard.question is not None or not heard.asked.straight:
        return []
    if words.asked and words.folded[0] not in heard.lexicon.requests:
        return []
    if not heard.lexicon.past.isdisjoint(words.raw):
        return []
    start = next((mark.start for mark in heard.marks if mark.tag is not Tag.FILLER), len(words.folded))
    end = _told(start, heard)
    return [] if end is None else [Mark(Tag.GO, start, end)]


def _told(start: int, heard: Heard) -> int | None:
    """Where the words end that tell to do it: "book", "I want to make", "I'll take"."""
    folded, lexicon = heard.words.folded, heard.lexicon
    index = _after(start, heard, lexicon.tells_to)
    if index < len(folded):
        verb = folded[index]
        done = verb in lexicon.deeds or verb in lexicon.performs
        named = lexicon.stem(verb) in heard.asked.stems or Tag.DEED in heard.asked.implied
        if heard.details:  # "see it tomorrow" of "Shall I get tickets?" may be about another deed
            named = f" {verb} " in heard.asked.run
        if done and _names_it(index + 1, heard, or_it=named and verb in lexicon.deeds):
            return index + 1
    taken = _after(index, heard, lexicon.takes)
    if taken == index or (taken < len(folded) and folded[taken] in lexicon.binders):
        return None
    return taken if _names_it(taken, heard, or_it=False) else None


def _after(index: int, heard: Heard, phrases: PhraseSet) -> int:
    """The word after those phrases, as many as stand there."""
    folded = heard.words.folded
    while length := max(
        (len(phrase) for phrase in phrases if folded[index : index + len(phrase)] == phrase), default=0
    ):
        index += length
    return index


def _names_it(index: int, heard: Heard, *, or_it: bool) -> bool:
    """Whether the thing of the question follows, or what stands for it."""
    lexicon = heard.lexicon
    if index >= len(heard.words.folded) or heard.words.gaps[index]:
        return False
    if heard.words.folded[index] in lexicon.it:
        if or_it:
            return True
        if heard.words.folded[index] not in lexicon.pointers:  # "make it a rental car" makes something else of it
            return False
    things = (mark for mark in heard.marks if mark.start >= index and mark.tag not in SILENT and not mark.kinds)
    thing = next(things, None)
    return thing is not None and (thing in heard.echoes or thing.tag in heard.asked.implied)
