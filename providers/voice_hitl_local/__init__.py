"""The embedded provider: voice activity, recognition, synthesis and a small brain, with no key and no network.

::

    caller's audio -> hearing (turns, recognition) -> front_desk (understanding, brain) -> speaking (synthesis) -> audio
"""

from voice_hitl_local.provider import LocalProvider
from voice_hitl_local.recognition import LocalListener
from voice_hitl_local.synthesis import LocalSpeaker

__all__ = ["LocalListener", "LocalProvider", "LocalSpeaker"]
