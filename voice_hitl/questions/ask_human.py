"""`parse_ask_human`: the one-question tool `ask_human`, a choice by id or an input as text."""

from collections.abc import Mapping
from typing import Final, cast

from voice_hitl.errors import InvalidQuestion
from voice_hitl.questions.form import members, text_of
from voice_hitl.questions.model import Choice, Option, Text

MAX_TEXT: Final = 8192
"""Code points of a prompt, an id, a label, a description."""

_MEMBERS: Final = frozenset({"kind", "prompt", "options"})
_OPTION: Final = frozenset({"id", "label", "description"})


def parse_ask_human(arguments: object) -> Choice | Text:
    """Read `{"kind": "choice" or "input", "prompt": ..., "options": [{"id", "label", "description"?}]?}`.

    A choice has at least one option; ids are unique and kept exactly as they are, labels may repeat. An input has none.

    Raises:
        InvalidQuestion: It breaks a rule; the text says where, and what would be right.
    """
    where = "the call"
    given = members(arguments, where, _MEMBERS)
    prompt = text_of(given, "prompt", where, MAX_TEXT)
    match given.get("kind"):
        case "input":
            if "options" in given:
                raise InvalidQuestion('an input has no options: leave them out, or ask with the kind "choice"')
            return Text(prompt=prompt)
        case "choice":
            return Choice(prompt=prompt, options=_options(given))
        case _:
            raise InvalidQuestion('kind must be "choice" or "input"')


def _options(given: Mapping[str, object]) -> tuple[Option, ...]:
    entries = given.get("options")
    if not isinstance(entries, list | tuple) or not entries:
        raise InvalidQuestion("a choice needs options: an array of at least one")
    options = cast("list[object] | tuple[object, ...]", entries)
    return tuple(_option(option, f"options[{index}]") for index, option in enumerate(options))


def _option(value: object, where: str) -> Option:
    given = members(value, where, _OPTION)
    text_of(given, "id", where, MAX_TEXT)
    description = text_of(given, "description", where, MAX_TEXT) if "description" in given else None
    return Option(id=str(given["id"]), label=text_of(given, "label", where, MAX_TEXT), description=description)
