"""A chat model whose provider runs its tools itself: a person is asked before one may run, and is told what it gave.

    python samples/provider_runs_tools.py

The model is scripted, so that it runs without a key. Its `bash` is the provider's own: the channel never executes it,
it says whether the provider may.
"""

import anyio

from voice_hitl import (
    AIChannel,
    ExternalToolHandler,
    HookExecution,
    HookTrigger,
    HumanInputHandler,
    HumanInputRejectedError,
    PendingInputEvent,
    ToolDecision,
    VoiceKit,
)
from voice_hitl.chat import ChatCall
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext
from voice_hitl.testing import ScriptedChat
from voice_hitl.tools.calls import ServedCall


class AskFirst(ExternalToolHandler):
    """Asks a person about every command."""

    def __init__(self, human: HumanInputHandler) -> None:
        self.human = human

    async def process_tool_call(
        self, tool_name: str, tool_input: dict[str, object], *, room_id: str | None = None, **kwargs: object
    ) -> ToolDecision:
        call_id = str(kwargs.get("tool_call_id", ""))
        request = await self.human.create(tool_name, tool_input, room_id=room_id or "", tool_call_id=call_id)
        try:
            await self.human.wait(request.pending_id, timeout=60)
        except HumanInputRejectedError as declined:
            return ToolDecision(approved=False, reason=str(declined))
        except TimeoutError:
            return ToolDecision(approved=False, reason="Nobody answered in time.")
        return ToolDecision(approved=True)


async def play(model: ScriptedChat) -> None:
    asked = await model.asked()
    asked.answer(ChatCall("c1", "bash", '{"command": "ls"}'), ChatCall("c2", "bash", '{"command": "rm -rf /"}'))
    asked = await model.asked()
    asked.answer("There are three files. I may not delete them.")


async def run() -> None:
    async def ask(event: PendingInputEvent) -> None:
        """Here your application shows the question; the answer may come from any thread, minutes later."""
        command = str(event.arguments["command"])
        if command.startswith("rm "):
            print(f"a person is asked: {command} -> no")
            human.reject(event.pending_id, "that would delete everything")
        else:
            print(f"a person is asked: {command} -> yes")
            human.resolve(event.pending_id, "yes")

    human = HumanInputHandler(on_input_required=ask)
    with ScriptedChat(tools={"bash": ServedCall("a b c")}) as model:
        agent = AIChannel("agent", provider=model, external_tool_handler=AskFirst(human))
        async with VoiceKit() as kit, anyio.create_task_group() as group:
            kit.register_channel(agent)

            @kit.hook(HookTrigger.ON_TOOL_CALL, HookExecution.ASYNC)
            async def report(event: ToolCallEvent, _ctx: HookContext) -> None:
                print(f"{event.tool_call_id} {event.arguments['command']}: {event.outcome}, {event.result}")

            group.start_soon(play, model)
            async for _event in agent.turn("What is here? Delete it.", room_id="room-1", actor_id="ada"):
                pass


def main() -> None:
    anyio.run(run)


if __name__ == "__main__":
    main()
