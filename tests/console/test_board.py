"""The board: what is open, what happened in order, and who handles which."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl import Answer, Confirm, RequestEnd, Settlement, Text
from voice_hitl.console.board import LET_GO_S, Board, Row
from voice_hitl.console.rows import row_of
from voice_hitl.console.shown import Event, Filters, Line, OutcomeShown, RequestShown
from voice_hitl.human_input.new_request import new_pending
from voice_hitl.questions.model import Question
from voice_hitl.requests.pending import PendingInput

UTC_NOW = datetime(2026, 1, 1, tzinfo=UTC)
EVERYTHING = Filters()
ANSWERED = OutcomeShown(end=RequestEnd.ANSWERED, at=UTC_NOW, by="ann")


class Asks:
    """An asking that nobody answers."""

    asked_by = ("console",)
    asks_others = True

    def __init__(self, request: PendingInput, question: Question) -> None:
        self.request = request
        self.question = question

    def put(self) -> None: ...

    def progress(self, answers: Mapping[str, object]) -> None: ...

    def hand_on(self) -> bool:
        return False

    async def answer(self, answer: Answer) -> Settlement:
        raise AssertionError(answer)


def as_sent(requests: Iterable[RequestShown]) -> list[str]:
    return [request.model_dump_json() for request in requests]


async def nobody(_answer: Answer, _key: str | None) -> Settlement:
    raise AssertionError


def row(id: str, *roles: str, question: Question | None = None, session: str = "s1") -> Row:
    asked = question or Confirm(prompt="Sure?")
    asking = Asks(new_pending("ask", {}, question=asked, session_id=session), asked)
    return row_of(asking, nobody, id=id, caller="ada", language="en", roles=roles or ("sales",), transcript=[])


def test_what_is_open_is_seen_by_its_audience_oldest_first() -> None:
    board = Board()
    for id, role in (("a", "sales"), ("b", "supervisors"), ("c", "sales")):
        board.open(row(id, role))
    assert [each.id for each in board.open_for({"sales"}, EVERYTHING)] == ["a", "c"]
    assert [each.id for each in board.open_for({"sales", "supervisors"}, EVERYTHING)] == ["a", "b", "c"]
    assert board.open_for({"nobody"}, EVERYTHING) == []


def test_a_row_that_has_settled_stays_with_how_and_settles_once() -> None:
    board = Board()
    board.open(row("a"))
    board.settle("a", ANSWERED)
    board.settle("a", OutcomeShown(end=RequestEnd.WITHDRAWN, at=UTC_NOW))
    assert board.open_for({"sales"}, EVERYTHING) == []
    (settled,) = board.settled_for({"sales"}, EVERYTHING, before=None, limit=10)
    assert settled.outcome == ANSWERED
    assert [event.name for event in board.since(0) or ()] == ["request.opened", "request.settled"]


def test_only_so_many_settled_rows_stay() -> None:
    board = Board(history=2)
    for id in "abc":
        board.open(row(id))
        board.settle(id, ANSWERED)
    assert [each.id for each in board.settled_for({"sales"}, EVERYTHING, before=None, limit=10)] == ["c", "b"]


def test_a_request_that_is_asked_of_more_keeps_who_handles_it_and_what_was_said() -> None:
    board = Board()
    board.open(row("a", "sales"))
    board.take("a", "ann", now=0, utc=UTC_NOW)
    line = Line(role="user", text="hello", at=UTC_NOW)
    board.said("s1", [line])
    board.open(row("a", "sales", "supervisors"))
    (shown,) = board.open_for({"supervisors"}, EVERYTHING)
    assert shown.taken is not None
    assert (shown.taken.by, shown.transcript) == ("ann", [line])


def test_a_request_that_is_put_to_others_once_the_first_are_gone_is_open_again_and_settles_last() -> None:
    board = Board(history=2)
    gone = OutcomeShown(end=RequestEnd.WITHDRAWN, at=UTC_NOW)
    for id in "ab":
        board.open(row(id))
        board.settle(id, gone)
    board.open(row("a", "managers"))
    assert [each.id for each in board.settled_for({"sales", "managers"}, EVERYTHING, before=None, limit=10)] == ["b"]
    board.settle("a", ANSWERED)
    settled = board.settled_for({"sales", "managers"}, EVERYTHING, before=None, limit=10)
    assert [(each.id, each.outcome) for each in settled] == [("a", ANSWERED), ("b", gone)]


def test_what_is_said_in_another_call_changes_nothing() -> None:
    board = Board()
    board.open(row("a"))
    board.said("s2", [Line(role="user", text="hello", at=UTC_NOW)])
    assert board.last == 1


def test_a_request_is_handled_by_one_until_they_let_go_or_are_not_heard_of() -> None:
    board = Board()
    board.open(row("a"))
    assert board.deadline is None
    assert board.take("a", "ann", now=0, utc=UTC_NOW) is None
    theirs = board.take("a", "bob", now=LET_GO_S - 1, utc=UTC_NOW)
    assert theirs is not None
    assert theirs.by == "ann"
    assert board.take("a", "ann", now=LET_GO_S - 1, utc=UTC_NOW) is None
    assert board.deadline == 2 * LET_GO_S - 1
    assert not board.release("a", "bob")
    assert board.take("a", "bob", now=2 * LET_GO_S - 1, utc=UTC_NOW) is None
    assert board.release("a", "bob")
    assert not board.release("a", "bob")
    with pytest.raises(KeyError):
        board.take("b", "ann", now=0, utc=UTC_NOW)


def test_what_is_handled_and_settles_is_let_go_by_nobody() -> None:
    board = Board()
    board.open(row("a"))
    board.take("a", "ann", now=0, utc=UTC_NOW)
    board.settle("a", ANSWERED)
    assert board.deadline is None
    board.let_go(LET_GO_S)
    (settled,) = board.settled_for({"sales"}, EVERYTHING, before=None, limit=1)
    assert settled.taken is None


def test_a_sign_of_life_is_no_news() -> None:
    board = Board()
    board.open(row("a"))
    board.take("a", "ann", now=0, utc=UTC_NOW)
    last = board.last
    board.take("a", "ann", now=10, utc=UTC_NOW)
    assert board.last == last


def test_what_cannot_be_written_as_json_is_shown_as_text() -> None:
    shown = row("a", question=Confirm(prompt="Sure?", details={"when": UTC_NOW})).shown
    assert "2026" in str(shown.question["details"])


@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from(["open", "settle", "take", "release"])), max_size=60),
    st.integers(1, 12),
)
def test_whoever_follows_the_events_knows_what_whoever_reads_the_list_knows(
    steps: list[tuple[str, str]], remembered: int
) -> None:
    board, seen = Board(remembered=remembered), 0
    open_now: dict[str, RequestShown] = {}
    for number, (id, what) in enumerate(steps):
        match what:
            case "open" if id not in {each.id for each in board.open_for({"sales"}, EVERYTHING)}:
                board.open(row(id, question=Text(prompt=f"Number {number}?")))
            case "settle":
                board.settle(id, ANSWERED)
            case "take" if id in {each.id for each in board.open_for({"sales"}, EVERYTHING)}:
                board.take(id, "ann", now=10.0 * number, utc=UTC_NOW)
            case _:
                board.release(id, "ann")
        happened = board.since(seen)
        if happened is None:
            open_now = {each.id: each for each in board.open_for({"sales"}, EVERYTHING)}
        else:
            for event in happened:
                assert event.number == seen + 1
                seen = event.number
                shown = Event.model_validate_json(event.data).request
                if event.name == "request.settled":
                    del open_now[shown.id]
                else:
                    open_now[shown.id] = shown
        seen = board.last
        assert as_sent(open_now.values()) == as_sent(board.open_for({"sales"}, EVERYTHING))
    assert board.since(board.last + 1) is None
    assert board.since(-1) is None
    assert (board.since(0) is None) == (board.last > remembered)
