"""Whether our own voice coming back is told from a caller's, by its sound alone.

    python benchmarks/own_voice.py --folder spoken_call [--calls 150]

Our voice is Piper's, and plays all the while; what is heard is its echo (late, low, coloured by a room), a caller who
speaks meanwhile in one of the other voices of `spoken_call.py`, or both; or a caller who answers in loud noise when our
voice has just ended, and its echo has not. The voices are kept in `--folder`.
"""

import statistics
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table
from spoken_callers import RATE, sayings, spoken

from voice_hitl.audio.frame import frame_samples
from voice_hitl.audio.own_voice import OwnVoice

Sound = NDArray[np.float64]

OUR_VOICE = "joe"
DOWN_DB = (6, 18, 30)
HEARD = ("an echo", "a caller", "a caller over an echo", "a caller in noise, just after")
LEVEL, NOISE, LOUD_NOISE = 2500.0, 25.0, 800.0
"""Root mean squares, of int16: of both voices, and of the noise under them."""
SPOKEN_AT_S = 0.9
"""When the caller begins, and what is looked at."""
AFTER_S = 0.3
"""How long after our voice, where it has ended before."""
AROUND_S = 0.1
"""By how much voice activity begins early and ends late."""


def voice(rng: Random, folder: Path, count: int, *, ours: bool) -> Sound:
    """So many utterances, one after another, at `LEVEL`."""
    there_are = [saying for saying in sayings() if (saying.voice == OUR_VOICE) is ours]
    said = [np.frombuffer(spoken(saying, folder), dtype=np.int16) for saying in rng.sample(there_are, count)]
    sound = np.concatenate(said).astype(np.float64)
    return sound * (LEVEL / float(np.sqrt(np.mean(sound * sound))))


def echo(ours: Sound, rng: np.random.Generator, down_db: int) -> Sound:
    """It as a room gives it back, up to 0.7 s late."""
    fades = np.exp(-np.arange(RATE // 50) / (RATE / 250))
    room = rng.normal(size=RATE // 50) * fades
    room[0] = 3
    coloured = np.convolve(ours, room)[: len(ours)] / float(np.linalg.norm(room))
    late = np.zeros(int(rng.uniform(0, 0.7) * RATE))
    return np.concatenate((late, coloured))[: len(ours)] * float(10 ** (-down_db / 20))


def is_ours(ours: Sound, heard: Sound, ended: float) -> tuple[bool, float]:
    """Whether what was heard by then is taken for ours, and how long that took, in seconds."""
    own, size = OwnVoice(RATE), frame_samples(RATE)
    played, came = (sound.clip(-32_768, 32_767).astype(np.int16) for sound in (ours, heard))
    for place in range(0, len(heard) - size + 1, size):
        if place < len(ours):
            own.played(played[place : place + size].tobytes(), place / RATE)
        own.heard(came[place : place + size].tobytes(), place / RATE)
    began = time.perf_counter()
    found = own.came_back(SPOKEN_AT_S - AROUND_S, ended + AROUND_S)
    return found, time.perf_counter() - began


def main(
    folder: Annotated[Path, typer.Option(help="Where the voices are kept.")],
    calls: Annotated[int, typer.Option(help="Calls of each kind, at each level of the echo.")] = 150,
) -> None:
    """Make the calls, and print what was taken for our own voice."""
    voices = folder / "voices"
    voices.mkdir(parents=True, exist_ok=True)
    chance, rng = Random(5), np.random.default_rng(5)
    ours_in: Counter[tuple[str, int]] = Counter()
    took: list[float] = []
    for _ in track(range(calls), "calling"):
        ours, theirs = voice(chance, voices, 5, ours=True), voice(chance, voices, 1, ours=False)
        start = int(SPOKEN_AT_S * RATE)
        caller = np.zeros(len(ours))
        caller[start : start + len(theirs)] = theirs[: len(ours) - start]
        noise = rng.normal(size=len(ours)) * NOISE
        for down_db in DOWN_DB:
            back = echo(ours, rng, down_db)
            short, louder = ours[: start - int(AFTER_S * RATE)], noise * (LOUD_NOISE / NOISE)
            answer = caller + louder
            answer[:start] += back[:start]
            trials = ((ours, back + noise), (ours, caller + noise), (ours, caller + back + noise), (short, answer))
            for what, (plays, heard) in zip(HEARD, trials, strict=True):
                found, seconds = is_ours(plays, heard, SPOKEN_AT_S + len(theirs) / RATE)
                ours_in[what, down_db] += found
                took.append(seconds)
    table = Table("heard while our voice plays, or just after", *(f"echo {down_db} dB down" for down_db in DOWN_DB))
    for what in HEARD:
        table.add_row(what, *(f"{ours_in[what, down_db]} of {calls} ours" for down_db in DOWN_DB))
    slowest = statistics.quantiles(took, n=100)[98] * 1e3
    Console().print(table, f"{statistics.median(took) * 1e3:.1f} ms an utterance (p99 {slowest:.1f})", sep="\n")


if __name__ == "__main__":
    typer.run(main)
