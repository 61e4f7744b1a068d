"""Whether a caller who answers aloud is understood: real audio, over Opus and over mu-law.

    python benchmarks/spoken_call.py --folder spoken_call [--few] [--minutes 60]

Callers with five synthetic voices answer "Book a table for four at seven?": clean, in noise at 10 dB, and with 3 % of
the packets lost. First their voices are carried, in real time: over a WebRTC call (ICE, DTLS, SRTP, Opus) and over a
media stream of mu-law, and what comes out at our end is kept. Then each answers a question in a whole session: the
utterance is cut out by our voice activity, recognised by Whisper (tiny.en), read, and settled; what is not understood
is asked again, and that ends the trial. There time is virtual, and recognition takes none of it, so that it tells
nothing of how busy the machine is. Nothing is replaced but the model, which only issues the calls.

What is in `--folder` is not made again, so that it can be stopped and gone on with. The table is of all that is there.
"""

import json
import logging
import re
import time
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import anyio
import anyio.to_thread
import typer
from rich.console import Console
from rich.table import Table
from spoken_callers import LOSS, RATE, Saying, carry, on_the_line, over_ulaw, over_webrtc, sayings, spoken
from websockets.exceptions import WebSocketException

from voice_hitl import AITool, HookExecution, HookTrigger, HumanInputToolHandler, RealtimeVoiceChannel, VoiceKit
from voice_hitl.askers.spoken import SpokenAsker
from voice_hitl.errors import ConnectionEnded
from voice_hitl.events import AskedEvent
from voice_hitl.hooks import HookContext
from voice_hitl.provider import ProviderCapabilities, Receiver
from voice_hitl.questions.model import Confirm
from voice_hitl.speech_ports import SpeechChunk, Transcription
from voice_hitl.tasks import Mailbox
from voice_hitl.testing import (
    Forgot,
    Held,
    Injected,
    Interrupted,
    LoopbackCaller,
    LoopbackTransport,
    Responded,
    ScriptedConnection,
    ScriptedProvider,
    SentToolResult,
    VirtualTimeLoop,
)
from voice_hitl.tools.human_tool import human_tool
from voice_hitl_local import LocalListener

Codec = Literal["Opus over WebRTC", "mu-law"]
CODECS: tuple[Codec, ...] = ("Opus over WebRTC", "mu-law")
NETWORKS = ("clean", "noise at 10 dB", "3 % lost")
CONDITIONS: list[tuple[Codec, str]] = [(codec, network) for network in NETWORKS for codec in CODECS]
FEW = 8
"""How many of each condition are tried where only a few are."""

console = Console()

# Sensitive, so that it is the listener that hears the caller; revealed, so that the model reads what it came to.
QUESTION = Confirm(prompt="Book a table for four at seven?", sensitive=True)
TOOL = human_tool(AITool("book", "Book it."), question=lambda _arguments: QUESTION, reveal_to_model=True)


class Prompt:
    """A speaker with one sentence, made beforehand."""

    rate = RATE

    def __init__(self, pcm: bytes) -> None:
        self._pcm = pcm

    @property
    def seconds(self) -> float:
        """How long it takes to say."""
        return len(self._pcm) / 2 / self.rate

    async def speak(self, text: str, *, voice: str | None = None, language: str = "en") -> Receiver[SpeechChunk]:
        """Speak."""
        chunks: Mailbox[SpeechChunk] = Mailbox()
        chunks.put(SpeechChunk(self._pcm, 0, text))
        chunks.close()
        return chunks


class InNoTime:
    """A listener whose work takes none of the virtual time: it is done on another loop, in a thread."""

    rate = LocalListener.rate
    stays_here = True

    def __init__(self) -> None:
        self._listener = LocalListener()
        self.heard: list[str] = []
        """What it made out."""

    async def transcribe(self, pcm: bytes, *, language: str = "en") -> Transcription | None:
        """Recognise."""

        def on_a_loop_of_its_own() -> Transcription | None:
            return anyio.run(partial(self._listener.transcribe, pcm, language=language))

        made_out = await anyio.to_thread.run_sync(on_a_loop_of_its_own)
        self.heard.append(made_out.text if made_out is not None else "")
        return made_out


@dataclass
class Desk:
    """A call that stands, and is asked one question after another."""

    caller: LoopbackCaller
    model: ScriptedConnection
    human: HumanInputToolHandler
    asked: Mailbox[AskedEvent]
    prompt: Prompt
    listener: InNoTime

    async def trial(self, carried: bytes) -> str:
        """The caller is asked, and this is heard of them: `true`, `false`, or `again` where the question came again."""
        self.listener.heard.clear()
        call_id = self.model.call_tool("book")
        await self.asked.get()
        await anyio.sleep(self.prompt.seconds + 0.3)
        await self.caller.speak(carried)
        await self.caller.stay_silent(1500)
        outcome = "again"
        if self.human.handler.pending:
            for pending_id in self.human.handler.pending:
                self.human.handler.release(pending_id)
            await self.model.expect(SentToolResult, call_id=call_id)
        else:
            sent = await self.model.expect(SentToolResult, call_id=call_id)
            outcome = "again" if sent.failed else str(json.loads(sent.text)["confirmed"]).lower()
        await self.caller.stay_silent(500)
        while len(self.asked):
            await self.asked.get()
        return outcome


@asynccontextmanager
async def a_desk(prompt: Prompt) -> AsyncGenerator[Desk]:
    """Call, and stay on the line."""
    transport = LoopbackTransport()
    provider = ScriptedProvider(capabilities=ProviderCapabilities(rate=RATE, hold="quiet"))
    listener = InNoTime()
    asker = SpokenAsker(speaker=prompt, listener=listener, after="now")
    human = HumanInputToolHandler({TOOL.name}, timeout=120, tool_definitions=[TOOL], askers=[asker])
    kit = VoiceKit()
    channel = RealtimeVoiceChannel("voice", provider=provider, transport=transport, human_input_handler=human)
    kit.register_channel(channel)
    asked: Mailbox[AskedEvent] = Mailbox()

    @kit.hook(HookTrigger.ON_ASKED, HookExecution.ASYNC)
    async def note(event: AskedEvent, _ctx: HookContext) -> None:  # pyright: ignore[reportUnusedFunction]
        asked.put(event)

    async with kit:
        caller = await transport.call(participant_id="caller", room_id="desk")
        model = await provider.connected()
        model.ignore(Injected, Responded, Forgot, Held, Interrupted)
        yield Desk(caller, model, human, asked, prompt, listener)


# --- all of it --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Trial:
    """One saying under one condition."""

    condition: tuple[Codec, str]
    saying: Saying

    @property
    def key(self) -> str:
        """What it is remembered by."""
        return "|".join((*self.condition, self.saying.voice, str(self.saying.pace), self.saying.text))

    def carried(self, folder: Path) -> Path:
        """Where what was heard of it is kept."""
        return folder / (re.sub(r"[^\w+|-]", "_", self.key) + ".pcm")


def read(path: Path) -> dict[str, dict[str, str]]:
    """The trials that were made, by their keys."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    return {row["key"]: row for row in rows}


def verdict(row: dict[str, str]) -> str:
    """`right`, `wrong` or `again`."""
    if row["expected"] == "open":
        return "right" if row["outcome"] == "again" else "wrong"
    if row["outcome"] == "again":
        return "again"
    return "right" if row["outcome"] == ("true" if row["expected"] == "yes" else "false") else "wrong"


def upper_bound(events: int, trials: int, confidence: float = 0.95) -> float:
    """The largest share by which so few events in so many trials are not surprising (Clopper and Pearson)."""
    low, high = events / max(1, trials), 1.0
    for _ in range(60):
        share, chance, term = (low + high) / 2, 0.0, 1.0
        term = (1 - share) ** trials
        for count in range(events + 1):
            chance += term
            term *= (trials - count) / (count + 1) * share / max(1e-12, 1 - share)
        low, high = (share, high) if chance > 1 - confidence else (low, share)
    return high


def tables(rows: list[dict[str, str]]) -> Table:
    """A line a condition: the yeses, and all that is none."""
    table = Table(
        "", "yes said", "taken", "as a no", "asked again", "other said", "right", "again", "wrong yes", "at most"
    )
    for condition in CONDITIONS:
        mine = [row for row in rows if row["key"].startswith("|".join(condition) + "|")]
        yes = Counter(verdict(row) for row in mine if row["expected"] == "yes")
        others = [row for row in mine if row["expected"] != "yes"]
        not_yes = Counter(verdict(row) for row in others)
        wrong_yes = sum(row["outcome"] == "true" for row in others)
        bound = f"{upper_bound(wrong_yes, len(others)):.2%}" if others else ""
        counts = [yes.total(), yes["right"], yes["wrong"], yes["again"]]
        counts += [not_yes.total(), not_yes["right"], not_yes["again"], wrong_yes]
        table.add_row(", ".join(condition), *map(str, counts), bound)
    return table


async def carry_all(trials: list[Trial], folder: Path, calls: int) -> None:
    """Carry what was not carried yet, on so many calls of each condition at once."""
    done = 0

    async def sayings_of(mine: list[Trial]) -> AsyncGenerator[tuple[Path, bytes]]:
        nonlocal done
        for trial in mine:
            pcm = spoken(trial.saying, folder / "voices")
            yield trial.carried(folder), on_the_line(pcm, noisy=trial.condition[1] == "noise at 10 dB")
            done += 1
            if done % 50 == 0:
                console.print(f"{done} of {len(trials)} carried")

    async def attend(condition: tuple[Codec, str], mine: list[Trial]) -> None:
        codec, network = condition
        over = over_webrtc if codec == "Opus over WebRTC" else over_ulaw
        while mine := [trial for trial in mine if not trial.carried(folder).exists()]:
            try:
                async with over(LOSS if network == "3 % lost" else 0.0) as (leg, speak):
                    await carry(leg, speak, sayings_of(mine))
            except* (ConnectionEnded, WebSocketException, OSError, TimeoutError) as lost:
                console.print(f"a call was lost ({lost.exceptions[0]!r}), and is placed again")

    async with anyio.create_task_group() as group:
        for condition in CONDITIONS:
            mine = [trial for trial in trials if trial.condition == condition]
            for number in range(calls):
                if mine[number::calls]:
                    group.start_soon(attend, condition, mine[number::calls])
                    await anyio.sleep(1)  # a call is set up at a time


async def ask_all(trials: list[Trial], folder: Path, prompt: Prompt, minutes: float) -> None:
    """Have each answer the question, and write down what came of it."""
    began = time.monotonic()
    async with a_desk(prompt) as desk:
        for number, trial in enumerate(trials, start=1):
            if time.monotonic() - began > minutes * 60:
                return
            outcome = await desk.trial(trial.carried(folder).read_bytes())
            heard = " | ".join(desk.listener.heard)
            row = {"key": trial.key, "expected": trial.saying.expected, "outcome": outcome, "heard": heard}
            with (folder / "trials.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            if number % 20 == 0:
                console.print(f"{number} of {len(trials)} asked after {(time.monotonic() - began) / 60:.1f} min")


def main(  # noqa: PLR0917 - typer reads a command's options from its parameters
    folder: Annotated[Path, typer.Option(help="Where all of it is kept, and gone on with.")],
    few: Annotated[bool, typer.Option("--few", help=f"Only {FEW} utterances a condition.")] = False,
    most: Annotated[int | None, typer.Option(help="Only so many utterances a condition, well mixed.")] = None,
    calls: Annotated[int, typer.Option(help="Calls at once of each condition, where voices are carried.")] = 2,
    minutes: Annotated[float, typer.Option(help="Ask no more after so long.")] = 600,
    carrying: Annotated[bool, typer.Option(help="Whether to carry what is missing, or ask what was carried.")] = True,
) -> None:
    """Measure, print the table, and end with 1 where anything was wrongly taken for a yes."""
    logging.getLogger("voice_hitl").setLevel(logging.ERROR)  # every question that was not understood is withdrawn
    (folder / "voices").mkdir(parents=True, exist_ok=True)
    chosen = sayings()[: FEW if few else most]
    for saying in chosen:
        spoken(saying, folder / "voices")
    trials = [Trial(where, saying) for saying in chosen for where in CONDITIONS]
    if carrying:
        anyio.run(carry_all, trials, folder, calls)
    done = read(folder / "trials.jsonl")
    prompt = Prompt(spoken(Saying(QUESTION.prompt, "joe", 0, "yes"), folder / "voices"))
    left = [trial for trial in trials if trial.key not in done and trial.carried(folder).exists()]
    # Longer than a recognition takes on a machine with other things to do: one taken for hung would count as not heard.
    loop = partial(VirtualTimeLoop, patience_s=600.0)
    anyio.run(ask_all, left, folder, prompt, minutes, backend_options={"loop_factory": loop})
    rows = list(read(folder / "trials.jsonl").values())
    console.print(tables(rows))
    if any(row["expected"] != "yes" and row["outcome"] == "true" for row in rows):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
