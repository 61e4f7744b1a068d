"""An agent in a chat that has its supervisor called on the telephone, and asked aloud.

    pip install 'voice-hitl[sip,local]'
    python samples/dial.py --call sip:you@192.168.1.20:5060 --from 192.168.1.10

It calls the softphone at that address, from this machine's, and asks; say yes or no, or press 1 or 2. Without `--call`
it calls a telephone of its own, which says yes when it has been asked. The model is scripted: it runs without a key.
"""

import argparse

import anyio
import numpy as np

from voice_hitl import (
    AIChannel,
    HumanInputToolHandler,
    RealtimeVoiceChannel,
    SpokenAsker,
    TelephoneAsker,
    TextCallEnded,
    TextDelta,
    VoiceKit,
    confirm_action,
)
from voice_hitl.audio.frame import Framer
from voice_hitl.chat import ChatCall
from voice_hitl.errors import ConnectionEnded
from voice_hitl.testing import ScriptedChat
from voice_hitl.transport import AudioIn, Incoming, Leg
from voice_hitl_local import LocalProvider, LocalSpeaker
from voice_hitl_sip import SipTransport

QUIET_FRAMES = 60
LOUD = 300


class Supervisor:
    """A telephone that takes every call, listens until nothing more is said, and says yes."""

    def __init__(self) -> None:
        self.phone = SipTransport(port=0, rtp_ports=(26_500, 26_600))
        self.phone.listen(self._called)

    async def _called(self, call: Incoming) -> None:
        speaker = LocalSpeaker()
        leg = await self.phone.accept(call, rate=speaker.rate)
        try:
            while True:
                await self._listen(leg)
                framer, speech = Framer(speaker.rate), await speaker.speak("Yes, please.")
                try:
                    while True:
                        for frame in framer.push((await speech.get()).pcm):
                            leg.send_audio(frame, "yes")
                except ConnectionEnded:
                    continue
        except ConnectionEnded:
            print("[the supervisor's telephone: hung up]")

    async def _listen(self, leg: Leg) -> None:
        """Return when something was said, and then nothing for a while."""
        quiet, heard = 0, False
        while not heard or quiet < QUIET_FRAMES:
            event = await leg.events().get()
            if isinstance(event, AudioIn):
                loud = float(np.abs(np.frombuffer(event.pcm, np.int16)).mean()) > LOUD
                heard |= loud
                quiet = 0 if loud else quiet + 1


async def play(model: ScriptedChat) -> None:
    """What the model does: it asks, reads the answer, and says what became of it."""
    asked = await model.asked()
    asked.answer("Let me ask. ", ChatCall("call_1", "ConfirmAction", '{"action": "Refund 400 euros."}'))
    asked = await model.asked(within_s=100)
    asked.answer("Your money is on its way.")


async def ask(to: str, host: str) -> None:
    voice = LocalProvider(greets=False)
    await voice.preload()  # nobody waits on the telephone for it
    lines = SipTransport(host, port=0)
    supervisors = RealtimeVoiceChannel("supervisors", provider=voice, transport=lines)
    asker = TelephoneAsker(supervisors, to, SpokenAsker(after="now"), who="supervisor")
    human = HumanInputToolHandler({"ConfirmAction"}, tool_definitions=[confirm_action()], askers=[asker], timeout=90)
    with ScriptedChat() as model:
        agent = AIChannel("agent", provider=model, system_prompt="You refund.", human_input_handler=human)
        async with VoiceKit() as kit, anyio.create_task_group() as group:
            kit.register_channel(supervisors)
            kit.register_channel(agent)
            await lines.start()
            group.start_soon(play, model)
            async for event in agent.turn("I want my 400 euros back.", room_id="room-1", actor_id="ada"):
                match event:
                    case TextDelta(text):
                        print(text, end="", flush=True)
                    case TextCallEnded(_, name, outcome, text):
                        print(f"[{name}: {outcome}, the model reads {text}]")
                    case _:
                        pass
    print()


async def run(to: str | None, host: str) -> None:
    if to is not None:
        await ask(to, host)
        return
    supervisor = Supervisor()
    await supervisor.phone.start()
    await ask(f"sip:supervisor@127.0.0.1:{supervisor.phone.port}", host)
    await supervisor.phone.aclose()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--call", metavar="SIP-ADDRESS")
    parser.add_argument("--from", metavar="IP-ADDRESS", dest="host", default="127.0.0.1")
    given = parser.parse_args()
    anyio.run(run, given.call, given.host)


if __name__ == "__main__":
    main()
