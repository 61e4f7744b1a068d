from collections.abc import AsyncIterator

import anyio
import pytest

from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.provider import Receiver
from voice_hitl.speech_ports import Listener, Speaker, SpeechChunk, Transcription
from voice_hitl.testing.openai_http import OpenAIHTTPServer, Utterance
from voice_hitl_openai import OpenAIListener, OpenAISpeaker
from voice_hitl_openai.speech import sentences_of

pytestmark = pytest.mark.anyio


@pytest.fixture
async def server() -> AsyncIterator[OpenAIHTTPServer]:
    async with OpenAIHTTPServer() as running:
        yield running


@pytest.fixture
async def speaker(server: OpenAIHTTPServer) -> AsyncIterator[OpenAISpeaker]:
    speaking = OpenAISpeaker(instructions="Calmly.", api_key=server.api_key, base_url=server.base_url)
    yield speaking
    await speaking.aclose()


async def rest(chunks: Receiver[SpeechChunk]) -> list[SpeechChunk]:
    heard: list[SpeechChunk] = []
    with anyio.fail_after(30):
        while True:
            try:
                heard.append(await chunks.get())
            except ConnectionEnded:
                return heard


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Transfer 500 dollars. Shall I go ahead?", ["Transfer 500 dollars.", "Shall I go ahead?"]),
        ("It is 3.50 dollars", ["It is 3.50 dollars"]),
        ('He said "yes." Then he left…  Fine!', ['He said "yes."', "Then he left…", "Fine!"]),
        ("  ", []),
        ("", []),
        ("Well?! \n\n Yes", ["Well?!", "Yes"]),
    ],
)
def test_a_text_is_cut_into_its_sentences(text: str, sentences: list[str]) -> None:
    assert sentences_of(text) == sentences


async def test_a_text_is_spoken_sentence_by_sentence(server: OpenAIHTTPServer, speaker: OpenAISpeaker) -> None:
    port: Speaker = speaker
    chunks = await rest(await port.speak("Transfer 500 dollars. Shall I go ahead?", voice="cedar"))
    assert port.rate == 24_000
    assert next(chunk.text for chunk in chunks if chunk.sentence == 0) == "Transfer 500 dollars."
    assert {chunk.sentence for chunk in chunks} == {0, 1}
    audio = b"".join(chunk.pcm for chunk in chunks)
    assert len(audio) == (len("Transfer 500 dollars.") + len("Shall I go ahead?")) * 60 * 48
    assert all(len(chunk.pcm) % 2 == 0 for chunk in chunks)
    asked = [body for _path, body in server.requests]
    assert [(body["voice"], body["response_format"], body["instructions"]) for body in asked] == [
        ("cedar", "pcm", "Calmly."),
        ("cedar", "pcm", "Calmly."),
    ]


async def test_nothing_is_spoken_of_nothing(server: OpenAIHTTPServer, speaker: OpenAISpeaker) -> None:
    assert await rest(await speaker.speak(" ")) == []
    assert server.requests == []


async def test_a_voice_that_is_none_is_a_value_error(speaker: OpenAISpeaker) -> None:
    with pytest.raises(ValueError, match="'nobody'"):
        await speaker.speak("Hello.", voice="nobody")


async def test_a_speaker_that_is_refused_says_so(server: OpenAIHTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = OpenAISpeaker(api_key="sk-wrong", base_url=server.base_url)
    with pytest.raises(ProviderError, match="OPENAI_API_KEY"):
        await wrong.speak("Hello.")
    await wrong.aclose()
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ProviderError, match="OPENAI_API_KEY"):
        await OpenAISpeaker(base_url=server.base_url).speak("Hello.")


async def test_an_utterance_is_written_down(server: OpenAIHTTPServer) -> None:
    heard: list[Utterance] = []

    def understand(utterance: Utterance) -> str:
        heard.append(utterance)
        return " yes please "

    server.on_utterance(understand)
    listening = OpenAIListener(prompt="Luigi's", api_key=server.api_key, base_url=server.base_url)
    listener: Listener = listening
    pcm = b"\1\2" * 24_000
    assert await listener.transcribe(pcm, language="en-GB") == Transcription("yes please")
    assert listener.rate == 24_000
    assert heard[0].pcm == pcm
    path, fields = server.requests[0]
    assert path == "/v1/audio/transcriptions"
    assert (fields["language"], fields["prompt"], fields["model"]) == ("en", "Luigi's", "gpt-transcribe")
    await listening.aclose()


async def test_it_says_how_sure_it_is_where_the_model_does(server: OpenAIHTTPServer) -> None:
    listener = OpenAIListener(model="gpt-4o-transcribe", api_key=server.api_key, base_url=server.base_url)
    heard = await listener.transcribe(bytes(48_000))
    assert heard is not None
    assert heard.confidence == pytest.approx(0.951, abs=1e-3)
    await listener.aclose()


async def test_what_cannot_be_made_out_is_none(server: OpenAIHTTPServer) -> None:
    server.on_utterance(lambda _utterance: None)
    listener = OpenAIListener(api_key=server.api_key, base_url=server.base_url)
    assert await listener.transcribe(bytes(48_000)) is None
    await listener.aclose()


async def test_a_listener_that_is_refused_says_so(server: OpenAIHTTPServer) -> None:
    listener = OpenAIListener(api_key="sk-wrong", base_url=server.base_url)
    with pytest.raises(ProviderError, match="OPENAI_API_KEY"):
        await listener.transcribe(bytes(48_000))
    await listener.aclose()
