"""Reading the fields of what a client sent, refusing what cannot be."""

from collections.abc import Mapping
from typing import cast

from voice_hitl.testing.openai.refused import invalid, missing, unknown_parameter

Json = Mapping[str, object]


def text_of(message: Json, key: str, where: str = "") -> str:
    """A text that must be there."""
    value = message.get(key)
    if value is None:
        raise missing(f"{where}{key}")
    if not isinstance(value, str):
        raise invalid(f"{where}{key}", "expected a string")
    return value


def whole_of(message: Json, key: str) -> int:
    """A whole number that must be there."""
    value = message.get(key)
    if value is None:
        raise missing(key)
    if isinstance(value, bool) or not isinstance(value, int):
        raise invalid(key, "expected an integer")
    return value


def object_of(message: Json, key: str, where: str = "") -> Json:
    """An object that must be there."""
    value = message.get(key)
    if value is None:
        raise missing(f"{where}{key}")
    if not isinstance(value, dict):
        raise invalid(f"{where}{key}", "expected an object")
    return cast("Json", value)


def part_of(message: Json, key: str, where: str = "") -> Json:
    """An object; one that is not there is empty."""
    return object_of(message, key, where) if key in message else {}


def list_of(message: Json, key: str, where: str = "") -> list[object]:
    """A list; one that is not there is empty."""
    value = message.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise invalid(f"{where}{key}", "expected an array")
    return cast("list[object]", value)


def only(message: Json, known: frozenset[str], where: str) -> None:
    """Refuse a field that the reference does not have."""
    for key in message:
        if key not in known:
            raise unknown_parameter(f"{where}{key}")
