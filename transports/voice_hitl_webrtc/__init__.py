"""The WebRTC leg: a browser, or another program, calls.

`WebRTCTransport` answers; `call` places a call, as a browser would. Needs the extra `webrtc`.
"""

from voice_hitl.errors import PluginMissing

try:
    from voice_hitl_webrtc.client import call, place
    from voice_hitl_webrtc.ice import IceServer
    from voice_hitl_webrtc.leg import WebRTCLeg
    from voice_hitl_webrtc.offer import Caller, WebRTCOffer
    from voice_hitl_webrtc.relay import Relay, losing
    from voice_hitl_webrtc.transport import WebRTCTransport
except ModuleNotFoundError as missing:
    if (missing.name or "").startswith("voice_hitl"):
        raise
    raise PluginMissing(
        f"{missing.name} is not installed, which the WebRTC leg needs: pip install 'voice-hitl[webrtc]'"
    ) from missing

__all__ = ["Caller", "IceServer", "Relay", "WebRTCLeg", "WebRTCOffer", "WebRTCTransport", "call", "losing", "place"]
