"""A model that says its call instead of issuing it: the call is found in its words, asked, and told as text.

    python samples/call_in_words.py

The caller hears "One moment." and never the call. A person answers, and the model reads the outcome as a line of
its own, fenced, since there is no call that it could be the output of. `tool_recovery=False` switches it off.
"""

import re

import anyio

from voice_hitl import (
    CardAsker,
    HookTrigger,
    HumanInputToolHandler,
    PendingInputEvent,
    RealtimeVoiceChannel,
    VoiceKit,
    confirm_action,
)
from voice_hitl.hooks import HookContext
from voice_hitl.provider import ResponseEnded, ResponseStarted, Transcript
from voice_hitl.testing import Forgot, Injected, LoopbackTransport, Responded, ScriptedProvider

SAID = 'One moment. ConfirmAction(action="Book a table for four at seven.")'


async def run() -> None:
    human = HumanInputToolHandler({"ConfirmAction"}, tool_definitions=[confirm_action()], askers=[CardAsker()])
    with ScriptedProvider() as provider, LoopbackTransport() as transport:
        desk = RealtimeVoiceChannel("desk", provider=provider, transport=transport, human_input_handler=human)
        async with VoiceKit() as kit:
            kit.register_channel(desk)

            @kit.hook(HookTrigger.ON_USER_INPUT_REQUIRED)
            async def answer(event: PendingInputEvent, _ctx: HookContext) -> None:
                print(f"a person is asked, through the {event.door} door: {event.arguments['action']} -> yes")
                human.handler.resolve(event.pending_id, "yes")

            caller = await transport.call(participant_id="ada", room_id="front desk")
            caller.ignore("request.opened", "request.changed", "request.settled")
            caller.watch("transcript")
            model = await provider.connected()
            model.ignore(Forgot)
            print("the model says:", SAID)
            model.emit(ResponseStarted("r1"), Transcript("assistant", SAID, final=True, item_id="i1"))
            model.emit(ResponseEnded("r1"))
            line = await caller.message(type="transcript", final=True)
            print("the caller's page has:", line["text"])
            await model.expect(Injected, text=re.compile("waiting for a person"))
            told = await model.expect(Injected, text=re.compile("has returned"))
            print("the model reads:", told.text)
            await model.expect(Responded)


def main() -> None:
    anyio.run(run)


if __name__ == "__main__":
    main()
