"""Which tools a session declares to its model."""

import pytest

from voice_hitl.asker import AskerSession, Asking, GaveUp
from voice_hitl.channels.declared import KEPT, DeclaredTools, check_names
from voice_hitl.channels.options import SessionOptions
from voice_hitl.doors.gate import Gate
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tools.asking import confirm_action
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.policy import ToolPolicy

LOOK_UP = AITool("look_up")


class AnAsker:
    """Reaches somebody, or nobody."""

    name = "somebody"

    def __init__(self, *, reaches: bool = True, breaks: bool = False) -> None:
        self._reaches = reaches
        self._breaks = breaks

    def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
        if self._breaks:
            raise KeyError("the desk")
        return self._reaches

    async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
        return GaveUp(0)


def handler(*, reaches: bool = True, breaks: bool = False, withdrawable: bool = False) -> HumanInputToolHandler:
    return HumanInputToolHandler(
        {"ConfirmAction"},
        tool_definitions=[confirm_action()],
        askers=[AnAsker(reaches=reaches, breaks=breaks)],
        withdrawable=withdrawable,
    )


def gate(
    human: HumanInputToolHandler | None,
    *tools: AITool,
    heard: bool = False,
    policy: ToolPolicy | None = None,
    role: str | None = None,
) -> Gate:
    options = SessionOptions(system_prompt="", voice=None, language="en", tools=tools, tool_policy=policy, role=role)
    return DeclaredTools("voice", human, lambda: heard).gate(options, None)


def test_the_hosts_tools_and_a_persons() -> None:
    assert gate(handler(), LOOK_UP).catalogue.names == ("look_up", "ConfirmAction")


def test_a_persons_tool_that_reaches_nobody_is_not_declared_and_a_warning_says_so_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    declared = DeclaredTools("voice", handler(reaches=False, withdrawable=True), lambda: False)
    options = SessionOptions(system_prompt="", voice=None, language="en", tools=(LOOK_UP,), tool_policy=None)
    for _ in range(2):
        assert declared.gate(options, None).catalogue.names == ("look_up",)
    assert caplog.text.count("no person will ever be asked through ConfirmAction") == 1


def test_an_asker_that_breaks_when_it_is_asked_whom_it_reaches_reaches_nobody(caplog: pytest.LogCaptureFixture) -> None:
    assert gate(handler(breaks=True), LOOK_UP).catalogue.names == ("look_up",)
    assert "asker somebody cannot say whom it reaches" in caplog.text


def test_a_hook_that_listens_reaches_somebody() -> None:
    assert gate(handler(reaches=False), heard=True).catalogue.names == ("ConfirmAction",)


def test_withdrawing_is_offered_with_the_tools_that_ask() -> None:
    assert gate(handler(withdrawable=True)).catalogue.names == ("ConfirmAction", "withdraw_request")


def test_a_name_that_is_served_without_a_definition_must_be_the_hosts(caplog: pytest.LogCaptureFixture) -> None:
    human = HumanInputToolHandler({"ask"}, askers=[AnAsker()])
    assert gate(human, LOOK_UP).catalogue.names == ("look_up",)
    assert "through ask, because it has no definition" in caplog.text
    caplog.clear()
    assert gate(human, AITool("ask")).catalogue.names == ("ask",)
    assert caplog.text == ""


def test_what_the_policy_denies_is_not_declared() -> None:
    policy = ToolPolicy(deny=("look_*",), roles={"member": ToolPolicy()})
    assert gate(None, LOOK_UP, policy=policy).catalogue.names == ()
    assert gate(None, LOOK_UP, policy=policy, role="member").catalogue.names == ("look_up",)


def test_only_where_nothing_was_ever_to_be_declared_does_any_name_pass() -> None:
    assert gate(None).undeclared_pass
    assert not gate(None, LOOK_UP, policy=ToolPolicy(deny=("look_up",))).undeclared_pass
    assert not gate(handler(reaches=False)).undeclared_pass


def test_the_same_tools_are_compiled_once_and_only_so_many_are_kept() -> None:
    declared = DeclaredTools("voice", None, lambda: False)

    def options(*tools: AITool) -> SessionOptions:
        return SessionOptions(system_prompt="", voice=None, language="en", tools=tools, tool_policy=None)

    first = declared.gate(options(LOOK_UP), None).catalogue
    assert declared.gate(options(LOOK_UP), None).catalogue is first
    for number in range(KEPT):
        declared.gate(options(AITool(f"tool-{number}")), None)
    assert declared.gate(options(LOOK_UP), None).catalogue is not first


def test_a_host_tool_under_a_persons_name_is_refused() -> None:
    with pytest.raises(ValueError, match="defined by human_input_handler already"):
        check_names([AITool("ConfirmAction")], handler())
    check_names([LOOK_UP], handler())


def test_a_tool_to_be_approved_needs_somebody_to_ask() -> None:
    gated = AITool("refund", requires_approval=True, approvers=("caller",))
    with pytest.raises(ValueError, match="give the channel a human_input_handler"):
        check_names([gated], None)
    check_names([gated], handler())
