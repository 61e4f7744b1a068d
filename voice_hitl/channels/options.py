"""What one session is run with: its channel's options, or its own."""

from dataclasses import dataclass
from typing import TypedDict

from voice_hitl.tools.definition import AITool
from voice_hitl.tools.policy import ToolPolicy


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
