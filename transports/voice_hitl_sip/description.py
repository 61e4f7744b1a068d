"""What an SDP says about a call's audio (RFC 3264): who sends, where to, in what. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address

from aiosipua.sdp import MediaDescription, SdpMessage, build_sdp

from voice_hitl.errors import InvalidOffer

Address = tuple[str, int]

PCMU, PCMA = 0, 8
DIGITS = 101
"""The payload type of telephone-event in what we offer, and where an offer has none (RFC 4733 leaves it open)."""

_DIRECTIONS = ("sendrecv", "sendonly", "recvonly", "inactive")
_NOWHERE = ("0.0.0.0", "::")


@dataclass(frozen=True, slots=True)
class Flow:
    """What the far end does, by its own description."""

    hears: bool
    """Whether it takes our voice. It does not while it holds the call."""
    speaks: bool
    """Whether it sends its own."""


def our_offer(ip: str, port: int, *, session_id: str) -> SdpMessage:
    """G.711 in both laws and telephone-event, on this address."""
    offer = build_sdp(ip, port, PCMU, "PCMU", dtmf_payload_type=DIGITS, session_id=session_id)
    audio = _audio(offer)
    audio.formats.insert(1, str(PCMA))
    audio.attributes["rtpmap"].insert(1, f"{PCMA} PCMA/8000")
    return offer


def digits_payload(offer: SdpMessage) -> int:
    """The payload type of telephone-event in an offer: a caller that offers 96 reads nothing sent as 101."""
    audio = offer.audio
    for codec in audio.codecs if audio is not None else ():
        if codec.encoding_name.casefold() == "telephone-event":
            return codec.payload_type
    return DIGITS


def offered(description: SdpMessage) -> set[int]:
    """The payload types in it."""
    audio = description.audio
    return {codec.payload_type for codec in audio.codecs} if audio is not None else set()


def flow_of(description: SdpMessage) -> Flow:
    """Who sends. An address of zeros is the old way to hold a call (RFC 3264, 8.4); a port of 0 takes no audio."""
    audio = description.audio
    if audio is None or audio.port == 0:
        return Flow(hears=False, speaks=False)
    direction = direction_of(description)
    address = description.rtp_address
    somewhere = address is not None and address[0] not in _NOWHERE
    return Flow(hears=somewhere and direction in ("sendrecv", "recvonly"), speaks=direction in ("sendrecv", "sendonly"))


def address_of(description: SdpMessage) -> Address:
    """Where its audio is to be sent; `InvalidOffer` where that is no IPv4 address and port.

    A name is not looked up. The port above must exist too: it is for RTCP.
    """
    address = description.rtp_address
    if address is None:
        raise InvalidOffer("it has no audio")
    host, port = address
    try:
        IPv4Address(host)
    except ValueError:
        raise InvalidOffer(f"its audio is at {host!r}, which is no IPv4 address") from None
    if not 0 <= port < 65_535:
        raise InvalidOffer(f"its audio is on port {port}, which there is not")
    return host, port


def direction_of(description: SdpMessage) -> str:
    """The direction of its audio: of the stream, or else of the session (RFC 4566, 6)."""
    audio = description.audio
    of_stream: Iterable[str] = audio.attributes if audio is not None else ()
    for attributes in (of_stream, description.attributes):
        for direction in _DIRECTIONS:
            if direction in attributes:
                return direction
    return "sendrecv"


def state_direction(description: SdpMessage) -> None:
    """Write the direction of the session into its audio, where aiosipua looks for it."""
    audio = description.audio
    if audio is not None:
        audio.attributes.setdefault(direction_of(description), [])


def _audio(description: SdpMessage) -> MediaDescription:
    audio = description.audio
    if audio is None:
        raise AssertionError("what we build has audio")
    return audio
