"""One question, one person, asked aloud: prompt, no-input, no-match, reprompt, read-back, filled, gave up.

VoiceXML's form is the field's word for it. Pure: what happens and when goes in (seconds of the leg's clock), effects
come out, and `deadline()` says when to come back. Silence is never an answer; a doubtful yes is never a yes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from voice_hitl.questions.model import Approval, Confirm, Number, Question, Text
from voice_hitl.speech.echo import Echo
from voice_hitl.speech.interpret import interpret
from voice_hitl.speech.reading import Command, Match, NoMatch, Reading

OVERLAP_S = 0.3
"""How much before the question's decisive end a yes may begin."""

SETTLE_S = 0.7
SETTLE_HIGH_S = 1.0
"""How long after its end a yes waits for more: "yes" and "but make it eight" come as two utterances."""

WAIT_S = 60.0
"""How long "hold on" pauses the no-input timer. The request's deadline goes on."""

TRANSCRIPT_S = 5.0
"""How long a transcript may take before the utterance counts as one that could not be made out."""

LOW_CONFIDENCE = 0.4
"""Below this recognition confidence (0 to 1) a yes is a no-match."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence to be spoken. `decisive`: it holds an argument without which nobody can say yes."""

    text: str
    decisive: bool = False


@dataclass(frozen=True, slots=True)
class Utterance:
    """What was heard: the words and when they were said (seconds of the leg's clock, the round trip taken off)."""

    text: str
    began: float
    ended: float
    confidence: float | None = None
    item_id: str = ""


class Phrases(Protocol):
    """The words a dialogue is held in: one language's templates."""

    def asked(self, question: Question) -> tuple[Sentence, ...] | None:
        """The prompt; None: this question cannot be asked aloud."""
        ...

    def asked_again(
        self, question: Question, attempt: int, why: Literal["no_input", "no_match"]
    ) -> tuple[Sentence, ...]:
        """A reprompt: shorter and more explicit at each attempt (from 1)."""
        ...

    def between(self, labels: tuple[str, ...]) -> tuple[Sentence, ...]:
        """Which of these was meant?"""
        ...

    def options(self, question: Question) -> tuple[Sentence, ...]:
        """What may be answered, keys included."""
        ...

    def read_back(self, question: Question, value: object) -> tuple[Sentence, ...]:
        """Is that right?"""
        ...

    def second_yes(self, question: Question) -> tuple[Sentence, ...]:
        """The question in its shortest form, for a second yes."""
        ...


class Keys(Protocol):
    """Digits to meaning, for the question that is asked."""

    def press(self, key: str, now: float) -> Reading | None:
        """A key: what it completes, or None while more may come."""
        ...

    def tick(self, now: float) -> Reading | None:
        """Time has passed: what is complete by it."""
        ...

    def deadline(self) -> float | None:
        """When to come back."""
        ...


# --- effects ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Say:
    """Speak these sentences, one after another, in place of whatever is being spoken."""

    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Stop:
    """Stop speaking, in this tick."""


@dataclass(frozen=True, slots=True)
class Filled:
    """The question is answered. `value` in the shape of its kind; `decline`: the person will not answer."""

    value: object = None
    via: Literal["voice", "key"] = "voice"
    decline: bool = False
    reason: str | None = None
    evidence: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Aside:
    """Not an answer: it goes to the model, which gets the floor for one response. Then the question is asked again."""

    utterance: Utterance


@dataclass(frozen=True, slots=True)
class PassOn:
    """Said before the question began: it is the model's, and stays in its history."""

    utterance: Utterance


@dataclass(frozen=True, slots=True)
class Consumed:
    """Taken for the question, or dropped as our own echo: it leaves the model's history."""

    item_id: str


@dataclass(frozen=True, slots=True)
class WasRead:
    """How something heard was read, and why: for hooks and evidence."""

    text: str
    reading: Reading
    why: str
    via: Literal["voice", "key"] = "voice"


@dataclass(frozen=True, slots=True)
class ToOperator:
    """The person wants somebody else."""


@dataclass(frozen=True, slots=True)
class GaveUp:
    """So many tries, and no answer."""

    tries: int


Effect = Say | Stop | Filled | Aside | PassOn | Consumed | WasRead | ToOperator | GaveUp


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a dialogue is held."""

    language: str = "en"
    tries: int = 3
    no_input_s: float = 6.0
    read_back: Literal["auto", "always", "never"] = "auto"
    barge_in: bool = True
    echo_cancelled: bool = True


@dataclass(slots=True)
class _Prompt:
    """What is being spoken, or was last, and how far it was heard."""

    sentences: tuple[Sentence, ...]
    began: float | None = None
    reached: int = 0
    """The sentence that is being heard, or was when it was cut."""
    decisive_end: float | None = None
    playing: bool = True

    @property
    def last_decisive(self) -> int:
        decisive = [index for index, sentence in enumerate(self.sentences) if sentence.decisive]
        return decisive[-1] if decisive else len(self.sentences) - 1


@dataclass(slots=True)
class _Pending:
    """A yes that waits for its settle window to pass."""

    value: object
    utterance: Utterance
    settles_at: float
    reading: Match


class Dialogue:
    """Holds the dialogue of one question (not a form: see `FormDialogue`). Once `over`, nothing comes out any more.

    Args:
        question: What is asked.
        phrases: The words it is asked in.
        keys: Makes the keypad's reader of a question.
        manner: How it is held.
    """

    def __init__(
        self,
        question: Question,
        phrases: Phrases,
        keys: "KeysFor",
        manner: Manner | None = None,
        echo: Echo | None = None,
    ) -> None:
        self._asked = question
        self._phrases = phrases
        self._keys_for = keys
        self._manner = manner or Manner()
        self._echo = echo if echo is not None else Echo()
        self._reads: Question = question
        self._keys = keys(question)
        self._stage: Literal["ask", "read_back", "second_yes"] = "ask"
        self._value: object = None
        self._heard_value: Utterance | None = None
        self._prompt = _Prompt(())
        self._tries = 0
        self._speaks = False
        self._no_input_at: float | None = None
        self._transcript_by: float | None = None
        self._pending: _Pending | None = None
        self._failed_in_a_row = 0
        self.over = False

    # --- the clock ---------------------------------------------------------------------------------------------------

    def deadline(self) -> float | None:
        """When to come back with `tick`, in seconds of the leg's clock; None: only when something happens."""
        if self.over:
            return None
        times = [self._keys.deadline(), self._transcript_by]
        if not self._speaks:
            times += [self._no_input_at, self._pending.settles_at if self._pending else None]
        return min((at for at in times if at is not None), default=None)

    def tick(self, now: float) -> list[Effect]:
        """Time has passed."""
        if self.over:
            return []
        keyed = self._keys.tick(now)
        if keyed is not None:
            return self._keyed("", keyed, now)
        if self._transcript_by is not None and now >= self._transcript_by:
            return self.unheard(now)
        if self._speaks:
            return []
        if self._pending is not None and now >= self._pending.settles_at:
            return self._settle_yes(self._pending, now)
        if self._no_input_at is not None and now >= self._no_input_at:
            return self._again(now, "no_input")
        return []

    # --- our own voice -----------------------------------------------------------------------------------------------

    def start(self, now: float) -> list[Effect]:
        """Ask; `GaveUp` with no try where the question cannot be asked aloud."""
        sentences = self._phrases.asked(self._asked)
        if sentences is None:
            return self._end(GaveUp(0))
        self._tries = 1
        return self._say(sentences)

    def playing(self, index: int, at: float) -> None:
        """The first sound of a sentence of the last `Say` was heard."""
        if self._prompt.began is None:
            self._prompt.began = at
        self._prompt.reached = index

    def played(self, index: int, began: float, at: float) -> None:
        """A sentence of the last `Say` was heard whole, from `began` to `at`."""
        prompt = self._prompt
        if index >= len(prompt.sentences):
            return
        self._echo.played(prompt.sentences[index].text, began, at)
        if prompt.began is None:
            prompt.began = began
        if index == prompt.last_decisive:
            prompt.decisive_end = at
        if index == len(prompt.sentences) - 1:
            prompt.playing = False
            if not self._speaks and self._transcript_by is None:
                self._no_input_at = at + self._manner.no_input_s

    def cut(self, index: int, began: float, at: float) -> None:
        """The voice was stopped in this sentence, of which the beginning was heard."""
        prompt = self._prompt
        if index < len(prompt.sentences):
            self._echo.played(prompt.sentences[index].text, began, at)
            prompt.reached = index
        prompt.playing = False

    # --- the caller's voice ------------------------------------------------------------------------------------------

    def speech_began(self, at: float) -> list[Effect]:
        """The caller begins to speak: the voice stops at once, whatever it turns out to be."""
        if self.over:
            return []
        self._speaks = True
        self._no_input_at = None
        if self._pending is not None and at >= self._pending.settles_at:
            return self._settle_yes(self._pending, at)
        if self._prompt.playing and self._manner.barge_in and self._manner.echo_cancelled:
            self._prompt.playing = False
            return [Stop()]
        return []

    def speech_ended(self, at: float) -> list[Effect]:
        """The caller stops: a transcript is due."""
        if not self.over:
            self._speaks = False
            self._transcript_by = at + TRANSCRIPT_S
        return []

    def unheard(self, now: float) -> list[Effect]:
        """What was said could not be made out: a no-match, never silence."""
        self._transcript_by = None
        if self.over:
            return []
        self._failed_in_a_row += 1
        if self._pending is not None:
            self._pending = None
        if self._was_cut:
            return self._resume()
        return self._again(now, "no_match")

    def utterance(self, heard: Utterance, now: float) -> list[Effect]:
        """The final transcript of an utterance."""
        self._transcript_by = None
        if self.over:
            return []
        own = self._echo.sift(heard.text, heard.began, heard.ended)
        if own.echoed and not own.text:
            reading = NoMatch(rule="our own voice")
            return [WasRead(heard.text, reading, reading.rule), Consumed(heard.item_id), *self._go_on_after_noise(now)]
        heard = replace(heard, text=own.text, began=own.began)
        if self._prompt.began is None or heard.began < self._prompt.began:
            reading = NoMatch(rule="said before the question began")
            return [WasRead(heard.text, reading, reading.rule), PassOn(heard), *self._go_on_after_noise(now)]
        if self._pending is not None:
            before = self._pending.utterance
            heard = replace(heard, text=f"{before.text} {heard.text}", began=before.began)
            self._pending = None
        self._failed_in_a_row = 0
        answer = interpret(self._reads, heard.text, language=self._manner.language)
        return [WasRead(heard.text, answer, answer.rule), *self._read(answer, heard, now)]

    def key(self, digit: str, now: float) -> list[Effect]:
        """A key was pressed."""
        if self.over:
            return []
        self._no_input_at = None
        stop: list[Effect] = [Stop()] if self._prompt.playing else []
        self._prompt.playing = False
        reading = self._keys.press(digit, now)
        return stop if reading is None else [*stop, *self._keyed(digit, reading, now)]

    # --- reading -----------------------------------------------------------------------------------------------------

    def _keyed(self, digit: str, reading: Reading, now: float) -> list[Effect]:
        read = WasRead(digit, reading, reading.rule, via="key")
        match reading:
            case Match(value):
                if self._stage != "ask":
                    value = self._value if value is True else False
                    if value is False:
                        return [read, *self._not_that(now)]
                self._pending = None
                return [read, *self._fill(value, None, "key", reading.rule, None)]
            case Command(name):
                return [read, *self._command(name, now)]
            case NoMatch():
                return [read, *self._again(now, "no_match")]

    def _read(self, reading: Reading, heard: Utterance, now: float) -> list[Effect]:
        match reading:
            case Command(name):
                return [Consumed(heard.item_id), *self._command(name, now)]
            case NoMatch(between):
                if self._corrects(heard):
                    return [Consumed(heard.item_id), *self._correct(heard, now)]
                if reading.rule.startswith("aside"):
                    return [Aside(heard)]
                if between:
                    return [Consumed(heard.item_id), *self._again(now, "no_match", between)]
                return [Consumed(heard.item_id), *self._go_on_after_noise(now, "no_match")]
            case Match(value) if self._stage != "ask" or isinstance(self._asked, Confirm | Approval):
                return [Consumed(heard.item_id), *self._yes_or_no(reading, value is True, heard, now)]
            case Match(value):
                return [Consumed(heard.item_id), *self._valued(reading, value, heard, now)]

    def _yes_or_no(self, reading: Match, yes: bool, heard: Utterance, now: float) -> list[Effect]:
        if not yes:
            if self._stage == "read_back":
                return self._correct(heard, now) if self._corrects(heard) else self._not_that(now)
            return self._fill(False, reading.remainder, "voice", reading.rule, heard)
        if not self._counts_as_yes(heard):
            return self._go_on_after_noise(now, "no_match")
        if heard.confidence is not None and heard.confidence < LOW_CONFIDENCE:
            return self._again(now, "no_match")
        window = SETTLE_HIGH_S if self._is_high else SETTLE_S
        self._pending = _Pending(True, heard, heard.ended + window, reading)
        return []

    def _valued(self, reading: Match, value: object, heard: Utterance, now: float) -> list[Effect]:
        if not self._needs_read_back(reading):
            return self._fill(value, reading.remainder, "voice", reading.rule, heard)
        return self._read_back(value, heard)

    def _settle_yes(self, pending: _Pending, now: float) -> list[Effect]:
        self._pending = None
        if self._stage == "read_back":
            return self._fill(self._value, None, "voice", pending.reading.rule, self._heard_value)
        if self._is_high and self._stage == "ask":
            self._stage = "second_yes"
            self._value = True
            self._heard_value = pending.utterance
            return self._say(self._phrases.second_yes(self._asked))
        return self._fill(True, pending.reading.remainder, "voice", pending.reading.rule, pending.utterance)

    def _read_back(self, value: object, heard: Utterance) -> list[Effect]:
        sentences = self._phrases.read_back(self._asked, value)
        self._stage, self._value, self._heard_value = "read_back", value, heard
        self._reads = Confirm(prompt=" ".join(sentence.text for sentence in sentences), risk="normal")
        self._keys = self._keys_for(self._reads)
        return self._say(sentences)

    def _corrects(self, heard: Utterance) -> bool:
        """Whether another value stands in what was said to a read-back ("no, four two NINE")."""
        if self._stage != "read_back":
            return False
        return isinstance(self._other_value(heard), Match)

    def _other_value(self, heard: Utterance) -> Reading:
        if isinstance(self._asked, Text):
            said = interpret(self._reads, heard.text, language=self._manner.language)
            remainder = said.remainder if isinstance(said, Match) and said.value is False else None
            return NoMatch() if remainder is None else Match(remainder)
        whole = interpret(self._asked, heard.text, language=self._manner.language)
        if isinstance(whole, Match):
            return whole
        said = interpret(self._reads, heard.text, language=self._manner.language)
        if isinstance(said, Match) and said.value is False and said.remainder:
            return interpret(self._asked, said.remainder, language=self._manner.language)
        return whole

    def _correct(self, heard: Utterance, _now: float) -> list[Effect]:
        other = self._other_value(heard)
        return self._read_back(other.value, heard) if isinstance(other, Match) else []

    def _not_that(self, now: float) -> list[Effect]:
        """No to a read-back, or to the second question of a high risk."""
        if self._stage == "second_yes":
            return self._fill(False, None, "voice", "no to the second question", None)
        self._stage, self._reads = "ask", self._asked
        self._keys = self._keys_for(self._asked)
        return self._again(now, "no_match")

    def _counts_as_yes(self, heard: Utterance) -> bool:
        """A yes counts only if it began after the question's decisive end was heard."""
        end = self._prompt.decisive_end
        return end is not None and heard.began >= end - OVERLAP_S

    def _needs_read_back(self, reading: Match) -> bool:
        if self._manner.read_back == "always":
            return True
        if self._manner.read_back == "never":
            return False
        return isinstance(self._asked, Number | Text) or "doubt" in reading.rule

    @property
    def _is_high(self) -> bool:
        return isinstance(self._asked, Confirm | Approval) and self._asked.risk == "high"

    @property
    def _was_cut(self) -> bool:
        """Whether the prompt was stopped before its decisive end was heard."""
        return not self._prompt.playing and self._prompt.decisive_end is None

    # --- commands ----------------------------------------------------------------------------------------------------

    def _command(self, name: str, now: float) -> list[Effect]:
        match name:
            case "repeat":
                return self._say(self._prompt.sentences)
            case "wait":
                self._no_input_at = now + WAIT_S
                return []
            case "options":
                return self._say(self._phrases.options(self._asked))
            case "operator":
                return [ToOperator(), *self._listen(now)]
            case _:
                return self._end(Filled(decline=True, reason="never mind"))

    def _listen(self, now: float) -> list[Effect]:
        self._no_input_at = now + self._manner.no_input_s
        return []

    # --- asking again ------------------------------------------------------------------------------------------------

    def after_aside(self, now: float) -> list[Effect]:
        """The model has answered the aside: ask again, short."""
        return (
            [] if self.over else self._say(self._phrases.asked_again(self._asked, max(1, self._tries - 1), "no_input"))
        )

    def refused(self, now: float) -> list[Effect]:
        """The answer was not taken (it does not answer the question): ask again."""
        self.over = False
        self._stage, self._reads = "ask", self._asked
        self._keys = self._keys_for(self._asked)
        return self._again(now, "no_match")

    def _go_on_after_noise(self, now: float, why: Literal["no_input", "no_match"] | None = None) -> list[Effect]:
        """Nothing to act on: a question that was cut goes on where it was cut; else listen on, or ask again."""
        if self._was_cut:
            return self._resume()
        if self._prompt.playing:
            return []
        return self._listen(now) if why is None else self._again(now, why)

    def _resume(self) -> list[Effect]:
        rest = self._prompt.sentences[self._prompt.reached :] or self._prompt.sentences
        return self._say(rest)

    def _again(self, now: float, why: Literal["no_input", "no_match"], between: tuple[str, ...] = ()) -> list[Effect]:
        if self._tries >= self._manner.tries:
            return self._end(GaveUp(self._tries))
        self._tries += 1
        if between:
            return self._say(self._phrases.between(between))
        if self._stage == "read_back" and why == "no_input":
            return self._say(self._phrases.read_back(self._asked, self._value))
        return self._say(self._phrases.asked_again(self._asked, self._tries - 1, why))

    def _say(self, sentences: tuple[Sentence, ...]) -> list[Effect]:
        self._prompt = _Prompt(sentences)
        self._no_input_at = None
        self._pending = None
        return [Say(sentences)]

    # --- ending ------------------------------------------------------------------------------------------------------

    def _fill(
        self, value: object, remainder: str | None, via: Literal["voice", "key"], rule: str, heard: Utterance | None
    ) -> list[Effect]:
        evidence: dict[str, object] = {
            "asked": " ".join(sentence.text for sentence in self._prompt.sentences),
            "heard_whole": self._prompt.decisive_end is not None,
            "rule": rule,
        }
        if heard is not None:
            evidence |= {"transcript": heard.text, "began": heard.began, "ended": heard.ended}
            if heard.confidence is not None:
                evidence["confidence"] = heard.confidence
        if remainder is not None:
            evidence["remainder"] = remainder
        return self._end(Filled(value, via, reason=remainder, evidence=evidence))

    def _end(self, effect: Filled | GaveUp) -> list[Effect]:
        self.over = True
        stop: list[Effect] = [Stop()] if self._prompt.playing and self._prompt.sentences else []
        self._prompt.playing = False
        return [*stop, effect]


class KeysFor(Protocol):
    """Makes the keypad's reader of a question."""

    def __call__(self, question: Question) -> Keys:
        """A reader for this question."""
        ...
