"""Who is told of requests, who asks, who waits: for the tests of the human-input handler."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import anyio

from voice_hitl.asker import Asker, AskerSession, Asking, GaveUp
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.human_input.new_request import NewRequest, new_pending
from voice_hitl.line import Line
from voice_hitl.questions.model import Question
from voice_hitl.requests.pending import PendingInput, PendingInputEvent


@dataclass(eq=False)
class Told:
    """Callbacks that note what they are told. `required_takes_s`: how long the hooks are busy; `denies`: what they say.

    `error` is what they die of.
    """

    required_takes_s: float = 0
    settled_takes_s: float = 0
    denies: str | None = None
    error: Exception | None = None
    listens: bool = True
    hears_ends: bool = True
    required_events: list[PendingInputEvent] = field(default_factory=list[PendingInputEvent])
    settled_events: list[PendingInputEvent] = field(default_factory=list[PendingInputEvent])
    late_answers: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    failures: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])

    async def required(self, event: PendingInputEvent) -> str | None:
        self.required_events.append(event)
        denies = self.denies
        await anyio.sleep(self.required_takes_s)
        if self.error is not None:
            raise self.error
        return denies

    async def settled(self, event: PendingInputEvent) -> None:
        self.settled_events.append(event)
        await anyio.sleep(self.settled_takes_s)
        if self.error is not None:
            raise self.error

    def failed(self, request: PendingInput, source: str, message: str) -> None:
        self.failures.append((request.pending_id, source, message))

    def late(self, event: PendingInputEvent, words: str) -> bool:
        self.late_answers.append((event.pending_id, words))
        return True

    @property
    def ends(self) -> list[str | None]:
        """How the requests ended of whose ends it was told, in order."""
        return [event.end for event in self.settled_events]


@dataclass
class Waits:
    """Waiters, and what they came to: the text, or the class and words of the error."""

    handler: HumanInputHandler
    came_to: list[str] = field(default_factory=list[str])

    async def __call__(self, pending_id: str, timeout: float | None = None) -> str:
        try:
            end = await self.handler.wait(pending_id, timeout=timeout)
        except (RuntimeError, TimeoutError) as error:
            end = f"{type(error).__name__}: {error}"
        except anyio.get_cancelled_exc_class():
            self.came_to.append("cancelled")
            raise
        self.came_to.append(end)
        return end


@dataclass(eq=False)
class ScriptedAsker:
    """An asker that puts its question after `puts_after_s`, and asks until withdrawn, or gives up after `tries_s`.

    It notes what it sees. `cleans_up_s`: how long it takes to withdraw. `error` is what it dies of after `tries_s`.
    """

    name: str = "scripted"
    reached: bool = True
    puts_after_s: float | None = 0
    tries_s: float | None = None
    gave_up: GaveUp | None = None
    cleans_up_s: float = 0
    error: Exception | None = None
    notes: list[str] = field(default_factory=list[str])
    askings: list[Asking] = field(default_factory=list[Asking])
    sessions: list[AskerSession | None] = field(default_factory=list[AskerSession | None])

    def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
        return self.reached

    async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
        self.notes.append("asks")
        self.askings.append(asking)
        self.sessions.append(session)
        try:
            if self.puts_after_s is not None:
                await anyio.sleep(self.puts_after_s)
                asking.put()
                self.notes.append("put")
            await anyio.sleep(self.tries_s if self.tries_s is not None else 1e9)
            if self.error is not None:
                raise self.error
            self.notes.append("gave up")
        except anyio.get_cancelled_exc_class():
            self.notes.append(f"withdrawn: {asking.request.end}")
            with anyio.CancelScope(shield=True):
                await anyio.sleep(self.cleans_up_s)
            self.notes.append("gone")
            raise
        return self.gave_up


@dataclass
class FakePage:
    """No page; but it keeps by whom it is told that a request is asked."""

    reachable: bool = False
    asked_by: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])

    def open(self, asking: Asking) -> bool:
        return False

    def changed(self, asking: Asking) -> None:
        self.asked_by.append(asking.asked_by)

    def settle(self, asking: Asking) -> None: ...


@dataclass
class FakeSession:
    """A session as askers see it."""

    id: str = "s1"
    room_id: str = "desk"
    participant_id: str = "ada"
    participants: tuple[str, ...] = ("ada",)
    language: str = "en"
    line: Line | None = None
    page: FakePage = field(default_factory=FakePage)


def put_to(
    handler: HumanInputHandler,
    *askers: Asker,
    arguments: Mapping[str, object] | None = None,
    question: Question | None = None,
    timeout: float | None = 60,
    channel_id: str = "voice",
) -> PendingInput:
    """Open a request in session `s1` that these askers ask, or nobody."""
    pending = new_pending(
        "AskUser",
        arguments if arguments is not None else {"question": "Which day?"},
        channel_id=channel_id,
        session_id="s1",
        question=question,
    )
    return handler.open(NewRequest(pending, timeout, askers=askers, session=FakeSession()))
