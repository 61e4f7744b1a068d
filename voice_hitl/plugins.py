"""Plugins, found by name: the library names entry points, never packages.

Our own transports and providers are found exactly as a third party's are. A plugin is what its entry point names, a
class or a function; the extra that it needs is called as it is.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib.metadata import EntryPoint, entry_points
from typing import Literal, cast

from voice_hitl.errors import PluginMissing

Kind = Literal["transport", "provider", "caller", "speaker"]
"""What a plugin is: a way for calls to come in, a speech model, a way to place a call, or text to speech."""

Plugin = Callable[..., object]


def load(kind: Kind, name: str) -> Plugin:
    """Return the plugin of that kind and name.

    Raises:
        PluginMissing: Nothing installed has that name, or something it needs is not installed.
    """
    found = {entry.name: entry for entry in entry_points(group=f"voice_hitl.{kind}s")}
    entry = found.get(name)
    if entry is None:
        known = ", ".join(sorted(found)) or "none"
        raise PluginMissing(f"no {kind} named {name!r} is installed (there is: {known})")
    try:
        return cast("Plugin", entry.load())
    except ModuleNotFoundError as missing:
        raise PluginMissing(f"the {kind} {name!r} needs {missing.name}: {_remedy(entry)}") from missing


@contextmanager
def needing(extra: str) -> Generator[None]:
    """Around the import of a part of the library that needs an extra.

    Raises:
        PluginMissing: Something of that extra is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("voice_hitl."):
            raise  # a mistake of the library's own, that no installing cures
        raise PluginMissing(f"{missing.name} is not installed: {_install(extra)}") from missing


def _remedy(entry: EntryPoint) -> str:
    ours = entry.value.startswith("voice_hitl_")
    return _install(entry.name) if ours else f"install what {entry.value.partition(':')[0]} asks for"


def _install(extra: str) -> str:
    return f"install it with: pip install 'voice-hitl[{extra}]'"
