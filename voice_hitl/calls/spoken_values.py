"""The values of a call that a model said: read as they were written, coerced by what the tool declares.

A word that is no boolean stays text, for the schema to refuse: it is never `false`. JSON is JSON.
"""

import json
import re
from collections.abc import Mapping
from typing import Final, cast

Schema = Mapping[str, object]

_NOTHING: Final[Schema] = {}
_DECODER: Final = json.JSONDecoder()
_MEMBER: Final = re.compile(
    r"""(?<!\w)"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[\[{(]|[\]})]|([A-Za-z_]\w*)\s*:(?!//)|\w+""", re.DOTALL
)
_QUOTE_OR_BRACE: Final = re.compile(r"""(?<!\w)"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[{}]""", re.DOTALL)
_KEYWORD: Final = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*")
_COMMA: Final = re.compile(r"\s*,")
_SINGLE_QUOTED: Final = re.compile(r"'((?:[^'\\]|\\.)*)'", re.DOTALL)
_WORD: Final = re.compile(r"[^\s,()\"'{}\[\]=]+")
_PYTHON: Final[Mapping[str, object]] = {"True": True, "False": False, "None": None}
_WORDS: Final[Mapping[str, object]] = {"true": True, "false": False}
_INTEGER: Final = re.compile(r"[+-]?\d{1,18}")
_NUMBER: Final = re.compile(r"[+-]?\d{1,18}(?:\.\d{1,18})?")


def decode(text: str, start: int = 0) -> tuple[object, int] | None:
    """One JSON value at `start`, and where it ends."""
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None


def json_object(text: str) -> dict[str, object] | None:
    """The JSON object that `text` is, blanks around it aside."""
    text = text.strip()
    decoded = decode(text)
    if decoded is None or decoded[1] != len(text) or not isinstance(decoded[0], dict):
        return None
    return cast("dict[str, object]", decoded[0])


def closing_brace(text: str, start: int) -> int | None:
    """Behind the brace that closes the one at `start`, quoted ones aside; None where none does."""
    depth = 0
    for match in _QUOTE_OR_BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match.group(), 0)
        if depth == 0:
            return match.end()
    return None


def bare_members(body: str, schema: Schema) -> dict[str, object] | None:
    """`key:value, ...` without quotes: each value reaches to the next `word:`. None: there are words before a key.

    An undeclared `word:` ends a value too and is kept, so that the schema refuses it; `at 3:30` and a URL are values.
    """
    keys: list[re.Match[str]] = []
    depth = 0
    for match in _MEMBER.finditer(body):
        token = match.group()
        if match.group(1) is not None and not depth:
            keys.append(match)
        elif token in "[{(":
            depth += 1
        elif token in "]})":
            depth = max(0, depth - 1)
    starts = [*(key.start() for key in keys), len(body)]
    if body[: starts[0]].strip():
        return None
    members = {key.group(1): _unquoted(body[key.end() : end]) for key, end in zip(keys, starts[1:], strict=True)}
    return coerced(members, schema)


def keyword_members(text: str, start: int, schema: Schema) -> tuple[dict[str, object], int] | None:
    """`key="value", key2=3` from `start`, and where it ends. None: a value that is none."""
    members: dict[str, object] = {}
    place = start
    while (key := _KEYWORD.match(text, place)) is not None:
        value = _literal(text, key.end())
        if value is None:
            return None
        members[key.group(1)], place = value
        comma = _COMMA.match(text, place)
        if comma is None:
            break
        place = comma.end()
    return coerced(members, schema), place


def coerced(members: Mapping[str, object], schema: Schema) -> dict[str, object]:
    """The members, texts read as the type that is declared for them."""
    properties = schema.get("properties")
    declared = cast("Schema", properties) if isinstance(properties, Mapping) else _NOTHING
    return {name: _coerced(value, declared.get(name)) for name, value in members.items()}


def _coerced(value: object, declared: object) -> object:
    if not isinstance(value, str) or not isinstance(declared, Mapping):
        return value
    kind = cast("Mapping[str, object]", declared).get("type")
    kinds = {kind} if isinstance(kind, str) else set(cast("list[str]", kind)) if isinstance(kind, list) else set[str]()
    word = value.strip()
    if "string" in kinds:
        return value
    if "boolean" in kinds and word.casefold() in _WORDS:
        return _WORDS[word.casefold()]
    if kinds & {"integer", "number"} and _INTEGER.fullmatch(word):
        return int(word)
    if "number" in kinds and _NUMBER.fullmatch(word):
        return float(word)
    if kinds & {"object", "array"}:
        decoded = decode(word)
        return decoded[0] if decoded is not None and decoded[1] == len(word) else value
    return value


def _unquoted(value: str) -> str:
    """A bare value: without the comma behind it, and without its quotes."""
    value = value.strip().rstrip(",").strip()
    if value.startswith('"'):
        decoded = decode(value)
        return decoded[0] if decoded is not None and isinstance(decoded[0], str) and decoded[1] == len(value) else value
    quoted = _SINGLE_QUOTED.fullmatch(value)
    return value if quoted is None else quoted.group(1)


def _literal(text: str, start: int) -> tuple[object, int] | None:
    """One value as Python or JSON writes it, or a bare word, and where it ends."""
    decoded = decode(text, start)
    if decoded is not None:
        return decoded
    quoted = _SINGLE_QUOTED.match(text, start)
    if quoted is not None:
        return re.sub(r"\\(.)", r"\1", quoted.group(1), flags=re.DOTALL), quoted.end()
    word = _WORD.match(text, start)
    return None if word is None else (_PYTHON.get(word.group(), word.group()), word.end())
