"""The caller's side of a connection: audio in, speech events and transcripts out."""

import logging
from collections.abc import Callable
from typing import assert_never

from voice_hitl.audio.frame import Framer
from voice_hitl.provider import (
    ProviderEvent,
    ProviderFailed,
    SpeechStarted,
    SpeechStopped,
    Transcript,
    TranscriptFailed,
    UserItem,
)
from voice_hitl.speech_ports import Transcription
from voice_hitl.tasks import Tasks
from voice_hitl_local.engines import WHISPER_RATE
from voice_hitl_local.recognition import RECOGNIZER
from voice_hitl_local.turns import TurnBegan, TurnEnded, TurnPaused, TurnResumed, Turns
from voice_hitl_local.worker import Pending

log = logging.getLogger(__name__)


class Hearing:
    """Finds the caller's turns and has them recognised, each beginning when the caller pauses.

    Args:
        tasks: Owns the waiting for what is being recognised.
        hint: Sentences with the words that are likely to be said.
        emit: Takes the events.
        new_id: Makes the id of an item.
        on_turn: Is called with the item and the words of each turn; None where nothing was made out.
    """

    def __init__(
        self,
        tasks: Tasks,
        *,
        hint: str,
        emit: Callable[[ProviderEvent], None],
        new_id: Callable[[str], str],
        on_turn: Callable[[str, Transcription | None], None],
    ) -> None:
        self._tasks = tasks
        self._hint = hint
        self._emit = emit
        self._new_id = new_id
        self._on_turn = on_turn
        self._framer = Framer(WHISPER_RATE)
        self._turns = Turns(WHISPER_RATE)
        self._item = ""
        self._reading: Pending[Transcription | None] | None = None

    def push(self, pcm: bytes) -> None:
        """Hear some audio. Costs microseconds; what takes longer happens elsewhere."""
        for frame in self._framer.push(pcm):
            for event in self._turns.push(frame):
                match event:
                    case TurnBegan():
                        self._item = self._new_id("item")
                        self._emit(SpeechStarted(self._item))
                    case TurnPaused(so_far):
                        self._reading = RECOGNIZER.recognize(so_far, hint=self._hint)
                    case TurnResumed():
                        self.drop()
                    case TurnEnded():
                        self._end()
                    case _:
                        assert_never(event)

    def drop(self) -> None:
        """What is being recognised is not wanted any more."""
        if self._reading is not None:
            self._reading.drop()
            self._reading = None

    def _end(self) -> None:
        self._emit(SpeechStopped(self._item))
        self._emit(UserItem(self._item))
        reading, self._reading = self._reading, None
        if reading is not None:
            self._tasks.spawn(self._finish(self._item, reading), "recognising the caller")

    async def _finish(self, item_id: str, reading: Pending[Transcription | None]) -> None:
        try:
            heard = await reading.get()
        except Exception as error:  # the border to the engine: the turn is lost, the call goes on
            log.warning("a turn could not be recognised", exc_info=error)
            self._emit(ProviderFailed(fatal=False, code="recognition_failed", message=str(error)))
            heard = None
        finally:
            reading.drop()
        if heard is None:
            self._emit(TranscriptFailed(item_id))
        else:
            self._emit(Transcript("user", heard.text, True, item_id, heard.confidence))
        self._on_turn(item_id, heard)
