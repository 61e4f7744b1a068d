"""What binds an approval to exactly one call."""

import math
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.questions.digest import digest

arguments = st.dictionaries(
    st.text(),
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=6,
    ),
    max_size=4,
)


def test_it_is_the_sha_256_of_the_canonical_json() -> None:
    # echo -n '{"arguments":{"a":"\u00e9","b":[1,2.5]},"tool":"refund"}' | sha256sum
    assert (
        digest("refund", {"b": [1, 2.5], "a": "é"})
        == "b2b497cbe59eb5eef50c16dd7c906e05411caea6ac2a61695064d27e78f1b936"
    )


@given(arguments)
def test_the_order_of_members_does_not_matter(call: dict[str, object]) -> None:
    assert digest("t", call) == digest("t", dict(reversed(call.items())))


@given(arguments, arguments)
def test_other_arguments_have_another_digest(one: dict[str, object], other: dict[str, object]) -> None:
    # As JSON true is not 1, though Python calls them equal.
    assert (digest("t", one) == digest("t", other)) == (repr_of(one) == repr_of(other))


def repr_of(value: object) -> str:
    if isinstance(value, dict):
        members = cast("dict[str, object]", value)
        return str(sorted((key, repr_of(inner)) for key, inner in members.items()))
    if isinstance(value, list):
        return str([repr_of(inner) for inner in cast("list[object]", value)])
    return repr(value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 5}, {"a": "5"}),
        ({"a": 5}, {"a": 5.0}),
        ({"a": 1}, {"a": True}),
        ({"a": "é"}, {"a": "e\u0301"}),
        ({}, {"a": None}),
    ],
)
def test_near_twins_are_told_apart(one: dict[str, object], other: dict[str, object]) -> None:
    assert digest("t", one) != digest("t", other)


def test_the_tool_counts() -> None:
    assert digest("refund", {}) != digest("charge", {})


@pytest.mark.parametrize("value", [math.nan, {1}, "\ud800", {1: 2}])
def test_what_is_not_json_cannot_be_approved(value: object) -> None:
    with pytest.raises(ValueError, match="the arguments of refund are not JSON"):
        digest("refund", {"a": value})
