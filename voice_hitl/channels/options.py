"""What one session is run with: its channel's options, or its own."""

from dataclasses import dataclass
from typing import Literal, TypedDict

from voice_hitl.speech.languages import pack_for
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.policy import ToolPolicy

LatePolicy = Literal["drop", "inject", "speak"]
"""What a conversation is told of an answer that comes after its call had ended: nothing, a silent line, or a line that
it speaks of."""


class SessionOverrides(TypedDict, total=False):
    """What of a channel can be different for one session."""

    system_prompt: str
    voice: str | None
    language: str
    tools: tuple[AITool, ...]
    tool_policy: ToolPolicy | None
    role: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions:
    """What one session is run with: the channel's own, or its overrides."""

    system_prompt: str
    voice: str | None
    language: str
    tools: tuple[AITool, ...]
    tool_policy: ToolPolicy | None
    role: str | None = None

    def __post_init__(self) -> None:
        """Refuse what is no language, which would leave a caller only the keys to answer with."""
        pack_for(self.language)
