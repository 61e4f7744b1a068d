"""A tool's question, answered in text."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from voice_hitl.cli.main import app
from voice_hitl.cli.talk import CannotTalk, question_of, turn_of
from voice_hitl.testing.converse import Key, Silence

TOOLS = """
from voice_hitl.questions.model import Confirm
from voice_hitl.tools.asking import confirm_action
from voice_hitl.tools.definition import AITool

confirm = confirm_action()
refund = AITool(
    "refund", requires_approval=lambda arguments: True, approvers=("caller",), speak="Refund {amount} euros."
)
question = Confirm(prompt="Shall I book it?")
nothing = 7
amount = {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}
bounded = AITool("refund", parameters=amount, requires_approval=True, approvers=("caller",))
"""


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str], str]:
    path = tmp_path / "tools.py"
    path.write_text(TOOLS)
    return lambda name: f"{path}:{name}"


def test_a_dialogue_is_held_with_the_reason_for_every_reading(file: Callable[[str], str]) -> None:
    given = ["talk", file("confirm"), "--arguments", '{"action": "Book a table."}']
    result = CliRunner().invoke(app, given, input="what does it cost?\nno, at eight\n")
    assert result.exit_code == 0
    assert "Book a table." in result.output
    assert "goes to the model" in result.output
    assert "answered: False" in result.output


def test_a_tool_that_needs_an_approval_is_asked_about_as_a_call_does(file: Callable[[str], str]) -> None:
    given = ["talk", file("refund"), "--arguments", '{"amount": 20}']
    result = CliRunner().invoke(app, given, input="no\n")
    assert result.exit_code == 0
    assert "agent: Refund 20 euros. Shall I go ahead?" in result.output
    assert "answered: False" in result.output


def test_who_hangs_up_leaves_it_open(file: Callable[[str], str]) -> None:
    result = CliRunner().invoke(app, ["talk", file("question")], input="")
    assert result.exit_code == 0
    assert "answered" not in result.output


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("nothing", "{}", "is neither a tool"),
        ("confirm", "{", "not JSON"),
        ("confirm", "[]", "a JSON object"),
        ("confirm", "{}", "cannot be asked"),
        ("bounded", "{}", '"amount" is a required property'),
    ],
)
def test_what_cannot_be_talked_about_is_said(file: Callable[[str], str], name: str, arguments: str, why: str) -> None:
    with pytest.raises(CannotTalk, match=why):
        question_of(file(name), arguments)


def test_a_file_that_is_none_is_an_error() -> None:
    assert CliRunner().invoke(app, ["talk", "nowhere.py:tool"]).exit_code == 1


def test_what_a_line_stands_for() -> None:
    assert turn_of("#1") == Key("1")
    assert turn_of(" ") == Silence(10)
    assert turn_of("yes ") == "yes"
