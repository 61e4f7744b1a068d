from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.errors import InvalidOffer
from voice_hitl_webrtc import sdp

BROWSER = """v=0
o=- 44920691139524213 2 IN IP4 127.0.0.1
s=-
t=0 0
a=group:BUNDLE 0 1
m=audio 50832 UDP/TLS/RTP/SAVPF 111 110
c=IN IP4 192.0.2.2
a=candidate:3071567707 1 udp 2122194687 1f4712db-ea17-4bcf-a596-105139dfd8bf.local 50832 typ host generation 0
a=candidate:3071567708 1 udp 2122194687 192.0.2.7 50832 typ host generation 0
a=end-of-candidates
a=ice-ufrag:sFQJ
a=ice-pwd:p/JWBLHLFNYf/LLwPCHxKTGO
a=fingerprint:sha-256 0F:62:55:C0:6A:01
a=setup:actpass
a=mid:0
a=sendrecv
a=rtcp-mux
a=rtpmap:111 opus/48000/2
a=fmtp:111 minptime=10;useinbandfec=1
a=rtpmap:110 telephone-event/48000
m=application 33899 UDP/DTLS/SCTP webrtc-datachannel
c=IN IP4 192.0.2.2
a=ice-ufrag:sFQJ
a=ice-pwd:p/JWBLHLFNYf/LLwPCHxKTGO
a=fingerprint:sha-256 0F:62:55:C0:6A:01
a=setup:actpass
a=mid:1
a=sctp-port:5000
""".replace("\n", "\r\n")


def test_a_browsers_offer_is_read() -> None:
    description = sdp.read(BROWSER)
    assert [codec.name for codec in sdp.audio(description).rtp.codecs] == ["opus", "telephone-event"]
    assert sdp.has_data_channel(description)


@pytest.mark.parametrize(
    ("take_out", "hint"),
    [
        ("a=ice-pwd:p/JWBLHLFNYf/LLwPCHxKTGO\r\n", "ICE user"),
        ("a=fingerprint:sha-256 0F:62:55:C0:6A:01\r\n", "fingerprint"),
        ("a=setup:actpass\r\n", "fingerprint or setup"),
        ("a=sendrecv\r\n", "direction"),
        ("v=0\r\n", "no SDP"),
    ],
)
def test_what_is_missing_is_named(take_out: str, hint: str) -> None:
    with pytest.raises(InvalidOffer, match=hint):
        sdp.read(BROWSER.replace(take_out, ""))


def test_an_offer_without_audio_is_told_to_add_a_microphone() -> None:
    with pytest.raises(InvalidOffer, match="addTrack"):
        sdp.read(BROWSER.replace("m=audio", "m=video"))


def test_an_sdp_too_long_is_refused() -> None:
    with pytest.raises(InvalidOffer, match="longer than"):
        sdp.read(BROWSER + "a=x\r\n" * 20_000)


def test_hidden_addresses_are_taken_out_and_the_list_is_then_not_complete() -> None:
    shown = sdp.without_mdns(BROWSER)
    assert ".local" not in shown
    assert "192.0.2.7" in shown
    assert "end-of-candidates" not in shown


def test_an_offer_without_hidden_addresses_is_left_alone() -> None:
    plain = BROWSER.replace("1f4712db-ea17-4bcf-a596-105139dfd8bf.local", "192.0.2.8")
    assert sdp.without_mdns(plain) == plain


@given(
    cut=st.integers(0, len(BROWSER)),
    length=st.integers(0, 60),
    instead=st.text(st.characters(max_codepoint=300), max_size=12),
)
def test_whatever_is_broken_in_it_ends_in_an_invalid_offer_or_a_description(
    cut: int, length: int, instead: str
) -> None:
    broken = BROWSER[:cut] + instead + BROWSER[cut + length :]
    with suppress(InvalidOffer):
        assert sdp.audio(sdp.read(broken))
