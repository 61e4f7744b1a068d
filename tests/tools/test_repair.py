"""The two repairs, and nothing but them."""

import pytest

from voice_hitl.tools.repair import repaired


def closed(**properties: object) -> dict[str, object]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def one(schema: object, value: object) -> object:
    return repaired({"type": "object", "properties": {"a": schema}}, {"a": value})["a"]


# --- quoted primitives -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "integer"}, "3", 3),
        ({"type": "integer"}, "-3", -3),
        ({"type": "number"}, "2.5", 2.5),
        ({"type": "number"}, "3", 3),
        ({"type": "boolean"}, "true", True),
        ({"type": "boolean"}, "false", False),
        ({"type": ["integer", "null"]}, "null", None),
        ({"type": ["integer", "null"]}, "7", 7),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "7", 7),
        ({"oneOf": [{"type": "boolean"}, {"type": "number"}]}, "true", True),
        ({"allOf": [{"type": "integer"}]}, "7", 7),
        ({"$ref": "#/properties/b"}, "7", 7),
    ],
)
def test_a_quoted_primitive_is_read_as_what_is_declared(schema: object, text: str, value: object) -> None:
    root = {"type": "object", "properties": {"a": schema, "b": {"type": "integer"}}}
    got = repaired(root, {"a": text})["a"]
    assert got == value
    assert type(got) is type(value)


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "string"}, "3"),
        ({"type": ["string", "integer"]}, "3"),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "3"),
        ({"anyOf": [{"type": "integer"}, {"enum": ["3"]}]}, "3"),
        ({}, "3"),
        (True, "3"),
        ({"enum": ["1", "2"]}, "3"),
        ({"type": "integer"}, "3.0"),
        ({"type": "integer"}, "three"),
        ({"type": "integer"}, "true"),
        ({"type": "integer"}, "null"),
        ({"type": "integer"}, "3 4"),
        ({"type": "integer"}, "1.2.3"),
        ({"type": "integer"}, "1-2"),
        ({"type": "integer"}, "\ud800"),
        ({"type": "integer"}, "1" * 100),
        ({"type": "number"}, "NaN"),
        ({"type": "number"}, "1e999"),
        ({"type": "boolean"}, "yes"),
        ({"type": "boolean"}, "True"),
        ({"type": "boolean"}, "1"),
        ({"type": "boolean"}, "0.5"),
        ({"type": "object"}, '{"a": 1}'),
        ({"type": "array"}, "[1]"),
        ({"$ref": "#/properties/none"}, "3"),
        ({"$ref": "http://x.example/y"}, "3"),
        ({"$ref": "#anchor"}, "3"),
    ],
)
def test_anything_else_stays_the_text_it_is(schema: object, text: str) -> None:
    assert one(schema, text) == text


def test_primitives_are_found_wherever_the_schema_leads() -> None:
    schema = closed(
        orders={
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"n": {"type": "integer"}, "note": {"type": "string"}},
                "additionalProperties": {"type": "boolean"},
            },
        },
        maybe={"anyOf": [{"type": "object", "properties": {"n": {"type": "integer"}}}, {"type": "null"}]},
    )
    arguments: dict[str, object] = {
        "orders": [{"n": "1", "note": "1", "gift": "true"}, 5],
        "maybe": {"n": "2", "x": "3"},
    }
    assert repaired(schema, arguments) == {
        "orders": [{"n": 1, "note": "1", "gift": True}, 5],
        "maybe": {"n": 2, "x": "3"},
    }


def test_a_schema_that_has_alternatives_beside_its_properties_is_followed_too() -> None:
    schema: dict[str, object] = {
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "anyOf": [{"required": ["n"]}, {"required": ["m"]}],
    }
    assert repaired(schema, {"n": "1"}) == {"n": 1}


def test_what_needs_no_repair_is_the_same_object() -> None:
    schema = closed(items={"type": "array", "items": {"type": "integer"}}, n={"type": "integer"})
    arguments: dict[str, object] = {"items": [1, 2], "n": 3, "more": None}
    assert repaired(schema, arguments) is arguments
    changed = repaired(schema, {"items": arguments["items"], "n": "3"})
    assert changed["items"] is arguments["items"]


def test_schemas_that_refer_to_themselves_end() -> None:
    tree: dict[str, object] = {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}},
    }
    assert repaired(tree, {"n": "1", "next": {"n": "2", "next": None}}) == {"n": 1, "next": {"n": 2, "next": None}}
    loop: dict[str, object] = {"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {"$ref": "#/$defs/b"}}}
    assert repaired(loop, {"a": "1"}) == {"a": "1"}


def test_a_pointer_is_unescaped() -> None:
    schema: dict[str, object] = {
        "properties": {"a": {"$ref": "#/$defs/x~1y~0z"}},
        "$defs": {"x/y~z": {"type": "integer"}},
    }
    assert repaired(schema, {"a": "1"}) == {"a": 1}


# --- misplaced members of params -------------------------------------------------------------------------------------

FREE_FORM: dict[str, object] = {"type": "object"}


def test_root_members_that_a_closed_schema_does_not_know_go_into_its_free_form_params() -> None:
    schema = closed(tool={"type": "string"}, params=FREE_FORM)
    assert repaired(schema, {"tool": "x", "a": 1, "b": "2"}) == {"tool": "x", "params": {"a": 1, "b": "2"}}
    assert repaired(schema, {"tool": "x", "a": 1, "params": {"c": 3}}) == {"tool": "x", "params": {"c": 3, "a": 1}}


def test_what_was_folded_is_unquoted_too() -> None:
    schema = closed(params={"type": "object", "additionalProperties": {"type": "integer"}})
    assert repaired(schema, {"a": "1"}) == {"params": {"a": 1}}


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        ({"type": "object", "properties": {"params": FREE_FORM}}, {"a": 1}),
        (closed(other=FREE_FORM), {"a": 1}),
        (closed(params={"type": "string"}), {"a": 1}),
        (closed(params={"type": "object", "properties": {"b": {}}}), {"a": 1}),
        (closed(params={"type": "object", "additionalProperties": False}), {"a": 1}),
        (closed(params=FREE_FORM), {"params": {"a": 2}, "a": 1}),
        (closed(params=FREE_FORM), {"params": [1], "a": 1}),
        (closed(params=FREE_FORM), {"params": {}}),
    ],
)
def test_nothing_is_folded_where_it_is_not_plainly_meant(
    schema: dict[str, object], arguments: dict[str, object]
) -> None:
    assert repaired(schema, arguments) is arguments


def test_the_largest_call_is_repaired_item_by_item() -> None:
    schema = closed(numbers={"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}})
    numbers: list[object] = ["1"] * 50_000
    assert repaired(schema, {"numbers": numbers}) == {"numbers": [1] * 50_000}
