"""What of Python's values is JSON, within bounds that every reader of it can take."""

import math
from collections.abc import Iterable
from typing import Final, cast

from voice_hitl.questions.plain_text import is_unicode

MAX_DEPTH: Final = 64
"""How deep objects and arrays may nest: deeper ones exhaust the stack of some reader down the line."""

MAX_INTEGER_BITS: Final = 1024
"""How long an integer may be: beyond it, readers that know only doubles see an infinity."""


def json_fault(value: object, *, depth: int = MAX_DEPTH) -> str | None:
    """Say what in `value` is not JSON, as "NaN" or "a datetime"; None where all of it is.

    JSON is None, bool, int, finite float and Unicode text, and lists, tuples and dicts with text keys of them, `depth`
    levels deep at most.
    """
    if isinstance(value, str):
        return None if value.isascii() or is_unicode(value) else "text with half of a surrogate pair"
    if isinstance(value, dict):
        return _inner_fault(cast("dict[object, object]", value), depth)
    if isinstance(value, list | tuple):
        return _inner_fault(cast("list[object] | tuple[object, ...]", value), depth)
    if isinstance(value, int):
        return "an integer too large for a double" if value.bit_length() > MAX_INTEGER_BITS else None
    if isinstance(value, float):
        return None if math.isfinite(value) else str(value)
    return None if value is None else f"a {type(value).__name__}"


def _inner_fault(values: dict[object, object] | list[object] | tuple[object, ...], depth: int) -> str | None:
    if depth == 0:
        return "more nesting than is allowed"
    inner: Iterable[object] = values
    if isinstance(values, dict):
        for key in values:
            if not isinstance(key, str):
                return f"a key that is a {type(key).__name__}"
            if fault := json_fault(key):
                return fault
        inner = values.values()
    for value in inner:
        if fault := json_fault(value, depth=depth - 1):
            return fault
    return None
