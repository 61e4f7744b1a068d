"""OpenAI's Realtime API for `voice_hitl`: `OpenAIRealtimeProvider`."""

from voice_hitl.errors import PluginMissing

try:
    from voice_hitl_openai.provider import OpenAIRealtimeProvider
except ImportError as missing:
    if (missing.name or "").split(".")[0] not in {"openai", "websockets"}:
        raise
    raise PluginMissing("OpenAI needs its SDK: pip install 'voice-hitl[openai]'") from missing

__all__ = ["OpenAIRealtimeProvider"]
