"""Questions and answers as the JSON that is published to front ends: `to_wire`, `question_from_wire`, `respond`.

A question is an object with its `kind` and its members; `multi` is called `multiSelect`. What is None or false is left
out, but `multiSelect`. The questions of a form look as the model gave them. An answer is `{"action": ...}` with
the members of that action. `schema.py` has both as JSON Schemas.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import datetime
from functools import cache
from typing import Final, Literal, assert_never, cast

import jsonschema_rs

from voice_hitl.enums import Via
from voice_hitl.errors import InvalidAnswer, InvalidQuestion
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.check import check_answer
from voice_hitl.questions.chosen import MAX_WORDS
from voice_hitl.questions.json_value import json_fault
from voice_hitl.questions.misfit import compile_schema, misfit
from voice_hitl.questions.model import Approval, Choice, Confirm, Form, Number, Option, Question, Text
from voice_hitl.questions.plain_text import plain_text
from voice_hitl.questions.schema import question_schema

RequestKind = Literal["question", "approval", "choice", "input"]
"""What is asked for. An answer of one kind never settles another."""

_ACTIONS: Final[Mapping[RequestKind, tuple[str, ...]]] = {
    "question": ("answer",),
    "approval": ("approve", "reject"),
    "choice": ("select",),
    "input": ("submit",),
}
_DECISIONS: Final[Mapping[str, Literal["approve", "reject"]]] = {"approve": "approve", "reject": "reject"}
_KINDS: Final[Mapping[str, type[Question]]] = {
    kind.__name__.lower(): kind for kind in (Confirm, Choice, Number, Text, Form, Approval)
}
_NO_EVIDENCE: Final[Mapping[str, object]] = {}


def request_kind(question: Question) -> RequestKind:
    """Return the kind of a request that asks `question`, and so which actions answer it."""
    match question:
        case Confirm() | Form():
            return "question"
        case Approval():
            return "approval"
        case Choice():
            return "choice"
        case Number() | Text():
            return "input"
        case _:
            assert_never(question)


def to_wire(item: Question | Answer, question: Question | None = None) -> dict[str, object]:
    """Return the published JSON of a question, or of an answer to `question`.

    `respond` reads an answer back. Without its question a text that chose an option cannot be told from one that was
    submitted, and is written as submitted.
    """
    if isinstance(item, Answer):
        return _answer_to_wire(item, question)
    wire = {"kind": type(item).__name__.lower()} | _members(item)
    if isinstance(item, Form):
        wire["questions"] = [_form_question_to_wire(choice) for choice in item.questions]
    return wire


def question_from_wire(wire: object) -> Question:
    """Read a question back from its published JSON.

    Raises:
        InvalidQuestion: It does not fit `question_schema()`, or could not be asked.
    """
    validator = _question_validator()
    if fault := json_fault(wire):
        raise InvalidQuestion(f"this is no question: there is {fault} in it")
    if not validator.is_valid(wire):
        raise InvalidQuestion(f"this is no question: {misfit(validator, wire)}")
    members = _python_members(cast("Mapping[str, object]", wire))
    return _made(str(members.pop("kind")), members)


def respond(
    question: Question,
    wire: object,
    *,
    by: str | None = None,
    via: Via = Via.CARD,
    at: datetime | None = None,
    confidence: float | None = None,
    evidence: Mapping[str, object] = _NO_EVIDENCE,
) -> Answer:
    """Read the wire form of an answer to `question`, checked; the keywords say who gave it, how, when, why it counts.

    A confirmation takes `{"action": "answer", "value": true}`, a form `{"action": "answer", "answers": {...},
    "response": ...}` or the two in `value`, a choice `{"action": "select", "value": ...}`, a number and a text
    `{"action": "submit", "value": ...}`, an approval `{"action": "approve", "edited_arguments"?, "reason"?}` or
    `{"action": "reject", "reason"?}`; all of them `{"action": "decline", "reason"?}`.

    Raises:
        InvalidAnswer: It is no answer, or not to this question. The request stays open.
    """
    if not isinstance(wire, Mapping):
        raise InvalidAnswer('an answer is an object: {"action": ...}')
    given = cast("Mapping[object, object]", wire)
    action = str(given.get("action"))
    expected = (*_ACTIONS[request_kind(question)], "decline")
    if action not in expected:
        raise InvalidAnswer(f"the action must be {' or '.join(expected)}")
    known = _known_members(question, action, given)
    for member in given:
        if member not in known:
            raise InvalidAnswer(f"{str(member)[:80]!r} does not go with the action {action}")
    answer = Answer(
        None if action in ("approve", "reject", "decline") else _value(given, known),
        by=by,
        via=via,
        at=at,
        confidence=confidence,
        evidence=evidence,
        decision=_DECISIONS.get(action),
        # Whether it is an object is for the check to say.
        edited_arguments=cast("Mapping[str, object] | None", given.get("edited_arguments")),
        reason=_reason(given.get("reason")),
        decline=action == "decline",
    )
    return check_answer(question, answer)


def _answer_to_wire(answer: Answer, question: Question | None) -> dict[str, object]:
    wire: dict[str, object] = {"action": "decline" if answer.decline else answer.decision or "answer"}
    if answer.edited_arguments is not None:
        wire["edited_arguments"] = dict(answer.edited_arguments)
    if answer.reason is not None:
        wire["reason"] = answer.reason
    value = answer.value
    if isinstance(value, Mapping):
        members = cast("Mapping[str, object]", value)
        wire |= {member: inner for member, inner in members.items() if inner}
    elif value is not None:
        wire["value"] = value
        if question is not None:
            wire["action"] = _ACTIONS[request_kind(question)][0]
        elif not isinstance(value, bool):
            wire["action"] = "select" if isinstance(value, list) else "submit"
    return wire


def _members(item: Question | Option) -> dict[str, object]:
    wire: dict[str, object] = {}
    for field in fields(item):
        value: object = getattr(item, field.name)
        if field.name == "multi":
            wire["multiSelect"] = value
        elif field.name == "options":
            wire["options"] = [_members(option) for option in cast("tuple[Option, ...]", value)]
        elif isinstance(value, Mapping):
            wire[field.name] = dict(cast("Mapping[str, object]", value))
        elif value is not None and value is not False:
            wire[field.name] = value
    return wire


def _form_question_to_wire(choice: Choice) -> dict[str, object]:
    wire = _members(choice)
    # A form's questions take other words: only one that does not says so.
    free_text = wire.pop("free_text", False)
    return {"question": wire.pop("prompt")} | wire | ({} if free_text else {"free_text": False})


def _python_members(wire: Mapping[str, object]) -> dict[str, object]:
    members = {**wire}
    if "multiSelect" in members:
        members["multi"] = members.pop("multiSelect")
        members["options"] = tuple(Option(**option) for option in cast("list[dict[str, str]]", members["options"]))
    if "questions" in members:
        questions = cast("list[dict[str, object]]", members["questions"])
        members["questions"] = tuple(_form_question_from_wire(question) for question in questions)
    return members


def _form_question_from_wire(wire: Mapping[str, object]) -> Question:
    members = {"free_text": True, **_python_members(wire)}
    members["prompt"] = members.pop("question")
    return _made("choice", members)


def _made(kind: str, members: Mapping[str, object]) -> Question:
    # The schema has checked the members; what it cannot say the question says of itself.
    make = cast("Callable[..., Question]", _KINDS[kind])
    return make(**members)


@cache
def _question_validator() -> jsonschema_rs.Validator:
    return compile_schema(question_schema())


def _known_members(question: Question, action: str, given: Mapping[object, object]) -> frozenset[str]:
    match action:
        case "approve":
            return frozenset({"action", "edited_arguments", "reason"})
        case "reject" | "decline":
            return frozenset({"action", "reason"})
        case "answer" if isinstance(question, Form) and "value" not in given:
            return frozenset({"action", "answers", "response"})
        case _:
            return frozenset({"action", "value"})


def _value(given: Mapping[object, object], known: frozenset[str]) -> object:
    if "value" not in known:
        return {member: value for member, value in given.items() if member != "action"}
    if "value" not in given:
        raise InvalidAnswer("the answer has no value")
    return given["value"]


def _reason(value: object) -> str | None:
    if value is None:
        return None
    try:
        return plain_text(value, maximum=MAX_WORDS)
    except ValueError as fault:
        raise InvalidAnswer(f"reason {fault}") from None
