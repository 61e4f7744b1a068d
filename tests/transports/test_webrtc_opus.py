import ctypes

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.transports.webrtc_agent import loudness, strongest_hz, tone
from voice_hitl.errors import PluginMissing
from voice_hitl_webrtc import opus


def packets(pcm: bytes, rate: int) -> list[bytes]:
    encoder = opus.Encoder(rate)
    size = rate // 50 * 2
    return [encoder.encode(pcm[start : start + size]) for start in range(0, len(pcm), size)]


def voice(seconds: float, rate: int = 16_000) -> bytes:
    """Something like a voice: a buzz that sings up and down, and swells."""
    time = np.arange(int(rate * seconds)) / rate
    phase = np.cumsum(2 * np.pi * (140 + 40 * np.sin(2 * np.pi * 2 * time)) / rate)
    buzz: NDArray[np.float64] = np.sum([np.sin(harmonic * phase) / harmonic for harmonic in range(1, 12)], axis=0)
    swell: NDArray[np.float64] = 3_000 + 2_000 * np.sin(2 * np.pi * 3 * time)
    return (buzz * swell).astype(np.int16).tobytes()


@pytest.mark.parametrize("rate", opus.RATES)
def test_audio_comes_back_at_every_rate_without_resampling(rate: int) -> None:
    decoder = opus.Decoder(rate)
    heard = b"".join(decoder.decode(packet) for packet in packets(tone(440, 1, rate), rate))
    assert len(heard) == rate * 2
    assert strongest_hz(heard, rate) == pytest.approx(440, abs=2)


def test_a_packet_fits_into_a_datagram_and_holds_20_ms() -> None:
    for packet in packets(voice(1), 16_000):
        assert len(packet) < 250
        assert opus.packet_samples(packet) == 960


def test_a_lost_packet_is_recovered_from_the_next_one_better_than_it_is_concealed() -> None:
    sent = packets(voice(2), 16_000)
    whole = opus.Decoder(16_000)
    truth = [np.frombuffer(whole.decode(packet), dtype=np.int16).astype(float) for packet in sent]
    error = {"recovered": 0.0, "concealed": 0.0}
    for way in error:
        decoder = opus.Decoder(16_000)
        for number, packet in enumerate(sent[:-1]):
            if number % 10 == 7:
                got = decoder.recover(sent[number + 1], 960) if way == "recovered" else decoder.conceal(960)
                assert len(got) == 640
                error[way] += float(np.sum(np.square(np.frombuffer(got, dtype=np.int16) - truth[number])))
            else:
                decoder.decode(packet)
    assert error["recovered"] < 0.5 * error["concealed"]


def test_a_packet_of_silence_is_20_ms_of_it() -> None:
    decoder = opus.Decoder(24_000)
    for packet in packets(bytes(960 * 10), 24_000):
        decoder.decode(packet)
    assert opus.packet_samples(opus.SILENCE) == 960
    rest = [decoder.decode(opus.SILENCE) for _ in range(100)]
    assert {len(pcm) for pcm in rest} == {960}
    assert loudness(b"".join(rest)) < 5


def test_concealment_fades_and_a_reset_forgets() -> None:
    decoder = opus.Decoder(16_000)
    for packet in packets(voice(0.4), 16_000):
        decoder.decode(packet)
    concealed = [loudness(decoder.conceal(960)) for _ in range(50)]
    assert concealed[0] > 500
    assert concealed[-1] < concealed[0] / 10
    for packet in packets(voice(0.4), 16_000):
        decoder.decode(packet)
    decoder.reset()
    assert loudness(decoder.conceal(960)) == 0


@pytest.mark.parametrize(
    ("samples", "bytes_at_16k"), [(960, 640), (120, 80), (130, 80), (1, 80), (2_880, 1_920), (99_999, 3_840)]
)
def test_what_is_concealed_is_rounded_to_what_opus_can(samples: int, bytes_at_16k: int) -> None:
    assert len(opus.Decoder(16_000).conceal(samples)) == bytes_at_16k


@given(st.binary(max_size=300))
def test_no_packet_breaks_the_decoder(payload: bytes) -> None:
    decoder = opus.Decoder(16_000)
    samples = opus.packet_samples(payload)
    try:
        pcm = decoder.decode(payload)
    except opus.OpusError:
        return
    assert not payload or len(pcm) == samples * 2 // 3


def test_a_frame_of_another_length_is_not_encoded() -> None:
    with pytest.raises(ValueError, match="640 bytes"):
        opus.Encoder(16_000).encode(b"\0" * 320)


def test_a_rate_that_opus_does_not_speak_is_refused() -> None:
    with pytest.raises(opus.OpusError, match="44100"):
        opus.Decoder(44_100)
    with pytest.raises(opus.OpusError, match="44100"):
        opus.Encoder(44_100)


def test_without_libopus_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(path: str) -> ctypes.PyDLL:
        raise OSError(f"{path}: cannot open shared object file")

    opus.library.cache_clear()
    monkeypatch.setattr(ctypes, "PyDLL", missing)
    with pytest.raises(PluginMissing, match="libopus0"):
        opus.library()
