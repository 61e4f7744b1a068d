"""An approval that is given when its call is over, and run exactly once.

    python samples/approval_after_the_call.py

In a call the model wants to pay money back, which a manager must approve; the caller hangs up before anybody has, and
the agent ends. Later a manager approves it in another process (here: another handler of the same file), and clicks
twice.
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio

from voice_hitl import (
    AITool,
    Answer,
    HookContext,
    HookTrigger,
    HumanInputHandler,
    HumanInputToolHandler,
    PendingInputEvent,
    RealtimeVoiceChannel,
    VoiceKit,
    confirm_action,
)
from voice_hitl.stores.sqlite import SQLiteStore
from voice_hitl.testing import Closed, Forgot, Injected, LoopbackTransport, Responded, ScriptedProvider

REFUND = AITool(
    "refund",
    "Pay an order back.",
    {
        "type": "object",
        "properties": {"order": {"type": "string"}, "amount": {"type": "number"}},
        "required": ["order", "amount"],
    },
    requires_approval=True,
    approvers=("manager",),
)


async def pay_back(name: str, arguments: dict[str, object]) -> str:
    print(f"    {name} runs: {arguments['amount']} for order {arguments['order']}")
    return "paid back"


async def the_call(store: SQLiteStore) -> None:
    asked = anyio.Event()

    async def notify(_request: PendingInputEvent, _ctx: HookContext) -> None:
        asked.set()  # it is saved by now

    handler = HumanInputHandler(store=store)
    human = HumanInputToolHandler({"ConfirmAction"}, handler=handler, tool_definitions=[confirm_action()])
    with ScriptedProvider() as provider, LoopbackTransport() as transport:
        desk = RealtimeVoiceChannel(
            "desk",
            provider=provider,
            transport=transport,
            tools=[REFUND],
            tool_handler=pay_back,
            human_input_handler=human,
        )
        async with VoiceKit() as kit:
            kit.register_channel(desk)
            kit.hook(HookTrigger.ON_USER_INPUT_REQUIRED)(notify)
            caller = await transport.call(participant_id="ada", room_id="front desk")
            caller.ignore("request.opened", "request.settled")
            model = await provider.connected()
            model.ignore(Injected, Forgot, Responded, Closed)
            model.call_tool("refund", json.dumps({"order": "A-17", "amount": 20}))
            await asked.wait()
            caller.hang_up()
            await caller.ended()
    await handler.close()


async def later(store: SQLiteStore) -> None:
    told = anyio.Event()

    async def call_back(request: PendingInputEvent, answer: Answer) -> None:
        print(f"    {request.tool_name} was approved by {answer.by}: {request.result}")
        told.set()

    handler = HumanInputHandler(store=store, tools=[REFUND], tool_handler=pay_back, on_late_result=call_back)
    for request in (await handler.recover()).orphans:
        print("still open:", request.tool_name, dict(request.arguments))
        approve = Answer(by="manager", decision="approve")
        print("the manager approves:", (await handler.answer(request.pending_id, approve)).kind)
        print("the manager clicks again:", (await handler.answer(request.pending_id, approve)).kind)
        await told.wait()
        print("what is recorded:", await handler.resume(request.pending_id))
    await handler.close()


async def run() -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "requests.db"
        for process in (the_call, later):
            store = SQLiteStore(path)
            await process(store)
            await store.aclose()


def main() -> None:
    anyio.run(run)


if __name__ == "__main__":
    main()
