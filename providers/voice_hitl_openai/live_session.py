"""One session of the Live API, from our side: its messages in, events out; what is wanted in, commands out. Pure."""

from collections import OrderedDict
from typing import Final

import numpy as np

from voice_hitl.provider import (
    AudioOut,
    Connected,
    Delegated,
    InjectRole,
    ProviderConfig,
    ProviderDigit,
    ProviderEvent,
    ProviderFailed,
    ResponseEnded,
    ResponseStarted,
    Resumed,
    ToolCalled,
    ToolCallStarted,
)
from voice_hitl_openai import live_commands as commands
from voice_hitl_openai.history import replayed
from voice_hitl_openai.live_messages import (
    BackendCalls,
    BackendEnded,
    BackendStarted,
    HandedOver,
    LiveMessage,
    SessionClosed,
    Started,
    Voice,
    Words,
)
from voice_hitl_openai.live_settings import LiveSettings
from voice_hitl_openai.live_turns import LiveTurns
from voice_hitl_openai.messages import Refusal

SILENCE_PEAK: Final = 64
"""Audio that is never louder (of 32,767) is the model saying nothing: it is not played, and is no speech."""

WORDS_AFTER_S: Final = 0.4
"""A delegation is told once no word of the caller's has come for so long: it has no words but theirs, which lag."""

WORDS_WITHIN_S: Final = 1.5
"""How long it waits for them at most, in seconds."""

MOST_REMEMBERED: Final = 256
"""Delegations, open calls and lines of ours that are remembered."""

_FATAL_CLOSES: Final = frozenset({"content", "remote_hangup"})
"""Endings after which another session would be no help: a safety filter, and a caller who has hung up."""


class LiveSession:
    """One session. The shell hands messages and wishes in, and takes events and commands out after each.

    Args:
        settings: What every session has in common.
        stem: No other session's event ids begin with it.
        clock_offset: The loop's clock less seconds since 1970.
        attached: Whether it is a sideband: the session is another connection's, which carries the media.
    """

    def __init__(self, settings: LiveSettings, *, stem: str, clock_offset: float, attached: bool = False) -> None:
        self._settings = settings
        self._stem = stem
        self._clock_offset = clock_offset
        self._is_attached = attached
        self._numbers = 0
        self._events: list[ProviderEvent] = []
        self._commands: list[str] = []
        self._turns = LiveTurns()
        self._handed_over: list[tuple[float, str]] = []
        self._delegations: OrderedDict[str, str] = OrderedDict()
        self._responses: dict[str, str] = {}
        self._calls: OrderedDict[str, str] = OrderedDict()
        self._lines: OrderedDict[str, str] = OrderedDict()
        self._output_given = False
        self._is_resuming = False
        self._start_id = ""
        self.started = False
        self.refusal: Refusal | None = None
        """Why the session was not to be had, where it was not."""
        self.over = False

    def take_events(self) -> list[ProviderEvent]:
        """What happened since the last time."""
        events, self._events = self._events, []
        return events

    def take_commands(self) -> list[str]:
        """What is to be sent since the last time."""
        sent, self._commands = self._commands, []
        return sent

    def deadline(self) -> float | None:
        """When to call `tick`; None: not before something happens."""
        due = [self._hand_over_at(since) for since, _ in self._handed_over]
        pause = self._turns.deadline()
        return min([*due, *([pause] if pause is not None else [])], default=None)

    def tick(self, now: float) -> None:
        """Do what is due."""
        while self._handed_over and now >= self._hand_over_at(self._handed_over[0][0]):
            _, delegation_id = self._handed_over.pop(0)
            self._events += self._turns.end("user")
            self._events += self._turns.end("assistant")
            self._events.append(Delegated(delegation_id, "client"))
        self._events += self._turns.due(now)

    # --- what we want ------------------------------------------------------------------------------------------------

    def open(self, config: ProviderConfig) -> None:
        """Start it. A sideband stands from where it is attached."""
        history = replayed(config.metadata)
        self._is_resuming = history is not None
        if self._is_attached:
            self._stand(None)
            return
        self._start_id = self._name()
        self._commands.append(commands.start(self._start_id, self._settings.session_of(config, history or ())))

    def tell(self, text: str, role: InjectRole, *, silent: bool) -> str:
        """Add a line to what the model knows; what is not silent it may tell the caller. Returns the line's id."""
        if role == "user":
            text = f"The caller said, and you did not hear it: {text}"
        elif role == "assistant":
            text = f"You said: {text}"
        channel: commands.Channel = "instructions" if silent else "commentary"
        line_id = self._append(channel, text, None)
        _remember(self._lines, line_id, text)
        return line_id

    def say(self, text: str) -> None:
        """Have something told to the caller. In whose words is the model's to decide."""
        self._append("commentary", text, None)

    def forget(self, line_id: str) -> None:
        """Nothing is ever taken out here: a line of ours that does not hold any more is said not to."""
        text = self._lines.pop(line_id, None)
        if text is not None:
            self._append("instructions", f'This does not hold any more: "{text[:120]}"', None)

    def give_delegation(self, delegation_id: str, text: str, *, spoken: bool) -> None:
        """Some of what a delegation came to. One that another connection made is answered outside of any."""
        ours = delegation_id in self._delegations and self._settings.delegation == "client"
        self._append("commentary" if spoken else "thinking", text, delegation_id if ours else None)

    def give_output(self, call_id: str, text: str) -> bool:
        """The one output of a call of the service's backend. False: it waits for none."""
        if call_id not in self._calls:
            return False
        del self._calls[call_id]
        self._commands.append(commands.give_output(self._name(), call_id, text))
        self._output_given = True
        return True

    def respond(self) -> None:
        """Have the backend go on with its outputs, once none of its calls is owed one: it takes a turn only whole.

        The model itself is never asked: it speaks when it likes.
        """
        if self._output_given and not self._calls:
            self._output_given = False
            self._commands.append(commands.create_backend_response(self._name()))

    def close(self) -> None:
        """End the session; of a sideband only the attachment ends, by its socket."""
        if not self._is_attached:
            self._commands.append(commands.close(self._name()))

    def lose(self, why: str) -> None:
        """The socket is gone. Whoever reads the events finds them at their end."""
        if not self.started and self.refusal is None:
            self.refusal = Refusal("connection_lost", why)
        self.over = True

    # --- what the service says ---------------------------------------------------------------------------------------

    def receive(self, message: LiveMessage, now: float) -> None:  # noqa: C901, PLR0912 - one flat dispatch of a closed union
        """Take in one message."""
        match message:
            case Voice(pcm):
                if _is_audible(pcm):
                    self._events.append(AudioOut(pcm, self._turns.voice("assistant", now)))
            case Words(role, text):
                line = self._turns.words(role, text, now)
                if line is not None:
                    self._events.append(line)
            case HandedOver():
                self._hand_over(message, now)
            case BackendStarted(delegation_id, response_id):
                self._responses[delegation_id] = response_id
                self._events.append(ResponseStarted(response_id))
            case BackendCalls():
                self._backend_calls(message)
            case BackendEnded(delegation_id, response_id, status):
                self._responses.pop(delegation_id, None)
                self._events.append(ResponseEnded(response_id, status))
            case ProviderDigit():
                self._events.append(message)
            case Started(expires_at):
                self._stand(expires_at)
            case SessionClosed(reason):
                self._closed(reason)
            case Refusal():
                self._refused(message)
            case _:
                pass
        self.tick(now)

    def _stand(self, expires_at: float | None) -> None:
        self.started = True
        self._events.append(Connected(expires_at + self._clock_offset if expires_at is not None else None))
        if self._is_resuming:
            self._events.append(Resumed(()))  # what was said is known; no call of the old session is

    def _hand_over(self, handed: HandedOver, now: float) -> None:
        if handed.target not in ("", "client"):
            self._events.append(Delegated(handed.delegation_id, handed.target))
            return
        _remember(self._delegations, handed.delegation_id)
        self._handed_over.append((now, handed.delegation_id))

    def _hand_over_at(self, since: float) -> float:
        last = self._turns.last_word_at("user")
        return min(since + WORDS_WITHIN_S, max(since, last if last is not None else since) + WORDS_AFTER_S)

    def _backend_calls(self, call: BackendCalls) -> None:
        if call.arguments is None:
            if call.call_id:
                self._events.append(ToolCallStarted(call.call_id, call.name))
            return
        if call.call_id:
            _remember(self._calls, call.call_id)
        response_id = self._responses.get(call.delegation_id, "")
        self._events.append(ToolCalled(call.call_id, call.name, call.arguments, response_id))

    def _closed(self, reason: str) -> None:
        self.over = True
        if not self.started:
            self.refusal = self.refusal or Refusal(reason or "closed", "the session was closed before it stood")
        elif reason in _FATAL_CLOSES:
            self._events.append(ProviderFailed(fatal=True, code=reason, message="the service has ended the session"))

    def _refused(self, refusal: Refusal) -> None:
        if not self.started:
            self.refusal = self.refusal or refusal
            return
        self._events.append(ProviderFailed(fatal=False, code=refusal.code, message=refusal.message))

    # --- appending ---------------------------------------------------------------------------------------------------

    def _append(self, channel: commands.Channel, text: str, delegation_id: str | None) -> str:
        """Add a text, in as many pieces as it takes; return the name of the first."""
        names: list[str] = []
        for piece in commands.pieces(text):
            names.append(self._name())
            self._commands.append(commands.append(channel, names[-1], piece, delegation_id))
        return names[0] if names else ""

    def _name(self) -> str:
        self._numbers += 1
        return f"{self._stem}_{self._numbers}"


def _is_audible(pcm: bytes) -> bool:
    samples = np.frombuffer(pcm, dtype=np.int16)
    return bool(samples.size) and (int(samples.max()) > SILENCE_PEAK or int(samples.min()) < -SILENCE_PEAK)


def _remember(kept: "OrderedDict[str, str]", key: str, value: str = "") -> None:
    kept[key] = value
    while len(kept) > MOST_REMEMBERED:
        kept.popitem(last=False)
