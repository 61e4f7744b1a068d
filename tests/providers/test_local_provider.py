"""The embedded provider, from its construction to a connection."""

import sys

import pytest

from voice_hitl.errors import PluginMissing, ProviderError
from voice_hitl.provider import Provider, ProviderConfig
from voice_hitl_local import LocalListener, LocalProvider, LocalSpeaker
from voice_hitl_local.recognition import Recognizer
from voice_hitl_local.worker import Pending, Worker

pytestmark = pytest.mark.anyio


def test_it_says_what_it_can_do() -> None:
    provider: Provider = LocalProvider()
    assert provider.name == "local"
    capabilities = provider.capabilities
    assert (capabilities.rate, capabilities.hold, capabilities.verbatim) == (16_000, "quiet", "exact")
    assert capabilities.truncates
    assert capabilities.speaks_while_owed
    assert not capabilities.replies_to_results
    assert (capabilities.resumes, capabilities.reconfigures) == ("none", "in_place")


@pytest.mark.parametrize("part", [LocalProvider, LocalListener, LocalSpeaker])
@pytest.mark.parametrize("package", ["piper", "faster_whisper"])
def test_without_the_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, part: type[LocalProvider] | type[LocalListener] | type[LocalSpeaker], package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(PluginMissing, match=rf'{package}.*pip install "voice-hitl\[local\]"'):
        part()


async def test_a_language_it_does_not_speak_is_refused() -> None:
    with pytest.raises(ProviderError, match="English only, not 'fr'"):
        await LocalProvider().connect(ProviderConfig(language="fr"))


async def test_models_that_cannot_be_loaded_are_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_recognizer: Recognizer) -> Pending[None]:
        def load() -> None:
            raise OSError("model.bin is cut short")

        return Worker("test").submit(load)

    monkeypatch.setattr(Recognizer, "load", broken)
    with pytest.raises(ProviderError, match=r"model.bin is cut short.*install voice-hitl\[local\] again"):
        await LocalProvider().connect(ProviderConfig())


async def test_loaded_once_it_is_loaded_for_good() -> None:
    provider = LocalProvider()
    await provider.preload()
    await provider.preload()
    connection = await provider.connect(ProviderConfig(language="en-GB"))
    await connection.aclose()
