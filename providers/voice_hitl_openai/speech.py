"""OpenAI's speech: `OpenAISpeaker` (text to speech) and `OpenAIListener` (transcription)."""

import io
import logging
import math
import re
import wave
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

import httpx2
from openai import AsyncAPIResponse, BadRequestError, OpenAIError, omit

from voice_hitl.errors import ProviderError
from voice_hitl.provider import Receiver
from voice_hitl.speech_ports import SpeechChunk, Transcription
from voice_hitl.tasks import Mailbox, Tasks
from voice_hitl_openai.client import Client, refused
from voice_hitl_openai.settings import RATE, language_code, tells_confidence

log = logging.getLogger(__name__)

MOST_CHUNKS: Final = 4096
"""Pieces of audio that wait for whoever asked for them: minutes."""

CHUNK_BYTES: Final = 4_800
"""100 ms: little enough to begin soon, much enough not to be work."""

_SENTENCES: Final = re.compile(r".+?(?:[.!?…。！？]+[\"'”’)]*(?=\s|$)|$)\s*", re.DOTALL)


def sentences_of(text: str) -> list[str]:
    """The sentences of `text`, without the space between them."""
    return [sentence.strip() for sentence in _SENTENCES.findall(text) if sentence.strip()]


class OpenAISpeaker:
    """Text to speech (`voice_hitl.speech_ports.Speaker`), a request a sentence.

    Args:
        model: The model's name. The API says that it ends the Speech API's models on 2027-01-06.
        voice: The voice, where none is asked for.
        instructions: How to speak ("calmly").
        api_key: The key; None reads `OPENAI_API_KEY`.
        base_url: Another service's address; None is OpenAI's own (or `OPENAI_BASE_URL`).
    """

    def __init__(
        self,
        *,
        model: str = "gpt-4o-mini-tts",
        voice: str = "marin",
        instructions: str | None = None,
        api_key: str | None = None,
        base_url: str | None = None,
    ) -> None:
        self._model = model
        self._voice = voice
        self._instructions = instructions
        self._client = Client(api_key, base_url)
        self._tasks = Tasks("openai speaker")

    @property
    def rate(self) -> int:
        """Samples a second of the audio it gives."""
        return RATE

    async def speak(self, text: str, *, voice: str | None = None, language: str = "en") -> Receiver[SpeechChunk]:
        """Speak `text`, in whatever language it is in; returns when the first sentence begins to come.

        Raises:
            ValueError: The service has no such voice.
            ProviderError: It cannot be reached, or refuses the key or the model.
        """
        chunks: Mailbox[SpeechChunk] = Mailbox(limit=MOST_CHUNKS, droppable=lambda _chunk: True)
        sentences = sentences_of(text)
        started = Mailbox[Exception | None]()
        job = self._tasks.spawn(self._speak_all(sentences, voice or self._voice, chunks, started), "speaking")
        try:
            failure = await started.get()
        except BaseException:
            job.cancel()
            raise
        if failure is not None:
            raise failure
        return chunks

    async def aclose(self) -> None:
        """Stop speaking, and let go its connections."""
        await self._tasks.close()
        await self._client.aclose()

    async def _speak_all(
        self, sentences: list[str], voice: str, chunks: Mailbox[SpeechChunk], started: Mailbox[Exception | None]
    ) -> None:
        try:
            for number, sentence in enumerate(sentences):
                async with self._audio_of(sentence, voice) as response:
                    started.put(None)
                    rest = b""
                    async for piece in response.iter_bytes(CHUNK_BYTES):
                        pcm = rest + piece
                        rest = pcm[len(pcm) - len(pcm) % 2 :]
                        chunks.put(SpeechChunk(pcm[: len(pcm) - len(pcm) % 2], number, sentence))
        except BadRequestError as error:
            started.put(ValueError(f"OpenAI cannot say this: {error.message}"))
        except ProviderError as error:
            started.put(error)
        except (OpenAIError, httpx2.HTTPError) as error:
            log.warning("speech broke off: %s", error)
            started.put(refused(error, f"speech of {self._model!r}"))
        finally:
            started.put(None)
            chunks.close()

    @asynccontextmanager
    async def _audio_of(self, sentence: str, voice: str) -> AsyncGenerator[AsyncAPIResponse[bytes]]:
        sdk = await self._client.sdk()
        async with sdk.audio.speech.with_streaming_response.create(
            model=self._model,
            voice=voice,
            input=sentence,
            instructions=self._instructions or omit,
            response_format="pcm",
        ) as response:
            yield response


class OpenAIListener:
    """Transcription (`voice_hitl.speech_ports.Listener`), a request an utterance.

    Args:
        model: The model's name. Confidence is told by `gpt-4o-transcribe` and `gpt-4o-mini-transcribe` only.
        prompt: Words to expect.
        api_key: The key; None reads `OPENAI_API_KEY`.
        base_url: Another service's address; None is OpenAI's own (or `OPENAI_BASE_URL`).
    """

    def __init__(
        self,
        *,
        model: str = "gpt-transcribe",
        prompt: str | None = None,
        api_key: str | None = None,
        base_url: str | None = None,
    ) -> None:
        self._model = model
        self._prompt = prompt
        self._client = Client(api_key, base_url)

    @property
    def rate(self) -> int:
        """Samples a second of the audio it takes."""
        return RATE

    async def transcribe(self, pcm: bytes, *, language: str = "en") -> Transcription | None:
        """Return what is said in `pcm`; None where nothing can be made out.

        Raises:
            ValueError: The service does not know the language, or takes no such audio.
            ProviderError: It cannot be reached, or refuses the key or the model.
        """
        sdk = await self._client.sdk()
        try:
            heard = await sdk.audio.transcriptions.create(
                file=("speech.wav", wav_of(pcm), "audio/wav"),
                model=self._model,
                language=language_code(language) or omit,
                prompt=self._prompt or omit,
                include=["logprobs"] if tells_confidence(self._model) else omit,
                response_format="json",
            )
        except BadRequestError as error:
            raise ValueError(f"OpenAI cannot write this down: {error.message}") from error
        except OpenAIError as error:
            raise refused(error, f"a transcript of {self._model!r}") from error
        text = heard.text.strip()
        if not text:
            return None
        logprobs = [min(entry.logprob, 0.0) for entry in heard.logprobs or () if entry.logprob is not None]
        return Transcription(text, math.exp(sum(logprobs) / len(logprobs)) if logprobs else None)

    async def aclose(self) -> None:
        """Let go its connections."""
        await self._client.aclose()


def wav_of(pcm: bytes) -> bytes:
    """Mono int16 at 24 kHz as a WAV file."""
    file = io.BytesIO()
    with wave.open(file, "wb") as audio:
        audio.setnchannels(1)
        audio.setsampwidth(2)
        audio.setframerate(RATE)
        audio.writeframes(pcm)
    return file.getvalue()
