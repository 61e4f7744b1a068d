"""A supervisor approves a refund at the operators' console, while the caller is on the line.

    python samples/console.py
    python samples/console.py --serve

In the first form everything happens by itself: an agent asks, `ann` sees it on her console's events, changes the amount
and approves. With `--serve` the console stays: open the address it prints, sign in with the token, and answer yourself.
"""

import json
import sys
from collections.abc import Mapping

import anyio
import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount

from voice_hitl import AITool, ConsoleAsker, HumanInputToolHandler, RealtimeVoiceChannel, VoiceKit, confirm_action
from voice_hitl.console import Console, SignedTokens
from voice_hitl.demo.server import address, listen
from voice_hitl.testing import Closed, Forgot, Injected, LoopbackTransport, Responded, ScriptedProvider, SentToolResult

TOKENS = SignedTokens("in earnest: a secret of 32 bytes, out of the environment")

REFUND = AITool(
    "refund",
    "Pay an order back.",
    {
        "type": "object",
        "properties": {"order": {"type": "string"}, "amount": {"type": "number"}},
        "required": ["order", "amount"],
    },
    requires_approval=True,
    approvers=("supervisors",),
    allow_edits=True,
    title="Pay the order back",
)


async def pay_back(_name: str, arguments: Mapping[str, object]) -> str:
    print(f"refund runs: {arguments['amount']} for order {arguments['order']}")
    return "paid back"


async def be_ann(url: str) -> None:
    """What her page does: listen, and answer what comes."""
    headers = {"authorization": f"Bearer {TOKENS.issue('ann', ['supervisors'])}"}
    async with (
        httpx.AsyncClient(base_url=url, headers=headers) as http,
        http.stream("GET", "/console/events") as events,
    ):
        async for line in events.aiter_lines():
            if not line.startswith('data: {"request"'):
                continue
            request = json.loads(line.removeprefix("data: "))["request"]
            print("ann sees:", request["question"]["title"], request["question"]["arguments"])
            edited = request["question"]["arguments"] | {"amount": 30}
            answer = {"action": "approve", "edited_arguments": edited}
            path = f"/console/requests/{request['id']}/answer"
            said = await http.post(path, json=answer, headers={"idempotency-key": "a-key-of-this-click"})
            print("ann approves 30 of them:", said.json())
            return


async def run(*, serve: bool) -> None:
    console = Console(TOKENS)
    human = HumanInputToolHandler(
        {"ConfirmAction"},
        tool_definitions=[confirm_action()],
        askers=[ConsoleAsker("supervisors")],
        audience=["supervisors"],
    )
    with ScriptedProvider() as provider, LoopbackTransport() as transport, listen("127.0.0.1", 0) as listener:
        desk = RealtimeVoiceChannel(
            "front desk",
            provider=provider,
            transport=transport,
            tools=[REFUND],
            tool_handler=pay_back,
            human_input_handler=human,
        )
        app = Starlette(routes=[Mount("/console", console.app)])
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off", ws="none"))
        async with anyio.create_task_group() as group, VoiceKit() as kit:
            kit.register_channel(desk)
            console.follow(kit, human.handler)
            group.start_soon(server.serve, [listener])
            url = address(listener)
            if serve:
                print(f"open {url}/console/ and sign in with {TOKENS.issue('you', ['supervisors'])}")
            else:
                group.start_soon(be_ann, url)
            await console.watched("supervisors")
            caller = await transport.call(participant_id="ada", room_id="orders")
            caller.ignore("request.opened", "request.changed", "request.settled")
            model = await provider.connected()
            model.ignore(Injected, Forgot, Responded, Closed)
            call_id = model.call_tool("refund", json.dumps({"order": "A-17", "amount": 40}))
            sent = await model.expect(SentToolResult, call_id=call_id, within_s=600)
            print("the model reads:", sent.text)
            await console.close()
            server.should_exit = True


def main() -> None:
    anyio.run(lambda: run(serve="--serve" in sys.argv))


if __name__ == "__main__":
    main()
