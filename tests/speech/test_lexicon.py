"""A pack as tables."""

from voice_hitl.speech.lexicon import Tag, lexicon_for


def test_inflections_are_one_word() -> None:
    english = lexicon_for("en")
    assert english.stem("booked") == english.stem("bookings") == english.stem("book") == "book"
    assert english.stem("is") == "is"


def test_short_forms_are_known_written_out() -> None:
    english = lexicon_for("en")
    assert ("that", "is", "all") in english.anywhere.longer
    assert ("thats", "all") in english.anywhere.longer


def test_words_that_mean_the_same_are_kin_one_step_far() -> None:
    english = lexicon_for("en")
    table, ticket = english.stem("table"), english.stem("tickets")
    assert {table, ticket} <= english.kin[english.stem("reservation")]
    assert ticket not in english.kin[table]


def test_what_forbids_a_yes_comes_before_what_makes_one() -> None:
    assert lexicon_for("de").anywhere.single["problem"].tag is Tag.CHANGE
    assert lexicon_for("en").anywhere.single["refuse"].tag is Tag.NO


def test_a_language_without_a_pack_knows_no_words() -> None:
    unknown = lexicon_for("xx")
    assert not unknown.anywhere.single
    assert unknown.anywhere.at(("yes",), 0) is None
    assert unknown.stem("booked") == "booked"
