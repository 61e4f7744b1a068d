"""The JSON Schemas (2020-12) of what is published to front ends: questions, and the answers that `respond` takes.

They say the shape. Whether an answer answers its question (bounds, options, unique texts) only `check` can say.
"""

from typing import Final

from voice_hitl.questions.chosen import MAX_WORDS
from voice_hitl.questions.form_answer import MAX_RESPONSE
from voice_hitl.questions.language import TAG
from voice_hitl.questions.model import MAX_DIGITS

Schema = dict[str, object]

_DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"


def _one_of(title: str, cases: dict[str, Schema]) -> Schema:
    return {
        "$schema": _DRAFT,
        "title": title,
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in cases],
        "$defs": cases,
    }


def _object(properties: Schema, *required: str) -> Schema:
    return {"type": "object", "properties": properties, "required": [*required], "additionalProperties": False}


def _kind(kind: str, properties: Schema, *required: str) -> Schema:
    return _object({"kind": {"const": kind}} | properties | _COMMON, "kind", *required)


def _action(action: str, properties: Schema, *required: str) -> Schema:
    return _object({"action": {"const": action}} | properties, "action", *required)


def _list_of(items: Schema) -> Schema:
    return {"type": "array", "items": items, "minItems": 1}


_TEXT: Final[Schema] = {"type": "string"}
_TAG: Final[Schema] = {"type": "string", "pattern": TAG}
_FLAG: Final[Schema] = {"type": "boolean"}
_NUMBER: Final[Schema] = {"type": "number"}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 1}
_DIGITS: Final[Schema] = {"type": "integer", "minimum": 1, "maximum": MAX_DIGITS}
_OBJECT: Final[Schema] = {"type": "object"}
_RISK: Final[Schema] = {"enum": ["normal", "high"]}
_COMMON: Final[Schema] = {"sensitive": _FLAG, "language": _TAG}
_PROMPT: Final[Schema] = {"prompt": _TEXT}
_OPTION: Final[Schema] = _object({"label": _TEXT, "description": _TEXT, "id": _TEXT}, "label")
_CHOICE: Final[Schema] = {
    "options": _list_of(_OPTION),
    "multiSelect": _FLAG,
    "header": _TEXT,
    "free_text": _FLAG,
}
_FORM_QUESTION: Final[Schema] = _object({"question": _TEXT} | _CHOICE | _COMMON, "question", "options", "multiSelect")
_APPROVAL: Final[Schema] = {
    "tool": _TEXT,
    "arguments": _OBJECT,
    "digest": _TEXT,
    "allow_edits": _FLAG,
    "parameters": _OBJECT,
    "risk": _RISK,
    "title": _TEXT,
    "speak": _TEXT,
}
_WORDS: Final[Schema] = {"type": "string", "minLength": 1, "maxLength": MAX_WORDS}
_ONE_OR_MORE: Final[Schema] = {"anyOf": [_WORDS, _list_of(_WORDS)]}
_FORM_ANSWER: Final[Schema] = {
    "answers": {"type": "object", "additionalProperties": _ONE_OR_MORE},
    "response": {"anyOf": [{"type": "null"}, {"type": "string", "minLength": 1, "maxLength": MAX_RESPONSE}]},
}


def question_schema() -> Schema:
    """Return the schema of `to_wire(question)`: one of six objects, told apart by `kind`."""
    kinds = {
        "confirm": _kind("confirm", _PROMPT | {"action": _TEXT, "details": _OBJECT, "risk": _RISK}, "prompt", "risk"),
        "choice": _kind("choice", _PROMPT | _CHOICE, "prompt", "options", "multiSelect"),
        "number": _kind("number", _PROMPT | {"minimum": _NUMBER, "maximum": _NUMBER, "digits": _DIGITS}, "prompt"),
        "text": _kind("text", _PROMPT | {"max_length": _COUNT, "verbatim": _FLAG}, "prompt", "max_length"),
        "form": _kind("form", {"questions": _list_of(_FORM_QUESTION)}, "questions"),
        "approval": _kind("approval", _APPROVAL, "tool", "arguments", "digest", "risk"),
    }
    return _one_of("Question", kinds)


def answer_schema() -> Schema:
    """Return the schema of an answer as `respond` takes it and `to_wire(answer)` gives it, told apart by `action`.

    A confirmation and a form take `answer`, a choice `select`, a number and a text `submit`, an approval `approve` and
    `reject`; every question takes `decline`. The answer to a form may be its two members, or an object in `value`.
    """
    reason: Schema = {"reason": {"type": ["string", "null"], "maxLength": MAX_WORDS}}
    edits: Schema = {"edited_arguments": {"type": ["object", "null"]}}
    actions = {
        "approve": _action("approve", reason | edits),
        "reject": _action("reject", reason),
        "select": _action("select", {"value": _ONE_OR_MORE}, "value"),
        "submit": _action("submit", {"value": {"type": ["string", "number"]}}, "value"),
        "answer": _action("answer", {"value": {"anyOf": [{"type": "boolean"}, _object(_FORM_ANSWER)]}}, "value"),
        "answer_form": _action("answer", _FORM_ANSWER),
        "decline": _action("decline", reason),
    }
    return _one_of("Answer", actions)
