"""The embedded speaker says what it is given, a sentence at a time."""

import pytest

from voice_hitl.audio.frame import duration_ms
from voice_hitl.errors import ConnectionEnded
from voice_hitl.speech_ports import Speaker
from voice_hitl_local import LocalListener, LocalSpeaker
from voice_hitl_local.synthesis import RATE, SYNTHESIZER, Speech

pytestmark = pytest.mark.anyio


async def test_what_is_spoken_can_be_heard_sentence_by_sentence() -> None:
    speaker: Speaker = LocalSpeaker()
    speech = await speaker.speak("Transfer 500 dollars to Ann. Shall I go ahead?", voice="joe", language="en-US")
    first, second = await speech.get(), await speech.get()
    with pytest.raises(ConnectionEnded):
        await speech.get()
    assert (first.sentence, first.text) == (0, "Transfer 500 dollars to Ann.")
    assert (second.sentence, second.text) == (1, "Shall I go ahead?")
    assert speaker.rate == RATE
    heard = await LocalListener().transcribe(second.pcm)
    assert heard is not None
    assert heard.text.lower().strip("?.") == "shall i go ahead"
    assert 500 < duration_ms(second.pcm, RATE) < 3_000


async def test_a_speech_that_nobody_listens_to_any_more_says_nothing_more() -> None:
    speech = Speech("One. Two. Three.")
    await speech.get()
    speech.drop()
    assert [chunk async for chunk in speech] == []
    speech.drop()


async def test_nothing_to_say_is_a_speech_without_sentences() -> None:
    assert [chunk async for chunk in Speech("...")] == []


async def test_what_is_kept_is_said_at_once_and_the_same_every_time() -> None:
    SYNTHESIZER.keep(["Well then."])
    SYNTHESIZER.keep([])
    first = await SYNTHESIZER.speak("Well then.").get()
    SYNTHESIZER.keep(["Well then."])
    assert await SYNTHESIZER.speak("Well then.").get() == first


@pytest.mark.parametrize(("voice", "language"), [("amy", "en"), (None, "de")])
async def test_another_voice_and_another_language_are_refused(voice: str | None, language: str) -> None:
    with pytest.raises(ValueError, match="embedded speaker"):
        await LocalSpeaker().speak("Hello", voice=voice, language=language)
