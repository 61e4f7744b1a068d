"""Why a value does not fit its JSON Schema, in a sentence that whoever gave it can act on."""

from itertools import islice
from typing import cast

import jsonschema_rs

MOST = 3
"""How many misfits are named; the rest is counted as "more"."""

MOST_VALUES = 200
"""How many values may be in what is explained: the validator looks for every fault first, at 0.1 ms a fault."""

LONGEST = 300
"""Characters of one misfit: a schema may list thousands of values."""

THE_VALUE = "it"
"""What stands for the value in the validator's messages: values may be long, and are known to whoever gave them."""


def compile_schema(schema: dict[str, object]) -> jsonschema_rs.Validator:
    """Compile a JSON Schema, without following any reference out of it (to a file, to the network).

    Raises:
        ValueError: It is no valid schema, or refers out of itself.
    """
    try:
        return jsonschema_rs.validator_for(schema, offline=True, mask=THE_VALUE)
    except jsonschema_rs.ValidationError as error:
        where = _path(error.instance_path)
        raise ValueError(f"this is no JSON Schema{f' (at {where})' if where else ''}: {error.message}") from None


def misfit(validator: jsonschema_rs.Validator, value: object) -> str:
    """Name the first few places where `value` does not fit, such as `items[0].price: it is not of type "number"`.

    Of something with more than `MOST_VALUES` values it says only that it does not fit.
    """
    if not _is_small(value):
        return f"it does not fit the schema, and with more than {MOST_VALUES} values it is too large to say where"
    faults = [_sentence(error) for error in islice(validator.iter_errors(value), MOST + 1)]
    return "; ".join(faults[:MOST]) + ("; and more" if len(faults) > MOST else "")


def _is_small(value: object) -> bool:
    todo, count = [value], 0
    while todo and count <= MOST_VALUES:
        inner = todo.pop()
        count += 1
        if isinstance(inner, dict):
            todo.extend(cast("dict[str, object]", inner).values())
        elif isinstance(inner, (list, tuple)):
            todo.extend(cast("list[object] | tuple[object, ...]", inner))
    return count <= MOST_VALUES


def _sentence(error: jsonschema_rs.ValidationError) -> str:
    match error.kind:
        case jsonschema_rs.ValidationErrorKind.AnyOf(context) | jsonschema_rs.ValidationErrorKind.OneOfNotValid(
            context
        ):
            # Which of the alternatives was meant is not known: the first fault of each says what would do.
            text = ", or ".join(dict.fromkeys(_sentence(branch[0]) for branch in context if branch))
        case _:
            where = _path(error.instance_path)
            text = f"{where}: {error.message}" if where else error.message
    return text if len(text) <= LONGEST else text[:LONGEST] + "..."


def _path(steps: list[str | int]) -> str:
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return path.removeprefix(".")
