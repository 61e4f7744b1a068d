"""One question, one person, asked aloud: prompt, no-input, no-match, reprompt, read-back, filled, gave up.

VoiceXML's form is the field's word for it. Pure: what happens and when goes in (seconds of the leg's clock), effects
come out, and `deadline()` says when to come back. Silence is never an answer; a doubtful yes is never a yes.
"""

from dataclasses import replace
from typing import assert_never

from voice_hitl.questions.model import Form, Question
from voice_hitl.speech.echo import Echo
from voice_hitl.speech.effects import (
    Aside,
    ByVoiceOrKey,
    Consumed,
    Effect,
    Filled,
    GaveUp,
    PassOn,
    Say,
    Sentence,
    Stop,
    ToOperator,
    Unclear,
    Utterance,
    WasRead,
)
from voice_hitl.speech.interpret import interpret
from voice_hitl.speech.listening import Listening, YesHeard
from voice_hitl.speech.manner import KeysFor, Manner, Phrases, Why
from voice_hitl.speech.played_prompt import PlayedPrompt
from voice_hitl.speech.reading import Command, CommandName, Match, NoMatch, Reading
from voice_hitl.speech.stage import Stage

SETTLE_S = 0.7
SETTLE_HIGH_S = 1.0
"""How long after its end a yes waits for more: "yes" and "but make it eight" come as two utterances."""

WAIT_S = 60.0
"""How long "hold on" pauses the no-input timer. The request's deadline goes on."""

LOW_CONFIDENCE = 0.55
"""Below this recognition confidence (0 to 1) a yes is a no-match, and anything else is read back.

In noise at 10 dB Whisper `tiny.en` makes a yes of "yes, but make it eight" and "sure, but what does it cost" at 0.45 to
0.51; most real yeses have more, and the others are asked again."""

LOW_CONFIDENCE_OF_MORE = 0.75
"""The same for a yes with more behind it, which may be what takes it back: "yes, but make it eight" was once heard as
"Yeah, what make you think?", at 0.65."""

RESUMES = 2
"""How often a question goes on where it was cut before that counts as a try: in a din it would go on for ever."""

LONGEST_YES = 40
"""So many words at most are a yes: a monologue that ends in one is not."""

KEYPAD_FIRST = 2
"""The attempt whose reprompt names the keys first."""


class Dialogue:
    """Holds the dialogue of one question (for a form see `FormDialogue`). Once `over`, nothing comes out any more.

    Args:
        question: What is asked.
        phrases: The words it is asked in.
        keys_for: Makes the keypad's reader of a question.
        manner: How it is held.
        echo: Knows what was played before this question.
        form: The form that the question stands in: it may be answered as a whole.
    """

    def __init__(
        self,
        question: Question,
        phrases: Phrases,
        keys_for: KeysFor,
        manner: Manner | None = None,
        *,
        echo: Echo | None = None,
        form: Form | None = None,
    ) -> None:
        self._asked = question
        self._phrases = phrases
        self._keys_for = keys_for
        self._manner = manner or Manner()
        self._echo = echo if echo is not None else Echo()
        self._form = form
        self._stage = Stage.asking(question, (), keys_for)
        self._prompt = PlayedPrompt(())
        self._caller = Listening()
        self._tries = 0
        self._failed_in_a_row = 0
        self._resumed = 0
        self._unclear: tuple[Utterance, Reading] | None = None
        """What somebody was asked the meaning of, and what it is where they do not know."""
        self.over = False

    # --- the clock ---------------------------------------------------------------------------------------------------

    def deadline(self) -> float | None:
        """When to come back with `tick`, in seconds of the leg's clock; None: only when something happens."""
        times = (None, None) if self.over else (self._stage.keys.deadline(), self._caller.deadline())
        return min((at for at in times if at is not None), default=None)

    def tick(self, now: float) -> list[Effect]:
        """Time has passed."""
        if self.over:
            return []
        keyed = self._stage.keys.tick(now)
        if keyed is not None:
            return self._keyed("", keyed, now)
        match self._caller.due(now):
            case YesHeard() as yes:
                return self._settle_yes(yes)
            case "transcript":
                return self.unheard(now)
            case "silence":
                return self._again("no_input")
            case _:
                return []

    # --- our own voice -----------------------------------------------------------------------------------------------

    def start(self) -> list[Effect]:
        """Ask; `GaveUp` with no try where the question cannot be asked aloud."""
        words = self._phrases.asked(self._asked)
        if words is None:
            return self._end(GaveUp(0))
        self._stage.words = words
        self._tries = 1
        return self._say(words)

    def playing(self, index: int, at: float) -> None:
        """The first sound of a sentence of the last `Say` was heard."""
        if index < len(self._prompt.sentences):
            self._prompt.starts(index, at)
            self._echo.playing(self._prompt.sentences[index].text, at)
            self._stage.note(self._prompt)

    def played(self, index: int, began: float, at: float) -> None:
        """A sentence of the last `Say` was heard whole, from `began` to `at`."""
        if index >= len(self._prompt.sentences):
            return
        self._echo.played(self._prompt.sentences[index].text, began, at)
        self._prompt.heard(index, began, at)
        self._stage.note(self._prompt)
        if self._prompt.ended is not None and self._caller.silent_until is None:
            self._caller.silent_until = at + self._manner.no_input_s

    def cut(self, index: int, began: float, at: float, left: float | None = None) -> None:
        """The voice was stopped in this sentence, of which `left` seconds were not heard (None: nobody knows)."""
        if index < len(self._prompt.sentences):
            self._echo.cut(self._prompt.sentences[index].text, began, at)
            self._prompt.cut(index, began, at, left)
            self._stage.note(self._prompt)

    def misspoken(self) -> list[Effect]:
        """What was said was not what should have been: nothing was asked by it, and it is said again."""
        if self.over or self._caller.beside:
            return []
        self._stage.first_word_at = self._stage.decisive_end = None
        return self._say(self._prompt.sentences, decides=self._prompt.decides)

    # --- the caller's voice ------------------------------------------------------------------------------------------

    def speech_began(self, at: float) -> list[Effect]:
        """The caller begins to speak: the voice stops at once, whatever it turns out to be."""
        if self.over or self._caller.beside:
            return []
        settled = self._caller.settled_by(at)
        if settled is not None:
            return self._settle_yes(settled)
        self._caller.begins()
        if self._prompt.playing and self._manner.barge_in and self._manner.echo_cancelled:
            return self._stop()
        return []

    def speech_ended(self, at: float) -> list[Effect]:
        """The caller stops: a transcript is due."""
        if self._caller.speaks and not self.over:
            self._caller.ceases(at)
        return []

    def unheard(self, now: float) -> list[Effect]:
        """What was said could not be made out: a no-match, never silence."""
        self._unclear = self._caller.transcript_by = None
        if self.over or self._caller.beside:
            return []
        self._failed_in_a_row += 1
        self._caller.yes = None
        return self._not_an_answer(now)

    def utterance(self, heard: Utterance, now: float) -> list[Effect]:
        """The final transcript of an utterance."""
        if self.over:
            return []
        if self._caller.beside:
            return [PassOn(heard)]
        if not heard.text.strip():
            return self.unheard(now)
        self._unclear = self._caller.transcript_by = None
        if heard.more_due:
            self._caller.await_transcript(now)
        own = self._echo.sift(heard.text, heard.began, heard.ended)
        if heard.is_ours or (own.echoed and not own.text):
            return self._dropped(heard, "our own voice", now)
        heard = replace(heard, text=own.text, began=own.began)
        if not self._manner.echo_cancelled and self._prompt.may_echo(heard.began):
            return self._dropped(heard, "said while we spoke, where our own voice may come back", now)
        if not self._stage.begun_by(heard.began):
            return self._before_the_question(heard, now)
        return self._answered(self._joined(heard), now)

    def key(self, digit: str, now: float) -> list[Effect]:
        """A key was pressed. Like a no it counts from the question's first word."""
        if self.over:
            return []
        if self._stage.first_word_at is None:
            early = NoMatch(rule="keyed before the question began")
            return [WasRead(digit, early, early.rule, via="key")]
        stop = self._stop() if self._prompt.playing and self._prompt.began is not None else []
        reading = self._stage.keys.press(digit, now)
        if reading is None:
            return [*stop, *self._listen(now)]
        return [*stop, *self._keyed(digit, reading, now)]

    # --- reading -----------------------------------------------------------------------------------------------------

    def _dropped(self, heard: Utterance, why: str, now: float) -> list[Effect]:
        reading = NoMatch(rule=why)
        return [WasRead(heard.text, reading, why), Consumed(heard.item_id), *self._go_on(now)]

    def _before_the_question(self, heard: Utterance, now: float) -> list[Effect]:
        reading = NoMatch(rule="said before the question began")
        goes = PassOn(heard) if self._stage.kind == "ask" else Consumed(heard.item_id)
        return [WasRead(heard.text, reading, reading.rule), goes, *self._go_on(now)]

    def _joined(self, heard: Utterance) -> Utterance:
        """With the yes before it, where that has not settled: "yes" and "but make it eight" are one."""
        yes = self._caller.take_yes()
        if yes is None:
            return heard
        before = yes.utterance
        confidences = [each for each in (before.confidence, heard.confidence) if each is not None]
        text, sure = f"{before.text} {heard.text}", min(confidences, default=None)
        return replace(heard, text=text, began=before.began, confidence=sure)

    def _answered(self, heard: Utterance, now: float) -> list[Effect]:
        self._failed_in_a_row = 0
        language = self._manner.language
        if self._form is not None:
            whole = interpret(self._form, heard.text, language=language)
            if isinstance(whole, Match):
                read = WasRead(heard.text, whole, whole.rule)
                filled = self._filled(heard.text.strip(), None, "voice", whole.rule, heard)
                return [read, Consumed(heard.item_id), *self._end(replace(filled, whole=True))]
        reading = interpret(self._stage.reads, heard.text, language=language)
        read = WasRead(heard.text, reading, reading.rule)
        is_open = isinstance(reading, NoMatch) and not reading.between
        if self._manner.asks_what_is_meant and is_open and self._stage.correction(heard.text, language) is None:
            self._unclear = heard, reading
            self._caller.await_transcript(now)
            return [read, Unclear(self._stage.reads, heard)]
        return [read, *self._read(reading, heard, now)]

    def understood(self, heard: Utterance, reading: Reading, now: float) -> list[Effect]:
        """Somebody says what an unclear utterance means. A yes to a confirmation or approval is not taken from them."""
        if self.over or self._caller.speaks or self._unclear is None or heard is not self._unclear[0]:
            return []
        by_rule = self._unclear[1]
        self._unclear = None
        if not heard.more_due:
            self._caller.transcript_by = None
        match reading:
            case Match(value) if self._stage.wants_yes_or_no and value is not False:
                reading = NoMatch(rule="a yes is only what the caller says")
            case Match():
                reading = replace(reading, rule="understood, with doubt")
            case Command():
                reading = replace(reading, rule="understood")
            case _:
                reading = by_rule
        return [WasRead(heard.text, reading, reading.rule), *self._read(reading, heard, now)]

    def _read(self, reading: Reading, heard: Utterance, now: float) -> list[Effect]:
        consumed = Consumed(heard.item_id)
        corrected = self._stage.correction(heard.text, self._manner.language)
        match reading:
            case Command(name):
                return [consumed, *self._command(name, "voice", now)]
            case NoMatch() if corrected is not None:
                return [consumed, *self._read_back(corrected.value, heard)]
            case NoMatch(rule=rule) if rule.startswith("aside") and not self._manner.confidential:
                return [*(self._stop() if self._prompt.playing else []), *self._step_aside(heard)]
            case NoMatch(between):
                if between:
                    return [consumed, *self._again("no_match", () if self._manner.confidential else between)]
                return [consumed, *self._not_an_answer(now)]
            case Match(False) if self._stage.wants_yes_or_no:
                return [consumed, *self._refused(reading, corrected, heard)]
            case Match() if self._stage.wants_yes_or_no:
                return [consumed, *self._yes(reading, heard, now)]
            case Match(value):
                return [consumed, *self._valued(reading, value, heard)]
            case _:
                assert_never(reading)

    def _refused(self, reading: Match, corrected: Match | None, heard: Utterance) -> list[Effect]:
        if corrected is not None:
            return self._read_back(corrected.value, heard)
        if self._stage.kind == "read_back":
            return self._not_that()
        return self._end(self._filled(False, reading.remainder, "voice", reading.rule, heard))

    def _yes(self, reading: Match, heard: Utterance, now: float) -> list[Effect]:
        too_long = len(heard.text.split()) > LONGEST_YES
        by_key = self._manner.unsure_voice and self._stage.is_high
        if too_long or by_key or not self._stage.takes_yes(heard.began, self._prompt):
            return self._not_an_answer(now)
        least = LOW_CONFIDENCE if reading.remainder is None else LOW_CONFIDENCE_OF_MORE
        if heard.confidence is not None and heard.confidence < least:
            return self._again("no_match")
        window = SETTLE_HIGH_S if self._stage.is_high else SETTLE_S
        self._caller.yes = YesHeard(heard, reading, heard.ended + window)
        return []

    def _settle_yes(self, yes: YesHeard) -> list[Effect]:
        """A yes has waited for more, and nothing came."""
        self._caller.yes = None
        rule, heard = yes.reading.rule, yes.utterance
        if self._stage.kind == "read_back":
            return self._end(self._filled(self._stage.value, None, "voice", rule, self._stage.heard or heard))
        if self._stage.is_high and self._stage.kind == "ask":
            words = self._phrases.second_yes(self._asked)
            self._stage = Stage.second_yes(self._stage, words, self._keys_for)
            return self._say(words)
        return self._end(self._filled(True, yes.reading.remainder, "voice", rule, heard))

    def _valued(self, reading: Match, value: object, heard: Utterance) -> list[Effect]:
        doubted = "doubt" in reading.rule or (heard.confidence is not None and heard.confidence < LOW_CONFIDENCE)
        how = self._manner.read_back
        if self._manner.confidential:
            # A read-back would say it aloud: what is in doubt is asked again instead.
            filled = self._filled(value, None, "voice", reading.rule, heard)
            return self._again("no_match") if doubted else self._end(filled)
        if how == "always" or (how == "auto" and (doubted or self._stage.always_unsure)):
            return self._read_back(value, heard)
        return self._end(self._filled(value, reading.remainder, "voice", reading.rule, heard))

    def _read_back(self, value: object, heard: Utterance) -> list[Effect]:
        self._stage = Stage.reading_back(self._asked, value, heard, self._phrases, self._keys_for)
        return self._say(self._stage.words)

    def _not_that(self) -> list[Effect]:
        """No to a read-back: the question is asked again."""
        self._ask_anew()
        return self._again("no_match")

    def _ask_anew(self) -> None:
        self._stage = Stage.asking(self._asked, self._phrases.asked(self._asked) or (), self._keys_for)

    def _keyed(self, digit: str, reading: Reading, now: float) -> list[Effect]:
        read = WasRead(digit, reading, reading.rule, via="key")
        if self._caller.beside and not self._settles(reading):
            return [read]  # the model speaks; the question comes again
        match reading:
            case Match(False) if self._stage.kind == "read_back":
                return [read, *self._not_that()]
            case Match() if self._stage.kind == "read_back":
                return [read, *self._end(self._filled(self._stage.value, None, "key", reading.rule, self._stage.heard))]
            case Match(value):
                return [read, *self._end(self._filled(value, None, "key", reading.rule, None))]
            case Command(name):
                return [read, *self._command(name, "key", now)]
            case NoMatch() if self._prompt.began is None:
                return [read]  # a storm of keys: how it is answered is about to be said, and nobody has heard it yet
            case NoMatch():
                return [read, *self._again("no_match")]
            case _:
                assert_never(reading)

    def _settles(self, reading: Reading) -> bool:
        if isinstance(reading, Match):
            return self._stage.kind != "read_back" or bool(reading.value)
        return isinstance(reading, Command) and reading.name == "operator"

    # --- commands and asides -----------------------------------------------------------------------------------------

    def _command(self, name: CommandName, via: ByVoiceOrKey, now: float) -> list[Effect]:
        match name:
            case "repeat":
                return self._say(self._stage.words)
            case "wait":
                self._caller.silent_until = now + WAIT_S
                return []
            case "options":
                options = self._phrases.options(self._stage.reads)
                if self._stage.decisive_end is None:
                    return self._say((*options, *self._stage.words))
                return self._say(options, decides=False)
            case "operator":
                return self._end(ToOperator(self._tries, via))
            case "never_mind":
                return self._end(Filled(decline=True, reason="never mind"))
            case _:
                assert_never(name)

    def _step_aside(self, heard: Utterance) -> list[Effect]:
        self._caller.step_aside()
        return [Aside(heard)]

    def after_aside(self) -> list[Effect]:
        """The model has answered the aside: ask again, short. What was said meanwhile was said to the model."""
        if self.over or not self._caller.beside:
            return []
        self._caller.come_back()
        if self._stage.kind == "read_back":
            return self._say(self._stage.words)
        if self._stage.kind == "second_yes":
            self._ask_anew()  # the first yes was said before they knew what they asked about
        # The second wording has no word on what went wrong: after an aside nothing did.
        return self._say(self._phrases.asked_again(self._asked, max(2, self._tries - 1), "no_input"))

    # --- asking again ------------------------------------------------------------------------------------------------

    def refused(self) -> list[Effect]:
        """The answer was not taken (it does not answer the question): ask again."""
        self.over = False
        self._ask_anew()
        return self._again("no_match")

    def _not_an_answer(self, now: float) -> list[Effect]:
        """A no-match; but a question that was cut goes on where it was cut, and a back-channel changes nothing."""
        if self._prompt.playing:
            return []
        if self._prompt.was_cut and self._resumed < RESUMES:
            return self._go_on(now)
        return self._again("no_match")

    def _go_on(self, now: float) -> list[Effect]:
        """Nothing was said to us: a question that was cut goes on, else listen on."""
        if self._prompt.was_cut:
            self._resumed += 1
            return self._say(self._prompt.rest, decides=self._prompt.decides)
        return [] if self._prompt.playing else self._listen(now)

    def _listen(self, now: float) -> list[Effect]:
        self._caller.silent_until = now + self._manner.no_input_s
        return []

    def _again(self, why: Why, between: tuple[str, ...] = ()) -> list[Effect]:
        if self._tries >= self._manner.tries:
            return self._end(GaveUp(self._tries))
        self._tries += 1
        self._resumed = 0
        if between:
            return self._say(self._phrases.between(between))
        if self._stage.kind == "read_back":
            return self._say(self._stage.words)
        noisy = self._failed_in_a_row >= KEYPAD_FIRST
        attempt = max(self._tries - 1, KEYPAD_FIRST) if noisy else self._tries - 1
        return self._say(self._phrases.asked_again(self._asked, attempt, why))

    def _say(self, sentences: tuple[Sentence, ...], *, decides: bool = True) -> list[Effect]:
        self._prompt = PlayedPrompt(sentences, decides)
        self._caller.silent_until = self._caller.yes = None
        return [Say(sentences)]

    def _stop(self) -> list[Effect]:
        self._prompt.stopped = True
        return [Stop()]

    # --- ending ------------------------------------------------------------------------------------------------------

    def _filled(
        self, value: object, remainder: str | None, via: ByVoiceOrKey, rule: str, heard: Utterance | None
    ) -> Filled:
        remainder = None if self._manner.confidential else remainder
        evidence = self._stage.evidence(self._prompt, rule, heard)
        if remainder is not None:
            evidence["remainder"] = remainder
        return Filled(value, via, reason=remainder, evidence=evidence)

    def _end(self, effect: Filled | GaveUp | ToOperator) -> list[Effect]:
        self.over = True
        return [*(self._stop() if self._prompt.playing else []), effect]
