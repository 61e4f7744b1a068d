"""One text turn: rounds of an answer and its calls, until the model has nothing more to call."""

import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import anyio
import anyio.lowlevel

from voice_hitl.channels.conversation import Conversation
from voice_hitl.channels.external_calls import ExternalCalls
from voice_hitl.channels.letting_go import let_go
from voice_hitl.channels.said_and_issued import Issued, Made
from voice_hitl.channels.session_requests import SessionRequests
from voice_hitl.channels.text_events import TextDelta, TextEnded, TextEvent, TurnEnd
from voice_hitl.channels.turn_calls import TurnCalls
from voice_hitl.channels.turn_progress import RoundEnd, TurnProgress
from voice_hitl.channels.written_answer import WrittenAnswer
from voice_hitl.chat import ChatCall, ChatEnded, ChatModel, ChatReply, ChatRequest, ChatText
from voice_hitl.doors.gate import Catalogue, Gate
from voice_hitl.doors.spoken_call import closed
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.tasks import Job, Latch, Mailbox, Tasks, current_job, end_jobs

log = logging.getLogger(__name__)

_ENDS: Final[Mapping[RoundEnd, TurnEnd]] = {
    "stop": "stop",
    "calls": "stop",
    "steered": "stop",
    "length": "length",
    "filtered": "filtered",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSetup:
    """What a turn is made of; its channel puts it together."""

    room_id: str
    session_id: str
    text: str
    model: ChatModel
    system_prompt: str
    max_tool_rounds: int
    conversation: Conversation
    gate: Gate
    pipeline: Callable[[TurnProgress], TurnCalls]
    written_calls: Callable[[TurnProgress], TurnCalls]
    tool_recovery: bool
    external: Callable[[TurnProgress], ExternalCalls]
    is_persons: Callable[[str], bool]
    failed: Callable[[str], None]
    requests: SessionRequests


class TextTurn:
    """One turn. Its channel runs it as a task of its own, so that a reader who goes away ends nothing."""

    def __init__(self, setup: TurnSetup) -> None:
        self._setup = setup
        self._tasks = Tasks(f"turn {setup.session_id}")
        self._progress = TurnProgress(self._tasks)
        self.ended = Latch()
        self._steers: list[str] = []
        self._answering: anyio.CancelScope | None = None
        self._inside: set[Job] = set()
        self._is_ending = False
        self._scope = anyio.CancelScope()
        self._rounds_begun = 0
        self._pipeline = setup.pipeline(self._progress)
        self._written_calls = setup.written_calls(self._progress)
        self._external = setup.external(self._progress)

    @property
    def events(self) -> Mailbox[TextEvent]:
        """What comes of it, for whoever reads it."""
        return self._progress.events

    @property
    def room_id(self) -> str:
        """Its room."""
        return self._setup.room_id

    @property
    def session_id(self) -> str:
        """The id that its requests are known by."""
        return self._setup.session_id

    def steer(self, text: str) -> bool:
        """New input: it ends what the model is saying and is put to it in the next round. No call is cut.

        False: there is no next round, because it is ending.
        """
        if self._is_ending:
            return False
        self._steers.append(text)
        if self._answering is not None:
            self._answering.cancel()
        return True

    def begin_ending(self) -> None:
        """End every call of it in this tick, but the one from inside which this is called."""
        job = current_job()
        if job is not None:
            self._inside.add(job)
        if not self._is_ending:
            self._is_ending = True
            # First: what is kept may still be answered, and a call that is cut releases its own.
            self._setup.requests.withdraw()
            for calls in (self._pipeline, self._written_calls):
                calls.end(but=calls.current_call())

    def cancel(self) -> None:
        """End it: its calls in this tick, the rest in its own task."""
        self.begin_ending()
        self._scope.cancel()

    async def run(self, before: "TextTurn | None") -> None:
        """Run it, behind the turn before it in its room."""
        ended = await self._outcome(before)
        self.begin_ending()
        await self._external.end(but=self._inside)
        await self._setup.requests.close()
        await end_jobs([job for job in self._jobs if job not in self._inside], patience_s=0.0)
        await self._tasks.close(but=self._inside)
        self._keep_round()
        self.events.put(ended)
        self.events.close()
        self.ended.set()

    async def _outcome(self, before: "TextTurn | None") -> TextEnded:
        try:
            with self._scope:
                if before is not None:
                    await before.ended.wait()
                return TextEnded(await self._rounds())
        except Exception as error:
            if not isinstance(error, ProviderError):
                log.exception("the turn %s failed", self.session_id)
            words = str(error) if isinstance(error, ProviderError) else f"{type(error).__name__}: {error}"
            self._setup.failed(words)
            return TextEnded("failed", words)
        return TextEnded("cancelled")

    # --- rounds ------------------------------------------------------------------------------------------------------

    async def _rounds(self) -> TurnEnd:
        setup = self._setup
        setup.conversation.user_said(setup.text)
        left = setup.max_tool_rounds
        while True:
            if not left:
                # It has called for long enough: it is asked to answer in words, and what it calls is refused.
                self._pipeline.gate = Gate(Catalogue(()), undeclared_pass=False)
            await self._answer()
            await self._calls_end()
            end, called = self._progress.round.end, self._progress.round.has_called
            self._keep_round()
            if self._steers:
                for text in self._steers:
                    setup.conversation.user_said(text)
                self._steers.clear()
            elif not called:
                return _ENDS[end]
            elif not left:
                return "rounds"
            left = max(0, left - 1)

    def _keep_round(self) -> None:
        """What the round came to is in the conversation from here."""
        past = self._progress.next_round()
        if past.answer.words or past.calls:
            self._setup.conversation.answered(past.answer.words, past.calls, past.results)
        for text in past.told:
            self._setup.conversation.told(text)

    async def _answer(self) -> None:
        """One answer of the model: its words go out, its calls run from where they come."""
        setup, catalogue = self._setup, self._pipeline.gate.catalogue
        self._rounds_begun += 1
        self._progress.round.answer = WrittenAnswer(catalogue.parameters if setup.tool_recovery else {})
        request = ChatRequest(
            items=setup.conversation.items,
            instructions=setup.system_prompt,
            tools=catalogue.definitions,
        )
        reply: ChatReply | None = None
        try:
            with anyio.CancelScope() as self._answering:
                reply = await setup.model.reply(request)
                self._progress.round.end = await self._read(reply)
            if self._answering.cancelled_caught:
                self._progress.round.end = "steered"
            self._written()
        finally:
            self._answering = None
            if reply is not None:
                await let_go("an answer of the model", reply.aclose)

    async def _read(self, reply: ChatReply) -> RoundEnd:
        while True:
            try:
                event = await reply.get()
            except ConnectionEnded:
                return "stop"
            match event:
                case ChatText(text):
                    self._show(self._progress.round.answer.write(text))
                case ChatCall():
                    self._called(event)
                case ChatEnded(reason):
                    return reason

    def _show(self, words: str) -> None:
        if words:
            self.events.put(TextDelta(words))

    def _called(self, call: ChatCall) -> None:
        if self._external.takes(call, self._setup.gate, served_here=self._setup.is_persons(call.name)):
            if self._external.begin(call, self._progress.round.results, self._response_id):
                self._progress.begun(call)
            return
        booked = self._pipeline.arrive(call.call_id, call.name, call.arguments, self._response_id)
        if booked is not None and (booked.outcome is None or booked.outcome.answerable):
            self._progress.begun(call)

    def _written(self) -> None:
        """The answer is over: a call that was written in it, and not issued besides, runs too."""
        words, found = self._progress.round.answer.end(whole=self._progress.round.end in ("stop", "calls"))
        self._show(words)
        if found is None:
            return
        made = Made(found.name, found.arguments, self._response_id, 0.0)
        if any(
            Issued(call.name, call.arguments, self._response_id, 0.0).is_twin_of(made)
            for call in self._progress.round.calls
        ):
            return
        log.info("the model wrote a call of %s (%s)", found.name, found.form)
        gate = self._pipeline.gate
        self._written_calls.gate = replace(gate, catalogue=closed(gate.catalogue)) if found.form == "call:" else gate
        booked = self._written_calls.arrive(
            f"said_{os.urandom(8).hex()}", found.name, found.arguments, self._response_id
        )
        if booked is not None:
            self._progress.called(booked.call_id, booked.name)

    @property
    def _response_id(self) -> str:
        return f"round {self._rounds_begun}"

    @property
    def _jobs(self) -> list[Job]:
        return [*self._pipeline.jobs, *self._written_calls.jobs]

    async def _calls_end(self) -> None:
        """Wait until every call of the round is over. A person's tool blocks its own call only."""
        while self._jobs:
            await self._progress.next_report()
        await self._external.wait()
        if self._is_ending:  # its calls are over too, and it asks its model nothing more
            await anyio.lowlevel.checkpoint_if_cancelled()
