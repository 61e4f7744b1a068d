"""One question being put to people: the askers that run for it, and the requests that share them."""

import logging
from collections.abc import Sequence
from typing import Protocol

from voice_hitl.asker import Asker, AskerSession, GaveUp
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Question
from voice_hitl.requests.pending import PendingInput
from voice_hitl.requests.settlement import Settlement
from voice_hitl.tasks import Job, Tasks

log = logging.getLogger(__name__)


class AskingHandler(Protocol):
    """What a shared asking needs of the handler that owns it."""

    def put(self, pending_id: str) -> None:
        """The question was put to somebody."""
        ...

    async def answer(self, pending_id: str, answer: Answer) -> Settlement:
        """Take an answer."""
        ...

    def give_up(self, pending_id: str, *, tries: int) -> None:
        """Every asker gave up."""
        ...

    def asker_failed(self, pending_id: str, asker: str, message: str) -> None:
        """An asker raised."""
        ...


class SharedAsking:
    """What askers see of a question (`Asking`), for one request or for identical ones that share it.

    It runs while one of its requests is open; when none is, its askers are cancelled: that is their withdrawal.
    """

    def __init__(self, first: PendingInput, question: Question, handler: AskingHandler) -> None:
        self._members: list[PendingInput] = [first]
        self._question = question
        self._handler = handler
        self._jobs: dict[Asker, Job] = {}
        self._tries = 0
        self._was_put = False

    @property
    def request(self) -> PendingInput:
        """The oldest of its requests that is open; the last one to settle when none is."""
        return next((member for member in self._members if member.end is None), self._members[-1])

    @property
    def question(self) -> Question:
        """What is asked."""
        return self._question

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The askers at work."""
        return tuple(self._jobs.values())

    @property
    def running(self) -> bool:
        """Whether an asker is at work."""
        return bool(self._jobs)

    def join(self, request: PendingInput) -> None:
        """Let one more identical request be answered by the same asking."""
        self._members.append(request)
        if self._was_put:
            self._handler.put(request.pending_id)

    def put(self) -> None:
        """Start the clock of every request that shares this."""
        self._was_put = True
        for member in self._open():
            self._handler.put(member.pending_id)

    async def answer(self, answer: Answer) -> Settlement:
        """Hand the answer over; the handler settles every identical request with it."""
        return await self._handler.answer(self.request.pending_id, answer)

    def start(self, askers: Sequence[Asker], session: AskerSession | None, tasks: Tasks) -> None:
        """Run the askers, each in a task of its own."""
        for asker in askers:
            job = tasks.spawn(self._run(asker, session), f"asker {asker.name}")
            self._jobs[asker] = job

    def end_if_settled(self) -> None:
        """Withdraw the askers once none of the requests is open."""
        if not self._open():
            for job in self._jobs.values():
                job.cancel()

    async def _run(self, asker: Asker, session: AskerSession | None) -> None:
        gave_up: GaveUp | None = None
        try:
            gave_up = await asker.ask(self, session)
        except Exception as error:
            log.warning("asker %s failed", asker.name, exc_info=error)
            self._handler.asker_failed(self.request.pending_id, asker.name, f"{type(error).__name__}: {error}")
        self._jobs.pop(asker, None)
        self._tries = max(self._tries, gave_up.tries if gave_up else 0)
        if not self._jobs:
            for member in self._open():
                self._handler.give_up(member.pending_id, tries=self._tries)

    def _open(self) -> list[PendingInput]:
        return [member for member in self._members if member.end is None]
