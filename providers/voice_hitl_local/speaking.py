"""The agent's side of a connection: one response after another, spoken sentence by sentence."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import anyio
import anyio.lowlevel

from voice_hitl.audio.frame import BYTES_PER_SAMPLE, duration_ms
from voice_hitl.provider import (
    AudioOut,
    ProviderEvent,
    ProviderFailed,
    ResponseEnded,
    ResponseStarted,
    Transcript,
)
from voice_hitl.tasks import Mailbox
from voice_hitl_local.front_desk.brain import Act, Call, GiveUp, Say
from voice_hitl_local.synthesis import RATE, Speech
from voice_hitl_local.voice import PAUSE_MS

log = logging.getLogger(__name__)

_CHUNK_BYTES = BYTES_PER_SAMPLE * RATE // 5
"""200 ms at a time, so that handing out a long sentence does not hold other calls up."""
_OVERLAP_MS = 300
"""A sentence counts as heard when at most this much of its end is missing."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A response that is wanted. What it is, is decided when its turn comes."""

    acts: Callable[[], tuple[Act, ...]]
    ours: bool
    """Whether the session asked for it: it then comes even with nothing in it."""
    out_of_band: bool = False
    """Whether it is no part of the conversation: words that the session had spoken."""


@dataclass(slots=True)
class _Response:
    id: str
    wish: Wish
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    over: bool = False


@dataclass(slots=True)
class _Spoken:
    """What was said last in the conversation."""

    item_id: str
    ms: float = 0.0
    """How long what there is of it lasts, without the pause at its end."""
    whole: bool = False


class Speaking:
    """Carries out one wish after another.

    Args:
        emit: Takes the events.
        new_id: Makes the ids of responses and items.
        issue: Issues a call of a response (its id).
        give_up: Gives the open call up.
    """

    def __init__(
        self,
        *,
        emit: Callable[[ProviderEvent], None],
        new_id: Callable[[str], str],
        issue: Callable[[Call, str], None],
        give_up: Callable[[], None],
    ) -> None:
        self._emit = emit
        self._new_id = new_id
        self._issue = issue
        self._give_up = give_up
        self._wishes: Mailbox[Wish] = Mailbox()
        self._active: _Response | None = None
        self._last = _Spoken("", whole=True)

    def want(self, wish: Wish) -> None:
        """Respond, after what was wanted before."""
        self._wishes.put(wish)

    async def run(self) -> None:
        """Respond for as long as the connection lives."""
        async for wish in self._wishes:
            acts = wish.acts()
            if acts or wish.ours:
                await self._respond(_Response(self._new_id("resp"), wish), acts)

    def interrupt(self, response_id: str | None) -> bool:
        """End the active response (or this one), at once; say whether it was one of the conversation that was cut."""
        response = self._active
        if response is None or response_id not in {None, response.id}:
            return False
        response.scope.cancel()
        self._end(response, "cancelled")
        return not response.wish.out_of_band

    def heard_to_its_end(self, item_id: str, played_ms: float) -> bool:
        """Whether the caller heard what was said last, now that so much of this item was played."""
        last = self._last
        # An older item was being played: what came after it was not heard at all.
        return self.said_last(item_id) and last.whole and played_ms >= last.ms - _OVERLAP_MS

    def said_last(self, item_id: str) -> bool:
        """Whether this item is what was said last in the conversation."""
        return item_id == self._last.item_id

    async def _respond(self, response: _Response, acts: tuple[Act, ...]) -> None:
        self._active = response
        self._emit(ResponseStarted(response.id, response.wish.ours))
        try:
            with response.scope:
                for act in acts:
                    await self._carry_out(response, act)
        except Exception as error:  # the border to the engine: the response fails, the call goes on
            log.warning("a response could not be spoken", exc_info=error)
            self._emit(ProviderFailed(fatal=False, code="synthesis_failed", message=str(error)))
            self._end(response, "failed")
        self._end(response, "completed")

    async def _carry_out(self, response: _Response, act: Act) -> None:
        if isinstance(act, Say):
            speech = Speech(act.text)
            try:
                await self._say(response, speech)
            finally:
                speech.drop()
        elif isinstance(act, GiveUp):
            self._give_up()  # in an interrupted response too: the brain counts on it
        elif not response.over:
            self._issue(act, response.id)

    async def _say(self, response: _Response, speech: Speech) -> None:
        spoken = _Spoken(self._new_id("item"))
        if not response.wish.out_of_band:
            self._last = spoken
        text, ms = "", 0.0
        async for chunk in speech:
            delta = f" {chunk.text}" if text else chunk.text
            text += delta
            ms += duration_ms(chunk.pcm, RATE)
            spoken.ms = ms - PAUSE_MS
            self._tell(response, Transcript("assistant", delta, False, spoken.item_id))
            for start in range(0, len(chunk.pcm), _CHUNK_BYTES):
                pcm = chunk.pcm[start : start + _CHUNK_BYTES]
                self._tell(response, AudioOut(pcm, spoken.item_id, response_id=response.id))
                await anyio.lowlevel.checkpoint()
        spoken.whole = True
        self._tell(response, Transcript("assistant", text, True, spoken.item_id))

    def _tell(self, response: _Response, event: ProviderEvent) -> None:
        # A response that was cut says nothing more, even before its cancellation is delivered.
        if not response.over:
            self._emit(event)

    def _end(self, response: _Response, status: Literal["completed", "cancelled", "failed"]) -> None:
        if not response.over:
            response.over = True
            self._active = None
            self._emit(ResponseEnded(response.id, status))
