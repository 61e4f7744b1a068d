"""A conversation with the Realtime API, and the service on the other side of it."""

import base64
import json
from collections.abc import Sequence
from typing import cast

from voice_hitl.provider import ProviderConfig, ProviderEvent
from voice_hitl_openai.codec import decode
from voice_hitl_openai.conversation import Conversation
from voice_hitl_openai.settings import Settings, default_turn_detection

SECOND = b"\1\0" * 24_000


class Talk:
    """A conversation, and the service on the other side of it as the reference describes it."""

    def __init__(self, *, config: ProviderConfig | None = None, clock_offset: float = 0.0, opened: bool = True) -> None:
        self.it = Conversation(Settings(), stem="t", clock_offset=clock_offset)
        self.it.open(config or ProviderConfig())
        if opened:
            self.shows(default_turn_detection())
            self.sent()
            self.told()

    def hears(self, kind: str, **fields: object) -> None:
        self.it.receive(decode(json.dumps({"type": kind, "event_id": "event_1", **fields})))

    def sent(self) -> list[dict[str, object]]:
        return [cast("dict[str, object]", json.loads(command)) for command in self.it.take_commands()]

    def told(self) -> list[ProviderEvent]:
        return self.it.take_events()

    def shows(self, turn_detection: object, expires_at: float | None = None) -> None:
        session = {"expires_at": expires_at, "audio": {"input": {"turn_detection": turn_detection}}}
        self.hears("session.updated", session=session)

    def starts(self, response_id: str, tag: str | None = None) -> None:
        metadata = {"voice_hitl": tag} if tag else None
        self.hears("response.created", response={"id": response_id, "metadata": metadata})

    def ends(self, response_id: str, status: str = "completed", **details: object) -> None:
        self.hears("response.done", response={"id": response_id, "status": status, "status_details": details})

    def begins_item(self, response_id: str, item_id: str) -> None:
        item = {"id": item_id, "type": "message", "role": "assistant", "status": "in_progress"}
        self.hears("response.output_item.added", response_id=response_id, item=item)

    def speaks(self, response_id: str, item_id: str, pcm: bytes = SECOND) -> None:
        delta = base64.b64encode(pcm).decode()
        self.hears("response.output_audio.delta", response_id=response_id, item_id=item_id, delta=delta)

    def ends_item(self, response_id: str, item_id: str, text: str = "Hello.", status: str = "completed") -> None:
        content = [{"type": "output_audio", "transcript": text}]
        item = {"id": item_id, "type": "message", "role": "assistant", "status": status, "content": content}
        self.hears("response.output_item.done", response_id=response_id, item=item)

    def says(self, response_id: str, item_id: str, pcm: bytes = SECOND) -> None:
        self.begins_item(response_id, item_id)
        self.speaks(response_id, item_id, pcm)
        self.ends_item(response_id, item_id)

    def calls(self, response_id: str, call_id: str, arguments: str = "{}", status: str = "completed") -> None:
        call = {"id": f"item_{call_id}", "type": "function_call", "status": status, "name": "ask_human"}
        item = {**call, "call_id": call_id, "arguments": arguments}
        self.hears("response.output_item.done", response_id=response_id, item=item)

    def adds(self, item_id: str, role: str = "user") -> None:
        self.hears("conversation.item.added", item={"id": item_id, "type": "message", "role": role})

    def takes(self, commands: Sequence[dict[str, object]]) -> None:
        for command in commands:
            if command["type"] == "conversation.item.create":
                self.hears("conversation.item.added", item=command["item"])

    def refuses(self, code: str, event_id: object = None, message: str = "") -> None:
        self.hears(
            "error", error={"type": "invalid_request_error", "code": code, "message": message, "event_id": event_id}
        )


def kinds(commands: Sequence[dict[str, object]]) -> list[object]:
    return [command["type"] for command in commands]
