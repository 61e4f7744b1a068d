import pytest

from voice_hitl_webrtc import IceServer, WebRTCTransport, ice


def test_servers_are_named_as_in_a_browser() -> None:
    turn = IceServer("turn:turn.example.org?transport=tcp", "ann", "secret")
    servers = ice.configuration(["stun:stun.example.org", turn]).iceServers
    assert servers is not None
    assert [(server.urls, server.username, server.credential) for server in servers] == [
        ("stun:stun.example.org", None, None),
        ("turn:turn.example.org?transport=tcp", "ann", "secret"),
    ]


def test_without_servers_nobody_outside_is_asked() -> None:
    assert ice.configuration(()).iceServers == []


@pytest.mark.parametrize("urls", ["stun.example.org", "http://stun.example.org", "stun:"])
def test_what_is_no_server_is_refused_when_the_transport_is_made(urls: str) -> None:
    with pytest.raises(ValueError, match="no STUN or TURN server"):
        WebRTCTransport([urls])
