"""The two repairs of a call's arguments that do not fit: misplaced members of `params`, and quoted primitives."""

import re
from collections.abc import Mapping
from types import NoneType
from typing import Final, cast

from pydantic_core import from_json

from voice_hitl.questions.json_value import json_fault

Schema = Mapping[str, object]

PARAMS: Final = "params"
"""The free-form object that models unpack by mistake."""

_LONGEST_PRIMITIVE: Final = 64
_PRIMITIVE: Final = re.compile(r"-?[0-9][0-9.eE+-]*|true|false|null")
_DECLARED_AS: Final[Mapping[type, frozenset[str]]] = {
    bool: frozenset({"boolean"}),
    int: frozenset({"integer", "number"}),
    float: frozenset({"number"}),
    NoneType: frozenset({"null"}),
}
_ALTERNATIVES: Final = ("anyOf", "oneOf", "allOf")
_STRUCTURE: Final = frozenset({"type", "properties", "items", "additionalProperties"})
_MOST_BRANCHES: Final = 64
_NO_SCHEMA: Final[Schema] = {}


def repaired(schema: Schema, arguments: dict[str, object]) -> dict[str, object]:
    """Return a repaired copy of `arguments`, which may still not fit; itself where there is nothing to repair."""
    return cast("dict[str, object]", _unquoted(schema, _branches(schema, schema), _folded(schema, arguments)))


def _folded(schema: Schema, arguments: dict[str, object]) -> dict[str, object]:
    """Move the root members that a closed schema does not know into its `params`, unless one is there already."""
    declared = _mapping(schema.get("properties"))
    params = _mapping(declared.get(PARAMS))
    stray = [name for name in arguments if name not in declared]
    inner = arguments.get(PARAMS, {})
    free_form = params.get("type") == "object" and not params.get("properties")
    closed = schema.get("additionalProperties") is False
    if not (stray and closed and free_form and isinstance(inner, dict)):
        return arguments
    members = cast("dict[str, object]", inner)
    if params.get("additionalProperties") is False or any(name in members for name in stray):
        return arguments
    kept = {name: value for name, value in arguments.items() if name in declared}
    return kept | {PARAMS: members | {name: arguments[name] for name in stray}}


def _unquoted(root: Schema, branches: list[Schema], value: object) -> object:
    """Read every quoted primitive in `value` as the primitive that its schema declares, where that is no string."""
    match value:
        case str():
            return _primitive(value, branches)
        case dict():
            members = cast("dict[str, object]", value)
            changed = {
                name: new
                for name, old in members.items()
                if (new := _unquoted(root, _branches(root, _member_schema(branches, name)), old)) is not old
            }
            return members | changed if changed else members
        case list():
            items = cast("list[object]", value)
            item_schema = next((branch["items"] for branch in branches if "items" in branch), None)
            item_branches = _branches(root, item_schema)
            new_items = [_unquoted(root, item_branches, item) for item in items]
            return new_items if any(new is not old for new, old in zip(new_items, items, strict=True)) else items
        case _:
            return value


def _primitive(text: str, branches: list[Schema]) -> object:
    if len(text) > _LONGEST_PRIMITIVE or not _PRIMITIVE.fullmatch(text):
        return text
    types = {kind for branch in branches for kind in _types(branch)}
    if "string" in types:
        return text
    try:
        value: object = from_json(text, allow_inf_nan=False)
    except ValueError:
        return text
    return value if types & _DECLARED_AS[type(value)] and json_fault(value) is None else text


def _types(branch: Schema) -> list[str]:
    """The types that a branch declares. One that declares none takes any, strings too."""
    declared = branch.get("type", "string")
    return [declared] if isinstance(declared, str) else cast("list[str]", declared)


def _member_schema(branches: list[Schema], name: str) -> object:
    for branch in branches:
        if name in (properties := _mapping(branch.get("properties"))):
            return properties[name]
    return next((branch["additionalProperties"] for branch in branches if "additionalProperties" in branch), None)


def _branches(root: Schema, schema: object) -> list[Schema]:
    """The parts of a schema that say something of the value itself: references and alternatives followed, bounded."""
    found: list[Schema] = []
    todo = [schema]
    for _ in range(_MOST_BRANCHES):
        if not todo:
            break
        branch = _mapping(todo.pop())
        if isinstance(reference := branch.get("$ref"), str):
            todo.append(_referred(root, reference))
            continue
        inner = [alternative for key in _ALTERNATIVES for alternative in _list(branch.get(key))]
        todo.extend(reversed(inner))
        if not inner or _STRUCTURE & branch.keys():
            found.append(branch)
    return found


def _referred(root: Schema, reference: str) -> object:
    """What a JSON pointer into the schema (RFC 6901) refers to, such as `#/$defs/Name`; None for another reference."""
    if reference != "#" and not reference.startswith("#/"):
        return None
    place: object = root
    for step in reference.split("/")[1:]:
        place = _mapping(place).get(step.replace("~1", "/").replace("~0", "~"))
    return place


def _mapping(value: object) -> Schema:
    return cast("Schema", value) if isinstance(value, Mapping) else _NO_SCHEMA


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []
