"""`HoldLines`: the caller is not left in silence while somebody else is being asked."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import anyio
import anyio.to_thread

from voice_hitl.asker import AskerSession, Asking, GaveUp
from voice_hitl.askers.synthesis import Synthesis
from voice_hitl.askers.wording import HOLD_LINES, code_of
from voice_hitl.audio.resample import Resampler
from voice_hitl.line import Line
from voice_hitl.provider import ProviderCapabilities
from voice_hitl.requests.pending import PendingInput
from voice_hitl.speech_ports import Speaker

FIRST_S = 2.0
"""How long after the last audio heard the first line comes."""

THEN_S = (15.0, 30.0, 60.0)
"""The silence before each line after that; before the last one's successors as before the last one."""

LOOK_S = 1.0
"""How often to look whether somebody else is still being asked, in seconds, while music is played."""

BEFORE_MUSIC_S = 1.0
"""The silence between a line, or anybody's words, and music."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldLines:
    """Says a line now and then while somebody else than the caller is being asked. It never answers anything.

    Never over anybody's words, and stopped when anyone speaks. The lines claim nothing to be done.

    Args:
        speaker: Makes the voice; without one the model's own says it, where it may speak while it waits for a call.
        lines: The lines, the first first, then the others in turn; by default in the session's language.
        language: The language of `lines`, and of the default ones; by default the session's.
        first_s: Seconds after the last audio heard.
        then_s: Seconds of silence, or of music, before the second line, the third, ...
        music: Played between the lines, over and over: mono int16 at `music_rate`. Without it there is silence.
        music_rate: Samples a second of it.

    Raises:
        ValueError: One text where several lines are meant, no language, no silence before a line, or `music` is half a
            sample.
    """

    speaker: Speaker | None = None
    lines: Sequence[str] = ()
    language: str | None = None
    first_s: float = FIRST_S
    then_s: Sequence[float] = THEN_S
    music: bytes = field(default=b"", repr=False)
    music_rate: int = 16_000

    def __post_init__(self) -> None:
        if isinstance(self.lines, str):
            raise ValueError(f"lines is a sequence of lines, such as ({self.lines!r},)")
        code_of(self.language or "en")
        if not self.then_s or not all(seconds > 0 for seconds in (self.first_s, *self.then_s)):
            raise ValueError("first_s and each of then_s are more than 0 seconds, and then_s has at least one")
        if len(self.music) % 2:
            raise ValueError("music is mono int16: an even number of bytes")

    @property
    def name(self) -> str:
        """`hold`."""
        return "hold"

    @property
    def whom(self) -> Literal["nobody"]:
        """It asks nobody, so nothing waits for it."""
        return "nobody"

    def why_not(self, capabilities: ProviderCapabilities) -> str | None:
        """Why it has no voice with such a provider."""
        if self.speaker is not None or (capabilities.verbatim != "none" and capabilities.speaks_while_owed):
            return None
        return "the model's own voice cannot be had while it waits for a call: give it a speaker"

    def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
        """Whether there is a caller to keep company, and a voice."""
        line = session.line if session is not None else None
        if line is None:
            return False
        return line.can_interject or (line.carries_audio and self.speaker is not None)

    async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
        """Say a line after each silence, until the request is over."""
        if session is None or session.line is None:
            return None
        line = session.line
        language = self.language or session.language
        lines = self.lines or HOLD_LINES[code_of(language)]
        music = await self._music_at(line.rate) if line.carries_audio else b""
        said = 0
        while True:
            seconds = self.first_s if said == 0 else self.then_s[min(said, len(self.then_s)) - 1]
            if music and said and asking.asks_others:
                if not await _plays(music, seconds, line, asking):
                    continue
            else:
                await line.quiet_for(seconds)
            if asking.asks_others:
                await self._say(_line(lines, said), language, line)
                said += 1
            else:
                await anyio.sleep(self.first_s)  # it is the caller who is being asked

    async def _music_at(self, rate: int) -> bytes:
        resampler = Resampler(self.music_rate, rate, quality="HQ")
        return await anyio.to_thread.run_sync(partial(resampler.push, self.music)) + resampler.flush()

    async def _say(self, text: str, language: str, line: Line) -> None:
        if self.speaker is None or not line.carries_audio:
            await line.interject(text)
        else:
            voice = await Synthesis.of(self.speaker, text, language=language, rate=line.rate)
            await line.interject(await voice.whole())


async def _plays(music: bytes, seconds: float, line: Line, asking: Asking) -> bool:
    """Play music for so long; whether nobody spoke into it, and somebody else was being asked all the time."""
    await line.quiet_for(BEFORE_MUSIC_S)
    with anyio.move_on_after(seconds) as time:
        async with anyio.create_task_group() as group:

            async def while_others_are_asked() -> None:
                while asking.asks_others:  # noqa: ASYNC110 - nobody says when it ends
                    await anyio.sleep(LOOK_S)
                group.cancel_scope.cancel()

            group.start_soon(while_others_are_asked)
            await line.play_music(music)
            group.cancel_scope.cancel()
    return time.cancelled_caught


def _line(lines: Sequence[str], said: int) -> str:
    """The first first, then the others in turn."""
    others = lines[1:] or lines
    return lines[0] if said == 0 else others[(said - 1) % len(others)]
