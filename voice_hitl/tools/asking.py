"""The tools that come ready: `ask_user_question()`, `confirm_action()`, `ask_human()`; and `human_tool()` for your own.

Each returns a `HumanTool`. Its description tells the model not to ask aloud itself: the person would be asked twice.
"""

from collections.abc import Mapping
from typing import Final, cast

from voice_hitl.enums import Risk
from voice_hitl.errors import InvalidQuestion
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.ask_human import parse_ask_human
from voice_hitl.questions.form import MAX_QUESTION, members, parse_form, text_of
from voice_hitl.questions.model import Choice, Confirm, Question
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.human_tool import HumanTool, as_human_tool, human_tool, model_json, model_text

__all__ = ["HumanTool", "as_human_tool", "ask_human", "ask_user_question", "confirm_action", "human_tool"]

_ASKED_FOR_YOU: Final = (
    "Calling this tool asks the person, and the call returns with their answer. "
    "Do not ask the question aloud yourself, before or beside the call."
)
_TEXT: Final[dict[str, object]] = {"type": "string"}


def ask_user_question(name: str = "ask_user_question") -> HumanTool:
    """Return the tool that asks a form of 1 to 4 questions with 2 to 4 options each.

    Its arguments are `parse_form`'s. The model reads `{"answers": {...}}`, `{"response": "..."}` or both.
    """
    return HumanTool(AITool(name, _FORM_DESCRIPTION, _FORM_PARAMETERS), parse_form, model_text)


def confirm_action(name: str = "ConfirmAction", risk: Risk = "normal") -> HumanTool:
    """Return the tool that asks for a yes or a no before the model does something.

    Arguments: `{"action": "...", "details": {...}?, "risk": "normal" or "high"?}`. The model's risk can only raise
    `risk`. The model reads `{"confirmed": true, "via": "voice", "said": "..."}`: a no is an answer too.
    """

    def question(arguments: Mapping[str, object]) -> Confirm:
        return _confirmation(arguments, risk)

    return HumanTool(AITool(name, _CONFIRM_DESCRIPTION, _CONFIRM_PARAMETERS, risk=risk), question, model_text)


def ask_human(name: str = "ask_human") -> HumanTool:
    """Return the tool that asks for one choice, or for a text.

    Its arguments are `parse_ask_human`'s. The model reads `{"selected": "<id>"}` or `{"submitted": "<text>"}`.
    """
    return HumanTool(AITool(name, _ASK_DESCRIPTION, _ASK_PARAMETERS), parse_ask_human, _chosen_or_submitted)


def _confirmation(arguments: Mapping[str, object], host_risk: Risk) -> Confirm:
    given = members(arguments, "the call", frozenset({"action", "details", "risk"}))
    action = text_of(given, "action", "the call", MAX_QUESTION)
    details = given.get("details", {})
    if not isinstance(details, (dict, Mapping)):
        raise InvalidQuestion("details must be an object: what the person should hear, by name")
    risk = given.get("risk", host_risk)
    if risk not in ("normal", "high"):
        raise InvalidQuestion('risk must be "normal" or "high"')
    return Confirm(
        prompt=action,
        action=action,
        details=dict(cast("Mapping[str, object]", details)),
        risk="high" if "high" in (risk, host_risk) else "normal",
    )


def _chosen_or_submitted(question: Question, answer: Answer) -> str:
    return model_json({"selected" if isinstance(question, Choice) else "submitted": answer.value})


def _described(schema: Mapping[str, object], description: str) -> dict[str, object]:
    return {**schema, "description": description}


def _closed(properties: Mapping[str, object], *required: str) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": [*required], "additionalProperties": False}


# The schemas say the shape. Counts and lengths are in the descriptions: they hold of the text without the space around
# it, and what breaks them is told in the words of `parse_form` and `parse_ask_human`.

_FORM_DESCRIPTION: Final = (
    f"Ask the person 1 to 4 questions, each with 2 to 4 options to choose from. {_ASKED_FOR_YOU} "
    "They may answer in other words, or answer all of it at once: then the result has their words as response."
)
_FORM_OPTION: Final = _closed(
    {
        "label": _described(_TEXT, "What is chosen, in a few words, unique in its question; at most 256 characters."),
        "description": _described(_TEXT, "What choosing it means; at most 4,096 characters."),
    },
    "label",
    "description",
)
_FORM_QUESTION: Final = _closed(
    {
        "question": _described(_TEXT, "The whole question, unique in the call; at most 8,192 characters."),
        "header": _described(_TEXT, "A title of at most 12 characters, such as Delivery."),
        "options": {"type": "array", "items": _FORM_OPTION, "description": "2 to 4 options."},
        "multiSelect": {"type": "boolean", "description": "Whether several options may be chosen. Default: false."},
    },
    "question",
    "header",
    "options",
)
_FORM_PARAMETERS: Final = _closed(
    {"questions": {"type": "array", "items": _FORM_QUESTION, "description": "1 to 4 questions."}}, "questions"
)

_CONFIRM_DESCRIPTION: Final = (
    "Get the person's yes or no before you do something they would want to decide: anything that costs, sends, "
    f"changes, cancels or cannot be undone. {_ASKED_FOR_YOU} "
    "Act only on confirmed: true. After confirmed: false do not act; what they said may tell what they want instead."
)
_CONFIRM_PARAMETERS: Final = _closed(
    {
        "action": _described(
            _TEXT, "What would be done, as a short instruction, such as: Transfer 500 dollars to Ann Lee."
        ),
        "details": {
            "type": "object",
            "description": "The values that decide it, by name, such as amount and recipient.",
        },
        "risk": {
            "type": "string",
            "enum": ["normal", "high"],
            "description": "high where a wrong yes would do harm: it is asked twice.",
        },
    },
    "action",
)

_ASK_DESCRIPTION: Final = (
    "Ask the person one thing: a choice among options, or an input in their own words (a name, an address, a reason). "
    f"{_ASKED_FOR_YOU}"
)
_ASK_OPTION: Final = _closed(
    {
        "id": _described(_TEXT, "What you get back when it is chosen, unique."),
        "label": _described(_TEXT, "What the person hears or sees."),
        "description": _described(_TEXT, "What choosing it means."),
    },
    "id",
    "label",
)
_ASK_PARAMETERS: Final = _closed(
    {
        "kind": {
            "type": "string",
            "enum": ["choice", "input"],
            "description": "choice: one of options. input: their own words.",
        },
        "prompt": _described(_TEXT, "The question, as it is to be asked."),
        "options": {"type": "array", "items": _ASK_OPTION, "description": "For a choice only: at least one."},
    },
    "kind",
    "prompt",
)
