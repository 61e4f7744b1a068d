"""Values in words."""

import pytest

from voice_hitl.speech.languages import PACKS
from voice_hitl.speech.values import Values, fields_of, filled, readable, says, titles_of

ENGLISH = Values(PACKS["en"].prompts, PACKS["en"])
GERMAN = Values(PACKS["de"].prompts, PACKS["de"])


@pytest.mark.parametrize(
    ("value", "english", "german"),
    [
        (500, "500", "500"),
        (12.5, "12.5", "12,5"),
        (True, "yes", "ja"),
        (False, "no", "nein"),
        (None, "nothing", "nichts"),
        ("", "nothing", "nichts"),
        ("Ann Lee", "Ann Lee", "Ann Lee"),
        ("2026-03-05", "March 5", "5. März"),
        ("2026-13-05", "2026-13-05", "2026-13-05"),
    ],
)
def test_a_scalar_is_said_in_the_language(value: object, english: str, german: str) -> None:
    assert ENGLISH.spoken(value) == english
    assert GERMAN.spoken(value) == german


def test_what_has_parts_is_not_said_by_itself() -> None:
    assert ENGLISH.spoken([1]) is None
    assert ENGLISH.spoken({"a": 1}) is None
    assert ENGLISH.named({"items": [1]}) is None


def test_a_list_of_scalars_may_be_listed() -> None:
    assert ENGLISH.listed([1, 2, 3]) == "1, 2 and 3"
    assert ENGLISH.listed(["a"]) == "a"
    assert ENGLISH.listed("a") == "a"
    assert ENGLISH.listed([]) is None
    assert ENGLISH.listed([1, [2]]) is None
    assert GERMAN.joined(["a", "b"]) == "a und b"


def test_values_are_named_unless_they_are_said_already() -> None:
    assert ENGLISH.named({"amount": 500, "to_name": "Ann"}) == ["Amount: 500.", "To name: Ann."]
    assert ENGLISH.named({"amount": 500, "to": "Ann"}, said="Send 500 to Bob?") == ["To: Ann."]
    assert ENGLISH.named({"amount": 500}, titles={"amount": "Sum"}) == ["Sum: 500."]


def test_a_template_names_values_at_any_depth() -> None:
    arguments = {"to": "Ann", "order": {"total": 5, "lines": ["a", "b"]}}
    assert ENGLISH.in_template("Pay {order.total} to {to} for {order.lines}", arguments) == "Pay 5 to Ann for a and b"
    assert ENGLISH.in_template("Pay {order}", arguments) is None
    assert ENGLISH.in_template("Pay {order.tax}", arguments) is None
    assert ENGLISH.in_template("Pay {to.name}", arguments) is None
    assert ENGLISH.in_template("Pay it", arguments) == "Pay it"


def test_a_brace_in_a_value_stays_a_brace() -> None:
    assert filled("{a} and {b}", {"a": "{b}", "b": 1}) == "{b} and 1"
    assert filled("{a}", {}) == "{a}"
    assert fields_of("{a} {b.c}") == ["a", "b.c"]


def test_names_are_said_as_words() -> None:
    assert readable("refund_order") == readable("refundOrder") == readable("refund-order") == "Refund order"


def test_titles_come_from_the_schema() -> None:
    assert titles_of({"properties": {"a": {"title": "Sum"}, "b": {"title": 3}, "c": True}}) == {"a": "Sum"}
    assert titles_of({"properties": True}) == {}
    assert titles_of({}) == {}
    assert titles_of(None) == {}


def test_words_are_found_in_their_order() -> None:
    assert says("Send 500 dollars to Ann.", "500 Dollars")
    assert not says("Send 500 dollars to Ann.", "Ann 500")
