"""`ToolHandler`: the application's code that runs tools, and how several become one."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import cast

from voice_hitl.errors import UnservedToolCallError
from voice_hitl.tasks import is_async_callable, run_users_code

ToolHandler = Callable[[str, dict[str, object]], object]
"""`(name, arguments) -> str | JSON`, sync or async. A str is what the model reads, verbatim; other values go as JSON.

It raises `UnservedToolCallError` for a tool that is not its own, `ToolRefusedError` or `ToolFailedError` to say to the
model what it did not do and why; of any other exception the model reads only the class. A sync handler runs in a worker
thread.
"""


def compose_tool_handlers(*handlers: ToolHandler) -> ToolHandler:
    """Return one handler that tries each in order, going on to the next where one raises `UnservedToolCallError`.

    Each runs as it would alone: a sync one in a worker thread. When none serves the tool, it raises the same error.
    """

    async def composed(name: str, arguments: dict[str, object]) -> object:
        for handler in handlers:
            try:
                if is_async_callable(handler):
                    return await cast("Awaitable[object]", handler(name, arguments))
                return await run_users_code(partial(handler, name, arguments), label=f"tool {name}")
            except UnservedToolCallError:
                continue
        raise UnservedToolCallError(f"none of {len(handlers)} handlers serves the tool {name!r}")

    return composed
