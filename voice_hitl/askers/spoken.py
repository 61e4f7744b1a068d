"""`SpokenAsker`: asks the caller aloud, in the call, and takes an answer by voice or by key."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

from voice_hitl.asker import AskerSession, Asking, GaveUp
from voice_hitl.askers.conversation import Conversation, Understand
from voice_hitl.line import After, Line
from voice_hitl.provider import ProviderCapabilities
from voice_hitl.questions.model import Question
from voice_hitl.requests.pending import PendingInput
from voice_hitl.speech.keypad import Keypad, can_be_keyed
from voice_hitl.speech.manner import Manner, ReadBack
from voice_hitl.speech.prompts import Hint, Prompts
from voice_hitl.speech.spoken import spoken_question
from voice_hitl.speech_ports import Listener, Speaker, keeps_audio_here


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenAsker:
    """Asks the caller aloud while it holds the session's floor: safety rules first.

    Silence is never an answer, a doubtful yes is never a yes, our own voice coming back is nobody's.

    Args:
        speaker: Makes the voice; without one the model's own says it, where it says exactly what it is given.
        listener: Hears the caller where the model must not, or cannot be kept quiet otherwise. A sensitive answer is
            heard only by one that keeps the audio here; without it such an answer is keyed.
        language: The language asked in; by default the session's.
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
        if self.speaker is None and capabilities.verbatim != "exact":
            return "the model's own voice does not say exactly what it is given: give it a speaker"
        return None

    def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
        """A caller whose audio passes through here, who may answer, and whom we have a voice for."""
        if session is None or session.line is None or not session.line.carries_audio:
            return False
        if not (session.line.can_be_held and (self.speaker is not None or session.line.speaks_verbatim)):
            return False
        if request is not None and request.question is not None and not self._can_take(request.question, session.line):
            return False
        if request is None or not request.audience:
            return True
        return "caller" in request.audience or session.participant_id in request.audience

    def _can_take(self, question: Question, line: Line) -> bool:
        """Whether there is a way by which nobody else gets a sensitive answer."""
        if not question.sensitive or keeps_audio_here(self.listener):
            return True
        return line.carries_digits and can_be_keyed(question)

    async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
        """Hold the dialogue until it is filled, or until somebody else has answered (it is then cancelled)."""
        if session is None or session.line is None:
            return GaveUp(0, "there is no call to ask in")
        language = self.language or session.language
        sensitive = asking.question.sensitive
        listener = self.listener if not sensitive or keeps_audio_here(self.listener) else None
        manner = Manner(
            language=language,
            tries=self.tries,
            no_input_s=self.no_input_s,
            read_back=self.read_back,
            barge_in=self.barge_in,
            echo_cancelled=session.line.echo_cancelled,
            confidential=sensitive,
            asks_what_is_meant=self.understand is not None and not sensitive,
        )
        phrases = Prompts(
            language,
            self.prompts,
            hint=self.keypad_hint,
            keys_only=sensitive and listener is None,
            yes=self.keys[0],
            no=self.keys[1],
        )
        keys = partial(Keypad, yes=self.keys[0], no=self.keys[1])
        question = spoken_question(asking.question, manner, phrases, keys)
        if question is None:
            return GaveUp(0, "the question cannot be asked aloud")
        async with session.line.taken_by(asking.request.pending_id, after=self.after, deaf=sensitive) as held:
            conversation = Conversation(
                asking,
                session,
                held,
                question,
                speaker=self.speaker,
                listener=listener,
                understand=self.understand,
                language=language,
            )
            return await conversation.run()
