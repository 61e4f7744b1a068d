"""A call that a model said instead of issuing it, found in its words.

Models write calls in many forms; a call counts only as a sentence of its own, to a declared name, with nothing after it
but closing punctuation. Everything else is speech. Linear in the length of the text: each place where a call may begin
is looked at once, and each form reads forward from it.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

Schema = Mapping[str, object]

LONGEST = 20_000
"""Characters of a transcript that are looked at; what is longer is speech."""

_STARTS = re.compile(r"(?:^|\n|[.!?…]['\")\]]*\s)\s*")
_NAME = r"[A-Za-z_][\w.-]{0,127}"
_CALL = re.compile(rf"call:\s*({_NAME})\s*\{{")
_FUNCTION = re.compile(rf"(?:functions\.)?({_NAME})\(")
_FENCE = re.compile(r"```[A-Za-z_]*\s*")
_TAG = re.compile(rf"<(?:function=({_NAME})|invoke\s+name=\"({_NAME})\"|tool_call)>\s*")
_CLOSING = re.compile(r"[\s.!?;,)\]`'\"…]*\Z")
_KEY = re.compile(r"([A-Za-z_]\w*)\s*:")
_ARGUMENT = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*")
_RESPONSE = re.compile(r"<tool_response>.*?(?:</tool_response>|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Recovered:
    """A call found in a text.

    Args:
        name: The declared tool.
        arguments: As written, coerced by the declared types; what does not fit is left for the schema to refuse.
        start: Where the call's text begins.
        end: Where it ends, closing punctuation included: what is spoken is the text without it.
        form: Which way it was written.
    """

    name: str
    arguments: Mapping[str, object]
    start: int
    end: int
    form: str


def find_call(text: str, tools: Mapping[str, Schema]) -> Recovered | None:
    """Find the one call in `text`; None where there is none, or more than one, or words after it.

    `tools`: the JSON Schema of the arguments by declared name.
    """
    if len(text) > LONGEST or not tools:
        return None
    for match in _STARTS.finditer(text):
        found = _call_at(text, match.end(), tools)
        if found is not None:
            return found if _CLOSING.match(text, found.end) else None
    return None


def may_begin(text: str, tools: Mapping[str, Schema]) -> int | None:
    """Where the tail of a partial text could be the beginning of a call, which is to be held back; None: nowhere."""
    if len(text) > LONGEST:
        return None
    start = 0
    for match in _STARTS.finditer(text):
        start = match.end()
        if _is_opening(text, start, tools):
            return start
    return None


def without(text: str, call: Recovered) -> str:
    """The text that is left to be spoken and written down."""
    return text[: call.start].rstrip()


def without_responses(text: str) -> str:
    """The text without what the model invents as a tool's result: that is never a result."""
    return _RESPONSE.sub("", text) if "<tool_response>" in text else text


def fenced(name: str, outcome: str) -> str:
    """A call's outcome as text that a model can read, in a fence that nothing inside can close."""
    longest = max((len(run) for run in re.findall(r"`+", outcome)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"The tool {name} has returned:\n{fence}\n{outcome}\n{fence}"


# --- the forms -------------------------------------------------------------------------------------------------------


def _call_at(text: str, start: int, tools: Mapping[str, Schema]) -> Recovered | None:
    begin = start
    fence = _FENCE.match(text, start)
    if fence is not None:
        start = fence.end()
    found = _braced(text, start, tools) or _function(text, start, tools) or _json(text, start, tools)
    found = found or _tagged(text, start, tools)
    if found is None:
        return None
    name, arguments, end, form = found
    closing = _CLOSING.match(text, end)
    return Recovered(name, arguments, begin, closing.end() if closing else end, form)


_Found = tuple[str, dict[str, object], int, str]


def _braced(text: str, start: int, tools: Mapping[str, Schema]) -> _Found | None:
    """`call:name{key:value, ...}` with bare keys and values."""
    opening = _CALL.match(text, start)
    if opening is None or opening.group(1) not in tools:
        return None
    end = _closing_brace(text, opening.end() - 1)
    if end is None:
        return None
    name, body = opening.group(1), text[opening.end() : end - 1]
    parsed = _object(text[opening.end() - 1 : end])
    arguments = parsed if parsed is not None else _bare(body, tools[name])
    return name, arguments, end, "call:"


def _function(text: str, start: int, tools: Mapping[str, Schema]) -> _Found | None:
    """`name({...})`, `functions.name({...})`, `name(key="value", key2=3)`."""
    opening = _FUNCTION.match(text, start)
    if opening is None:
        return None
    name = opening.group(1).removeprefix("functions.")
    if name not in tools:
        return None
    inside = opening.end()
    decoded = _decode(text, inside)
    if decoded is not None and isinstance(decoded[0], dict):
        arguments, end = cast("dict[str, object]", decoded[0]), decoded[1]
    else:
        keyed = _keyed(text, inside)
        if keyed is None:
            return None
        arguments, end = keyed
    close = re.compile(r"\s*\)").match(text, end)
    if close is None:
        return None
    return name, _coerced(arguments, tools[name]), close.end(), "name()"


def _json(text: str, start: int, tools: Mapping[str, Schema]) -> _Found | None:
    """`{"name": "name", "arguments": {...}}` (also `parameters`)."""
    if not text.startswith("{", start):
        return None
    decoded = _decode(text, start)
    if decoded is None or not isinstance(decoded[0], dict):
        return None
    call = cast("dict[str, object]", decoded[0])
    name = call.get("name")
    if not isinstance(name, str) or name not in tools:
        return None
    arguments = call.get("arguments", call.get("parameters", {}))
    if isinstance(arguments, str):
        arguments = _object(arguments)
    if not isinstance(arguments, dict) or not set(call) <= {"name", "arguments", "parameters", "id", "type"}:
        return None
    return name, cast("dict[str, object]", arguments), decoded[1], "json"


def _tagged(text: str, start: int, tools: Mapping[str, Schema]) -> _Found | None:
    """`<tool_call>{...}</tool_call>`, `<function=name>...</function>`, `<invoke name="name">...</invoke>`."""
    opening = _TAG.match(text, start)
    if opening is None:
        return None
    name = opening.group(1) or opening.group(2)
    if name is None:
        found = _json(text, opening.end(), tools)
        if found is None:
            return None
        close = re.compile(r"\s*</tool_call>").match(text, found[2])
        return (found[0], found[1], close.end(), "xml") if close else None
    if name not in tools:
        return None
    closing = "</function>" if opening.group(1) else "</invoke>"
    end = text.find(closing, opening.end())
    if end < 0:
        return None
    body = text[opening.end() : end].strip()
    arguments = _object(body) if body.startswith("{") else _parameters(body, tools[name])
    return None if arguments is None else (name, arguments, end + len(closing), "xml")


_PARAMETER = re.compile(rf"<parameter(?:=({_NAME})|\s+name=\"({_NAME})\")>(.*?)</parameter>", re.DOTALL)


def _parameters(body: str, schema: Schema) -> dict[str, object] | None:
    """`<parameter=key>value</parameter>` or `<parameter name="key">value</parameter>`."""
    arguments: dict[str, object] = {}
    rest = 0
    for match in _PARAMETER.finditer(body):
        if body[rest : match.start()].strip():
            return None
        arguments[match.group(1) or match.group(2)] = match.group(3).strip()
        rest = match.end()
    return None if body[rest:].strip() else _coerced(arguments, schema)


# --- values ----------------------------------------------------------------------------------------------------------


def _bare(body: str, schema: Schema) -> dict[str, object]:
    """Values up to the next declared key; an undeclared `word:` after a comma ends the value before it too."""
    declared = _properties(schema)
    keys = [
        match
        for match in _KEY.finditer(body)
        if _begins_member(body, match.start()) and (match.group(1) in declared or not _inside_value(body, match))
    ]
    arguments: dict[str, object] = {}
    for index, match in enumerate(keys):
        end = keys[index + 1].start() if index + 1 < len(keys) else len(body)
        value = body[match.end() : end].strip().rstrip(",").strip()
        arguments[match.group(1)] = value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
    return _coerced(arguments, schema)


def _begins_member(body: str, start: int) -> bool:
    before = body[:start].rstrip()
    return not before or before.endswith(",")


def _inside_value(body: str, match: "re.Match[str]") -> bool:
    """Whether `word:` is a time or the like: digits follow at once ("at 3:30")."""
    return body[match.end() : match.end() + 2] == "//"


def _coerced(arguments: dict[str, object], schema: Schema) -> dict[str, object]:
    """Values coerced by the declared type. A word that is no boolean stays text, for the schema to refuse."""
    declared = _properties(schema)
    return {name: _coerce(value, declared.get(name)) for name, value in arguments.items()}


def _coerce(value: object, declared: object) -> object:
    if not isinstance(value, str) or not isinstance(declared, Mapping):
        return value
    kind = cast("Mapping[str, object]", declared).get("type")
    word = value.strip()
    match kind:
        case "boolean":
            return {"true": True, "false": False}.get(word.casefold(), value)
        case "integer":
            return int(word) if re.fullmatch(r"[+-]?\d{1,18}", word) else value
        case "number":
            return float(word) if re.fullmatch(r"[+-]?\d{1,18}(?:\.\d{1,18})?", word) else value
        case "object" | "array":
            decoded = _decode(word, 0)
            return decoded[0] if decoded is not None and decoded[1] == len(word) else value
        case _:
            return value


def _properties(schema: Schema) -> Mapping[str, object]:
    properties = schema.get("properties")
    return cast("Mapping[str, object]", properties) if isinstance(properties, Mapping) else {}


def _keyed(text: str, start: int) -> tuple[dict[str, object], int] | None:
    """`key="value", key2=3` up to the closing parenthesis."""
    arguments: dict[str, object] = {}
    place = start
    while True:
        match = _ARGUMENT.match(text, place)
        if match is None:
            break
        value = _literal(text, match.end())
        if value is None:
            return None
        arguments[match.group(1)], place = value
        comma = re.compile(r"\s*,").match(text, place)
        if comma is None:
            break
        place = comma.end()
    return arguments, place


_QUOTED = re.compile(r"'((?:[^'\\\n]|\\.)*)'")
_BARE_WORD = re.compile(r"[^\s,()\"'{}\[\]=]+")
_PYTHON = {"True": True, "False": False, "None": None}


def _literal(text: str, start: int) -> tuple[object, int] | None:
    decoded = _decode(text, start)
    if decoded is not None:
        return decoded
    quoted = _QUOTED.match(text, start)
    if quoted is not None:
        return quoted.group(1).replace("\\'", "'"), quoted.end()
    word = _BARE_WORD.match(text, start)
    return None if word is None else (_PYTHON.get(word.group(), word.group()), word.end())


_DECODER = json.JSONDecoder()


def _decode(text: str, start: int) -> tuple[object, int] | None:
    """One JSON value at `start`, and where it ends."""
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None


def _object(text: str) -> dict[str, object] | None:
    decoded = _decode(text.strip(), 0)
    value = decoded[0] if decoded is not None and decoded[1] == len(text.strip()) else None
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def _closing_brace(text: str, start: int) -> int | None:
    """Behind the brace that closes the one at `start`; None where none does."""
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == "{") - (text[place] == "}")
        if depth == 0:
            return place + 1
    return None


def _is_opening(text: str, start: int, tools: Mapping[str, Schema]) -> bool:
    """Whether what stands from `start` to the end could be the beginning of a call."""
    tail = text[start:]
    if not tail:
        return False
    if tail[0] in "{<" or tail.startswith("```") or "```".startswith(tail):
        return True
    if tail.startswith("call:") or "call:".startswith(tail):
        return True
    word = re.match(r"[\w.]*", tail)
    name = word.group() if word else ""
    rest = tail[len(name) :]
    plain = name.removeprefix("functions.")
    if rest:
        return rest.startswith("(") and plain in tools
    return "functions.".startswith(name) or any(tool.startswith(plain) for tool in tools)
