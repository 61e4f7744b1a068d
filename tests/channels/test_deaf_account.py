"""What a deaf model is told afterwards: what was asked, answered, said, and not heard."""

from datetime import UTC, datetime

import pytest

from voice_hitl.channels.deaf_account import MOST_CHARS, DeafAccount
from voice_hitl.enums import RequestEnd
from voice_hitl.provider import Transcript
from voice_hitl.questions.model import Choice, Confirm, Form, Option, Question
from voice_hitl.requests.pending import MASKED, PendingInput


def request(question: Question | None = None, **fields: object) -> PendingInput:
    pending = PendingInput(
        pending_id="p1", tool_name="ConfirmAction", arguments={}, question=question, created_at=datetime.now(UTC)
    )
    for name, value in fields.items():
        setattr(pending, name, value)
    return pending


def wrote(text: str, item_id: str = "i1", *, final: bool = True) -> Transcript:
    return Transcript("assistant", text, final=final, item_id=item_id)


def test_it_says_what_was_asked_and_what_was_answered() -> None:
    account = DeafAccount(request(Confirm(prompt="Book it?"), end=RequestEnd.ANSWERED, result='{"confirmed": true}'))
    account.caller_said("yes please")
    text = account.text()
    assert 'They were asked: "Book it?".' in text
    assert "It was answered: \"{'confirmed': true}\"." in text
    assert 'What they said meanwhile: "yes please".' in text
    assert account.asides == ()


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (None, "not answered yet: nothing has been done"),
        (RequestEnd.REFUSED, "It was declined."),
        (RequestEnd.BLOCKED, "It was declined."),
        (RequestEnd.TIMED_OUT, "not answered, and nothing has been done"),
        (RequestEnd.WITHDRAWN, "not answered, and nothing has been done"),
    ],
)
def test_it_says_how_it_ended_without_an_answer(end: RequestEnd | None, words: str) -> None:
    assert words in DeafAccount(request(Confirm(prompt="Book it?"), end=end)).text()


def test_what_was_no_answer_is_for_the_model() -> None:
    account = DeafAccount(request(Confirm(prompt="Book it?")))
    account.caller_said("what's the fee?")
    account.aside()
    account.caller_said("yes")
    assert account.asides == ("what's the fee?",)
    assert 'for you to answer: "what\'s the fee?"' in account.text()


def test_it_says_what_the_model_said_to_nobody_and_nothing_of_what_was_heard() -> None:
    account = DeafAccount(None)
    account.model_plays("i2")
    assert not account.model_wrote(wrote("One moment."))
    assert account.model_wrote(wrote("Are you ", "i2", final=False))
    assert account.model_wrote(wrote("still there", "i2", final=False))
    assert 'not heard: "Are you still there"' in account.text()
    assert account.model_wrote(wrote("Are you still there?", "i2"))
    assert 'not heard: "Are you still there?"' in account.text()
    assert "One moment" not in account.text()


def test_of_a_sensitive_question_nothing_is_told_that_was_said() -> None:
    account = DeafAccount(request(Confirm(prompt="Pin?", sensitive=True), end=RequestEnd.ANSWERED, result="4711"))
    account.caller_said("4711")
    account.aside()
    other = DeafAccount(request(Confirm(prompt="Book it?")))
    other.caller_said(MASKED)
    assert "4711" not in account.text()
    assert "not repeated here" in account.text()
    assert account.asides == other.asides == ()
    assert "said" not in other.text()


def test_a_form_is_told_by_its_questions_and_what_has_none_by_its_tool() -> None:
    choices = tuple(
        Choice(prompt=prompt, options=(Option(label="a"), Option(label="b"))) for prompt in ("Where?", "When?")
    )
    assert '"Where?", "When?"' in DeafAccount(request(Form(questions=choices))).text()
    assert "whether ConfirmAction may run" in DeafAccount(request()).text()


def test_what_is_long_is_cut_and_nothing_closes_a_quotation() -> None:
    account = DeafAccount(request(Confirm(prompt='Say "x" ' * 100)))
    assert "'x'" in account.text()
    assert len(account.text()) < MOST_CHARS + 300
