"""What a channel's tests look at: what its kit told, and whether anything is left when it is closed."""

from typing import TypeVar

import anyio
import anyio.lowlevel

from voice_hitl.enums import HookExecution, HookTrigger
from voice_hitl.events import HookEvent
from voice_hitl.hooks import HookContext
from voice_hitl.kit import VoiceKit
from voice_hitl.tools.definition import AITool

E = TypeVar("E", bound=HookEvent)

LOOK_UP = AITool("look_up", "Look something up.", {"type": "object", "properties": {"q": {"type": "string"}}})


async def settle_down(for_s: float = 0.0) -> None:
    """Let everything run that is due within so many seconds."""
    await anyio.sleep(for_s)
    for _ in range(40):
        await anyio.lowlevel.checkpoint()


def kept(kit: VoiceKit, _kind: type[E], *triggers: HookTrigger) -> list[E]:
    """Every event of these triggers, as they come."""
    events: list[E] = []

    async def keep(event: E, _ctx: HookContext) -> None:
        events.append(event)

    for trigger in triggers:
        kit.hook(trigger, HookExecution.ASYNC)(keep)
    return events


class RunningTasks:
    """The tasks that run now: once everything is closed there may be none but these."""

    def __init__(self) -> None:
        self._ids = {task.id for task in anyio.get_running_tasks()}

    def check(self) -> None:
        left = [task.name for task in anyio.get_running_tasks() if task.id not in self._ids]
        assert left == [], f"tasks that did not end: {left}"
