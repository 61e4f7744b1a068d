"""The embedded provider: voice activity, recognition, synthesis and a small brain, with no key and no network.

::

    caller's audio -> hearing (turns, recognition) -> front_desk (understanding, brain) -> speaking (synthesis) -> audio
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from voice_hitl_local.provider import LocalProvider
    from voice_hitl_local.recognition import LocalListener
    from voice_hitl_local.synthesis import LocalSpeaker

__all__ = ["LocalListener", "LocalProvider", "LocalSpeaker"]

_WHERE = {"LocalListener": "recognition", "LocalProvider": "provider", "LocalSpeaker": "synthesis"}


def __getattr__(name: str) -> object:
    """Import a name when it is asked for: an engine's own process needs none, and would begin a second later."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
