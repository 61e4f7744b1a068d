"""The embedded provider: it needs no key and no network."""

from voice_hitl.errors import ProviderError
from voice_hitl.provider import ProviderCapabilities, ProviderConfig
from voice_hitl.questions.language import language_of
from voice_hitl_local.connection import LocalConnection
from voice_hitl_local.engine_process import require_engines
from voice_hitl_local.front_desk.brain import READY
from voice_hitl_local.recognition import RECOGNIZER
from voice_hitl_local.sentences import sentences
from voice_hitl_local.synthesis import RATE, SYNTHESIZER


class LocalProvider:
    """A front desk that takes table bookings: Whisper hears, rules answer, Piper speaks. English only.

    It calls `ConfirmAction` (`{"action", "details"}`) to have a booking confirmed and `book_table` (`name`,
    `party_size`, `day`, `time`) to make it, and `pick_time` (`day`, `party_size`; the result has a `time`) to have the
    time picked, each where it is declared.

    Args:
        greets: Whether it speaks first; else it waits for `respond`.

    Raises:
        PluginMissing: A package of the extra `local` is not installed.
    """

    name = "local"
    capabilities = ProviderCapabilities(
        rate=RATE,
        hold="quiet",
        verbatim="exact",
        truncates=True,
        reconfigures="in_place",
    )

    def __init__(self, *, greets: bool = True) -> None:
        require_engines()
        self._greets = greets

    async def preload(self) -> None:
        """Load the models, once a process, each in a process of its own: a second or two.

        `connect` does it too: done before, the first call does not have to wait.

        Raises:
            ProviderError: A model could not be loaded.
        """
        first, *later = (sentence for text in READY for sentence in sentences(text))
        hearing, voice = RECOGNIZER.load(), SYNTHESIZER.load(first)
        try:
            await hearing.get()
            await voice.get()
        except Exception as error:  # the border to the engines: whatever they raise, the fix is the same
            raise ProviderError(
                f"the embedded voice could not be loaded ({error}): install voice-hitl[local] again"
            ) from error
        SYNTHESIZER.keep(later)

    async def connect(self, config: ProviderConfig) -> LocalConnection:
        """Open a session; `ProviderError` for a language other than English, or where a model cannot be loaded."""
        if language_of(config.language) != "en":
            raise ProviderError(
                f"the embedded voice speaks English only, not {config.language!r}: use another provider"
            )
        await self.preload()
        return LocalConnection(config, greets=self._greets)
