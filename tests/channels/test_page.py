"""The page in the call, as its session sees it."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import anyio
import pytest
from pydantic import TypeAdapter

from voice_hitl.channels.page import REMEMBERED, SessionPage
from voice_hitl.enums import PendingInputStatus, RequestEnd, Via
from voice_hitl.errors import StoreUnavailable
from voice_hitl.messages import MAX_BYTES, TooLarge
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Choice, Confirm, Form, Number, Option, Question, Text
from voice_hitl.requests.pending import PendingInput
from voice_hitl.requests.settlement import Settlement

pytestmark = pytest.mark.anyio

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
YES = {"action": "answer", "value": True}

Sent = dict[str, object]
_sent: TypeAdapter[Sent] = TypeAdapter(Sent)
_text: TypeAdapter[object] = TypeAdapter(object)


@dataclass
class Asked:
    """One request, settled by the first answer as a ledger would; `verdict` decides otherwise."""

    question: Question
    request: PendingInput
    page: SessionPage
    verdict: Settlement | None = None
    answers: list[Answer] = field(default_factory=list[Answer])
    gate: anyio.Event | None = None

    def put(self) -> None:
        self.request.expires_at = AT + timedelta(seconds=60)

    asked_by: tuple[str, ...] = ("card",)
    asks_others: bool = False

    def progress(self, answers: Mapping[str, object]) -> None:
        raise AssertionError("a card is answered as a whole")

    def hand_on(self) -> bool:
        return False

    async def answer(self, answer: Answer) -> Settlement:
        if self.gate is not None:
            await self.gate.wait()
        self.answers.append(answer)
        if self.verdict is not None:
            return self.verdict
        if self.request.end is not None:
            return Settlement.DUPLICATE
        self.end(RequestEnd.REFUSED if answer.decline else RequestEnd.ANSWERED, answer)
        return Settlement.ACCEPTED

    def end(self, end: RequestEnd, answer: Answer | None = None) -> None:
        self.request.end = end
        self.request.status = PendingInputStatus.RESOLVED
        self.request.answered_by = answer.by if answer else None
        self.request.answered_via = answer.via if answer else None
        self.request.reject_reason = answer.reason if answer else None
        answered = answer is not None and end is RequestEnd.ANSWERED and not self.question.sensitive
        self.request.answer = answer if answered else None
        self.page.settle(self)


class Page:
    """A session's page, and what was sent to it."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.digits: list[str] = []
        self.session = SessionPage(
            self.texts.append, now=lambda: AT, reachable=lambda: True, on_digit=self.digits.append
        )

    def ask(self, question: Question | None = None, *, id: str = "p1", call: str = "c1") -> Asked:
        question = question or Confirm(prompt="Book it?")
        request = PendingInput(
            pending_id=id, tool_name="ConfirmAction", arguments={}, tool_call_id=call, question=question, created_at=AT
        )
        return Asked(question, request, self.session)

    def opened(self, question: Question | None = None, *, id: str = "p1") -> Asked:
        asked = self.ask(question, id=id)
        assert self.session.open(asked)
        self.take()
        return asked

    def take(self) -> list[Sent]:
        sent = [_sent.validate_json(text) for text in self.texts]
        self.texts.clear()
        return sent

    async def get(self, **message: object) -> list[Sent]:
        """Send a message from the page; what the page got back."""
        await self.session.handle(_text.dump_json({"v": 1, **message}).decode(), by="lee")
        return self.take()

    async def answer(self, wire: object = YES, *, pending_id: str = "p1", **more: object) -> list[Sent]:
        return await self.get(type="request.answer", id="m1", pending_id=pending_id, answer=wire, **more)


@pytest.fixture
def page() -> Page:
    return Page()


def types(sent: list[Sent]) -> list[object]:
    return [message["type"] for message in sent]


async def test_a_request_opens_as_a_card_with_its_question(page: Page) -> None:
    asked = page.ask()
    assert page.session.open(asked)
    [opened] = page.take()
    assert (opened["type"], opened["pending_id"], opened["call"]) == ("request.opened", "p1", "c1")
    assert (opened["status"], opened["kind"], opened["tool"]) == ("executing", "question", "ConfirmAction")
    assert opened["question"] == {"kind": "confirm", "prompt": "Book it?", "details": {}, "risk": "normal"}
    assert "expires_at" not in opened


async def test_the_first_valid_answer_settles_and_the_card_shows_it(page: Page) -> None:
    asked = page.opened()
    settled, ok = await page.answer()
    assert (ok["type"], ok["id"]) == ("ok", "m1")
    assert (settled["type"], settled["end"], settled["by"], settled["via"]) == (
        "request.settled",
        "answered",
        "lee",
        "card",
    )
    assert settled["answer"] == YES
    assert settled["status"] == "complete"
    [answer] = asked.answers
    assert (answer.value, answer.by, answer.via) == (True, "lee", Via.CARD)


async def test_a_person_may_decline_and_say_why(page: Page) -> None:
    asked = page.opened()
    settled, ok = await page.get(type="request.decline", id="m1", pending_id="p1", reason="not now")
    assert ok["type"] == "ok"
    assert (settled["end"], settled["reason"]) == ("refused", "not now")
    assert "answer" not in settled
    [answer] = asked.answers
    assert answer.decline
    assert answer.reason == "not now"


async def test_an_answer_that_answers_nothing_leaves_the_card_open_and_says_why(page: Page) -> None:
    asked = page.opened()
    [refused] = await page.answer({"action": "answer", "value": "maybe"})
    assert (refused["type"], refused["code"]) == ("refused", "invalid")
    assert "true or false" in str(refused["why"])
    assert asked.answers == []
    asked.verdict = Settlement.INVALID("too long for the model")
    [refused] = await page.answer()
    assert refused["why"] == "too long for the model"
    asked.verdict = None
    assert types(await page.answer()) == ["request.settled", "ok"]


async def test_a_late_answer_is_told_it_was_late_and_how_it_ended(page: Page) -> None:
    asked = page.opened()
    asked.end(RequestEnd.TIMED_OUT)
    page.take()
    [refused] = await page.answer()
    assert (refused["code"], refused["outcome"]) == ("late", {"end": "timed_out"})


async def test_a_second_answer_is_told_who_was_first(page: Page) -> None:
    asked = page.opened()
    asked.end(RequestEnd.ANSWERED, Answer(True, by="ann", via=Via.CONSOLE))
    [settled] = page.take()
    assert (settled["via"], settled["answer"]) == ("console", YES)
    [refused] = await page.answer()
    how = {"end": "answered", "by": "ann", "via": "console", "answer": YES}
    assert (refused["code"], refused["outcome"]) == ("duplicate", how)


async def test_an_answer_too_long_to_be_shown_again_is_taken_and_left_out(page: Page) -> None:
    asked = page.opened(Form(questions=(Choice(prompt="Which?", options=(Option(label="A"),)),)))
    words = "a" * (MAX_BYTES - 110)  # the longest that fits the message that gives it
    assert types(await page.answer({"action": "answer", "response": words})) == ["request.settled", "ok"]
    assert asked.answers[0].value == {"answers": {}, "response": words}
    page.session.connected()
    [_, settled] = page.take()
    assert (settled["end"], settled.get("answer")) == ("answered", None)
    [refused] = await page.answer({"action": "answer", "response": "b"})
    assert refused["code"] == "duplicate"


async def test_a_page_connects_again_though_a_card_is_too_long_by_now(page: Page) -> None:
    assert page.session.open(page.ask(Confirm(prompt="x")))
    room = MAX_BYTES - len(page.texts.pop())
    asked = page.opened(Confirm(prompt="x" * (1 + room)))
    asked.put()  # its clock starts: the message is longer from here on
    page.session.connected()
    assert types(page.take()) == ["call.state"]


async def test_an_answer_that_loses_the_race_inside_the_ledger_is_told_too(page: Page) -> None:
    asked = page.opened()
    asked.request.end = RequestEnd.WITHDRAWN
    asked.verdict = Settlement.LATE
    [refused] = await page.answer()
    assert (refused["code"], refused["outcome"]) == ("late", {"end": "withdrawn"})


@pytest.mark.parametrize(
    ("verdict", "code"), [(Settlement.NOT_ALLOWED, "not_allowed"), (Settlement.UNKNOWN, "unknown")]
)
async def test_what_the_ledger_refuses_is_refused_to_the_page(page: Page, verdict: Settlement, code: str) -> None:
    page.opened().verdict = verdict
    [refused] = await page.answer()
    assert refused["code"] == code
    assert refused["why"]


async def test_a_request_that_was_never_put_to_this_page_is_unknown_to_it(page: Page) -> None:
    page.ask(id="operators")
    [refused] = await page.answer(pending_id="operators")
    assert refused["code"] == "unknown"


async def test_the_last_settled_requests_are_remembered_and_no_more(page: Page) -> None:
    for number in range(REMEMBERED + 1):
        page.opened(id=f"p{number}").end(RequestEnd.WITHDRAWN)
    page.take()
    assert (await page.answer(pending_id="p0"))[0]["code"] == "unknown"
    assert (await page.answer(pending_id="p1"))[0]["code"] == "late"


async def test_the_same_key_again_gets_the_same_verdict(page: Page) -> None:
    asked = page.opened()
    assert types(await page.answer(key="k")) == ["request.settled", "ok"]
    assert types(await page.answer(key="k")) == ["ok"]
    assert types(await page.answer(key="other")) == ["refused"]
    assert len(asked.answers) == 1


async def test_a_key_is_that_of_one_request(page: Page) -> None:
    first, second = page.opened(id="p1"), page.opened(id="p2")
    assert types(await page.answer(pending_id="p1", key="1")) == ["request.settled", "ok"]
    assert types(await page.answer(pending_id="p2", key="1")) == ["request.settled", "ok"]
    assert (len(first.answers), len(second.answers)) == (1, 1)


async def test_an_answer_sent_twice_while_the_first_is_being_taken_counts_once(page: Page) -> None:
    asked = page.opened()
    asked.gate = anyio.Event()
    async with anyio.create_task_group() as group:
        for _ in range(2):
            group.start_soon(_answer_once, page)
        await anyio.wait_all_tasks_blocked()
        asked.gate.set()
    assert types(page.take()) == ["request.settled", "ok", "ok"]
    assert len(asked.answers) == 1


async def _answer_once(page: Page) -> None:
    text = _text.dump_json(
        {"v": 1, "type": "request.answer", "id": "m", "pending_id": "p1", "answer": YES, "key": "k"}
    ).decode()
    await page.session.handle(text, by="lee")


async def test_an_answer_cut_off_before_its_verdict_may_be_sent_again(page: Page) -> None:
    asked = page.opened()
    asked.gate = anyio.Event()
    with anyio.move_on_after(0):
        await _answer_once(page)
    asked.gate.set()
    await _answer_once(page)
    assert types(page.take()) == ["request.settled", "ok"]


async def test_a_sensitive_answer_is_never_sent_back_nor_why_it_was_wrong(
    page: Page, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    question = Number(prompt="Your PIN?", digits=4, sensitive=True)
    asked = page.opened(question)
    [refused] = await page.answer({"action": "submit", "value": "98765"})
    asked.verdict = Settlement.INVALID("98765 is wrong")
    [again] = await page.answer({"action": "submit", "value": "4271"})
    asked.verdict = None
    settled, ok = await page.answer({"action": "submit", "value": "4271"})
    assert "answer" not in settled
    assert ok["type"] == "ok"
    [late] = await page.answer({"action": "submit", "value": "4271"})
    everything = f"{refused}{again}{settled}{late}{caplog.text}"
    assert "4271" not in everything
    assert "98765" not in everything


async def test_a_card_waits_for_the_arguments_and_becomes_the_live_one(page: Page) -> None:
    page.session.preparing("c1", "ConfirmAction")
    [opened] = page.take()
    assert (opened["status"], opened["call"]) == ("inProgress", "c1")
    page.session.open(page.ask())
    [live] = page.take()
    assert (live["call"], live["pending_id"]) == ("c1", "p1")
    page.session.prepared("c1")
    assert page.take() == []


async def test_a_call_that_never_asked_takes_its_card_away(page: Page) -> None:
    page.session.preparing("c1", "ConfirmAction")
    page.take()
    page.session.prepared("c1")
    [settled] = page.take()
    assert (settled["call"], settled["end"]) == ("c1", "withdrawn")
    assert "pending_id" not in settled


async def test_a_clock_that_starts_and_another_asker_are_shown(page: Page) -> None:
    asked = page.opened()
    asked.put()
    page.session.changed(asked)
    asked.asked_by = ("voice", "card")
    page.session.changed(asked)
    page.session.changed(page.ask(id="elsewhere"))
    started, asked_too = page.take()
    assert started["expires_at"] == "2026-03-01T12:01:00.000Z"
    assert started["asked_by"] == ["card"]
    assert asked_too["asked_by"] == ["voice", "card"]


async def test_a_page_that_connects_again_gets_all_that_is_open_and_what_it_missed(page: Page) -> None:
    page.session.call_state("live")
    page.opened(id="gone").end(RequestEnd.TIMED_OUT)
    asked = page.opened(id="open")
    asked.asked_by = ("voice", "card")
    page.session.changed(asked)
    page.session.preparing("c9", "ConfirmAction")
    page.take()
    page.session.connected()
    sent = page.take()
    assert types(sent) == ["call.state", "request.settled", "request.opened", "request.opened", "request.changed"]
    assert sent[0]["state"] == "live"
    assert sent[1]["pending_id"] == "gone"
    assert (sent[2]["status"], sent[3]["pending_id"]) == ("inProgress", "open")


async def test_a_question_too_long_for_a_message_is_not_shown(page: Page, caplog: pytest.LogCaptureFixture) -> None:
    asked = page.ask(Text(prompt="?" * MAX_BYTES))
    assert not page.session.open(asked)
    assert page.take() == []
    assert "p1" in caplog.text
    page.session.settle(asked)
    assert page.take() == []


async def test_a_card_settles_once(page: Page) -> None:
    asked = page.opened()
    asked.end(RequestEnd.TIMED_OUT)
    page.session.settle(asked)
    assert types(page.take()) == ["request.settled"]


async def test_a_card_that_identical_requests_share_closes_with_the_last_of_them(page: Page) -> None:
    asked = page.opened()
    first, asked.request = asked.request, page.ask(id="twin").request
    first.end = RequestEnd.WITHDRAWN
    settled, ok = await page.answer()
    assert ok["type"] == "ok"
    assert (settled["pending_id"], settled["end"]) == ("p1", "answered")


async def test_a_long_transcript_is_cut_to_a_message(page: Page) -> None:
    page.session.transcript("assistant", "\x01" * MAX_BYTES, final=True, item="i")
    [line] = page.take()
    assert str(line["text"]).startswith("\x01")


async def test_an_application_may_tell_its_page_more(page: Page) -> None:
    page.session.tell("tool.result", {"text": "booked"})
    assert page.take() == [{"v": 1, "type": "tool.result", "text": "booked"}]
    with pytest.raises(TooLarge):
        page.session.tell("tool.result", {"text": "x" * MAX_BYTES})


async def test_a_key_of_the_on_screen_keypad_is_a_digit(page: Page) -> None:
    assert types(await page.get(type="digit", id="m2", digit="4")) == ["ok"]
    assert await page.get(type="digit", digit="#") == []
    assert page.digits == ["4", "#"]


async def test_tools_of_the_page_are_not_taken_unless_the_channel_says_so(page: Page) -> None:
    [refused] = await page.get(type="tool.register", id="m3", name="pick_time")
    assert (refused["code"], refused["id"]) == ("not_allowed", "m3")


async def test_what_is_no_message_is_refused_each_time_and_logged_once(
    page: Page, caplog: pytest.LogCaptureFixture
) -> None:
    for text in ("not json", "{}", "x" * (MAX_BYTES + 1), '{"v":1,"type":"dance","id":"7"}', "still not json"):
        await page.session.handle(text, by="lee")
    assert [message["code"] for message in page.take()] == [
        "malformed",
        "malformed",
        "too_large",
        "unknown",
        "malformed",
    ]
    assert len(caplog.records) == 3


async def test_a_page_says_whether_it_can_be_reached() -> None:
    assert not SessionPage(lambda _text: None, now=lambda: AT, reachable=lambda: False).reachable
    assert SessionPage(lambda _text: None, now=lambda: AT).reachable


async def test_a_late_answer_is_told_so_though_the_store_of_its_request_is_away(page: Page) -> None:
    class Away(Asked):
        async def answer(self, answer: Answer) -> Settlement:
            raise StoreUnavailable("it is away")

    asked = Away(Confirm(prompt="Book it?"), page.ask().request, page.session)
    assert page.session.open(asked)
    asked.end(RequestEnd.TIMED_OUT)
    page.take()
    (refused,) = await page.answer()
    assert (refused["type"], refused["code"]) == ("refused", "late")


async def test_a_card_closes_whatever_the_length_of_a_reason(page: Page) -> None:
    asked = page.opened()
    asked.end(RequestEnd.REFUSED, Answer(by="desk", decline=True, reason="x" * 100_000))
    page.session.connected()
    assert types(page.take()).count("request.settled") == 2
