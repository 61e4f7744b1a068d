"""The forms in which models say a call: each reads forward from where it may begin."""

import re
from collections.abc import Mapping
from typing import Final, Literal, cast

from voice_hitl.calls.spoken_values import (
    Schema,
    bare_members,
    closing_brace,
    coerced,
    decode,
    json_object,
    keyword_members,
)
from voice_hitl.frozen import frozen

FormName = Literal["call:", "name()", "json", "xml"]
Tools = Mapping[str, Schema]
"""The JSON Schema of the arguments by declared name."""

_NAME: Final = r"[A-Za-z_][\w.-]{0,127}"
_FENCE: Final = re.compile(r"```[A-Za-z_]*\s*")
_CALL: Final = re.compile(rf"call:\s*({_NAME})\s*\{{")
_FUNCTION: Final = re.compile(rf"(?:functions\.)?({_NAME})\(\s*")
_CLOSING_PARENTHESIS: Final = re.compile(r"\s*\)")
_WRAPPER: Final = re.compile(r"<(tool_call|function_calls)>\s*")
_TAG: Final = re.compile(rf"<(?:(function)=({_NAME})|(invoke)\s+name=\"({_NAME})\")>")
_PARAMETER: Final = re.compile(rf"\s*<parameter(?:=({_NAME})|\s+name=\"({_NAME})\")>")
_PARAMETER_END: Final = "</parameter>"
_JSON_KEYS: Final = frozenset({"name", "arguments", "parameters", "id", "type"})

_JSON_BEGINNING: Final = re.compile(r'\{\s*(?:"(\w{0,10})("?)|\Z)')
_CALL_BEGINNING: Final = re.compile(rf"call:\s*(?:({_NAME})(\{{)?)?")
_FUNCTION_BEGINNING: Final = re.compile(rf"(?:functions\.)?({_NAME})(\(\s*(?:\{{|\)|[A-Za-z_]\w*\s*(?:=|\Z)|\Z))?")
_TAGS: Final = ("<tool_call>", "<function_calls>", "<function=", '<invoke name="', "<tool_response>")


@frozen()
class Spoken:
    """One form, read: the declared name, its arguments, and where it ends."""

    name: str
    arguments: dict[str, object]
    end: int
    form: FormName


def read_call(text: str, start: int, tools: Tools) -> Spoken | None:
    """The call to a declared name that is written at `start`, in whatever form; None where none is, or only a part."""
    if text.startswith("`", start) and (fence := _FENCE.match(text, start)) is not None:
        start = fence.end()
    match text[start : start + 1]:
        case "{":
            return _json(text, start, tools)
        case "<":
            return _tagged(text, start, tools)
        case _ if text.startswith("call:", start):
            return _braced(text, start, tools)
        case _:
            return _function(text, start, tools)


def may_become_call(text: str, start: int, tools: Tools) -> bool:
    """Whether what stands from `start` to the end of a partial text could be the beginning of a call."""
    tail = text[start : start + 32]
    match tail[:1]:
        case "":
            return False
        case "`":
            fence = _FENCE.match(text, start)
            if fence is None:
                return "```".startswith(tail)
            return fence.end() == len(text) or may_become_call(text, fence.end(), tools)
        case "{":
            return _json_may_begin(text, start)
        case "<":
            return any(tag.startswith(tail) or tail.startswith(tag) for tag in _TAGS)
        case _:
            return "call:".startswith(tail) or "functions.".startswith(tail) or _name_may_begin(text, start, tools)


def _json_may_begin(text: str, start: int) -> bool:
    key = _JSON_BEGINNING.match(text, start)
    if key is None:
        return False
    written, closed = key.group(1) or "", key.group(2)
    return written in _JSON_KEYS if closed else any(known.startswith(written) for known in _JSON_KEYS)


def _name_may_begin(text: str, start: int, tools: Tools) -> bool:
    written = _CALL_BEGINNING.match(text, start) or _FUNCTION_BEGINNING.match(text, start)
    if written is None:
        return False
    name = written.group(1) or ""
    if written.group(2):
        return name in tools
    return written.end() == len(text) and any(tool.startswith(name) for tool in tools)


def _braced(text: str, start: int, tools: Tools) -> Spoken | None:
    """`call:name{key:value, ...}`; JSON in the braces is JSON."""
    opening = _CALL.match(text, start)
    if opening is None or opening.group(1) not in tools:
        return None
    name, brace = opening.group(1), opening.end() - 1
    decoded = decode(text, brace)
    if decoded is not None and isinstance(decoded[0], dict):
        return Spoken(name, cast("dict[str, object]", decoded[0]), decoded[1], "call:")
    end = closing_brace(text, brace)
    arguments = None if end is None else bare_members(text[brace + 1 : end - 1], tools[name])
    return None if end is None or arguments is None else Spoken(name, arguments, end, "call:")


def _function(text: str, start: int, tools: Tools) -> Spoken | None:
    """`name({...})`, `functions.name({...})`, `name(key="value", key2=3)`."""
    opening = _FUNCTION.match(text, start)
    if opening is None or opening.group(1) not in tools:
        return None
    name = opening.group(1)
    decoded = decode(text, opening.end())
    if decoded is not None and isinstance(decoded[0], dict):
        arguments, end = cast("dict[str, object]", decoded[0]), decoded[1]
    else:
        members = keyword_members(text, opening.end(), tools[name])
        if members is None:
            return None
        arguments, end = members
    close = _CLOSING_PARENTHESIS.match(text, end)
    return None if close is None else Spoken(name, arguments, close.end(), "name()")


def _json(text: str, start: int, tools: Tools) -> Spoken | None:
    """`{"name": "name", "arguments": {...}}`, or `parameters`; the arguments may be JSON in a string."""
    decoded = decode(text, start)
    if decoded is None or not isinstance(decoded[0], dict):
        return None
    call = cast("dict[str, object]", decoded[0])
    name = call.get("name")
    arguments = call.get("arguments", call.get("parameters"))
    if isinstance(arguments, str):
        arguments = json_object(arguments)
    if not isinstance(name, str) or name not in tools or not isinstance(arguments, dict) or call.keys() - _JSON_KEYS:
        return None
    return Spoken(name, cast("dict[str, object]", arguments), decoded[1], "json")


def _tagged(text: str, start: int, tools: Tools) -> Spoken | None:
    """`<function=name>...</function>`, `<invoke name="name">...</invoke>`, JSON or either in `<tool_call>`."""
    wrapper = _WRAPPER.match(text, start)
    if wrapper is None:
        return _tag(text, start, tools)
    inner = _json(text, wrapper.end(), tools) or _tag(text, wrapper.end(), tools)
    close = None if inner is None else re.compile(rf"\s*</{wrapper.group(1)}>").match(text, inner.end)
    return None if inner is None or close is None else Spoken(inner.name, inner.arguments, close.end(), "xml")


def _tag(text: str, start: int, tools: Tools) -> Spoken | None:
    opening = _TAG.match(text, start)
    if opening is None:
        return None
    kind, name = opening.group(1) or opening.group(3), opening.group(2) or opening.group(4)
    closing = f"</{kind}>"
    end = text.find(closing, opening.end())
    if name not in tools or end < 0:
        return None
    body = text[opening.end() : end].strip()
    arguments = json_object(body) if body.startswith("{") else _parameters(body, tools[name])
    return None if arguments is None else Spoken(name, arguments, end + len(closing), "xml")


def _parameters(body: str, schema: Schema) -> dict[str, object] | None:
    """`<parameter=key>value</parameter>` or `<parameter name="key">value</parameter>`, and nothing between them."""
    members: dict[str, object] = {}
    place = 0
    while place < len(body):
        opening = _PARAMETER.match(body, place)
        end = -1 if opening is None else body.find(_PARAMETER_END, opening.end())
        if opening is None or end < 0:
            return None
        members[opening.group(1) or opening.group(2)] = body[opening.end() : end].strip()
        place = end + len(_PARAMETER_END)
    return coerced(members, schema)
