"""Which of the service's errors matter, told by their code or, where a service words them otherwise, by their text."""

from typing import Final, Literal

from voice_hitl_openai.messages import Refusal

ALREADY_ACTIVE: Final = "conversation_already_has_active_response"
EXPIRED: Final = "session_expired"

_HARMLESS_CODES: Final = frozenset(
    {
        "response_cancel_not_active",
        "item_delete_invalid_item_id",
        "item_truncate_invalid_item_id",
        "input_audio_buffer_commit_empty",
    }
)
_HARMLESS_WORDS: Final = ("no active response", "is already shorter than")

_FATAL_CODES: Final = frozenset(
    {
        "account_deactivated",
        "authentication_error",
        "billing_hard_limit_reached",
        "insufficient_quota",
        "invalid_api_key",
        "invalid_model",
        "missing_model",
        "model_not_found",
        "permission_denied",
    }
)

Weight = Literal["harmless", "expired", "error", "fatal"]


def weigh(refusal: Refusal) -> Weight:
    """What an error that answers nothing we wait for means.

    Harmless: people and networks race (a response that had ended when we cancelled it, an item that was gone). Fatal:
    no new connection would help. Everything else leaves the session standing.
    """
    if refusal.code == EXPIRED:
        return "expired"
    if refusal.code in _FATAL_CODES:
        return "fatal"
    words = refusal.message.casefold()
    if refusal.code in _HARMLESS_CODES or any(phrase in words for phrase in _HARMLESS_WORDS):
        return "harmless"
    return "error"


def is_already_active(refusal: Refusal) -> bool:
    """Whether it says that a response is under way already."""
    return refusal.code == ALREADY_ACTIVE or "already has an active response" in refusal.message.casefold()
