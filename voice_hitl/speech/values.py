"""Values in words: the arguments of a tool, the details of an action, as they are read out."""

import re
from collections.abc import Mapping, Sequence
from typing import cast

from voice_hitl.speech.languages.pack import LanguagePack
from voice_hitl.speech.words import split

_FIELD = re.compile(r"\{([^{}]+)\}")
_ISO_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MISSING = object()


def filled(template: str, fields: Mapping[str, object]) -> str:
    """A sentence with its fields filled; a brace in a value stays a brace."""
    return _FIELD.sub(lambda field: str(fields.get(field[1], field[0])), template)


def fields_of(template: str) -> list[str]:
    """The fields of a template: of `"Refund {amount} to {order.name}"` `amount` and `order.name`."""
    return _FIELD.findall(template)


def says(text: str, value: str) -> bool:
    """Whether the text has these words, in this order."""
    return f" {' '.join(split(value).folded)} " in f" {' '.join(split(text).folded)} "


def readable(name: str) -> str:
    """A name of a tool or an argument as words: `refund_order` and `refundOrder` are "Refund order"."""
    words = " ".join(_CAMEL.sub(" ", name).replace("_", " ").replace("-", " ").split()).lower()
    return words[:1].upper() + words[1:]


def titles_of(parameters: Mapping[str, object] | None) -> dict[str, str]:
    """The titles that a JSON Schema gives its properties, by property."""
    properties = (parameters or {}).get("properties")
    if not isinstance(properties, Mapping):
        return {}
    schemas = cast("Mapping[str, object]", properties)
    return {name: title for name, schema in schemas.items() if (title := _title(schema)) is not None}


def _title(schema: object) -> str | None:
    title = cast("Mapping[str, object]", schema).get("title") if isinstance(schema, Mapping) else None
    return title if isinstance(title, str) else None


class Values:
    """Values in the words of one language.

    Args:
        sentences: Its sentences (`LanguagePack.prompts`, or an application's own).
        pack: Its months and its decimal separator.
    """

    def __init__(self, sentences: Mapping[str, str], pack: LanguagePack) -> None:
        self._sentences = sentences
        self._pack = pack

    def spoken(self, value: object) -> str | None:
        """A scalar in words; None for what has parts."""
        match value:
            case None:
                return self._sentences["nothing"]
            case bool():
                return self._sentences["true" if value else "false"]
            case int() | str():
                return _ISO_DAY.sub(self._day, str(value)).strip() or self._sentences["nothing"]
            case float():
                return f"{value:g}".replace(".", self._pack.decimal)
            case _:
                return None

    def listed(self, value: object) -> str | None:
        """A scalar, or a list of scalars, in words; None for anything else."""
        if not isinstance(value, list | tuple):
            return self.spoken(value)
        items = [self.spoken(item) for item in cast("Sequence[object]", value)]
        return self.joined([item for item in items if item is not None]) if items and None not in items else None

    def joined(self, items: Sequence[str]) -> str:
        """Several things as one: "a, b and c"."""
        if len(items) < 2:
            return "".join(items)
        return filled(self._sentences["and"], {"first": ", ".join(items[:-1]), "last": items[-1]})

    def named(
        self, details: Mapping[str, object], *, said: str = "", titles: Mapping[str, str] | None = None
    ) -> list[str] | None:
        """A sentence for each value that `said` does not have ("Amount: 500."); None where one of them has parts."""
        texts: list[str] = []
        for name, value in details.items():
            spoken = self.spoken(value)
            if spoken is None:
                return None
            if not said or not says(said, spoken):
                title = (titles or {}).get(name) or readable(name)
                texts.append(filled(self._sentences["item"], {"name": title, "value": spoken}))
        return texts

    def in_template(self, template: str, arguments: Mapping[str, object]) -> str | None:
        """The template with its fields filled; None where one of them is missing or cannot be said."""
        words: dict[str, str] = {}
        for name in fields_of(template):
            spoken = self.listed(_at(arguments, name.split(".")))
            if spoken is None:
                return None
            words[name] = spoken
        return filled(template, words)

    def _day(self, day: re.Match[str]) -> str:
        month = int(day[2])
        if not 1 <= month <= len(self._pack.months):
            return day[0]
        return filled(self._sentences["date"], {"day": int(day[3]), "month": self._pack.months[month - 1]})


def _at(value: object, path: list[str]) -> object:
    """The value at a path; `_MISSING` (which cannot be said) where there is none."""
    if not path:
        return value
    if not isinstance(value, Mapping):
        return _MISSING
    return _at(cast("Mapping[str, object]", value).get(path[0], _MISSING), path[1:])
