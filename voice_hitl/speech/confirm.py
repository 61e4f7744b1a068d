"""Yes or no. A doubtful yes is never a yes.

The order of the rules is the safety: what refuses comes first, then what forbids a yes, and only what is left,
accounted for word by word, may be one.
"""

from voice_hitl.questions.model import Approval, Confirm
from voice_hitl.speech.asked import asked_by
from voice_hitl.speech.heard import OBSTACLES, SILENT, Heard
from voice_hitl.speech.lexicon import Lexicon, Tag
from voice_hitl.speech.marks import Mark
from voice_hitl.speech.reading import Match, NoMatch
from voice_hitl.speech.taken_up import taken_up
from voice_hitl.speech.words import Words

_CLEAR = frozenset({Tag.YES, Tag.GO})
# A few words beyond the detail are bearable ("I ENJOY travelling in economy"); a story is not.
_STRANGERS = 3
_NOUNS = frozenset({Tag.OTHER, Tag.UNIT, Tag.FACT, Tag.THING})
_UNDECIDED = frozenset({Tag.HOLD, Tag.UNSURE})
_OWN_WORDS = 3
"""From so many words on, a piece of the question is taken for our own voice, whatever it says."""


def read_confirm(question: Confirm | Approval, words: Words, marks: list[Mark], lexicon: Lexicon) -> Match | NoMatch:
    """Read a reply to a question that wants a yes or a no; the value of the match is a bool."""
    if not words.folded:
        return NoMatch(rule="nothing was said")
    heard = Heard(words, marks, asked_by(question, lexicon.pack.code), lexicon)
    heard.sort()
    if not heard.assents and question.risk != "high":
        heard.assents += taken_up(heard)
    return _refusal(heard) or _no_assent(heard) or _assent(question, heard)


def _refusal(heard: Heard) -> Match | NoMatch | None:
    if heard.refusals:
        return _refused(heard)
    halts = [mark for mark in heard.obstacles if mark.tag is Tag.HALT]
    if halts and not heard.assents and heard.question is None:
        return _halted(halts[0], heard)
    beyond = (*heard.assents, *heard.obstacles, *heard.strangers, *heard.details, *heard.deeds, *heard.echoes)
    if heard.closings and not beyond and heard.question is None:
        return Match(False, rule="ends it without a yes")
    return None


def _refused(heard: Heard) -> Match | NoMatch:
    """No wins, but where a yes follows it, or where a yes stands before a no to something in particular."""
    words = heard.words
    refusal = heard.refusals[0]
    # "Don't do it" has no yes in it; "no. Go ahead" has.
    yeses = [m for m in heard.assents if m.tag is Tag.YES or (m.tag is Tag.GO and words.gaps[m.start])]
    beyond = [m for m in (*heard.strangers, *heard.details, *heard.deeds, *heard.echoes) if m.start >= refusal.end]
    if any(mark.start > refusal.start for mark in yeses):
        return NoMatch(rule="no and yes")
    if yeses and beyond:
        return NoMatch(rule="yes, and a no to something in it")
    asks = heard.question is not None and heard.question >= refusal.end
    remainder = words.since(refusal.end) if beyond or asks else None
    return Match(False, remainder, rule=f"no: {words.between(refusal.start, refusal.end)!r}")


def _halted(halt: Mark, heard: Heard) -> Match | NoMatch:
    """Whether it refuses: "stop" and "cancel it" do; "stop the music" and "cancel meeting" are about something else."""
    words = heard.words
    said_of = (mark for mark in heard.marks if mark.tag not in SILENT and mark.tag not in OBSTACLES)
    if any(not heard.lexicon.halted.issuperset(words.folded[m.start : m.end]) for m in said_of):
        return NoMatch(rule="aside: stops something")
    return Match(False, rule=f"no: {words.between(halt.start, halt.end)!r}")


def _no_assent(heard: Heard) -> NoMatch | None:
    words = heard.words
    if heard.obstacles:
        mark = next((mark for mark in heard.obstacles if mark.tag not in _UNDECIDED), heard.obstacles[0])
        why = f"{mark.tag.name.lower()}: {words.between(mark.start, mark.end)!r}"
        return NoMatch(rule=why if mark.tag in _UNDECIDED else f"aside: {why}")
    if not heard.assents:
        return NoMatch(rule=_neither(heard))
    if all(mark.end - 1 in words.asked for mark in heard.assents):
        return NoMatch(rule="a yes that asks")
    if heard.question is None and words.folded[-1] in heard.lexicon.unfinished and heard.marks[-1].tag in SILENT:
        return NoMatch(rule="cut off")
    clear = not _CLEAR.isdisjoint(mark.tag for mark in heard.assents)
    if not clear and all(_judges_a_part(mark, heard) for mark in heard.assents):
        return NoMatch(rule="judges a part of it")
    if heard.closings and not clear:
        return NoMatch(rule="ends it, and no clear yes")
    if heard.asked.offers and all(_is_tepid(mark, heard) for mark in heard.assents):
        return NoMatch(rule="may decline an offer")
    if len(words.folded) >= _OWN_WORDS and f" {' '.join(words.folded)} " in heard.asked.run:
        return NoMatch(rule="the question's own words")
    if heard.contradiction is not None:
        return NoMatch(rule=f"aside: a change: {heard.contradiction}")
    return None


def _judges_a_part(assent: Mark, heard: Heard) -> bool:
    """Whether one of several things is judged and the rest is not: "the hotel is right", of a hotel and a day."""
    if heard.asked.open:
        return False
    before = [mark for mark in heard.marks if mark.end <= assent.start]
    subject = next((mark for mark in reversed(before) if mark.tag not in SILENT), None)
    if subject is None or subject.tag not in _NOUNS or not subject.start:
        return False
    words = heard.words
    return words.folded[subject.start - 1] in heard.lexicon.articles and not any(
        words.gaps[subject.end : assent.start + 1]
    )


def _is_tepid(mark: Mark, heard: Heard) -> bool:
    """Whether it may as well decline: "that's okay", nothing said of with whom."""
    folded, end = heard.words.folded, mark.end
    said = folded[max(0, end - 3) : end], folded[max(0, end - 2) : end]
    return not heard.lexicon.tepid.isdisjoint(said) and (end == len(folded) or heard.words.gaps[end] != "")


def _neither(heard: Heard) -> str:
    if heard.question is not None:
        return "aside: a question"
    something = (*heard.strangers, *heard.details, *heard.deeds, *heard.echoes)
    return "aside: neither yes nor no" if something else "neither yes nor no"


def _assent(question: Confirm | Approval, heard: Heard) -> Match | NoMatch:
    words = heard.words
    if heard.strangers and not heard.details:
        mark = heard.strangers[0]
        return NoMatch(rule=f"aside: yes, and something new: {words.between(mark.start, mark.end)!r}")
    values = (*heard.details, *heard.asked_about)
    if any(not heard.asked.kinds.isdisjoint(mark.kinds) for mark in values):
        return NoMatch(rule="aside: a change: another value of a kind that the question names")
    if not heard.asked.open and any(mark.kinds in (("day",), ("time",)) for mark in heard.asked_about):
        return NoMatch(rule="aside: asks for another day or time")
    if heard.details or heard.deeds:
        return _with_a_detail(question, heard)
    if heard.question is not None:
        if question.risk == "high" or all(mark.tag is Tag.ACKNOWLEDGE for mark in heard.assents):
            return NoMatch(rule="aside: a question")
        return Match(True, words.since(heard.question), rule="yes, and a question")
    return Match(True, rule=f"yes: {words.between(heard.assents[0].start, heard.assents[0].end)!r}")


def _with_a_detail(question: Confirm | Approval, heard: Heard) -> Match | NoMatch:
    if isinstance(question, Approval) or question.risk == "high":
        return NoMatch(rule="aside: a change: a detail that was not asked about")
    if _CLEAR.isdisjoint(mark.tag for mark in heard.assents):
        return NoMatch(rule="aside: a detail, and no clear yes")
    if not heard.deeds and all(mark.kinds == ("name",) for mark in heard.details):
        return NoMatch(rule="aside: for somebody whom the question does not name")
    if any(_wants_something_else(mark, heard) for mark in heard.strangers):
        return NoMatch(rule="aside: yes, and something else is wanted")
    if heard.strangers and ("name" in heard.asked.kinds or len(heard.strangers) > _STRANGERS):
        return NoMatch(rule="aside: yes, and something new beside a detail")
    return Match(True, _said_beside(heard), rule="yes, and a detail")


def _wants_something_else(stranger: Mark, heard: Heard) -> bool:
    """Whether it is a thing, a search, or what is to be done: "ASK me on friday", "a BASEBALL game"."""
    folded, lexicon, start = heard.words.folded, heard.lexicon, stranger.start
    if stranger.tag is Tag.THING or folded[start] in lexicon.searches:
        return True
    if any(mark.tag is Tag.THING and mark.start == stranger.end for mark in heard.marks):
        return True
    if heard.words.gaps[start] or folded[start - 1] in lexicon.joints or any(m.end == start for m in heard.assents):
        return True
    return any(folded[max(0, start - len(phrase)) : start] == phrase for phrase in lexicon.tells_to)


def _said_beside(heard: Heard) -> str | None:
    """What was said beside the assent, from the clause that the first new thing stands in."""
    first = min(mark.start for mark in (*heard.details, *heard.deeds, *heard.strangers))
    if heard.question is not None:
        first = min(first, heard.question)
    start = min((mark.end for mark in heard.assents if mark.end <= first), default=0)
    while start < first and any(heard.words.gaps[start + 1 : first + 1]):
        start += 1
    return heard.words.since(start)
