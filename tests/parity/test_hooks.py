"""Hooks: what they are, in which order they run, and whom they hear of."""

from typing import cast

import pytest

from tests.parity.door import Door, Setup, error
from tests.parity.rules import rule
from voice_hitl.enums import ChannelType, HookTrigger
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext, HookFunction, HookResult

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


async def takes_too_little(_event: ToolCallEvent) -> None: ...
async def says_yes(_event: ToolCallEvent, _ctx: HookContext) -> bool: ...  # type: ignore[empty-body]  # never called


@rule("H1")
@pytest.mark.parametrize("trigger", [HookTrigger.BEFORE_TOOL_USE, HookTrigger.ON_TOOL_CALL])
async def test_what_takes_or_returns_anything_else_is_a_type_error_at_its_registration(
    door: Door, trigger: HookTrigger
) -> None:
    async with door.place(Setup()) as place:
        for wrong in (takes_too_little, says_yes, "a name"):
            with pytest.raises(TypeError):
                place.kit.hook(trigger)(cast("HookFunction", wrong))
        await place.issue("look_up", {"q": "menu"})
        assert "menu" in await place.read()
        assert (await place.report()).error_detail is None


@rule("H2")
async def test_sync_hooks_run_one_after_another_each_seeing_the_event_as_the_one_before_left_it(door: Door) -> None:
    seen: list[object] = []
    async with door.place(Setup()) as place:

        @place.kit.hook(HookTrigger.BEFORE_TOOL_USE, priority=2)
        async def second(event: ToolCallEvent, _ctx: HookContext) -> HookResult:
            seen.append(event.arguments["q"])
            return HookResult.block("That was all.")

        @place.kit.hook(HookTrigger.BEFORE_TOOL_USE, priority=1)
        async def first(event: ToolCallEvent, _ctx: HookContext) -> None:
            seen.append(event.arguments["q"])
            event.arguments["q"] = "wine"

        await place.issue("look_up", {"q": "menu"})
        assert error(await place.read()) == "That was all."
        assert seen == ["menu", "wine"]


@rule("H3")
async def test_a_hook_hears_of_the_kinds_of_channel_that_it_was_registered_for(door: Door) -> None:
    heard: list[str] = []
    async with door.place(Setup()) as place:

        @place.kit.hook(HookTrigger.BEFORE_TOOL_USE, channel_types=[door.channel_type])
        async def ours(event: ToolCallEvent, _ctx: HookContext) -> None:
            heard.append(event.channel_type)

        @place.kit.hook(HookTrigger.BEFORE_TOOL_USE, channel_types=set(ChannelType) - {door.channel_type})
        async def theirs(_event: ToolCallEvent, _ctx: HookContext) -> HookResult:
            return HookResult.block("It is not of these.")

        await place.issue("look_up", {"q": "menu"})
        assert "menu" in await place.read()
        assert heard == [door.channel_type]


@rule("H4")
async def test_a_hook_knows_where_it_runs(door: Door) -> None:
    contexts: list[HookContext] = []
    async with door.place(Setup()) as place:

        @place.kit.hook(HookTrigger.BEFORE_TOOL_USE)
        async def where(event: ToolCallEvent, ctx: HookContext) -> None:
            assert ctx.room_id == event.room_id
            contexts.append(ctx)

        await place.issue("look_up")
        await place.read()
        (ctx,) = contexts
        assert ctx.kit is place.kit
        assert [ctx.channel] == list(place.kit.channels)
