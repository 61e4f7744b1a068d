"""`LateTools`: what this process can run after the call that it was approved in."""

import logging
from collections.abc import Sequence
from functools import partial

from voice_hitl.errors import ToolFailedError, ToolRefusedError
from voice_hitl.human_input.record import Run
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tasks import run_users_code
from voice_hitl.tools.context import ToolCallContext, tool_call_context
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler
from voice_hitl.tools.human_tool import HumanTool, model_json

log = logging.getLogger(__name__)


class LateTools:
    """Tools that may run late.

    Args:
        tools: The tools.
        handler: Runs them; None: nothing can run here.
    """

    def __init__(self, tools: Sequence[AITool | HumanTool], handler: ToolHandler | None) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._handler = handler

    def find(self, name: str) -> AITool | HumanTool | None:
        """The tool of this name."""
        return self._tools.get(name)

    def missing(self, name: str) -> str:
        """What keeps a tool from running here; empty: nothing."""
        if name not in self._tools:
            return f"this process has no tool {name!r} (tools=)"
        return "" if self._handler is not None else f"this process has nothing that runs {name!r} (tool_handler=)"

    def is_idempotent(self, name: str) -> bool:
        """Whether it does no harm to run a tool, which is here, a second time."""
        tool = self._tools[name]
        return (tool.definition if isinstance(tool, HumanTool) else tool).idempotent

    async def run(self, approved: PendingInput, arguments: dict[str, object]) -> Run:
        """Run the tool of an approval, of which nothing is `missing`; how it ended."""
        context = ToolCallContext(
            room_id=approved.room_id,
            call_id=approved.tool_call_id,
            channel_id=approved.channel_id,
            channel_type=approved.channel_type,
            session_id=approved.session_id,
            actor_id=approved.actor_id,
            door=approved.door,
        )
        name = approved.tool_name
        assert self._handler is not None, self.missing(name)
        try:
            with tool_call_context(context):
                result = await run_users_code(partial(self._handler, name, arguments), label=f"late run of {name}")
            return Run(result if isinstance(result, str) else model_json(result))
        except (ToolRefusedError, ToolFailedError) as error:
            return Run(error=str(error))
        except Exception as error:
            log.warning("the late run of %s failed", name, exc_info=error)
            return Run(error=f"The tool call failed ({type(error).__name__}).")
