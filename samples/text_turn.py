"""A text turn whose model must ask a person before it books: the same tools and the same rules as on a call.

    python samples/text_turn.py

The model is scripted, so that it runs without a key; with one, `voice_hitl_openai.OpenAIChatModel()` takes its place.
"""

import anyio

from voice_hitl import (
    AIChannel,
    HookTrigger,
    HumanInputToolHandler,
    PendingInputEvent,
    TextCallEnded,
    TextDelta,
    VoiceKit,
    confirm_action,
)
from voice_hitl.chat import ChatCall
from voice_hitl.hooks import HookContext
from voice_hitl.testing import ScriptedChat


async def play(model: ScriptedChat) -> None:
    """What the model does: it asks, reads the answer, and says what became of it."""
    asked = await model.asked()
    asked.answer("Let me ask. ", ChatCall("call_1", "ConfirmAction", '{"action": "Book a table for four at seven."}'))
    asked = await model.asked()
    asked.answer("Your table is booked.")


async def run() -> None:
    human = HumanInputToolHandler({"ConfirmAction"}, timeout=60, tool_definitions=[confirm_action()])
    with ScriptedChat() as model:
        agent = AIChannel("agent", provider=model, system_prompt="You book tables.", human_input_handler=human)
        async with VoiceKit() as kit, anyio.create_task_group() as group:
            kit.register_channel(agent)

            @kit.hook(HookTrigger.ON_USER_INPUT_REQUIRED)
            async def show(event: PendingInputEvent, _ctx: HookContext) -> None:
                # Here your application shows the question; the answer may come from any thread, minutes later.
                print(f"\n[a person is asked: {event.arguments['action']} -> yes]")
                human.handler.resolve(event.pending_id, "yes")

            group.start_soon(play, model)
            async for event in agent.turn("A table for four at seven, please.", room_id="room-1", actor_id="ada"):
                match event:
                    case TextDelta(text):
                        print(text, end="", flush=True)
                    case TextCallEnded(_, name, outcome, text):
                        print(f"[{name}: {outcome}, the model reads {text}]")
                    case _:
                        pass
    print()


def main() -> None:
    anyio.run(run)


if __name__ == "__main__":
    main()
