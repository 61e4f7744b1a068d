"""What holds of every language pack."""

from functools import cache

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from voice_hitl.questions.model import Confirm
from voice_hitl.speech.interpret import Match, NoMatch, interpret
from voice_hitl.speech.languages import PACKS, pack_for
from voice_hitl.speech.languages.pack import LanguagePack, Phrases, phrases
from voice_hitl.speech.lexicon import folded
from voice_hitl.speech.words import split

every_pack = pytest.mark.parametrize("pack", PACKS.values(), ids=PACKS)
every_language = pytest.mark.parametrize("code", PACKS)
# No word of it is a word of any pack.
QUESTION = Confirm(prompt="Xyzzy?")


def value_of(utterance: str, pack: LanguagePack) -> object:
    reading = interpret(QUESTION, utterance, language=pack.code)
    return reading.value if isinstance(reading, Match) else None


def test_alternatives_are_written_out() -> None:
    assert phrases("not (now|yet), thanks( a lot|)") == ("not now", "not yet", "thanks a lot", "thanks")


def test_alternatives_do_not_nest() -> None:
    with pytest.raises(ValueError, match="do not nest"):
        phrases("not (now|what (I|you) said)")


@pytest.mark.parametrize(
    ("tag", "code"), [("en", "en"), ("en-GB", "en"), ("pt_BR", "pt"), ("FR", "fr"), ("de-AT", "de"), ("xx", "xx")]
)
def test_a_language_tag_finds_its_pack(tag: str, code: str) -> None:
    assert pack_for(tag).code == code


def test_a_language_without_a_pack_has_no_words() -> None:
    assert pack_for("xx") == LanguagePack(code="xx", speaks_numbers=False)


@every_pack
def test_every_assent_of_the_pack_is_a_yes(pack: LanguagePack) -> None:
    for phrase in (*pack.yes, *pack.goes, *pack.agree, *pack.acknowledges, *pack.harmless, *pack.clauses):
        assert value_of(phrase, pack) is True, phrase


@every_pack
def test_every_refusal_of_the_pack_is_a_no(pack: LanguagePack) -> None:
    for phrase in pack.no:
        reading = interpret(QUESTION, phrase, language=pack.code)
        assert reading == Match(False) or not isinstance(reading, Match | NoMatch), phrase


@every_pack
def test_what_is_undecided_is_never_a_yes(pack: LanguagePack) -> None:
    for phrase in (*pack.unsure, *pack.holds, *pack.none, *pack.closings, *pack.commands["never_mind"]):
        assert value_of(phrase, pack) is not True, phrase


@every_pack
def test_every_pack_has_every_list_that_answers_need(pack: LanguagePack) -> None:
    english = PACKS["en"]
    assert set(pack.prompts) == set(english.prompts)
    assert set(pack.commands) == set(english.commands)
    assert set(pack.kinds) == set(english.kinds)
    assert len(pack.months) == 12
    for name in ("harmless", "unsure", "no", "holds", "changes", "negations", "yes", "agree", "asks", "last", "none"):
        assert getattr(pack, name), name


def _has(words: tuple[str, ...], phrase: tuple[str, ...]) -> bool:
    return any(words[index : index + len(phrase)] == phrase for index in range(len(words)))


@cache
def _refusing(code: str) -> tuple[str, ...]:
    """The single words that forbid a yes."""
    pack = PACKS[code]
    words = (*pack.no, *pack.negations, *pack.changes, *pack.holds, *pack.unsure)
    return tuple(phrase for phrase in words if len(folded(pack, phrase)) == 1)


@cache
def _longer_phrases(code: str, refusing: str) -> tuple[tuple[str, ...], ...]:
    """The phrases of several words in which that word, which refuses by itself, may be harmless."""
    pack = PACKS[code]
    lists: tuple[Phrases, ...] = (pack.harmless, pack.yes, pack.goes, pack.agree, pack.acknowledges, pack.fillers)
    lists += (pack.closings, pack.plain, pack.tells, pack.asks, pack.inversions, *pack.kinds.values())
    found = (folded(pack, phrase) for words in lists for phrase in words)
    return tuple(phrase for phrase in found if len(phrase) > 1 and refusing in phrase)


@every_language
@given(data=st.data())
def test_no_utterance_with_a_negation_or_a_change_is_ever_a_yes(code: str, data: st.DataObject) -> None:
    pack = PACKS[code]
    hard = data.draw(st.sampled_from(_refusing(code)), "hard")
    around = st.sampled_from((*pack.yes, *pack.goes, *pack.agree, *pack.fillers, *pack.plain, "Xyzzy"))
    before = data.draw(st.lists(around, max_size=4), "before")
    after = data.draw(st.lists(around, max_size=4), "after")
    utterance = data.draw(st.sampled_from((" ", ", ", ". ")), "between").join([*before, hard, *after])
    said = split(utterance, elides=pack.elides).folded
    assume(not any(_has(said, phrase) for phrase in _longer_phrases(code, folded(pack, hard)[0])))
    assert value_of(utterance, pack) is not True


@every_language
@given(data=st.data())
def test_whatever_words_of_a_pack_are_put_together_something_comes_out(code: str, data: st.DataObject) -> None:
    pack = PACKS[code]
    every = (*pack.no, *pack.yes, *pack.asks, *pack.conditions, *pack.halts, *pack.alters, *pack.without, *pack.facts)
    words = data.draw(st.lists(st.sampled_from((*every, *pack.units, *pack.things, "3", "7:30", "?", ".", "Xyzzy"))))
    interpret(QUESTION, " ".join(words), language=code)
