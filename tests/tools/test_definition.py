"""`AITool`: refused where it is written, when it could not work."""

import pytest

from voice_hitl.tools.definition import AITool


@pytest.mark.parametrize("name", ["", "  "])
def test_a_tool_needs_a_name(name: str) -> None:
    with pytest.raises(ValueError, match="a tool needs a name"):
        AITool(name)


def test_without_parameters_it_takes_an_empty_object() -> None:
    assert AITool("now").parameters == {"type": "object", "properties": {}}


def test_a_tool_that_needs_approval_says_who_may_give_it() -> None:
    with pytest.raises(ValueError, match="say who may"):
        AITool("refund", requires_approval=True)
    with pytest.raises(ValueError, match="say who may"):
        AITool("refund", requires_approval=lambda arguments: "amount" in arguments)
    assert AITool("refund", requires_approval=True, approvers=("caller",)).approvers == ("caller",)


def test_approvers_are_a_list_and_not_the_letters_of_a_word() -> None:
    with pytest.raises(ValueError, match=r"approvers=\('caller',\)"):
        AITool("refund", requires_approval=True, approvers="caller")  # type: ignore[arg-type] # the mistake
