"""Does this answer that question? `check` a value, `check_answer` a whole `Answer`: the one gate for every answer.

A browser, an operator's console, the API, a keypad and a voice all come through here. What comes out is normalised:
equal answers are equal values, whichever way they came.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final, Literal, assert_never

from voice_hitl.errors import InvalidAnswer
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.chosen import check_choice
from voice_hitl.questions.form_answer import check_form
from voice_hitl.questions.json_value import json_fault
from voice_hitl.questions.misfit import compile_schema, misfit
from voice_hitl.questions.model import Approval, Choice, Confirm, Form, Number, Question, Text
from voice_hitl.questions.plain_text import plain_text, strip

_NUMBER: Final = re.compile(r"-?[0-9]{1,64}(\.[0-9]{1,64})?")

_EXACT: Final = 2**53
"""Up to it a double that has no fraction is exactly one integer."""


def check(question: Question, value: object) -> object:
    """Return `value` as the answer to `question`, normalised.

    - Confirm: a bool.
    - Choice: the id of an option, exactly, or the label of one without an id; a list of distinct ones with `multi`.
      Other words where it says `free_text`.
    - Number: an int or float within bounds, or its decimal digits as text; an int where there is no fraction. With
      `digits` the digits as text.
    - Text: the words, without the white space around them unless it is `verbatim`.
    - Form: `{"answers": {...}, "response": ...}`, both members, in the order of its questions.
    - Approval: `"approve"` or `"reject"`; its edits are checked with the whole answer (`check_answer`).

    Raises:
        InvalidAnswer: It does not answer the question; the text says why.
    """
    match question:
        case Confirm():
            return _confirmation(value)
        case Choice():
            return check_choice(question, value)
        case Number():
            return _number(question, value) if question.digits is None else _digits(question, question.digits, value)
        case Text():
            return _text(question, value)
        case Form():
            return check_form(question, value)
        case Approval():
            return _decision(value)
        case _:
            assert_never(question)


def check_answer(question: Question, answer: Answer) -> Answer:
    """Return `answer` with its value normalised, or its edits copied. A decline fits every kind of question.

    Raises:
        InvalidAnswer: It does not answer the question, or answers another kind of question.
    """
    decided = answer.decision is not None or answer.edited_arguments is not None
    if answer.decline:
        if decided or answer.value is not None:
            raise InvalidAnswer("to decline is to give no answer: this one has both")
        return answer
    if isinstance(question, Approval):
        return _approval(question, answer)
    if decided:
        raise InvalidAnswer("an approval answers no question: give the answer itself")
    value = check(question, answer.value)
    return answer if value is answer.value else replace(answer, value=value)


def _approval(approval: Approval, answer: Answer) -> Answer:
    if answer.value is not None:
        raise InvalidAnswer("an answer is not permission: approve or reject")
    decision = _decision(answer.decision)
    if answer.edited_arguments is None:
        return answer
    if decision != "approve":
        raise InvalidAnswer("what is rejected does not run: edits go only with an approval")
    return replace(answer, edited_arguments=_edits(approval, answer.edited_arguments))


def _edits(approval: Approval, edits: object) -> dict[str, object]:
    if not approval.allow_edits:
        raise InvalidAnswer(f"the arguments of {approval.tool} may not be edited: approve them as they are, or reject")
    if not isinstance(edits, Mapping):
        raise InvalidAnswer("edited arguments replace all of them: they must be an object")
    arguments: dict[str, object] = {**edits}
    if fault := json_fault(arguments):
        raise InvalidAnswer(f"edited arguments must be JSON: there is {fault} in them")
    if approval.parameters is not None:
        validator = compile_schema({**approval.parameters})
        if not validator.is_valid(arguments):
            raise InvalidAnswer(f"the edited arguments do not fit {approval.tool}: {misfit(validator, arguments)}")
    return arguments


def _confirmation(value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidAnswer("a confirmation is answered by true or false")
    return value


def _decision(value: object) -> Literal["approve", "reject"]:
    match value:
        case "approve":
            return "approve"
        case "reject":
            return "reject"
        case _:
            raise InvalidAnswer("an answer is not permission: approve or reject")


def _number(question: Number, value: object) -> int | float:
    number: object = value
    if isinstance(value, str):
        text = strip(value)
        if not _NUMBER.fullmatch(text):
            raise InvalidAnswer("that is no number")
        number = float(text) if "." in text else int(text)
    if isinstance(number, bool) or not isinstance(number, int | float) or json_fault(number):
        raise InvalidAnswer("that is no number")
    if isinstance(number, float) and number.is_integer() and abs(number) <= _EXACT:
        number = int(number)
    return _within(question, number)


def _digits(question: Number, count: int, value: object) -> str:
    text = strip(value) if isinstance(value, str) else ""
    if not (text.isascii() and text.isdigit() and len(text) == count):
        raise InvalidAnswer(f"that is not a text of exactly {count} digits")
    _within(question, int(text))
    return text


def _within(question: Number, number: int | float) -> int | float:
    if question.minimum is not None and number < question.minimum:
        raise InvalidAnswer(f"it must be at least {question.minimum}")
    if question.maximum is not None and number > question.maximum:
        raise InvalidAnswer(f"it must be at most {question.maximum}")
    return number


def _text(question: Text, value: object) -> str:
    try:
        words = plain_text(value, maximum=question.max_length)
    except ValueError as fault:
        raise InvalidAnswer(f"the answer {fault}") from None
    if not question.verbatim or not isinstance(value, str):
        return words
    if len(value) > question.max_length:
        raise InvalidAnswer(f"the answer is {len(value)} characters long: at most {question.max_length} are allowed")
    return value
