"""A call's arguments: read, repaired, validated."""

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.errors import InvalidArguments
from voice_hitl.tools.schema import MAX_ARGUMENTS, CompiledSchema, read_arguments

TRANSFER: dict[str, object] = {
    "type": "object",
    "properties": {"amount": {"type": "number", "minimum": 0}, "to": {"type": "string"}},
    "required": ["amount", "to"],
    "additionalProperties": False,
}

# --- reading ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("raw", [None, "", "  \n", "null", " null ", "{}", {}])
def test_nothing_is_no_arguments(raw: str | Mapping[str, object] | None) -> None:
    assert read_arguments(raw) == {}


def test_an_object_is_read_from_text_or_taken_as_a_copy() -> None:
    assert read_arguments(' {"amount": 500, "to": "Ann \\u00e9"} ') == {"amount": 500, "to": "Ann é"}
    given_arguments: dict[str, object] = {"amount": 500}
    read = read_arguments(given_arguments)
    assert read == given_arguments
    assert read is not given_arguments
    assert type(read_arguments(MappingProxyType({"a": 1}))) is dict


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ('{"question":"Do', "they are not JSON"),
        ('{"a": 1}x', "they are not JSON"),
        ("{'a': 1}", "they are not JSON"),
        ('{"a": NaN}', "they are not JSON"),
        ('{"a": -Infinity}', "they are not JSON"),
        ('{"a": 1e999}', "there is inf in them"),
        ('{"a": "\\ud800"}', "they are not JSON"),
        ('{"a": "\ud800"}', "they are not JSON"),
        ("[1]", "must be a JSON object"),
        ('"{}"', "must be a JSON object"),
        ("3", "must be a JSON object"),
        ("true", "must be a JSON object"),
        ('{"a": 1' + "0" * 400 + "}", "an integer too large"),
        ('{"a":' * 100 + "1" + "}" * 100, "nesting of more than 64 levels"),
        ('{"a":' * 50_000, "they are not JSON"),
        (" " * (MAX_ARGUMENTS + 1), "characters long: at most"),
    ],
)
def test_text_that_is_no_object_is_unreadable(raw: str, why: str) -> None:
    with pytest.raises(InvalidArguments, match=why):
        read_arguments(raw)


@pytest.mark.parametrize("value", [math.nan, math.inf, {1: 2}, {1}, "\ud800", datetime(2026, 1, 1, tzinfo=UTC)])
def test_an_object_with_anything_but_json_in_it_is_unreadable(value: object) -> None:
    with pytest.raises(InvalidArguments, match="they must be JSON"):
        read_arguments({"a": value})


objects = st.dictionaries(
    st.text(),
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**60), 2**60)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=6,
    ),
    max_size=4,
)


@given(objects)
def test_whatever_a_json_writer_writes_is_read_back(arguments: dict[str, object]) -> None:
    assert read_arguments(json.dumps(arguments)) == arguments
    assert read_arguments(json.dumps(arguments, ensure_ascii=False)) == arguments
    assert read_arguments(arguments) == arguments


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_arguments(text)
    except InvalidArguments:
        return


# --- validating ------------------------------------------------------------------------------------------------------


def test_arguments_that_fit_pass() -> None:
    schema = CompiledSchema(TRANSFER)
    schema.validate({"amount": 500, "to": "Ann"})
    assert schema.is_valid({"amount": 500, "to": "Ann"})


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"amount": 500}, '"to" is a required property'),
        ({"amount": "much", "to": "Ann"}, 'amount: it is not of type "number"'),
        ({"amount": -1, "to": "Ann"}, "amount: it is less than the minimum of 0"),
        ({"amount": 1, "to": "Ann", "country": "FR"}, "'country' was unexpected"),
    ],
)
def test_a_misfit_names_the_place_and_what_would_be_right(arguments: dict[str, object], why: str) -> None:
    schema = CompiledSchema(TRANSFER)
    assert not schema.is_valid(arguments)
    with pytest.raises(InvalidArguments, match=why):
        schema.validate(arguments)


@pytest.mark.parametrize("value", [math.nan, {1, 2}, "\ud800"])
def test_what_a_hook_put_in_must_be_json_too(value: object) -> None:
    anything = CompiledSchema({})
    assert not anything.is_valid({"a": value})
    with pytest.raises(InvalidArguments, match="they must be JSON"):
        anything.validate({"a": value})


def test_nested_objects_enums_and_unions_are_validated() -> None:
    schema = CompiledSchema(
        {
            "properties": {
                "items": {"type": "array", "items": {"$ref": "#/$defs/item"}},
                "when": {"anyOf": [{"enum": ["now", "later"]}, {"type": "null"}]},
            },
            "$defs": {"item": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}},
        }
    )
    schema.validate({"items": [{"n": 1}], "when": None})
    with pytest.raises(InvalidArguments, match=r'items\[1\]: "n" is a required property'):
        schema.validate({"items": [{"n": 1}, {}]})
    with pytest.raises(InvalidArguments, match='when: it is not one of "now" or "later", or when: it is not of type'):
        schema.validate({"when": "never"})


def test_a_schema_of_an_older_draft_is_read_as_that_draft() -> None:
    schema = CompiledSchema({"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {}, "type": "object"})
    assert schema.is_valid({})


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "objekt"},
        {"properties": {"a": {"$ref": "http://127.0.0.1:1/a.json"}}},
        {"default": math.nan},
        {"x": {1}},
    ],
)
def test_a_schema_that_does_not_compile_is_a_value_error(parameters: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="JSON Schema"):
        CompiledSchema(parameters)


def test_what_is_changed_after_compiling_changes_nothing() -> None:
    parameters: dict[str, object] = {"required": ["a"]}
    schema = CompiledSchema(MappingProxyType(parameters))
    parameters["required"] = []
    assert not schema.is_valid({})


# --- repairing -------------------------------------------------------------------------------------------------------


def test_what_fits_is_returned_itself_and_what_is_repaired_is_a_copy() -> None:
    schema = CompiledSchema(TRANSFER)
    fits: dict[str, object] = {"amount": 500, "to": "Ann"}
    assert schema.repair(fits) is fits
    quoted: dict[str, object] = {"amount": "500", "to": "Ann"}
    assert schema.repair(quoted) == fits
    assert quoted == {"amount": "500", "to": "Ann"}


def test_what_cannot_be_repaired_is_left_for_the_schema_to_refuse() -> None:
    schema = CompiledSchema(TRANSFER)
    wrong: dict[str, object] = {"amount": "much", "to": "Ann", "country": "FR"}
    assert schema.repair(wrong) is wrong


@given(st.dictionaries(st.sampled_from(["amount", "to", "x"]), st.sampled_from([1, "1", "true", None, "x", 2.5])))
def test_a_repair_never_breaks_what_fits_and_never_repairs_twice(arguments: dict[str, object]) -> None:
    schema = CompiledSchema(TRANSFER)
    once = schema.repair(arguments)
    assert schema.repair(once) == once
    assert schema.is_valid(once) >= schema.is_valid(arguments)
