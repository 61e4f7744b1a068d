"""How the two ends find each other: servers for it, and candidates where the machine has no network."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from aiortc import RTCBundlePolicy, RTCConfiguration, RTCIceServer, RTCPeerConnection
from aiortc.rtcicetransport import RTCIceGatherer, parse_stun_turn_uri

from voice_hitl_webrtc import seam


@dataclass(frozen=True, slots=True)
class IceServer:
    """A STUN or TURN server, in a browser's terms."""

    urls: str
    """Such as `stun:stun.example.org:3478` or `turn:turn.example.org?transport=udp`."""
    username: str | None = None
    credential: str | None = None

    def __post_init__(self) -> None:
        try:
            parse_stun_turn_uri(self.urls)
        except ValueError as error:
            raise ValueError(
                f"{self.urls!r} is no STUN or TURN server ({error}): write stun:host or turn:host"
            ) from None


def configuration(servers: Sequence[IceServer | str]) -> RTCConfiguration:
    """The peer connection's configuration; without servers it asks none (aiortc's default asks a public one)."""
    listed = [IceServer(server) if isinstance(server, str) else server for server in servers]
    return RTCConfiguration(
        iceServers=[RTCIceServer(urls=s.urls, username=s.username, credential=s.credential) for s in listed],
        bundlePolicy=RTCBundlePolicy.MAX_BUNDLE,
    )


async def gather(connection: RTCPeerConnection) -> None:
    """Gather candidates before the local description is made; on a machine without a network, the loopback's.

    aioice never offers a loopback address, so that on a machine that has nothing else two programs could not call each
    other, nor a browser the demo.
    """
    for gatherer in _gatherers(connection):
        await gatherer.gather()
        if not gatherer.getLocalCandidates():
            await seam.offer_loopback(gatherer)


def _gatherers(connection: RTCPeerConnection) -> Iterable[RTCIceGatherer]:
    transports = {transceiver.receiver.transport for transceiver in connection.getTransceivers()}
    if connection.sctp is not None:
        transports.add(connection.sctp.transport)
    return [transport.transport.iceGatherer for transport in transports]
