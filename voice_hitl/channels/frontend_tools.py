"""Which tools a page may offer to the model of its own call: a channel's rules, the same for all its sessions."""

from collections.abc import Collection
from typing import Final

from voice_hitl.channels.options import SessionOptions
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.messages import ToolRegister
from voice_hitl.provider import ProviderCapabilities
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.schema import CompiledSchema

MOST: Final = 128
"""How many tools one page may offer."""


class FrontendTools:
    """The rules of a channel with `frontend_tools=`.

    Args:
        allowed: The names that a page may offer; None: any.
        human: Holds their calls as requests, for as long as a person has.
    """

    def __init__(self, allowed: Collection[str] | None, human: HumanInputToolHandler) -> None:
        self.human = human
        self._allowed = allowed

    @classmethod
    def of(
        cls,
        frontend_tools: bool | Collection[str],
        human: HumanInputToolHandler | None,
        capabilities: ProviderCapabilities,
    ) -> "FrontendTools | None":
        """The rules that a channel's `frontend_tools` stands for; None: a page may offer nothing.

        Raises:
            ValueError: There is nobody to hold their calls, the provider's tools cannot change during a session, or
                one name is given where several are meant.
        """
        if isinstance(frontend_tools, str):
            raise ValueError(f"frontend_tools is True, or a collection of names such as {{{frontend_tools!r}}}")
        if not frontend_tools:
            return None
        if human is None:
            raise ValueError("frontend_tools needs a human_input_handler: it holds their calls, and has their timeout")
        if capabilities.reconfigures == "none":
            raise ValueError("frontend_tools needs a provider whose tools can change during a session")
        return cls(None if isinstance(frontend_tools, bool) else frozenset(frontend_tools), human)

    def why_not(self, name: str, options: SessionOptions) -> str | None:
        """Why a page may not offer a tool of this name in a session with these options; None: it may."""
        if self._allowed is not None and name not in self._allowed:
            return f"this call takes no tool {name!r} from its page"
        if any(tool.name == name for tool in options.tools):
            return f"{name!r} is a tool of the agent's own: give yours another name"
        if self.human.serves(name):
            return f"{name!r} is a tool that a person answers: give yours another name"
        if options.tool_policy is not None and not options.tool_policy.allows(name, role=options.role):
            return f"the tool {name!r} is not allowed in this call"
        return None


def page_tool(message: ToolRegister) -> AITool:
    """Return the tool that a page offers.

    Raises:
        ValueError: Its parameters are no JSON Schema of an object; the text says what is wrong.
    """
    if message.parameters is None:
        return AITool(message.name, message.description)
    if message.parameters.get("type") != "object":
        raise ValueError('parameters must be the JSON Schema of an object: {"type": "object", ...}')
    tool = AITool(message.name, message.description, message.parameters)
    CompiledSchema(tool.parameters)
    return tool
