"""What of Python's values is JSON."""

import json
import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.questions.json_value import MAX_DEPTH, json_fault

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(json_values)
def test_whatever_json_gives_is_json(value: object) -> None:
    assert json_fault(value) is None
    assert json_fault(json.loads(json.dumps(value))) is None


def test_tuples_are_arrays() -> None:
    assert json_fault((1, ("a", None))) is None


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (math.nan, "nan"),
        (math.inf, "inf"),
        ({"a": [1, -math.inf]}, "-inf"),
        ({"a": {1: "x"}}, "a key that is a int"),
        ({"\ud800": 1}, "text with half of a surrogate pair"),
        (["\udfff"], "text with half of a surrogate pair"),
        (2**1024, "an integer too large for a double"),
        ({"at": datetime(2026, 1, 1, tzinfo=UTC)}, "a datetime"),
        ({"b": b"x"}, "a bytes"),
        ([{1, 2}], "a set"),
    ],
)
def test_anything_else_is_named(value: object, fault: str) -> None:
    assert json_fault(value) == fault


def nested(levels: int) -> object:
    value: object = 1
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


def test_nesting_is_bounded_at_64_levels() -> None:
    assert json_fault(nested(MAX_DEPTH)) is None
    assert json_fault(nested(MAX_DEPTH + 1)) == "nesting of more than 64 levels"
    assert json_fault(nested(MAX_DEPTH + 2)) == "nesting of more than 64 levels"
    assert json_fault(nested(100_000)) == "nesting of more than 64 levels"


def test_a_value_that_holds_itself_is_not_json() -> None:
    value: list[object] = []
    value.append(value)
    assert json_fault(value) == "nesting of more than 64 levels"
