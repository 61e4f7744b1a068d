"""Which speech model the demo runs on, and what a person is told of that."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, cast
from urllib.parse import urlsplit

from voice_hitl import plugins
from voice_hitl.errors import PluginMissing, ProviderError
from voice_hitl.provider import Provider
from voice_hitl.speech_ports import Speaker

ModelName = Literal["local", "openai"]

ON_THIS_COMPUTER: Final = (
    "Listening, thinking and speaking all happen on this computer. No account, no key, nothing sent anywhere."
)
NOT_ALOUD: Final = (
    "Its questions are not asked aloud, only on the card: this model says what it is given only likely word for word, "
    "and there is no other voice here"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoModel:
    """What the demo's agent hears, thinks and speaks with."""

    provider: Provider
    speaker: Speaker | None = None
    """The voice that asks; None: the model's own, where it says exactly what it is given, else nobody asks aloud."""
    speaks_first: bool = True
    """Whether it greets by itself; else it is asked to."""
    told: str = ON_THIS_COMPUTER
    """What a person is told: where their voice goes, and what does not work."""


def choose_model(name: ModelName | None, environ: Mapping[str, str]) -> DemoModel:
    """The model of this name; without one OpenAI's where `OPENAI_API_KEY` is set, else the embedded one.

    Raises:
        PluginMissing: It is not installed.
        ProviderError: OpenAI's was named, and there is no key for it.
    """
    key, base_url = environ.get("OPENAI_API_KEY", ""), environ.get("OPENAI_BASE_URL", "")
    if name == "openai":
        if not key:
            raise ProviderError("OpenAI needs a key: set OPENAI_API_KEY, or choose --provider local")
        return _openai(base_url)
    if name is None and key:
        try:
            return _openai(base_url)
        except PluginMissing as missing:
            model = embedded_model()
            return replace(model, told=f"{model.told} OPENAI_API_KEY is set, and not used ({missing}).")
    return embedded_model()


def embedded_model() -> DemoModel:
    """The embedded one: no key, no network; `PluginMissing` where it is not installed."""
    return DemoModel(provider=_provider("local")())


def _openai(base_url: str) -> DemoModel:
    provider = _provider("openai")()
    speaker, why_not = _speaker(elsewhere=bool(base_url))
    host = urlsplit(base_url).netloc or "api.openai.com"
    told = f"Listening, thinking and speaking happen at {host} ({provider.name}): your voice is sent there."
    return DemoModel(
        provider=provider,
        speaker=speaker,
        speaks_first=False,
        told=told if speaker is not None else f"{told} {why_not}",
    )


def _speaker(*, elsewhere: bool) -> tuple[Speaker | None, str]:
    """A voice that says exactly what it is given; None, and why not. `elsewhere`: not at OpenAI's own address."""
    # Another service that speaks the Realtime API need not speak the Speech API.
    names = ("local",) if elsewhere else ("openai", "local")
    missing = ""
    for name in names:
        try:
            return cast("Callable[[], Speaker]", plugins.load("speaker", name))(), ""
        except PluginMissing as error:
            missing = missing or str(error)
    return None, f"{NOT_ALOUD} ({missing})."


def _provider(name: ModelName) -> Callable[[], Provider]:
    return cast("Callable[[], Provider]", plugins.load("provider", name))
