"""A host's plain text, read as the answer of a question (`HumanInputHandler.resolve`)."""

from collections.abc import Mapping
from typing import cast

from pydantic_core import from_json

from voice_hitl.enums import Via
from voice_hitl.errors import InvalidAnswer
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Choice, Confirm, Form, Number, Question, Text
from voice_hitl.questions.wire import respond

_YES = frozenset({"yes", "true"})
_NO = frozenset({"no", "false"})


def read_text(question: Question, text: str) -> Answer:
    """Read `text` as an answer to `question`, not yet checked.

    It is the wire form (`{"action": ...}`), or what the tool itself would say: `{"confirmed": true}`,
    `{"answers": {...}}`, `{"selected": "<id>"}`, or the bare value (yes, a label, a number, the words).

    Raises:
        InvalidAnswer: It cannot be read as an answer to this kind of question.
    """
    if isinstance(question, Text):
        return Answer(text, via=Via.API)
    value = _json_or_text(text)
    if isinstance(value, Mapping):
        members = cast("Mapping[str, object]", value)
        if "action" in members:
            return respond(question, members, via=Via.API)
        return Answer(_member(question, members), via=Via.API)
    match question:
        case Confirm():
            return Answer(_yes_or_no(value), via=Via.API)
        # A code's digits and an option's name are the text itself, though JSON may see a number in it.
        case Number(digits=int()):
            return Answer(text, via=Via.API)
        case Choice() if not _is_list(value):
            return Answer(text, via=Via.API)
        case _:
            return Answer(value, via=Via.API)


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _json_or_text(text: str) -> object:
    try:
        return from_json(text, allow_inf_nan=False)
    except (ValueError, TypeError):  # a TypeError: half of a surrogate pair is no text to it
        return text.strip()


def _member(question: Question, members: Mapping[str, object]) -> object:
    """The value inside the form in which the tool itself would put it."""
    match question:
        case Form():
            return members
        case Confirm():
            name = "confirmed"
        case Choice():
            name = "selected"
        case _:
            raise InvalidAnswer("a bare value is expected, not an object")
    if name not in members:
        raise InvalidAnswer(f"an object with {name!r} is expected")
    return members[name]


def _yes_or_no(value: object) -> bool:
    if isinstance(value, bool):
        return value
    word = value.casefold() if isinstance(value, str) else ""
    if word in _YES or word in _NO:
        return word in _YES
    raise InvalidAnswer("a confirmation is answered with yes or no")
