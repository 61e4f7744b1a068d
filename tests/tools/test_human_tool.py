"""Tools that a person answers."""

import json

import pytest

from voice_hitl.enums import Via
from voice_hitl.questions import Answer, Choice, Confirm, Form, Number, Option, Question, Text, check_answer
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.human_tool import HumanTool, as_human_tool, human_tool, model_text

A, B = Option(label="A", id="a"), Option(label="B", id="b")


@pytest.mark.parametrize(
    ("arguments", "prompt"),
    [
        ({"question": "What now?", "prompt": "p", "message": "m"}, "What now?"),
        ({"question": " ", "prompt": "p", "message": "m"}, "p"),
        ({"question": 3, "message": "m"}, "m"),
        ({"city": "Paris"}, "Ask the desk."),
        ({}, "Ask the desk."),
    ],
)
def test_a_plain_tool_is_asked_by_its_argument_or_else_by_its_description(
    arguments: dict[str, object], prompt: str
) -> None:
    question = as_human_tool(AITool("desk", "Ask the desk.")).question(arguments)
    assert isinstance(question, Text)
    assert question.prompt == prompt


def test_without_any_words_it_is_asked_by_its_title_or_name() -> None:
    assert as_human_tool(AITool("desk")).question({}) == human_tool(AITool("x", "desk")).question({})
    titled = as_human_tool(AITool("desk", title="The desk")).question({})
    assert isinstance(titled, Text)
    assert titled.prompt == "The desk"


@pytest.mark.parametrize("words", ["yes", " two words \n", '{"error": "not one"}', "x" * 100_000, "é\u200b"])
def test_the_answer_of_a_plain_tool_is_its_text_exactly_as_it_is_given(words: str) -> None:
    tool = as_human_tool(AITool("desk"))
    question = tool.question({})
    assert tool.result(question, check_answer(question, Answer(words))) == words


def test_a_tool_that_knows_how_to_ask_stays_as_it_is() -> None:
    tool = human_tool(AITool("age"), question=lambda _arguments: Number(prompt="How old?"))
    assert as_human_tool(tool) is tool
    assert tool.name == "age"


def test_your_own_question_and_your_own_words() -> None:
    tool = human_tool(
        AITool("age"),
        question=lambda arguments: Number(prompt=f"How old is {arguments['who']}?"),
        result=lambda answer: f"{answer.value} years",
    )
    question = tool.question({"who": "Ann"})
    assert question == Number(prompt="How old is Ann?")
    assert tool.result(question, Answer(33)) == "33 years"


READ: list[tuple[Question, Answer, object]] = [
    (Text(prompt="?"), Answer("as it is"), "as it is"),
    (Number(prompt="?", digits=4), Answer("0042"), "0042"),
    (Number(prompt="?"), Answer(2.5), "2.5"),
    (Choice(prompt="?", options=(A, B)), Answer("a"), "a"),
    (Choice(prompt="?", options=(A, B), multi=True), Answer(["b", "a"]), '["b", "a"]'),
    (Confirm(prompt="?"), Answer(False), '{"confirmed": false, "via": "api"}'),
    (
        Confirm(prompt="?"),
        Answer(True, via=Via.VOICE, evidence={"transcript": "oui, très bien", "rule": "yes"}),
        '{"confirmed": true, "via": "voice", "said": "oui, très bien"}',
    ),
    (Confirm(prompt="?"), Answer(True, via=Via.KEY, evidence={"transcript": " "}), '{"confirmed": true, "via": "key"}'),
    (Confirm(prompt="?"), Answer(True, evidence={"transcript": 3}), '{"confirmed": true, "via": "api"}'),
    (
        Form(questions=(Choice(prompt="When?", options=(A, B)),)),
        Answer({"answers": {"When?": "A"}, "response": None}),
        '{"answers": {"When?": "A"}}',
    ),
    (
        Form(questions=(Choice(prompt="When?", options=(A, B)),)),
        Answer({"answers": {}, "response": "soon"}),
        '{"response": "soon"}',
    ),
]


@pytest.mark.parametrize(("question", "answer", "text"), READ)
def test_what_the_model_reads_by_the_kind_of_question(question: Question, answer: Answer, text: str) -> None:
    assert model_text(question, answer) == text


def test_of_a_sensitive_answer_the_model_reads_only_that_it_was_collected() -> None:
    def pin(_arguments: object) -> Number:
        return Number(prompt="PIN?", digits=4, sensitive=True)

    def read_by_model(tool: HumanTool) -> str:
        return tool.result(tool.question({}), Answer("0042"))

    assert json.loads(read_by_model(human_tool(AITool("pin"), question=pin))) == {"collected": True}
    assert read_by_model(human_tool(AITool("pin"), question=pin, reveal_to_model=True)) == "0042"
    assert read_by_model(human_tool(AITool("pin"), question=pin, result=lambda _answer: "got it")) == "got it"
