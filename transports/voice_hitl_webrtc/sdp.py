"""Reading a session description that came from outside, and saying what is wrong with it."""

import re

from aiortc import RTCPeerConnection, RTCSessionDescription
from aiortc.sdp import MediaDescription, SessionDescription

from voice_hitl.errors import InvalidOffer

MAX_BYTES = 65_536
"""A browser's description of an audio call has 2 to 8 KiB."""

_MDNS = re.compile(r"^a=candidate:\S+ \d+ \S+ \d+ \S+\.local \d+ typ host.*\r?\n", re.MULTILINE)
_END_OF_CANDIDATES = re.compile(r"^a=end-of-candidates\r?\n", re.MULTILINE)

WHAT_TO_SEND = "send `sdp` of the peer connection's localDescription, unchanged"


def read(sdp: str) -> SessionDescription:
    """Parse a description; `InvalidOffer` says what is wrong and what to send instead."""
    if not sdp.lstrip().startswith("v=0"):
        raise InvalidOffer(f"this is no SDP (it does not begin with v=0): {WHAT_TO_SEND}")
    if len(sdp) > MAX_BYTES:
        raise InvalidOffer(f"the SDP is longer than {MAX_BYTES} characters: offer one audio stream and a data channel")
    try:
        description = SessionDescription.parse(sdp)
    except Exception as error:  # aiortc's parser raises whatever the text makes it trip over
        raise InvalidOffer(f"the SDP cannot be read ({type(error).__name__}: {error}): {WHAT_TO_SEND}") from error
    for media in description.media:
        _check(media)
    audio(description)
    return description


async def set_remote(peer: RTCPeerConnection, sdp: str, kind: str) -> None:
    """Give a description (an `offer`, an `answer`) to the connection; `InvalidOffer` where it does not take it."""
    try:
        await peer.setRemoteDescription(RTCSessionDescription(without_mdns(sdp), kind))
    except Exception as error:  # aiortc raises whatever the text makes it trip over
        raise InvalidOffer(f"the {kind} cannot be used ({type(error).__name__}: {error}): {WHAT_TO_SEND}") from error


def audio(description: SessionDescription) -> MediaDescription:
    """The first audio section."""
    for media in description.media:
        if media.kind == "audio" and media.port:
            return media
    raise InvalidOffer("the SDP has no audio: add a microphone track (addTrack) before createOffer")


def has_data_channel(description: SessionDescription) -> bool:
    """Whether messages can be exchanged."""
    return any(media.kind == "application" for media in description.media)


def without_mdns(sdp: str) -> str:
    """The description without a browser's hidden (`.local`) addresses.

    A name in `.local` only resolves on the network that the browser is in, by multicast, which costs up to a second and
    the host's mDNS port. It is not needed: there the browser reaches us at our own candidates, and is learnt as a
    peer-reflexive candidate (RFC 8445 7.3.1.3). The list of candidates is then not complete, so its end is not told.
    """
    if ".local " not in sdp:
        return sdp
    return _END_OF_CANDIDATES.sub("", _MDNS.sub("", sdp))


def _check(media: MediaDescription) -> None:
    if media.kind in {"audio", "video"} and media.direction is None:
        raise InvalidOffer(f"the SDP's {media.kind} has no direction (a=sendrecv): {WHAT_TO_SEND}")
    if media.ice is None or not media.ice.usernameFragment or not media.ice.password:
        raise InvalidOffer(f"the SDP's {media.kind} has no ICE user and password: {WHAT_TO_SEND}")
    if media.dtls is None or not media.dtls.fingerprints:
        raise InvalidOffer(f"the SDP's {media.kind} has no DTLS fingerprint or setup role: {WHAT_TO_SEND}")
