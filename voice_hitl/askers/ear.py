"""The ear of an asker: the caller's utterances, recognised by a `Listener` where the model does not hear them."""

import logging
from collections.abc import Callable
from functools import partial

import anyio
import anyio.to_thread

from voice_hitl.audio.resample import Resampler
from voice_hitl.line import CallerSaid, CallerVoice, LineEvent, NotUnderstood
from voice_hitl.speech_ports import Listener, Transcription
from voice_hitl.tasks import Mailbox

log = logging.getLogger(__name__)

RECOGNITION_S = 10.0
"""How long the recognition of an utterance may take."""


class Ear:
    """Has utterances recognised one after another, in the order they were said.

    Args:
        listener: Recognises them; without one nothing that is said can be made out.
        language: The language spoken.
        rate: Samples a second of their audio.
        tell: Is told `CallerSaid` or `NotUnderstood`, once for each.
    """

    def __init__(
        self, listener: Listener | None, *, language: str, rate: int, tell: Callable[[LineEvent], None]
    ) -> None:
        self._listener = listener
        self._language = language
        self._rate = rate
        self._tell = tell
        self._voices: Mailbox[CallerVoice] = Mailbox()

    def hear(self, voice: CallerVoice) -> None:
        """An utterance to be recognised."""
        self._voices.put(voice)

    async def run(self) -> None:
        """Recognise what comes, until cancelled."""
        async for voice in self._voices:
            heard = await self._recognised(self._listener, voice) if self._listener is not None else None
            if heard is None or not heard.text.strip():
                self._tell(NotUnderstood(voice.ended, voice.by))
            else:
                more_due, sure = len(self._voices) > 0, heard.confidence
                said = CallerSaid(heard.text, voice.began, voice.ended, sure, "", more_due, voice.by, voice.is_ours)
                self._tell(said)

    async def _recognised(self, listener: Listener, voice: CallerVoice) -> Transcription | None:
        try:
            resampler = Resampler(self._rate, listener.rate, quality="HQ")
            pcm = await anyio.to_thread.run_sync(partial(_whole, resampler, voice.pcm))
            with anyio.move_on_after(RECOGNITION_S):
                return await listener.transcribe(pcm, language=self._language)
        except Exception as error:  # noqa: BLE001 - the border to a recogniser: what it could not do is a no-match
            # Its words may quote what was said, and that may be for nobody's eyes.
            log.warning("an utterance could not be recognised (%s)", type(error).__name__)
        return None


def _whole(resampler: Resampler, pcm: bytes) -> bytes:
    return resampler.push(pcm) + resampler.flush()
