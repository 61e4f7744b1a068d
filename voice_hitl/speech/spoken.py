"""A question as it is asked aloud: one dialogue, or for a form one after another."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from voice_hitl.questions.model import Choice, Form, Question
from voice_hitl.speech.dialogue import Dialogue
from voice_hitl.speech.echo import Echo
from voice_hitl.speech.effects import AnsweredSoFar, Effect, Filled, Utterance
from voice_hitl.speech.manner import KeysFor, Manner, Phrases
from voice_hitl.speech.reading import Reading


class SpokenQuestion(Protocol):
    """What `SpokenAsker` drives: a `Dialogue`, or a `FormDialogue`."""

    @property
    def over(self) -> bool:
        """Whether nothing comes out any more."""
        ...

    def start(self) -> list[Effect]:
        """Ask."""
        ...

    def deadline(self) -> float | None:
        """When to come back."""
        ...

    def tick(self, now: float) -> list[Effect]:
        """Time has passed."""
        ...

    def playing(self, index: int, at: float) -> None:
        """A sentence began to be heard."""
        ...

    def played(self, index: int, began: float, at: float) -> None:
        """A sentence was heard whole."""
        ...

    def cut(self, index: int, began: float, at: float, left: float | None = None) -> None:
        """A sentence was stopped, `left` seconds before its end."""
        ...

    def misspoken(self) -> list[Effect]:
        """What was said was not what should have been."""
        ...

    def speech_began(self, at: float) -> list[Effect]:
        """The caller speaks."""
        ...

    def speech_ended(self, at: float) -> list[Effect]:
        """The caller stops."""
        ...

    def utterance(self, heard: Utterance, now: float) -> list[Effect]:
        """What the caller said."""
        ...

    def understood(self, heard: Utterance, reading: Reading, now: float) -> list[Effect]:
        """Somebody says what an unclear utterance means."""
        ...

    def unheard(self, now: float) -> list[Effect]:
        """What the caller said could not be made out."""
        ...

    def key(self, digit: str, now: float) -> list[Effect]:
        """A key."""
        ...

    def after_aside(self) -> list[Effect]:
        """The model has answered an aside."""
        ...

    def refused(self) -> list[Effect]:
        """The answer was not taken."""
        ...


class FormDialogue:
    """Asks a form question by question, keeps what was answered, and tells of each answer but the last."""

    def __init__(self, form: Form, phrases: Phrases, keys: KeysFor, manner: Manner) -> None:
        self._form = form
        self._phrases = phrases
        self._keys = keys
        self._manner = manner
        self._echo = Echo()
        self._answers: dict[str, object] = {}
        self._remarks: list[str] = []
        self._evidence: list[Mapping[str, object]] = []
        self._place = 0
        self._now = self._dialogue()

    def _dialogue(self) -> Dialogue:
        return Dialogue(self._question, self._phrases, self._keys, self._manner, echo=self._echo, form=self._form)

    @property
    def over(self) -> bool:
        """Whether nothing comes out any more."""
        return self._now.over

    @property
    def _question(self) -> Choice:
        return self._form.questions[self._place]

    def start(self) -> list[Effect]:
        """Ask the first question."""
        return self._through(self._now.start())

    def deadline(self) -> float | None:
        """When to come back."""
        return self._now.deadline()

    def tick(self, now: float) -> list[Effect]:
        """Time has passed."""
        return self._through(self._now.tick(now))

    def playing(self, index: int, at: float) -> None:
        """A sentence began to be heard."""
        self._now.playing(index, at)

    def played(self, index: int, began: float, at: float) -> None:
        """A sentence was heard whole."""
        self._now.played(index, began, at)

    def cut(self, index: int, began: float, at: float, left: float | None = None) -> None:
        """A sentence was stopped, `left` seconds before its end."""
        self._now.cut(index, began, at, left)

    def misspoken(self) -> list[Effect]:
        """What was said was not what should have been."""
        return self._through(self._now.misspoken())

    def speech_began(self, at: float) -> list[Effect]:
        """The caller speaks."""
        return self._through(self._now.speech_began(at))

    def speech_ended(self, at: float) -> list[Effect]:
        """The caller stops."""
        return self._now.speech_ended(at)

    def unheard(self, now: float) -> list[Effect]:
        """What the caller said could not be made out."""
        return self._through(self._now.unheard(now))

    def key(self, digit: str, now: float) -> list[Effect]:
        """A key."""
        return self._through(self._now.key(digit, now))

    def after_aside(self) -> list[Effect]:
        """The model has answered an aside."""
        return self._through(self._now.after_aside())

    def refused(self) -> list[Effect]:
        """The answer was not taken: begin with the last question again."""
        self._now = self._dialogue()
        return self._through(self._now.start())

    def utterance(self, heard: Utterance, now: float) -> list[Effect]:
        """What the caller said: it may answer all of the form at once."""
        return self._through(self._now.utterance(heard, now))

    def understood(self, heard: Utterance, reading: Reading, now: float) -> list[Effect]:
        """Somebody says what an unclear utterance means."""
        return self._through(self._now.understood(heard, reading, now))

    def _through(self, effects: list[Effect]) -> list[Effect]:
        """The effects of the question being asked; where it is filled, those of the next one."""
        out: list[Effect] = []
        for effect in effects:
            if not isinstance(effect, Filled) or effect.decline:
                out.append(effect)
            elif effect.whole:
                value = {"answers": dict(self._answers), "response": effect.value}
                out.append(replace(effect, value=value, reason=None))
            else:
                out += self._next(effect)
        return out

    def _next(self, filled: Filled) -> list[Effect]:
        self._answers[self._question.prompt] = filled.value
        self._evidence.append(filled.evidence)
        if filled.reason:
            self._remarks.append(filled.reason)
        if self._place + 1 < len(self._form.questions):
            self._place += 1
            self._now = self._dialogue()
            return [AnsweredSoFar(dict(self._answers)), *self._through(self._now.start())]
        value: dict[str, object] = {"answers": dict(self._answers)}
        if self._remarks:
            value["response"] = " ".join(self._remarks)
        said = [str(each["transcript"]) for each in self._evidence if "transcript" in each]
        evidence: dict[str, object] = {"questions": tuple(self._evidence)}
        if said:
            evidence["transcript"] = "; ".join(said)
        return [replace(filled, value=value, reason=None, evidence=evidence)]


def spoken_question(question: Question, manner: Manner, phrases: Phrases, keys: KeysFor) -> SpokenQuestion | None:
    """The dialogue of a question; None where it cannot be asked aloud."""
    if isinstance(question, Form):
        if any(phrases.asked(each) is None for each in question.questions):
            return None
        return FormDialogue(question, phrases, keys, manner)
    return None if phrases.asked(question) is None else Dialogue(question, phrases, keys, manner)
