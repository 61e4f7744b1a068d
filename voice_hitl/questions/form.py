"""`parse_form`: a model's question form, validated whole before anyone is asked."""

from collections.abc import Mapping, Sequence
from typing import Final, cast

from voice_hitl.errors import InvalidQuestion
from voice_hitl.questions.model import Choice, Form, Option
from voice_hitl.questions.plain_text import plain_text

MOST_QUESTIONS: Final = 4
FEWEST_OPTIONS: Final = 2
MOST_OPTIONS: Final = 4
MAX_QUESTION: Final = 8192
MAX_HEADER: Final = 12
MAX_LABEL: Final = 256
MAX_DESCRIPTION: Final = 4096

_QUESTION: Final = frozenset({"question", "header", "options", "multiSelect"})
_OPTION: Final = frozenset({"label", "description"})


def parse_form(arguments: object) -> Form:
    """Read `{"questions": [{"question", "header", "options": [{"label", "description"}], "multiSelect"?}]}`.

    1 to 4 questions of 2 to 4 options each. Lengths are code points after stripping: a question 8,192, a header 12, a
    label 256, a description 4,096; none is blank. Question texts are unique in the form, labels in their question.

    Raises:
        InvalidQuestion: It breaks a rule; the text says where, and what would be right.
    """
    form = members(arguments, "the call", frozenset({"questions"}))
    questions = _entries(form.get("questions"), "questions", 1, MOST_QUESTIONS)
    parsed = tuple(_question(question, f"questions[{index}]") for index, question in enumerate(questions))
    return Form(questions=parsed)


def members(value: object, where: str, known: frozenset[str]) -> Mapping[str, object]:
    """Return `value` as an object whose members are all `known`."""
    if not isinstance(value, (dict, Mapping)):
        raise InvalidQuestion(f"{where} must be an object")
    given = cast("Mapping[object, object]", value)
    for member in given:
        if member not in known:
            allowed = ", ".join(sorted(known))
            raise InvalidQuestion(f"{where} has an unknown member {str(member)[:80]!r}: it may have {allowed}")
    return cast("Mapping[str, object]", given)


def text_of(given: Mapping[str, object], member: str, where: str, maximum: int) -> str:
    """Return a text of at most `maximum` code points, stripped; blank or missing is refused."""
    if member not in given:
        raise InvalidQuestion(f"{where} has no {member}")
    try:
        return plain_text(given[member], maximum=maximum)
    except ValueError as fault:
        raise InvalidQuestion(f"{member} of {where} {fault}") from None


def _question(value: object, where: str) -> Choice:
    given = members(value, where, _QUESTION)
    prompt = text_of(given, "question", where, MAX_QUESTION)
    header = text_of(given, "header", where, MAX_HEADER)
    entries = _entries(given.get("options"), f"options of {where}", FEWEST_OPTIONS, MOST_OPTIONS)
    options = tuple(_option(option, f"options[{index}] of {where}") for index, option in enumerate(entries))
    multi = given.get("multiSelect", False)
    if not isinstance(multi, bool):
        raise InvalidQuestion(f"multiSelect of {where} must be true or false")
    return Choice(prompt=prompt, header=header, options=options, multi=multi, free_text=True)


def _option(value: object, where: str) -> Option:
    given = members(value, where, _OPTION)
    label = text_of(given, "label", where, MAX_LABEL)
    return Option(label=label, description=text_of(given, "description", where, MAX_DESCRIPTION))


def _entries(value: object, where: str, fewest: int, most: int) -> Sequence[object]:
    if not isinstance(value, list | tuple):
        raise InvalidQuestion(f"{where} must be an array")
    entries = cast("list[object] | tuple[object, ...]", value)
    if not fewest <= len(entries) <= most:
        raise InvalidQuestion(f"{where} has {len(entries)} entries: {fewest} to {most} are allowed")
    return entries
