"""The session: as we asked for it, and as the service says it is. Pure.

A change holds when `session.updated` shows it, not when it was sent: until then the model may still answer by itself.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from voice_hitl.provider import ProviderConfig
from voice_hitl_openai.messages import Refusal, SessionEcho
from voice_hitl_openai.settings import Settings, function_tools, held_turn_detection

_BY_ITSELF: Final = ("create_response", "interrupt_response")


@dataclass(slots=True)
class Update:
    """One change that we ask for (`session.update`)."""

    event_id: str
    session: dict[str, object]
    """The fields to change."""
    turn_detection: Mapping[str, object] | None = None
    """What becomes of that, where `held` says that it changes."""
    held: bool | None = None
    """Whether it takes the model's own answering away (True), gives it back (False), or does neither."""
    sent: bool = False
    state: Literal["asked", "confirmed", "refused"] = "asked"
    refusal: Refusal | None = None

    def shown_by(self, echo: SessionEcho) -> bool:
        """Whether the session as the service has it shows this change. One that says nothing is believed."""
        if self.held is None or not echo.echoed:
            return True
        shown, wanted = echo.turn_detection, self.turn_detection
        if shown is None or wanted is None:
            return shown is None and wanted is None
        return all(shown.get(key) == wanted[key] for key in _BY_ITSELF if key in wanted)


class Session:
    """One session's settings, and the changes on their way."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._asked: deque[Update] = deque()
        self._floor: Update | None = None
        self._before = settings.turn_detection
        """The turn detection to give back: as last shown while nobody held the model."""
        self.held = False
        """Whether the service has confirmed that it does nothing by itself."""

    def open(self, event_id: str, config: ProviderConfig, *, held: bool) -> Update:
        """All of it, at the beginning."""
        if not held:
            return self._ask(Update(event_id, self._settings.session_of(config, self._before)))
        detection = held_turn_detection(self._before)
        self._floor = Update(event_id, self._settings.session_of(config, detection), detection, held=True)
        return self._ask(self._floor)

    def hold(self, event_id: str, *, on: bool) -> Update | None:
        """Keep the model from answering by itself, or give back what was before; None when it is so already."""
        if self._floor is not None and self._floor.held is on:
            return self._floor
        if self._floor is None and self.held is on:
            return None
        detection = held_turn_detection(self._before) if on else self._before
        sent = dict(detection) if detection is not None else None
        session: dict[str, object] = {"type": "realtime", "audio": {"input": {"turn_detection": sent}}}
        self._floor = Update(event_id, session, detection, held=on)
        return self._ask(self._floor)

    def reconfigure(self, event_id: str, config: ProviderConfig, *, voice: bool) -> Update:
        """Change instructions and tools, and the voice where it still can be."""
        session: dict[str, object] = {
            "type": "realtime",
            "instructions": config.instructions,
            "tools": function_tools(config.tools),
        }
        if voice and config.voice:
            session["audio"] = {"output": {"voice": config.voice}}
        return self._ask(Update(event_id, session))

    def show(self, echo: SessionEcho) -> None:
        """The service shows its session: the oldest change is confirmed, where it is to be seen."""
        if self._asked and self._asked[0].shown_by(echo):
            update = self._asked.popleft()
            update.state = "confirmed"
            if update.held is not None:
                self.held = update.held
            if update is self._floor:
                self._floor = None
        if not self.held and self._floor is None and echo.echoed:
            self._before = echo.turn_detection

    def refuse(self, refusal: Refusal) -> bool:
        """The service refuses a change, by its name; whether it was one of ours."""
        update = next((update for update in self._asked if update.event_id == refusal.event_id), None)
        if update is None:
            return False
        self._asked.remove(update)
        update.state, update.refusal = "refused", refusal
        if update is self._floor:
            self._floor = None
        return True

    def _ask(self, update: Update) -> Update:
        self._asked.append(update)
        return update
