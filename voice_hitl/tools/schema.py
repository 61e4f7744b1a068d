"""A call's arguments: read from whatever came, repaired in two ways, validated against the declared schema."""

import json
from collections.abc import Mapping
from typing import Final, cast

from pydantic_core import from_json

from voice_hitl.errors import InvalidArguments
from voice_hitl.questions.json_value import json_fault
from voice_hitl.questions.misfit import compile_schema, misfit
from voice_hitl.tools.repair import repaired

MAX_ARGUMENTS: Final = 262_144
"""Characters of a call's arguments as text."""


def read_arguments(raw: str | Mapping[str, object] | None) -> dict[str, object]:
    """Return a call's arguments as a dict of JSON values. Nothing, blank text and JSON null are no arguments: `{}`.

    Raises:
        InvalidArguments: Anything else that is not an object: cut JSON, an array, NaN, Infinity, text of more than
            `MAX_ARGUMENTS` characters, more than 64 levels, half of a surrogate pair.
    """
    value: object = _parsed(raw) if isinstance(raw, str) else raw
    if value is None:
        return {}
    if not isinstance(value, (dict, Mapping)):  # dict first: asking an ABC costs more than reading the text
        raise InvalidArguments("they must be a JSON object")
    arguments = dict(cast("Mapping[str, object]", value))
    if fault := json_fault(arguments):
        raise InvalidArguments(f"there is {fault} in them: they must be JSON")
    return arguments


class CompiledSchema:
    """A tool's declared parameters, compiled once. Repairing and validating a small call takes a few microseconds.

    References stay inside the schema: nothing is fetched.

    Args:
        parameters: JSON Schema of the arguments; of draft 2020-12, or the one that its `$schema` names.

    Raises:
        ValueError: It is no valid JSON Schema, or refers out of itself.
    """

    def __init__(self, parameters: Mapping[str, object]) -> None:
        # A copy: what the caller changes later does not change what was compiled.
        copy = dict(parameters)
        if fault := json_fault(copy):
            raise ValueError(f"a JSON Schema must be JSON: there is {fault} in it")
        self._schema = cast("dict[str, object]", json.loads(json.dumps(copy)))
        self._validator = compile_schema(self._schema)

    def is_valid(self, arguments: Mapping[str, object]) -> bool:
        """Whether the arguments are JSON that fits."""
        return json_fault(arguments) is None and self._validator.is_valid(arguments)

    def validate(self, arguments: Mapping[str, object]) -> None:
        """Validate against the whole schema.

        Raises:
            InvalidArguments: They do not fit. The text names the first places and what would be right there.
        """
        if fault := json_fault(arguments):
            raise InvalidArguments(f"there is {fault} in them: they must be JSON")
        if not self._validator.is_valid(arguments):
            raise InvalidArguments(misfit(self._validator, arguments))

    def admit(self, arguments: dict[str, object]) -> dict[str, object]:
        """Return what was read (`read_arguments`) as it may run: as it is, where it fits, else repaired and validated.

        Raises:
            InvalidArguments: They do not fit, repaired or not.
        """
        if self._validator.is_valid(arguments):
            return arguments
        mended = repaired(self._schema, arguments)
        self.validate(mended)
        return mended

    def repair(self, arguments: dict[str, object]) -> dict[str, object]:
        """Return the arguments as they were meant, where one of two habits of models is to be seen; else as they are.

        Root members that a closed schema does not know go into its free-form `params` object; quoted primitives
        (`"3"`, `"true"`) are read as the primitive that is declared. What fits needs no repair and is returned
        itself; what is changed is a copy.
        """
        return arguments if self._validator.is_valid(arguments) else repaired(self._schema, arguments)


def _parsed(text: str) -> object:
    if len(text) > MAX_ARGUMENTS:
        raise InvalidArguments(f"they are {len(text)} characters long: at most {MAX_ARGUMENTS} are read")
    if not text or text.isspace():
        return None
    try:
        return from_json(text, allow_inf_nan=False)
    except (ValueError, TypeError) as error:  # a TypeError: half of a surrogate pair is no text to it
        raise InvalidArguments(f"they are not JSON: {error}") from None
