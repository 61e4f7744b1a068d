"""OpenAI for `voice_hitl`: the Realtime and Live APIs, chat models, speech and transcription, through the SDK."""

from voice_hitl.errors import PluginMissing

try:
    from voice_hitl_openai.chat import OpenAIChatModel
    from voice_hitl_openai.live import OpenAILiveProvider
    from voice_hitl_openai.provider import OpenAIRealtimeProvider
    from voice_hitl_openai.sip import OpenAISipCall, OpenAISipLeg, OpenAISipTransport
    from voice_hitl_openai.speech import OpenAIListener, OpenAISpeaker
except ImportError as missing:
    if (missing.name or "").split(".")[0] not in {"httpx2", "jiter", "openai", "websockets"}:
        raise
    raise PluginMissing("OpenAI needs its SDK: pip install 'voice-hitl[openai]'") from missing

__all__ = [
    "OpenAIChatModel",
    "OpenAIListener",
    "OpenAILiveProvider",
    "OpenAIRealtimeProvider",
    "OpenAISipCall",
    "OpenAISipLeg",
    "OpenAISipTransport",
    "OpenAISpeaker",
]
