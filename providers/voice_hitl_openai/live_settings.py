"""The Live session that we ask for, as the wire has it. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from voice_hitl.provider import ProviderConfig
from voice_hitl_openai.history import OwedCall, Said
from voice_hitl_openai.settings import RATE, function_tools

MOST_REPLAYED: Final = 128
"""Messages that a session may begin with."""

MOST_REPLAYED_BYTES: Final = 8_000
"""How much of them: the service takes 8,192 tokens, and no text has more tokens than bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSettings:
    """What every session of a provider has in common."""

    model: str
    voice: str = "marin"
    delegation: Literal["client", "responses"] = "client"
    backend: Mapping[str, object] = field(default_factory=dict[str, object])
    """Fields of the service's own backend (`responses`): `model`, `instructions`, `reasoning`, ..."""
    session: Mapping[str, object] = field(default_factory=dict[str, object])
    """Other fields of the session, as the API reference names them, such as `safety_identifier` or `store`."""

    def session_of(self, config: ProviderConfig, history: Sequence[Said | OwedCall]) -> dict[str, object]:
        """The whole session. All of it but the backend is fixed from its start on."""
        delegation: dict[str, object] = {"type": self.delegation}
        if self.delegation == "responses":
            delegation["responses"] = {**self.backend, "tools": function_tools(config.tools)}
        said = replayed_items(history)
        return {
            **self.session,
            "model": self.model,
            "audio": {
                "format": {"type": "audio/pcm", "rate": RATE},
                "output": {"voice": config.voice or self.voice},
            },
            "delegation": delegation,
            **({"instructions": config.instructions} if config.instructions.strip() else {}),
            **({"input": said} if said else {}),
        }


def replayed_items(history: Sequence[Said | OwedCall]) -> list[dict[str, object]]:
    """What was said before, the newest of it, as far as it fits. A call that is owed cannot be made again here."""
    items: list[dict[str, object]] = []
    left = MOST_REPLAYED_BYTES
    for line in reversed(history):
        if not isinstance(line, Said) or not line.text.strip():
            continue
        left -= len(line.text.encode())
        if left < 0 or len(items) == MOST_REPLAYED:
            break
        kind = "output_text" if line.role == "assistant" else "input_text"
        role = "developer" if line.role == "system" else line.role
        items.append({"type": "message", "role": role, "content": [{"type": kind, "text": line.text}]})
    return items[::-1]
