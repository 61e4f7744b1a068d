"""An agent in a meeting: two people in a room, and only the one who is asked can answer.

    python samples/conference.py

The room and the model are scripted, so that it runs without a key and without a network; a backend of your own, and
`voice_hitl_openai.OpenAIRealtimeProvider()`, take their places.
"""

import json

import anyio

from voice_hitl import (
    CardAsker,
    ConferenceChannel,
    ConferenceRealtimeConfig,
    HumanInputToolHandler,
    VoiceKit,
    confirm_action,
)
from voice_hitl.testing import Forgot, Injected, Responded, ScriptedConference, ScriptedProvider, SentToolResult


async def run() -> None:
    # Participant ids are whoever your backend says has joined: the audience is checked against those.
    human = HumanInputToolHandler(
        {"ConfirmAction"}, tool_definitions=[confirm_action()], askers=[CardAsker()], audience=["ada"]
    )
    with ScriptedProvider() as provider, ScriptedConference() as conference:
        room = conference.room("weekly")
        ada, ben = room.join("ada"), room.join("ben")
        ada.ignore("request.changed", "request.settled", "ok")
        agent = ConferenceChannel("minutes", backend=conference)
        async with VoiceKit() as kit:
            kit.register_channel(agent)
            await agent.attach("weekly")
            # A model may be plugged, unplugged and replaced while the meeting runs.
            await agent.plug_realtime(ConferenceRealtimeConfig(provider, human_input_handler=human))
            model = await provider.connected()
            model.ignore(Responded, Forgot)

            call_id = model.call_tool("ConfirmAction", json.dumps({"action": "Send the minutes to everybody."}))
            card = await ada.message(type="request.opened")
            print(f"ada's page: {card['question']}")
            answer = {"action": "answer", "value": True}
            message = {"v": 1, "type": "request.answer", "pending_id": card["pending_id"], "answer": answer}

            ben.send(message)
            refused = await ben.message(type="refused")
            print(f"ben tries to answer: {refused['why']}")

            ada.send(message)
            await model.expect(Injected)  # while it waited: nothing has been done yet
            told = await model.expect(Injected)
            sent = await model.expect(SentToolResult, call_id=call_id, failed=False)
            print(f"the model reads: {told.text} {sent.text}")


def main() -> None:
    anyio.run(run)


if __name__ == "__main__":
    main()
