"""Test an agent of your own: a scripted model, a caller in the same process, and no waiting.

    python samples/test_your_agent.py

The model asks for a confirmation; the caller answers on the card; the model reads the answer.
"""

import json

import anyio

from voice_hitl import CardAsker, HumanInputToolHandler, RealtimeVoiceChannel, VoiceKit, confirm_action
from voice_hitl.testing import Forgot, Injected, LoopbackTransport, Responded, ScriptedProvider, SentToolResult


async def run() -> str:
    human = HumanInputToolHandler({"ConfirmAction"}, tool_definitions=[confirm_action()], askers=[CardAsker()])
    with ScriptedProvider() as provider, LoopbackTransport() as transport:
        desk = RealtimeVoiceChannel("desk", provider=provider, transport=transport, human_input_handler=human)
        async with VoiceKit() as kit:
            kit.register_channel(desk)
            caller = await transport.call(participant_id="ada", room_id="front desk")
            caller.ignore("request.changed", "request.settled")
            model = await provider.connected()
            model.ignore(Injected, Forgot, Responded)
            call_id = model.call_tool("ConfirmAction", json.dumps({"action": "Book a table for four."}))
            await caller.message(type="request.opened", status="inProgress")
            card = await caller.message(type="request.opened", status="executing")
            caller.send(
                {
                    "v": 1,
                    "type": "request.answer",
                    "pending_id": card["pending_id"],
                    "answer": {"action": "answer", "value": True},
                }
            )
            sent = await model.expect(SentToolResult, call_id=call_id, failed=False)
        return sent.text


def main() -> None:
    print("the model reads:", anyio.run(run))


if __name__ == "__main__":
    main()
