"""A full-duplex model that only talks: an agent of yours does the work, and its tool asks a person.

    python samples/reasoning_backend.py

The voice hands the task over and goes on talking. The agent reads what was said, calls the session's tools through the
same gate as every other call, and what it says is told to the caller. Its time does not run while a person is asked.
Both models are scripted, so that it runs without a key; with one, `voice_hitl_openai.OpenAILiveProvider()` and
`voice_hitl_openai.OpenAIChatModel()` take their places.
"""

import anyio

from voice_hitl import (
    AgentReasoningBackend,
    AIChannel,
    CardAsker,
    HookTrigger,
    HumanInputToolHandler,
    PendingInputEvent,
    RealtimeVoiceChannel,
    VoiceKit,
    confirm_action,
)
from voice_hitl.chat import ChatCall
from voice_hitl.hooks import HookContext
from voice_hitl.provider import Delegated, ProviderCapabilities, Transcript
from voice_hitl.testing import DelegationOutput, Forgot, Injected, LoopbackTransport, ScriptedChat, ScriptedProvider

FULL_DUPLEX = ProviderCapabilities(hold="deaf", delegates=True, speech_events=False)


async def think(model: ScriptedChat) -> None:
    """What the agent's model does: it asks, reads the answer, and says what became of it."""
    asked = await model.asked()
    asked.answer("Let me ask.", ChatCall("call_1", "ConfirmAction", '{"action": "Book a table for four at seven."}'))
    asked = await model.asked()
    asked.answer("Your table is booked.")


async def run() -> None:
    human = HumanInputToolHandler({"ConfirmAction"}, tool_definitions=[confirm_action()], askers=[CardAsker()])
    with (
        ScriptedProvider(capabilities=FULL_DUPLEX) as voice,
        LoopbackTransport() as transport,
        ScriptedChat() as thinks,
    ):
        agent = AIChannel("agent", provider=thinks, system_prompt="You book tables.")
        desk = RealtimeVoiceChannel(
            "desk",
            provider=voice,
            transport=transport,
            human_input_handler=human,
            reasoning_backend=AgentReasoningBackend(agent),
        )
        async with VoiceKit() as kit, anyio.create_task_group() as group:
            kit.register_channel(desk)

            @kit.hook(HookTrigger.ON_USER_INPUT_REQUIRED)
            async def answer(event: PendingInputEvent, _ctx: HookContext) -> None:
                print(f"a person is asked, through the {event.door} door: {event.arguments['action']} -> yes")
                human.handler.resolve(event.pending_id, "yes")

            group.start_soon(think, thinks)
            caller = await transport.call(participant_id="ada", room_id="front desk")
            caller.ignore("request.opened", "request.changed", "request.settled")
            model = await voice.connected()
            model.ignore(Injected, Forgot)
            model.emit(Transcript("user", "A table for four at seven, please.", final=True, item_id="i1"))
            model.emit(Delegated("d1", "client"))
            while not (output := await model.expect(DelegationOutput)).final:
                print("the caller is told:", output.text)
            print("the caller is told:", output.text)
        await agent.close()


def main() -> None:
    anyio.run(run)


if __name__ == "__main__":
    main()
