"""Plugins, found by name."""

from importlib.metadata import EntryPoint

import pytest

from voice_hitl import plugins
from voice_hitl.errors import PluginMissing


def register(monkeypatch: pytest.MonkeyPatch, *entries: EntryPoint) -> None:
    def entry_points(*, group: str) -> tuple[EntryPoint, ...]:
        return tuple(entry for entry in entries if entry.group == group)

    monkeypatch.setattr(plugins, "entry_points", entry_points)


def test_a_plugin_is_what_its_entry_point_names(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, EntryPoint("mine", "collections:OrderedDict", "voice_hitl.providers"))
    assert plugins.load("provider", "mine").__name__ == "OrderedDict"


def test_our_own_plugins_are_registered() -> None:
    assert callable(plugins.load("transport", "webrtc"))
    assert callable(plugins.load("caller", "webrtc"))


def test_a_name_nobody_has_says_which_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, EntryPoint("mine", "collections:OrderedDict", "voice_hitl.providers"))
    with pytest.raises(PluginMissing, match=r"no provider named 'yours' is installed \(there is: mine\)"):
        plugins.load("provider", "yours")
    with pytest.raises(PluginMissing, match="there is: none"):
        plugins.load("transport", "yours")


def test_a_missing_dependency_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    register(
        monkeypatch,
        EntryPoint("webrtc", "voice_hitl_webrtc_absent:Transport", "voice_hitl.transports"),
        EntryPoint("theirs", "their_absent_package:Transport", "voice_hitl.transports"),
    )
    with pytest.raises(PluginMissing, match=r"pip install 'voice-hitl\[webrtc\]'"):
        plugins.load("transport", "webrtc")
    with pytest.raises(PluginMissing, match="what their_absent_package asks for"):
        plugins.load("transport", "theirs")


def test_a_part_of_the_library_says_which_extra_it_needs() -> None:
    with plugins.needing("demo"):
        pass
    missing = r"absent is not installed: .*pip install 'voice-hitl\[demo\]'"
    with pytest.raises(PluginMissing, match=missing), plugins.needing("demo"):
        raise ModuleNotFoundError(name="absent")
    with pytest.raises(ModuleNotFoundError, match="gone"), plugins.needing("demo"):
        raise ModuleNotFoundError("gone", name="voice_hitl.gone")
