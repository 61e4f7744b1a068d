"""One response being generated: the events of its items, paced faster than they are heard."""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from voice_hitl.testing.openai.items import Entry, Items
from voice_hitl.testing.openai.script import Call, Fail, Pause, RunOut, Say, Step
from voice_hitl.testing.openai.voice import Word, speak
from voice_hitl.testing.openai.wire import Wire

WORDS_AHEAD: Final = 2
"""The transcript runs this many words ahead of the audio."""

CHARS_A_DELTA: Final = 8

Status = Literal["in_progress", "completed", "cancelled", "failed", "incomplete"]


@dataclass(slots=True)
class _Open:
    """The item that is being generated."""

    entry: Entry
    said: str = ""
    speaks: bool = False


@dataclass(slots=True)
class Generation:
    """A response under way.

    Args:
        response: The response as the protocol shows it, without its items.
        steps: What it is made of.
        items: The conversation it writes to; None for one out of band.
        wire: Where it is said.
        speed: How many times faster than heard the audio is sent; None: all at once.
    """

    response: dict[str, object]
    steps: Sequence[Step]
    items: Items | None
    wire: Wire
    speed: float | None
    due: float | None = 0.0
    """When to go on; None: when its pause is released."""
    pause: Pause | None = None
    status: Status = "in_progress"
    output: list[Mapping[str, object]] = field(default_factory=list[Mapping[str, object]])
    audio_ms: int = 0
    _open: _Open | None = None
    _events: Iterator[float | Pause] | None = None

    @property
    def response_id(self) -> str:
        """Its id."""
        return str(self.response["id"])

    def advance(self, now: float) -> None:
        """Go on as far as it can by `now`."""
        if self._events is None:
            self._events = self._generate()
        while self.status == "in_progress" and not (self.pause is not None and not self.pause.released):
            if self.pause is None and self.due is not None and now < self.due:
                return
            self.pause = None
            waits = next(self._events, None)
            if waits is None:
                self.end("completed")
            elif isinstance(waits, Pause):
                self.pause, self.due = waits, None
            else:
                self.due = max(self.due or now, now - 1) + waits

    def end(self, status: Status, details: Mapping[str, object] | None = None) -> None:
        """End it, cutting the item that is being generated where there is one."""
        if self.status != "in_progress":
            return
        self.status = status
        if self._open is not None:
            self._close("incomplete")
        shown = {
            **self.response,
            "status": status,
            "status_details": {"type": status, **(details or {})},
            "output": self.output,
            "usage": {"total_tokens": 0, "input_tokens": 0, "output_tokens": 0},
        }
        self.wire.emit("response.done", response=shown)

    # --- its items ---------------------------------------------------------------------------------------------------

    def _generate(self) -> Iterator[float | Pause]:
        for step in self.steps:
            match step:
                case Say():
                    yield from self._say(step)
                case Call():
                    yield from self._call(step)
                case Pause():
                    yield step
                case Fail(code, message):
                    error = {"type": "server_error", "code": code, "message": message}
                    self.end("failed", {"error": error})
                case RunOut():
                    self.end("incomplete", {"reason": "max_output_tokens"})

    def _say(self, say: Say) -> Iterator[float | Pause]:
        part = self._begin({"type": "message", "role": "assistant", "content": []}, speaks=True)
        self.wire.emit("response.content_part.added", **part, part={"type": "audio", "transcript": ""})
        words = speak(say.text)
        for index, word in enumerate(words):
            if index == len(words) // 2 and say.pause is not None:
                yield say.pause
            if index == 0:
                for ahead in words[:WORDS_AHEAD]:
                    self._write_down(ahead, part)
            for ahead in words[index + WORDS_AHEAD : index + WORDS_AHEAD + 1]:
                self._write_down(ahead, part)
            self._speak(word, part)
            yield word.ms / 1000 / self.speed if self.speed else 0.0
        self._close("completed")

    def _write_down(self, word: Word, part: Mapping[str, object]) -> None:
        if self._open is not None:
            self._open.said += word.text
        self.wire.emit("response.output_audio_transcript.delta", **part, delta=word.text)

    def _speak(self, word: Word, part: Mapping[str, object]) -> None:
        if self._open is not None:
            self._open.entry.audio_ms += word.ms
        self.audio_ms += word.ms
        self.wire.emit("response.output_audio.delta", **part, delta=base64.b64encode(word.pcm).decode())

    def _call(self, call: Call) -> Iterator[float | Pause]:
        call_id = call.call_id if call.call_id is not None else self.wire.make_id("call")
        fields: dict[str, object] = {"type": "function_call", "name": call.name, "call_id": call_id, "arguments": ""}
        part = {**self._begin(fields), "call_id": call_id}
        del part["content_index"]
        text = call.arguments if isinstance(call.arguments, str) else json.dumps(dict(call.arguments))
        for start in range(0, len(text), CHARS_A_DELTA):
            if call.pause is not None and start + CHARS_A_DELTA >= len(text) / 2:
                yield call.pause
            delta = text[start : start + CHARS_A_DELTA]
            if self._open is not None:
                self._open.said += delta
            self.wire.emit("response.function_call_arguments.delta", **part, delta=delta)
            yield 0.0
        self._close("completed")

    def _begin(self, fields: Mapping[str, object], *, speaks: bool = False) -> dict[str, object]:
        item = {"id": self.wire.make_id("item"), "object": "realtime.item", "status": "in_progress", **fields}
        entry = Entry(item)
        self._open = _Open(entry, speaks=speaks)
        self.wire.emit("response.output_item.added", **self._place(), item=dict(item))
        if self.items is not None:
            self.wire.emit("conversation.item.added", previous_item_id=self.items.last_id, item=dict(item))
            self.items.add(entry)
        return {**self._place(), "item_id": item["id"], "content_index": 0}

    def _place(self) -> dict[str, object]:
        return {"response_id": self.response_id, "output_index": len(self.output)}

    def _close(self, status: Literal["completed", "incomplete"]) -> None:
        opened = self._open
        if opened is None:
            return
        self._open = None
        item, said = opened.entry.item, opened.said
        item["status"] = status
        part = {**self._place(), "item_id": item["id"]}
        if opened.speaks:
            item["content"] = [{"type": "output_audio", "transcript": said}]
            self.wire.emit("response.output_audio.done", **part, content_index=0)
            self.wire.emit("response.output_audio_transcript.done", **part, content_index=0, transcript=said)
            shown = {"type": "audio", "transcript": said}
            self.wire.emit("response.content_part.done", **part, content_index=0, part=shown)
        else:
            item["arguments"] = said
            named = {"call_id": item["call_id"], "name": item["name"]}
            self.wire.emit("response.function_call_arguments.done", **part, **named, arguments=said)
        self.output.append(dict(item))
        # Its place is the one it had while it was made.
        self.wire.emit("response.output_item.done", **{**part, "output_index": len(self.output) - 1}, item=dict(item))
        if self.items is not None and self.items.has(opened.entry.item_id):
            self.wire.emit("conversation.item.done", previous_item_id=None, item=dict(item))
