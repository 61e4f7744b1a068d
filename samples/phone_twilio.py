"""An agent behind a Twilio number that asks its caller aloud, or by keypad, before it books.

    pip install 'voice-hitl[twilio,serve,local]'
    export TWILIO_AUTH_TOKEN=... TWILIO_ACCOUNT_SID=...
    voice-hitl serve samples/phone_twilio.py:channel --twilio /twilio --public-url https://agent.example

Then set `https://agent.example/twilio` as what Twilio asks when a call comes in (POST). The same file behind a SIP port
and a page of its own, too: add `--sip 127.0.0.1:5060 --webrtc /call`.

    python samples/phone_twilio.py

prints what Twilio is told to do with a call, and ends.
"""

from collections.abc import Mapping

from voice_hitl import AITool, HumanInputToolHandler, RealtimeVoiceChannel, SpokenAsker, confirm_action
from voice_hitl.transport import Transport
from voice_hitl_local import LocalProvider
from voice_hitl_twilio import TwilioTransport

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


def channel(transport: Transport) -> RealtimeVoiceChannel:
    human = HumanInputToolHandler({"ConfirmAction"}, tool_definitions=[confirm_action()], askers=[SpokenAsker()])
    return RealtimeVoiceChannel(
        "desk",
        provider=LocalProvider(),
        transport=transport,
        system_prompt="You take bookings for a restaurant.",
        tools=[BOOK_TABLE],
        tool_handler=book_table,
        human_input_handler=human,
    )


def main() -> None:
    twilio = TwilioTransport("https://agent.example")
    desk = channel(twilio)
    print(f"channel {desk.id} answers", twilio.twiml("/twilio", {"From": "+15550100", "To": "+15550101"}))


if __name__ == "__main__":
    main()
