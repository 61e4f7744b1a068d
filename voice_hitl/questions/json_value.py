"""What of Python's values is JSON, within bounds that every reader of it can take."""

import math
from typing import Final, cast

from voice_hitl.questions.plain_text import is_unicode

MAX_DEPTH: Final = 64
"""How deep objects and arrays may nest: deeper ones exhaust the stack of some reader down the line."""

TOO_DEEP: Final = f"nesting of more than {MAX_DEPTH} levels"

HALF_A_PAIR: Final = "text with half of a surrogate pair"

MAX_INTEGER_BITS: Final = 1024
"""How long an integer may be: beyond it, readers that know only doubles see an infinity."""


def json_fault(value: object, *, depth: int = MAX_DEPTH) -> str | None:
    """Say what in `value` is not JSON, as "NaN" or "a datetime"; None where all of it is.

    JSON is None, bool, int, finite float and Unicode text, and lists, tuples and dicts with text keys of them, `depth`
    levels deep at most. About 1 microsecond for the arguments of a small call.
    """
    if isinstance(value, str):
        return None if value.isascii() or is_unicode(value) else HALF_A_PAIR
    if isinstance(value, int):
        return "an integer too large for a double" if value.bit_length() > MAX_INTEGER_BITS else None
    if isinstance(value, dict):
        return _object_fault(cast("dict[object, object]", value), depth)
    if value is None:
        return None
    if isinstance(value, float):
        return None if math.isfinite(value) else str(value)
    if isinstance(value, (list, tuple)):
        return _array_fault(cast("list[object] | tuple[object, ...]", value), depth)
    return f"a {type(value).__name__}"


def _object_fault(members: dict[object, object], depth: int) -> str | None:
    if depth == 0:
        return TOO_DEEP
    for key, value in members.items():
        if not isinstance(key, str):
            return f"a key that is a {type(key).__name__}"
        if not key.isascii() and not is_unicode(key):
            return HALF_A_PAIR
        if isinstance(value, str) and value.isascii():
            continue  # what most values are
        fault = json_fault(value, depth=depth - 1)
        if fault:
            return fault
    return None


def _array_fault(items: list[object] | tuple[object, ...], depth: int) -> str | None:
    if depth == 0:
        return TOO_DEEP
    for item in items:
        fault = json_fault(item, depth=depth - 1)
        if fault:
            return fault
    return None
