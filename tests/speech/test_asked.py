"""What a question already says."""

from voice_hitl.questions.model import Approval, Confirm
from voice_hitl.speech.asked import asked_by
from voice_hitl.speech.lexicon import Tag, lexicon_for


def test_a_question_names_values_and_what_they_are_about() -> None:
    asked = asked_by(Confirm(prompt="Book a table for two people at seven on March 5th?"), "en")
    assert {("number", (2.0,)), ("time", (7.0,)), ("day", (5.0,))} <= asked.values
    assert {"number", "time", "day"} <= asked.kinds
    assert "name" not in asked.kinds


def test_a_capital_inside_a_sentence_is_a_name() -> None:
    assert "name" in asked_by(Confirm(prompt="Shall I call Susan?"), "en").kinds
    assert "name" not in asked_by(Confirm(prompt="Whirligigs. Whirligigs?"), "en").kinds


def test_values_are_bound_to_their_prepositions() -> None:
    asked = asked_by(Confirm(prompt="Move it from the savings to checking?"), "en")
    assert asked.bound[lexicon_for("en").stem("savings")] == {"from"}
    assert {"from", "to"} <= asked.binders


def test_numbers_count_nouns() -> None:
    asked = asked_by(Confirm(prompt="Buy 2 whirligigs?"), "en")
    assert asked.counted["whirligig"] == {2.0}


def test_what_is_taken_away_is_known() -> None:
    assert asked_by(Confirm(prompt="Play it without subtitles?"), "en").without == {"subtitl"}


def test_an_iso_day_is_read_as_it_is_said() -> None:
    asked = asked_by(Confirm(prompt="Shall I?", details={"day": "2026-03-05"}), "en")
    assert ("day", (5.0,)) in asked.values
    assert asked_by(Confirm(prompt="Shall I?", details={"day": "2026-13-05"}), "en").kinds


def test_a_reply_may_name_what_the_question_implies() -> None:
    assert asked_by(Confirm(prompt="Please confirm Delta at seven."), "en").implied == {Tag.THING, Tag.DEED}
    assert asked_by(Confirm(prompt="Book a table?"), "en").implied == frozenset()


def test_an_approval_is_its_tool_and_its_arguments() -> None:
    asked = asked_by(Approval(tool="refund_order", arguments={"to": "Ann"}, digest="d"), "en")
    assert {lexicon_for("en").stem(word) for word in ("refund", "order", "ann")} <= asked.stems


def test_a_question_is_read_once() -> None:
    question = Confirm(prompt="Book it?", details={"for": [1, 2]})
    assert asked_by(question, "en") is asked_by(Confirm(prompt="Book it?", details={"for": [1, 2]}), "en")
