"""The service's model: the responses under way."""

from collections.abc import Sequence
from typing import Final, cast

from voice_hitl.testing.openai.configuration import Configuration
from voice_hitl.testing.openai.fields import Json, list_of, object_of, only
from voice_hitl.testing.openai.generation import Generation
from voice_hitl.testing.openai.items import Items
from voice_hitl.testing.openai.refused import Refused
from voice_hitl.testing.openai.script import Habits, Say, Script, Step, Turn
from voice_hitl.testing.openai.wire import Wire

_RESPONSE: Final = frozenset({
    "audio", "conversation", "input", "instructions", "max_output_tokens", "metadata", "output_modalities",
    "parallel_tool_calls", "prompt", "reasoning", "tool_choice", "tools",
})  # fmt: skip


class Model:
    """What the model was told and is saying."""

    def __init__(self, wire: Wire, configuration: Configuration, items: Items, script: Script, habits: Habits) -> None:
        self._wire = wire
        self._configuration = configuration
        self._items = items
        self._script = script
        self._habits = habits
        self._conversation_id = wire.make_id("conv")
        self._live: list[Generation] = []
        self._heard: list[str] = []
        self._outputs: dict[str, str] = {}
        self._turns = 0
        self.has_spoken = False
        """Whether it has said anything aloud: its voice is fixed then."""
        self.idle_at: float | None = None
        """When it asks the caller to go on, where it does."""

    @property
    def deadlines(self) -> list[float]:
        """When to call `advance`."""
        return [live.due for live in self._live if live.due is not None]

    @property
    def active(self) -> Generation | None:
        """The response that writes to the conversation; there is at most one."""
        return next((live for live in self._live if live.items is not None), None)

    def hear(self, text: str) -> None:
        """The caller said something."""
        self._heard.append(text)

    def take_output(self, call_id: str, output: str) -> None:
        """A call got its output."""
        self._outputs[call_id] = output

    def respond(self, asked: Json) -> None:
        """Begin a response.

        Raises:
            Refused: One is under way already, or `asked` has what the reference has not.
        """
        only(asked, _RESPONSE, "response.")
        out_of_band = asked.get("conversation", "auto") == "none"
        active = self.active
        if active is not None and not out_of_band:
            raise Refused(
                "conversation_already_has_active_response",
                f"Conversation already has an active response in progress: {active.response_id}. "
                "Wait until the response is finished before creating a new one.",
            )
        metadata = object_of(asked, "metadata", "response.") if asked.get("metadata") is not None else None
        steps = self._say_given(asked) if out_of_band and "input" in asked else self._take_turn()
        response: dict[str, object] = {
            "id": self._wire.make_id("resp"),
            "object": "realtime.response",
            "status": "in_progress",
            "status_details": None,
            "output": [],
            "conversation_id": None if out_of_band else self._conversation_id,
            "output_modalities": ["audio"],
            "max_output_tokens": "inf",
            "audio": {"output": {"format": {"type": "audio/pcm", "rate": 24_000}, "voice": self._configuration.voice}},
            "usage": None,
            "metadata": metadata,
        }
        items = None if out_of_band else self._items
        live = Generation(response, steps, items, self._wire, self._habits.speed)
        live.due = self._wire.now + self._habits.latency_s
        self.idle_at = None
        self._live.append(live)
        self._wire.emit("response.created", response=response)
        self._wire.emit("rate_limits.updated", rate_limits=[])

    def _take_turn(self) -> Sequence[Step]:
        heard = " ".join(self._heard) if self._heard else None
        turn = Turn(self._turns, heard, self._outputs, tuple(self._items.shown), self._configuration.shown())
        self._turns += 1
        self._heard, self._outputs = [], {}
        return self._script.turn(turn)

    def _say_given(self, asked: Json) -> Sequence[Step]:
        texts: list[str] = []
        for item in list_of(asked, "input", "response."):
            parts = list_of(cast("Json", item), "content") if isinstance(item, dict) else []
            texts += [str(cast("Json", part).get("text", "")) for part in parts if isinstance(part, dict)]
        return [Say(self._script.saying(" ".join(texts)))]

    def advance(self) -> None:
        """Go on with every response as far as it can."""
        for live in tuple(self._live):
            live.advance(self._wire.now)
            self.has_spoken |= live.audio_ms > 0
            if live.status != "in_progress":
                self._ended(live)

    def cancel(self, response_id: object) -> None:
        """Stop a response, or the active one.

        Raises:
            Refused: There is none.
        """
        wanted = next((live for live in self._live if live.response_id == response_id), None)
        live = wanted if response_id is not None else self.active
        if live is None:
            raise Refused("response_cancel_not_active", "Cancellation failed: no active response found")
        self._cut(live, "client_cancelled")

    def interrupt(self) -> None:
        """The caller speaks: the active response is stopped."""
        if (active := self.active) is not None:
            self._cut(active, "turn_detected")

    def _cut(self, live: Generation, reason: str) -> None:
        live.end("cancelled", {"reason": reason})
        self._ended(live)

    def _ended(self, live: Generation) -> None:
        self._live.remove(live)
        idle_ms = (self._configuration.turn_detection or {}).get("idle_timeout_ms")
        if live.items is not None and isinstance(idle_ms, int | float):
            self.idle_at = self._wire.now + (live.audio_ms + idle_ms) / 1000
