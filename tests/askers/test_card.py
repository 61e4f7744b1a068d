"""The question as a card in the browser."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import anyio
import pytest

from voice_hitl.asker import Asking, GaveUp
from voice_hitl.askers.card import CardAsker
from voice_hitl.line import Line
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Confirm, Question
from voice_hitl.requests.pending import PendingInput
from voice_hitl.requests.settlement import Settlement

pytestmark = pytest.mark.anyio

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass
class PageSeen:
    """A page that notes what an asker does with it."""

    reachable: bool = True
    room: bool = True
    seen: list[str] = field(default_factory=list[str])

    def open(self, asking: Asking) -> bool:
        self.seen.append("open")
        return self.room

    def changed(self, asking: Asking) -> None:
        assert asking.request.expires_at is not None
        self.seen.append("changed")

    def settle(self, asking: Asking) -> None:
        self.seen.append("settle")


@dataclass
class Session:
    page: PageSeen
    id: str = "s1"
    room_id: str = ""
    participant_id: str = "lee"
    participants: tuple[str, ...] = ("lee",)
    language: str = "en"

    @property
    def line(self) -> Line | None:
        return None


@dataclass
class Asked:
    request: PendingInput
    question: Question = field(default_factory=lambda: Confirm(prompt="Book it?"))
    puts: int = 0

    def put(self) -> None:
        self.puts += 1
        self.request.expires_at = self.request.expires_at or AT + timedelta(seconds=60)

    asked_by: tuple[str, ...] = ("card",)
    asks_others: bool = False

    def progress(self, answers: Mapping[str, object]) -> None:
        raise AssertionError("a card is answered as a whole")

    def hand_on(self) -> bool:
        return False

    async def answer(self, answer: Answer) -> Settlement:
        raise AssertionError("a card asker hands over nothing: the page's messages do")


@pytest.fixture
def asked() -> Asked:
    return Asked(PendingInput(pending_id="p1", tool_name="ConfirmAction", arguments={}, created_at=AT))


def test_it_reaches_whoever_has_a_page() -> None:
    asker = CardAsker()
    assert asker.name == "card"
    assert asker.reaches(None, Session(PageSeen()))
    assert not asker.reaches(None, Session(PageSeen(reachable=False)))
    assert not asker.reaches(None, None)


@pytest.mark.parametrize(
    ("audience", "reached"),
    [((), True), (("caller",), True), (("supervisors", "lee"), True), (("supervisors",), False)],
)
def test_it_shows_nothing_to_whoever_may_not_answer(asked: Asked, audience: tuple[str, ...], reached: bool) -> None:
    asked.request.audience = audience
    assert CardAsker().reaches(asked.request, Session(PageSeen())) is reached


async def test_the_card_is_open_until_the_request_settles(asked: Asked) -> None:
    page = PageSeen()
    async with anyio.create_task_group() as group:
        group.start_soon(CardAsker().ask, asked, Session(page))
        await anyio.wait_all_tasks_blocked()
        assert page.seen == ["open", "changed"]
        assert asked.puts == 1
        group.cancel_scope.cancel()
    assert page.seen == ["open", "changed", "settle"]


async def test_a_clock_that_runs_already_is_not_announced_again(asked: Asked) -> None:
    page = PageSeen()
    asked.request.expires_at = AT
    with anyio.move_on_after(0.01):
        await CardAsker().ask(asked, Session(page))
    assert page.seen == ["open", "settle"]


@pytest.mark.parametrize("session", [None, Session(PageSeen(reachable=False)), Session(PageSeen(room=False))])
async def test_it_gives_up_where_no_card_can_be_shown(asked: Asked, session: Session | None) -> None:
    given_up = await CardAsker().ask(asked, session)
    assert isinstance(given_up, GaveUp)
    assert given_up.why
    assert asked.puts == 0
