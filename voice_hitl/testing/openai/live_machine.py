"""One session of the Live API, from the service's side, as a state machine."""

import binascii
import json
from collections.abc import Callable
from typing import Final, cast

from voice_hitl.testing.openai.fields import Json, object_of, only, text_of
from voice_hitl.testing.openai.live_backend import LiveBackend
from voice_hitl.testing.openai.live_configuration import LiveConfiguration, tokens_at_most
from voice_hitl.testing.openai.live_script import HandOver, LiveScript, LiveTurn
from voice_hitl.testing.openai.live_voice import LiveVoice
from voice_hitl.testing.openai.refused import Refused, invalid, missing
from voice_hitl.testing.openai.voice import BYTES_PER_MS
from voice_hitl.testing.openai.wire import Close, Event, Wire

MOST_TOKENS: Final = 500
"""What one append may hold."""

NORMAL: Final = 1000
LOUD: Final = 500
"""Audio with a sample beyond this (of 32,767) is somebody speaking."""

CLIENT_EVENTS: Final = (
    "session.start",
    "session.update",
    "session.input_audio.append",
    "session.input_audio.mute",
    "session.input_audio.unmute",
    "session.instructions.append",
    "session.thinking.append",
    "session.commentary.append",
    "response.item.create",
    "response.create",
    "session.close",
)
_APPENDS: Final = {
    "session.instructions.append": "session.instructions.appended",
    "session.thinking.append": "session.thinking.appended",
    "session.commentary.append": "session.commentary.appended",
}


class LiveMachine:
    """One session, whoever is connected to it: one primary connection, which carries the audio, and sidebands.

    Args:
        session_id: Its id.
        script: What its model does.
        limit_s: How long it may last.
        now: The caller's clock, in seconds.
        epoch: The same moment in seconds since 1970.
    """

    def __init__(self, *, session_id: str, script: LiveScript, limit_s: float, now: float, epoch: float) -> None:
        self.session_id = session_id
        self._script = script
        self._expires_at, self._expires_epoch = now + limit_s, int(epoch + limit_s)
        self.tell: Callable[[], None] = lambda: None
        """Is called when there is something for another connection than the one that is being served."""
        self._primary = Wire(now)
        self._sidebands: list[Wire] = []
        self._configuration: LiveConfiguration | None = None
        self._voice = LiveVoice()
        self._backend = LiveBackend(self._emit, self._primary.make_id, script, self._voice.say)
        self._delegations: set[str] = set()
        self._accepted: list[tuple[str, str, object]] = []
        self._known: list[str] = []
        self._turns = 0
        self._position_ms = 0.0
        self._muted = False
        self.closed = False
        self.loud_ms = 0.0
        """How much of the audio that came was somebody speaking."""
        self.heard_ms = 0.0
        """How much audio came."""

    @property
    def configuration(self) -> Event:
        """The session as the service has it; empty before it was started."""
        return self._configuration.shown() if self._configuration is not None else {}

    @property
    def known(self) -> list[str]:
        """What the model was told silently."""
        return list(self._known)

    # --- ServiceMachine ----------------------------------------------------------------------------------------------

    def take(self) -> list[Event | Close]:
        """What the service says on the primary connection."""
        return self._primary.take()

    def deadline(self) -> float | None:
        """When to call `tick`."""
        return None if self.closed else self._expires_at

    def tick(self, now: float) -> None:
        """Do what is due: end the session."""
        self._primary.now = now
        if not self.closed and now >= self._expires_at:
            self.end("expired")

    def receive(self, text: str | bytes, now: float) -> Json | None:
        """Take in one event of the client, on the primary connection."""
        return self.receive_on(self._primary, text, now)

    # --- connections -------------------------------------------------------------------------------------------------

    def attach(self, now: float) -> Wire:
        """One more sideband."""
        wire = Wire(now)
        self._sidebands.append(wire)
        return wire

    def receive_on(self, wire: Wire, text: str | bytes, now: float) -> Json | None:
        """Take in one event of the client, on this connection; return it, or None where it is none."""
        wire.now = now
        if self.closed:
            return None
        try:
            loaded: object = json.loads(text)
        except ValueError:
            loaded = None
        if not isinstance(loaded, dict):
            _refuse(wire, Refused("invalid_json", "The event is not a JSON object."))
            return None
        event = cast("Json", loaded)
        try:
            self._obey(wire, text_of(event, "type"), event)
        except Refused as refused:
            _refuse(wire, refused, event.get("event_id"))
        if self._sidebands:
            self.tell()
        return event

    # --- what happens ------------------------------------------------------------------------------------------------

    def caller_says(self, text: str) -> None:
        """The caller says this: the model, which hears everything, stops, and does what its script says."""
        self._voice.stop()
        for word in text.split(" "):
            self._emit("session.input_transcript.delta", delta=f"{word} ", **self._where())
        steps = self._script.turn(LiveTurn(self._turns, text, self.known))
        self._turns += 1
        for step in steps:
            if isinstance(step, HandOver):
                self._hand_over(step)
            else:
                self._voice.say(step.text)
        self.tell()

    def press(self, key: str) -> None:
        """The caller presses a key; sidebands hear of it."""
        for wire in self._sidebands:
            wire.emit("transport.dtmf.received", event=key)
        self.tell()

    def end(self, reason: str) -> None:
        """The session is over."""
        self.closed = True
        fields = {"reason": reason, "session": self.configuration, "usage": {"seconds": round(self.heard_ms / 1000)}}
        for wire in (self._primary, *self._sidebands):
            wire.emit("session.closed", **fields)
            wire.close(NORMAL, reason)
        self.tell()

    def _hand_over(self, step: HandOver) -> None:
        delegation_id = step.delegation_id or self._primary.make_id("deleg")
        self._delegations.add(delegation_id)
        target = "client" if self._configuration is not None and self._configuration.is_clients else "responses"
        delegation: dict[str, object] = {"id": delegation_id, "type": "delegation", "target": target}
        self._emit("session.delegation.created", delegation=delegation, offset_ms=round(self._position_ms))
        if target == "responses":
            self._backend.begin(delegation_id)

    # --- what the client wants ---------------------------------------------------------------------------------------

    def _obey(self, wire: Wire, kind: str, event: Json) -> None:  # noqa: C901 - one flat dispatch
        if kind not in CLIENT_EVENTS:
            raise invalid("type", f"{kind!r} is no event of a client; there are {', '.join(CLIENT_EVENTS)}")
        if wire is not self._primary and kind in ("session.start", "session.input_audio.append"):
            raise Refused("invalid_request", f"{kind} is for the primary connection.")
        if kind == "session.start":
            self._start(event)
            return
        configuration = self._configuration
        if configuration is None:
            raise Refused("session_not_started", "The first event must be session.start.")
        match kind:
            case "session.input_audio.append":
                self._hear(event)
            case "session.input_audio.mute" | "session.input_audio.unmute":
                self._muted = kind.endswith(".mute")
                self._emit(f"{kind}d")
            case "session.update":
                configuration.update(object_of(event, "session"))
                self._emit("session.updated", session=configuration.shown())
            case "session.close":
                self.end("close_requested")
            case "response.item.create" | "response.create":
                if configuration.is_clients:
                    raise Refused("invalid_request", f"{kind} requires Responses delegation.")
                self._backend.obey(kind, event)
            case _:
                self._append(kind, event, configuration)

    def _start(self, event: Json) -> None:
        if self._configuration is not None:
            raise Refused("session_already_started", "The session has been started.")
        session = object_of(event, "session")
        self._configuration = LiveConfiguration(self.session_id, self._expires_epoch, session)
        self._emit("session.started", session=self._configuration.shown())

    def _append(self, kind: str, event: Json, configuration: LiveConfiguration) -> None:
        only(event, frozenset({"type", "event_id", "content", "delegation_id"}), "")
        content = text_of(event, "content")
        if "delegation_id" not in event:
            raise missing("delegation_id")
        delegation_id = event["delegation_id"]
        if delegation_id is not None and not configuration.is_clients:
            raise invalid("delegation_id", "not accepted with Responses delegation")
        if delegation_id is not None and delegation_id not in self._delegations:
            raise invalid("delegation_id", f"there is no delegation {delegation_id!r}")
        if not content.strip():
            raise invalid("content", "it is empty")
        if tokens_at_most(content) > MOST_TOKENS:
            raise Refused("string_above_max_length", f"content is limited to {MOST_TOKENS} tokens.", "content")
        self._accepted.append((kind, content, event.get("event_id")))

    # --- time --------------------------------------------------------------------------------------------------------

    def _hear(self, event: Json) -> None:
        try:
            pcm = binascii.a2b_base64(text_of(event, "audio"), strict_mode=True)
        except ValueError:
            raise invalid("audio", "it is not base64") from None
        ms = len(pcm) / BYTES_PER_MS
        self.heard_ms += ms
        if (
            not self._muted
            and max((abs(sample) for sample in memoryview(pcm[: len(pcm) & ~1]).cast("h")), default=0) > LOUD
        ):
            self.loud_ms += ms
        for wire in self._sidebands:
            wire.emit("session.input_audio.append", audio=event["audio"])
        self._pass_time(ms)

    def _pass_time(self, ms: float) -> None:
        """The model lives by the audio it hears: only now it takes in what it was told, and speaks."""
        accepted, self._accepted = self._accepted, []
        for kind, content, event_id in accepted:
            named = {"client_event_id": event_id} if isinstance(event_id, str) else {}
            self._emit(_APPENDS[kind], **self._where(), **named)
            if kind == "session.commentary.append":
                words = self._script.commentary(content)
                if words:
                    self._voice.say(words)
            else:
                self._known.append(content)
        words, pcm = self._voice.pass_time(ms)
        start, self._position_ms = self._position_ms, self._position_ms + ms
        if words:
            self._emit("session.output_transcript.delta", delta=words, start_ms=round(start), end_ms=round(start + ms))
        if pcm:
            delta = binascii.b2a_base64(pcm, newline=False).decode()
            self._primary.emit("session.output_audio.delta", delta=delta)
            for wire in self._sidebands:
                span = {"start_ms": round(start), "end_ms": round(start + ms)}
                wire.emit("session.output_audio.delta", delta=delta, **span)

    def _where(self) -> dict[str, object]:
        at = round(self._position_ms)
        return {"start_ms": at, "end_ms": at}

    def _emit(self, kind: str, **fields: object) -> None:
        for wire in (self._primary, *self._sidebands):
            wire.emit(kind, **fields)


class SidebandMachine:
    """A sideband of a session: it sees what happens, and does what a primary connection does but for the audio."""

    def __init__(self, machine: LiveMachine, now: float) -> None:
        self._machine = machine
        self._wire = machine.attach(now)

    def receive(self, text: str | bytes, now: float) -> Json | None:
        """Take in one event of the client."""
        return self._machine.receive_on(self._wire, text, now)

    def take(self) -> list[Event | Close]:
        """What the service says here."""
        return self._wire.take()

    def deadline(self) -> float | None:
        """Nothing is due here: the primary connection sees to the time."""
        return None

    def tick(self, now: float) -> None:
        """Nothing is due here."""


def _refuse(wire: Wire, refused: Refused, event_id: object = None) -> None:
    error: dict[str, object] = {
        "type": "invalid_request_error",
        "code": refused.code,
        "message": refused.message,
        "param": refused.param,
        "client_event_id": event_id if isinstance(event_id, str) else None,
    }
    wire.emit("error", error=error)
