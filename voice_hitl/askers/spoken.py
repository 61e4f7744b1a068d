"""`SpokenAsker`: asks the caller aloud, in the call, and takes an answer by voice or by key."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, assert_never

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from voice_hitl.asker import AskerSession, Asking, GaveUp
from voice_hitl.audio.resample import Resampler
from voice_hitl.enums import Via
from voice_hitl.errors import ConnectionEnded
from voice_hitl.line import (
    After,
    CallerBegan,
    CallerEnded,
    CallerSaid,
    HeldLine,
    KeyPressed,
    LineEvent,
    NotUnderstood,
    PartBegan,
    PartCut,
    PartHeard,
)
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Approval
from voice_hitl.requests.pending import PendingInput
from voice_hitl.requests.settlement import SettlementKind
from voice_hitl.speech import dialogue as talk
from voice_hitl.speech.keypad import Keypad
from voice_hitl.speech.prompts import Hint, Prompts
from voice_hitl.speech.reading import Match
from voice_hitl.speech.spoken import SpokenQuestion, spoken_question
from voice_hitl.speech_ports import Speaker
from voice_hitl.tasks import current_time

NAME = "voice"

ReadBack = Literal["auto", "always", "never"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenAsker:
    """Asks the caller aloud while it holds the session's floor: safety rules first.

    Silence is never an answer, a doubtful yes is never a yes, our own voice coming back is nobody's.

    Args:
        speaker: Makes the voice; without one the model's own says it, where it says exactly what it is given.
        language: The language asked in; by default the session's.
        tries: How often a question is asked in all before this asker gives up.
        no_input_s: How long silence may last before it is asked again, in seconds.
        read_back: Whether what was heard is read back: `auto` (numbers, free text, choices heard with doubt), ...
        after: When the floor is taken: once the model's words were heard (`sentence`), or at once (`now`).
        barge_in: Whether the caller's voice stops ours.
        keypad_hint: When the keys are explained: `always`, from the first `reprompt` on, or `never`.
        keys: The keys for yes and for no.
        prompts: Sentences of your own, by key and language.
    """

    speaker: Speaker | None = None
    language: str | None = None
    tries: int = 3
    no_input_s: float = 6.0
    read_back: ReadBack = "auto"
    after: After = "sentence"
    barge_in: bool = True
    keypad_hint: Hint = "reprompt"
    keys: tuple[str, str] = ("1", "2")
    prompts: Mapping[str, Mapping[str, str]] | None = None

    @property
    def name(self) -> str:
        """`voice`."""
        return NAME

    def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
        """A caller whose audio passes through here, who may answer, and whom we have a voice for."""
        if session is None or session.line is None or not session.line.carries_audio:
            return False
        if not (session.line.can_be_held and (self.speaker is not None or session.line.speaks_verbatim)):
            return False
        if request is None or not request.audience:
            return True
        return "caller" in request.audience or session.participant_id in request.audience

    async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
        """Hold the dialogue until it is filled, or until somebody else has answered (it is then cancelled)."""
        if session is None or session.line is None:
            return GaveUp(0, "there is no call to ask in")
        manner = talk.Manner(
            language=self.language or session.language,
            tries=self.tries,
            no_input_s=self.no_input_s,
            read_back=self.read_back,
            barge_in=self.barge_in,
            echo_cancelled=session.line.echo_cancelled,
        )
        phrases = Prompts(manner.language, self.prompts, hint=self.keypad_hint, yes=self.keys[0], no=self.keys[1])
        keys = partial(Keypad, yes=self.keys[0], no=self.keys[1])
        question = spoken_question(asking.question, manner, phrases, keys)
        if question is None:
            return GaveUp(0, "the question cannot be asked aloud")
        async with session.line.taken_by(asking.request.pending_id, after=self.after) as held:
            return await _Conversation(self, asking, session, held, question).run()


class _Conversation:
    """One dialogue on a held line: events in, effects out."""

    def __init__(
        self, asker: SpokenAsker, asking: Asking, session: AskerSession, held: HeldLine, question: SpokenQuestion
    ) -> None:
        self._asker = asker
        self._asking = asking
        self._session = session
        self._held = held
        self._question = question
        self._part = 0
        self._first_part = 0
        self._speaking: anyio.CancelScope | None = None
        self._ended: GaveUp | None = None
        self._over = False

    async def run(self) -> GaveUp | None:
        """Ask, listen, read, until it is over."""
        async with anyio.create_task_group() as group:
            await self._carry_out(self._question.start(current_time()), group)
            while not self._over:
                event = await self._next_event()
                effects = self._question.tick(current_time()) if event is None else self._on(event)
                await self._carry_out(effects, group)
            group.cancel_scope.cancel()
        return self._ended

    async def _next_event(self) -> LineEvent | None:
        """The next event; None when the dialogue's deadline has come."""
        deadline = self._question.deadline()
        if deadline is None:
            return await self._held.events().get()
        with anyio.move_on_after(max(0.0, deadline - current_time())):
            return await self._held.events().get()
        return None

    def _on(self, event: LineEvent) -> list[talk.Effect]:
        question, now = self._question, current_time()
        match event:
            case CallerBegan(at):
                return question.speech_began(at)
            case CallerEnded(at):
                return question.speech_ended(at)
            case CallerSaid(text, began, ended, confidence, item_id):
                return question.utterance(talk.Utterance(text, began, ended, confidence, item_id), now)
            case NotUnderstood():
                return question.unheard(now)
            case KeyPressed(digit):
                return question.key(digit, now)
            case PartBegan(part, at):
                if part == self._first_part:
                    self._asking.put()
                    self._held.tell_asked(self._asking.request.pending_id, NAME)
                question.playing(part - self._first_part, at)
            case PartHeard(part, began, at):
                question.played(part - self._first_part, began, at)
            case PartCut(part, began, at):
                question.cut(part - self._first_part, began, at)
            case _:
                assert_never(event)
        return []

    async def _carry_out(self, effects: list[talk.Effect], group: TaskGroup) -> None:  # noqa: C901 - a flat dispatch
        for effect in effects:
            match effect:
                case talk.Say(sentences):
                    self._say(sentences, group)
                case talk.Stop():
                    self._stop()
                case talk.WasRead():
                    self._tell(effect)
                case talk.Consumed(item_id):
                    await self._held.forget(item_id)
                case talk.PassOn():
                    pass  # it is the model's already, and stays so
                case talk.Aside():
                    await self._aside(group)
                case talk.Filled():
                    await self._hand_over(effect, group)
                case talk.ToOperator():
                    await self._decline("the caller asked for an operator")
                case talk.GaveUp(tries):
                    self._ended, self._over = GaveUp(tries), True
                case _:
                    assert_never(effect)

    async def _aside(self, group: TaskGroup) -> None:
        """The model answers what was no answer; then the question is asked again."""
        self._stop()
        await self._held.aside()
        await self._carry_out(self._question.after_aside(current_time()), group)

    def _tell(self, read: talk.WasRead) -> None:
        reading = {"text": read.text, "reading": read.reading.__class__.__name__, "why": read.why}
        if isinstance(read.reading, Match):
            reading["value"] = str(read.reading.value)
        via = Via.KEY if read.via == "key" else Via.VOICE
        self._held.tell_heard(self._asking.request.pending_id, reading, via)

    # --- speaking ----------------------------------------------------------------------------------------------------

    def _say(self, sentences: tuple[talk.Sentence, ...], group: TaskGroup) -> None:
        self._stop()
        first = self._first_part = self._part + 1
        self._part += len(sentences)
        self._speaking = anyio.CancelScope()
        group.start_soon(self._speak, sentences, first, self._speaking)

    def _stop(self) -> None:
        if self._speaking is not None:
            self._speaking.cancel()
            self._speaking = None
        self._held.stop()

    async def _speak(self, sentences: tuple[talk.Sentence, ...], first: int, scope: anyio.CancelScope) -> None:
        with scope:
            for part, sentence in enumerate(sentences, start=first):
                if self._asker.speaker is None:
                    await self._held.say(sentence.text, part)
                else:
                    await self._synthesise(self._asker.speaker, sentence.text, part)

    async def _synthesise(self, speaker: Speaker, text: str, part: int) -> None:
        language = self._asker.language or self._session.language
        resampler = Resampler(speaker.rate, self._held.rate)
        chunks = await speaker.speak(text, language=language)
        while True:
            try:
                chunk = await chunks.get()
            except ConnectionEnded:
                break
            pcm = await anyio.to_thread.run_sync(partial(resampler.push, chunk.pcm))
            self._held.play(pcm, part)
        self._held.play(resampler.flush(), part)
        self._held.end_part(part)

    # --- the answer --------------------------------------------------------------------------------------------------

    async def _hand_over(self, filled: talk.Filled, group: TaskGroup) -> None:
        by = self._session.participant_id
        via = Via.KEY if filled.via == "key" else Via.VOICE
        evidence = dict(filled.evidence)
        confidence = evidence.get("confidence")
        decides = isinstance(self._asking.question, Approval) and not filled.decline
        answer = Answer(
            None if decides or filled.decline else filled.value,
            by=by,
            via=via,
            evidence=evidence,
            confidence=confidence if isinstance(confidence, float) else None,
            decision=("approve" if filled.value is True else "reject") if decides else None,
            reason=filled.reason,
            decline=filled.decline,
        )
        settlement = await self._asking.answer(answer)
        if settlement.kind is SettlementKind.INVALID:
            await self._carry_out(self._question.refused(current_time()), group)
        else:
            self._over = True

    async def _decline(self, reason: str) -> None:
        await self._asking.answer(Answer(by=self._session.participant_id, via=Via.VOICE, decline=True, reason=reason))
        self._over = True
