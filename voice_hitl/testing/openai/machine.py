"""One session of the Realtime API, from the service's side, as a state machine."""

import json
from typing import Final, cast

from voice_hitl.testing.openai.caller import Caller
from voice_hitl.testing.openai.configuration import Configuration
from voice_hitl.testing.openai.fields import Json, object_of, text_of
from voice_hitl.testing.openai.items import Items
from voice_hitl.testing.openai.model import Model
from voice_hitl.testing.openai.refused import Refused, invalid
from voice_hitl.testing.openai.script import Habits, Script
from voice_hitl.testing.openai.wire import Close, Event, Wire

GOING_AWAY: Final = 1001


class Machine:
    """One session.

    Args:
        session_id: Its id.
        model: The model asked for.
        script: What the model says and hears.
        habits: How fast it is.
        now: The caller's clock, in seconds.
        epoch: The same moment in seconds since 1970.
    """

    def __init__(
        self, *, session_id: str, model: str, script: Script, habits: Habits, now: float, epoch: float
    ) -> None:
        self._epoch = epoch
        self._limit_s = habits.session_limit_s
        self._expires_at = now + self._limit_s
        self._wire = Wire(now)
        self._closed = False
        self.items = Items()
        self.configuration = Configuration(session_id, model, int(epoch + self._limit_s))
        self._model = Model(
            self._wire, configuration=self.configuration, items=self.items, script=script, habits=habits
        )
        self.caller = Caller(
            self._wire,
            configuration=self.configuration,
            items=self.items,
            script=script,
            habits=habits,
            model=self._model,
        )
        self._wire.emit("session.created", session=self.configuration.shown())

    def take(self) -> list[Event | Close]:
        """What the service says, in this order."""
        return self._wire.take()

    def deadline(self) -> float | None:
        """When to call `tick`; None: never again."""
        if self._closed:
            return None
        return min([self._expires_at, *self.caller.deadlines, *self._model.deadlines])

    def tick(self, now: float) -> None:
        """Do what is due: write down, generate, end the session."""
        self._wire.now = now
        if self._closed:
            return
        if now >= self._expires_at:
            self.expire()
            return
        self.caller.advance()
        self._model.advance()

    def expire(self) -> None:
        """End the session at its time limit."""
        self._closed = True
        why = f"Your session hit the maximum duration of {round(self._limit_s / 60)} minutes."
        self._wire.refuse(Refused("session_expired", why))
        self._wire.close(GOING_AWAY, why)

    def receive(self, text: str | bytes, now: float) -> Json | None:
        """Take in one event of the client; return it, or None where it is none."""
        self._wire.now = now
        if self._closed:
            return None
        try:
            loaded: object = json.loads(text)
        except ValueError:
            loaded = None
        if not isinstance(loaded, dict):
            self._wire.refuse(Refused("invalid_json", "The event is not a JSON object."))
            return None
        event = cast("Json", loaded)
        try:
            self._obey(text_of(event, "type"), event)
        except Refused as refused:
            self._wire.refuse(refused, event.get("event_id"))
        self.tick(now)
        return event

    def _obey(self, kind: str, event: Json) -> None:
        match kind:
            case "session.update":
                self.configuration.update(object_of(event, "session"), has_spoken=self._model.has_spoken)
                self._wire.emit("session.updated", session=self.configuration.shown())
            case "input_audio_buffer.append":
                self.caller.append(text_of(event, "audio"))
            case "input_audio_buffer.commit":
                self.caller.commit()
            case "input_audio_buffer.clear":
                self.caller.clear()
            case "conversation.item.create":
                self._create_item(event)
            case "conversation.item.delete":
                item_id = text_of(event, "item_id")
                self.items.delete(item_id)
                self._wire.emit("conversation.item.deleted", item_id=item_id)
            case "conversation.item.truncate":
                item_id, end_ms = self.items.truncate(event)
                where = {"item_id": item_id, "content_index": 0}
                self._wire.emit("conversation.item.truncated", **where, audio_end_ms=end_ms)
            case "response.create":
                self._model.respond(object_of(event, "response") if event.get("response") is not None else {})
            case "response.cancel":
                self._model.cancel(event.get("response_id"))
            case _:
                raise invalid("type", f"{kind!r} is no event of a client")

    def _create_item(self, event: Json) -> None:
        item, before = self.items.create(event, self._wire.make_id("item"))
        if item["type"] == "function_call_output":
            self._model.take_output(str(item["call_id"]), str(item["output"]))
        self._wire.emit("conversation.item.added", previous_item_id=before, item=item)
        self._wire.emit("conversation.item.done", previous_item_id=before, item=item)
