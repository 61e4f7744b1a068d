"""The call that is being served, for the code that serves it."""

import contextvars
from concurrent.futures import ThreadPoolExecutor

from voice_hitl.enums import ChannelType, DoorName
from voice_hitl.tools.context import ToolCallContext, current_tool_actor_id, current_tool_call, tool_call_context

CALL = ToolCallContext(
    room_id="r",
    call_id="c",
    channel_id="voice",
    channel_type=ChannelType.REALTIME_VOICE,
    session_id="s",
    actor_id="ann",
    allowed_names=("a", "b"),
    door=DoorName.PROVIDER_CALL,
)


def test_outside_a_call_there_is_none() -> None:
    assert current_tool_call() is None
    assert current_tool_actor_id() is None


def test_within_the_block_it_is_the_call_and_afterwards_what_it_was_before() -> None:
    with tool_call_context(CALL):
        assert current_tool_call() is CALL
        assert current_tool_actor_id() == "ann"
        with tool_call_context(ToolCallContext()):
            assert current_tool_actor_id() is None
        assert current_tool_call() is CALL
    assert current_tool_call() is None


def test_it_is_reset_when_the_block_fails() -> None:
    try:
        with tool_call_context(CALL):
            raise ZeroDivisionError
    except ZeroDivisionError:
        assert current_tool_call() is None


def test_another_thread_sees_it_only_by_a_copy_of_the_context() -> None:
    with ThreadPoolExecutor(1) as pool, tool_call_context(CALL):
        assert pool.submit(current_tool_actor_id).result() is None
        assert pool.submit(contextvars.copy_context().run, current_tool_actor_id).result() == "ann"
