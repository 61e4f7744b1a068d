"""An agent on a SIP port that asks its caller aloud, or by keypad, before it books.

    pip install 'voice-hitl[sip,local]'
    python samples/phone_sip.py --serve

Then call `sip:desk@127.0.0.1:5060` with a softphone. Without `--serve` it opens the port, says so, and closes it again.
"""

import sys
from collections.abc import Mapping

import anyio

from voice_hitl import AITool, HumanInputToolHandler, RealtimeVoiceChannel, SpokenAsker, VoiceKit, confirm_action
from voice_hitl_local import LocalProvider
from voice_hitl_sip import SipTransport

BOOK_TABLE = AITool(
    "book_table",
    "Book a table. Only after ConfirmAction said yes.",
    {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "party_size": {"type": "integer"},
            "day": {"type": "string"},
            "time": {"type": "string"},
        },
        "required": ["name", "party_size", "day", "time"],
    },
)


async def book_table(_name: str, arguments: Mapping[str, object]) -> object:
    print("booked:", dict(arguments))
    return {"booked": True}


async def run(*, serve: bool) -> None:
    transport = SipTransport(port=5060 if serve else 0)
    human = HumanInputToolHandler({"ConfirmAction"}, tool_definitions=[confirm_action()], askers=[SpokenAsker()])
    desk = RealtimeVoiceChannel(
        "desk",
        provider=LocalProvider(),
        transport=transport,
        tools=[BOOK_TABLE],
        tool_handler=book_table,
        human_input_handler=human,
    )
    async with VoiceKit() as kit:
        kit.register_channel(desk)
        await transport.start()
        print(f"listening on sip:desk@{transport.host}:{transport.port}")
        if serve:
            await anyio.sleep_forever()


def main() -> None:
    anyio.run(lambda: run(serve="--serve" in sys.argv))


if __name__ == "__main__":
    main()
