"""The session that we ask for, as the wire has it. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from voice_hitl.provider import ProviderConfig
from voice_hitl.questions.language import language_of
from voice_hitl.tools.definition import AITool

RATE: Final = 24_000
"""Samples a second, both ways: the only rate that the Realtime API takes as PCM."""

MOST_RESULT_CHARS: Final = 100_000
"""About the whole of the 32,768 tokens that the smaller models read; nothing longer could be taken in."""

HELD_SILENCE_MS: Final = 500
"""While an answer is listened for, a turn ends after this much silence at least: people think before they answer."""

_CONFIDENT: Final = ("gpt-4o-transcribe", "gpt-4o-mini-transcribe")
"""Transcription models that tell how sure they are (`logprobs`); the diarising one does not."""


def default_turn_detection() -> dict[str, object]:
    """The service's own voice activity, answering and interrupting by itself."""
    return {
        "type": "server_vad",
        "threshold": 0.5,
        "prefix_padding_ms": 300,
        "silence_duration_ms": 500,
        "create_response": True,
        "interrupt_response": True,
        "idle_timeout_ms": None,
    }


def held_turn_detection(before: Mapping[str, object] | None) -> dict[str, object]:
    """The same ear, but nothing done by itself. The whole of it is sent: what is left out would stay as it was."""
    held = default_turn_detection()
    if before is not None and before.get("type") == "server_vad":
        held |= {key: before[key] for key in ("threshold", "prefix_padding_ms") if before.get(key) is not None}
        silence = before.get("silence_duration_ms")
        if isinstance(silence, int | float) and not isinstance(silence, bool):
            held["silence_duration_ms"] = max(HELD_SILENCE_MS, int(silence))
    return held | {"create_response": False, "interrupt_response": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What every session of a provider has in common."""

    voice: str = "marin"
    transcription_model: str = "gpt-transcribe"
    turn_detection: Mapping[str, object] | None = field(default_factory=default_turn_detection)
    noise_reduction: str | None = None
    """`near_field` (headphones), `far_field` (laptops, conference rooms), or none."""
    session: Mapping[str, object] = field(default_factory=dict[str, object])
    """Other fields of the session, as the API reference names them, such as `reasoning` or `max_output_tokens`."""

    def session_of(self, config: ProviderConfig, turn_detection: Mapping[str, object] | None) -> dict[str, object]:
        """The whole session, with this turn detection. Of a call that the service holds, the formats are its own."""
        pcm = {} if config.hosted_call_id else {"format": {"type": "audio/pcm", "rate": RATE}}
        noise = {"noise_reduction": {"type": self.noise_reduction}} if self.noise_reduction else {}
        hears: dict[str, object] = {
            **pcm,
            "transcription": self.transcription(config.language),
            "turn_detection": dict(turn_detection) if turn_detection is not None else None,
            **noise,
        }
        speaks = {**pcm, "voice": config.voice or self.voice}
        return {
            **self.session,
            "type": "realtime",
            "output_modalities": ["audio"],
            "instructions": config.instructions,
            "audio": {"input": hears, "output": speaks},
            "tools": function_tools(config.tools),
            "tool_choice": "auto",
            **({"include": ["item.input_audio_transcription.logprobs"]} if self._tells_confidence else {}),
        }

    def transcription(self, language: str) -> dict[str, object]:
        """How the caller is written down. It is off unless asked for."""
        code = language_code(language)
        return {"model": self.transcription_model, **({"language": code} if code else {})}

    @property
    def _tells_confidence(self) -> bool:
        return tells_confidence(self.transcription_model)


def language_code(language: str) -> str | None:
    """The two letters that the service knows a language by (ISO 639-1); None where it has none."""
    code = language_of(language)
    return code if len(code) == 2 else None


def tells_confidence(transcription_model: str) -> bool:
    """Whether a transcription model tells how sure it is."""
    return transcription_model.startswith(_CONFIDENT) and "diarize" not in transcription_model


def function_tools(tools: Sequence[AITool]) -> list[dict[str, object]]:
    """The tools as the model sees them."""
    return [
        {"type": "function", "name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
        for tool in tools
    ]
