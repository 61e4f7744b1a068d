"""The caller as the service has them: their audio, their turns and what was made of them."""

import base64
import binascii
from dataclasses import dataclass
from typing import Final

from voice_hitl.testing.openai.configuration import Configuration
from voice_hitl.testing.openai.ear import Ear
from voice_hitl.testing.openai.items import Entry, Items
from voice_hitl.testing.openai.model import Model
from voice_hitl.testing.openai.refused import Refused, invalid
from voice_hitl.testing.openai.script import Habits, Script, Utterance
from voice_hitl.testing.openai.wire import Wire

MOST_APPENDED_BYTES: Final = 15 * 2**20
"""How much audio one event may carry (API reference)."""

LEAST_COMMITTED_MS: Final = 100

_TRANSCRIPTION: Final = "conversation.item.input_audio_transcription"


@dataclass(slots=True)
class _Unwritten:
    """A turn that is not written down yet."""

    item: dict[str, object]
    text: str | None
    due: float


class Caller:
    """What the caller says to the model."""

    def __init__(
        self,
        wire: Wire,
        *,
        configuration: Configuration,
        items: Items,
        script: Script,
        habits: Habits,
        model: Model,
    ) -> None:
        self._wire = wire
        self._configuration = configuration
        self._items = items
        self._script = script
        self._habits = habits
        self._model = model
        self._ear = Ear()
        self._unwritten: list[_Unwritten] = []
        self._item_id = ""
        self._utterances = 0

    @property
    def deadlines(self) -> list[float]:
        """When to call `advance`."""
        idle = [self._model.idle_at] if self._model.idle_at is not None else []
        return [*idle, *(unwritten.due for unwritten in self._unwritten)]

    @property
    def _detection(self) -> dict[str, object]:
        return self._configuration.turn_detection or {}

    def append(self, audio: str) -> None:
        """Audio of the client's, as it came.

        Raises:
            Refused: It is not base64, or too much.
        """
        try:
            pcm = base64.b64decode(audio, validate=True)
        except binascii.Error:
            raise invalid("audio", "it is not base64") from None
        if len(pcm) > MOST_APPENDED_BYTES:
            raise invalid("audio", "more than 15 MiB of audio in one event")
        self._ear.append(pcm)
        while (onset := self._ear.listen(self._configuration.turn_detection)) is not None:
            if onset.kind == "started":
                self.start(onset.at_ms)
            else:
                self._stop(self._understand(), onset.at_ms)

    def commit(self) -> None:
        """The client says that the turn is over.

        Raises:
            Refused: There is no audio.
        """
        buffered_ms = self._ear.buffered_ms
        if buffered_ms < LEAST_COMMITTED_MS:
            raise Refused(
                "input_audio_buffer_commit_empty",
                "Error committing input audio buffer: buffer too small. Expected at least 100ms of audio, "
                f"but buffer only has {buffered_ms:.2f}ms of audio.",
            )
        self._commit(self._item_id or self._wire.make_id("item"), self._understand(), answer=False)

    def clear(self) -> None:
        """The client lets the audio go."""
        self._ear.clear()
        self._wire.emit("input_audio_buffer.cleared")

    def start(self, at_ms: int | None = None) -> None:
        """The caller begins to speak."""
        self._model.idle_at = None
        self._item_id = self._wire.make_id("item")
        start_ms = self._ear.heard_ms if at_ms is None else at_ms
        self._wire.emit("input_audio_buffer.speech_started", audio_start_ms=start_ms, item_id=self._item_id)
        if self._detection.get("interrupt_response"):
            self._model.interrupt()

    def stop(self, text: str | None) -> None:
        """The caller has said `text`, whatever the audio was; None: it cannot be transcribed."""
        self._ear.clear()
        self._stop(text, self._ear.heard_ms)

    def _stop(self, text: str | None, at_ms: int) -> None:
        self._wire.emit("input_audio_buffer.speech_stopped", audio_end_ms=at_ms, item_id=self._item_id)
        self._commit(self._item_id, text, answer=self._detection.get("create_response") is True)

    def _understand(self) -> str | None:
        utterance = Utterance(self._utterances, self._ear.take())
        self._utterances += 1
        return self._script.utterance(utterance)

    def _commit(self, item_id: str, text: str | None, *, answer: bool) -> None:
        self._item_id = ""
        item: dict[str, object] = {
            "id": item_id,
            "object": "realtime.item",
            "type": "message",
            "status": "completed",
            "role": "user",
            "content": [{"type": "input_audio", "transcript": None}],
        }
        before = self._items.last_id
        self._wire.emit("input_audio_buffer.committed", previous_item_id=before, item_id=item_id)
        self._items.add(Entry(item))
        self._wire.emit("conversation.item.added", previous_item_id=before, item=dict(item))
        self._wire.emit("conversation.item.done", previous_item_id=before, item=dict(item))
        if text is not None:
            self._model.hear(text)
        if self._configuration.transcribes:
            self._unwritten.append(_Unwritten(item, text, self._wire.now + self._habits.transcription_s))
        if answer:
            try:
                self._model.respond({})
            except Refused as refused:
                self._wire.refuse(refused)

    def advance(self) -> None:
        """Write down what is due, and ask whoever has been silent for too long."""
        due = [unwritten for unwritten in self._unwritten if unwritten.due <= self._wire.now]
        for unwritten in due:
            self._unwritten.remove(unwritten)
            self._write_down(unwritten.item, unwritten.text)
        if self._model.idle_at is not None and self._wire.now >= self._model.idle_at:
            self._model.idle_at = None
            item_id, at_ms = self._wire.make_id("item"), self._ear.heard_ms
            where = {"item_id": item_id, "audio_start_ms": at_ms, "audio_end_ms": at_ms}
            self._wire.emit("input_audio_buffer.timeout_triggered", **where)
            self._commit(item_id, None, answer=True)

    def _write_down(self, item: dict[str, object], text: str | None) -> None:
        where = {"item_id": item["id"], "content_index": 0}
        if text is None:
            error = {"type": "transcription_error", "code": "audio_unintelligible", "message": "It was not understood."}
            self._wire.emit(f"{_TRANSCRIPTION}.failed", **where, error=error)
            return
        item["content"] = [{"type": "input_audio", "transcript": text}]
        self._wire.emit(f"{_TRANSCRIPTION}.delta", **where, delta=text)
        sure = [{"token": word, "logprob": -0.05, "bytes": list(word.encode())} for word in text.split()]
        logprobs = sure if self._configuration.tells_logprobs else None
        usage = {"type": "duration", "seconds": 1}
        self._wire.emit(f"{_TRANSCRIPTION}.completed", **where, transcript=text, usage=usage, logprobs=logprobs)
