"""Several handlers as one."""

import threading
from collections.abc import Awaitable
from functools import partial
from typing import cast

import pytest

from voice_hitl.errors import ToolRefusedError, UnservedToolCallError
from voice_hitl.tools.context import ToolCallContext, current_tool_actor_id, tool_call_context
from voice_hitl.tools.handler import ToolHandler, compose_tool_handlers

pytestmark = pytest.mark.anyio


def serves(name: str, result: object) -> ToolHandler:
    async def handler(called: str, _arguments: dict[str, object]) -> object:
        if called != name:
            raise UnservedToolCallError(called)
        return result

    return handler


async def run(handler: ToolHandler, name: str) -> object:
    return await cast("Awaitable[object]", handler(name, {"a": 1}))


async def test_the_next_handler_is_tried_where_one_does_not_serve_the_tool() -> None:
    composed = compose_tool_handlers(serves("a", "from a"), serves("b", {"from": "b"}), serves("a", "too late"))
    assert await run(composed, "a") == "from a"
    assert await run(composed, "b") == {"from": "b"}


async def test_what_nobody_serves_stays_unserved() -> None:
    with pytest.raises(UnservedToolCallError, match="none of 2 handlers serves the tool 'c'"):
        await run(compose_tool_handlers(serves("a", 1), serves("b", 2)), "c")
    with pytest.raises(UnservedToolCallError, match="none of 0"):
        await run(compose_tool_handlers(), "c")


async def test_any_other_error_ends_the_search() -> None:
    def refuses(_name: str, _arguments: dict[str, object]) -> str:
        raise ToolRefusedError("not today")

    with pytest.raises(ToolRefusedError, match="not today"):
        await run(compose_tool_handlers(refuses, serves("a", 1)), "a")


async def test_a_sync_handler_runs_in_a_worker_thread_in_the_same_context() -> None:
    def sync(_name: str, arguments: dict[str, object]) -> object:
        return (threading.current_thread() is threading.main_thread(), current_tool_actor_id(), arguments)

    with tool_call_context(ToolCallContext(actor_id="ann")):
        assert await run(compose_tool_handlers(serves("b", 1), sync), "a") == (False, "ann", {"a": 1})


async def test_composed_handlers_compose() -> None:
    inner = compose_tool_handlers(serves("a", 1), serves("b", 2))
    assert await run(compose_tool_handlers(serves("c", 3), partial(inner)), "b") == 2
