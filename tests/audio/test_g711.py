"""G.711 as the recommendation has it, bit for bit."""

from collections.abc import Callable
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.audio.g711 import decode_alaw, decode_ulaw, encode_alaw, encode_ulaw

Law = tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]
LAWS: list[Law] = [(encode_ulaw, decode_ulaw), (encode_alaw, decode_alaw)]
both_laws = pytest.mark.parametrize("law", LAWS, ids=["mu-law", "A-law"])

EVERY_SAMPLE = np.arange(-32_768, 32_768).astype(np.int16).tobytes()
EVERY_CODE = bytes(range(256))


def linear(data: bytes) -> list[int]:
    return [int(sample) for sample in np.frombuffer(data, dtype=np.int16)]


def pcm(*samples: int) -> bytes:
    return np.array(samples, dtype=np.int16).tobytes()


@pytest.mark.parametrize(
    ("encode", "digest"),
    [
        (encode_ulaw, "81d633c9e6972a18"),
        (encode_alaw, "38488f6fd710f468"),
    ],
    ids=["mu-law", "A-law"],
)
def test_every_sample_has_the_code_that_the_standard_librarys_audioop_gave_it(
    encode: Callable[[bytes], bytes], digest: str
) -> None:
    assert sha256(encode(EVERY_SAMPLE)).hexdigest().startswith(digest)


def test_the_ends_and_the_middle_of_mu_law_are_those_of_the_recommendation() -> None:
    assert linear(decode_ulaw(b"\x00\x80\xff\x7f\xfe\x7e")) == [-32_124, 32_124, 0, 0, 8, -8]
    assert encode_ulaw(pcm(0, 32_767, -32_768)) == b"\xff\x80\x00"


def test_the_ends_and_the_middle_of_a_law_are_those_of_the_recommendation() -> None:
    assert linear(decode_alaw(b"\x2a\xaa\xd5\x55")) == [-32_256, 32_256, 8, -8]
    assert encode_alaw(pcm(0, -1, 32_767, -32_768)) == b"\xd5\x55\xaa\x2a"


@both_laws
def test_a_decoded_code_is_encoded_as_itself(law: Law) -> None:
    encode, decode = law
    # Mu-law has a minus zero (0x7F), which sounds as its zero does.
    again = (
        encode(decode(EVERY_CODE)).replace(b"\xff", b"\x7f") if encode is encode_ulaw else encode(decode(EVERY_CODE))
    )
    assert again == (EVERY_CODE.replace(b"\xff", b"\x7f") if encode is encode_ulaw else EVERY_CODE)


@both_laws
@given(sample=st.integers(-32_768, 32_767))
def test_what_is_heard_is_within_a_thirty_second_of_what_was_said(law: Law, sample: int) -> None:
    encode, decode = law
    (heard,) = linear(decode(encode(pcm(sample))))
    assert abs(heard - sample) <= abs(sample) / 32 + 8


@both_laws
@given(one=st.integers(-32_768, 32_767), other=st.integers(-32_768, 32_767))
def test_the_louder_of_two_samples_is_not_heard_as_the_softer(law: Law, one: int, other: int) -> None:
    encode, decode = law
    softer, louder = linear(decode(encode(pcm(min(one, other), max(one, other)))))
    assert softer <= louder


@both_laws
def test_half_a_sample_cannot_be_encoded(law: Law) -> None:
    encode, _ = law
    with pytest.raises(ValueError, match="multiple of element size"):
        encode(b"\x01\x02\x03")


@both_laws
def test_nothing_gives_nothing(law: Law) -> None:
    encode, decode = law
    assert encode(b"") == decode(b"") == b""
