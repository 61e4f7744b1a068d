"""The port to a way of reaching a person while a request is open: aloud, a card in the browser, an operator's console.

An asker's `ask` runs until the request settles (it is then cancelled: that is the withdrawal, and it cleans up after
itself in a `finally`), or returns `GaveUp` when it has nobody left to ask. It never settles anything itself: it hands
what it heard to `Asking.answer`, and the ledger takes the first valid answer, once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, runtime_checkable

from voice_hitl.line import Line
from voice_hitl.provider import ProviderCapabilities
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Question
from voice_hitl.requests.pending import PendingInput
from voice_hitl.requests.settlement import Settlement


@dataclass(frozen=True, slots=True)
class GaveUp:
    """An asker has nobody left to ask, after so many tries."""

    tries: int
    why: str = ""


class Asking(Protocol):
    """One request, as an asker sees it."""

    @property
    def request(self) -> PendingInput:
        """The request, live, for reading: its status and end too, once it is settled."""
        ...

    @property
    def question(self) -> Question:
        """What is asked."""
        ...

    def put(self) -> None:
        """Say that the question is in front of somebody (a card is open, the first word spoken): its clock starts."""
        ...

    def progress(self, answers: Mapping[str, object]) -> None:
        """Say what a form's questions were answered so far, by prompt: kept with the request, for whoever asks next.

        It adds to what was said before (`request.answered_so_far`), settles nothing, and waits for nothing. JSON only:
        `ValueError` for anything else.
        """
        ...

    async def answer(self, answer: Answer) -> Settlement:
        """Hand over an answer; what became of it. Works after the request settled too: late is not wrong."""
        ...

    @property
    def asked_by(self) -> tuple[str, ...]:
        """The names of the askers that ask it now: `voice`, `card`, `console`, ..."""
        ...

    @property
    def asks_others(self) -> bool:
        """Whether somebody else than the caller is being asked now."""
        ...

    def hand_on(self) -> bool:
        """Have somebody else than the caller asked, now; False: there is nobody to hand it on to."""
        ...


class Page(Protocol):
    """The page in the call (a browser behind the leg's messages), as askers see it. Nothing here waits or raises."""

    @property
    def reachable(self) -> bool:
        """Whether the leg carries messages at all."""
        ...

    def open(self, asking: Asking) -> bool:
        """Show the request as a card; again on a page that connects again. False: it does not fit a message."""
        ...

    def changed(self, asking: Asking) -> None:
        """Say that the request's clock started, or who asks it now, where it is shown as a card."""
        ...

    def settle(self, asking: Asking) -> None:
        """Close the card and show how the request ended."""
        ...


class AskerSession(Protocol):
    """The session, as askers may see it."""

    @property
    def id(self) -> str:
        """Its id."""
        ...

    @property
    def room_id(self) -> str:
        """Its room."""
        ...

    @property
    def participant_id(self) -> str:
        """Who is on the leg; empty where several are."""
        ...

    @property
    def participants(self) -> tuple[str, ...]:
        """Everybody in it now: who is on the leg, or who is in the room of a conference."""
        ...

    @property
    def language(self) -> str:
        """The language spoken in it, such as `en`."""
        ...

    @property
    def line(self) -> Line | None:
        """The caller's line, in a voice session."""
        ...

    @property
    def page(self) -> Page:
        """The page in the call."""
        ...


@dataclass(frozen=True, slots=True)
class SaidLine:
    """Something that was said in a call."""

    role: Literal["user", "assistant"]
    text: str


@runtime_checkable
class Remembers(Protocol):
    """A session that knows what was said in it last."""

    @property
    def said_last(self) -> tuple[SaidLine, ...]:
        """The last lines, oldest first."""
        ...


class Asker(Protocol):
    """A way to reach a person. Users write their own; each runs apart from the library's tasks."""

    @property
    def name(self) -> str:
        """What to call it to the page and in logs: `voice`, `card`, `console`, ..."""
        ...

    def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
        """Whether it could reach somebody for this request (None: for any) in this session (None: outside one)."""
        ...

    async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
        """Ask until cancelled. Returning says that it gave up; the request stays open while another asker runs."""
        ...


CALLER: Final = "caller"
"""In an audience: whoever is on the session's leg, where that is one person."""


def may_be_asked(audience: Sequence[str], session: AskerSession) -> tuple[str, ...]:
    """Who in the session is in an audience. Empty: everybody. In a conference nobody is its `"caller"`."""
    return tuple(
        each
        for each in session.participants
        if not audience
        or (each in audience and each != CALLER)
        or (CALLER in audience and each == session.participant_id)
    )


# --- what an asker may say of itself besides -------------------------------------------------------------------------


@runtime_checkable
class SaysWhom(Protocol):
    """An asker that says whom it asks: one that does not asks somebody else than the caller."""

    @property
    def whom(self) -> Literal["caller", "others", "nobody"]:
        """The person in the call, somebody else, or nobody: it only keeps the caller company."""
        ...


@runtime_checkable
class InTurn(Protocol):
    """An asker that is asked after those before it, and before those behind it."""

    @property
    def patience(self) -> float:
        """Seconds after which the next one is asked too."""
        ...


@runtime_checkable
class NeedsOfProvider(Protocol):
    """An asker that some providers give no way to ask through."""

    def why_not(self, capabilities: ProviderCapabilities) -> str | None:
        """Why it could never ask in a session of such a provider; None: it could."""
        ...


def whom(asker: Asker) -> Literal["caller", "others", "nobody"]:
    """Whom it asks."""
    return asker.whom if isinstance(asker, SaysWhom) else "others"


def can_answer(asker: Asker) -> bool:
    """Whether an answer can come of it."""
    return whom(asker) != "nobody"
