"""The embedded listener hears the recorded caller."""

from pathlib import Path
from wave import open as open_wave

import numpy as np
import pytest

from voice_hitl.speech_ports import Listener
from voice_hitl_local import LocalListener
from voice_hitl_local.front_desk.booking import Booking
from voice_hitl_local.front_desk.brain import EXPECTED
from voice_hitl_local.front_desk.understanding import understand
from voice_hitl_local.recognition import RECOGNIZER

pytestmark = pytest.mark.anyio

AUDIO = Path(__file__).parents[1] / "fixtures" / "audio"


def recorded(name: str) -> bytes:
    with open_wave(str(AUDIO / f"{name}.wav")) as file:
        pcm: bytes = file.readframes(file.getnframes())
    return pcm


@pytest.mark.parametrize("voice", ["", "_espeak"])
async def test_the_recorded_caller_is_heard_and_understood(voice: str) -> None:
    meant = {
        "booking": Booking(party=4, day="tomorrow", time="7 pm", name="Lee"),
        "yes_please": Booking(),
        "make_it_eight": Booking(time="8 pm"),
    }
    for name, booking in meant.items():
        heard = await RECOGNIZER.recognize(recorded(name + voice), hint=EXPECTED).get()
        assert heard is not None
        assert heard.confidence is not None
        assert 0.6 < heard.confidence < 1
        assert understand(heard.text).said == booking
    assert understand("Yes, please.").intent == "yes"


async def test_a_listener_tells_what_was_said_and_how_sure_it_is() -> None:
    listener: Listener = LocalListener()
    heard = await listener.transcribe(recorded("yes_please"))
    assert heard is not None
    assert heard.text == "Yes, please."
    assert heard.confidence is not None
    assert listener.rate == 16_000


@pytest.mark.parametrize(("noise_db", "least", "most"), [(None, 0.7, 1.0), (30, 0.7, 1.0), (10, 0.2, 0.7)])
async def test_what_is_said_in_noise_is_less_sure(noise_db: int | None, least: float, most: float) -> None:
    voice = np.frombuffer(recorded("yes_please"), dtype=np.int16).astype(np.float64)
    loud = float(np.sqrt(np.mean(voice[np.abs(voice) > 500] ** 2)))
    level = 0.0 if noise_db is None else loud / 10 ** (noise_db / 20)
    spectrum = np.fft.rfft(np.random.default_rng(3).normal(size=len(voice)))
    spectrum[1:] /= np.sqrt(np.arange(1, len(spectrum)))  # pink
    noise = np.fft.irfft(spectrum, len(voice))
    noisy = voice + noise * (level / float(np.sqrt(np.mean(noise**2))))
    heard = await LocalListener().transcribe(noisy.clip(-32_768, 32_767).astype(np.int16).tobytes())
    assert heard is not None
    assert heard.confidence is not None
    assert least <= heard.confidence <= most


async def test_nothing_is_made_out_in_silence_and_in_noise() -> None:
    listener = LocalListener()
    noise = np.random.default_rng(3).normal(0, 3_000, 16_000).astype(np.int16).tobytes()
    assert await listener.transcribe(bytes(32_000)) is None
    assert await listener.transcribe(noise) is None


async def test_speech_longer_than_the_short_window_is_heard_to_its_end() -> None:
    heard = await LocalListener().transcribe(bytes(32_000 * 11) + recorded("booking"))
    assert heard is not None
    assert heard.text.endswith("My name is Lee.")


async def test_another_language_is_refused() -> None:
    with pytest.raises(ValueError, match="English only, not 'fr'"):
        await LocalListener().transcribe(b"", language="fr")
