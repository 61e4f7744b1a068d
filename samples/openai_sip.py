"""Phone calls whose audio goes from the carrier to OpenAI: the agent attaches beside it, and a person approves.

    pip install 'voice-hitl[openai]'
    python samples/openai_sip.py

It runs against a local stand-in of the service, so that it needs no key and no carrier. Against OpenAI: leave out
`api_key` and `base_url`, and hand what is posted to your webhook's address to `transport.webhook`.
"""

import anyio

from voice_hitl import (
    HookTrigger,
    HumanInputToolHandler,
    PendingInputEvent,
    RealtimeVoiceChannel,
    VoiceKit,
    confirm_action,
)
from voice_hitl.hooks import HookContext
from voice_hitl.testing.openai_realtime import Call, Say
from voice_hitl.testing.openai_sip import OpenAISipServer
from voice_hitl_openai import OpenAIRealtimeProvider, OpenAISipTransport


async def run() -> None:
    async with OpenAISipServer() as service, VoiceKit() as kit:
        service.on_turn(
            lambda turn: (
                [Call("ConfirmAction", {"action": "Refund 400 euros."})] if turn.number == 0 else [Say("Done.")]
            )
        )
        provider = OpenAIRealtimeProvider(api_key=service.api_key, base_url=service.base_url)
        transport = OpenAISipTransport(provider, webhook_secret=service.webhook_secret)
        human = HumanInputToolHandler({"ConfirmAction"}, tool_definitions=[confirm_action()], timeout=60)
        desk = RealtimeVoiceChannel("desk", provider=provider, transport=transport, human_input_handler=human)
        kit.register_channel(desk)

        @kit.hook(HookTrigger.ON_USER_INPUT_REQUIRED)
        async def show(event: PendingInputEvent, _context: HookContext) -> None:
            print(f"a person is asked: {event.arguments['action']} -> yes")
            human.handler.resolve(event.pending_id, "yes")

        call = service.call(from_="sip:+4930123456@carrier.example")
        print("the webhook is answered with", await transport.webhook(*call.webhook()))
        session = await service.session()
        await session.received("session.update")
        session.caller_says("I want my 400 euros back.")
        await session.until(lambda: any(item["type"] == "function_call_output" for item in session.items))
        print("the model reads", next(item["output"] for item in session.items if "output" in item))
        call.hang_up()
        await call.until("over")


def main() -> None:
    anyio.run(run)


if __name__ == "__main__":
    main()
