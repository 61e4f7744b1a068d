"""Why a value does not fit its JSON Schema, in a sentence that whoever gave it can act on."""

from itertools import islice

import jsonschema_rs

MOST = 3
"""How many misfits are named; the rest is counted as "more"."""

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
    """Name the first few places where `value` does not fit, such as `items[0].price: it is not of type "number"`."""
    faults = [_sentence(error) for error in islice(validator.iter_errors(value), MOST + 1)]
    return "; ".join(faults[:MOST]) + ("; and more" if len(faults) > MOST else "")


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
