"""A person's tool where there is a store: somebody can be reached later, if nobody can now."""

import pytest

from voice_hitl.channels.declared import DeclaredTools
from voice_hitl.channels.options import SessionOptions
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.stores.memory import MemoryStore
from voice_hitl.tools.asking import confirm_action

OPTIONS = SessionOptions(system_prompt="", voice=None, language="en", tools=(), tool_policy=None)


@pytest.mark.parametrize(("store", "declared"), [(None, ()), (MemoryStore(), ("ConfirmAction",))])
def test_a_persons_tool_is_declared_where_a_store_keeps_its_requests(
    store: MemoryStore | None, declared: tuple[str, ...]
) -> None:
    handler = HumanInputHandler(store=store)
    human = HumanInputToolHandler({"ConfirmAction"}, handler=handler, tool_definitions=[confirm_action()])
    gate = DeclaredTools("voice", human, lambda: False).gate(OPTIONS, None)
    assert gate.catalogue.names == declared
