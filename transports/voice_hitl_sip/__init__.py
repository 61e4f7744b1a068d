"""The SIP leg: phone calls from a PBX, a carrier's trunk or a softphone, with G.711 over RTP.

`SipTransport` answers calls on a UDP port, and places them (`dial`). Needs the extra `sip`. Registration, TLS and SRTP
are out for now: put it behind a PBX or a session border controller that you control.
"""

from voice_hitl.errors import PluginMissing

try:
    from voice_hitl_sip.call import SipCall
    from voice_hitl_sip.leg import SipLeg
    from voice_hitl_sip.transport import SipTransport
except ModuleNotFoundError as missing:
    if (missing.name or "").startswith("voice_hitl"):
        raise
    raise PluginMissing(
        f"{missing.name} is not installed, which the SIP leg needs: pip install 'voice-hitl[sip]'"
    ) from missing

__all__ = ["SipCall", "SipLeg", "SipTransport"]
