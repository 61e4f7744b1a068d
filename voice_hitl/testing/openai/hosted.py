"""A session in a call whose media the service holds (SIP): no audio on the wire, but word of what is heard."""

import base64
from typing import Final

from voice_hitl.testing.openai.fields import Json
from voice_hitl.testing.openai.machine import Machine
from voice_hitl.testing.openai.refused import Refused, invalid
from voice_hitl.testing.openai.wire import Close, Event

BYTES_A_SECOND: Final = 48_000
KEYS: Final = frozenset("0123456789*#ABCD")
_OF_AUDIO: Final = frozenset({"input_audio_buffer.append", "input_audio_buffer.clear", "input_audio_buffer.commit"})


class HostedMachine(Machine):
    """As `Machine`, with the buffer that the caller hears: it is told when that begins, is cleared and runs dry."""

    playback_speed = 20.0
    """How many times faster than a caller it hears."""

    _playing: str = ""
    _heard_until: float = 0.0
    _generated: bool = False

    def press(self, key: str) -> None:
        """The caller presses a key."""
        if key not in KEYS:
            raise ValueError(f"{key!r} is no key of a telephone")
        # The reference gives whole seconds since 1970.
        self._wire.emit("input_audio_buffer.dtmf_event_received", event=key, received_at=int(self._epoch))

    def attach(self) -> None:
        """A client attaches again: the session goes on, and is shown to it."""
        self._wire.emit("session.created", session=self.configuration.shown())

    def deadline(self) -> float | None:
        """When to call `tick`."""
        deadline = super().deadline()
        if deadline is None or not (self._playing and self._generated):
            return deadline
        return min(deadline, self._heard_until)

    def tick(self, now: float) -> None:
        """Do what is due."""
        super().tick(now)
        if self._playing and self._generated and now >= self._heard_until:
            self._stop("output_audio_buffer.stopped")

    def take(self) -> list[Event | Close]:
        """What the service says: instead of audio, when it is heard."""
        said: list[Event | Close] = []
        for event in super().take():
            if not isinstance(event, dict):
                said.append(event)
                continue
            match event["type"]:
                case "response.output_audio.delta":
                    said += self._buffer(str(event["response_id"]), str(event["delta"]))
                case "response.done":
                    said.append(event)
                    self._generated = True
                case "input_audio_buffer.speech_started" if self._playing and self._interrupts:
                    said.append(event)
                    self._stop("output_audio_buffer.cleared")
                    said += super().take()
                case _:
                    said.append(event)
        return said

    @property
    def _interrupts(self) -> bool:
        detection = self.configuration.turn_detection
        return detection is not None and detection.get("interrupt_response") is True

    def _buffer(self, response_id: str, audio: str) -> list[Event | Close]:
        seconds = len(base64.b64decode(audio)) / BYTES_A_SECOND / self.playback_speed
        if self._playing == response_id:
            self._heard_until += seconds
            return []
        self._playing, self._generated = response_id, False
        self._heard_until = self._wire.now + seconds
        self._wire.emit("output_audio_buffer.started", response_id=response_id)
        return super().take()

    def _stop(self, kind: str) -> None:
        self._wire.emit(kind, response_id=self._playing)
        self._playing = ""

    def _obey(self, kind: str, event: Json) -> None:
        if kind in _OF_AUDIO:
            raise invalid("type", f"{kind!r} is not for a call whose audio comes over SIP")
        if kind == "output_audio_buffer.clear":
            if not self._playing:
                raise Refused("output_audio_buffer_empty", "There is no audio to clear.")
            self._stop("output_audio_buffer.cleared")
            return
        super()._obey(kind, event)
