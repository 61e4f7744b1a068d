"""The application of a machine: tools that fail in every way there is, and hooks that do, now and then."""

from collections.abc import Awaitable, Callable, Mapping
from random import Random
from typing import Final

import anyio

from tests.channels.kept import LOOK_UP
from tests.channels.machine.account import Account
from voice_hitl.enums import HookExecution, HookTrigger
from voice_hitl.errors import ToolRefusedError
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext, HookResult
from voice_hitl.requests.pending import PendingInputEvent
from voice_hitl.tools.definition import AITool

HOST: Final = ("look_up", "slow", "boom", "refuse", "deaf", "end_call")
"""The host's tools that end nothing."""

GOOD: Final = {"ConfirmAction": '{"action": "Book."}', "book": '{"seats": 4}'}
BAD: Final = ('{"act', "[1]", '{"seats": "many", "q": 7, "action": 3}')


def tools(*endings: str, approver: str) -> tuple[AITool, ...]:
    """The host's tools, those by which the model ends something, and one that `approver` has to approve."""
    return (
        LOOK_UP,
        *(AITool(name) for name in HOST if name not in {"look_up", "end_call"}),
        *(AITool(name) for name in endings),
        AITool("end_call", runs_when_interrupted=True),
        AITool(
            "book",
            "Book.",
            {"type": "object", "properties": {"seats": {"type": "integer"}}},
            requires_approval=True,
            approvers=(approver,),
        ),
    )


class Application:
    """Serves the host's tools, and hooks into everything.

    Args:
        endings: What a tool does that ends something, by its name.
    """

    def __init__(self, endings: Mapping[str, Callable[[], Awaitable[object]]]) -> None:
        self._endings = endings
        self._next: dict[str, str] = {}
        """What a hook does when it runs the next time, by its name: whatever else than nothing."""

    async def serve(self, name: str, arguments: Mapping[str, object]) -> object:
        """The host's tools."""
        match name:
            case "slow":
                await anyio.sleep(3)
            case "boom":
                raise KeyError("secret")
            case "refuse":
                raise ToolRefusedError("No.")
            case "deaf":
                await _swallow_cancellation(4)
            case _ if name in self._endings:
                await self._endings[name]()
            case _:
                return dict(arguments)
        return name

    def hook_in(self, account: Account) -> None:
        """Add the hooks."""
        kit = account.world.kit

        @kit.hook(HookTrigger.BEFORE_TOOL_USE, timeout=2)
        async def before(_event: ToolCallEvent, _ctx: HookContext) -> HookResult | None:
            return await self._act("before")

        @kit.hook(HookTrigger.ON_USER_INPUT_REQUIRED, timeout=2)
        async def required(event: PendingInputEvent, _ctx: HookContext) -> HookResult | None:
            account.asked[event.pending_id] += 1
            return await self._act("required")

        @kit.hook(HookTrigger.ON_TOOL_CALL, timeout=2)
        async def judge(_event: ToolCallEvent, _ctx: HookContext) -> HookResult | None:
            return await self._act("judge")

        @kit.hook(HookTrigger.ON_TOOL_CALL, HookExecution.ASYNC, timeout=2)
        async def watch(_event: ToolCallEvent, _ctx: HookContext) -> HookResult | None:
            return await self._act("watch")

        @kit.hook(HookTrigger.ON_USER_INPUT_SETTLED, HookExecution.ASYNC, timeout=2)
        async def settled(_event: PendingInputEvent, _ctx: HookContext) -> HookResult | None:
            return await self._act("watch")

    def a_hook_will_fail(self, chance: Random) -> None:
        """The next time it runs, it does something else."""
        which = chance.choice(["before", "required", "required", "required", "judge", "judge", "watch"])
        self._next[which] = chance.choice(["slow", "block", "block", "raise", "hang"])

    async def _act(self, hook: str) -> HookResult | None:
        match self._next.pop(hook, "nothing"):
            case "slow":
                await anyio.sleep(0.7)
            case "hang":
                await anyio.sleep_forever()
            case "raise":
                raise KeyError("broken")
            case "block":
                return HookResult.block("Not now.")
            case _:
                pass
        return None


async def _swallow_cancellation(for_s: float) -> None:
    with anyio.CancelScope(shield=True):
        until = anyio.current_time() + for_s
        while anyio.current_time() < until:
            try:
                await anyio.sleep(until - anyio.current_time())
            except anyio.get_cancelled_exc_class():
                continue
