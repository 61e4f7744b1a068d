"""The tools that come ready."""

from typing import cast

import pytest

from voice_hitl.enums import Risk, Via
from voice_hitl.errors import InvalidQuestion
from voice_hitl.questions import Answer, Choice, Confirm, Text, check_answer, parse_form
from voice_hitl.tools.asking import HumanTool, ask_human, ask_user_question, confirm_action
from voice_hitl.tools.schema import CompiledSchema

FORM: dict[str, object] = {
    "questions": [
        {
            "question": "When?",
            "header": "  Deliverytime ",
            "options": [{"label": "Morning", "description": "d"}, {"label": "Evening", "description": "d"}],
            "multiSelect": False,
        }
    ]
}
READY = [ask_user_question(), confirm_action(), ask_human()]


@pytest.mark.parametrize("tool", READY, ids=lambda tool: tool.name)
def test_the_model_is_told_not_to_ask_aloud_what_the_tool_asks(tool: HumanTool) -> None:
    assert "Do not ask the question aloud yourself" in tool.definition.description


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (ask_user_question(), FORM),
        (confirm_action(), {"action": "Transfer 500", "details": {"to": "Ann"}, "risk": "high"}),
        (confirm_action(), {"action": "Transfer 500"}),
        (ask_human(), {"kind": "input", "prompt": "Name?"}),
        (ask_human(), {"kind": "choice", "prompt": "Which?", "options": [{"id": "a", "label": "A"}]}),
    ],
)
def test_what_can_be_asked_fits_the_schema_the_model_is_given(tool: HumanTool, arguments: dict[str, object]) -> None:
    CompiledSchema(tool.definition.parameters).validate(arguments)
    tool.question(arguments)


def test_the_names_are_yours_to_choose() -> None:
    assert [tool.name for tool in READY] == ["ask_user_question", "ConfirmAction", "ask_human"]
    assert ask_user_question("AskUserQuestion").name == "AskUserQuestion"
    assert confirm_action("may_i").name == "may_i"
    assert ask_human("ask").name == "ask"


# --- ask_user_question -----------------------------------------------------------------------------------------------


def test_a_form_is_asked_and_read_back() -> None:
    tool = ask_user_question()
    question = tool.question(FORM)
    assert question == parse_form(FORM)
    value = {"answers": {"When?": "Morning"}, "response": "ring first"}
    answer = check_answer(question, Answer(value, via=Via.CARD))
    assert tool.result(question, answer) == '{"answers": {"When?": "Morning"}, "response": "ring first"}'


def test_what_the_schema_lets_pass_the_form_still_refuses_and_says_why() -> None:
    many = {"questions": cast("list[object]", FORM["questions"]) * 5}
    assert CompiledSchema(ask_user_question().definition.parameters).is_valid(many)
    with pytest.raises(InvalidQuestion, match="questions has 5 entries: 1 to 4 are allowed"):
        ask_user_question().question(many)


# --- confirm_action --------------------------------------------------------------------------------------------------


def test_an_action_is_confirmed_with_what_decides_it() -> None:
    arguments: dict[str, object] = {"action": " Transfer 500 ", "details": {"to": "Ann"}}
    assert confirm_action().question(arguments) == Confirm(
        prompt="Transfer 500", action="Transfer 500", details={"to": "Ann"}
    )


@pytest.mark.parametrize(
    ("host", "model", "risk"),
    [
        ("normal", None, "normal"),
        ("normal", "normal", "normal"),
        ("normal", "high", "high"),
        ("high", None, "high"),
        ("high", "normal", "high"),
        ("high", "high", "high"),
    ],
)
def test_the_risk_the_model_names_can_only_raise_the_hosts(host: Risk, model: str | None, risk: str) -> None:
    given = {"action": "Pay"} | ({} if model is None else {"risk": model})
    question = confirm_action(risk=host).question(given)
    assert isinstance(question, Confirm)
    assert question.risk == risk


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({}, "the call has no action"),
        ({"action": " "}, "action of the call is blank"),
        ({"action": "Pay", "amount": 500}, "unknown member 'amount': it may have action, details, risk"),
        ({"action": "Pay", "details": "500"}, "details must be an object"),
        ({"action": "Pay", "risk": "low"}, 'risk must be "normal" or "high"'),
        ({"action": "Pay", "risk": None}, 'risk must be "normal" or "high"'),
    ],
)
def test_an_action_that_cannot_be_asked_says_what_to_correct(arguments: dict[str, object], why: str) -> None:
    with pytest.raises(InvalidQuestion, match=why):
        confirm_action().question(arguments)


def test_a_no_is_an_answer_in_the_persons_words() -> None:
    tool = confirm_action()
    question = tool.question({"action": "Pay"})
    answer = Answer(False, via=Via.VOICE, evidence={"transcript": "no, make it fifty"})
    assert tool.result(question, check_answer(question, answer)) == (
        '{"confirmed": false, "via": "voice", "said": "no, make it fifty"}'
    )


# --- ask_human -------------------------------------------------------------------------------------------------------


def test_a_choice_is_read_by_its_id_and_an_input_by_its_text() -> None:
    tool = ask_human()
    choice = tool.question({"kind": "choice", "prompt": "Which?", "options": [{"id": "exp", "label": "Express"}]})
    assert isinstance(choice, Choice)
    assert tool.result(choice, check_answer(choice, Answer("exp"))) == '{"selected": "exp"}'
    text = tool.question({"kind": "input", "prompt": "Name?"})
    assert text == Text(prompt="Name?")
    assert tool.result(text, check_answer(text, Answer('Ann "é"'))) == '{"submitted": "Ann \\"é\\""}'


def test_a_bad_call_says_what_to_correct() -> None:
    with pytest.raises(InvalidQuestion, match="an input has no options"):
        ask_human().question({"kind": "input", "prompt": "p", "options": []})
