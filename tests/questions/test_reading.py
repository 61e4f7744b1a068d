"""A host's plain text, read as the answer of a question."""

import pytest

from voice_hitl.enums import Via
from voice_hitl.errors import InvalidAnswer
from voice_hitl.questions import Choice, Confirm, Form, Number, Option, Question, Text, check_answer
from voice_hitl.questions.reading import read_text

CONFIRM = Confirm(prompt="Shall I?")
NUMBER = Number(prompt="How many?")
CODE = Number(prompt="Code?", digits=4)
TEXT = Text(prompt="Name?", verbatim=True)
BY_ID = Choice(prompt="Which?", options=(Option(label="One", id="1"), Option(label="Two", id="1 ")))
SEVERAL = Choice(prompt="Which?", options=(Option(label="Red"), Option(label="Blue")), multi=True)
FORM = Form(questions=(Choice(prompt="When?", options=(Option(label="A"),), free_text=True),))


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        (TEXT, ' {"action": "decline"} ', ' {"action": "decline"} '),
        (TEXT, "3", "3"),
        (CONFIRM, "Yes ", True),
        (CONFIRM, "false", False),
        (CONFIRM, "no", False),
        (CONFIRM, '{"confirmed": true}', True),
        (CONFIRM, '{"action": "answer", "value": false}', False),
        (NUMBER, " 42 ", 42),
        (NUMBER, "2.50", 2.5),
        (CODE, " 0042", "0042"),
        (CODE, "1234", "1234"),
        (BY_ID, "1", "1"),
        (BY_ID, "1 ", "1 "),
        (BY_ID, '{"selected": "1"}', "1"),
        (BY_ID, '{"action": "select", "value": "1 "}', "1 "),
        (SEVERAL, "Red", ["Red"]),
        (SEVERAL, '["Blue", "Red"]', ["Blue", "Red"]),
        (FORM, '{"answers": {"When?": "A"}}', {"answers": {"When?": "A"}, "response": None}),
        (FORM, '{"response": "soon"}', {"answers": {}, "response": "soon"}),
    ],
)
def test_the_text_is_the_bare_value_or_the_tools_own_form_or_the_wire_form(
    question: Question, text: str, value: object
) -> None:
    answer = check_answer(question, read_text(question, text))
    assert answer.value == value
    assert answer.via is Via.API


def test_the_wire_form_may_decline() -> None:
    assert read_text(CONFIRM, '{"action": "decline", "reason": "later"}').decline


@pytest.mark.parametrize(
    ("question", "text", "why"),
    [
        (CONFIRM, "perhaps", "answered with yes or no"),
        (CONFIRM, "1", "answered with yes or no"),
        (CONFIRM, '{"confirm": true}', "an object with 'confirmed' is expected"),
        (BY_ID, '{"id": "1"}', "an object with 'selected' is expected"),
        (NUMBER, '{"value": 1}', "a bare value is expected"),
        (NUMBER, "NaN", "no number"),
        (NUMBER, "1e999", "no number"),
        (NUMBER, "[" * 100_000, "no number"),
        (NUMBER, "\ud800", "no number"),
        (FORM, "soon", "is an object"),
        (CONFIRM, '{"action": "approve"}', "the action must be"),
    ],
)
def test_a_text_that_is_no_answer_says_why(question: Question, text: str, why: str) -> None:
    with pytest.raises(InvalidAnswer, match=why):
        check_answer(question, read_text(question, text))
