"""The answer to a form, checked in one fixed order, so that the same mistake is always told in the same words."""

from collections.abc import Mapping
from typing import Final, cast

from voice_hitl.errors import InvalidAnswer
from voice_hitl.questions.chosen import MAX_TEXTS, as_texts, pick
from voice_hitl.questions.model import Form
from voice_hitl.questions.plain_text import is_blank, plain_text, strip

MAX_RESPONSE: Final = 65_536
"""Code points of the response that stands for, or goes with, the answers."""

_MEMBERS: Final = frozenset({"answers", "response"})


def check_form(form: Form, value: object) -> dict[str, object]:
    """Return `{"answers": {question: text or texts}, "response": text or None}`, in the order of the questions.

    The order of the rules: the answer's own shape; every key names a question of this form; every question is
    answered, unless there is a response; no value mixes options with other words; one option where one is asked for.

    Raises:
        InvalidAnswer: The first rule that it breaks.
    """
    given, response = _shape(form, value)
    questions = {strip(question.prompt): question for question in form.questions}
    for key in given:
        if key not in questions:
            raise InvalidAnswer(f"{key[:200]!r} is none of the questions")
    missing = [prompt for prompt in questions if prompt not in given]
    if missing and response is None:
        raise InvalidAnswer(f"not answered: {missing[0][:200]!r}")
    answers = {prompt: pick(question, given[prompt]) for prompt, question in questions.items() if prompt in given}
    return {"answers": answers, "response": response}


def _shape(form: Form, value: object) -> tuple[dict[str, list[str]], str | None]:
    if not isinstance(value, Mapping):
        raise InvalidAnswer('the answer to a form is an object: {"answers": {...}, "response": ...}')
    members = cast("Mapping[object, object]", value)
    if unknown := [member for member in members if member not in _MEMBERS]:
        raise InvalidAnswer(f"{str(unknown[0])[:80]!r} is no member of an answer: only answers and response are")
    answers = members.get("answers", {})
    if not isinstance(answers, Mapping):
        raise InvalidAnswer("answers must be an object: each question's text and its answer")
    most = max(MAX_TEXTS, *(len(question.options) for question in form.questions))
    given = _answers(cast("Mapping[object, object]", answers), most)
    response = members.get("response")
    if response is None:
        return given, None
    try:
        return given, plain_text(response, maximum=MAX_RESPONSE)
    except ValueError as fault:
        raise InvalidAnswer(f"response {fault}") from None


def _answers(answers: Mapping[object, object], most: int) -> dict[str, list[str]]:
    given: dict[str, list[str]] = {}
    for key, value in answers.items():
        if not isinstance(key, str) or is_blank(key):
            raise InvalidAnswer("answers has a key that is no question: a blank one, or no text")
        question = strip(key)
        if question in given:
            raise InvalidAnswer(f"{question[:200]!r} is answered twice")
        given[question] = as_texts(value, f"the answer to {question[:200]!r}", most=most)
    return given
