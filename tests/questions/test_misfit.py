"""Why a value does not fit its schema."""

import pytest

from voice_hitl.questions.misfit import LONGEST, compile_schema, misfit


def why(schema: dict[str, object], value: object) -> str:
    return misfit(compile_schema(schema), value)


def test_the_place_is_named_as_one_would_write_it() -> None:
    price: dict[str, object] = {"properties": {"price": {"type": "number"}}}
    schema: dict[str, object] = {"properties": {"items": {"type": "array", "items": price}}}
    assert why(schema, {"items": [{"price": "5"}]}) == 'items[0].price: it is not of type "number"'


def test_what_is_missing_at_the_root_is_named() -> None:
    assert why({"required": ["amount"]}, {}) == '"amount" is a required property'


def test_alternatives_are_told_as_alternatives() -> None:
    schema: dict[str, object] = {"properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}
    assert why(schema, {"n": "x"}) == 'n: it is not of type "integer", or n: it is not of type "null"'
    schema = {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}
    assert why(schema, {}) == '"a" is a required property, or "b" is a required property'


def test_three_misfits_are_named_and_the_rest_is_more() -> None:
    schema: dict[str, object] = {"required": ["a", "b", "c"]}
    assert not why(schema, {}).endswith("; and more")
    schema = {"required": ["a", "b", "c", "d"]}
    assert why(schema, {}).endswith('"c" is a required property; and more')


def test_the_value_is_never_repeated_and_the_schema_not_at_length() -> None:
    assert "sesame" not in why({"properties": {"a": {"type": "integer"}}}, {"a": "sesame"})
    assert len(why({"properties": {"a": {"pattern": "x{3}" * 100}}}, {"a": "sesame"})) == LONGEST + len("...")


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "objekt"},
        {"properties": {"a": {"type": 3}}},
        {"properties": {"a": {"pattern": "(?<x"}}},
        {"properties": {"a": {"$ref": "#/$defs/none"}}},
        {"properties": {"a": {"$ref": "http://127.0.0.1:1/x.json"}}},
        {"properties": {"a": {"$ref": "file:///etc/passwd"}}},
        {"$schema": "http://nowhere.example/draft"},
    ],
)
def test_what_is_no_schema_or_leads_out_of_it_is_a_value_error(schema: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="this is no JSON Schema"):
        compile_schema(schema)


def test_a_fault_of_a_schema_names_its_place() -> None:
    with pytest.raises(ValueError, match=r"\(at properties\.a\.type\)"):
        compile_schema({"properties": {"a": {"type": "objekt"}}})


def test_of_something_large_it_is_only_said_that_it_does_not_fit() -> None:
    schema: dict[str, object] = {"items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}
    assert "too large to say where" in why(schema, ["x"] * 60_000)
    assert "too large to say where" in why(schema, [{"a": ("x",) * 198}])
    assert why(schema, [{"a": ("x",) * 197}]).startswith("[0]: it is not")
