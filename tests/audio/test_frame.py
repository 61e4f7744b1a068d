"""The one audio format inside."""

from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.audio.frame import Framer, duration_ms, frame_bytes, frame_samples


def test_a_frame_is_twenty_milliseconds_of_mono_int16() -> None:
    assert (frame_samples(16_000), frame_bytes(16_000), frame_bytes(24_000)) == (320, 640, 960)
    assert duration_ms(bytes(960), 24_000) == 20


@given(chunks=st.lists(st.binary(max_size=2_000), max_size=20))
def test_a_stream_cut_anywhere_gives_the_same_whole_frames_and_one_padded_rest(chunks: list[bytes]) -> None:
    framer = Framer(16_000)
    frames = [frame for chunk in chunks for frame in framer.push(chunk)]
    rest = framer.flush()
    stream = b"".join(chunks)
    assert {len(frame) for frame in frames} <= {640}
    assert b"".join(frames) + (rest or b"") == stream.ljust(len(stream) + (-len(stream) % 640), b"\0")
    assert framer.flush() is None


def test_after_a_reset_the_rest_is_gone() -> None:
    framer = Framer(16_000)
    framer.push(b"\x01" * 100)
    framer.reset()
    assert framer.push(bytes(640)) == [bytes(640)]
