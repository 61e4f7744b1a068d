"""Which model the demo runs on, and what a person is told of it."""

import pytest

from voice_hitl import plugins
from voice_hitl.askers.spoken import SpokenAsker
from voice_hitl.demo.model import DemoModel, choose_model
from voice_hitl.errors import PluginMissing, ProviderError
from voice_hitl.plugins import Kind, Plugin
from voice_hitl_local import LocalProvider, LocalSpeaker
from voice_hitl_openai import OpenAIRealtimeProvider, OpenAISpeaker

KEY = {"OPENAI_API_KEY": "sk-test"}
ELSEWHERE = {**KEY, "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")


def without(monkeypatch: pytest.MonkeyPatch, *absent: tuple[Kind, str]) -> None:
    """Nothing of these is installed."""
    load = plugins.load

    def load_what_is_there(kind: Kind, name: str) -> Plugin:
        if (kind, name) in absent:
            raise PluginMissing(f"no {kind} {name}")
        return load(kind, name)

    monkeypatch.setattr(plugins, "load", load_what_is_there)


def test_without_a_key_it_runs_on_this_computer() -> None:
    model = choose_model(None, {})
    assert isinstance(model.provider, LocalProvider)
    assert model.speaks_first
    assert "on this computer" in model.told


def test_with_a_key_it_runs_on_openai_says_so_and_asks_in_a_voice_of_its_own() -> None:
    model = choose_model(None, KEY)
    assert isinstance(model.provider, OpenAIRealtimeProvider)
    assert isinstance(model.speaker, OpenAISpeaker)
    assert not model.speaks_first
    assert "at api.openai.com (openai gpt-realtime-2.1): your voice is sent there" in model.told


def test_another_service_is_named_and_the_voice_that_asks_is_the_one_that_is_here() -> None:
    model = choose_model(None, ELSEWHERE)
    assert isinstance(model.speaker, LocalSpeaker)
    assert "127.0.0.1:9" in model.told


def test_the_one_that_is_named_is_taken_whatever_the_key() -> None:
    assert isinstance(choose_model("local", KEY).provider, LocalProvider)
    assert isinstance(choose_model("openai", KEY).provider, OpenAIRealtimeProvider)


def test_openai_by_name_without_a_key_says_what_to_set() -> None:
    with pytest.raises(ProviderError, match="OPENAI_API_KEY"):
        choose_model("openai", {})


def test_a_key_without_the_plugin_changes_nothing_but_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, ("provider", "openai"))
    model = choose_model(None, KEY)
    assert isinstance(model.provider, LocalProvider)
    assert "OPENAI_API_KEY is set, and not used (no provider openai)" in model.told
    with pytest.raises(PluginMissing):
        choose_model("openai", KEY)


def test_without_a_voice_that_says_it_exactly_a_person_is_told_why_nobody_asks_aloud(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    without(monkeypatch, ("speaker", "local"), ("speaker", "openai"))
    model: DemoModel = choose_model(None, ELSEWHERE)
    assert SpokenAsker(speaker=model.speaker).speaker is None
    assert "not asked aloud, only on the card" in model.told
    assert model.told.endswith("(no speaker local).")
