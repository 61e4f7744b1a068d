"""The Twilio leg: a phone call as a Media Stream over a WebSocket.

`TwilioTransport` answers; its routes give the TwiML that Twilio asks for and take the stream. Needs the extra `twilio`.
"""

from importlib import import_module

from voice_hitl.errors import PluginMissing

try:
    import_module("websockets")  # the web server takes Twilio's streams with it
    from voice_hitl_twilio.leg import TwilioLeg
    from voice_hitl_twilio.rest import TwilioRest
    from voice_hitl_twilio.signature import is_signed
    from voice_hitl_twilio.transport import TwilioCall, TwilioTransport
except ModuleNotFoundError as missing:
    if (missing.name or "").startswith("voice_hitl"):
        raise
    raise PluginMissing(
        f"{missing.name} is not installed, which the Twilio leg needs: pip install 'voice-hitl[twilio]'"
    ) from missing

__all__ = ["TwilioCall", "TwilioLeg", "TwilioRest", "TwilioTransport", "is_signed"]
