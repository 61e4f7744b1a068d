"""How long a spoken answer takes once it is known: from its final transcript, or the end of its settle window.

    python benchmarks/spoken_settle.py [--trials 20]

A whole session in real time, with a scripted model and a loopback caller. A no, and a yes whose transcript comes when
its window has passed already, are timed from the transcript to the output at the provider. A yes whose transcript comes
before is timed from the end of its window, 700 ms after the caller's last sound as our voice activity has it; that they
did not go on speaking is known a round trip (100 ms where nothing is measured) and an onset (100 ms) later.
"""

import statistics
from typing import Annotated, cast

import anyio
import numpy as np
import typer

from voice_hitl import AITool, Answer, HumanInputToolHandler, RealtimeVoiceChannel
from voice_hitl.askers.spoken import SpokenAsker
from voice_hitl.provider import ProviderCapabilities, Receiver, Transcript
from voice_hitl.questions.model import Confirm
from voice_hitl.speech.dialogue import SETTLE_S
from voice_hitl.speech_ports import SpeechChunk
from voice_hitl.tasks import Mailbox, current_time
from voice_hitl.testing import (
    Forgot,
    Held,
    Injected,
    LoopbackCaller,
    LoopbackTransport,
    Responded,
    ScriptedConnection,
    ScriptedProvider,
    SentToolResult,
)
from voice_hitl.tools.human_tool import human_tool

RATE = 16_000
BAR_MS = 20.0
KNOWN_LATER_S = 0.2
"""A round trip and an onset: until then they may have gone on speaking."""


class Short:
    """A voice that takes 200 ms for everything."""

    rate = RATE

    async def speak(self, text: str, *, voice: str | None = None, language: str = "en") -> Receiver[SpeechChunk]:
        """Speak."""
        chunks: Mailbox[SpeechChunk] = Mailbox()
        chunks.put(SpeechChunk(bytes(RATE * 2 // 5), 0, text))
        chunks.close()
        return chunks


def voice(seconds: float) -> bytes:
    """Something that voice activity takes for a voice."""
    at = np.arange(int(RATE * seconds)) / RATE
    buzz = np.sum([np.sin(2 * np.pi * 120 * n * at) / n for n in range(1, 30)], axis=0)
    shape = 0.6 + 0.4 * np.sin(2 * np.pi * 4 * at)
    said: bytes = (buzz * shape * 6000).clip(-32000, 32000).astype(np.int16).tobytes()
    return said


VOICE = voice(0.5)
ENDED: list[float] = []
"""When the caller's last sound was, of every answer, by our voice activity and without the round trip."""


def note(answer: Answer) -> str:
    """What the model reads, and what the answer rests on."""
    ENDED.append(cast("float", answer.evidence["ended"]))
    return str(answer.value)


TOOL = human_tool(
    AITool("ConfirmAction", "Book it."), question=lambda _arguments: Confirm(prompt="Book it?"), result=note
)


async def timed(caller: LoopbackCaller, model: ScriptedConnection, text: str, transcript_after_s: float) -> float:
    """One question and its answer; milliseconds from when the answer was known to the output at the provider."""
    heard = caller.heard.total()
    call_id = model.call_tool("ConfirmAction", {"action": "Book it."})
    await caller.hears(heard + 400)
    await caller.speak(VOICE)
    await caller.stay_silent(int(transcript_after_s * 1000))
    model.emit(Transcript("user", text, True, ""))
    final = current_time()
    known = sent = final
    async with anyio.create_task_group() as group:
        group.start_soon(caller.stay_silent, 1500)
        await model.expect(SentToolResult, call_id=call_id)
        sent = current_time()
        group.cancel_scope.cancel()
    if text == "Yes.":
        known = max(final, ENDED[-1] + SETTLE_S + KNOWN_LATER_S)
    await anyio.sleep(0.3)
    return (sent - known) * 1000


async def measure(trials: int) -> bool:
    """Print what it takes; whether it is within the bar."""
    provider = ScriptedProvider(capabilities=ProviderCapabilities(rate=RATE, hold="quiet"))
    transport = LoopbackTransport()
    human = HumanInputToolHandler(
        {"ConfirmAction"}, tool_definitions=[TOOL], askers=[SpokenAsker(speaker=Short(), after="now")]
    )
    channel = RealtimeVoiceChannel("voice", provider=provider, transport=transport, human_input_handler=human)
    caller = await transport.call(participant_id="caller", room_id="desk")
    model = await provider.connected()
    model.ignore(Injected, Responded, Forgot, Held)
    met = True
    for name, text, after_s in (
        ("no, from its transcript", "No.", 0.4),
        ("yes, from its transcript, the window has passed", "Yes.", 1.2),
        ("yes, from the end of its window", "Yes.", 0.4),
    ):
        took = [await timed(caller, model, text, after_s) for _ in range(trials)]
        print(f"{name:<50} median {statistics.median(took):6.1f} ms, longest {max(took):6.1f} ms")
        met = met and statistics.median(took) <= BAR_MS
    await channel.close()
    return met


def main(trials: Annotated[int, typer.Option(help="Answers of each kind.")] = 20) -> None:
    """Measure, and end with 1 where the bar is missed."""
    if not anyio.run(measure, trials):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
