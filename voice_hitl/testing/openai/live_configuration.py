"""The settings of a Live session, as the service takes them."""

from typing import Final, cast

from voice_hitl.testing.openai.fields import Json, list_of, object_of, only, part_of, text_of, whole_of
from voice_hitl.testing.openai.refused import invalid

_SESSION: Final = frozenset(
    {"model", "audio", "client", "delegation", "input", "instructions", "safety_identifier", "store", "triggers"}
)
_BACKEND: Final = frozenset(
    {
        "model",
        "instructions",
        "max_output_tokens",
        "parallel_tool_calls",
        "reasoning",
        "service_tier",
        "text",
        "tool_choice",
        "tools",
    }
)
_DELEGATION: Final = frozenset({"type", "acknowledgement_delay_ms"})
_ROLES: Final = frozenset({"developer", "user", "assistant"})
MOST_INPUT: Final = 128
MOST_INPUT_TOKENS: Final = 8_192


def tokens_at_most(text: str) -> int:
    """More tokens than bytes no text has. Stricter than the service, which counts the tokens themselves."""
    return len(text.encode())


class LiveConfiguration:
    """A session's settings: fixed from its start on, but for its backend.

    Args:
        session_id: Its id.
        expires_at: When it ends, in seconds since 1970.
        session: What the client asks for.
    """

    def __init__(self, session_id: str, expires_at: int, session: Json) -> None:
        only(session, _SESSION, "session.")
        text_of(session, "model", "session.")
        _check_audio(part_of(session, "audio", "session."))
        _check_input(session)
        self._delegation = _delegation(session)
        self._fields = {"id": session_id, "status": "active", "expires_at": expires_at, **session}

    @property
    def is_clients(self) -> bool:
        """Whether the application works on what is handed over."""
        return self._delegation["type"] == "client"

    def update(self, session: Json) -> None:
        """Change the backend. Whose it is cannot change."""
        only(session, frozenset({"delegation", "triggers"}), "session.")
        change = part_of(session, "delegation", "session.")
        if change and change.get("type") != self._delegation["type"]:
            raise invalid("session.delegation.type", "the delegation type cannot change")
        backend = {**part_of(self._delegation, "responses"), **part_of(change, "responses", "session.delegation.")}
        only(backend, _BACKEND, "session.delegation.responses.")
        if not self.is_clients:
            self._delegation = {**self._delegation, "responses": backend}

    def shown(self) -> dict[str, object]:
        """The session, as the service shows it."""
        voice = part_of(part_of(self._fields, "audio"), "output").get("voice", "marin")
        return {
            **self._fields,
            "audio": {**part_of(self._fields, "audio"), "output": {"voice": voice}},
            "delegation": self._delegation,
            "store": self._fields.get("store", False),
        }


def _delegation(session: Json) -> dict[str, object]:
    if session.get("delegation") is None:
        return {"type": "client"}
    delegation = object_of(session, "delegation", "session.")
    kind = text_of(delegation, "type", "session.delegation.")
    if kind not in ("client", "responses"):
        raise invalid("session.delegation.type", "expected 'client' or 'responses'")
    only(delegation, _DELEGATION if kind == "client" else _DELEGATION | {"responses"}, "session.delegation.")
    if kind == "responses":
        backend = object_of(delegation, "responses", "session.delegation.")
        only(backend, _BACKEND, "session.delegation.responses.")
        text_of(backend, "model", "session.delegation.responses.")
    return dict(delegation)


def _check_audio(audio: Json) -> None:
    only(audio, frozenset({"format", "output"}), "session.audio.")
    form = part_of(audio, "format", "session.audio.")
    only(form, frozenset({"type", "rate"}), "session.audio.format.")
    if form and (text_of(form, "type"), whole_of(form, "rate")) not in (("audio/pcm", 24_000), ("audio/pcm", 16_000)):
        raise invalid("session.audio.format", "this server takes audio/pcm at 16000 or 24000")
    only(part_of(audio, "output", "session.audio."), frozenset({"voice"}), "session.audio.output.")


def _check_input(session: Json) -> None:
    items, tokens = list_of(session, "input", "session."), 0
    if len(items) > MOST_INPUT:
        raise invalid("session.input", f"at most {MOST_INPUT} messages")
    for index, item in enumerate(items):
        where = f"session.input[{index}]"
        message = object_of({where: item}, where)
        if message.get("role") not in _ROLES:
            raise invalid(f"{where}.role", "expected 'developer', 'user' or 'assistant'")
        parts = list_of(message, "content", f"{where}.")
        if len(parts) != 1 or not isinstance(parts[0], dict):
            raise invalid(f"{where}.content", "expected exactly one text part")
        part = cast("Json", parts[0])
        wanted = "output_text" if message["role"] == "assistant" else "input_text"
        if part.get("type", wanted) not in (wanted, "text"):
            raise invalid(f"{where}.content[0].type", f"expected {wanted!r}")
        tokens += tokens_at_most(text_of(part, "text", f"{where}.content[0]."))
    if tokens > MOST_INPUT_TOKENS:
        raise invalid("session.input", f"at most {MOST_INPUT_TOKENS} tokens")
