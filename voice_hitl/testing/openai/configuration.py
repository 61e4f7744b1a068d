"""The session's fields: how it begins, and which changes the service takes."""

import copy
from collections.abc import Mapping
from typing import Final, cast

from voice_hitl.testing.openai.fields import Json, list_of, object_of, only, part_of, text_of
from voice_hitl.testing.openai.refused import Refused, invalid, missing

_SESSION: Final = frozenset({
    "type", "audio", "include", "instructions", "max_output_tokens", "model", "output_modalities",
    "parallel_tool_calls", "prompt", "reasoning", "tool_choice", "tools", "tracing", "truncation",
})  # fmt: skip
_AUDIO: Final = frozenset({"input", "output"})
_INPUT: Final = frozenset({"format", "noise_reduction", "transcription", "turn_detection"})
_OUTPUT: Final = frozenset({"format", "speed", "voice"})
_TRANSCRIPTION: Final = frozenset({"model", "language", "languages", "keywords", "prompt", "delay"})
_DETECTION: Final[dict[str, dict[str, object]]] = {
    "server_vad": {
        "threshold": 0.5,
        "prefix_padding_ms": 300,
        "silence_duration_ms": 200,
        "idle_timeout_ms": None,
        "create_response": True,
        "interrupt_response": True,
    },
    "semantic_vad": {"eagerness": "auto", "create_response": True, "interrupt_response": True},
}
_PCM: Final[dict[str, object]] = {"type": "audio/pcm", "rate": 24_000}


class Configuration:
    """One session's fields, as `session.created` and `session.updated` show them."""

    def __init__(self, session_id: str, model: str, expires_at: int) -> None:
        self._input: dict[str, object] = {
            "format": _PCM,
            "noise_reduction": None,
            "transcription": None,
            "turn_detection": {"type": "server_vad", **_DETECTION["server_vad"]},
        }
        self._output: dict[str, object] = {"format": _PCM, "voice": "marin", "speed": 1.0}
        self._fields: dict[str, object] = {
            "type": "realtime",
            "object": "realtime.session",
            "id": session_id,
            "model": model,
            "output_modalities": ["audio"],
            "instructions": "",
            "tools": [],
            "tool_choice": "auto",
            "max_output_tokens": "inf",
            "tracing": None,
            "truncation": "auto",
            "prompt": None,
            "include": None,
            "expires_at": expires_at,
        }

    def shown(self) -> dict[str, object]:
        """The whole of it, as the service shows it."""
        return copy.deepcopy({**self._fields, "audio": {"input": self._input, "output": self._output}})

    @property
    def turn_detection(self) -> dict[str, object] | None:
        """What the service does by itself when the caller speaks."""
        return cast("dict[str, object] | None", self._input["turn_detection"])

    @property
    def transcribes(self) -> bool:
        """Whether the caller is written down."""
        return self._input["transcription"] is not None

    @property
    def tells_logprobs(self) -> bool:
        """Whether it tells how sure of that it is."""
        include = self._fields["include"]
        return isinstance(include, list) and "item.input_audio_transcription.logprobs" in include

    @property
    def voice(self) -> str:
        """The model's voice."""
        return str(self._output["voice"])

    def update(self, session: Json, *, has_spoken: bool) -> None:
        """Take these fields and leave the others.

        Raises:
            Refused: A field is fixed, unknown, or cannot have this value; nothing was changed then.
        """
        only(session, _SESSION, "session.")
        if text_of(session, "type", "session.") != "realtime":
            raise invalid("session.type", "this is a realtime session")
        if session.get("model", self._fields["model"]) != self._fields["model"]:
            raise invalid("session.model", "the model cannot be changed during a session")
        if session.get("output_modalities", ["audio"]) != ["audio"]:
            raise invalid("session.output_modalities", "this server only speaks")
        for index, tool in enumerate(list_of(session, "tools", "session.")):
            _check_tool(tool, f"session.tools[{index}].")
        audio = part_of(session, "audio", "session.")
        only(audio, _AUDIO, "session.audio.")
        heard = self._heard(audio)
        spoken = self._spoken(audio, has_spoken=has_spoken)
        self._input, self._output = heard, spoken
        self._fields |= {key: value for key, value in session.items() if key != "audio"}

    def _heard(self, audio: Json) -> dict[str, object]:
        asked = part_of(audio, "input", "session.audio.")
        only(asked, _INPUT, "session.audio.input.")
        _check_format(asked, "session.audio.input.format")
        merged: dict[str, object] = {**self._input, **asked}
        if isinstance(merged["transcription"], dict):
            only(cast("Json", merged["transcription"]), _TRANSCRIPTION, "session.audio.input.transcription.")
        if asked.get("turn_detection") is not None:
            merged["turn_detection"] = self._detection(object_of(asked, "turn_detection", "session.audio.input."))
        return merged

    def _detection(self, asked: Json) -> dict[str, object]:
        where = "session.audio.input.turn_detection."
        kind = text_of(asked, "type", where)
        if kind not in _DETECTION:
            raise invalid(f"{where}type", f"{kind!r} is neither 'server_vad' nor 'semantic_vad'")
        only(asked, frozenset({"type", *_DETECTION[kind]}), where)
        present = self.turn_detection
        before = present if present is not None and present["type"] == kind else _DETECTION[kind]
        return {**before, **asked}

    def _spoken(self, audio: Json, *, has_spoken: bool) -> dict[str, object]:
        asked = part_of(audio, "output", "session.audio.")
        only(asked, _OUTPUT, "session.audio.output.")
        _check_format(asked, "session.audio.output.format")
        if has_spoken and asked.get("voice", self._output["voice"]) != self._output["voice"]:
            raise Refused("cannot_update_voice", "Cannot update a conversation's voice if assistant audio is present.")
        return {**self._output, **asked}


def _check_format(asked: Json, param: str) -> None:
    if "format" in asked and {**_PCM, **object_of(asked, "format")} != _PCM:
        raise invalid(param, "this server takes and gives audio/pcm at 24000")


def _check_tool(tool: object, where: str) -> None:
    if not isinstance(tool, Mapping):
        raise invalid(where.rstrip("."), "expected an object")
    known = cast("Json", tool)
    only(known, frozenset({"type", "name", "description", "parameters"}), where)
    if text_of(known, "type", where) != "function":
        raise invalid(f"{where}type", "this server knows functions only")
    if not text_of(known, "name", where):
        raise missing(f"{where}name")
