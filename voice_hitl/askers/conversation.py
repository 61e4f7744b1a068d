"""One dialogue on a held line: what happens on the line goes into it, what comes out is carried out."""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, assert_never, cast

import anyio
from anyio.abc import TaskGroup

from voice_hitl.asker import AskerSession, Asking, GaveUp
from voice_hitl.askers.ear import Ear
from voice_hitl.askers.parts import PartEvent, Parts
from voice_hitl.askers.voice import Voice
from voice_hitl.askers.wording import ANSWERED_ELSEWHERE, CONFIRMED_ELSEWHERE, code_of
from voice_hitl.enums import RequestEnd, Via
from voice_hitl.line import (
    CallerBegan,
    CallerEnded,
    CallerSaid,
    CallerVoice,
    HeldLine,
    KeyPressed,
    LineEvent,
    NotUnderstood,
    PartBegan,
    PartCut,
    PartHeard,
    PartWorded,
)
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Approval, Confirm, Question
from voice_hitl.requests.pending import MASKED
from voice_hitl.requests.settlement import SettlementKind
from voice_hitl.speech.effects import (
    AnsweredSoFar,
    Aside,
    ByVoiceOrKey,
    Consumed,
    Effect,
    Filled,
    PassOn,
    Say,
    Sentence,
    Stop,
    ToOperator,
    Unclear,
    Utterance,
    WasRead,
)
from voice_hitl.speech.effects import GaveUp as InVain
from voice_hitl.speech.reading import Match, NoMatch, Reading
from voice_hitl.speech.spoken import SpokenQuestion
from voice_hitl.speech_ports import Listener, Speaker
from voice_hitl.tasks import Mailbox

log = logging.getLogger(__name__)

_VIA: Final[Mapping[ByVoiceOrKey, Via]] = {"voice": Via.VOICE, "key": Via.KEY}

NO_OPERATOR = "the caller asked for an operator, and there is none"

UNDERSTANDING_S = 4.0
"""How long an application may take to say what an utterance means."""

Understand = Callable[[Question, str], Awaitable[Reading]]
"""Says what an utterance means as the answer to a question, where the rules leave it open; `NoMatch` for nothing.

Of a confirmation or an approval a yes is not taken from it: that is only what the caller says.
"""


@dataclass(frozen=True, slots=True)
class _Understood:
    """What an utterance means that the rules left open."""

    heard: Utterance
    reading: Reading


class Conversation:
    """Holds one dialogue with the caller, from the first word to the answer.

    Args:
        asking: The request.
        session: The call.
        held: Its line, held.
        question: The dialogue.
        speaker: Makes the voice; without one the model's own says it.
        listener: Hears the caller where the model does not.
        understand: Says what the rules leave open.
        language: The language spoken.
        addressed: Whom the question is for, as it is said before it; empty: nobody by name.
        checks_words: Whether the voice may say something else than it is given, so that its words are looked at.
    """

    def __init__(
        self,
        asking: Asking,
        session: AskerSession,
        held: HeldLine,
        question: SpokenQuestion,
        *,
        speaker: Speaker | None,
        listener: Listener | None,
        understand: Understand | None,
        language: str,
        addressed: str = "",
        checks_words: bool = False,
    ) -> None:
        self._asking = asking
        self._session = session
        self._held = held
        self._question = question
        self._confirmed = CONFIRMED_ELSEWHERE[code_of(language)]
        self._answered = ANSWERED_ELSEWHERE[code_of(language)]
        self._voice = Voice(held, speaker, language, parting=(self._confirmed, self._answered))
        self._understand = understand
        self._happened: Mailbox[LineEvent | _Understood] = Mailbox()
        self._ear = Ear(listener, language=language, rate=held.rate, tell=self._happened.put)
        self._addressed = addressed
        self._speaking: set[str] = set()
        self._answering: list[str] = []
        """Whose words or keys were taken, the last one last."""
        self._parts = Parts(question, language, checked=checks_words)
        self._ours = False
        """Whether the answer that is being taken is ours."""
        self._gave_up: GaveUp | None = None
        self._over = False

    async def run(self) -> GaveUp | None:
        """Ask, listen, read, until it is over."""
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._attend)
                group.start_soon(self._ear.run)
                await self._carry_out(self._question.start(), group)
                while not self._over:
                    await self._carry_out(await self._next(), group)
                group.cancel_scope.cancel()
        finally:
            self._part()
        return self._gave_up

    async def _attend(self) -> None:
        """What happens on the line, and what the ear made out, come in one order."""
        while True:
            self._happened.put(await self._held.events().get())

    async def _next(self) -> list[Effect]:
        """What follows from the next event, or from the dialogue's deadline."""
        deadline = self._question.deadline()
        if deadline is None:
            return self._on(await self._happened.get())
        event: LineEvent | _Understood | None = None
        with anyio.move_on_after(max(0.0, deadline - self._held.now)):
            event = await self._happened.get()
        # Not before the deadline, whatever the sum of floats is: it would be waited for again, and again.
        return self._question.tick(max(deadline, self._held.now)) if event is None else self._on(event)

    def _on(self, event: "LineEvent | _Understood") -> list[Effect]:
        question, now = self._question, self._held.now
        match event:
            case CallerBegan(at, by):
                return self._speaks(by, at)
            case CallerEnded(at, by):
                return self._ceases(by, at)
            case CallerSaid(text, began, ended, confidence, item_id, more_due, by, is_ours):
                self._takes_part(by)
                return question.utterance(Utterance(text, began, ended, confidence, item_id, more_due, is_ours), now)
            case _Understood(heard, reading):
                return question.understood(heard, reading, now)
            case CallerVoice():
                self._ear.hear(event)
            case NotUnderstood():
                return question.unheard(now)
            case KeyPressed(digit, _, by):
                self._takes_part(by)
                return question.key(digit, now)
            case PartBegan() | PartHeard() | PartWorded() | PartCut():
                return self._on_part(event)
            case _:
                assert_never(event)
        return []

    def _speaks(self, by: str, at: float) -> list[Effect]:
        """Somebody speaks. Those who are asked are one person to the dialogue, whoever of them speaks over whom."""
        alone = not self._speaking
        self._speaking.add(by)
        return self._question.speech_began(at) if alone else []

    def _ceases(self, by: str, at: float) -> list[Effect]:
        self._speaking.discard(by)
        return [] if self._speaking else self._question.speech_ended(at)

    def _takes_part(self, by: str) -> None:
        if by in self._answering:
            self._answering.remove(by)
        self._answering.append(by)

    @property
    def _by(self) -> str:
        """Who answers: the last to say or press something, or whoever is alone on the line."""
        return (self._answering[-1] if self._answering else "") or self._session.participant_id

    async def _carry_out(self, effects: list[Effect], group: TaskGroup) -> None:  # noqa: C901, PLR0912 - a flat dispatch
        for effect in effects:
            match effect:
                case Say(sentences):
                    self._say(sentences, group)
                case Stop():
                    self._voice.stop()
                case WasRead():
                    self._tell(effect)
                case Consumed(item_id):
                    await self._held.forget(item_id)
                case PassOn():
                    pass  # it is the model's already, and stays so
                case Aside():
                    group.start_soon(self._aside, group)
                case Unclear(asked, heard):
                    group.start_soon(self._ask_what_is_meant, asked, heard)
                case AnsweredSoFar(answers):
                    self._asking.progress(answers)
                case Filled():
                    await self._hand_over(effect, group)
                case ToOperator():
                    await self._hand_on(effect)
                case InVain(tries):
                    self._gave_up, self._over = GaveUp(tries), True
                case _:
                    assert_never(effect)

    def _say(self, sentences: tuple[Sentence, ...], group: TaskGroup) -> None:
        if self._addressed and sentences:
            sentences = (replace(sentences[0], text=f"{self._addressed}: {sentences[0].text}"), *sentences[1:])
        self._parts.say(sentences, self._voice.say(sentences, group))

    def _on_part(self, event: PartEvent) -> list[Effect]:
        if isinstance(event, PartHeard) and event.part == self._parts.first:
            self._addressed = ""  # not before it was heard: what is cut, or comes out in other words, is said again
        if isinstance(event, PartBegan) and event.part == self._parts.first:
            self._asking.put()
            self._held.tell_asked(self._asking.request.pending_id, "voice")
        return self._parts.on(event)

    async def _ask_what_is_meant(self, question: Question, heard: Utterance) -> None:
        reading: Reading = NoMatch(rule="nobody can say what is meant")
        try:
            if self._understand is not None:
                with anyio.move_on_after(UNDERSTANDING_S):
                    reading = await self._understand(question, heard.text)
        except Exception as error:  # noqa: BLE001 - the border to users' code: what it cannot say is a no-match
            log.warning("an utterance could not be understood (%s)", type(error).__name__)
        self._happened.put(_Understood(heard, reading))

    async def _aside(self, group: TaskGroup) -> None:
        """The model answers what was no answer, while keys still count; then the question is asked again."""
        self._voice.stop()
        await self._held.aside()
        await self._carry_out(self._question.after_aside(), group)

    def _tell(self, read: WasRead) -> None:
        reading = {"text": read.text, "reading": type(read.reading).__name__, "why": read.why}
        if isinstance(read.reading, Match):
            reading["value"] = str(read.reading.value)
        if self._asking.question.sensitive:
            # Why it was read so may quote it.
            reading |= dict.fromkeys(reading.keys() - {"reading"}, MASKED)
        self._held.tell_heard(self._asking.request.pending_id, reading, _VIA[read.via])

    # --- the answer --------------------------------------------------------------------------------------------------

    async def _hand_over(self, filled: Filled, group: TaskGroup) -> None:
        decides = isinstance(self._asking.question, Approval) and not filled.decline
        confidence = filled.evidence.get("confidence")
        answer = Answer(
            None if decides or filled.decline else filled.value,
            by=self._by,
            via=_VIA[filled.via],
            evidence=self._evidence(filled),
            confidence=confidence if isinstance(confidence, float) else None,
            decision=("approve" if filled.value is True else "reject") if decides else None,
            reason=filled.reason,
            decline=filled.decline,
        )
        if await self._give(answer) is SettlementKind.INVALID:
            await self._carry_out(self._question.refused(), group)
        else:
            self._over = True

    def _evidence(self, filled: Filled) -> Mapping[str, object]:
        """What the answer rests on; where several had a part in it, who they were."""
        return filled.evidence if len(self._answering) < 2 else {**filled.evidence, "speakers": tuple(self._answering)}

    async def _hand_on(self, wanted: ToOperator) -> None:
        """The caller wants somebody else: whoever else is asked has it now; with nobody it is declined."""
        if self._asking.hand_on():
            self._gave_up = GaveUp(wanted.tries, "the caller asked for an operator")
        else:
            await self._give(Answer(by=self._by, via=_VIA[wanted.via], decline=True, reason=NO_OPERATOR))
        self._over = True

    async def _give(self, answer: Answer) -> SettlementKind:
        self._ours = True
        settlement = await self._asking.answer(answer)
        self._ours = settlement.kind is SettlementKind.ACCEPTED
        return settlement.kind

    # --- parting -----------------------------------------------------------------------------------------------------

    def _part(self) -> None:
        """Somebody else was quicker: the caller hears that the question is over."""
        request = self._asking.request
        if self._ours or request.end is not RequestEnd.ANSWERED:
            return
        confirmed = isinstance(self._asking.question, Approval) or (
            isinstance(self._asking.question, Confirm) and _is_yes(request.result or "")
        )
        self._voice.part_with(self._confirmed if confirmed else self._answered)


def _is_yes(result: str) -> bool:
    try:
        said: object = json.loads(result)
    except ValueError:
        return False
    return isinstance(said, dict) and cast("dict[str, object]", said).get("confirmed") is True
