"""One question being put to people: the askers that run for it, and the requests that share them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Protocol

import anyio

from voice_hitl.asker import Asker, AskerSession, GaveUp, InTurn, can_answer, whom
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Question
from voice_hitl.requests.pending import PendingInput
from voice_hitl.requests.settlement import Settlement
from voice_hitl.tasks import Job, Latch, Tasks, run_users_code


class AskingRequests(Protocol):
    """What a shared asking does to its requests."""

    def put(self, pending_id: str) -> None:
        """The question was put to somebody: its clock starts."""
        ...

    def progress(self, pending_id: str, answers: Mapping[str, object]) -> None:
        """More of it was answered."""
        ...

    def give_up(self, pending_id: str, *, tries: int) -> None:
        """Every asker gave up."""
        ...


class SharedAsking:
    """What askers see of a question (`Asking`), for one request or for identical ones that share it.

    It runs while one of its requests is open; when none is, its askers are cancelled: that is their withdrawal.

    Args:
        first: The request it begins with.
        question: What is asked.
        requests: Where its requests are kept.
        answer: Takes an answer to one of them.
        failed: Is told of an asker that raised.
    """

    def __init__(
        self,
        first: PendingInput,
        question: Question,
        *,
        requests: AskingRequests,
        answer: Callable[[str, Answer], Awaitable[Settlement]],
        failed: Callable[[str, Exception], None],
    ) -> None:
        self._members: list[PendingInput] = [first]
        self._last_settled = first
        self._question = question
        self._requests = requests
        self._answer = answer
        self._failed = failed
        self._jobs: list[Job] = []
        self._left: list[Asker] = []
        self._asking_now: list[Asker] = []
        self._whose_turn: Asker | None = None
        self._turn_over = Latch()
        self._handed_on = False
        self._tries = 0
        self._was_put = False

    # --- what an asker sees (Asking) ---------------------------------------------------------------------------------

    @property
    def request(self) -> PendingInput:
        """The oldest of its requests that is open; the last one to settle when none is."""
        return next((member for member in self._members if member.end is None), self._last_settled)

    @property
    def question(self) -> Question:
        """What is asked."""
        return self._question

    def put(self) -> None:
        """Start the clock of every request that shares this."""
        self._was_put = True
        for member in self._open():
            self._requests.put(member.pending_id)

    def progress(self, answers: Mapping[str, object]) -> None:
        """Keep what was answered so far with every request that shares this."""
        for member in self._open():
            self._requests.progress(member.pending_id, answers)

    async def answer(self, answer: Answer) -> Settlement:
        """Hand the answer over; it settles every identical request."""
        return await self._answer(self.request.pending_id, answer)

    @property
    def asked_by(self) -> tuple[str, ...]:
        """The names of the askers that ask it now."""
        return tuple(name_of(asker) for asker in self._asking_now if can_answer(asker))

    @property
    def asks_others(self) -> bool:
        """Whether somebody else than the caller is being asked now."""
        return any(whom(asker) == "others" for asker in self._asking_now)

    def hand_on(self) -> bool:
        """Have somebody else than the caller asked, now; False: there is nobody."""
        if not any(whom(asker) == "others" for asker in self._left):
            return False
        self._handed_on = True
        self._turn_over.set()
        return True

    # --- what its owner does -----------------------------------------------------------------------------------------

    @property
    def at_work(self) -> bool:
        """Whether an asker is still asking."""
        return bool(self._left)

    @property
    def is_over(self) -> bool:
        """Whether none of its requests is open."""
        return not self._open()

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The askers at work, or cleaning up."""
        return tuple(job for job in self._jobs if not job.done)

    def start(self, askers: Sequence[Asker], session: AskerSession | None, tasks: Tasks) -> None:
        """Run the askers, each in a task of its own: at once, those that are asked in turn one after another."""
        self._left = [asker for asker in askers if can_answer(asker)]
        in_turn = [asker for asker in askers if isinstance(asker, InTurn)]
        self._asking_now = [asker for asker in askers if asker not in in_turn]
        self._jobs = [tasks.spawn(self._run(asker, session), label_of(asker)) for asker in self._asking_now]
        if in_turn:
            self._jobs.append(tasks.spawn(self._run_in_turn(askers, session, tasks), "asking one after another"))

    def join(self, request: PendingInput) -> None:
        """Let one more identical request be answered by the same asking."""
        so_far = self.request.answered_so_far
        self._members.append(request)
        if self._was_put:
            self._requests.put(request.pending_id)
        if so_far:
            self._requests.progress(request.pending_id, so_far)

    def settled(self, request: PendingInput) -> None:
        """One of its requests has ended. Any thread may say so."""
        self._last_settled = request

    def end_if_over(self) -> None:
        """Withdraw the askers once none of the requests is open."""
        if self.is_over:
            for job in self._jobs:
                job.cancel()

    async def ended_if_over(self) -> None:
        """Wait until the askers, withdrawn, have cleaned up; one that does not in time is abandoned."""
        for job in self.jobs if self.is_over else ():
            await job.wait()

    async def _run_in_turn(self, askers: Sequence[Asker], session: AskerSession | None, tasks: Tasks) -> None:
        """Each for its patience, or until it gave up; all that have been asked may still answer."""
        for asker in askers:
            if isinstance(asker, InTurn):
                self._whose_turn, self._turn_over = asker, Latch()
                self._asking_now.append(asker)
                self._show(session)
                self._jobs.append(tasks.spawn(self._run(asker, session), label_of(asker)))
                if not (self._handed_on and whom(asker) == "caller"):
                    with anyio.move_on_after(asker.patience):
                        await self._turn_over.wait()

    async def _run(self, asker: Asker, session: AskerSession | None) -> None:
        given_up: object = None
        try:
            given_up = await run_users_code(partial(asker.ask, self, session), label=label_of(asker))
        except Exception as error:  # noqa: BLE001 - the border to users' code: the request goes on without this asker
            self._failed(label_of(asker), error)
        self._asking_now.remove(asker)
        if not can_answer(asker):
            return
        self._show(session)
        self._left.remove(asker)
        if asker is self._whose_turn:
            self._turn_over.set()
        if isinstance(given_up, GaveUp):
            self._tries = max(self._tries, given_up.tries)
        if not self._left:
            for member in self._open():
                self._requests.give_up(member.pending_id, tries=self._tries)

    def _show(self, session: AskerSession | None) -> None:
        """Have the page in the call say who asks now."""
        if session is not None and not self.is_over:
            session.page.changed(self)

    def _open(self) -> list[PendingInput]:
        return [member for member in self._members if member.end is None]


def label_of(asker: Asker) -> str:
    """What an asker is called in logs and events; the name of its class where it has none."""
    return f"asker {name_of(asker)}"


def name_of(asker: Asker) -> str:
    """Its name; that of its class where it has none."""
    return str(getattr(asker, "name", type(asker).__name__))
