"""What is being answered now: the question itself, what was understood of it, or for the second time a yes."""

from dataclasses import dataclass
from typing import Literal

from voice_hitl.questions.model import Approval, Confirm, Number, Question, Text
from voice_hitl.speech.effects import Sentence, Utterance
from voice_hitl.speech.interpret import interpret
from voice_hitl.speech.manner import Keys, KeysFor, Phrases
from voice_hitl.speech.played_prompt import OVERLAP_S, PlayedPrompt
from voice_hitl.speech.reading import Match, NoMatch, Reading


@dataclass(slots=True, kw_only=True)
class Stage:
    """One stage of a dialogue: how it is worded, how what is said to it is read, how much of it was heard."""

    kind: Literal["ask", "read_back", "second_yes"]
    asked: Question
    """The question of the dialogue."""
    reads: Question
    """What an utterance is read as the answer to: to a read-back one says yes or no."""
    keys: Keys
    words: tuple[Sentence, ...] = ()
    """Its prompt, whole."""
    value: object = None
    heard: Utterance | None = None
    """What was understood, and of what, in a read-back."""
    first_word_at: float | None = None
    decisive_end: float | None = None
    """When something with all that is decisive had been heard to its decisive end, last."""

    @classmethod
    def asking(cls, question: Question, words: tuple[Sentence, ...], keys_for: KeysFor) -> "Stage":
        """The question itself."""
        return cls(kind="ask", asked=question, reads=question, keys=keys_for(question), words=words)

    @classmethod
    def reading_back(
        cls, question: Question, value: object, heard: Utterance, phrases: Phrases, keys_for: KeysFor
    ) -> "Stage":
        """What was understood, to be confirmed."""
        words = phrases.read_back(question, value)
        reads = Confirm(prompt=" ".join(sentence.text for sentence in words))
        return cls(
            kind="read_back",
            asked=question,
            reads=reads,
            keys=keys_for(reads),
            words=words,
            value=value,
            heard=heard,
        )

    @classmethod
    def second_yes(cls, before: "Stage", words: tuple[Sentence, ...], keys_for: KeysFor) -> "Stage":
        """The question in its shortest form. It was heard before, so a no, and a key, count at once."""
        return cls(
            kind="second_yes",
            asked=before.asked,
            reads=before.asked,
            keys=keys_for(before.asked),
            words=words,
            first_word_at=before.first_word_at,
        )

    @property
    def wants_yes_or_no(self) -> bool:
        """Whether it is answered by a yes or a no."""
        return isinstance(self.reads, Confirm | Approval)

    @property
    def is_high(self) -> bool:
        """Whether a wrong yes would do harm."""
        return isinstance(self.asked, Confirm | Approval) and self.asked.risk == "high"

    @property
    def always_unsure(self) -> bool:
        """Whether what is heard of it is read back, however well it was heard."""
        return isinstance(self.asked, Number | Text)

    def begun_by(self, at: float) -> bool:
        """Whether its first word had been heard by then."""
        return self.first_word_at is not None and at >= self.first_word_at

    def note(self, prompt: PlayedPrompt) -> None:
        """Note what was heard of a prompt of this stage."""
        if self.first_word_at is None:
            self.first_word_at = prompt.began
        if prompt.decides and prompt.decisive_end is not None:
            self.decisive_end = prompt.decisive_end

    def takes_yes(self, began: float, prompt: PlayedPrompt) -> bool:
        """Whether a yes that began then counts: the decisive end was heard before, of whatever is being said now."""
        if prompt.began is None or began < prompt.began:
            end = self.decisive_end
        else:
            end = None if self.decisive_end is None else prompt.decisive_end
        return end is not None and began >= end - OVERLAP_S

    def evidence(self, prompt: PlayedPrompt, rule: str, heard: Utterance | None) -> dict[str, object]:
        """What an answer to it rests on: what was asked, how much of it was heard, what was said, and why it counts."""
        evidence: dict[str, object] = {
            "asked": " ".join(sentence.text for sentence in prompt.sentences),
            "heard_whole": self.decisive_end is not None,
            "rule": rule,
        }
        if heard is not None:
            evidence |= {"transcript": heard.text, "began": heard.began, "ended": heard.ended}
            if heard.confidence is not None:
                evidence["confidence"] = heard.confidence
        return evidence

    def correction(self, text: str, language: str) -> Match | None:
        """Another value that was said to a read-back ("no, four two NINE")."""
        if self.kind != "read_back":
            return None
        found = self._other_value(text, language)
        return found if isinstance(found, Match) else None

    def _other_value(self, text: str, language: str) -> Reading:
        said = interpret(self.reads, text, language=language)
        refused = said.remainder if isinstance(said, Match) and said.value is False else None
        if isinstance(self.asked, Text):
            return NoMatch() if refused is None else Match(refused, rule="another value")
        whole = interpret(self.asked, text, language=language)
        if isinstance(whole, Match) or refused is None:
            return whole
        return interpret(self.asked, refused, language=language)
