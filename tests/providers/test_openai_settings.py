import pytest

from voice_hitl.provider import ProviderConfig
from voice_hitl_openai.settings import Settings, default_turn_detection, held_turn_detection


@pytest.mark.parametrize(
    ("silence", "held"), [(200, 500), (500, 500), (900, 900), (True, 500), ("long", 500), (None, 500)]
)
def test_while_held_a_turn_ends_after_half_a_second_at_least(silence: object, held: int) -> None:
    before = {**default_turn_detection(), "silence_duration_ms": silence, "idle_timeout_ms": 8_000}
    detection = held_turn_detection(before)
    assert detection["silence_duration_ms"] == held
    assert detection["idle_timeout_ms"] is None
    assert detection["create_response"] is False
    assert detection["interrupt_response"] is False


def test_while_held_the_ear_stays_as_sharp_as_it_was() -> None:
    before = {**default_turn_detection(), "threshold": 0.8, "prefix_padding_ms": None}
    detection = held_turn_detection(before)
    assert (detection["threshold"], detection["prefix_padding_ms"]) == (0.8, 300)


@pytest.mark.parametrize("before", [None, {"type": "semantic_vad", "eagerness": "low", "threshold": 0.9}])
def test_held_is_always_the_services_own_voice_activity(before: dict[str, object] | None) -> None:
    detection = held_turn_detection(before)
    assert detection["type"] == "server_vad"
    assert detection["threshold"] == 0.5
    assert "eagerness" not in detection


@pytest.mark.parametrize(("language", "wanted"), [("en", "en"), ("fr-CA", "fr"), ("PT_br", "pt"), ("yue", None)])
def test_the_language_is_told_as_two_letters_or_not_at_all(language: str, wanted: str | None) -> None:
    assert Settings().transcription(language).get("language") == wanted


@pytest.mark.parametrize(
    ("model", "tells"),
    [("gpt-4o-transcribe", True), ("gpt-4o-mini-transcribe-2025-12-15", True), ("gpt-4o-transcribe-diarize", False),
     ("gpt-transcribe", False), ("whisper-1", False)],
)  # fmt: skip
def test_confidence_is_asked_of_models_that_have_it(model: str, *, tells: bool) -> None:
    session = Settings(transcription_model=model).session_of(ProviderConfig(), None)
    assert ("include" in session) is tells


def test_more_fields_go_along_but_never_over_what_the_session_lives_by() -> None:
    settings = Settings(session={"reasoning": {"effort": "low"}, "tools": ["x"]}, noise_reduction="near_field")
    session = settings.session_of(ProviderConfig(), None)
    assert session["reasoning"] == {"effort": "low"}
    assert session["tools"] == []
    assert session["audio"]["input"]["noise_reduction"] == {"type": "near_field"}  # type: ignore[index]  # by its shape
