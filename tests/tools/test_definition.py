"""`AITool`: refused where it is written, when it could not work."""

from collections.abc import Mapping

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


def test_a_risk_that_is_none_is_refused_and_does_not_pass_for_normal() -> None:
    with pytest.raises(ValueError, match='risk is "normal" or "high", not \'hihg\''):
        AITool("refund", risk="hihg")  # type: ignore[arg-type] # the mistake


@pytest.mark.parametrize("parameters", [{"type": "array"}, []])
def test_parameters_are_the_schema_of_an_object(parameters: Mapping[str, object]) -> None:
    with pytest.raises(ValueError, match="parameters is the JSON Schema of an object"):
        AITool("refund", parameters=parameters)
