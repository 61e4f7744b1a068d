"""`SpokenAsker`: asks the caller aloud, in the call, and takes an answer by voice or by key."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, get_args

from voice_hitl.asker import AskerSession, Asking, GaveUp, may_be_asked
from voice_hitl.askers.conversation import Conversation, Understand
from voice_hitl.askers.wording import warn_without_words
from voice_hitl.line import After, Line
from voice_hitl.provider import ProviderCapabilities
from voice_hitl.questions.model import Approval, Confirm, Question
from voice_hitl.requests.pending import PendingInput
from voice_hitl.speech.keypad import Keypad, can_be_keyed
from voice_hitl.speech.lexicon import lexicon_for
from voice_hitl.speech.manner import Manner, ReadBack
from voice_hitl.speech.prompts import Hint, Prompts
from voice_hitl.speech.spoken import spoken_question
from voice_hitl.speech_ports import Listener, Speaker, keeps_audio_here

_KEYS: Final = frozenset("0123456789*#")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenAsker:
    """Asks the caller aloud while it holds the session's floor: safety rules first.

    Silence is never an answer, a doubtful yes is never a yes, our own voice coming back is nobody's.

    In a call whose media the provider holds (OpenAI's SIP) the model's own voice asks, whatever speaker there is, and
    a yes counts that was begun after the provider had played the question to its end; nothing sensitive is asked.

    In a conference it names whom it asks and hears each of them on their own lane, through its listener: never the
    mix, which is nobody's answer. Without a listener or without lanes it takes keys. A sensitive answer is keyed there,
    because everybody in the room hears what is said.

    Args:
        speaker: Makes the voice; without one the model's own says it. Where that may say something else than it is
            given, its words are looked at before anything counts, and a yes to what is risky is taken by key alone.
        listener: Hears the caller where the model must not, or cannot be kept quiet otherwise. A sensitive answer is
            heard only by one that keeps the audio here; without it such an answer is keyed.
        language: The language asked in, unless the question names its own; by default the session's. One that we have
            no words for (a warning says so) is asked in English and answered by key, by an option's exact words, or by
            digits.
        tries: How often a question is asked in all before this asker gives up.
        no_input_s: How long silence may last before it is asked again, in seconds.
        read_back: Whether what was heard is read back: `auto` (numbers, free text, choices heard with doubt), ...
        after: When the floor is taken: once the model's words were heard (`sentence`), or at once (`now`).
        barge_in: Whether the caller's voice stops ours.
        keypad_hint: When the keys are explained: `always`, from the first `reprompt` on, or `never`.
        keys: The keys for yes and for no.
        understand: `async (question, text) -> Match | NoMatch | Command` for what the rules leave open, a model for
            instance. Of a confirmation or an approval it may say no, never yes. A sensitive answer it does not get.
        prompts: Sentences of your own, by key and language.
        name_of: In a conference, what to call a participant aloud, by their id.

    Raises:
        ValueError: No tries, no time to answer in, keys that are none or the same, a word that is not one of those
            above, what is no language, or a sentence of your own under a key that there is not.
    """

    speaker: Speaker | None = None
    listener: Listener | None = None
    language: str | None = None
    tries: int = 3
    no_input_s: float = 6.0
    read_back: ReadBack = "auto"
    after: After = "sentence"
    barge_in: bool = True
    keypad_hint: Hint = "reprompt"
    keys: tuple[str, str] = ("1", "2")
    prompts: Mapping[str, Mapping[str, str]] | None = None
    understand: Understand | None = None
    name_of: Callable[[str], str] = str

    def __post_init__(self) -> None:
        """Refuse what could not work, and know the language's words (a channel's is English by default), before a call.

        Putting them together takes 25 ms and more, in which every call of the process would stand still.
        """
        if self.tries < 1:
            raise ValueError(f"tries is at least 1, not {self.tries}")
        if not self.no_input_s > 0:
            raise ValueError(f"no_input_s is more than 0 seconds, not {self.no_input_s:g}")
        if len(self.keys) != 2 or len(set(self.keys)) != 2 or not set(self.keys) <= _KEYS:
            raise ValueError(f"keys are two of a telephone's, such as ('1', '2'), not {self.keys!r}")
        _one_of("read_back", self.read_back, get_args(ReadBack))
        _one_of("after", self.after, get_args(After))
        _one_of("keypad_hint", self.keypad_hint, get_args(Hint))
        Prompts(self.language or "en", self.prompts)  # a key that there is not is an error here, not in the first call
        lexicon_for(self.language or "en")
        warn_without_words(self.language or "en")

    @property
    def name(self) -> str:
        """`voice`."""
        return "voice"

    @property
    def whom(self) -> Literal["caller"]:
        """The person in the call."""
        return "caller"

    def why_not(self, capabilities: ProviderCapabilities) -> str | None:
        """Why it could never ask in a session of such a provider; None: it could."""
        if capabilities.held == "none":
            return "the model cannot be kept from answering what is said to the question"
        if capabilities.held == "deaf" and self.listener is None:
            return "the model is kept from answering only by not hearing the caller: give it a listener that does"
        if self.speaker is None and capabilities.verbatim == "none":
            return "the model's own voice does not say what it is given: give it a speaker"
        return None

    def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
        """People in a call, who may answer, and whom we have a voice for."""
        if session is None or session.line is None:
            return False
        line = session.line
        if not line.can_be_held or (self._speaker_on(line) is None and line.verbatim == "none"):
            return False
        if request is None:
            return self._ear_on(line, sensitive=False) or line.carries_digits
        if request.question is not None and not self._can_take(request.question, line):
            return False
        return not request.audience or bool(may_be_asked(request.audience, session))

    def _can_take(self, question: Question, line: Line) -> bool:
        """Whether there is a way by which an answer comes.

        Of a sensitive question a way by which nobody else gets it; of a risky one that the voice may not ask in the
        words it is given, a key.
        """
        if question.sensitive and not line.carries_audio:
            return False  # whoever holds the media hears the caller, and the keys
        if line.carries_digits and can_be_keyed(question):
            return True
        unsure = _is_risky(question) and self._is_unsure(line)
        return not unsure and self._ear_on(line, sensitive=question.sensitive)

    def _is_unsure(self, line: Line) -> bool:
        """Whether the voice that asks may say something else than it is given."""
        return self._speaker_on(line) is None and line.verbatim == "likely"

    def _speaker_on(self, line: Line) -> Speaker | None:
        """What makes the voice; where no audio passes through here it is the model's own."""
        return self.speaker if line.carries_audio else None

    def _ear_on(self, line: Line, *, sensitive: bool) -> bool:
        """Whether what is said can be taken as an answer."""
        if line.is_shared:
            return line.has_lanes and self.listener is not None and not sensitive
        return not sensitive or keeps_audio_here(self.listener)

    async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
        """Hold the dialogue until it is filled, or until somebody else has answered (it is then cancelled)."""
        if session is None or session.line is None:
            return GaveUp(0, "there is no call to ask in")
        language = asking.question.language or self.language or session.language
        warn_without_words(language)
        sensitive, unsure = asking.question.sensitive, self._is_unsure(session.line)
        has_ear = self._ear_on(session.line, sensitive=sensitive)
        manner = Manner(
            language=language,
            tries=self.tries,
            no_input_s=self.no_input_s,
            read_back=self.read_back,
            barge_in=self.barge_in,
            echo_cancelled=session.line.echo_cancelled,
            confidential=sensitive,
            unsure_voice=unsure,
            asks_what_is_meant=self.understand is not None and not sensitive,
        )
        phrases = Prompts(
            language,
            self.prompts,
            hint="always" if unsure and _is_risky(asking.question) else self.keypad_hint,
            keys_only=not has_ear,
            yes=self.keys[0],
            no=self.keys[1],
        )
        keys = partial(Keypad, yes=self.keys[0], no=self.keys[1])
        question = spoken_question(asking.question, manner, phrases, keys)
        if question is None:
            return GaveUp(0, "the question cannot be asked aloud")
        audience = asking.request.audience
        addressed = ", ".join(self.name_of(each) for each in may_be_asked(audience, session)) if audience else ""
        async with session.line.taken_by(
            asking.request.pending_id, after=self.after, deaf=sensitive, audience=audience
        ) as held:
            conversation = Conversation(
                asking,
                session,
                held,
                question,
                speaker=self._speaker_on(session.line),
                listener=self.listener if has_ear and session.line.carries_audio else None,
                understand=self.understand,
                language=language,
                addressed=addressed if session.line.is_shared else "",
                checks_words=unsure,
            )
            return await conversation.run()


def _one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    """Refuse (`ValueError`) a word that is none of those known."""
    if value not in known:
        raise ValueError(f"{name} is {' or '.join(map(repr, known))}, not {value!r}")


def _is_risky(question: Question) -> bool:
    return isinstance(question, Confirm | Approval) and question.risk == "high"
