"""A pack as tables."""

from voice_hitl.speech.lexicon import Entry, Tag, lexicon_for


def test_inflections_are_one_word() -> None:
    english = lexicon_for("en")
    assert english.stem("booked") == english.stem("bookings") == english.stem("book") == "book"
    assert english.stem("is") == "is"


def test_short_forms_are_known_written_out() -> None:
    english = lexicon_for("en")
    for said in (("that", "is", "all"), ("thats", "all")):
        assert english.anywhere.at(said, 0) == (Entry(Tag.CLOSING), len(said))


def test_words_that_mean_the_same_are_kin_one_step_far() -> None:
    english = lexicon_for("en")
    table, ticket = english.stem("table"), english.stem("tickets")
    assert {table, ticket} <= english.kin[english.stem("reservation")]
    assert ticket not in english.kin[table]


def test_what_forbids_a_yes_comes_before_what_makes_one() -> None:
    assert lexicon_for("de").anywhere.word("problem") == Entry(Tag.CHANGE)
    assert lexicon_for("en").anywhere.word("refuse") == Entry(Tag.NO)
    assert lexicon_for("en").anywhere.word("xyzzy") is None


def test_a_phrase_that_is_cut_off_is_the_shorter_one() -> None:
    english = lexicon_for("en")
    assert english.anywhere.at(("yes", "go", "ahead"), 1) == (Entry(Tag.GO), 3)
    assert english.anywhere.at(("yes", "go", "right"), 1) == (Entry(Tag.PLAIN), 2)


def test_a_language_without_a_pack_knows_no_words() -> None:
    unknown = lexicon_for("xx")
    assert not unknown.anywhere.first
    assert unknown.anywhere.at(("yes",), 0) is None
    assert unknown.stem("booked") == "booked"
