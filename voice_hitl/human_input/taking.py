"""What an answer comes to: whether it is one, what the model reads of it, and how it ends its request."""

from collections.abc import Sequence
from typing import Final, cast

from voice_hitl.asker import CALLER
from voice_hitl.enums import RequestEnd, Via
from voice_hitl.errors import InvalidAnswer
from voice_hitl.frozen import frozen
from voice_hitl.human_input.new_request import NewRequest
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.check import check_answer
from voice_hitl.questions.model import Approval, Question
from voice_hitl.questions.reading import read_text
from voice_hitl.questions.wire import to_wire
from voice_hitl.tools.human_tool import model_json, model_text


@frozen()
class Taken:
    """How an answer ends its request.

    `text` is what the model reads of it, `reason` why it was declined, `answer` the answer itself, unless sensitive.
    """

    end: RequestEnd
    text: str | None = None
    reason: str | None = None
    by: str | None = None
    via: Via = Via.API
    answer: Answer | None = None


def may_answer(audience: Sequence[str], by: str | None, caller: str | None, roles: Sequence[str] = ()) -> bool:
    """Whether `by`, or one of their roles, is in the audience. Empty: anyone.

    `"caller"` is whoever is on the session's leg, and no name of a person or a role.
    """
    if not audience:
        return True
    if any(role in audience and role != CALLER for role in roles):
        return True
    if by is None:
        return False
    return (by in audience and by != CALLER) or (CALLER in audience and caller is not None and by == caller)


def take_answer(request: NewRequest, answer: Answer) -> Taken:
    """Check an answer against what was asked.

    Raises:
        InvalidAnswer: It does not answer the question, or what the model would read is longer than it can take. Where
            the tool's own `result` failed, its error is the cause.
    """
    question = request.pending.question
    if question is not None:
        answer = check_answer(question, answer)
    elif answer.decision is not None or answer.edited_arguments is not None:
        raise InvalidAnswer("an approval answers no question: give the answer itself")
    if answer.decline or answer.decision == "reject":
        return Taken(RequestEnd.REFUSED, None, answer.reason or "", answer.by, answer.via)
    text = _plain(answer) if question is None else _for_the_model(request, question, answer)
    if request.max_chars is not None and len(text) > request.max_chars:
        raise InvalidAnswer(f"the answer is too long: {len(text)} characters, where {request.max_chars} can be taken")
    shown = None if request.pending.sensitive else answer
    return Taken(RequestEnd.ANSWERED, text, None, answer.by, answer.via, shown)


def take_text(request: NewRequest, text: str) -> Taken:
    """Read the host's own word as the answer to what was asked, and check it.

    Raises:
        InvalidAnswer: It cannot be read so, or does not answer the question. An approval is never given by a text.
    """
    question = request.pending.question
    if isinstance(question, Approval):
        raise InvalidAnswer("it is an approval: answer() gives one, resolve() does not")
    return take_answer(request, Answer(text, via=Via.API) if question is None else read_text(question, text))


def _plain(answer: Answer) -> str:
    if not isinstance(answer.value, str):
        raise InvalidAnswer("the answer is text")
    return answer.value


def _for_the_model(request: NewRequest, question: Question, answer: Answer) -> str:
    if request.tool is None:
        is_approval = isinstance(question, Approval)
        return model_json(to_wire(answer, question)) if is_approval else model_text(question, answer)
    try:
        text = cast("object", request.tool.result(question, answer))
    except Exception as error:  # the border to users' code: it becomes a verdict
        raise InvalidAnswer(_UNTOLD) from error
    if not isinstance(text, str):
        raise InvalidAnswer(_UNTOLD) from TypeError(f"it must be text, not {type(text).__name__}")
    return text


_UNTOLD: Final = "what the model is to read of the answer could not be made"
