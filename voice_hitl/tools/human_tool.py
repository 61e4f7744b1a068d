"""`HumanTool`: a tool that a person answers. How a call becomes a question, and an answer what the model reads."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Confirm, Form, Question, Text
from voice_hitl.questions.plain_text import is_blank
from voice_hitl.questions.wire import to_wire
from voice_hitl.tools.definition import AITool

LONGEST_ANSWER: Final = 1_000_000
"""Code points of an answer that is taken as it is given."""

_ASKING_ARGUMENTS: Final = ("question", "prompt", "message")


@dataclass(frozen=True, slots=True)
class HumanTool:
    """A tool that a person answers.

    Args:
        definition: What the model is told of it.
        question: What is asked, from a call's arguments, which have passed the definition's schema. `InvalidQuestion`:
            it cannot be asked, and the model reads why.
        result: What the model reads of a checked answer to that question.
    """

    definition: AITool
    question: Callable[[Mapping[str, object]], Question]
    result: Callable[[Question, Answer], str]

    @property
    def name(self) -> str:
        """What the model calls it by."""
        return self.definition.name


def human_tool(
    definition: AITool,
    *,
    question: Callable[[Mapping[str, object]], Question] | None = None,
    result: Callable[[Answer], str] | None = None,
    reveal_to_model: bool = False,
) -> HumanTool:
    """Make a tool of your own that a person answers.

    Args:
        definition: What the model is told of it.
        question: What to ask, from the call's arguments; raise `InvalidQuestion` to say what they should be. By default
            a text, asked by the `question`, `prompt` or `message` argument, else by the definition's description.
        result: What the model reads of an answer, in your words; what it says of a `sensitive` one is yours to decide.
            By default `model_text`.
        reveal_to_model: Whether the default tells the model a `sensitive` answer, rather than that it was collected.
    """
    given = result

    def default(question: Question, answer: Answer) -> str:
        return model_text(question, answer, reveal=reveal_to_model)

    return HumanTool(
        definition,
        question or (lambda arguments: plain_question(definition, arguments)),
        default if given is None else lambda _question, answer: given(answer),
    )


def as_human_tool(definition: AITool | HumanTool) -> HumanTool:
    """Return a definition that knows how to ask as it is; a plain one asks as `human_tool` does by default."""
    return definition if isinstance(definition, HumanTool) else human_tool(definition)


def plain_question(definition: AITool, arguments: Mapping[str, object]) -> Text:
    """Return what a tool asks that says nothing else; the answer is its text, exactly as it is given."""
    for name in _ASKING_ARGUMENTS:
        prompt = arguments.get(name)
        if isinstance(prompt, str) and not is_blank(prompt):
            break
    else:
        words = (definition.description, definition.title or "", definition.name)
        prompt = next(text for text in words if not is_blank(text))
    return Text(prompt=prompt, max_length=LONGEST_ANSWER, verbatim=True)


def model_text(question: Question, answer: Answer, *, reveal: bool = False) -> str:
    """Return what the model reads of a checked answer, by the kind of question.

    - text and a code of digits: as it is;
    - Confirm: `{"confirmed": true, "via": "voice", "said": "yes, do it"}`, `said` where there is a transcript;
    - Form: `{"answers": {...}}`, `{"response": "..."}` or both;
    - a number, a choice of several: JSON.

    Of a `sensitive` question only `{"collected": true}`, unless `reveal`.
    """
    if question.sensitive and not reveal:
        return '{"collected": true}'
    if isinstance(question, Confirm):
        said = answer.evidence.get("transcript")
        spoken = {"said": said} if isinstance(said, str) and not is_blank(said) else {}
        return model_json({"confirmed": answer.value, "via": answer.via} | spoken)
    if isinstance(question, Form):
        wire = to_wire(answer, question)
        return model_json({member: wire[member] for member in ("answers", "response") if member in wire})
    return answer.value if isinstance(answer.value, str) else model_json(answer.value)


_encode: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def model_json(value: object) -> str:
    """Return JSON for the model to read: people's words as they are, not as escapes."""
    return _encode(value)
